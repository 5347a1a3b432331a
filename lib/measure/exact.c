#include "lib/measure/exact.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/measure/list.h"
#include "lib/measure/tolerances.h"

enum {
    EMPTY_READINGS = 24,
    COLD_READINGS = 8,    /* the first of them, while the reader itself is not in the caches */
    CHAIN_FIRST = 4,      /* iterations of the reference chain, four times as many until it is long enough */
    CHAIN_MOST = 1 << 12, /* half a million additions: a time stamp whose steps are longer is none */
    READINGS_MOST = 6,    /* of a kernel whose readings differ */
    LENGTHS_MOST = 24     /* times that a length is tried */
};

/* ---- The reader and the clock -------------------------------------------------------------------- */

/* What the reader costs by itself; the mean, since a time stamp with long steps shows 0 or 1 of them. */
static struct window_result find_harness(struct meter *m)
{
    struct reading empty[EMPTY_READINGS];
    double ticks = 0;

    for (size_t i = 0; i < EMPTY_READINGS; i++)
        empty[i] = (struct reading){.kernel = (uintptr_t)reader_empty_kernel};
    const struct window_result result = list_run(m, empty, EMPTY_READINGS);
    for (size_t i = 0; i < EMPTY_READINGS; i++) {
        ticks += i < COLD_READINGS ? 0 : reading_ticks(&empty[i]);
    }
    m->harness_ticks = ticks / (EMPTY_READINGS - COLD_READINGS);
    m->step_ticks = list_step(empty, EMPTY_READINGS);
    return result;
}

/*
 * Cycles in a tick, by two reference chains with as many iterations, of which one has twice the additions in each: what
 * is around them cancels, and so do their loops, which take time on a core of one instruction a cycle.
 */
static struct window_result find_clock(struct meter *m)
{
    struct window_result result = {0};
    double ticks = 0;

    for (m->chain_iterations = CHAIN_FIRST; m->chain_iterations <= CHAIN_MOST; m->chain_iterations *= 4) {
        const uint64_t iterations = 2 * m->chain_iterations; /* the difference is as long as the reference chain */
        const struct reading half = {.kernel = (uintptr_t)reader_half_chain_kernel, .argument = {iterations, 0}},
                             whole = {.kernel = (uintptr_t)reader_chain_kernel, .argument = {iterations, 0}};
        struct reading r[] = {half, whole, half, whole}; /* twice, since their code is cold at first */
        result = list_run(m, r, 4);
        m->instructions += 6 * chain_cycles(m);
        ticks = reading_ticks(&r[3]) - reading_ticks(&r[2]);
        if (result.end != WINDOW_RAN || (ticks >= 2 * EXACT_STEPS * m->step_ticks && chain_cycles(m) >= EXACT_CYCLES))
            break;
    }
    m->cycles_per_tick = ticks > 0 ? chain_cycles(m) / ticks : 1;
    return result;
}

struct window_result exact_start(struct meter *m)
{
    struct window_result result = find_harness(m);

    if (result.end == WINDOW_RAN)
        result = find_clock(m);
    m->span_ticks = fmax(EXACT_STEPS * m->step_ticks, EXACT_CYCLES / m->cycles_per_tick);
    m->core_hz = m->cycles_per_tick * m->tick_hz;
    return result;
}

/* ---- A point ------------------------------------------------------------------------------------- */

static struct window_result run(struct meter *m, const struct kernel *k, struct reading *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        m->instructions += (double)list[i].argument[0] * k->instructions;
    m->taken += count;
    return list_run(m, list, count);
}

/* Iterations for a reading of so many ticks, where one takes `each`; a whole round, unless that is too long. */
static uint64_t iterations_for(const struct kernel *k, double ticks, double each)
{
    const double most = k->instructions > 0 ? EXACT_INSTRUCTIONS / k->instructions : EXACT_INSTRUCTIONS;

    return (uint64_t)fmax(1, fmin(fmax(ceil(ticks / each), ceil(k->round)), most));
}

static bool is_equal(const struct meter *m, double a, double b)
{
    return fabs(a - b) <= m->step_ticks + EXACT_PART * fmax(a, b);
}

/*
 * Takes readings until two in a row are equal, READINGS_MOST at most. *ticks becomes the mean of these two, or the
 * median of all. In each window the kernel runs `warm` iterations first: code between windows has displaced some of its
 * lines.
 */
static struct window_result take(struct meter *m, const struct kernel *k, uint64_t warm, uint64_t iterations,
                                 double *ticks, struct point *out)
{
    struct reading list[3] = {reading_of(k, warm), reading_of(k, iterations), reading_of(k, iterations)};
    struct window_result result = run(m, k, list, 3);
    double y[READINGS_MOST] = {reading_ticks(&list[1]), reading_ticks(&list[2])};
    unsigned count = 2;

    while (result.end == WINDOW_RAN && count < READINGS_MOST && !is_equal(m, y[count - 1], y[count - 2])) {
        struct reading again[2] = {reading_of(k, warm), reading_of(k, iterations)};
        result = run(m, k, again, 2);
        y[count++] = reading_ticks(&again[1]);
    }
    out->repeats = is_equal(m, y[count - 1], y[count - 2]);
    out->accepted = out->repeats ? 2 : count;
    *ticks = (y[count - 1] + y[count - 2]) / 2;
    if (!out->repeats) {
        sort_numbers(y, count);
        *ticks = quantile(y, count, 0.5);
    }
    *ticks = fmax(0, *ticks - m->harness_ticks);
    return result;
}

struct window_result exact_measure(struct meter *m, const struct kernel *k, struct point *out)
{
    const double wanted = m->span_ticks * fmin(fmax(k->length_factor, 1), EXACT_LENGTH_FACTOR);
    const bool alike = m->last_ticks > 0 && k->instructions <= 2 * m->last_instructions &&
                       2 * k->instructions >= m->last_instructions;
    const uint64_t warm = (uint64_t)fmax(1, k->warm_iterations);
    struct window_result result = {0};
    double ticks = 0;

    if (!alike) {
        struct reading first = reading_of(k, warm);
        result = run(m, k, &first, 1);
        m->last_ticks = fmax(1, reading_ticks(&first) - m->harness_ticks) / (double)warm;
    }
    uint64_t iterations = iterations_for(k, wanted, fmax(m->last_ticks, m->step_ticks / (double)EXACT_INSTRUCTIONS));
    for (unsigned i = 0; i < LENGTHS_MOST && result.end == WINDOW_RAN; i++) {
        result = take(m, k, warm, iterations, &ticks, out);
        const uint64_t enough = iterations_for(k, wanted, fmax(ticks, 1) / (double)iterations);
        if (2 * ticks >= wanted || enough <= iterations)
            break;
        iterations = (uint64_t)fmin((double)enough, GROWTH * (double)iterations);
    }
    const double units = (double)iterations * k->units;
    m->last_ticks = ticks / (double)iterations;
    m->last_instructions = k->instructions;
    out->rejected = 0;
    out->q20 = out->median = ticks * m->cycles_per_tick / units;
    out->ns = ticks / m->tick_hz * 1e9 / units;
    return result;
}
