#include "lib/measure/meter.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/measure/exact.h"
#include "lib/measure/length.h"
#include "lib/measure/list.h"
#include "lib/measure/sibling.h"
#include "lib/measure/tolerances.h"

/* Lists for one point at most, where one would do on a quiet machine. */
enum { ATTEMPTS = 30, SMOKE_ATTEMPTS = 3 };

const char *const cause_names[CAUSES] = {"reference", "interrupted", "shared", "stolen", "smi", "throttled"};

/* Of each accepted reading: cycles and nanoseconds of a unit, and the core's clock. */
enum quantity { CYCLES, NS, CORE_HZ, QUANTITIES };
struct accepted_readings {
    double values[QUANTITIES][POINT_READINGS];
    unsigned accepted, rejected_by[CAUSES];
};

/* Converts one reading, by the chains before and behind it, to cycles and nanoseconds per unit, or rejects it. */
static void add_reading(const struct meter *m, const struct reading *r, double units, struct accepted_readings *a)
{
    double before = reading_ticks(&r[-1]) - m->harness_ticks;
    double after = reading_ticks(&r[2]) - m->harness_ticks;
    double ticks = reading_ticks(r) - m->harness_ticks;
    const double chain = (before + after) / 2, additions = chain_cycles(m);

    if (before <= 0 || after <= 0 || fabs(before - after) > m->tolerance * chain) {
        a->rejected_by[CAUSE_REFERENCE]++;
        return;
    }
    double cycles = ticks / chain * additions;
    if (m->counters != READER_TIME_ONLY)
        cycles = reading_counted_cycles(r) - m->harness_cycles;
    a->values[CYCLES][a->accepted] = cycles / units;
    a->values[NS][a->accepted] = ticks / m->tick_hz * 1e9 / units;
    a->values[CORE_HZ][a->accepted] = additions / (chain / m->tick_hz);
    a->accepted++;
}

static double quantile_of(const struct accepted_readings *a, enum quantity quantity, double q)
{
    double values[POINT_READINGS];

    for (unsigned i = 0; i < a->accepted; i++)
        values[i] = a->values[quantity][i];
    sort_numbers(values, a->accepted);
    return quantile(values, a->accepted, q);
}

/*
 * Rejects readings that time was taken from, which are far above the median, and those whose two chains both lost time,
 * which are far below it.
 */
static void reject_stolen(struct accepted_readings *a)
{
    double deviations[POINT_READINGS];
    const double *cycles = a->values[CYCLES];
    double median = quantile_of(a, CYCLES, 0.5);
    unsigned kept = 0;

    for (unsigned i = 0; i < a->accepted; i++)
        deviations[i] = fabs(cycles[i] - median);
    sort_numbers(deviations, a->accepted);
    double far = fmax(STOLEN_DEVIATIONS * quantile(deviations, a->accepted, 0.5), STOLEN_PART * fabs(median));
    for (unsigned i = 0; i < a->accepted; i++) {
        if (cycles[i] > median + far) {
            a->rejected_by[CAUSE_STOLEN]++;
        } else if (cycles[i] < median - far) {
            a->rejected_by[CAUSE_REFERENCE]++;
        } else {
            for (enum quantity quantity = 0; quantity < QUANTITIES; quantity++)
                a->values[quantity][kept] = a->values[quantity][i];
            kept++;
        }
    }
    a->accepted = kept;
}

/* How many accepted readings the point needs, by those that it has. */
static unsigned readings_wanted(const struct meter *m, const struct accepted_readings *a)
{
    double level = quantile_of(a, CYCLES, 0.2);
    double median = quantile_of(a, CYCLES, 0.5);

    if (m->exact)
        return EXACT_READINGS;
    if (isinf(m->tolerance) || a->accepted < m->readings || median <= level + UNEVEN_PART * fabs(level))
        return m->readings;
    return UNEVEN_FACTOR * m->readings < POINT_READINGS ? UNEVEN_FACTOR * m->readings : POINT_READINGS;
}

/* Why the whole list does not count; CAUSES where it does. */
static enum cause cause_of_void(const struct window_result *result)
{
    if (result->smis)
        return CAUSE_SMI;
    if (result->interrupts)
        return CAUSE_INTERRUPTED;
    return result->throttled ? CAUSE_THROTTLED : CAUSES;
}

/* Where the list shows that all readings so far were taken beside a sibling, they do not count. */
static void forget_shared(struct meter *m, const struct reading *list, size_t kernels, struct accepted_readings *a)
{
    if (!sibling_correct(m, list, kernels))
        return;
    a->rejected_by[CAUSE_SHARED] += a->accepted;
    a->accepted = 0;
}

/*
 * Waits until the sibling sleeps, as long as the meter may wait, and then warms the kernel up: what the sibling and
 * other processes have displaced from caches and predictors since the time `from` (machine_seconds) is refilled.
 */
static struct window_result bring_back(struct meter *m, const struct kernel *k, uint64_t iterations, double from)
{
    struct window_result result = sibling_wait(m);
    const double ticks = BRINGS_BACK * (machine_seconds() - from) * m->tick_hz;
    const double iteration_ticks = length_wanted(m, k) / (double)iterations;

    return result.end == WINDOW_RAN
               ? length_warm_up(m, k, fmin(k->warm_iterations, ticks / iteration_ticks), iterations)
               : result;
}

/*
 * Runs lists until enough readings are accepted, or ATTEMPTS are spent. Where system management interrupts come so
 * often that a list does not fit between two of them, the next ones are half as long, and there are twice as many.
 */
static struct window_result collect_readings(struct meter *m, const struct kernel *k, struct accepted_readings *a)
{
    struct reading list[LIST_READINGS];
    uint64_t iterations = 1;
    int attempts = m->profile == PROFILE_SMOKE ? SMOKE_ATTEMPTS : ATTEMPTS;
    size_t most = POINT_READINGS; /* kernels in a list */
    struct window_result result = length_prepare(m, k, &iterations);

    for (int attempt = 0; result.end == WINDOW_RAN && attempt < attempts; attempt++) {
        unsigned wanted = readings_wanted(m, a);
        if (a->accepted >= wanted)
            break;
        size_t kernels = wanted - a->accepted < most ? wanted - a->accepted : most;
        size_t count = list_make(m, k, iterations, kernels, list);
        double start = machine_seconds();
        result = list_run(m, list, count);
        if (result.end != WINDOW_RAN)
            break;
        enum cause cause = cause_of_void(&result);
        if (cause == CAUSES)
            forget_shared(m, list, kernels, a);
        bool alone[POINT_READINGS];
        const size_t kept = cause == CAUSES ? sibling_absent(m, list, kernels, alone) : 0;
        if (kept < kernels) { /* something else ran, and caches are cold */
            cause = cause == CAUSES ? CAUSE_SHARED : cause;
            a->rejected_by[cause] += (unsigned)(kernels - kept);
            if (cause == CAUSE_SMI && kernels > 1) {
                most = kernels / 2;
                attempts *= 2;
            }
            result = bring_back(m, k, iterations, start);
            m->wait_seconds_left -= machine_seconds() - start;
            attempt -= cause == CAUSE_SHARED && m->wait_seconds_left > 0; /* a sibling is waited for */
        }
        if (kept == 0)
            continue;
        double shortest = INFINITY; /* the others may have lost time */
        for (size_t i = 0; i < kernels; i++)
            shortest = fmin(shortest, reading_ticks(&list[LIST_ROUND * i + LIST_KERNEL]));
        if (shortest < length_wanted(m, k) / TOO_SHORT && iterations < ITERATIONS_MAXIMUM && attempt < attempts / 2) {
            double run = 0; /* its length was found while it was cold, or while time was taken from it */
            result = length_find(m, k, &iterations, &run);
            continue;
        }
        for (size_t i = 0; i < kernels; i++)
            if (alone[i])
                add_reading(m, &list[LIST_ROUND * i + LIST_KERNEL], (double)iterations * k->units, a);
        if (!isinf(m->tolerance) && a->accepted >= wanted) /* of a few readings most may be wrong */
            reject_stolen(a);
        m->exact = kept == kernels && most == POINT_READINGS && list_repeats(m, list, kernels); /* two may by chance */
    }
    if (!isinf(m->tolerance) && a->accepted < readings_wanted(m, a)) /* no more will come */
        reject_stolen(a);
    return result;
}

struct window_result meter_measure(struct meter *m, const struct kernel *k, struct point *out)
{
    struct accepted_readings a = {.accepted = 0};

    out->repeats = false;
    if (m->profile == PROFILE_SIMULATED)
        return exact_measure(m, k, out);
    struct window_result result = collect_readings(m, k, &a);

    out->rejected = 0;
    for (enum cause c = 0; c < CAUSES; c++) {
        m->rejected_by[c] += a.rejected_by[c];
        out->rejected += a.rejected_by[c];
    }
    m->taken += a.accepted + out->rejected;
    m->rejected += out->rejected;
    out->accepted = a.accepted;
    out->q20 = quantile_of(&a, CYCLES, 0.2);
    out->median = quantile_of(&a, CYCLES, 0.5);
    out->ns = quantile_of(&a, NS, 0.5);
    if (a.accepted)
        m->core_hz = quantile_of(&a, CORE_HZ, 0.5);
    return result;
}
