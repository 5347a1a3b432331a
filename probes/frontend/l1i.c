/*
 * Instruction cache: how much code does it hold, and how fast is code fetched from it and from behind it?
 *
 *   straight   one long stretch of NOPs, over and over. While it fits, the core fetches at its best; past
 *              that every pass evicts what the next one needs first, and the rate falls to what the level
 *              behind delivers. The NOPs are long ones, few to a line, so that a cache of decoded operations
 *              holds little more of this code than the instruction cache does. A prefetcher of following
 *              lines may hide what is missed
 *   surprise   places in an order drawn at random, to which a jump goes that no predictor can know: every jump is
 *              mispredicted, and what it costs shows how far away its target was. While all of them fit it costs
 *              the same; past that, more and more are fetched from behind. Widths are lost in the penalty.
 *              Places are one in four lines, so that lines fetched ahead fall into other sets, whatever is on
 *              them, and are full of instructions, so that a cache of decoded operations ends before
 *
 * Curves over footprint: straight is a staircase in cycles per line: operation cache where there is one,
 * instruction cache, second level, what lies behind. How high a stair is tells nothing: from operation
 * cache to instruction cache the rate may fall as much as from there to the second level. Surprise is a
 * level that is left by a ramp. Where instruction TLBs end both may rise, too. Answer: the last footprint
 * before the last rise that is not such a TLB's, nor the second level's by its size. Of straight code one
 * step more may fit than the instruction cache holds: a row of 33 KiB takes thrice as long as one of 32 KiB
 * on Zen 4 in some runs and no longer in others, presumably since an operation cache keeps the line that a
 * few sets have too many. So its interval begins a step below.
 *
 * Method: straight-line NOP loops, as Wong 2018 and clamchowder's suite; the surprise is ours.
 */
#include <math.h>

#include "lib/find.h"
#include "lib/probe.h"
#include "lib/kernels/surprise.h"
#include "lib/tlb.h"

enum {
    LINE_BYTES = 64,
    PLACE_BYTES = 256, /* from one to the next: AMD's Zen 4 fetches the next two lines ahead */
    NOP_BYTES_AT_MOST = 8,
    LOOP_BYTES = 16, /* the end of a loop, its branch: part of the footprint */
    ROOM_BYTES = 64,
    GRAIN_BYTES = 1024,
    TLB_LEVELS = 2
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

/* The loop is in one's stead. */
static size_t place_at(size_t place)
{
    return (place + 1) * PLACE_BYTES;
}

static size_t jump_to(const void *context, size_t jump)
{
    return place_at(surprise_again(jump, *(const size_t *)context, PLACE_BYTES));
}

static bool build_surprise(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    size_t places = (size_t)footprint_bytes / PLACE_BYTES - 1;
    struct code c = probe_code(p, (size_t)footprint_bytes + ROOM_BYTES);

    surprise_begin(&c, context);
    for (size_t i = 0; i < places; i++) {
        emit_place(&c, place_at(i));
        surprise_place(&c, context);
    }
    return surprise_kernel(p, context, &c, jump_to, &places, surprise_jumps(places, PLACE_BYTES), k);
}

/* Edges from here on are the second level's. */
static double second_level(struct probe *p)
{
    double bytes = LEFT_EARLY * facts_number(&p->run->facts, "memory.cache.bytes", "level=2", 0);

    return bytes > 0 ? bytes : SECOND_LEVEL_BYTES;
}

/* Where an instruction TLB ends, to a page. */
static bool is_tlbs(const struct probe *p, const struct knee *k)
{
    const double page = (double)machine_info()->page_bytes[0];

    for (unsigned level = 1; level <= TLB_LEVELS; level++) {
        const double reach = tlb_code_reach(p, level);
        if (reach > 0 && k->low - page <= reach && reach <= k->high + page)
            return true;
    }
    return false;
}

/* The last knee that is neither the second level's nor a TLB's; v->count without one. */
static size_t last_knee(struct probe *p, const struct verdict *v)
{
    for (size_t i = v->count; i-- > 0;)
        if (v->knees[i].value < second_level(p) && !is_tlbs(p, &v->knees[i]))
            return i;
    return v->count;
}

/*
 * Which knee is the instruction cache's: the last one that is not the second level's or a TLB's, and that straight code has
 * as well; where that has none of them the last one. v->count without one. *both: how many both have.
 */
static size_t instruction_cache(struct probe *p, const struct verdict *v, const struct verdict *straight, size_t *both)
{
    const double second = second_level(p);
    size_t found = v->count;

    *both = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (!(v->knees[i].value < second) || is_tlbs(p, &v->knees[i]))
            continue;
        const bool has = find_knee_near(straight, v->knees[i].value, SAME_EDGE) < straight->count;
        if (has || !*both)
            found = i;
        *both += has;
    }
    return found;
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
    const struct finding f = {.name = "frontend.l1i.bytes",
                              .limits = {{"frontend.itlb.entries", "page=4k", 1.0 / 4096}},
                              .value = (double)NAN,
                              .low = (double)NAN,
                              .high = (double)NAN,
                              .grade = 'U',
                              .reason = "may be the limit of frontend.itlb.entries"};
    struct verdict row = *straight;
    struct find_experiment e[PATTERNS];
    size_t both;

    find_experiments(s, PATTERNS, e);
    for (size_t i = 0; i < row.count; i++)
        row.knees[i].low -= GRAIN_BYTES;
    e[STRAIGHT].verdict = &row;
    e[SURPRISE].knee = instruction_cache(p, surprise, straight, &both);
    /* where straight code slows down an operation cache may end as well: by itself it tells nothing */
    const bool edge = e[SURPRISE].knee < surprise->count;
    if (edge) {
        e[STRAIGHT].knee = find_knee_near(straight, surprise->knees[e[SURPRISE].knee].value, SAME_EDGE);
        /* but where it does so elsewhere alone, behind, surprise may show no more than an operation cache */
        const size_t last = last_knee(p, straight);
        if (e[STRAIGHT].knee == straight->count && last < straight->count &&
            straight->knees[last].value > surprise->knees[e[SURPRISE].knee].high)
            e[STRAIGHT].knee = last;
    }
    if (both > 1 && !(tlb_code_reach(p, 1) > 0))
        report(p, &f);
    else
        find_capacity(p, &f, edge ? e : &e[SURPRISE], edge ? PATTERNS : 1, GRAIN_BYTES);
}

static void run(struct probe *p)
{
    struct surprise walk = {.full = true, .row = SURPRISE_AGAIN};
    struct sweep s[PATTERNS] = {
        [STRAIGHT] = {.name = "straight", .fooled_by = "prefetchers", .unit = "cycles/line", .build = build_straight},
        [SURPRISE] = {.name = "surprise", .fooled_by = "data cache", .unit = "cycles/jump", .build = build_surprise}};

    if (!surprise_map(p, &walk))
        return;
    for (enum pattern i = 0; i < PATTERNS; i++) {
        s[i].axis = "footprint_bytes";
        s[i].context = &walk;
        s[i].search = (struct search){
            .kind = KNEE_STEP,
            .from = GRAIN_BYTES,
            .to = probe_scale(p, 1 << 15, 1 << 18, 1 << 19, 1 << 20),
            .limit = probe_smoke(p, 1 << 15, 1 << 20),
            .grain = GRAIN_BYTES,
            .resolution = 0.01,
            .per_octave = (unsigned)probe_scale(p, 1, i == SURPRISE ? 8 : 4, i == SURPRISE ? 8 : 4, 8)};
    }
    if (sweeps_search(p, s, PATTERNS)) {
        report_rates(p, &s[STRAIGHT]);
        report_bytes(p, s);
    }
    sweeps_free(s, PATTERNS);
}

PROBE(l1i, .title = "Instruction cache", .family = "frontend", .after = "itlb", .run = run,
      .findings = FINDINGS({"frontend.l1i.bytes", "bytes", "capacity of the instruction cache"},
                           {"frontend.l1i.bytes_per_cycle", "bytes/cycle",
                            "straight code, by the level it comes from"}));
