/*
 * How many fillers fit in one experiment on the instruction window (docs/METHODS.md, 4.12): by the knee of a curve, or
 * where no edge is needed by bisection to half of the rise.
 */
#ifndef FATHOM_LIB_STRUCTURE_INFLIGHT_SEARCH_H
#define FATHOM_LIB_STRUCTURE_INFLIGHT_SEARCH_H

#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/inflight.h"

/*
 * Returns the sweep over the number of fillers for inflight_search: its coarse grid goes up to `to`, on simulated cores
 * up to 256 at most, and it may grow up to `limit`; in a smoke run both are 16. The curve is called after `what` and
 * the kinds of both operations. The experiment must outlive the sweep.
 */
struct sweep inflight_sweep(struct probe *p, struct inflight_experiment *e, const char *what, double to, double limit);
/*
 * Searches the sweep of inflight_sweep for its knee, and sets e->retired. Where an iteration takes as long before the
 * knee as both operations one after the other, delivering the fillers takes that time and the knee means nothing: the
 * verdict gets REASON_MASKED_BY_DELIVERY. A knee that the two views of the curve (lib/knee/knee.h) place differently is
 * measured again by bisection. False: the probe is over.
 */
bool inflight_search(struct probe *p, struct inflight_experiment *e, struct sweep *s);
/*
 * Returns how many entries of a structure the two long-latency operations themselves occupy at the knee, after
 * inflight_search. `class` names the structure as the one of which its fillers occupy an entry each; FILLER_NOTHING:
 * the reorder buffer. Of chains these are the steps of the first one that have not retired when the second one can
 * begin, which is calculated from times (e->retired), and one step of the second.
 */
double inflight_holds(const struct inflight_experiment *e, enum filler_class class);

/*
 * Finds how many fillers fit by bisection, to within `within` fillers: the largest number whose iteration takes less
 * than half way between that of `fit` fillers, which must fit, and that of `too_many`, which must not. The iteration
 * with `fit` fillers is measured again beside each number tried, since latencies of misses change with time. *count is
 * NaN where that with `too_many` is not more than SLOW_RATIO times as long, or a reading is missing; in a smoke run,
 * that has no bisection, it is else `fit`. False: the probe is over.
 */
bool inflight_bisect(struct probe *p, const struct inflight_experiment *e, double fit, double too_many, double within,
                     double *count);
/*
 * Finds how many fillers fit, to within the part COUNT_RESOLUTION or one filler, by inflight_bisect instead of a curve:
 * half of the rise is well defined where the edge is blurred, and suffices for questions such as whether one class of
 * fillers takes room from another. `about`: a number that does not fit, or at most a few less than one that does not.
 * The bisection is repeated with a smaller range, since many more fillers than fit take longer to deliver, which moves
 * half of the rise. *count is NaN where the time of an iteration does not rise, a reading is missing or `about` is NaN.
 * False: the probe is over.
 */
bool inflight_count(struct probe *p, const struct inflight_experiment *e, double about, double *count);

#endif
