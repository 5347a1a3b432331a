/*
 * Question: how many ways has the instruction cache, how long are its lines, and which address bits choose the set?
 *
 * Experiment 1, apart: n places, a power of two bytes apart, visited by a jump that is always mispredicted, with
 * nothing fetched meanwhile (lib/kernels/mispredicted_return.h): it costs more when its target is not in the cache.
 * Places are full of instructions, so that an operation cache holds few of them, and a second search begins behind the
 * first places. The control has as many places on the same pages, on
 * lines that rotate: what TLBs and branch predictors cost is the same there, and is subtracted. Of several steps the
 * one counts that agrees with the capacity (lib/structure/set_steps.h).
 *
 * Curve over n: a level, then a step. Inference: where places are so far apart that all fall into one set, the level
 * ends with its ways. Nearer than that, each halving of the distance doubles what is held, since one more bit chooses
 * between sets. So the shortest distance at which only the ways are held is what all sets of a way span. Several
 * distances must agree, and the ways must make up the cache (lib/structure/set_associativity.h). Where frames fall at
 * random and a way spans more than a page, sets are random too, and nothing is decided.
 *
 * Experiment 2, onward and back: far more places than the cache has lines, two to a block. The two are always visited
 * one after the other, onward or back. As long as both are on one line, only the first one misses.
 *
 * Curve over the bytes from the beginning of the first place to the end of the last: a step behind the length of a
 * line. Prefetchers that fetch the next line make it look longer onward, but not back. Blocks begin at multiples of 64
 * bytes: where lines are longer some begin within one, and there are several steps.
 *
 * Sources: jia.je 2025, Apple M1 (branches at distances of powers of two); mispredicted jumps and the control are ours.
 * docs/METHODS.md, 5.8.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/random.h"
#include "lib/finding/report.h"
#include "lib/kernels/mispredicted_return.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"
#include "lib/structure/line_steps.h"
#include "lib/structure/set_associativity.h"
#include "lib/structure/set_steps.h"

enum {
    DISTANCES = 8,
    NEAREST_BYTES = 512,
    PAIR = 2,       /* places of a block */
    DIRECTIONS = 2, /* in which they are visited */
    PLACES_FROM = 1,
    PLACES_OF_OPERATIONS = 4, /* of one set: more than an operation cache holds (AMD Zen 4: two and a part) */
    PLACES_TO = 32,
    PLACES_LIMIT = 40,
    ROTATION_BYTES = 4096, /* places begin, and lines rotate, within this, or the distance where that is less */
    BLOCK_BYTES = 320,     /* five lines of 64 bytes: blocks begin on odd and even lines */
    LINE_LONGEST = 256,
    LOOP_BYTES = LINE_LONGEST, /* of the lines that the loop is on */
    LINE_GRAIN = 16,           /* bytes of a jump's piece of code, aligned: none is on two lines */
    ROOM_BYTES = 4096,
    L1I_BYTES = 32 << 10 /* where nothing is known of it */
};

/* ---- Ways --------------------------------------------------------------------------------------- */

struct apart {
    struct mispredicted_return *list;
    size_t bytes;
    size_t at;                 /* offset of the first place */
    char name[24], behind[32]; /* of the curves: from the first place on, and behind what an operation cache may hold */
};

static size_t within(const struct apart *a)
{
    return a->bytes < ROTATION_BYTES ? a->bytes : ROTATION_BYTES;
}

static size_t apart_place(const void *context, size_t index)
{
    const struct apart *a = context;

    return a->at + index * a->bytes;
}

/* The offset of a place of the control: its set does not depend on the distance. */
static size_t rotating_place(const void *context, size_t index)
{
    return apart_place(context, index) + index * MISPREDICTED_LINE_BYTES % within(context);
}

/*
 * Places begin in another set for each sample, since code that runs between readings occupies some sets; they never
 * begin in a set of the loop.
 */
static bool build_places(struct probe *p, size_t count, struct apart *a,
                         size_t (*place)(const void *context, size_t index), struct kernel *k)
{
    struct code c = probe_code(p, (count + 1) * a->bytes + ROOM_BYTES);

    a->at = LOOP_BYTES +
            random_below(&p->random, (within(a) - LOOP_BYTES) / MISPREDICTED_LINE_BYTES) * MISPREDICTED_LINE_BYTES;
    a->list->group = 1;
    a->list->full = true;
    mispredicted_return_begin(&c, a->list);
    for (size_t i = 0; i < count; i++) {
        emit_place(&c, place(a, i));
        mispredicted_return_place(&c, a->list);
    }
    return mispredicted_return_kernel(p, a->list, &c, place, a, count, k);
}

static bool build_apart(struct probe *p, double count, void *context, struct kernel *k)
{
    return build_places(p, (size_t)count, context, apart_place, k);
}

static bool build_control(struct probe *p, double count, void *context, struct kernel *k)
{
    return build_places(p, (size_t)count, context, rotating_place, k);
}

/*
 * The count behind the places that an operation cache may hold. It may hold the first one or two places of a set, which
 * is too few points for a level: a second search begins behind them.
 */
static double behind_operations(size_t bytes)
{
    return PLACES_OF_OPERATIONS * fmax(1, (double)ROTATION_BYTES / (double)bytes);
}

static struct sweep sweep_apart(const struct probe *p, struct apart *a, const char *name, double from)
{
    return (struct sweep){.name = name,
                          .confounder = a->name,
                          .axis = "places",
                          .unit = "cycles/jump",
                          .build = build_apart,
                          .control = build_control,
                          .context = a,
                          .slowest_of = MISPREDICTED_ORDERS,
                          .search = {.kind = KNEE_STEP,
                                     .from = from,
                                     .to = probe_smoke(p, from + 5, PLACES_TO),
                                     .limit = probe_smoke(p, from + 5, PLACES_LIMIT),
                                     .step = 1,
                                     .resolution = 0.01,
                                     .per_octave = (unsigned)probe_smoke(p, 2, 8),
                                     .budget = (unsigned)probe_smoke(p, 4, 120)}};
}

/* Both curves of each distance that has been tried: those from index `first` to before `end`. */
struct distances {
    struct apart apart[DISTANCES];
    size_t bytes[DISTANCES];
    struct sweep all[DISTANCES], behind[DISTANCES];
    size_t first, end;
};

/* Searches the distances from index `first` to before `end`. */
static bool search_distances(struct probe *p, struct mispredicted_return *list, struct distances *d, size_t first,
                             size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct apart *a = &d->apart[i];
        d->bytes[i] = (size_t)NEAREST_BYTES << i;
        *a = (struct apart){.list = list, .bytes = d->bytes[i]};
        snprintf(a->name, sizeof a->name, "%zu bytes apart", a->bytes);
        snprintf(a->behind, sizeof a->behind, "%s, behind", a->name);
        d->all[i] = sweep_apart(p, a, a->name, PLACES_FROM);
        d->behind[i] = sweep_apart(p, a, a->behind, behind_operations(d->bytes[i]));
    }
    d->first = first < d->first ? first : d->first;
    d->end = end > d->end ? end : d->end;
    return sweeps_search(p, &d->all[first], end - first) && sweeps_search(p, &d->behind[first], end - first);
}

/* Where these distances do not decide, one farther apart or nearer is tried as well. */
static bool find_ways(struct probe *p, struct mispredicted_return *list, double line_bytes)
{
    /* the longest distances are those of the widest ways: 32 KiB (Apple's performance cores) */
    const size_t nearest = (size_t)probe_scale(p, 1, 2, 1, 1), count = (size_t)probe_scale(p, 1, 4, 7, 7);
    const bool adapts = !probe_is_smoke(p) && !probe_is_simulated(p);
    const struct set_associativity a = {.ways = "frontend.l1i.ways",
                                        .index_bits = "frontend.l1i.index_bits",
                                        .capacity = facts_number(&p->run->facts, "frontend.l1i.bytes", "", NAN),
                                        .line_bytes = line_bytes,
                                        .known_bytes = frame_known_bytes(p->code.page_bytes)};
    struct distances d = {.first = DISTANCES};
    struct sweep last[DISTANCES];
    bool good = search_distances(p, list, &d, nearest, nearest + count);

    for (int more = 1; good && more;) {
        const size_t at = d.first, tried = d.end - at;
        set_steps_choose(a.capacity, &d.all[at], &d.behind[at], &d.bytes[at], tried, last);
        more = adapts ? set_associativity_further(&a, last, &d.bytes[at], tried) : 0;
        more = more > 0 ? d.end < DISTANCES : more < 0 && at > 0 ? -1 : 0;
        if (more)
            good = search_distances(p, list, &d, more > 0 ? d.end : at - 1, more > 0 ? d.end + 1 : at);
        else
            set_associativity_report(p, &a, last, &d.bytes[at], tried);
    }
    sweeps_free(&d.all[d.first], d.end - d.first);
    sweeps_free(&d.behind[d.first], d.end - d.first);
    return good;
}

/* ---- Lines -------------------------------------------------------------------------------------- */

struct pairs {
    struct mispredicted_return *list;
    bool back;
    size_t bytes; /* from the beginning of the first to the end of the last instruction of a block */
};

/*
 * The offset of a place: each block has one at its beginning and one at its end; back, the one at the end comes first.
 */
static size_t block_place(const void *context, size_t index)
{
    const struct pairs *q = context;
    const size_t at = (index / PAIR + 1) * BLOCK_BYTES;

    return (index % PAIR == 0) == q->back ? at + q->bytes - LINE_GRAIN : at;
}

static bool build_pairs(struct probe *p, double bytes, void *context, struct kernel *k)
{
    struct pairs *q = context;
    double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", L1I_BYTES);
    /* twice as many blocks as the cache has lines, of the shortest length: none is still there in the next pass */
    size_t blocks = (size_t)probe_smoke(p, 64, 2 * l1i / MISPREDICTED_LINE_BYTES);
    struct code c = probe_code(p, (blocks + 2) * BLOCK_BYTES + ROOM_BYTES);

    q->bytes = (size_t)bytes;
    q->list->group = PAIR;
    q->list->full = false;
    mispredicted_return_begin(&c, q->list);
    for (size_t i = 0; i < PAIR * blocks; i++) {
        emit_place(&c, block_place(q, q->back ? i ^ 1 : i)); /* in the order of addresses */
        mispredicted_return_place(&c, q->list);
    }
    return mispredicted_return_kernel(p, q->list, &c, block_place, q, PAIR * blocks, k);
}

static bool find_line(struct probe *p, struct mispredicted_return *list, double *line_bytes)
{
    static const char *const needs[] = {"l1i_misses", NULL};
    struct pairs pairs[DIRECTIONS] = {{.list = list}, {.list = list, .back = true}};
    struct sweep s[DIRECTIONS];
    char proof[PROOF_TEXT];

    for (size_t i = 0; i < DIRECTIONS; i++)
        s[i] = (struct sweep){.name = pairs[i].back ? "back" : "onward",
                              .confounder = pairs[i].back ? "fetching of lines before" : "fetching of lines behind",
                              .axis = "bytes",
                              .unit = "cycles/jump",
                              .build = build_pairs,
                              .context = &pairs[i],
                              .search = {.kind = KNEE_STEP,
                                         .from = 2 * LINE_GRAIN,
                                         .to = probe_smoke(p, 5 * LINE_GRAIN, LINE_LONGEST),
                                         .step = LINE_GRAIN,
                                         .resolution = 0.02,
                                         .coarse = (unsigned)probe_smoke(p, 4, 15),
                                         .budget = (unsigned)probe_smoke(p, 4, 120)}};
    bool good = sweeps_search(p, s, DIRECTIONS) && proof_of_knee(p, &s[1], 0, needs, proof);
    if (good)
        *line_bytes = line_steps_report(p,
                                        &(struct finding){.name = "frontend.l1i.line_bytes",
                                                          .method = "the longest range of bytes that costs one miss",
                                                          .remarks = {{proof[0] ? "proof" : NULL, proof}}},
                                        s, DIRECTIONS);
    sweeps_free(s, DIRECTIONS);
    return good;
}

static void run(struct probe *p)
{
    struct mispredicted_return list;
    double line_bytes = NAN;

    if (mispredicted_return_map(p, &list) && find_line(p, &list, &line_bytes))
        find_ways(p, &list, line_bytes);
}

PROBE(l1i_ways, .title = "Instruction cache: lines and ways", .family = "frontend", .after = "l1i", .run = run,
      .findings = FINDINGS({"frontend.l1i.line_bytes", "bytes", "length of an instruction cache's line"},
                           {"frontend.l1i.ways", "ways", "lines of one set of the instruction cache"},
                           {"frontend.l1i.index_bits", "bits",
                            "address bits that choose the set, from the line's length on"}));
