/*
 * Sharing (docs/METHODS.md, 4.14): do two classes of fillers take entries of one structure of the core, or does each
 * class have its own?
 *
 *   alone    how many of each class fit (inflight_count)
 *   behind   how many of one class fit after half as many of the other class as fit alone. As many as alone: it has a
 *            structure of its own. Half as many: both have one structure, half of which was left. That also holds where
 *            two fillers of one class share an entry that one of the other class takes whole
 *
 * Both classes are measured, each after the other, by every pair of long-latency operations that is usable. The two
 * results lie far from each other, so that no edge is needed, and what blurs edges does not matter; a number between
 * them is called overlapping. All pairs of operations that decide must give the same result.
 */
#ifndef FATHOM_LIB_STRUCTURE_SHARING_H
#define FATHOM_LIB_STRUCTURE_SHARING_H

#include "lib/base/reason.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight.h"

enum { SHARING_TRIALS = LONG_OPS };

/* By one pair of operations. Index 0 is class a, 1 is class b; counts are NaN where they are not decided. */
struct sharing_trial {
    enum long_op first, second;
    double alone[2];   /* so many fillers of that class fit, … */
    double behind[2];  /* … and so many after half as many of the other class as fit */
    bool common_limit; /* either ends because of something else that both classes occupy */
};

struct sharing {
    const char *a, *b; /* names of the fillers */
    bool waits;        /* fillers need the result of the first operation: they stay in the scheduler */
    double about[2];   /* how many of each fit alone, at most: where the search begins */
    double group;      /* instructions that enter the reorder buffer together; 0 or NaN: not known */
    struct sharing_trial trials[SHARING_TRIALS];
    size_t count;
    const char *text; /* "shared", "separate" or, between these, "overlapping", by all trials that decide; NULL: none */
    enum reason reason; /* why not */
    char grade;
    double in_flight; /* so many of both classes together were in flight by every trial that decides; 0: by none */
};

/*
 * Measures the pair of classes all[index] by those of its trials whose operations are usable, drops the other trials,
 * and decides its text, reason, grade and in_flight. How many of a class fit alone is taken from an earlier element of
 * `all` that has measured it by the same operations. False: the probe is over.
 */
bool sharing_find(struct probe *p, const struct inflight *l, struct sharing *all, size_t index);
/*
 * Measures the pair of classes all[index], which sharing_find has measured, once more, takes the larger of each two
 * counts and decides again: a sibling thread that is awake for a while can only make counts smaller. A common limit
 * counts only if both times show it. False: the probe is over.
 */
bool sharing_find_again(struct probe *p, const struct inflight *l, struct sharing *all, size_t index);
/*
 * Measures `count` pairs of classes one after the other (sharing_find), and then those for which is_final(all, index)
 * is false again (sharing_find_again), up to INFLIGHT_REPEATS times; not in a smoke run, nor on simulated cores. Pairs
 * without trials are left out. False: the probe is over.
 */
bool sharing_find_all(struct probe *p, const struct inflight *l, struct sharing *all, size_t count,
                      bool (*is_final)(const struct sharing *all, size_t index));
/*
 * Returns the most fillers of that name that fitted alone between two operations of that kind, in any of `count`
 * measured pairs of classes; NaN: not decided. Pairs whose fillers wait in the scheduler do not count.
 */
double sharing_alone(const struct sharing *all, size_t count, const char *filler, enum long_op kind);
/*
 * Whether as many fillers fit after others as fit alone, both counted by inflight_count: less by no more than the part
 * ALIKE_COUNTS, ALIKE_COUNTS_MORE fillers and a group less one, all together at most the part ALL_OFF. `group`:
 * instructions that enter the reorder buffer together; 0 or NaN: not known, taken for 1.
 */
bool sharing_all_fit(double group, double alone, double behind);
/*
 * Finds how many fillers of the experiment fit, by inflight_count: the largest count that was found twice. A sibling
 * thread that is awake for a while occupies entries and registers, which are missing here; and one miss that takes
 * longer can make a single count too large. `about` as there; *count NaN: not decided. False: the probe is over.
 */
bool sharing_count(struct probe *p, const struct inflight_experiment *e, double about, double *count);
/*
 * The control of fillers that wait, of which `count` fit: behind that as many must fit that do not wait. If they do
 * not, something else that the fillers occupy is full, and *common_limit is set. False: the probe is over.
 */
bool sharing_control(struct probe *p, const struct inflight_experiment *e, double count, bool *common_limit);
/* Reports the text as the finding `name` of that pair of classes; undecided where there is none. */
void sharing_report(struct probe *p, const char *name, const char *class_a, const char *class_b,
                    const struct sharing *s);
/* Sends all counts as the table "sharing". */
void sharing_send(struct probe *p, const struct sharing *all, size_t count);

#endif
