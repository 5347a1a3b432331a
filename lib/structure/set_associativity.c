#include "lib/structure/set_associativity.h"

#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/tolerances_hierarchy.h"

/* Places that are held; NaN where the curve has no knee. */
static double count_of(const struct sweep *s)
{
    return s->search.verdict.count ? s->search.verdict.knees[0].value : (double)NAN;
}

bool set_associativity_alike(double a, double b, double factor)
{
    return fabs(a - factor * b) <= fmax(WAYS_ALIKE * factor * b, 1);
}

/* The first distance whose count is that of the next one as well: a single set. `count` where there is none. */
static size_t first_single_set(const struct sweep *s, size_t count)
{
    size_t first = 0;

    while (first + 1 < count && !set_associativity_alike(count_of(&s[first]), count_of(&s[first + 1]), 1))
        first++;
    return first + 1 < count ? first : count;
}

double exponent_of_two(double x, double tolerance)
{
    double bits = 0;

    for (; x > sqrt(2); bits++)
        x /= 2;
    return fabs(x - 1) < tolerance ? bits : (double)NAN;
}

/* Why the ways are undecided; REASON_NONE: they are not. `first` is the shortest distance with a single set. */
static enum reason ways_undecided(const struct set_associativity *a, const struct sweep *s, const size_t *distances,
                                  size_t count, size_t first)
{
    if (first == count)
        return (double)distances[count - 1] > a->known_bytes ? REASON_RANDOM_FRAMES : REASON_NO_SINGLE_SET;
    if ((double)distances[first] > a->known_bytes)
        return REASON_RANDOM_FRAMES;
    if (first == 0 || !set_associativity_alike(count_of(&s[first - 1]), count_of(&s[first]), 2))
        return REASON_NO_HALVING;
    if (isnan(a->capacity))
        return REASON_CAPACITY_UNKNOWN;
    return fabs(count_of(&s[first]) * (double)distances[first] / a->capacity - 1) > WAYS_ALIKE
               ? REASON_EXPERIMENTS_DISAGREE
               : REASON_NONE;
}

static struct finding undecided(const struct set_associativity *a, const char *name, enum reason reason)
{
    return (struct finding){.name = name,
                            .variants = {{a->level ? "level" : NULL, .number = a->level}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason};
}

int set_associativity_further(const struct set_associativity *a, const struct sweep *s, const size_t *distances,
                              size_t count)
{
    const size_t first = first_single_set(s, count);

    if (first == count)
        return (double)distances[count - 1] <= a->known_bytes;
    return first == 0 ? -1 : 0;
}

double frame_known_bytes(size_t page_bytes)
{
    return machine_info()->contiguous ? (double)INFINITY : (double)page_bytes;
}

void set_associativity_report(struct probe *p, const struct set_associativity *a, const struct sweep *s,
                              const size_t *distances, size_t count)
{
    const size_t first = first_single_set(s, count),
                 single_sets = first + SINGLE_SET_DISTANCES < count ? SINGLE_SET_DISTANCES : count - first;
    struct experiment e[SINGLE_SET_DISTANCES];
    enum reason reason = ways_undecided(a, s, distances, count, first);
    struct finding ways = undecided(a, a->ways, reason), bits = undecided(a, a->index_bits, reason);

    if (reason) {
        report(p, &ways);
        report(p, &bits);
        return;
    }
    experiments_of_sweeps(&s[first], single_sets, e);
    ways.method = "places that are held whatever their distance";
    report_capacity(p, &ways, e, single_sets, 1);

    const struct experiment_value v[] = {
        {"distance", "other tables", exponent_of_two((double)distances[first] / a->line_bytes, WAYS_ALIKE)},
        {"capacity", "prefetchers", exponent_of_two(a->capacity / count_of(&s[first]) / a->line_bytes, WAYS_ALIKE)},
    };
    bits.reason = isnan(a->line_bytes) ? REASON_LINE_UNKNOWN : REASON_NOT_POWER_OF_TWO;
    bits.method = "lines in the span of a way";
    if (isnan(a->line_bytes))
        report(p, &bits);
    else
        report_graded_number(p, &bits, v, sizeof v / sizeof v[0]);
}
