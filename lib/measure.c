#include "lib/measure.h"

#include <math.h>
#include <stdlib.h>

#include "lib/engine/statistics.h"

const char *const cause_names[CAUSES] = {"yardsticks", "interrupted", "shared", "stolen", "smi", "throttled"};

enum {
    POINT_READINGS = 16, /* at most; they fit one window, with yardsticks between them */
    LIST_READINGS = 3 * POINT_READINGS + 2,
    EMPTY_READINGS = 64,
    WARM_ROUNDS = 50,
    WIDTH_SAMPLES = 200,
    EXACT_READINGS = 2, /* wanted where readings repeat to the last digit */
    LENGTH_ROUNDS = 40, /* to find how long a kernel has to be */
    ATTEMPTS = 30,      /* lists at most, where one would do on a quiet machine */
};

/*
 * One reading is short enough to slip between the interruptions of a shared machine, and long enough that one
 * step of the time stamp is two thousandths of it at most: usual are 1 to 40 ns.
 */
static const double SPAN_SECONDS = 8e-6;
static const double SPAN_STEPS = 500;
/* A kernel that takes no time at all is not iterated for ever. */
static const uint64_t ITERATIONS_MAXIMUM = (uint64_t)1 << 40;
/* Kernels are not made longer by more than this at once: what they cost may grow faster than their iterations. */
static const double GROWTH = 16;
/* NOPs for each addition of the chain beside them: half to a tenth of its time, as the core is narrow or wide. */
static const double WIDTH_FACTOR = 0.5;
/* Neighbours may differ by this part of them. More is a changing clock, or time taken from one. */
static const double TOLERANCE = 0.01;
/* A NOP that takes this much longer shares the core; and how long to look for one that does not. */
static const double WIDTH_TOLERANCE = 0.05, WIDTH_SECONDS = 1;
/* How long a run waits in all for neighbours to leave the core alone, and at once where times do not hold. */
static const double PATIENCE_SECONDS[PROFILES] = {0, 10, 60, 300};
static const double WAIT_SECONDS = 0.1;
/*
 * Time was taken from a reading that is longer than the median of its point by so many median absolute
 * deviations and by this part of it. A kernel that varies by nature has a deviation of its own, and loses
 * hardly any of its readings.
 */
static const double STOLEN_DEVIATIONS = 8, STOLEN_PART = 0.03;
/*
 * Where time was taken from most readings of a point, their median is wrong and shows none of it. It then lies above
 * the low quantile by more than this part of it, and so many times as many readings are taken to tell.
 */
static const double UNEVEN_PART = 0.05;
enum { UNEVEN_FACTOR = 3 };

/*
 * Readings of so many spans are long beside what a short nap of another thread interrupts, and bring back what it took
 * (measured on a shared Zen 4: such threads wake for 32 us to 2 ms, most of them below 256 us).
 */
enum { BRINGS_BACK = 16 };

/* Yardsticks of a glimpse are so much shorter; and how often one is tried while others share the core. */
enum { GLIMPSE_OF = 4, GLIMPSES = 4 };

/*
 * Smoke runs in emulators and simulators, where each instruction counts and time may mean nothing: its span is
 * what a chain of so many iterations takes, whatever that is. Its readings are too short to be exact.
 */
static const uint64_t SMOKE_ITERATIONS = 16;
static const double SMOKE_TOLERANCE = 0.03, SMOKE_WIDTH_TOLERANCE = 0.3;
enum { SMOKE_WARM_ROUNDS = 2, SMOKE_WIDTH_SAMPLES = 6, SMOKE_ATTEMPTS = 3 };

/* The longest stretch of warming up in one window, so that a window stays far below its deadline. */
static const double WARM_WINDOW_SECONDS = 0.004;

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
    if (result.end == WINDOW_RAN && !result.interrupts) /* else it is also the time of who interrupted */
        for (size_t i = 0; i < count; i++)
            m->kernel_seconds += ticks_of(&list[i]) / m->tick_hz;
    return result;
}

static struct reading chain(const struct meter *m)
{
    return (struct reading){.kernel = (uintptr_t)reader_chain_kernel, .argument = {m->chain_iterations, 0}};
}

static struct reading width(const struct meter *m)
{
    return (struct reading){.kernel = (uintptr_t)reader_width_kernel, .argument = {m->width_iterations, 0}};
}

/* A row of NOPs and the chain beside it. */
struct pair {
    double width; /* cycles per NOP, by the chain */
    double slow;  /* what both took, in ticks, one times the other: the less, the less either was held up */
};

static struct pair pair_of(const struct meter *m, const struct reading *nops, const struct reading *beside)
{
    const double of = ticks_of(nops) - m->harness_ticks, by = ticks_of(beside) - m->harness_ticks;
    const double chain_cycles = (double)(m->chain_iterations * READER_CHAIN);

    return (struct pair){of / by * chain_cycles / (double)(m->width_iterations * READER_WIDTH), of * by};
}

static void trust_pair(struct meter *m, const struct pair *p)
{
    m->width = p->width;
    m->slow = p->slow;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;

    return (p->slow > q->slow) - (p->slow < q->slow);
}

/*
 * What a NOP takes when nobody shares the core, by the pair that was as fast as any: a neighbour holds up NOPs, chains (Zen 4:
 * by a fifth, and no NOP, where all he does waits for units), or both. It is a tenth of many samples that agree, now or at
 * any time before. One that sleeps now and then is waited for; one that never does cannot be told from a narrow core, until
 * it does.
 */
static struct window_result find_width(struct meter *m)
{
    const size_t wanted = m->profile == PROFILE_SMOKE ? SMOKE_WIDTH_SAMPLES : WIDTH_SAMPLES;
    const double start = machine_seconds();
    struct pair samples[WIDTH_SAMPLES];
    struct window_result result = {0};
    bool agreed = false;

    do {
        size_t count = 0;
        for (size_t i = 0; i < wanted && result.end == WINDOW_RAN; i++) {
            struct reading r[3] = {chain(m), width(m), chain(m)};
            result = run_list(m, r, 3);
            double before = ticks_of(&r[0]), after = ticks_of(&r[2]);
            if (!result.interrupts && !result.smis && fabs(before - after) <= m->tolerance * before)
                samples[count++] = pair_of(m, &r[1], &r[0]);
        }
        if (count == 0)
            continue;
        qsort(samples, count, sizeof *samples, compare_pairs);
        const struct pair least = samples[count / 10];
        agreed = samples[3 * count / 10].slow <= least.slow * (1 + WIDTH_TOLERANCE) || m->profile == PROFILE_SMOKE;
        if (isnan(m->width) || (agreed && least.slow < m->slow)) /* what does not agree is better than nothing */
            trust_pair(m, &least);
    } while (!agreed && result.end == WINDOW_RAN && machine_seconds() - start < WIDTH_SECONDS);
    return result;
}

/* The greatest step that both are multiples of. */
static uint64_t common_step(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* What the reader itself costs, and in which steps the time stamp goes on. */
static struct window_result find_harness(struct meter *m)
{
    struct reading empty[EMPTY_READINGS];
    double ticks[EMPTY_READINGS], cycles[EMPTY_READINGS];
    uint64_t step = 0;

    for (size_t i = 0; i < EMPTY_READINGS; i++)
        empty[i] = (struct reading){.kernel = (uintptr_t)reader_empty_kernel};
    struct window_result result = run_list(m, empty, EMPTY_READINGS);
    for (size_t i = 0; i < EMPTY_READINGS; i++) {
        ticks[i] = ticks_of(&empty[i]);
        cycles[i] = counted_cycles_of(&empty[i]);
        step = common_step(step, empty[i].end_ticks - empty[0].begin_ticks);
        step = common_step(step, empty[i].begin_ticks - empty[0].begin_ticks);
    }
    sort_numbers(ticks, EMPTY_READINGS);
    sort_numbers(cycles, EMPTY_READINGS);
    m->harness_ticks = quantile(ticks, EMPTY_READINGS, 0.5);
    m->harness_cycles = quantile(cycles, EMPTY_READINGS, 0.5);
    m->step_ticks = fmax(1, (double)step);
    return result;
}

/* How long the yardstick has to be is found while the core warms up: its clock may still rise. */
static struct window_result find_chain(struct meter *m)
{
    const unsigned rounds = m->profile == PROFILE_SMOKE ? SMOKE_WARM_ROUNDS : WARM_ROUNDS;
    struct window_result result = {0};
    double shortest = INFINITY;

    m->chain_iterations = m->profile == PROFILE_SMOKE ? SMOKE_ITERATIONS : 1;
    for (unsigned round = 0; round < rounds && result.end == WINDOW_RAN; round++) {
        struct reading r[4] = {chain(m), chain(m), chain(m), chain(m)};
        result = run_list(m, r, 4);
        double ticks = ticks_of(&r[3]);
        for (size_t i = 0; i < 4; i++)
            shortest = fmin(shortest, ticks_of(&r[i]));
        if (result.end == WINDOW_RAN && ticks < m->span_ticks && m->profile != PROFILE_SMOKE) {
            double factor = ticks > 0 ? m->span_ticks / ticks : 2;
            m->chain_iterations = (uint64_t)((double)m->chain_iterations * (factor > 2 ? 2 : factor)) + 1;
        }
    }
    if (m->profile == PROFILE_SMOKE) {
        m->span_ticks = fmax(1, shortest);
        m->tolerance += 2 * m->step_ticks / m->span_ticks;
    }
    m->width_iterations = (uint64_t)(WIDTH_FACTOR * (double)m->chain_iterations) + 1;
    return result;
}

struct window_result meter_start(struct meter *m, enum profile profile)
{
    const struct machine_info *info = machine_info();
    static const unsigned readings[PROFILES] = {3, 5, 5, 9};

    *m = (struct meter){
        .profile = profile,
        .tick_hz = info->tick_hz,
        .tolerance = info->emulator             ? INFINITY
                     : profile == PROFILE_SMOKE ? SMOKE_TOLERANCE
                                                : TOLERANCE,
        .patience = PATIENCE_SECONDS[profile],
        .width = NAN,
        .readings = readings[profile],
        .counters = info->counters,
    };
    struct window_result result = find_harness(m);
    m->span_ticks = fmax(SPAN_STEPS * m->step_ticks, SPAN_SECONDS * info->tick_hz);
    if (result.end == WINDOW_RAN)
        result = find_chain(m);
    if (result.end == WINDOW_RAN)
        result = find_harness(m); /* again: the clock has risen since */
    return result.end == WINDOW_RAN ? find_width(m) : result;
}

bool meter_wait(struct meter *m)
{
    double start = machine_seconds();
    struct window_result result = {0};

    if (m->patience <= 0)
        return false;
    while (result.end == WINDOW_RAN && machine_seconds() - start < WAIT_SECONDS) {
        struct reading r = chain(m);
        result = run_list(m, &r, 1);
    }
    if (result.end == WINDOW_RAN)
        result = find_width(m);
    m->patience -= machine_seconds() - start;
    return result.end == WINDOW_RAN;
}

/* How long one reading of this kernel should be. */
static double wanted_ticks(const struct meter *m, const struct kernel *k)
{
    return m->span_ticks * (m->profile == PROFILE_SMOKE ? 1 : fmax(k->stretch, 1));
}

static struct reading reading_of(const struct kernel *k, uint64_t iterations)
{
    return (struct reading){.kernel = k->entry, .argument = {iterations, k->data}};
}

/*
 * How often the kernel has to iterate for a reading of the length wanted, beginning with the number that is
 * there. `run` counts what was iterated on the way.
 */
static struct window_result find_iterations(struct meter *m, const struct kernel *k, uint64_t *iterations, double *run)
{
    struct window_result result = {0};
    const double wanted = wanted_ticks(m, k);

    for (unsigned round = 0; round < LENGTH_ROUNDS; round++) {
        struct reading r = reading_of(k, *iterations);
        result = run_list(m, &r, 1);
        if (result.end != WINDOW_RAN)
            break;
        *run += (double)*iterations;
        double ticks = fmax(1, ticks_of(&r) - m->harness_ticks);
        double scaled = (double)*iterations * fmax(1 / GROWTH, fmin(GROWTH, wanted / ticks));
        *iterations = (uint64_t)fmax(1, fmin(scaled, (double)ITERATIONS_MAXIMUM));
        if ((ticks >= wanted / 2 && ticks <= wanted * 2) || *iterations == 1 || *iterations == ITERATIONS_MAXIMUM)
            break;
    }
    return result;
}

static struct window_result warm_up(struct meter *m, const struct kernel *k, double left, uint64_t span_iterations)
{
    struct window_result result = {0};
    uint64_t chunk = (uint64_t)((double)span_iterations * WARM_WINDOW_SECONDS * m->tick_hz / wanted_ticks(m, k)) + 1;

    while (left > 0 && result.end == WINDOW_RAN) {
        uint64_t now = left < (double)chunk ? (uint64_t)left + 1 : chunk;
        struct reading r = reading_of(k, now);
        result = run_list(m, &r, 1);
        left -= (double)now;
    }
    return result;
}

/* The kernel's length is found, and it is warm. */
static struct window_result prepare(struct meter *m, const struct kernel *k, uint64_t *iterations)
{
    double run = 0;
    struct window_result result = find_iterations(m, k, iterations, &run);

    if (result.end == WINDOW_RAN && run < k->warm_iterations) {
        result = warm_up(m, k, k->warm_iterations - run, *iterations);
        if (result.end == WINDOW_RAN) /* while it was cold, the kernel may have taken many times longer */
            result = find_iterations(m, k, iterations, &run);
    }
    return result;
}

/* What a point collects: of each reading, cycles and nanoseconds of a unit, and the core's clock. */
enum gain { GAIN_CYCLES, GAIN_NS, GAIN_CORE_HZ, GAINS };
struct harvest {
    double gains[GAINS][POINT_READINGS];
    unsigned accepted, rejected_by[CAUSES];
};

/* One reading, between two yardsticks of either kind, becomes cycles per unit, or is rejected. */
static void reap(const struct meter *m, const struct reading *r, double units, struct harvest *h)
{
    double before = ticks_of(&r[-1]) - m->harness_ticks;
    double after = ticks_of(&r[2]) - m->harness_ticks;
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
    h->gains[GAIN_CYCLES][h->accepted] = cycles / units;
    h->gains[GAIN_NS][h->accepted] = ticks / m->tick_hz * 1e9 / units;
    h->gains[GAIN_CORE_HZ][h->accepted] = chain_cycles / (yardstick / m->tick_hz);
    h->accepted++;
}

static double quantile_of(const struct harvest *h, enum gain gain, double q)
{
    double values[POINT_READINGS];

    for (unsigned i = 0; i < h->accepted; i++)
        values[i] = h->gains[gain][i];
    sort_numbers(values, h->accepted);
    return quantile(values, h->accepted, q);
}

/* Rejects readings that time was taken from, or from both of their yardsticks, which then agree: see STOLEN_DEVIATIONS. */
static void drop_stolen(struct harvest *h)
{
    double deviations[POINT_READINGS];
    const double *cycles = h->gains[GAIN_CYCLES];
    double median = quantile_of(h, GAIN_CYCLES, 0.5);
    unsigned kept = 0;

    for (unsigned i = 0; i < h->accepted; i++)
        deviations[i] = fabs(cycles[i] - median);
    sort_numbers(deviations, h->accepted);
    double far = fmax(STOLEN_DEVIATIONS * quantile(deviations, h->accepted, 0.5), STOLEN_PART * fabs(median));
    for (unsigned i = 0; i < h->accepted; i++) {
        if (cycles[i] > median + far) {
            h->rejected_by[CAUSE_STOLEN]++;
        } else if (cycles[i] < median - far) {
            h->rejected_by[CAUSE_YARDSTICKS]++;
        } else {
            for (enum gain gain = 0; gain < GAINS; gain++)
                h->gains[gain][kept] = h->gains[gain][i];
            kept++;
        }
    }
    h->accepted = kept;
}

/* How many readings the point needs, by those it has. */
static unsigned readings_wanted(const struct meter *m, const struct harvest *h)
{
    double level = quantile_of(h, GAIN_CYCLES, 0.2);
    double median = quantile_of(h, GAIN_CYCLES, 0.5);

    if (m->exact)
        return EXACT_READINGS;
    if (isinf(m->tolerance) || h->accepted < m->readings || median <= level + UNEVEN_PART * fabs(level))
        return m->readings;
    return UNEVEN_FACTOR * m->readings < POINT_READINGS ? UNEVEN_FACTOR * m->readings : POINT_READINGS;
}

/* A list: width, chain, kernel, width, chain, kernel, …, width, chain. */
enum { ROUND = 3, KERNEL = 2 };
static size_t make_list(const struct meter *m, const struct kernel *k, uint64_t iterations, size_t kernels,
                        struct reading *list)
{
    size_t count = 0;

    for (size_t i = 0; i <= kernels; i++) {
        list[count++] = width(m);
        list[count++] = chain(m);
        if (i < kernels)
            list[count++] = reading_of(k, iterations);
    }
    return count;
}

/* What the unit is taken from is equal to the last digit. */
static bool same(const struct meter *m, const struct reading *a, const struct reading *b)
{
    if (m->counters != READER_TIME_ONLY)
        return a->end_count[0] - a->begin_count[0] == b->end_count[0] - b->begin_count[0];
    return a->end_ticks - a->begin_ticks == b->end_ticks - b->begin_ticks;
}

/* Every chain took as long as the others, and so did every kernel, to the last digit. */
static bool repeats(const struct meter *m, const struct reading *list, size_t kernels)
{
    for (size_t i = ROUND; i < ROUND * kernels + KERNEL; i++)
        if (i % ROUND && !same(m, &list[i], &list[i - ROUND]))
            return false;
    return kernels >= EXACT_READINGS;
}

/* Why nothing of the list counts, or CAUSES where it does. */
static enum cause void_list(const struct meter *m, const struct window_result *result)
{
    if (result->smis)
        return CAUSE_SMI;
    if (result->interrupts)
        return CAUSE_INTERRUPTED;
    return m->disturbed ? m->disturbed() : CAUSES;
}

static double width_tolerance(const struct meter *m)
{
    return m->profile == PROFILE_SMOKE ? SMOKE_WIDTH_TOLERANCE : WIDTH_TOLERANCE;
}

/* What a row of NOPs tells of its neighbours. */
enum neighbours {
    NEIGHBOURS_ASLEEP,
    NEIGHBOURS_TAKE_WIDTH,
    NEIGHBOURS_HOLD_UP_CHAINS, /* or time was taken from this one */
};

/* By what a NOP took, where a tick of the time stamp is so many cycles, and takes when nobody shares the core. */
static enum neighbours neighbours_of(const struct meter *m, const struct reading *nops, double cycles_per_tick)
{
    const double ticks = ticks_of(nops) - m->harness_ticks;
    const double width = ticks * cycles_per_tick / (double)(nops->argument[0] * READER_WIDTH);
    const double within = 1 + width_tolerance(m) + 2 * m->step_ticks / ticks;

    if (width > within * m->width)
        return NEIGHBOURS_TAKE_WIDTH;
    return within * width < m->width ? NEIGHBOURS_HOLD_UP_CHAINS : NEIGHBOURS_ASLEEP;
}

static enum neighbours neighbours_of_pair(const struct meter *m, const struct reading *nops)
{
    return neighbours_of(m, nops,
                         (double)(m->chain_iterations * READER_CHAIN) / (ticks_of(nops + 1) - m->harness_ticks));
}

/*
 * Pairs that are all faster than any ever were: the clock is higher, or where the width is another one, and all say the same,
 * somebody was awake whenever it was looked for. What was accepted so far was read beside him.
 */
static void widen(struct meter *m, const struct reading *list, size_t kernels, struct harvest *h)
{
    struct pair slowest = {.slow = 0};
    double narrowest = 0, widest = INFINITY;
    bool same_width = true;

    if (isinf(m->tolerance))
        return;
    for (size_t i = 0; i <= kernels; i++) {
        const struct pair p = pair_of(m, &list[ROUND * i], &list[ROUND * i + 1]);
        narrowest = fmax(narrowest, p.width);
        widest = fmin(widest, p.width);
        same_width = same_width && neighbours_of_pair(m, &list[ROUND * i]) == NEIGHBOURS_ASLEEP;
        if (p.slow > slowest.slow)
            slowest = p;
    }
    if (!((1 + width_tolerance(m)) * slowest.slow < m->slow))
        return;
    if (same_width) {
        m->slow = slowest.slow;
    } else if (narrowest < (1 + m->tolerance) * widest) {
        trust_pair(m, &slowest);
        m->widened++;
        h->rejected_by[CAUSE_SHARED] += h->accepted;
        h->accepted = 0;
    }
}

/* At which rows of NOPs nobody was awake. Of one chain time may have been taken; two in a row that were held up were by him. */
static void find_quiet(const struct meter *m, const struct reading *list, size_t kernels, bool *quiet)
{
    enum neighbours last = NEIGHBOURS_ASLEEP;

    for (size_t i = 0; i <= kernels; i++) {
        const enum neighbours now = neighbours_of_pair(m, &list[ROUND * i]);
        quiet[i] = now == NEIGHBOURS_ASLEEP || (now == NEIGHBOURS_HOLD_UP_CHAINS && last != now);
        last = now;
    }
}

/*
 * Which kernels of the list ran while no other hardware thread was awake, and how many did. What such a thread takes of
 * caches and predictors is missing to those after it, but for kernels so long that they bring it back themselves.
 */
static size_t find_alone(const struct meter *m, const struct reading *list, size_t kernels, bool *alone)
{
    bool quiet[POINT_READINGS + 1], missing = false;
    size_t count = 0;

    if (isinf(m->tolerance)) {
        for (size_t i = 0; i < kernels; i++)
            alone[i] = true;
        return kernels;
    }
    find_quiet(m, list, kernels, quiet);
    for (size_t i = 0; i < kernels; i++) {
        const bool brings_back = ticks_of(&list[ROUND * i + KERNEL]) >= BRINGS_BACK * m->span_ticks;
        missing = !quiet[i] || !quiet[i + 1] || (missing && !brings_back);
        alone[i] = !missing;
        count += alone[i];
    }
    return count;
}

static struct window_result collect(struct meter *m, const struct kernel *k, struct harvest *h)
{
    struct reading list[LIST_READINGS];
    uint64_t iterations = 1;
    const int attempts = m->profile == PROFILE_SMOKE ? SMOKE_ATTEMPTS : ATTEMPTS;
    struct window_result result = prepare(m, k, &iterations);

    for (int attempt = 0; result.end == WINDOW_RAN && attempt < attempts; attempt++) {
        unsigned wanted = readings_wanted(m, h);
        if (h->accepted >= wanted)
            break;
        size_t kernels = wanted - h->accepted;
        size_t count = make_list(m, k, iterations, kernels, list);
        double start = machine_seconds();
        result = run_list(m, list, count);
        if (result.end != WINDOW_RAN)
            break;
        enum cause cause = void_list(m, &result);
        if (cause == CAUSES)
            widen(m, list, kernels, h);
        bool alone[POINT_READINGS];
        const size_t kept = cause == CAUSES ? find_alone(m, list, kernels, alone) : 0;
        if (kept < kernels) { /* somebody else ran, and caches are cold */
            cause = cause == CAUSES ? CAUSE_SHARED : cause;
            h->rejected_by[cause] += (unsigned)(kernels - kept);
            result = warm_up(m, k, k->warm_iterations, iterations);
            m->patience -= machine_seconds() - start;
            attempt -= cause == CAUSE_SHARED && m->patience > 0; /* waited for as long as patience lasts */
        }
        if (kept == 0)
            continue;
        double shortest = INFINITY; /* from the others time may have been taken */
        for (size_t i = 0; i < kernels; i++)
            shortest = fmin(shortest, ticks_of(&list[ROUND * i + KERNEL]));
        if (shortest < wanted_ticks(m, k) / 4 && iterations < ITERATIONS_MAXIMUM && attempt < attempts / 2) {
            double run = 0; /* it was still cold when its length was found, or time was taken from it */
            result = find_iterations(m, k, &iterations, &run);
            continue;
        }
        for (size_t i = 0; i < kernels; i++)
            if (alone[i])
                reap(m, &list[ROUND * i + KERNEL], (double)iterations * k->units, h);
        if (!isinf(m->tolerance) && h->accepted >= wanted) /* among few most may be wrong */
            drop_stolen(h);
        m->exact = kept == kernels && repeats(m, list, kernels);
    }
    if (!isinf(m->tolerance) && h->accepted < readings_wanted(m, h)) /* there will be no more */
        drop_stolen(h);
    return result;
}

struct window_result meter_glimpse(struct meter *m, const struct kernel *k, uint64_t *iterations, double *cycles)
{
    struct window_result result = {0};
    struct reading nops = {.kernel = (uintptr_t)reader_width_kernel, .argument = {m->width_iterations / GLIMPSE_OF, 0}};

    *cycles = NAN;
    if (!*iterations) {
        *iterations = 1;
        result = prepare(m, k, iterations);
    }
    for (unsigned n = 0; n < GLIMPSES && isnan(*cycles) && result.end == WINDOW_RAN; n++) {
        struct reading r[] = {nops, reading_of(k, (uint64_t)fmax(1, k->warm_iterations)), reading_of(k, *iterations),
                              nops};
        result = run_list(m, r, 4);
        const double ticks = ticks_of(&r[2]) - m->harness_ticks;
        const bool quiet = result.end == WINDOW_RAN && !result.interrupts && !result.smis;
        const double cycles_per_tick = m->core_hz / m->tick_hz;
        if (quiet && m->core_hz > 0 && neighbours_of(m, &r[0], cycles_per_tick) != NEIGHBOURS_TAKE_WIDTH &&
            neighbours_of(m, &r[3], cycles_per_tick) != NEIGHBOURS_TAKE_WIDTH)
            *cycles = ticks / m->tick_hz * m->core_hz / ((double)*iterations * k->units);
        if (ticks < m->span_ticks / 4 || ticks > m->span_ticks * 4) {
            *iterations = 0; /* kernels have become shorter or longer than those before */
            break;
        }
    }
    return result;
}

struct window_result meter_measure(struct meter *m, const struct kernel *k, struct point *out)
{
    struct harvest h = {.accepted = 0};
    struct window_result result = collect(m, k, &h);

    out->rejected = 0;
    for (enum cause c = 0; c < CAUSES; c++) {
        m->rejected_by[c] += h.rejected_by[c];
        out->rejected += h.rejected_by[c];
    }
    m->taken += h.accepted + out->rejected;
    m->rejected += out->rejected;
    out->accepted = h.accepted;
    out->q20 = quantile_of(&h, GAIN_CYCLES, 0.2);
    out->median = quantile_of(&h, GAIN_CYCLES, 0.5);
    out->ns = quantile_of(&h, GAIN_NS, 0.5);
    if (h.accepted)
        m->core_hz = quantile_of(&h, GAIN_CORE_HZ, 0.5);
    return result;
}
