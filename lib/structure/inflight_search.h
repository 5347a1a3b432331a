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
 * The sweep over the number of fillers, in coarse points up to `to` and further ones up to `limit`, for
 * inflight_search. Its curve gets the name `what` and the kinds of both operations. The experiment must outlive the
 * sweep.
 */
struct sweep inflight_sweep(struct probe *p, struct inflight_experiment *e, const char *what, double to, double limit);
/*
 * Searches for the knee. Where an iteration takes as long before the knee as two operations one after the other, the
 * time to deliver the fillers is what shows: the verdict gets the reason REASON_MASKED_BY_DELIVERY. An edge that the
 * two views of the curve place differently is measured again by bisection. Sets e->retired. False: the probe is over.
 */
bool inflight_search(struct probe *p, struct inflight_experiment *e, struct sweep *s);
/*
 * Entries that the two operations themselves occupy, after inflight_search, of a structure of which fillers of that
 * class occupy one each; FILLER_NOTHING: the reorder buffer. Of a chain these are the operations of the first one that
 * have not retired when the second one could begin, and one of the second, where the ramp begins.
 */
double inflight_holds(const struct inflight_experiment *e, enum filler_class class);

/*
 * How many fillers fit, between `fit`, which must, and `too_many`, which must not: the largest number whose iteration
 * is nearer to the first than to the second, to within `within` fillers. The short sequence is measured again beside
 * each number tried, since latencies of misses change with time. *count is NaN where the iteration does not rise by
 * SLOW_RATIO or a reading is missing. False: the probe is over.
 */
bool inflight_bisect(struct probe *p, const struct inflight_experiment *e, double fit, double too_many, double within,
                     double *count);
/*
 * How many fillers fit, within one in a hundred, for questions that need no edge, such as whether the fillers of one
 * class take room from another's: half of the rise exists where edges are blurred, and costs a few numbers instead of a
 * curve. `about` is a number that does not fit, or little less than the one that does. The search is repeated closer to
 * what it found, since a long sequence far behind the edge takes longer to deliver, which moves the half of the rise.
 * *count is NaN where nothing rises. False: the probe is over.
 */
bool inflight_count(struct probe *p, const struct inflight_experiment *e, double about, double *count);

#endif
