/*
 * Instruction cache: how much code does it hold, and how fast is code fetched from it and from behind it?
 *
 *   straight   one long stretch of NOPs, over and over. While it fits, the core fetches at its best; past
 *              that every pass evicts what the next one needs first, and the rate falls to what the level
 *              behind delivers. The NOPs are long ones, few to a line, so that a cache of decoded operations
 *              holds little more of this code than the instruction cache does. A prefetcher of following
 *              lines may hide what is missed
 *   surprise   each line holds a jump to a line drawn at random, which no predictor can know: every jump
 *              is mispredicted, and what it costs shows how far away its target was. While all lines fit it
 *              costs the same; past that, more and more are fetched from behind. Nothing can be fetched
 *              ahead, and operation caches and widths are lost in the penalty
 *
 * Curves over footprint: straight is a staircase in cycles per line: operation cache where there is one,
 * instruction cache, second level, what lies behind. How high a stair is tells nothing: from operation
 * cache to instruction cache the rate may fall as much as from there to the second level. Surprise is a
 * level that is left by a ramp. Answer: the last footprint before the last rise that is not the second
 * level's by its size.
 *
 * Method: straight-line NOP loops, as Wong 2018 and clamchowder's suite; the surprise is ours.
 */
#include <math.h>

#include "lib/find.h"
#include "lib/probe.h"
#include "lib/kernels/surprise.h"

enum {
    LINE_BYTES = 64,
    NOP_BYTES_AT_MOST = 8,
    LOOP_BYTES = 16, /* the end of a loop, its branch: part of the footprint */
    ROOM_BYTES = 64,
    GRAIN_BYTES = 1024
};
enum pattern { STRAIGHT, SURPRISE, PATTERNS };

/* The same edge in both patterns is found no farther apart than this factor. */
static const double SAME_EDGE = 1.3;

/*
 * An edge from here on is the second level's, where nothing is known of that: between the largest instruction
 * cache in scope, 192 KiB (Apple's performance cores), and the smallest second level of cores that have an
 * operation cache, 256 KiB (Intel, up to Skylake).
 */
static const double SECOND_LEVEL_BYTES = 224 << 10;
/* Where frames fall at random, a second level is left early. */
static const double LEFT_EARLY = 0.5;

static bool build_straight(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    size_t bytes = (size_t)footprint_bytes;
    struct code c = probe_code(p, bytes + ROOM_BYTES);
    unsigned nop_bytes = 1;

    (void)context;
    for (const unsigned *n = emit_nop_lengths; *n && *n <= NOP_BYTES_AT_MOST; n++)
        nop_bytes = *n;
    emit_nop_row(&c, nop_bytes, (bytes - LOOP_BYTES) / nop_bytes);
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){.units = footprint_bytes / LINE_BYTES, .warm_iterations = 2, .stretch = probe_smoke(p, 1, 4)};
    return probe_kernel(p, &c, 0, k);
}

static size_t line_place(const void *context, size_t index)
{
    (void)context;
    return (index + SURPRISE_LOOP_LINES) * LINE_BYTES;
}

static bool build_surprise(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    size_t lines = (size_t)footprint_bytes / LINE_BYTES - SURPRISE_LOOP_LINES;
    struct code c = probe_code(p, (size_t)footprint_bytes + ROOM_BYTES);

    surprise_begin(&c, context);
    for (size_t line = 0; line < lines; line++) {
        emit_place(&c, line_place(NULL, line));
        surprise_place(&c, context);
    }
    return surprise_kernel(p, context, &c, line_place, NULL, lines, k);
}

/* Which knee is the instruction cache's: the last one that is not the second level's. v->count without one. */
static size_t instruction_cache(struct probe *p, const struct verdict *v)
{
    double second = LEFT_EARLY * facts_number(&p->run->facts, "memory.cache.bytes", "level=2", 0);
    size_t i = v->count;

    if (!(second > 0))
        second = SECOND_LEVEL_BYTES;
    while (i-- > 0)
        if (v->knees[i].value < second)
            return i;
    return v->count;
}

static void report_rates(struct probe *p, const struct sweep *s)
{
    for (size_t level = 0; level < s->search.verdict.level_count; level++) {
        const struct find_value rate = {s->name, "prefetchers", LINE_BYTES / find_height(&s->search.verdict, level)};
        find_number(p,
                    &(struct finding){.name = "frontend.l1i.bytes_per_cycle",
                                      .variants = {{"level", .number = (double)level + 1}},
                                      .curves = {s->name},
                                      .method = "median of the level"},
                    &rate, 1);
    }
}

static void report_bytes(struct probe *p, const struct sweep s[PATTERNS])
{
    const struct verdict *straight = &s[STRAIGHT].search.verdict, *surprise = &s[SURPRISE].search.verdict;
    struct find_experiment e[PATTERNS];

    find_experiments(s, PATTERNS, e);
    e[SURPRISE].knee = instruction_cache(p, surprise);
    /* where straight code slows down an operation cache may end as well: by itself it tells nothing */
    const bool edge = e[SURPRISE].knee < surprise->count;
    if (edge)
        e[STRAIGHT].knee = find_knee_near(straight, surprise->knees[e[SURPRISE].knee].value, SAME_EDGE);
    find_capacity(
        p,
        &(struct finding){.name = "frontend.l1i.bytes", .limits = {{"frontend.itlb.entries", "page=4k", 1.0 / 4096}}},
        edge ? e : &e[SURPRISE], edge ? PATTERNS : 1, GRAIN_BYTES);
}

static void run(struct probe *p)
{
    struct surprise walk;
    struct sweep s[PATTERNS] = {
        [STRAIGHT] = {.name = "straight", .fooled_by = "prefetchers", .unit = "cycles/line", .build = build_straight},
        [SURPRISE] = {.name = "surprise", .fooled_by = "data cache", .unit = "cycles/jump", .build = build_surprise}};

    if (!surprise_map(p, &walk))
        return;
    for (enum pattern i = 0; i < PATTERNS; i++) {
        s[i].axis = "footprint_bytes";
        s[i].context = &walk;
        s[i].search = (struct search){.kind = KNEE_STEP,
                                      .from = GRAIN_BYTES,
                                      .to = probe_scale(p, 1 << 15, 1 << 18, 1 << 19, 1 << 20),
                                      .limit = probe_smoke(p, 1 << 15, 1 << 20),
                                      .grain = GRAIN_BYTES,
                                      .resolution = 0.01,
                                      .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)};
    }
    if (sweeps_search(p, s, PATTERNS)) {
        report_rates(p, &s[STRAIGHT]);
        report_bytes(p, s);
    }
    sweeps_free(s, PATTERNS);
}

PROBE(l1i, .title = "Instruction cache", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.l1i.bytes", "bytes", "capacity of the instruction cache"},
                           {"frontend.l1i.bytes_per_cycle", "bytes/cycle",
                            "straight code, by the level it comes from"}));
