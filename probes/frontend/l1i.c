/*
 * Question: how much code does the instruction cache hold, and how fast is code fetched from it and from behind it?
 *
 * Experiment:
 *
 *   straight      a loop over that many bytes of NOPs. While it fits, the core fetches at its best; past that every
 *                 pass evicts what the next one needs first, and the rate falls to what the next level delivers. The
 *                 NOPs are long ones, few to a line, so that an operation cache holds little more of this code than the
 *                 instruction cache does. A prefetcher of following lines may hide misses
 *   mispredicted  places in an order drawn at random, visited by a jump that is always mispredicted (lib/kernels/
 *                 mispredicted_return.h): what it costs shows how far away its target was. While all places fit, the
 *                 cost is the same; past that, more and more are fetched from the next level. The penalty hides all
 *                 widths. One in four lines is a place, so that lines fetched ahead fall into other sets; places are
 *                 full of instructions, so that an operation cache is full before the instruction cache is
 *
 * Curve over the footprint: straight is a staircase in cycles per line of operation cache, where there is one,
 * instruction cache, second level and what is behind it. The height of a step identifies nothing: the rate may fall as
 * much from operation cache to instruction cache as from there to the second level. Mispredicted is a level that is
 * left by a ramp. Where instruction TLBs end both may rise, too.
 *
 * Inference: the last footprint before the last rise that is neither at the reach of such a TLB nor, by its size, at
 * the second level. Where the size of the second level is not known and the mispredicted curve has several such rises,
 * the last may be the second level's, or the first an operation cache's: nothing is decided. Straight code may fit one
 * step more than the instruction cache holds (on Zen 4 in some runs: presumably an operation cache holds the one line
 * too many that a few sets have). So its interval begins a step below, and the value is that of the mispredicted curve.
 * Both curves may begin to rise before the cache is full, since the program that measures is cached as well. So the
 * interval reaches up to half of the rise.
 *
 * Sources: straight-line NOP loops as in Wong 2018 and clamchowder's suite; mispredicted places are ours.
 * docs/METHODS.md, 5.7.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/mispredicted_return.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/l1i_knee.h"
#include "lib/structure/tolerances_frontend.h"

enum {
    LINE_BYTES = 64,
    PLACE_BYTES = 256, /* from one place to the next: AMD Zen 4 fetches the next two lines ahead */
    NOP_BYTES_AT_MOST = 8,
    LOOP_BYTES = 16, /* the end of a loop, its branch: part of the footprint */
    ROOM_BYTES = 64,
    GRAIN_BYTES = L1I_GRAIN_BYTES,
    PLACES_FROM_BYTES = 4096, /* half of the smallest cache: an operation cache may hold the places of 1 KiB alone */
    SIMULATED_SECONDS = 8,    /* a million instructions each: the usual three end before the knee is narrowed */
    TLB_LEVELS = 2
};
enum pattern { STRAIGHT, MISPREDICTED, PATTERNS };

/*
 * Ratio of the footprints at the half and at the beginning of a rise above which lines are replaced at random. Of a
 * loop that is r times as large as the cache, a fraction m of the lines misses: with LRU and w ways half of them do at
 * r = 1 + 1 / (2 w), which is 1.25 at most; at random, m = 1 - exp(-m r), so that half of them do at r = 2 ln 2 =
 * 1.386. Chosen: between these two.
 */
static const double AT_RANDOM = 1.31;

static bool build_straight(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    size_t bytes = (size_t)footprint_bytes;
    struct code c = probe_code(p, bytes + ROOM_BYTES);
    unsigned nop_bytes = 1;

    (void)context;
    for (const unsigned *n = emit_nop_lengths; *n && *n <= NOP_BYTES_AT_MOST; n++)
        nop_bytes = *n;
    emit_nop_sequence(&c, nop_bytes, (bytes - LOOP_BYTES) / nop_bytes);
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){
        .units = footprint_bytes / LINE_BYTES, .warm_iterations = 2, .length_factor = probe_smoke(p, 1, 4)};
    return probe_kernel(p, &c, 0, k);
}

/* The offset of a place. The loop is where the first one would be. */
static size_t place_at(const void *context, size_t place)
{
    (void)context;
    return (place + 1) * PLACE_BYTES;
}

static bool build_mispredicted(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    size_t places = (size_t)footprint_bytes / PLACE_BYTES - 1;
    struct code c = probe_code(p, (size_t)footprint_bytes + ROOM_BYTES);

    mispredicted_return_begin(&c, context);
    for (size_t i = 0; i < places; i++) {
        emit_place(&c, place_at(NULL, i));
        mispredicted_return_place(&c, context);
    }
    return mispredicted_return_kernel(p, context, &c, place_at, NULL, places, k);
}

/*
 * The verdict with intervals that allow for what misleads the pattern. Between two kernels the core executes the
 * reader, its chain and its NOPs: 27 lines (arch/x86_64/reader.S: 3, 7 and 17 of 64 bytes). They take room from a loop
 * that fits in fewer than half of all sets, of which instruction caches have 64 at least: it misses less than half.
 */
static struct verdict widened(const struct verdict *of, enum pattern pattern)
{
    struct verdict v = *of;

    for (size_t i = 0; i < v.count; i++) {
        struct knee *k = &v.knees[i];
        if (pattern == STRAIGHT)
            k->low -= GRAIN_BYTES;
        if (k->ramp)
            k->high = fmax(k->high, k->half_rise_high);
    }
    return v;
}

/* Reports the bytes per cycle on each level of straight code. */
static void report_rates(struct probe *p, const struct sweep *s)
{
    for (size_t level = 0; level < s->search.verdict.level_count; level++) {
        const struct experiment_value rate = {s->name, "prefetchers",
                                              LINE_BYTES / level_height(&s->search.verdict, level)};
        report_graded_number(p,
                             &(struct finding){.name = "frontend.l1i.bytes_per_cycle",
                                               .variants = {{"level", .number = (double)level + 1}},
                                               .curves = {s->name},
                                               .method = "median of the level"},
                             &rate, 1);
    }
}

/*
 * Returns the knee of straight code to compare with knee m of the mispredicted curve; straight->count: none. It is one
 * near m, but straight code's last knee if that is larger, since m may be an operation cache's. *contradicts: the last
 * knee must be another cache's. If it were that of m, left early because lines are replaced at random, half of the
 * mispredicted curve's rise would lie beyond it.
 */
static size_t straight_knee(const struct probe *p, const struct verdict *straight, const struct knee *m,
                            bool *contradicts)
{
    const size_t near = knee_near(straight, m->value, SAME_EDGE), last = l1i_last_knee(p, straight);

    *contradicts = false;
    if (near < straight->count || last == straight->count || straight->knees[last].value <= m->high)
        return near;
    *contradicts = m->half_rise < AT_RANDOM * straight->knees[last].value;
    return last;
}

static void report_bytes(struct probe *p, const struct sweep s[PATTERNS])
{
    const struct verdict *straight = &s[STRAIGHT].search.verdict, *mispredicted = &s[MISPREDICTED].search.verdict;
    const size_t page_bytes = machine_info()->page_bytes[0];
    char page[16];
    struct finding f = {.name = "frontend.l1i.bytes",
                        .limits = {{"frontend.itlb.entries", page, 1.0 / (double)page_bytes}},
                        .value = (double)NAN,
                        .low = (double)NAN,
                        .high = (double)NAN,
                        .grade = 'U'};
    const struct verdict intervals[PATTERNS] = {widened(straight, STRAIGHT), widened(mispredicted, MISPREDICTED)};
    struct experiment e[PATTERNS];

    snprintf(page, sizeof page, "page=%s", page_name(page_bytes));
    experiments_of_sweeps(s, PATTERNS, e);
    e[STRAIGHT].verdict = &intervals[STRAIGHT];
    e[MISPREDICTED].verdict = &intervals[MISPREDICTED];
    e[MISPREDICTED].knee = l1i_knee(p, mispredicted, straight, &f.reason);
    /* a knee of straight code may be an operation cache's: by itself it shows nothing */
    const bool edge = e[MISPREDICTED].knee < mispredicted->count;
    if (edge) {
        bool contradicts;
        e[STRAIGHT].knee = straight_knee(p, straight, &mispredicted->knees[e[MISPREDICTED].knee], &contradicts);
        if (contradicts)
            e[MISPREDICTED].verdict = mispredicted;
    }
    const struct experiment both[] = {e[MISPREDICTED], e[STRAIGHT]};
    const struct graded g = grade_capacity(both, PATTERNS, GRAIN_BYTES);
    if (f.reason)
        report(p, &f);
    else
        report_capacity(p, &f, both, edge && (g.agrees[0] || g.grade == 'U') ? PATTERNS : 1, GRAIN_BYTES);
}

static void run(struct probe *p)
{
    struct mispredicted_return list = {.full = true};
    struct sweep s[PATTERNS] = {
        [STRAIGHT] = {.name = "straight", .confounder = "prefetchers", .unit = "cycles/line", .build = build_straight},
        [MISPREDICTED] = {.name = "mispredicted",
                          .confounder = "data cache",
                          .unit = "cycles/jump",
                          .build = build_mispredicted,
                          .slowest_of = MISPREDICTED_ORDERS}};
    if (!mispredicted_return_map(p, &list))
        return;
    for (enum pattern i = 0; i < PATTERNS; i++) {
        s[i].axis = "footprint_bytes";
        s[i].context = &list;
        s[i].seconds = probe_simulated(p, SIMULATED_SECONDS, 0);
        s[i].search = (struct search){
            .kind = KNEE_STEP,
            .from = i == MISPREDICTED ? PLACES_FROM_BYTES : GRAIN_BYTES,
            .to = probe_simulated(p, 1 << 17, probe_scale(p, 1 << 15, 1 << 18, 1 << 19, 1 << 20)),
            .limit = probe_smoke(p, 1 << 15, probe_simulated(p, 1 << 18, 1 << 20)),
            .step = GRAIN_BYTES,
            .resolution = 0.01,
            .per_octave = (unsigned)probe_scale(p, 1, i == MISPREDICTED ? 8 : 4, i == MISPREDICTED ? 8 : 4, 8)};
    }
    if (sweeps_search(p, s, PATTERNS)) {
        report_rates(p, &s[STRAIGHT]);
        report_bytes(p, s);
    }
    sweeps_free(s, PATTERNS);
}

PROBE(l1i, .title = "Instruction cache", .family = "frontend", .after = "itlb", .run = run,
      .wants = NEEDS("memory.cache.bytes level=2"),
      .findings = FINDINGS({"frontend.l1i.bytes", "bytes", "capacity of the instruction cache"},
                           {"frontend.l1i.bytes_per_cycle", "bytes/cycle",
                            "straight code, by the level it comes from"}));
