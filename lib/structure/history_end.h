/*
 * The end of a branch history: the number of dummies after which a branch is no longer predicted from the bearer
 * (lib/kernels/branch_history.h).
 *
 * y of a curve is mispredictions in an iteration, from time: the kernel is compared with one whose probe branch is
 * never predicted and one whose probe branch always is. Half a misprediction is the bearer's own, so y is 0.5 while the
 * probe branch is predicted and 1 when the bearer has left the history. A step is the end of the history only if it
 * leads from below 0.5 + HISTORY_PREDICTED to above 0.5 + HISTORY_UNPREDICTED.
 *
 * Method: docs/METHODS.md, 5.4.
 */
#ifndef FATHOM_LIB_STRUCTURE_HISTORY_END_H
#define FATHOM_LIB_STRUCTURE_HISTORY_END_H

#include <stdbool.h>

#include "lib/finding/grade.h"
#include "lib/kernels/branch_history.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum { HISTORY_BEARER_BRANCHES = 1 /* that the bearer is: part of the span */ };

/*
 * While the history still holds the bearer, because there are few enough dummies (branches that fill it), at most this
 * part of the probe branches is mispredicted. Chosen: none should be; the rest is room for noise and for other
 * predictors.
 */
static const double HISTORY_PREDICTED = 0.1;
/*
 * Once there are so many dummies (branches that fill the history) that it does not hold the bearer any more, at least
 * this part of the probe branches is mispredicted. Chosen: half should be, which is as often as by chance. The rough
 * search takes the middle of this and HISTORY_PREDICTED for the border.
 */
static const double HISTORY_UNPREDICTED = 0.4;
/*
 * Half of a misprediction costs at least so many cycles on any core: a smaller difference between the kernels whose
 * probe branch is never and always predicted shows nothing. Chosen: below the shortest pipeline. Where the core
 * executes out of order the chain of multiplications in the kernel makes it larger.
 */
static const double HISTORY_HALF_LEAST = 1.5;

/* "conditional-taken", "conditional-not-taken", …; "direction", "target", "source" */
extern const char *const history_kind_names[HISTORY_KINDS];
extern const char *const history_bearer_names[HISTORY_BEARERS];
/* Events for the proof of a knee, ended by NULL. */
extern const char *const history_counted[];

/* One curve over the number of dummies. */
struct history_curve {
    struct branch_history code;
    double expected; /* dummies at the end, if it is where other curves have it; 0: no expectation */
    char name[48];
};

/*
 * Searches for the largest number of dummies (branches that fill the history), up to `limit`, at which the probe branch
 * is still predicted from the bearer: roughly first, then around that with many points. Sets c->name, and c->code.close
 * where dummies have to be close together, *out to the curve and *e to the experiment on it; e->knee is the verdict's
 * count of knees, which stands for none, where no step is large enough to be the end: the verdict then has a reason.
 * False where the probe is over; otherwise the caller frees *out with sweep_free.
 */
bool history_end_search(struct probe *p, struct history_curve *c, double limit, struct sweep *out,
                        struct experiment *e);
/* Whether the curve shows the end of the history. */
bool history_end_shown(const struct experiment *e);

#endif
