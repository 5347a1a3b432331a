#include "lib/structure/counter_discovery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/counters/count.h"

enum { ITERATIONS = 50, REPETITIONS = 3, UNIT_MASK_BITS = 8, UNIT_MASK_SHIFT = 8 };

/*
 * Events of an iteration below which a counter has not counted. Derivation: what happens once in a reading, whatever
 * the kernel does, is a fiftieth of an iteration; what a kernel does happens at least once in an iteration. no test: a
 * modelled core counts nothing so rarely.
 */
static const double COUNTS_ANYTHING = 0.1;
/*
 * Part by which what is counted may differ from what a kernel executes. Derivation: an iteration has 34 instructions or
 * more, so that one more or less is up to 3 %.
 */
static const double MEANS_WITHIN = 0.015;

uint64_t general_counters(const struct counters *have)
{
    const uint64_t fixed = have->kind == COUNTERS_APPLE ? 3 : 0;

    return have->slots & ((UINT64_C(1) << COUNTER_FIXED) - 1) & ~fixed;
}

/* ---- Which events there may be --------------------------------------------------------------------- */

/*
 * Numbers of events. Arm: common events and the implementation's own, then those of later extensions (Arm ARM DDI 0487,
 * D13.12.2). Apple: eight bits, later more. Intel: eight bits. AMD: twelve, of which the upper three are not used.
 */
struct numbers {
    uint64_t first, last;
};
enum { RANGES = 3 };
static const struct numbers numbers_of[][RANGES] = {
    [COUNTERS_NONE] = {{1, 0}},
    [COUNTERS_INTEL] = {{0, 0xff}, {1, 0}, {1, 0}},
    [COUNTERS_AMD] = {{0, 0x1ff}, {1, 0}, {1, 0}},
    [COUNTERS_PMUV3] = {{0, 0x3ff}, {0x4000, 0x40ff}, {0x8000, 0x83ff}},
    [COUNTERS_APPLE] = {{0, 0x3ff}, {1, 0}, {1, 0}},
};
enum { SMOKE_NUMBERS = 0x40, AMD_LARGE = 3 };

static bool has_unit_masks(enum counters_kind kind)
{
    return kind == COUNTERS_INTEL || kind == COUNTERS_AMD;
}

/* AMD's number has its bits 11 to 8 in the selector's bits 35 to 32 (APM vol. 2, 13.2.1). */
static uint64_t code_of(enum counters_kind kind, uint64_t number, uint64_t unit_mask)
{
    if (!has_unit_masks(kind))
        return number;
    return (number & 0xff) | number >> 8 << 32 | unit_mask << UNIT_MASK_SHIFT;
}

/* ---- Counting ---------------------------------------------------------------------------------------- */

/* Counts the event on all counters that are free, and notes what they have counted of the kernel. */
static struct window_result try_event(const struct kernel *k, size_t kernel, struct discovered_event *e)
{
    static const struct count_options options = {.iterations = ITERATIONS, .warmup = 1, .repetitions = REPETITIONS};
    static struct event each[COUNTER_SLOTS];
    static struct count counts[COUNTER_SLOTS];
    const uint64_t free = general_counters(machine_counters()) & ~machine_counters()->taken;
    size_t count = 0;

    for (unsigned slot = 0; slot < COUNTER_FIXED && count < COUNT_EVENTS; slot++)
        if (free >> slot & 1) {
            each[count] = (struct event){.code = e->code, .demand = {.slots = UINT64_C(1) << slot, .width = 1}};
            snprintf(each[count].name, sizeof each[count].name, "on counter %u", slot);
            count++;
        }
    const struct window_result result = count_kernel(k, each, count, &options, counts);
    for (size_t i = 0; i < count; i++)
        if (!counts[i].why[0] && counts[i].spread.count && counts[i].spread.least >= COUNTS_ANYTHING) {
            e->slots |= each[i].demand.slots;
            e->counts[kernel] = fmax(e->counts[kernel], counts[i].spread.mean);
        }
    return result;
}

/* Cycles of an iteration by the event of that name. */
static struct window_result count_cycles(const struct kernel *k, double *cycles)
{
    static const struct count_options options = {.iterations = ITERATIONS, .warmup = 1, .repetitions = REPETITIONS};
    struct event event;
    struct count count;
    char why[160];

    *cycles = NAN;
    if (!events_find(events_core(machine_info()->core_name), machine_counters()->kind, "cycles", &event, why,
                     sizeof why))
        return (struct window_result){.end = WINDOW_RAN};
    const struct window_result result = count_kernel(k, &event, 1, &options, &count);
    if (!count.why[0] && count.spread.count)
        *cycles = count.spread.mean;
    return result;
}

/* Tries the events from `from` on over every kernel. */
static bool try_all(struct probe *p, const struct built_in_memory *m, struct discovery *d, size_t from)
{
    for (size_t kernel = 0; kernel < DISCOVERY_KERNELS; kernel++) {
        struct kernel k;
        char text[96];
        if (!built_in_build(p, m, &built_in_kernels[kernel], &d->work[kernel], &k))
            return false;
        struct window_result result = count_cycles(&k, &d->cycles[kernel]);
        for (size_t i = from; i < d->count && result.end == WINDOW_RAN; i++) {
            if (i % 64 == 0) {
                snprintf(text, sizeof text, "event numbers over %s, kernel %zu of %d: %zu of %zu",
                         built_in_kernels[kernel].name, kernel + 1, DISCOVERY_KERNELS, i - from, d->count - from);
                machine_progress(text);
            }
            result = try_event(&k, kernel, &d->events[i]);
        }
        if (!probe_survived(p, &result))
            return false;
    }
    return true;
}

/* Keeps what has counted. */
static void keep(struct discovery *d)
{
    size_t kept = 0;

    for (size_t i = 0; i < d->count; i++)
        if (d->events[i].slots)
            d->events[kept++] = d->events[i];
    d->count = kept;
}

/* Adds an event to those to be tried, unless the core's registers say that it has none of that number. */
static void add(struct discovery *d, size_t room, uint64_t code)
{
    if (d->count == room || counters_lacks(machine_counters(), code))
        return;
    d->events[d->count++] = (struct discovered_event){.code = code};
    d->tried++;
}

bool discovery_run(struct probe *p, const struct built_in_memory *m, struct discovery *out)
{
    const enum counters_kind kind = machine_counters()->kind;
    const uint64_t all_units = has_unit_masks(kind) ? (1 << UNIT_MASK_BITS) - 1 : 0;
    enum { ROOM = 0x200 * (UNIT_MASK_BITS + 1) };

    *out = (struct discovery){.events = malloc(ROOM * sizeof *out->events)};
    if (!out->events)
        return probe_skip(p, "out of memory");
    for (size_t range = 0; range < RANGES; range++)
        for (uint64_t n = numbers_of[kind][range].first; n <= numbers_of[kind][range].last; n++)
            /* AMD's event of large increments takes two counters, so that it cannot be on all of them */
            if (!(kind == COUNTERS_AMD && n == AMD_LARGE) && (n < SMOKE_NUMBERS || !probe_is_smoke(p)))
                add(out, ROOM, code_of(kind, n, all_units));
    if (!try_all(p, m, out, 0))
        return false;
    keep(out);
    /* of those that count, each bit of the unit mask by itself */
    const size_t whole = out->count;
    for (size_t i = 0; i < whole; i++)
        for (unsigned bit = 0; bit < UNIT_MASK_BITS && all_units; bit++)
            add(out, ROOM,
                (out->events[i].code & ~(all_units << UNIT_MASK_SHIFT)) | UINT64_C(1) << (UNIT_MASK_SHIFT + bit));
    if (out->count > whole && !try_all(p, m, out, whole))
        return false;
    keep(out);
    return true;
}

void discovery_free(struct discovery *d)
{
    free(d->events);
    d->events = NULL;
    d->count = 0;
}

/* ---- Meanings ------------------------------------------------------------------------------------------ */

/* How often an iteration of the kernel executes what the name stands for. */
static double executed(const struct discovery *d, size_t kernel, size_t meaning)
{
    const struct work *w = &d->work[kernel];
    const uint64_t of[] = {w->instructions, w->branches, w->loads, w->stores, w->loads + w->stores};

    return meaning < sizeof of / sizeof *of ? (double)of[meaning] : d->cycles[kernel];
}

const char *discovery_meaning(const struct discovery *d, const struct discovered_event *e)
{
    static const char *const names[] = {"instructions", "branches", "loads", "stores", "loads and stores", "cycles"};

    for (size_t meaning = 0; meaning < sizeof names / sizeof *names; meaning++) {
        bool fits = true;
        for (size_t kernel = 0; kernel < DISCOVERY_KERNELS && fits; kernel++) {
            const double expected = executed(d, kernel, meaning);
            fits = fabs(e->counts[kernel] - expected) <= MEANS_WITHIN * expected + COUNTS_ANYTHING;
        }
        if (fits)
            return names[meaning];
    }
    return NULL;
}
