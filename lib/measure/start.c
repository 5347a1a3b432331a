#include "lib/measure/meter.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/measure/exact.h"
#include "lib/measure/list.h"
#include "lib/measure/sibling.h"
#include "lib/measure/tolerances.h"

enum { EMPTY_READINGS = 64, WARM_ROUNDS = 50, SMOKE_WARM_ROUNDS = 2 };

/* Finds what the reader itself costs, by an empty kernel, and the steps in which the time stamp advances. */
static struct window_result find_harness(struct meter *m)
{
    struct reading empty[EMPTY_READINGS];
    double ticks[EMPTY_READINGS], cycles[EMPTY_READINGS];

    for (size_t i = 0; i < EMPTY_READINGS; i++)
        empty[i] = (struct reading){.kernel = (uintptr_t)reader_empty_kernel};
    struct window_result result = list_run(m, empty, EMPTY_READINGS);
    for (size_t i = 0; i < EMPTY_READINGS; i++) {
        ticks[i] = reading_ticks(&empty[i]);
        cycles[i] = reading_counted_cycles(&empty[i]);
    }
    sort_numbers(ticks, EMPTY_READINGS);
    sort_numbers(cycles, EMPTY_READINGS);
    m->harness_ticks = quantile(ticks, EMPTY_READINGS, 0.5);
    m->harness_cycles = quantile(cycles, EMPTY_READINGS, 0.5);
    m->step_ticks = list_step(empty, EMPTY_READINGS);
    return result;
}

/* Finds the length of the reference chain, and warms the core up meanwhile, since its clock may still rise. */
static struct window_result find_chain(struct meter *m)
{
    const unsigned rounds = m->profile == PROFILE_SMOKE ? SMOKE_WARM_ROUNDS : WARM_ROUNDS;
    struct window_result result = {0};
    double shortest = INFINITY;

    m->chain_iterations = m->profile == PROFILE_SMOKE ? SMOKE_CHAIN_ITERATIONS : 1;
    for (unsigned round = 0; round < rounds && result.end == WINDOW_RAN; round++) {
        struct reading r[4] = {reading_of_chain(m), reading_of_chain(m), reading_of_chain(m), reading_of_chain(m)};
        result = list_run(m, r, 4);
        double ticks = reading_ticks(&r[3]);
        for (size_t i = 0; i < 4; i++)
            shortest = fmin(shortest, reading_ticks(&r[i]));
        if (result.end == WINDOW_RAN && ticks < m->span_ticks && m->profile != PROFILE_SMOKE) {
            double factor = ticks > 0 ? m->span_ticks / ticks : 2;
            m->chain_iterations = (uint64_t)((double)m->chain_iterations * (factor > 2 ? 2 : factor)) + 1;
        }
    }
    if (m->profile == PROFILE_SMOKE) {
        m->span_ticks = fmax(1, shortest);
        m->tolerance += 2 * m->step_ticks / m->span_ticks;
    }
    m->nop_iterations = (uint64_t)(NOPS_PER_ADDITION * (double)m->chain_iterations) + 1;
    return result;
}

static unsigned wait_seconds_in_all(enum profile profile)
{
    const unsigned seconds[PROFILES] = {
        [PROFILE_QUICK] = WAIT_SECONDS_QUICK,
        [PROFILE_STANDARD] = WAIT_SECONDS_STANDARD,
        [PROFILE_FULL] = WAIT_SECONDS_FULL,
    };
    return seconds[profile];
}

struct window_result meter_start(struct meter *m, enum profile profile)
{
    const struct machine_info *info = machine_info();
    static const unsigned readings[PROFILES] = {
        [PROFILE_SMOKE] = 3, [PROFILE_QUICK] = 5, [PROFILE_STANDARD] = 5, [PROFILE_FULL] = 9};

    *m = (struct meter){
        .profile = profile,
        .tick_hz = info->tick_hz,
        .tolerance = info->emulator             ? INFINITY
                     : profile == PROFILE_SMOKE ? SMOKE_NEIGHBOURS_DIFFER
                                                : NEIGHBOURS_DIFFER,
        .wait_seconds_left = wait_seconds_in_all(profile),
        .nop_cycles = NAN,
        .readings = readings[profile],
        .counters = info->counters,
    };
    if (profile == PROFILE_SIMULATED)
        return exact_start(m);
    struct window_result result = find_harness(m);
    m->span_ticks = fmax(READING_STEPS * m->step_ticks, READING_SECONDS * info->tick_hz);
    if (result.end == WINDOW_RAN)
        result = find_chain(m);
    if (result.end == WINDOW_RAN)
        result = find_harness(m); /* again: the clock has risen since */
    return result.end == WINDOW_RAN ? sibling_calibrate(m) : result;
}

double meter_seconds(const struct meter *m)
{
    return m->profile == PROFILE_SIMULATED ? m->instructions / BUDGET_INSTRUCTIONS : machine_seconds();
}

bool meter_wait(struct meter *m)
{
    double start = machine_seconds();
    struct window_result result = {0};

    if (m->wait_seconds_left <= 0)
        return false;
    while (result.end == WINDOW_RAN && machine_seconds() - start < WAIT_SECONDS_AT_ONCE) {
        struct reading r = reading_of_chain(m);
        result = list_run(m, &r, 1);
    }
    if (result.end == WINDOW_RAN)
        result = sibling_calibrate(m);
    m->wait_seconds_left -= machine_seconds() - start;
    return result.end == WINDOW_RAN;
}
