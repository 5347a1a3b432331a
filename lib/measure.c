#include "lib/measure.h"

#include <math.h>
#include <string.h>

#include "lib/statistics.h"

const char *const cause_names[CAUSES] = {"yardsticks", "interrupted", "shared", "stolen", "smi"};

enum {
    LIST_KERNELS = 16, /* kernels in one window, between yardsticks */
    LIST_READINGS = 2 * LIST_KERNELS + 3,
    EMPTY_READINGS = 64,
    WARM_ROUNDS = 50,
    WIDTH_SAMPLES = 200,
    POINT_READINGS = 64,
    ATTEMPTS = 30, /* lists at most, as a multiple of what quiet readings would need: machines are shared */
};

/* Long enough that one step of a coarse time stamp (10 to 40 ns) is 0.5 % of it, short enough to
 * slip between the interruptions of a shared machine. */
static const double SPAN_SECONDS = 8e-6;
/* A kernel that takes no time at all is not iterated for ever. */
static const uint64_t ITERATIONS_MAXIMUM = (uint64_t)1 << 40;
/* A NOP that takes this much longer shares the core; and how long to look for one that does not. */
static const double WIDTH_TOLERANCE = 0.05, WIDTH_SECONDS = 1;
/* How long a run waits in all for neighbours to leave the core alone. */
static const double PATIENCE_SECONDS[PROFILES] = {1, 10, 60, 300};

/* The longest stretch of warming up in one window, so that a window stays far below its deadline. */
static const double WARM_WINDOW_SECONDS = 0.02;

static double ticks_of(const struct reading *r)
{
    return (double)(r->end_ticks - r->begin_ticks);
}

static double counted_cycles_of(const struct reading *r)
{
    return (double)(r->end_count[0] - r->begin_count[0]);
}

static struct window_result run_list(struct meter *m, struct reading *list, size_t count)
{
    struct window_result result = machine_window(list, count);
    m->windows++;
    if (result.end == WINDOW_RAN)
        for (size_t i = 0; i < count; i++)
            m->kernel_seconds += ticks_of(&list[i]) / m->tick_hz;
    return result;
}

/* Four times the yardstick's instructions, since the core takes several at once. */
static struct reading width(const struct meter *m)
{
    return (struct reading){.kernel = (uintptr_t)reader_width_kernel, .argument = {4 * m->chain_iterations, 0}};
}

/* Cycles per NOP, by the chain beside it. */
static double width_of(const struct meter *m, const struct reading *nops, const struct reading *beside)
{
    double ratio = (ticks_of(nops) - m->harness_ticks) / (ticks_of(beside) - m->harness_ticks);
    return ratio * READER_CHAIN / (4.0 * READER_WIDTH);
}

static struct reading chain(const struct meter *m)
{
    return (struct reading){.kernel = (uintptr_t)reader_chain_kernel, .argument = {m->chain_iterations, 0}};
}

/*
 * What a NOP takes when nobody shares the core: where the lowest tenth of many samples agrees. A
 * neighbour that sleeps now and then is waited for; one that never does cannot be told from a narrow core.
 */
static struct window_result find_width(struct meter *m)
{
    double samples[WIDTH_SAMPLES];
    struct window_result result = {0};
    double start = machine_seconds();

    do {
        size_t count = 0;
        for (size_t i = 0; i < WIDTH_SAMPLES && result.end == WINDOW_RAN; i++) {
            struct reading r[3] = {chain(m), width(m), chain(m)};
            result = run_list(m, r, 3);
            double before = ticks_of(&r[0]), after = ticks_of(&r[2]);
            if (!result.interrupts && fabs(before - after) <= m->tolerance * before)
                samples[count++] = width_of(m, &r[1], &r[0]);
        }
        sort_numbers(samples, count);
        m->width = quantile(samples, count, 0.1);
        if (quantile(samples, count, 0.3) <= m->width * (1 + WIDTH_TOLERANCE))
            break;
    } while (result.end == WINDOW_RAN && machine_seconds() - start < WIDTH_SECONDS);
    return result;
}

struct window_result meter_start(struct meter *m, enum profile profile)
{
    const struct machine_info *info = machine_info();
    static const unsigned readings[PROFILES] = {5, 9, 15, 31};

    *m = (struct meter){
        .tick_hz = info->tick_hz,
        .span_ticks = SPAN_SECONDS * info->tick_hz,
        .tolerance = 0.01,
        .patience = PATIENCE_SECONDS[profile],
        .readings = readings[profile],
        .counters = info->counters,
        .chain_iterations = 1,
    };
    if (m->span_ticks < 200)
        m->span_ticks = 200;

    /* The yardstick's length is found while the core warms up: its clock may still rise. */
    struct window_result result = {0};
    for (unsigned round = 0; round < WARM_ROUNDS && result.end == WINDOW_RAN; round++) {
        struct reading r[4] = {chain(m), chain(m), chain(m), chain(m)};
        result = run_list(m, r, 4);
        double ticks = ticks_of(&r[3]);
        if (result.end == WINDOW_RAN && ticks < m->span_ticks) {
            double factor = ticks > 0 ? m->span_ticks / ticks : 2;
            m->chain_iterations = (uint64_t)((double)m->chain_iterations * (factor > 2 ? 2 : factor)) + 1;
        }
    }
    if (result.end != WINDOW_RAN)
        return result;

    struct reading empty[EMPTY_READINGS];
    for (size_t i = 0; i < EMPTY_READINGS; i++)
        empty[i] = (struct reading){.kernel = (uintptr_t)reader_empty_kernel};
    result = run_list(m, empty, EMPTY_READINGS);
    double ticks[EMPTY_READINGS], cycles[EMPTY_READINGS];
    for (size_t i = 0; i < EMPTY_READINGS; i++) {
        ticks[i] = ticks_of(&empty[i]);
        cycles[i] = counted_cycles_of(&empty[i]);
    }
    sort_numbers(ticks, EMPTY_READINGS);
    sort_numbers(cycles, EMPTY_READINGS);
    m->harness_ticks = quantile(ticks, EMPTY_READINGS, 0.5);
    m->harness_cycles = quantile(cycles, EMPTY_READINGS, 0.5);
    return result.end == WINDOW_RAN ? find_width(m) : result;
}

/*
 * How often the kernel has to iterate to last one span. The number that is there to begin with is doubled
 * until it lasts long enough to tell.
 */
static struct window_result find_iterations(struct meter *m, const struct kernel *k, uint64_t *iterations)
{
    struct window_result result = {0};
    double ticks = 0;

    while (*iterations < ITERATIONS_MAXIMUM) {
        struct reading r[2];
        for (size_t i = 0; i < 2; i++)
            r[i] = (struct reading){.kernel = k->entry, .argument = {*iterations, k->data}};
        result = run_list(m, r, 2);
        if (result.end != WINDOW_RAN)
            return result;
        /* the second call: the first one also pays for cold caches and, in an emulator, translation */
        ticks = fmin(ticks_of(&r[0]), ticks_of(&r[1])) - m->harness_ticks;
        if (ticks >= m->span_ticks / 4)
            break;
        *iterations *= 2;
    }
    double scaled = (double)*iterations * m->span_ticks * fmax(k->stretch, 1) / fmax(ticks, 1);
    *iterations = (uint64_t)fmax(1, fmin(scaled, (double)ITERATIONS_MAXIMUM));
    return result;
}

static struct window_result warm_up(struct meter *m, const struct kernel *k, uint64_t span_iterations)
{
    struct window_result result = {0};
    double left = k->warm_iterations;
    uint64_t chunk = (uint64_t)((double)span_iterations * WARM_WINDOW_SECONDS * m->tick_hz / m->span_ticks) + 1;

    while (left > 0 && result.end == WINDOW_RAN) {
        uint64_t now = left < (double)chunk ? (uint64_t)left + 1 : chunk;
        struct reading r = {.kernel = k->entry, .argument = {now, k->data}};
        result = run_list(m, &r, 1);
        left -= (double)now;
    }
    return result;
}

/* What a point collects. */
struct harvest {
    double cycles[POINT_READINGS];
    double ns[POINT_READINGS];
    double core_hz[POINT_READINGS];
    unsigned accepted, rejected_by[CAUSES];
};

/* One reading between two yardsticks becomes cycles per unit, or is rejected. */
static void reap(const struct meter *m, const struct reading *r, double units, struct harvest *h)
{
    double before = ticks_of(&r[-1]) - m->harness_ticks;
    double after = ticks_of(&r[1]) - m->harness_ticks;
    double ticks = ticks_of(r) - m->harness_ticks;
    double yardstick = (before + after) / 2;

    if (before <= 0 || after <= 0 || fabs(before - after) > m->tolerance * yardstick) {
        h->rejected_by[CAUSE_YARDSTICKS]++;
        return;
    }
    double chain_cycles = (double)(m->chain_iterations * READER_CHAIN);
    double cycles = ticks / yardstick * chain_cycles;
    if (m->counters != READER_TIME_ONLY)
        cycles = counted_cycles_of(r) - m->harness_cycles;
    h->cycles[h->accepted] = cycles / units;
    h->ns[h->accepted] = ticks / m->tick_hz * 1e9 / units;
    h->core_hz[h->accepted] = chain_cycles / (yardstick / m->tick_hz);
    h->accepted++;
}

struct window_result meter_measure(struct meter *m, const struct kernel *k, struct point *out)
{
    uint64_t iterations = 1;
    struct harvest h = {.accepted = 0};
    unsigned wanted = m->readings < POINT_READINGS ? m->readings : POINT_READINGS;

    out->q20 = out->median = out->ns = NAN;
    out->accepted = out->rejected = 0;
    struct window_result result = find_iterations(m, k, &iterations);
    if (result.end == WINDOW_RAN)
        result = warm_up(m, k, iterations);
    if (result.end == WINDOW_RAN) /* while it was cold, the kernel may have taken many times longer */
        result = find_iterations(m, k, &iterations);

    /* A kernel that cannot be split makes long readings; fewer of them fit a window. */
    struct reading list[LIST_READINGS];
    size_t kernels = wanted < LIST_KERNELS ? wanted : LIST_KERNELS;
    unsigned limit = ATTEMPTS * ((wanted + (unsigned)kernels - 1) / (unsigned)kernels);
    for (unsigned attempt = 0; attempt < limit && h.accepted < wanted && result.end == WINDOW_RAN; attempt++) {
        /* width, chain, kernel, chain, kernel, …, chain, width */
        size_t last = 2 * kernels + 2;
        list[0] = list[last] = width(m);
        for (size_t i = 1; i < last; i++)
            list[i] = i % 2 ? chain(m) : (struct reading){.kernel = k->entry, .argument = {iterations, k->data}};
        double start = machine_seconds();
        result = run_list(m, list, last + 1);
        if (result.end != WINDOW_RAN)
            break;
        bool shared = !isinf(m->tolerance) &&
                      (width_of(m, &list[0], &list[1]) > m->width * (1 + WIDTH_TOLERANCE) ||
                       width_of(m, &list[last], &list[last - 1]) > m->width * (1 + WIDTH_TOLERANCE));
        if (result.interrupts || shared) { /* somebody else ran: nothing of the list counts, and caches are cold */
            h.rejected_by[result.interrupts ? CAUSE_INTERRUPTED : CAUSE_SHARED] += (unsigned)kernels;
            result = warm_up(m, k, iterations);
            m->patience -= machine_seconds() - start;
            attempt -= shared && m->patience > 0; /* a neighbour is waited for as long as patience lasts */
            continue;
        }
        for (size_t i = 2; i < last && h.accepted < wanted; i += 2)
            reap(m, &list[i], (double)iterations * k->units, &h);
    }

    out->accepted = h.accepted;
    for (enum cause c = 0; c < CAUSES; c++) {
        m->rejected_by[c] += h.rejected_by[c];
        out->rejected += h.rejected_by[c];
    }
    m->taken += h.accepted + out->rejected;
    m->rejected += out->rejected;
    m->shared = m->rejected_by[CAUSE_SHARED];
    sort_numbers(h.cycles, h.accepted);
    sort_numbers(h.ns, h.accepted);
    sort_numbers(h.core_hz, h.accepted);
    out->q20 = quantile(h.cycles, h.accepted, 0.2);
    out->median = quantile(h.cycles, h.accepted, 0.5);
    out->ns = quantile(h.ns, h.accepted, 0.5);
    if (h.accepted)
        m->core_hz = quantile(h.core_hz, h.accepted, 0.5);
    return result;
}
