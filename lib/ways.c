#include "lib/ways.h"

#include <math.h>

#include "lib/probe.h"

/* Distances that have to agree; at still longer ones other tables hold less. */
enum { FLOOR = 3 };
/* Counts that differ by less are the same, or one twice the other: it is powers of two that are to be told apart. */
static const double ALIKE = 0.2;

static double held(const struct sweep *s)
{
    return s->search.verdict.count ? s->search.verdict.knees[0].value : (double)NAN;
}

static bool is_times(double a, double b, double factor)
{
    return fabs(a - factor * b) <= fmax(ALIKE * factor * b, 1);
}

/* The first distance from which on as much is held as at the next; `count` where there is none. */
static size_t first_of_floor(const struct sweep *s, size_t count)
{
    size_t first = 0;

    while (first + 1 < count && !is_times(held(&s[first]), held(&s[first + 1]), 1))
        first++;
    return first + 1 < count ? first : count;
}

/* How often 1 is doubled to x; NaN where x is no power of two. */
static double doublings(double x)
{
    double bits = 0;

    for (; x > sqrt(2); bits++)
        x /= 2;
    return fabs(x - 1) < ALIKE ? bits : (double)NAN;
}

/* Why ways cannot be told; NULL: they can. `first` is the shortest distance at which only they are held. */
static const char *no_ways(const struct ways *q, const struct sweep *s, const size_t *apart, size_t count, size_t first)
{
    if (first == count)
        return "no-floor";
    if ((double)apart[first] > q->known_bytes)
        return "frames-at-random";
    if (first == 0 || !is_times(held(&s[first - 1]), held(&s[first]), 2))
        return "no-halving";
    if (isnan(q->capacity))
        return "capacity-unknown";
    return fabs(held(&s[first]) * (double)apart[first] / q->capacity - 1) > ALIKE ? "experiments-disagree" : NULL;
}

static struct finding undecided(const struct ways *q, const char *name, const char *reason)
{
    return (struct finding){.name = name,
                            .variants = {{q->level ? "level" : NULL, .number = q->level}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason};
}

double ways_known_bytes(size_t page_bytes)
{
    return machine_info()->contiguous ? (double)INFINITY : (double)page_bytes;
}

void ways_report(struct probe *p, const struct ways *q, const struct sweep *s, const size_t *apart, size_t count)
{
    const size_t first = first_of_floor(s, count), farther = first + FLOOR < count ? FLOOR : count - first;
    struct find_experiment e[FLOOR];
    const char *without = no_ways(q, s, apart, count, first);
    struct finding ways = undecided(q, q->ways, without), bits = undecided(q, q->index_bits, without);

    if (without) {
        report(p, &ways);
        report(p, &bits);
        return;
    }
    find_experiments(&s[first], farther, e);
    ways.method = "places that are held however far apart they are";
    find_capacity(p, &ways, e, farther, 1);

    const struct find_value v[] = {
        {"distance", "other tables", doublings((double)apart[first] / q->line_bytes)},
        {"capacity", "prefetchers", doublings(q->capacity / held(&s[first]) / q->line_bytes)},
    };
    bits.reason = "line-unknown";
    bits.method = "lines that a way spans";
    if (isnan(q->line_bytes))
        report(p, &bits);
    else
        find_number(p, &bits, v, sizeof v / sizeof v[0]);
}
