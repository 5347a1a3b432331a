#include "lib/finding/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/compare.h"
#include "lib/finding/masking.h"
#include "lib/finding/text.h"
#include "lib/finding/tolerances.h"

static const struct finding_declaration *declaration(const struct probe_definition *d, const char *name)
{
    for (const struct finding_declaration *f = d->findings; f && f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

static void send_published(struct record *r, const struct published_value *known)
{
    record_array(r, "published");
    for (const struct published_value *k = known; k; k = published_next(k)) {
        record_object(r, NULL);
        if (k->to > 0) {
            record_array(r, "value");
            record_number(r, NULL, k->value);
            record_number(r, NULL, k->to);
            record_close(r);
        } else {
            record_number(r, "value", k->value);
        }
        record_text(r, "source", k->source);
        record_close(r);
    }
    record_close(r);
}

/* Adds `reason`, the token (with the name of the limit that masks behind a colon), and `detail`, what else it has. */
static void send_reason(struct record *r, const struct why *why)
{
    char masked[128];

    if (!why->reason)
        return;
    if (why->reason == REASON_MASKED_BY) {
        snprintf(masked, sizeof masked, "%s:%s", reasons[why->reason].token, why->detail);
        record_text(r, "reason", masked);
        return;
    }
    record_text(r, "reason", reasons[why->reason].token);
    if (why->detail)
        record_text(r, "detail", why->detail);
}

/* Sends the record and prints the line. An undecided finding that replaces an earlier one has its value as `seen`. */
static void send(struct run *run, const struct probe_definition *d, const struct finding *f, char grade,
                 const struct why *why, bool replaces)
{
    const char *unit = declaration(d, f->name)->unit;
    char variants[64];
    struct record r;

    finding_variants(variants, sizeof variants, f);
    const struct published_value *known = published_find(machine_info()->core_name, f->name, variants);
    const struct published_difference *differs = published_explanation(f, unit, grade, known, variants);

    record_start(&r, &run->writer, "finding");
    record_text(&r, "probe", d->name);
    record_text(&r, "name", f->name);
    record_core(&r);
    for (size_t i = 0; i < FINDING_VARIANTS && f->variants[i].key; i++) {
        if (f->variants[i].text)
            record_text(&r, f->variants[i].key, f->variants[i].text);
        else
            record_number(&r, f->variants[i].key, f->variants[i].number);
    }
    if (grade != 'U' && f->text)
        record_text(&r, "value", f->text);
    else
        record_number(&r, "value", grade == 'U' ? NAN : rounded(f->value)); /* NaN is written as null */
    record_text(&r, "unit", unit);
    record_number(&r, "low", grade == 'U' ? NAN : rounded(f->low));
    record_number(&r, "high", grade == 'U' ? NAN : rounded(f->high));
    record_text(&r, "grade", (const char[]){grade, 0});
    if (grade == 'U')
        send_reason(&r, why);
    if (replaces) {
        record_boolean(&r, "replaces", true);
        if (grade == 'U')
            record_number(&r, "seen", rounded(f->value));
    }
    if (f->holds != 0)
        record_number(&r, "holds", f->holds);
    if (f->agreement)
        record_text(&r, "agreement", f->agreement);
    for (size_t i = 0; i < FINDING_REMARKS && f->remarks[i].key; i++)
        if (f->remarks[i].text && f->remarks[i].text[0])
            record_text(&r, f->remarks[i].key, f->remarks[i].text);
    if (f->method)
        record_text(&r, "method", f->method);
    record_array(&r, "curves");
    for (size_t i = 0; i < FINDING_CURVES && f->curves[i]; i++)
        record_text(&r, NULL, f->curves[i]);
    record_close(&r);
    if (known)
        send_published(&r, known);
    if (differs)
        record_text(&r, "difference", differs->why);
    record_send(&r);
    print_finding(run, f, unit, grade, why, known, differs);
}

static void remember(struct run *run, const struct probe_definition *d, const struct finding *f, char grade)
{
    bool interval = isfinite(f->low) && isfinite(f->high);
    struct fact fact = {.name = declaration(d, f->name)->name,
                        .value = f->value,
                        .low = interval ? f->low : f->value,
                        .high = interval ? f->high : f->value,
                        .grade = grade};

    snprintf(fact.source, sizeof fact.source, "%s", d->name);
    if (!finding_variants(fact.variants, sizeof fact.variants, f) || !facts_set(&run->facts, &fact))
        record_warning(&run->writer, f->name, "no memory to keep this finding as a fact for other probes");
    if (f->limits[0].name && !masking_keep(run, d, f, fact.variants))
        record_warning(&run->writer, f->name, "no memory to hold this finding against other limits");
}

bool report_is_disturbed(const struct probe *p)
{
    const struct meter *m = &p->run->meter;
    const double disturbed = (double)(meter_disturbed(m) - p->disturbed_before);

    return disturbed > DISTURBED_MOSTLY * (double)(m->taken - p->taken_before);
}

/*
 * Whether a cost or rate may be wrong in all experiments alike: others disturbed the core most of the time while the
 * probe ran, and so perhaps a little of the time in readings that were accepted. Gates do not rest on the detection of
 * siblings.
 */
static bool may_be_wrong_alike(const struct probe *p, const struct finding_declaration *d)
{
    return unit_is_rate(d->unit) && !p->definition->gate && report_is_disturbed(p);
}

void report(struct probe *p, const struct finding *f)
{
    struct run *run = p->run;
    char text[128], grade = f->grade;
    struct why why = {f->reason, f->detail};

    const struct finding_declaration *declared = declaration(p->definition, f->name);
    if (!declared) {
        snprintf(text, sizeof text, "probe %s reported a finding that it does not declare", p->definition->name);
        record_warning(&run->writer, f->name, text);
        p->outcome = OUTCOME_FAULT;
        p->fault = (struct fault){.vector = "undeclared-finding"};
        return;
    }
    if (isnan(f->value) && !f->text)
        grade = 'U';
    if (grade != 'U' && may_be_wrong_alike(p, declared)) {
        grade = f->is_confirmed ? 'C' : 'U';
        why = f->is_confirmed ? why : why_of(REASON_NO_READINGS);
    }
    if (!run->trusted) {
        grade = 'U';
        why = why_of(REASON_UNTRUSTED_CLOCK); /* the cause stands in the summary and in `done` */
    }
    if (f->replaces)
        masking_forget(run, f);
    send(run, p->definition, f, grade, &why, f->replaces);
    run->findings++;
    if (grade == 'U')
        run->undecided[why.reason]++;
    if (grade != 'U')
        remember(run, p->definition, f, grade);
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    struct finding filled = *f;

    filled.value = value;
    filled.low = filled.high = NAN;
    filled.grade = 'C';
    report(p, &filled);
}

/* Sends a finding again as undecided, since its knee may be that of the limit. */
static void mask(struct run *run, const struct probe_definition *d, const struct finding *f, const struct fact *limit)
{
    char name[128];

    snprintf(name, sizeof name, "%s%s%s", limit->name, limit->variants[0] ? " " : "", limit->variants);
    send(run, d, f, 'U', &(struct why){REASON_MASKED_BY, name}, true);
    run->undecided[REASON_MASKED_BY]++;
}

void report_masked(struct run *run)
{
    masking_apply(run, mask);
}
