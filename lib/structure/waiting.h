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
    bool behind;          /* the second operation needs an entry of the same scheduler as the fillers */
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
 * Measures all experiments of a class and stores them in w, which must be all zero before; each result is to be freed
 * with inflight_free, also after false. Each has a control: as many fillers as do not fit any more must still fit where
 * they do not wait; else something other than the scheduler is full at the knee, and the verdict gets a reason.
 *
 * Where the first operation is a chain of loads that occupies entries of the same scheduler (on Zen 4 that of general
 * operations), the knee is a ramp that begins too early. If single misses are usable, such a result is dropped,
 * *occupied is set, and misses are measured in its place; where another experiment of the class has these, the result
 * stays empty. *occupied is else left as it was. False: the probe is over.
 */
bool waiting_measure(struct probe *p, const struct inflight *l, const struct waiting_class *c,
                     struct waiting w[WAITING_EXPERIMENTS], bool *occupied);
/*
 * Returns why there is no result of the class's experiments that are, or are not, `behind`: why the long-latency
 * operations of the last one of these that lacks usable ones cannot be used; REASON_NO_OVERLAP where all can.
 */
enum reason waiting_why_none(const struct inflight *l, const struct waiting_class *c, bool behind);
/* The most operations that were seen to wait at once, whatever ended there; NaN: none. */
double waiting_most(const struct waiting_class *c, const struct waiting w[WAITING_EXPERIMENTS]);
/*
 * Returns how many entries of the scheduler the loads hold that miss in the class's first experiment: 2, the first
 * operation and the load that fillers wait for, where each of the extra_loads of its last experiment leaves room for
 * one filler less; 0 where they leave as much room, both to within one filler, or where that has no extra_loads. NaN:
 * not decided.
 */
double waiting_held_by_misses(const struct waiting_class *c, const struct waiting w[WAITING_EXPERIMENTS]);

#endif
