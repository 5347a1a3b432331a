/*
 * Operations that wait in a scheduler (docs/METHODS.md, 6.4): fillers between two long-latency operations that need the
 * result of the first one, so that each holds an entry until it is there.
 *
 *   beyond   the second operation is of another kind: it can get past a full scheduler as long as what does not fit can
 *            wait somewhere else. Shows the scheduler and the queue before it
 *   behind   the second operation is of the same kind, or begins with an operation of it, and needs an entry itself.
 *            Shows the scheduler alone
 */
#ifndef FATHOM_LIB_STRUCTURE_WAITING_H
#define FATHOM_LIB_STRUCTURE_WAITING_H

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_measure.h"

enum { WAITING_EXPERIMENTS = 3 };

struct waiting_experiment {
    enum long_op first, second;
    enum inflight_gate gate;
    bool behind;          /* the second operation needs an entry of the scheduler, too */
    unsigned extra_loads; /* loads that miss beside the one that fillers wait for */
};

struct waiting_class {
    const char *name, *filler;
    struct waiting_experiment experiments[WAITING_EXPERIMENTS];
    size_t count;
    struct finding_limit limit; /* what else each of these operations holds, … */
    enum reason masked;         /* … and the reason where that may be full first */
    bool queued;                /* much may wait in a queue before the scheduler: `beyond` alone does not show it */
};

/* One experiment and its result. Must not be moved while the result is in use. */
struct waiting {
    struct inflight_experiment plan;
    struct inflight_result result;
};

/*
 * Measures all experiments of a class. Each has a control: behind the knee as many of the same operations must fit that
 * do not wait; else something else that they hold is full, and the verdict gets a reason. Where a chain of loads
 * occupies the same entries its knee is a ramp that begins too early by the length of the chain (Zen 4: general
 * operations and addresses): single misses are measured in its place, and *occupied is set. False: the probe is over.
 */
bool waiting_measure(struct probe *p, const struct inflight *l, const struct waiting_class *c,
                     struct waiting w[WAITING_EXPERIMENTS], bool *occupied);
/* The most operations that were seen to wait at once, whatever ended there; NaN: none. */
double waiting_most(const struct waiting_class *c, const struct waiting w[WAITING_EXPERIMENTS]);
/*
 * Scheduler entries that missing loads hold: 2, of the first operation and of the load that fillers wait for, where
 * each further load that misses leaves room for one filler less; else 0. NaN: not decided.
 */
double waiting_held_by_misses(const struct waiting_class *c, const struct waiting w[WAITING_EXPERIMENTS]);

#endif
