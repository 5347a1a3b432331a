#include "lib/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/known.h"
#include "lib/probe.h"

/* ---- The line for people ----------------------------------------------------------------------- */

enum { NAME_AND_VALUE_COLUMNS = 60 };

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

/* "level=1 page=4k", or nothing. */
static void variants_text(char *out, size_t room, const struct finding *f)
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
}

/*
 * Name and variants, value, grade, interval or reason, and what is published: 80 columns without the
 * last, 100 with it, since firmware's consoles have no more.
 */
static void print_finding(const struct finding *f, const char *unit, char grade, const char *reason,
                          const struct known_value *known)
{
    char variants[64], name[120], value[40] = "-", detail[48] = "", published[96] = "", line[320];
    const struct scale scale = scale_for(grade == 'U' ? (known ? known->value : 0) : f->value, unit);

    variants_text(variants, sizeof variants, f);
    snprintf(name, sizeof name, "%s %s ", f->name, variants);
    if (grade != 'U')
        snprintf(value, sizeof value, "%.4g %s", f->value / scale.divisor, scale.unit);
    if (grade == 'U')
        snprintf(detail, sizeof detail, "%s", reason ? reason : "");
    else if (isfinite(f->low) && isfinite(f->high))
        snprintf(detail, sizeof detail, "[%.5g, %.5g]", f->low / scale.divisor, f->high / scale.divisor);
    size_t used = 0;
    for (const struct known_value *k = known; k && used < sizeof published; k = known_next(k)) {
        int n = snprintf(published + used, sizeof published - used, "%s%.5g%s%s", used ? " or " : " published ",
                         k->value / scale.divisor, grade == 'U' ? " " : "", grade == 'U' ? scale.unit : "");
        used += n > 0 ? (size_t)n : 0;
    }
    int gap = NAME_AND_VALUE_COLUMNS - (int)strlen(name);
    snprintf(line, sizeof line, "  %s%*s  %c  %s%s\n", name, gap, value, grade, detail, published);
    machine_print(line);
}

/* ---- The record -------------------------------------------------------------------------------- */

static bool declared(const struct probe_definition *d, const char *name, const char **unit)
{
    for (const struct finding_declaration *f = d->findings; f && f->name; f++)
        if (!strcmp(f->name, name)) {
            *unit = f->unit;
            return true;
        }
    return false;
}

void report(struct probe *p, const struct finding *f)
{
    struct run *run = p->run;
    char text[128], variants[64], grade = f->grade;
    const char *unit = "", *reason = f->reason;

    if (!declared(p->definition, f->name, &unit)) {
        snprintf(text, sizeof text, "probe %s reported a finding that it does not declare", p->definition->name);
        record_warning(&run->writer, f->name, text);
        p->outcome = OUTCOME_FAULT;
        p->fault = (struct fault){.vector = "undeclared-finding"};
        return;
    }
    if (isnan(f->value))
        grade = 'U';
    if (!run->trusted) {
        grade = 'U';
        reason = "untrusted-clock"; /* the cause stands in the summary and in `done` */
    }
    variants_text(variants, sizeof variants, f);
    const struct known_value *known = known_find(machine_info()->core_name, f->name, variants);

    struct record r;
    record_start(&r, &run->writer, "finding");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", f->name);
    record_integer(&r, "core", machine_info()->core);
    for (size_t i = 0; i < FINDING_VARIANTS && f->variants[i].key; i++) {
        if (f->variants[i].text)
            record_text(&r, f->variants[i].key, f->variants[i].text);
        else
            record_number(&r, f->variants[i].key, f->variants[i].number);
    }
    record_number(&r, "value", grade == 'U' ? NAN : rounded(f->value)); /* NaN is written as null */
    record_text(&r, "unit", unit);
    record_number(&r, "low", grade == 'U' ? NAN : rounded(f->low));
    record_number(&r, "high", grade == 'U' ? NAN : rounded(f->high));
    record_text(&r, "grade", (const char[]){grade, 0});
    if (grade == 'U' && reason)
        record_text(&r, "reason", reason);
    if (f->method)
        record_text(&r, "method", f->method);
    record_array(&r, "curves");
    for (size_t i = 0; i < FINDING_CURVES && f->curves[i]; i++)
        record_text(&r, NULL, f->curves[i]);
    record_close(&r);
    if (known) {
        record_array(&r, "published");
        for (const struct known_value *k = known; k; k = known_next(k)) {
            record_object(&r, NULL);
            record_number(&r, "value", k->value);
            record_text(&r, "source", k->source);
            record_close(&r);
        }
        record_close(&r);
    }
    record_send(&r);
    run->findings++;
    print_finding(f, unit, grade, reason, known);
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

/* A level's points differ by less than this from one to the next where nobody shares it. */
static const double STEADY = 0.06;
static const char not_steady[] = "the level is not steady";

void report_capacity(struct probe *p, const struct finding *f, const struct stair *s)
{
    struct finding filled = *f;

    filled.value = filled.low = filled.high = NAN;
    if (!s) {
        filled.reason = "no-knee: no level is seen";
    } else if (s->spread > STEADY) {
        filled.reason = not_steady;
    } else if (!s->left) {
        filled.reason = "the level was not left";
    } else {
        filled.value = s->value;
        filled.low = s->low;
        filled.high = s->high;
        filled.method = s->half ? "half of the rise to the next level" : "last point before the rise to the next level";
    }
    report(p, &filled);
}

void report_height(struct probe *p, const struct finding *f, const struct stair *s)
{
    struct finding filled = *f;
    bool steady = !(s->spread > STEADY);

    filled.value = steady ? s->height : NAN;
    filled.low = filled.high = NAN;
    filled.reason = steady ? NULL : not_steady;
    filled.method = "median of the level";
    report(p, &filled);
}
