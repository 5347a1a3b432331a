#include "lib/measure/length.h"

#include <math.h>

#include "lib/measure/list.h"
#include "lib/measure/tolerances.h"

enum { LENGTH_ROUNDS = 40 };
/*
 * Iterations of which one more or less changes a reading by half of NEIGHBOURS_DIFFER or more: their number is rounded, not
 * cut off.
 */
enum { FEW_ITERATIONS = 200 };

double length_wanted(const struct meter *m, const struct kernel *k)
{
    return m->span_ticks * (m->profile == PROFILE_SMOKE ? 1 : fmax(k->length_factor, 1));
}

/*
 * Ticks of a reading of which one iteration takes `iteration`. What runs before a kernel costs each of its readings
 * AROUND_KERNEL_CYCLES, so that readings of n and of n + 1 iterations differ by that divided by n^2, about: by less than
 * NEIGHBOURS_DIFFER of an iteration. Matters where the core's clock is slow; zero where it is not known.
 */
static double least_ticks(const struct meter *m, double iteration)
{
    if (m->profile == PROFILE_SMOKE || !(m->core_hz > 0))
        return 0;
    return sqrt(AROUND_KERNEL_CYCLES * m->tick_hz / m->core_hz * iteration / NEIGHBOURS_DIFFER);
}

struct window_result length_find(struct meter *m, const struct kernel *k, uint64_t *iterations, double *run)
{
    struct window_result result = {0};

    for (unsigned attempt = 0; attempt < LENGTH_ROUNDS; attempt++) {
        struct reading r = reading_of(k, *iterations);
        result = list_run(m, &r, 1);
        if (result.end != WINDOW_RAN)
            break;
        *run += (double)*iterations;
        double ticks = fmax(1, reading_ticks(&r) - m->harness_ticks);
        const double wanted = fmax(length_wanted(m, k), least_ticks(m, ticks / (double)*iterations));
        double scaled = (double)*iterations * fmax(1 / GROWTH, fmin(GROWTH, wanted / ticks));
        scaled = scaled < FEW_ITERATIONS ? round(scaled) : scaled;
        *iterations = (uint64_t)fmax(1, fmin(scaled, (double)ITERATIONS_MAXIMUM));
        if ((ticks >= wanted / LENGTH_WITHIN && ticks <= wanted * LENGTH_WITHIN) || *iterations == 1 ||
            *iterations == ITERATIONS_MAXIMUM)
            break;
    }
    return result;
}

struct window_result length_warm_up(struct meter *m, const struct kernel *k, double iterations,
                                    uint64_t reading_iterations)
{
    struct window_result result = {0};
    const double readings = WARM_WINDOW_SECONDS * m->tick_hz / length_wanted(m, k);
    const uint64_t chunk = (uint64_t)((double)reading_iterations * readings) + 1;

    for (double left = iterations; left > 0 && result.end == WINDOW_RAN;) {
        uint64_t now = left < (double)chunk ? (uint64_t)left + 1 : chunk;
        struct reading r = reading_of(k, now);
        result = list_run(m, &r, 1);
        left -= (double)now;
    }
    return result;
}

struct window_result length_prepare(struct meter *m, const struct kernel *k, uint64_t *iterations)
{
    double run = 0;
    struct window_result result = length_find(m, k, iterations, &run);

    if (result.end == WINDOW_RAN && run < k->warm_iterations) {
        result = length_warm_up(m, k, k->warm_iterations - run, *iterations);
        if (result.end == WINDOW_RAN) /* while it was cold, the kernel may have taken many times longer */
            result = length_find(m, k, iterations, &run);
    }
    return result;
}
