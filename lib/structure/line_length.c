#include "lib/structure/line_length.h"

#include <math.h>
#include <stdlib.h>

#include "lib/kernels/line_pairs.h"
#include "lib/probe/sample.h"

enum {
    BLOCKS_MOST = 2048, /* blocks may fall into every fourth set only: of 256 KiB they then fill these twice */
    SAMPLES = 5,
    SAME_LINE = 8 /* bytes to a second load that is surely on the same line */
};

/*
 * Relative difference of the costs of hits and misses below which the length is not measured. Chosen: ten times what
 * readings of one kernel may differ by.
 * no test: misses of all modelled cores cost half as much again as hits.
 */
static const double CONTRAST = 0.1;

/* A kernel, for sample_cycles. */
struct pairs {
    const struct pointer_chase *chase;
    size_t *offsets;
    size_t blocks, away;
};

static bool build(struct probe *p, void *context, struct kernel *k)
{
    const struct pairs *q = context;

    return line_pairs_kernel(p, q->chase, q->offsets, q->blocks, q->away, false, k);
}

static bool measure_length(struct probe *p, struct pairs *q, size_t *bytes)
{
    double hit, miss, cycles = 0;

    q->away = SAME_LINE;
    if (!sample_cycles(p, SAMPLES, build, q, &hit))
        return false;
    q->away = 2 * LINE_PAIRS_LONGEST;
    if (!sample_cycles(p, SAMPLES, build, q, &miss))
        return false;
    if (!(miss > (1 + CONTRAST) * hit))
        return true;
    for (q->away = *bytes; q->away < LINE_PAIRS_LONGEST; q->away *= 2) {
        if (!sample_cycles(p, SAMPLES, build, q, &cycles))
            return false;
        if (!(cycles - hit < miss - cycles)) /* nearer to a miss */
            break;
        *bytes = 2 * q->away;
    }
    return true;
}

bool line_length_find(struct probe *p, const struct pointer_chase *chase, size_t *bytes)
{
    const double known = facts_number(&p->run->facts, "memory.cache.line_bytes", "level=1", 0);
    struct pairs q = {.chase = chase,
                      .blocks = (size_t)fmin((double)chase->ring.bytes / LINE_PAIRS_BLOCK, BLOCKS_MOST)};

    *bytes = POINTER_CHASE_LINE_BYTES;
    if (known > 0 || q.blocks < 2 || probe_is_smoke(p)) {
        while ((double)*bytes < known)
            *bytes *= 2;
        return true;
    }
    q.offsets = probe_calloc(p, 2 * q.blocks, sizeof *q.offsets);
    if (!q.offsets)
        return false;
    const bool good = measure_length(p, &q, bytes);
    free(q.offsets);
    return good;
}
