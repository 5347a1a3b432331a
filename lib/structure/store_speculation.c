#include "lib/structure/store_speculation.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/probe/probe.h"
#include "lib/structure/tolerances_memory.h"

enum {
    TAIL = 192, /* N at the end of a sequence: more than any predictor in scope lets wait */
    SAMPLES = 3,
    COST_SAMPLES = 161
};

bool speculation_measure_steps(struct probe *p, struct dependence_steps *s)
{
    const size_t count = (size_t)probe_smoke(p, 4, 32);
    double dependent, independent;

    dependence_set_steps(s, count, true);
    if (!dependence_sequence(p, s, count, &dependent))
        return false;
    dependence_set_steps(s, count, false);
    if (!dependence_sequence(p, s, count, &independent))
        return false;
    s->dependent_cycles = dependent / (double)count;
    s->independent_cycles = independent / (double)count;
    return true;
}

bool speculation_present(const struct dependence_steps *s)
{
    return s->dependent_cycles > (1 + WAIT_PART) * s->independent_cycles;
}

bool speculation_saved(struct probe *p, double x, void *context, struct point *out)
{
    const struct dependence_steps *s = context;
    const size_t k = SPECULATION_MOST_FREE - (size_t)x, count = k + 2 + (size_t)probe_smoke(p, 4, TAIL);
    double none, some;

    dependence_set_steps(s, count, false);
    if (!dependence_sequence(p, s, count, &none))
        return false;
    dependence_set_step(s, 0, true);
    dependence_set_step(s, 1 + k, true);
    if (!dependence_sequence(p, s, count, &some))
        return false;
    /* at most as many wait as there may be N between the two D, and as many again behind the second one */
    out->q20 = out->median = 2.0 * SPECULATION_MOST_FREE -
                             (some - none) / (s->dependent_cycles - s->independent_cycles);
    out->ns = (double)NAN;
    out->accepted = 1;
    return true;
}

/* Measures a sequence of `count` steps of which none, the first, or all are D. */
enum dependent_steps { NO_STEP, FIRST_STEP, ALL_STEPS };
static bool measure_steps(struct probe *p, const struct dependence_steps *s, size_t count,
                          enum dependent_steps dependent, double *cycles)
{
    dependence_set_steps(s, count, dependent == ALL_STEPS);
    dependence_set_step(s, 0, dependent != NO_STEP);
    return dependence_sequence(p, s, count, cycles);
}

/*
 * One sample: what D N^k takes longer than N alone, less the waits. Behind the D that goes wrong `free_after` N wait
 * before the load speculates again, and D waits itself, as it is executed again. A sequence of one D and `free_after` -
 * 1 N, in which all wait, shows the cycles of all of these waits but one N.
 */
static bool sample_cost(struct probe *p, const struct dependence_steps *s, unsigned free_after, size_t k,
                        double *cycles)
{
    double wrong, fast, none, first, all;

    if (!measure_steps(p, s, k + 1, FIRST_STEP, &wrong) || !measure_steps(p, s, k + 1, NO_STEP, &fast) ||
        !measure_steps(p, s, free_after, NO_STEP, &none) || !measure_steps(p, s, free_after, FIRST_STEP, &first) ||
        !measure_steps(p, s, free_after, ALL_STEPS, &all))
        return false;
    const double wait_of_d = (all - none) / free_after, wait_of_n = (first - none - wait_of_d) / (free_after - 1);
    *cycles = wrong - fast - (first - none) - wait_of_n;
    return true;
}

bool speculation_cost(struct probe *p, const struct dependence_steps *s, unsigned free_after, unsigned free,
                      double *cycles)
{
    const unsigned samples = (unsigned)probe_scale(p, 1, 25, COST_SAMPLES, COST_SAMPLES);
    double costs[COST_SAMPLES];
    size_t count = 0;

    for (unsigned i = 0; i < samples; i++) {
        /* different lengths, so that an effect of one of them does not decide the median */
        if (!sample_cost(p, s, free_after, free + i % SPECULATION_COST_LENGTHS, &costs[count]))
            return false;
        count += isnan(costs[count]) ? 0 : 1;
    }
    sort_numbers(costs, count);
    *cycles = 2 * count > samples ? quantile(costs, count, 0.5) : (double)NAN;
    if (count &&
        (quantile(costs, count, 0.75) - quantile(costs, count, 0.25)) / sqrt((double)count) > COST_KNOWN_PART * *cycles)
        *cycles = (double)NAN;
    return true;
}

/* Whether two loads so far apart are the same to the predictor, by most samples; `steady`: all samples agree. */
static bool measure_shared(struct probe *p, const struct dependence_steps *s, size_t distance, bool *steady,
                           bool *shared)
{
    const unsigned samples = (unsigned)probe_smoke(p, 1, SAMPLES);
    const double between = s->dependent_cycles + (s->dependent_cycles + s->independent_cycles) / 2;
    unsigned slow = 0, counted = 0;

    for (unsigned i = 0; i < samples; i++) {
        double cycles = (double)NAN;
        if (!dependence_two_steps(p, s, distance, &cycles))
            return false;
        slow += cycles > between;
        counted += isnan(cycles) ? 0 : 1;
    }
    *shared = 2 * slow > counted;
    *steady = counted == samples && (slow == 0 || slow == samples);
    return true;
}

bool speculation_index_bits(struct probe *p, const struct dependence_steps *s, struct speculation_index *out)
{
    const unsigned last = (unsigned)probe_smoke(p, DEPENDENCE_FIRST_BIT, DEPENDENCE_LAST_BIT);
    unsigned base = DEPENDENCE_FIRST_BIT;
    bool shared = false, steady = false;

    *out = (struct speculation_index){.steady = true};
    for (; base <= last && !shared; base++) {
        if (!measure_shared(p, s, (size_t)1 << base, &steady, &shared))
            return false;
        out->steady &= steady;
    }
    out->shared = shared;
    for (unsigned bit = (unsigned)probe_smoke(p, DEPENDENCE_FIRST_BIT - 1, 0); out->shared && bit <= last; bit++) {
        const size_t distance = ((size_t)1 << (base - 1)) + ((size_t)1 << bit);
        if (bit == base - 1 || ((size_t)1 << bit) < emit_alignment)
            continue;
        if (!measure_shared(p, s, distance, &steady, &shared))
            return false;
        out->steady &= steady;
        out->mask |= (uint64_t)!shared << bit;
    }
    return true;
}

enum reason speculation_index_undecided(const struct speculation_index *a, const struct speculation_index *b)
{
    return !a->steady || !b->steady   ? REASON_NOT_STEADY
           : !a->shared || !b->shared ? REASON_ALL_LOADS_DIFFER
           : a->mask != b->mask       ? REASON_EXPERIMENTS_DISAGREE
                                      : REASON_NONE;
}

void speculation_index_text(uint64_t mask, char *text, size_t room)
{
    size_t used = 0;

    text[0] = 0;
    for (unsigned bit = 0; bit < 64 && used < room; bit++)
        if (mask >> bit & 1)
            used += (size_t)snprintf(text + used, room - used, used ? " %u" : "%u", bit);
}
