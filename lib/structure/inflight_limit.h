/*
 * Which structure ended first (docs/METHODS.md, 4.12, "Other limits"): whatever fillers an experiment on the
 * instruction window has, its knee may be that of the reorder buffer, or of renames in flight.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_LIMIT_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_LIMIT_H

#include "lib/base/reason.h"
#include "lib/finding/finding.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_measure.h"

enum {
    INFLIGHT_TO = 640,
    INFLIGHT_LIMIT = 4 * INFLIGHT_TO /* fillers: range of a curve up to the reorder buffer's end */
};

/* ---- Limits that any experiment has --------------------------------------------------------------- */

struct inflight_limits {
    const struct inflight *inflight;
    double nops;             /* NOPs in flight, with the long-latency operations; NaN: not known */
    double writers;          /* in flight likewise of instructions that each write a register, of two files in turn */
    double writers_at_least; /* so many writers at least, by any kind of operation; 0: not known */
    unsigned nops_per_entry; /* most NOPs that may share an entry of the reorder buffer */
    unsigned per_entry;      /* instructions of any kind that share an entry; 1: none do */
    double group;            /* instructions that enter the reorder buffer together; NaN: not known */
};
/*
 * Sets *out from what the probe `rob` has found; measures how many NOPs, pairs and writers fit where it did not find
 * that.
 * False: the probe is over.
 */
bool inflight_find_limits(struct probe *p, const struct inflight *l, struct inflight_limits *out);
/* Fillers that write registers of two files, in turn. */
extern const char *const inflight_writers[INFLIGHT_KINDS];
/* Two memory accesses side by side, and NOPs: fewer fit than NOPs alone where entries hold several instructions. */
extern const char *const inflight_pairs[INFLIGHT_KINDS];
/*
 * The request that measures how many inflight_writers fit between two long-latency operations. Its class is general
 * registers; with inflight_fitted(result, FILLER_NOTHING) the caller gets entries of the reorder buffer. The names of
 * its curves begin with `name`.
 */
struct inflight_request inflight_writers_request(const struct inflight *l, const char *name);
/*
 * Returns why the knee of a result may be the end of the reorder buffer. REASON_MASKED_BY_ROB: as many instructions are
 * in flight at the knee as NOPs that fill the buffer, or as would fill it if fewer of them shared an entry.
 * REASON_ROB_UNKNOWN: it is not known how many NOPs fill it. REASON_NONE: no knee of the result is there.
 */
enum reason inflight_masked_by_rob(const struct inflight_limits *l, const struct inflight_result *a);
/*
 * Returns why `fitted`, the number of instructions at a knee that each write a register, may be the number of renames
 * in flight, which some cores keep in a buffer of their own (Johnson 2021, Firestorm): REASON_RENAMES_IN_FLIGHT; or
 * REASON_NONE where clearly more such instructions, `most`, were seen in flight in another experiment.
 */
enum reason inflight_may_be_renames(double fitted, double most);

/* ---- Reports -------------------------------------------------------------------------------------- */

/*
 * Grades `count` experiments on the size of a structure and reports the finding *f; `step` is the finest difference
 * that means something. `group`: instructions that enter the structure together; the interval reaches higher by as many
 * less one; NaN, not known: by INFLIGHT_GROUP - 1.
 *
 * The grade is never better than B: such experiments see only what can be filled, and a core may want room for a whole
 * group of instructions before it takes one; a remark says so. It is C where the long-latency operations occupy some
 * entries and no experiment with single misses supports the value, since how many operations of a chain are left where
 * a ramp begins is calculated; the interval is then wider by two on each side, as it is where the experiments give no
 * better grade and none with single misses supports the value. Where they give no better grade and the step is more
 * than one, it is also wider by that step. A ramp wider than LONE_RAMP_MOST in the only experiment that shows an end is
 * undecided, with the reason ramp-of-one.
 */
void inflight_report(struct probe *p, const struct finding *f, const struct experiment *e, size_t count, double step,
                     double group);
/* Reports the finding *f as undecided for that reason. */
void inflight_undecided(struct probe *p, const struct finding *f, enum reason reason);

#endif
