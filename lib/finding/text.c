#include "lib/finding/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/compare.h"
#include "lib/finding/report.h"
#include "lib/machine.h"

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

/* Writes "15: +3" or "11 to 18"; with the unit where nothing was decided. True where the finding agrees with it. */
static bool published_text(char *out, size_t room, const struct finding *f, const char *unit, char grade,
                           struct scale scale, const struct published_value *k)
{
    const double miss = grade == 'U' ? 0 : published_miss(f, unit, k);
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
                            const struct published_value *known)
{
    for (const struct published_value *k = known; k; k = published_next(k)) {
        char text[96];

        machine_print(k == known ? " published " : " or ");
        if (published_text(text, sizeof text, f, unit, grade, scale, k))
            machine_print_strong(text);
        else
            machine_print(text);
    }
}

/* Shows it to the observer: of several published values the one that was measured, else the first. */
static void show_finding(const struct observer *observer, const struct finding *f, const char *unit, char grade,
                         const struct observed_finding *as_printed, struct scale scale,
                         const struct published_value *known)
{
    struct observed_finding shown = *as_printed;
    char published[96] = "", other[96];

    for (const struct published_value *k = known; k && !shown.agrees; k = published_next(k)) {
        shown.agrees = published_text(other, sizeof other, f, unit, grade, scale, k);
        if (k == known || shown.agrees)
            memcpy(published, other, sizeof published);
    }
    shown.published = published;
    observer->finding(&shown);
}

/* The sentence of a reason, and what belongs to it. */
static void reason_text(char *out, size_t room, const struct why *why)
{
    const char *sentence = why->reason ? reasons[why->reason].sentence : "";

    if (why->reason == REASON_PLATFORM && why->detail)
        snprintf(out, room, "%s", why->detail);
    else if (why->reason == REASON_MASKED_BY)
        snprintf(out, room, "%s is reached at the same point", why->detail);
    else
        snprintf(out, room, "%s%s%s%s", sentence, why->detail ? " (" : "", why->detail ? why->detail : "",
                 why->detail ? ")" : "");
}

void print_finding(const struct run *run, const struct finding *f, const char *unit, char grade, const struct why *why,
                   const struct published_value *known, const struct published_difference *differs)
{
    char variants[64], name[120], value[40] = "-", detail[192] = "", line[384];
    const struct scale scale = scale_for(grade == 'U' ? (known ? known->value : 0) : f->value, unit);

    finding_variants(variants, sizeof variants, f);
    snprintf(name, sizeof name, "%s %s ", f->name, variants);
    if (grade != 'U' && f->text)
        snprintf(value, sizeof value, "%s", f->text);
    else if (grade != 'U')
        snprintf(value, sizeof value, f->value / scale.divisor >= 1e4 ? "%.0f %s" : "%.4g %s", f->value / scale.divisor,
                 scale.unit);
    if (grade == 'U')
        reason_text(detail, sizeof detail, why);
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
    if (run->observer)
        show_finding(run->observer, f, unit, grade,
                     &(struct observed_finding){
                         .name = f->name, .variants = variants, .value = value, .grade = grade, .detail = detail},
                     scale, known);
}
