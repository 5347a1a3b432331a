#include "lib/measure/clock.h"

#include <math.h>

#include "lib/base/statistics.h"

enum { READINGS = 24, WINDOWS = 2000, ATTEMPTS = 20 };

static struct window_result run_reference_chains(const struct meter *m, struct reading list[READINGS])
{
    for (size_t i = 0; i < READINGS; i++)
        list[i] = (struct reading){.kernel = (uintptr_t)reader_chain_kernel, .argument = {m->chain_iterations, 0}};
    return machine_window(list, READINGS);
}

bool clock_settle(const struct meter *m, double seconds)
{
    struct reading list[READINGS];
    double start = machine_seconds();

    for (unsigned i = 0; i < WINDOWS && machine_seconds() - start < seconds;
         i++) /* WINDOWS at most: an emulator's time may stand still */
        if (run_reference_chains(m, list).end != WINDOW_RAN)
            return false;
    return true;
}

/* Disturbances only lengthen a reading: its undisturbed length is near the shortest, at the 20 % quantile. */
double clock_now(const struct meter *m)
{
    struct reading list[READINGS];
    double ticks[READINGS];

    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct window_result result = run_reference_chains(m, list);
        if (result.end != WINDOW_RAN)
            return NAN;
        if (result.interrupts || result.smis)
            continue;
        for (size_t i = 0; i < READINGS; i++)
            ticks[i] = (double)(list[i].end_ticks - list[i].begin_ticks) - m->harness_ticks;
        sort_numbers(ticks, READINGS);
        return (double)(m->chain_iterations * READER_CHAIN) / quantile(ticks, READINGS, 0.2) * m->tick_hz;
    }
    return NAN;
}
