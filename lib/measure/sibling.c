#include "lib/measure/sibling.h"

#include <math.h>
#include <stdlib.h>

#include "lib/measure/tolerances.h"

enum { CALIBRATION_SAMPLES = 200, SMOKE_CALIBRATION_SAMPLES = 6 };

/* A row of NOPs and the chain beside it. */
struct pair {
    double nop_cycles; /* cycles a NOP takes, by the chain */
    double product;    /* ticks of the NOPs times ticks of the chain: the less, the less either was held up */
};

static struct pair pair_of(const struct meter *m, const struct reading *nops, const struct reading *chain)
{
    const double of = reading_ticks(nops) - m->harness_ticks, by = reading_ticks(chain) - m->harness_ticks;

    return (struct pair){of / by * chain_cycles(m) / (double)(m->nop_iterations * READER_WIDTH), of * by};
}

static void trust_pair(struct meter *m, const struct pair *p)
{
    m->nop_cycles = p->nop_cycles;
    m->nop_product = p->product;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;

    return (p->product > q->product) - (p->product < q->product);
}

/*
 * A sibling holds up the NOPs, the chain, or both. (On Zen 4 one that only waits for execution units holds up the chain
 * by a fifth, and no NOP.) So the pair at the first decile of the products is the least disturbed. It is believed where
 * the third decile exceeds it by at most NOP_DIFFERS.
 */
struct window_result sibling_calibrate(struct meter *m)
{
    const size_t wanted = m->profile == PROFILE_SMOKE ? SMOKE_CALIBRATION_SAMPLES : CALIBRATION_SAMPLES;
    const double start = machine_seconds();
    struct pair samples[CALIBRATION_SAMPLES];
    struct window_result result = {0};
    bool agreed = false;

    do {
        size_t count = 0;
        for (size_t i = 0; i < wanted && result.end == WINDOW_RAN; i++) {
            struct reading r[3] = {reading_of_chain(m), reading_of_nops(m), reading_of_chain(m)};
            result = list_run(m, r, 3);
            double before = reading_ticks(&r[0]), after = reading_ticks(&r[2]);
            if (!result.interrupts && !result.smis && fabs(before - after) <= m->tolerance * before)
                samples[count++] = pair_of(m, &r[1], &r[0]);
        }
        if (count == 0)
            continue;
        qsort(samples, count, sizeof *samples, compare_pairs);
        const struct pair least = samples[count / 10];
        agreed = samples[3 * count / 10].product <= least.product * (1 + NOP_DIFFERS) || m->profile == PROFILE_SMOKE;
        /* a value that is not confirmed is better than none */
        if (isnan(m->nop_cycles) || (agreed && least.product < m->nop_product))
            trust_pair(m, &least);
    } while (!agreed && result.end == WINDOW_RAN && machine_seconds() - start < QUIET_SEARCH_SECONDS);
    return result;
}

static double nop_tolerance(const struct meter *m)
{
    return m->profile == PROFILE_SMOKE ? SMOKE_NOP_DIFFERS : NOP_DIFFERS;
}

enum sibling sibling_by_nops(const struct meter *m, const struct reading *nops, double cycles_per_tick)
{
    const double ticks = reading_ticks(nops) - m->harness_ticks;
    const double nop_cycles = ticks * cycles_per_tick / (double)(nops->argument[0] * READER_WIDTH);
    const double within = 1 + nop_tolerance(m) + 2 * m->step_ticks / ticks;

    if (nop_cycles > within * m->nop_cycles)
        return SIBLING_TAKES_WIDTH;
    return within * nop_cycles < m->nop_cycles ? SIBLING_HOLDS_UP_CHAIN : SIBLING_ASLEEP;
}

/* The same by the chain that stands behind the NOPs. */
static enum sibling sibling_by_pair(const struct meter *m, const struct reading *nops)
{
    return sibling_by_nops(m, nops, chain_cycles(m) / (reading_ticks(nops + 1) - m->harness_ticks));
}

struct window_result sibling_wait(struct meter *m)
{
    const double start = machine_seconds();
    struct window_result result;
    bool asleep;

    do {
        struct reading r[] = {reading_of_nops(m), reading_of_chain(m), reading_of_nops(m), reading_of_chain(m)};
        result = list_run(m, r, 4);
        asleep = sibling_by_pair(m, &r[0]) == SIBLING_ASLEEP && sibling_by_pair(m, &r[2]) == SIBLING_ASLEEP;
    } while (!asleep && !isinf(m->tolerance) && result.end == WINDOW_RAN &&
             machine_seconds() - start < m->wait_seconds_left);
    return result;
}

bool sibling_correct(struct meter *m, const struct reading *list, size_t kernels)
{
    struct pair slowest = {.product = 0};
    double narrowest = 0, widest = INFINITY;
    bool same_width = true;

    if (isinf(m->tolerance))
        return false;
    for (size_t i = 0; i <= kernels; i++) {
        const struct pair p = pair_of(m, &list[LIST_ROUND * i], &list[LIST_ROUND * i + 1]);
        narrowest = fmax(narrowest, p.nop_cycles);
        widest = fmin(widest, p.nop_cycles);
        same_width = same_width && sibling_by_pair(m, &list[LIST_ROUND * i]) == SIBLING_ASLEEP;
        if (p.product > slowest.product)
            slowest = p;
    }
    if (!((1 + nop_tolerance(m)) * slowest.product < m->nop_product))
        return false;
    if (same_width) {
        m->nop_product = slowest.product;
        return false;
    }
    if (!(narrowest < (1 + m->tolerance) * widest))
        return false;
    trust_pair(m, &slowest);
    m->corrections++;
    return true;
}

/*
 * Sets quiet[i] for each pair of the list at which no sibling was awake. A single chain may have been held up by
 * something else; of two in a row the second counts as held up by a sibling.
 */
static void find_quiet_pairs(const struct meter *m, const struct reading *list, size_t kernels, bool *quiet)
{
    enum sibling last = SIBLING_ASLEEP;

    for (size_t i = 0; i <= kernels; i++) {
        const enum sibling now = sibling_by_pair(m, &list[LIST_ROUND * i]);
        quiet[i] = now == SIBLING_ASLEEP || (now == SIBLING_HOLDS_UP_CHAIN && last != now);
        last = now;
    }
}

size_t sibling_absent(const struct meter *m, const struct reading *list, size_t kernels, bool *alone)
{
    bool quiet[POINT_READINGS + 1], missing = false;
    size_t count = 0;

    if (isinf(m->tolerance)) {
        for (size_t i = 0; i < kernels; i++)
            alone[i] = true;
        return kernels;
    }
    find_quiet_pairs(m, list, kernels, quiet);
    for (size_t i = 0; i < kernels; i++) {
        const bool brings_back = reading_ticks(&list[LIST_ROUND * i + LIST_KERNEL]) >= BRINGS_BACK * m->span_ticks;
        missing = !quiet[i] || !quiet[i + 1] || (missing && !brings_back);
        alone[i] = !missing;
        count += alone[i];
    }
    return count;
}
