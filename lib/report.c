#include "lib/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/known.h"
#include "lib/probe.h"

/* ---- The line for people ----------------------------------------------------------------------- */

enum { NAME_AND_VALUE_COLUMNS = 60, FACT_VARIANTS = sizeof((struct fact){0}).variants, CURVE_NAME = 48 };
/* Rates and latencies that differ by no more than this from what is published agree with it. */
static const double RATES_AGREE = 0.02;
/* And a knee this close to another limit cannot be told from it. */
static const double LIMITS_COINCIDE = 0.03;

/* The scale in which people write a value of this unit. */
struct scale {
    double divisor;
    const char *unit;
};

static struct scale scale_for(double value, const char *unit)
{
    if (!strcmp(unit, "bytes") && value >= 10 * 1048576.0)
        return (struct scale){1048576, "MiB"};
    if (!strcmp(unit, "bytes") && value >= 1024)
        return (struct scale){1024, "KiB"};
    if (!strcmp(unit, "Hz") && value >= 1e6)
        return (struct scale){1e9, "GHz"};
    return (struct scale){1, unit};
}

/* "level=1 page=4k", or nothing. False when it was cut. */
static bool variants_text(char *out, size_t room, const struct finding *f)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < FINDING_VARIANTS && f->variants[i].key && used < room; i++) {
        const char *space = i ? " " : "";
        int n = f->variants[i].text
                    ? snprintf(out + used, room - used, "%s%s=%s", space, f->variants[i].key, f->variants[i].text)
                    : snprintf(out + used, room - used, "%s%s=%.0f", space, f->variants[i].key, f->variants[i].number);
        used += n > 0 ? (size_t)n : 0;
    }
    return used < room;
}

/* Whether a number counts something that is there, or says how long or how often: the latter are never exact. */
static bool is_rate(const char *unit)
{
    return strstr(unit, "cycle") || !strcmp(unit, "ns") || !strcmp(unit, "Hz");
}

/* By how much the finding misses what is published; 0 where they agree. */
static double difference(const struct finding *f, const char *unit, const struct known_value *k)
{
    double from = k->value, to = k->to > 0 ? k->to : k->value;
    double nearest = f->value < from ? from : f->value > to ? to : f->value;
    bool interval = isfinite(f->low) && isfinite(f->high);

    if (f->value == nearest || (interval && f->low <= nearest && nearest < f->high))
        return 0;
    if ((is_rate(unit) || !interval) && fabs(f->value - nearest) <= RATES_AGREE * nearest)
        return 0;
    return f->value - nearest;
}

/* Why the finding is none of the published values, where that is known; NULL where it is one of them. */
static const struct known_difference *difference_from(const struct finding *f, const char *unit, char grade,
                                                      const struct known_value *known, const char *variants)
{
    if (!known)
        return NULL;
    for (const struct known_value *k = known; grade != 'U' && k; k = known_next(k))
        if (difference(f, unit, k) == 0)
            return NULL;
    return known_difference(machine_info()->core_name, f->name, variants, grade == 'U' ? NAN : f->value);
}

/* "15: +3", "11 to 18", or with the unit where there is nothing to hold it against. True where that is what was measured. */
static bool published_text(char *out, size_t room, const struct finding *f, const char *unit, char grade,
                           struct scale scale, const struct known_value *k)
{
    const double miss = grade == 'U' ? 0 : difference(f, unit, k);
    char range[32] = "", off[32] = "";

    if (k->to > 0)
        snprintf(range, sizeof range, " to %.5g", k->to / scale.divisor);
    if (grade == 'U')
        snprintf(off, sizeof off, " %s", scale.unit);
    else if (miss != 0)
        snprintf(off, sizeof off, ": %+.4g", miss / scale.divisor);
    snprintf(out, room, "%.5g%s%s", k->value / scale.divisor, range, off);
    return grade != 'U' && miss == 0;
}

/* " published 15: +3 or 16: +2", in bold where that is what was measured. */
static void print_published(const struct finding *f, const char *unit, char grade, struct scale scale,
                            const struct known_value *known)
{
    for (const struct known_value *k = known; k; k = known_next(k)) {
        char text[96];

        machine_print(k == known ? " published " : " or ");
        if (published_text(text, sizeof text, f, unit, grade, scale, k))
            machine_print_strong(text);
        else
            machine_print(text);
    }
}

/* The same for a watcher: of several published values the one that was measured, else the first. */
static void show_finding(const struct watcher *watcher, const struct finding *f, const char *unit, char grade,
                         const struct watched_finding *as_printed, struct scale scale, const struct known_value *known)
{
    struct watched_finding shown = *as_printed;
    char published[96] = "", other[96];

    for (const struct known_value *k = known; k && !shown.agrees; k = known_next(k)) {
        shown.agrees = published_text(other, sizeof other, f, unit, grade, scale, k);
        if (k == known || shown.agrees)
            memcpy(published, other, sizeof published);
    }
    shown.published = published;
    watcher->finding(&shown);
}

/*
 * Name and variants, value, grade, interval or reason, and what is published: 80 columns without the
 * last, 100 with it, since firmware's consoles have no more.
 */
static void print_finding(const struct run *run, const struct finding *f, const char *unit, char grade,
                          const char *reason, const struct known_value *known, const struct known_difference *differs)
{
    char variants[64], name[120], value[40] = "-", detail[128] = "", line[320];
    const struct scale scale = scale_for(grade == 'U' ? (known ? known->value : 0) : f->value, unit);

    variants_text(variants, sizeof variants, f);
    snprintf(name, sizeof name, "%s %s ", f->name, variants);
    if (grade != 'U' && f->text)
        snprintf(value, sizeof value, "%s", f->text);
    else if (grade != 'U')
        snprintf(value, sizeof value, f->value / scale.divisor >= 1e4 ? "%.0f %s" : "%.4g %s", f->value / scale.divisor,
                 scale.unit);
    if (grade == 'U')
        snprintf(detail, sizeof detail, "%s", reason ? reason : "");
    else if (isfinite(f->low) && isfinite(f->high))
        snprintf(detail, sizeof detail, f->high / scale.divisor >= 1e5 ? "[%.0f, %.0f]" : "[%.5g, %.5g]",
                 f->low / scale.divisor, f->high / scale.divisor);
    int gap = NAME_AND_VALUE_COLUMNS - (int)strlen(name);
    snprintf(line, sizeof line, "  %s%*s  %c  %s", name, gap, value, grade, detail);
    machine_print(line);
    print_published(f, unit, grade, scale, known);
    machine_print("\n");
    if (differs) {
        machine_print("    ");
        machine_print(differs->why);
        machine_print("\n");
    }
    if (run->watcher)
        show_finding(run->watcher, f, unit, grade,
                     &(struct watched_finding){
                         .name = f->name, .variants = variants, .value = value, .grade = grade, .detail = detail},
                     scale, known);
}
/* ---- The record -------------------------------------------------------------------------------- */

void record_core(struct record *r)
{
    const struct machine_info *info = machine_info();

    record_integer(r, "core", info->core);
    if (info->core_type[0])
        record_text(r, "type", info->core_type);
}

static const struct finding_declaration *declaration(const struct probe_definition *d, const char *name)
{
    for (const struct finding_declaration *f = d->findings; f && f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

static void send_published(struct record *r, const struct known_value *known)
{
    record_array(r, "published");
    for (const struct known_value *k = known; k; k = known_next(k)) {
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

/* The record and the line. What replaces an earlier finding by none keeps its value as `seen`. */
static void send(struct run *run, const struct probe_definition *d, const struct finding *f, char grade,
                 const char *reason, bool replaces)
{
    const char *unit = declaration(d, f->name)->unit;
    char variants[64];
    struct record r;

    variants_text(variants, sizeof variants, f);
    const struct known_value *known = known_find(machine_info()->core_name, f->name, variants);
    const struct known_difference *differs = difference_from(f, unit, grade, known, variants);

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
    if (grade == 'U' && reason)
        record_text(&r, "reason", reason);
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
    print_finding(run, f, unit, grade, reason, known, differs);
}

/* ---- What is kept of a finding ------------------------------------------------------------------ */

/* One that the last pass may have to take back, with its own copies of texts that the probe made. */
struct kept_finding {
    const struct probe_definition *probe;
    struct finding finding;
    char variants[FACT_VARIANTS];
    char variant_texts[FINDING_VARIANTS][FACT_VARIANTS];
    char curve_names[FINDING_CURVES][CURVE_NAME];
    char limit_variants[FINDING_LIMITS][FACT_VARIANTS];
};

static bool keep(struct run *run, const struct probe_definition *d, const struct finding *f, const char *variants)
{
    struct kept_finding *all = realloc(run->kept, (run->kept_count + 1) * sizeof *all);

    if (!all)
        return false;
    run->kept = all;
    struct kept_finding *k = &all[run->kept_count++];
    *k = (struct kept_finding){.probe = d, .finding = *f};
    k->finding.method = k->finding.agreement = k->finding.reason = k->finding.remarks[0].key = NULL;
    snprintf(k->variants, sizeof k->variants, "%s", variants);
    for (size_t i = 0; i < FINDING_VARIANTS && f->variants[i].key; i++)
        if (f->variants[i].text)
            snprintf(k->variant_texts[i], sizeof k->variant_texts[i], "%s", f->variants[i].text);
    for (size_t i = 0; i < FINDING_CURVES && f->curves[i]; i++)
        snprintf(k->curve_names[i], sizeof k->curve_names[i], "%s", f->curves[i]);
    for (size_t i = 0; i < FINDING_LIMITS && f->limits[i].name; i++)
        if (f->limits[i].variants)
            snprintf(k->limit_variants[i], sizeof k->limit_variants[i], "%s", f->limits[i].variants);
    return true;
}

/* The finding with its texts where they are now: keeping another one may have moved them. */
static struct finding kept_again(struct kept_finding *k)
{
    struct finding f = k->finding;

    for (size_t i = 0; i < FINDING_VARIANTS && f.variants[i].key; i++)
        if (f.variants[i].text)
            f.variants[i].text = k->variant_texts[i];
    for (size_t i = 0; i < FINDING_CURVES && f.curves[i]; i++)
        f.curves[i] = k->curve_names[i];
    return f;
}

/* It is replaced: the last pass has nothing to take back. */
static void forget(struct run *run, const struct finding *f)
{
    char variants[FACT_VARIANTS];

    variants_text(variants, sizeof variants, f);
    for (size_t i = 0; i < run->kept_count; i++)
        if (!strcmp(run->kept[i].finding.name, f->name) && !strcmp(run->kept[i].variants, variants))
            run->kept[i].probe = NULL;
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
    if (!variants_text(fact.variants, sizeof fact.variants, f) || !facts_set(&run->facts, &fact))
        record_warning(&run->writer, f->name, "no memory to keep this finding as a fact for other probes");
    if (f->limits[0].name && !keep(run, d, f, fact.variants))
        record_warning(&run->writer, f->name, "no memory to hold this finding against other limits");
}

void report(struct probe *p, const struct finding *f)
{
    struct run *run = p->run;
    char text[128], grade = f->grade;
    const char *reason = f->reason;

    if (!declaration(p->definition, f->name)) {
        snprintf(text, sizeof text, "probe %s reported a finding that it does not declare", p->definition->name);
        record_warning(&run->writer, f->name, text);
        p->outcome = OUTCOME_FAULT;
        p->fault = (struct fault){.vector = "undeclared-finding"};
        return;
    }
    if (isnan(f->value) && !f->text)
        grade = 'U';
    if (!run->trusted) {
        grade = 'U';
        reason = "untrusted-clock"; /* the cause stands in the summary and in `done` */
    }
    if (f->replaces)
        forget(run, f);
    send(run, p->definition, f, grade, reason, f->replaces);
    run->findings++;
    if (grade != 'U')
        remember(run, p->definition, f, grade);
}

/* ---- The last pass ------------------------------------------------------------------------------ */

/*
 * The limit that this knee may be instead, or NULL: what its experiment occupied of another structure is just
 * what that holds, within LIMITS_COINCIDE of its value, or as far as either interval reaches.
 */
static const struct fact *masked_by(const struct facts *facts, const struct kept_finding *k)
{
    const struct finding *f = &k->finding;

    for (size_t i = 0; i < FINDING_LIMITS && f->limits[i].name; i++) {
        const struct finding_limit *limit = &f->limits[i];
        double occupied = f->value * limit->per_unit;

        for (size_t j = 0; j < facts->count; j++) {
            const struct fact *fact = &facts->all[j];
            bool itself = !strcmp(fact->name, f->name) && !strcmp(fact->variants, k->variants);

            if (itself || strcmp(fact->name, limit->name) != 0 || !variants_cover(k->limit_variants[i], fact->variants))
                continue;
            if (fabs(occupied - fact->value) <= LIMITS_COINCIDE * fact->value ||
                (fact->low <= occupied && occupied <= fact->high) ||
                (f->low * limit->per_unit <= fact->value && fact->value <= f->high * limit->per_unit))
                return fact;
        }
    }
    return NULL;
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    struct finding filled = *f;

    filled.value = value;
    filled.low = filled.high = NAN;
    filled.grade = 'C';
    report(p, &filled);
}

void report_masked(struct run *run)
{
    for (size_t i = 0; i < run->kept_count; i++) {
        struct kept_finding *k = &run->kept[i];
        const struct fact *limit = k->probe ? masked_by(&run->facts, k) : NULL;
        struct finding f = kept_again(k);
        char reason[128];

        if (!limit)
            continue;
        snprintf(reason, sizeof reason, "masked-by:%s%s%s", limit->name, limit->variants[0] ? " " : "",
                 limit->variants);
        send(run, k->probe, &f, 'U', reason, true);
    }
    free(run->kept);
    run->kept = NULL;
    run->kept_count = 0;
}

const char *page_name(size_t page_bytes)
{
    static const struct {
        size_t bytes;
        const char *name;
    } pages[] = {{4096, "4k"},      {16384, "16k"},      {65536, "64k"}, {2 << 20, "2m"},
                 {32 << 20, "32m"}, {512 << 20, "512m"}, {1 << 30, "1g"}};

    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (pages[i].bytes == page_bytes)
            return pages[i].name;
    return "";
}
