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
    double writers;          /* the same of instructions that each write a register, of two files in turn */
    double writers_at_least; /* so many writers at least, by any kind of operation; 0: not known */
    unsigned nops_per_entry; /* most NOPs that may share an entry of the reorder buffer */
    unsigned per_entry;      /* instructions of any kind that share an entry; 1: none do */
    double group;            /* instructions that enter the reorder buffer together; NaN: not known */
};
/* Takes what the probe `rob` has found, or measures it. False: the probe is over. */
bool inflight_find_limits(struct probe *p, const struct inflight *l, struct inflight_limits *out);
/* Fillers that write registers of two files, in turn. */
extern const char *const inflight_writers[INFLIGHT_KINDS];
/*
 * The request that measures how many of those fit. It counts general registers; the caller counts entries of the
 * reorder buffer (inflight_fitted). `name` begins the names of its curves.
 */
struct inflight_request inflight_writers_request(const struct inflight *l, const char *name);
/*
 * Why a result's knee may be the reorder buffer's: REASON_MASKED_BY_ROB where the knee is where
 * NOPs fill it, or where NOPs or these fillers would if fewer of them shared an entry; REASON_ROB_UNKNOWN where it is
 * not known how many NOPs fill it; REASON_NONE where the knee is another structure's.
 */
enum reason inflight_masked_by_rob(const struct inflight_limits *l, const struct inflight_result *a);
/*
 * Why the end at `fitted`, of fillers that each write a register, may be that of renames in flight, which some cores
 * keep in a buffer of their own (Johnson 2021, Firestorm): REASON_RENAMES_IN_FLIGHT unless clearly more writers,
 * `most`, were seen in flight; then REASON_NONE.
 */
enum reason inflight_may_be_renames(double fitted, double most);

/* ---- Reports -------------------------------------------------------------------------------------- */

/*
 * Grades and reports the size of a structure; `step` as in grade_capacity. Never better than grade B: all such
 * experiments see only what can be filled, and a core may want room for a whole group of instructions, or two, before
 * it takes one; a remark says so. Grade C where the operations occupy some entries and no experiment with single misses
 * supports it, since how much of a chain is left where a ramp begins is calculated. `group`: instructions that enter
 * together; the interval is wider by as many less one; NaN: by the largest group.
 */
void inflight_report(struct probe *p, const struct finding *f, const struct experiment *e, size_t count, double step,
                     double group);
/* Reports that it is undecided. */
void inflight_undecided(struct probe *p, const struct finding *f, enum reason reason);

#endif
