/*
 * Capacities beside a sibling thread: how much of a structure a kernel can use while a thread of the same core sleeps,
 * waits, or fills that structure (docs/METHODS.md, 9.4).
 *
 * Any curve with a rise will do, and the kernels are those of the probe that measures the structure: a search that finds
 * by bisection where half of the rise is. All readings of a search are taken in one state of the sibling, and each is
 * compared only with readings of the same search, so it does not matter that kernels take longer, or clocks are lower,
 * in another state.
 */
#ifndef FATHOM_LIB_STRUCTURE_BESIDE_CAPACITY_H
#define FATHOM_LIB_STRUCTURE_BESIDE_CAPACITY_H

#include "lib/kernels/traffic.h"
#include "lib/probe/probe.h"
#include "lib/structure/smt_sharing.h"

struct beside {
    struct traffic traffic; /* of the sibling alone */
    struct traffic_kind fills;
    struct code_frames code; /* of requests, since a probe's code area has the kernel that is measured */
    size_t frame;
};

/* The curve, as a sweep has it, and where half of its rise is looked for. */
struct beside_curve {
    bool (*build)(struct probe *p, double x, void *context, struct kernel *k);
    void *context;
    double least;  /* what fits in any state */
    double beyond; /* what does not even fit while the sibling sleeps */
    double step;   /* of x, to which the result is known */
};

/*
 * Prepares *b for searches beside the processor `sibling`, which fills a structure as `fills` says, with a buffer of so
 * many bytes. Pages and rings must have been mapped before, where they must be mapped before code. False: the probe is
 * over.
 */
bool beside_start(struct probe *p, struct beside *b, unsigned sibling, const struct traffic_kind *fills, size_t bytes);
/*
 * Searches for the last x before half of the rise while the sibling is in that state. *capacity is NaN where readings
 * were disturbed, or nothing rises. Returns NULL, or why the sibling cannot be used. *good: the probe is not over.
 */
const char *beside_capacity(struct probe *p, struct beside *b, enum smt_state state, const struct beside_curve *c,
                            double *capacity, bool *good);

#endif
