/*
 * First data cache: how long are its lines?
 *
 * A pointer chase over blocks in random order, far more than the cache holds, two loads to a block: the first one misses,
 * and the second one does, too, unless it is on the same line.
 *
 *   onward   the second load lies behind the first: prefetchers that bring the next line make lines look longer
 *   back     it lies before the first: those that bring the line before would
 *
 * Curve: cycles per load over the bytes from the beginning of the one to the end of the other, both included. A step
 * behind the line's length. Blocks begin where the longest lines do.
 *
 * Method: pairs of loads at a growing distance (Saavedra and Smith 1995, spatial locality); both ways round are ours.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/kernels/chase.h"
#include "lib/find.h"

enum {
    LONGEST_LINE = 256,             /* Fujitsu's A64FX */
    BLOCK_BYTES = 5 * LONGEST_LINE, /* odd, so that prefetchers of pairs of lines see either half first */
    GRAIN = sizeof(uint64_t),
    L1D_BYTES = 48 << 10, /* where nothing is known of it */
    UNROLL = 16,
    WAYS_TO_GO = 2
};

struct pairs {
    const struct chase *chase;
    size_t *offsets; /* scratch */
    size_t blocks;
    bool back;
};

static bool build(struct probe *p, double bytes, void *context, struct kernel *k)
{
    const struct pairs *q = context;
    const size_t away = (size_t)bytes - GRAIN;

    /* the first loads in random order, then the second ones between them */
    for (size_t i = 0; i < q->blocks; i++)
        q->offsets[i] = i * BLOCK_BYTES;
    chase_scatter(p, q->chase, q->offsets, q->blocks);
    for (size_t i = q->blocks; i-- > 0;) {
        size_t block = q->offsets[i];
        q->offsets[2 * i] = block + (q->back ? away : 0);
        q->offsets[2 * i + 1] = block + (q->back ? 0 : away);
    }
    chase_follow(q->chase, q->offsets, 2 * q->blocks);
    k->warm_iterations = 2 * (double)q->blocks / UNROLL;
    return chase_kernel(p, q->chase, chase_unroll(2 * q->blocks, UNROLL), k);
}

static void run(struct probe *p)
{
    /* of each block's five times four shortest lines one or two are used: every fourth set is, at least */
    const double l1d = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", L1D_BYTES);
    const size_t blocks = (size_t)probe_smoke(p, 64, 2 * l1d / LONGEST_LINE);
    struct chase chase;
    size_t *offsets = malloc(2 * blocks * sizeof *offsets);
    struct pairs pairs[WAYS_TO_GO] = {{&chase, offsets, blocks, false}, {&chase, offsets, blocks, true}};
    struct sweep s[WAYS_TO_GO];

    if (!offsets) {
        probe_skip(p, "out of memory");
        return;
    }
    if (!chase_map(p, &chase, blocks * BLOCK_BYTES)) {
        free(offsets);
        return;
    }
    for (size_t i = 0; i < WAYS_TO_GO; i++)
        s[i] = (struct sweep){.name = pairs[i].back ? "back" : "onward",
                              .fooled_by = pairs[i].back ? "prefetching of lines before"
                                                         : "prefetching of lines behind",
                              .axis = "bytes",
                              .unit = "cycles/load",
                              .build = build,
                              .context = &pairs[i],
                              .area = &chase.ring,
                              .search = {.kind = KNEE_STEP,
                                         .from = 2 * GRAIN,
                                         .to = LONGEST_LINE + CHASE_LINE_BYTES,
                                         .grain = GRAIN,
                                         .resolution = 0.02,
                                         .coarse = (unsigned)probe_smoke(p, 4, 20),
                                         .budget = (unsigned)probe_scale(p, 4, 160, 240, 600)}};
    if (sweeps_search(p, s, WAYS_TO_GO)) {
        struct find_experiment e[WAYS_TO_GO];
        find_experiments(s, WAYS_TO_GO, e);
        find_capacity(p,
                      &(struct finding){.name = "memory.cache.line_bytes",
                                        .variants = {{"level", .number = 1}},
                                        .method = "the longest stretch that costs one miss"},
                      e, WAYS_TO_GO, GRAIN);
    }
    sweeps_free(s, WAYS_TO_GO);
    free(offsets);
}

PROBE(cache_lines, .title = "Data cache: lines", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.cache.line_bytes", "bytes", "length of a data cache's line"}));
