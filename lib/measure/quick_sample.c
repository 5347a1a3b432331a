#include "lib/measure/meter.h"

#include <math.h>

#include "lib/measure/exact.h"
#include "lib/measure/length.h"
#include "lib/measure/list.h"
#include "lib/measure/sibling.h"
#include "lib/measure/tolerances.h"

/* How many times shorter its rows of NOPs are than those of a point; how often it is tried when it is disturbed. */
enum { QUICK_PART = 4, QUICK_ATTEMPTS = 4 };
/* A reading whose length is within this factor of the one wanted will do: its length need not be found anew. */
enum { LENGTH_RATIO = 4 };

struct window_result meter_quick_sample(struct meter *m, const struct kernel *k, uint64_t *iterations, double *cycles)
{
    struct window_result result = {0};
    struct reading nops = {.kernel = (uintptr_t)reader_width_kernel, .argument = {m->nop_iterations / QUICK_PART, 0}};

    uint64_t warm = (uint64_t)fmax(1, k->warm_iterations);

    *cycles = NAN;
    if (m->profile == PROFILE_SIMULATED) {
        struct point pt;
        result = exact_measure(m, k, &pt);
        *cycles = pt.q20;
        return result;
    }
    if (!*iterations) {
        *iterations = 1;
        result = length_prepare(m, k, iterations);
    }
    for (unsigned n = 0; n < QUICK_ATTEMPTS && isnan(*cycles) && result.end == WINDOW_RAN; n++) {
        struct reading r[] = {nops, reading_of(k, warm), reading_of(k, *iterations), nops};
        result = list_run(m, r, 4);
        const double ticks = reading_ticks(&r[2]) - m->harness_ticks;
        const bool quiet = result.end == WINDOW_RAN && !result.interrupts && !result.smis;
        const double cycles_per_tick = m->core_hz / m->tick_hz;
        if (quiet && m->core_hz > 0 && sibling_by_nops(m, &r[0], cycles_per_tick) != SIBLING_TAKES_WIDTH &&
            sibling_by_nops(m, &r[3], cycles_per_tick) != SIBLING_TAKES_WIDTH)
            *cycles = ticks / m->tick_hz * m->core_hz / ((double)*iterations * k->units);
        const double wanted = length_wanted(m, k);
        if (quiet && (ticks < wanted / LENGTH_RATIO || ticks > wanted * LENGTH_RATIO)) {
            *iterations = 0; /* kernels have become shorter or longer than those before */
            break;
        }
        if (result.end == WINDOW_RAN && result.smis) { /* warming up may take longer than from one SMI to the next */
            result = length_warm_up(m, k, (double)warm, *iterations);
            warm = 1;
        }
    }
    return result;
}
