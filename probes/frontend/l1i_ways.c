/*
 * Instruction cache, its shape: how many ways, how long are its lines, and which address bits choose the set?
 *
 *   apart    n places to jump to, a power of two bytes apart. Each jump is mispredicted, with nothing fetched meanwhile
 *            (lib/kernels/surprise.h), and costs more when its target is not in the cache. Places are full of instructions,
 *            so that a cache of decoded operations holds fewer of them: of several steps the last one is looked at, and a
 *            second search begins behind the first places. The control has as many on the same pages, on lines that
 *            rotate: pages, branches and their number cost the same there, and it goes off
 *
 *            Curve over n: level, then a step. Where the places are so far apart that they all fall into one set, the level
 *            ends with its ways; nearer than that, each halving of the distance doubles what is held, since one bit more
 *            chooses between sets. So the shortest distance at which only the ways are held is what all sets of a way span
 *
 *   onward   far more places than the cache has lines, two to a block, and always taken one after the other, onwards or
 *   back     back. As long as both are on one line, only the first one's is fetched from behind
 *
 *            Curve over the bytes from the beginning of the first to the end of the last: a step behind the line's length.
 *            Prefetchers that fetch the next line make it look longer onwards, not back
 *
 * Several distances must agree, and the ways make up the cache (lib/ways.h). Where frames fall at random and a way spans
 * more than a page, sets are random too, and nothing is told.
 *
 * Method: jia.je 2025, Apple M1: branches at distances of powers of two; mispredicted, with a control, ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/find.h"
#include "lib/proof.h"
#include "lib/kernels/surprise.h"
#include "lib/ways.h"

enum {
    DISTANCES = 7,
    NEAREST_BYTES = 1024,
    PAIR = 2, /* places of a block */
    PLACES_FROM = 1,
    PLACES_OF_OPERATIONS = 4, /* of one set: more than a cache of operations holds (AMD, Zen 4: two and a part) */
    PLACES_TO = 32,
    PLACES_LIMIT = 40,
    ROTATION_BYTES = 4096, /* places begin, and lines rotate, within this, or the distance where that is less */
    BLOCK_BYTES = 320,     /* five lines of 64 bytes: blocks are on lines of any number */
    LINE_LONGEST = 256,
    LOOP_BYTES = LINE_LONGEST, /* of lines that the loop lies on */
    LINE_GRAIN = 16,           /* jumps lie in pieces of so many bytes, and never on two lines */
    ROOM_BYTES = 4096,
    L1I_BYTES = 32 << 10 /* where nothing is known of it */
};

/* ---- Ways --------------------------------------------------------------------------------------- */

struct apart {
    struct surprise *walk;
    size_t bytes;
    size_t count, at;          /* of places, of the first one */
    char name[24], behind[32]; /* of the curves: of all places, and of those behind operations */
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

static size_t apart_jump(const void *context, size_t jump)
{
    const struct apart *a = context;

    return apart_place(a, surprise_again(jump, a->count, a->bytes));
}

/* Where the set does not depend on the distance. */
static size_t rotating_place(const void *context, size_t index)
{
    return apart_place(context, index) + index * SURPRISE_LINE_BYTES % within(context);
}

static size_t rotating_jump(const void *context, size_t jump)
{
    const struct apart *a = context;

    return rotating_place(a, surprise_again(jump, a->count, a->bytes));
}

/* In another set each time, and never in those of the loop: what else runs between readings is in some sets as well. */
static bool build_places(struct probe *p, size_t count, struct apart *a,
                         size_t (*place)(const void *context, size_t index),
                         size_t (*jump)(const void *context, size_t jump), struct kernel *k)
{
    struct code c = probe_code(p, (count + 1) * a->bytes + ROOM_BYTES);

    a->at = LOOP_BYTES + random_below(&p->random, (within(a) - LOOP_BYTES) / SURPRISE_LINE_BYTES) * SURPRISE_LINE_BYTES;
    a->count = count;
    a->walk->row = SURPRISE_AGAIN;
    a->walk->full = true;
    surprise_begin(&c, a->walk);
    for (size_t i = 0; i < count; i++) {
        emit_place(&c, place(a, i));
        surprise_place(&c, a->walk);
    }
    return surprise_kernel(p, a->walk, &c, jump, a, surprise_jumps(count, a->bytes), k);
}

static bool build_apart(struct probe *p, double count, void *context, struct kernel *k)
{
    return build_places(p, (size_t)count, context, apart_place, apart_jump, k);
}

static bool build_control(struct probe *p, double count, void *context, struct kernel *k)
{
    return build_places(p, (size_t)count, context, rotating_place, rotating_jump, k);
}

/*
 * Of a set's first places a cache of decoded operations may hold one or two, too few points for a level: a search of its own
 * begins behind them.
 */
static double behind_operations(size_t bytes)
{
    return PLACES_OF_OPERATIONS * fmax(1, (double)ROTATION_BYTES / (double)bytes);
}

static struct sweep sweep_apart(const struct probe *p, struct apart *a, const char *name, double from)
{
    return (struct sweep){.name = name,
                          .fooled_by = a->name,
                          .axis = "places",
                          .unit = "cycles/jump",
                          .build = build_apart,
                          .control = build_control,
                          .context = a,
                          .search = {.kind = KNEE_STEP,
                                     .from = from,
                                     .to = probe_smoke(p, from + 5, PLACES_TO),
                                     .limit = probe_smoke(p, from + 5, PLACES_LIMIT),
                                     .grain = 1,
                                     .resolution = 0.01,
                                     .per_octave = (unsigned)probe_smoke(p, 2, 8),
                                     .budget = (unsigned)probe_smoke(p, 4, 120)}};
}

/* What tells of a distance: of several steps the last one, and of those behind the first places where there are any there. */
static struct sweep last_step(const struct sweep *all, const struct sweep *behind)
{
    struct sweep told = behind->search.verdict.count ? *behind : *all;
    struct verdict *v = &told.search.verdict;

    if (v->count)
        v->knees[0] = v->knees[v->count - 1];
    return told;
}

static bool find_ways(struct probe *p, struct surprise *walk, double line_bytes)
{
    const size_t count = (size_t)probe_scale(p, 1, 4, DISTANCES, DISTANCES);
    /* the longest distances are those of the widest ways: 32 KiB (Apple's performance cores) */
    const size_t nearest = NEAREST_BYTES << (size_t)probe_scale(p, 0, 1, 0, 0);
    struct apart apart[DISTANCES];
    size_t bytes[DISTANCES];
    struct sweep all[DISTANCES], behind[DISTANCES], told[DISTANCES];

    for (size_t i = 0; i < count; i++) {
        struct apart *a = &apart[i];
        bytes[i] = nearest << i;
        *a = (struct apart){.walk = walk, .bytes = bytes[i]};
        snprintf(a->name, sizeof a->name, "%zu bytes apart", a->bytes);
        snprintf(a->behind, sizeof a->behind, "%s, behind", a->name);
        all[i] = sweep_apart(p, a, a->name, PLACES_FROM);
        behind[i] = sweep_apart(p, a, a->behind, behind_operations(bytes[i]));
    }
    bool good = sweeps_search(p, all, count) && sweeps_search(p, behind, count);
    for (size_t i = 0; i < count && good; i++)
        told[i] = last_step(&all[i], &behind[i]);
    if (good)
        ways_report(p,
                    &(struct ways){.ways = "frontend.l1i.ways",
                                   .index_bits = "frontend.l1i.index_bits",
                                   .capacity = facts_number(&p->run->facts, "frontend.l1i.bytes", "", NAN),
                                   .line_bytes = line_bytes,
                                   .known_bytes = ways_known_bytes(p->code.page_bytes)},
                    told, bytes, count);
    sweeps_free(all, count);
    sweeps_free(behind, count);
    return good;
}

/* ---- Lines -------------------------------------------------------------------------------------- */

struct pairs {
    struct surprise *walk;
    bool back;
    size_t bytes; /* from the beginning of the first to the end of the last instruction of a block */
};

/* Two of each block: where it begins and where it ends, or the other way round. */
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
    /* in twice as many blocks as the cache has of the shortest lines, none is there any more */
    size_t blocks = (size_t)probe_smoke(p, 64, 2 * l1i / SURPRISE_LINE_BYTES);
    struct code c = probe_code(p, (blocks + 2) * BLOCK_BYTES + ROOM_BYTES);

    q->bytes = (size_t)bytes;
    q->walk->row = PAIR;
    q->walk->full = false;
    surprise_begin(&c, q->walk);
    for (size_t i = 0; i < PAIR * blocks; i++) {
        emit_place(&c, block_place(q, q->back ? i ^ 1 : i)); /* in the order of addresses */
        surprise_place(&c, q->walk);
    }
    return surprise_kernel(p, q->walk, &c, block_place, q, PAIR * blocks, k);
}

static bool find_line(struct probe *p, struct surprise *walk, double *line_bytes)
{
    static const char *const needs[] = {"l1i_misses", NULL};
    enum { WAYS_TO_GO = 2 };
    struct pairs pairs[WAYS_TO_GO] = {{.walk = walk}, {.walk = walk, .back = true}};
    struct find_experiment e[WAYS_TO_GO];
    struct sweep s[WAYS_TO_GO];
    char proof[PROOF_TEXT];

    for (size_t i = 0; i < WAYS_TO_GO; i++)
        s[i] = (struct sweep){.name = pairs[i].back ? "back" : "onward",
                              .fooled_by = pairs[i].back ? "fetching of lines before" : "fetching of lines behind",
                              .axis = "bytes",
                              .unit = "cycles/jump",
                              .build = build_pairs,
                              .context = &pairs[i],
                              .search = {.kind = KNEE_STEP,
                                         .from = 2 * LINE_GRAIN,
                                         .to = probe_smoke(p, 5 * LINE_GRAIN, LINE_LONGEST),
                                         .grain = LINE_GRAIN,
                                         .resolution = 0.02,
                                         .coarse = (unsigned)probe_smoke(p, 4, 15),
                                         .budget = (unsigned)probe_smoke(p, 4, 120)}};
    bool good = sweeps_search(p, s, WAYS_TO_GO) && proof_of_knee(p, &s[1], 0, needs, proof);
    if (good) {
        struct finding f = {.name = "frontend.l1i.line_bytes",
                            .method = "the longest stretch that costs one miss",
                            .remarks = {{proof[0] ? "proof" : NULL, proof}}};
        find_experiments(s, WAYS_TO_GO, e);
        find_capacity(p, &f, e, WAYS_TO_GO, LINE_GRAIN);
        *line_bytes = find_decide(e, WAYS_TO_GO, LINE_GRAIN).value;
    }
    sweeps_free(s, WAYS_TO_GO);
    return good;
}

static void run(struct probe *p)
{
    struct surprise walk;
    double line_bytes = NAN;

    if (surprise_map(p, &walk) && find_line(p, &walk, &line_bytes))
        find_ways(p, &walk, line_bytes);
}

PROBE(l1i_ways, .title = "Instruction cache: lines and ways", .family = "frontend", .after = "l1i", .run = run,
      .findings = FINDINGS({"frontend.l1i.line_bytes", "bytes", "length of an instruction cache's line"},
                           {"frontend.l1i.ways", "ways", "lines of one set of the instruction cache"},
                           {"frontend.l1i.index_bits", "bits",
                            "address bits that choose the set, from the line's length on"}));
