/*
 * First data cache: how long are its lines?
 *
 * Experiment: a pointer chase over blocks in random order, far more than the cache holds, with two loads to a block.
 * The first one misses, and so does the second one unless it is on the same line.
 *
 *   onward   the second load lies behind the first: prefetchers that fetch the next line make lines look longer
 *   back     it lies before the first: prefetchers that fetch the previous line do
 *
 * Curve: cycles per load over the bytes from the beginning of the one to the end of the other, both included. It
 * rises in one step.
 *
 * Inference: the last distance before the step is the length of a line, if the first load of each block misses before
 * it. Blocks begin where the longest lines do.
 *
 * Sources: pairs of loads at a growing distance (Saavedra and Smith 1995, spatial locality); both directions are ours.
 * docs/METHODS.md, 7.3.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/line_pairs.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum {
    STEP_BYTES = sizeof(uint64_t),
    L1D_BYTES = 256 << 10, /* capacity of the cache, at most, where none is known; what it holds shows only its sets */
    DIRECTIONS = 2
};

struct pairs {
    const struct pointer_chase *chase;
    size_t *offsets; /* scratch */
    size_t blocks;
    bool back; /* the second load lies before the first */
};

static bool build(struct probe *p, double bytes, void *context, struct kernel *k)
{
    const struct pairs *q = context;

    return line_pairs_kernel(p, q->chase, q->offsets, q->blocks, (size_t)bytes - STEP_BYTES, q->back, k);
}

/*
 * Before the step a hit follows each miss, behind it a second miss: the mean is more than half of the mean behind it. A
 * lower one means that the cache holds one line of each block and not two, which need not be the length of a line.
 */
static void require_misses(struct verdict *v)
{
    if (v->count && 2 * v->knees[0].before < v->knees[0].after)
        v->reason = REASON_CAPACITY_UNKNOWN;
}

static void run(struct probe *p)
{
    /*
     * Blocks for twice the cache if lines have the longest length. Lines of 64 bytes: blocks are 20 lines apart, so
     * that every fourth set at least is used, and gets twice as many lines as it has ways.
     */
    const double l1d = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", L1D_BYTES);
    const size_t blocks = (size_t)probe_smoke(p, 64, 2 * l1d / LINE_PAIRS_LONGEST);
    struct pointer_chase chase;
    size_t *offsets = malloc(2 * blocks * sizeof *offsets);
    struct pairs pairs[DIRECTIONS] = {{&chase, offsets, blocks, false}, {&chase, offsets, blocks, true}};
    struct sweep s[DIRECTIONS];

    if (!offsets) {
        probe_skip(p, "out of memory");
        return;
    }
    if (!pointer_chase_map(p, &chase, blocks * LINE_PAIRS_BLOCK)) {
        free(offsets);
        return;
    }
    for (size_t i = 0; i < DIRECTIONS; i++)
        s[i] = (struct sweep){.name = pairs[i].back ? "back" : "onward",
                              .confounder = pairs[i].back ? "prefetching of lines before"
                                                          : "prefetching of lines behind",
                              .axis = "bytes",
                              .unit = "cycles/load",
                              .build = build,
                              .context = &pairs[i],
                              .area = &chase.ring,
                              .search = {.kind = KNEE_STEP,
                                         .from = 2 * STEP_BYTES,
                                         .to = LINE_PAIRS_LONGEST + POINTER_CHASE_LINE_BYTES,
                                         .step = STEP_BYTES,
                                         .resolution = 0.02,
                                         .coarse = (unsigned)probe_smoke(p, 4, 20),
                                         .budget = (unsigned)probe_scale(p, 4, 160, 240, 600)}};
    if (sweeps_search(p, s, DIRECTIONS)) {
        struct experiment e[DIRECTIONS];
        for (size_t i = 0; i < DIRECTIONS; i++)
            require_misses(&s[i].search.verdict);
        experiments_of_sweeps(s, DIRECTIONS, e);
        report_capacity(p,
                        &(struct finding){.name = "memory.cache.line_bytes",
                                          .variants = {{"level", .number = 1}},
                                          .method = "the longest distance of two loads that cost one miss"},
                        e, DIRECTIONS, STEP_BYTES);
    }
    sweeps_free(s, DIRECTIONS);
    free(offsets);
}

PROBE(cache_lines, .title = "Data cache: lines", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.cache.line_bytes", "bytes", "length of a data cache's line"}));
