/*
 * Branch cost: cycles per branch of branch chains (lib/kernels/branch_chain.h), for curves over the count and for
 * single counts.
 */
#ifndef FATHOM_LIB_STRUCTURE_BRANCH_COST_H
#define FATHOM_LIB_STRUCTURE_BRANCH_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/structure/btb_fit.h"

/* The chains of one curve, which differ in their count only. */
struct branch_curve {
    struct branch_chain chain;
    const struct branch_chain_room *room;
    double length_factor; /* by which readings are longer than usual; 0: 1 */
    char name[64];
};

/*
 * Makes the kernel with this number of branches, the loop's included, for a sweep whose context is a struct
 * branch_curve; sets the count of its chain. False: the probe has ended.
 */
bool branch_curve_build(struct probe *p, double branches, void *context, struct kernel *k);

/*
 * Measures the cycles per branch of the curve's chain with `count` branches, the loop's included: the median of three
 * samples; NaN where one of them had no accepted reading. False: the probe has ended.
 */
bool branch_cost(struct probe *p, const struct branch_curve *curve, size_t count, double *cycles);
/* What one more branch costs, in cycles. */
struct branch_more {
    double cycles, low,
        high; /* the median of several differences, and the least and greatest that count, with the error of time */
};
/*
 * Measures the cycles that one more branch costs, from chains of `few` branches and 8, 16, … 56 more: by differences,
 * in which the cost of the loop cancels. The middle three of the seven count: few branches may overlap with the loop,
 * and with some numbers of branches it takes a cycle more (Zen 4). NaN where these three differ by more than the part
 * BRANCH_COST_ALIKE, or a reading was not accepted. False: the probe has ended.
 */
bool branch_cost_of_one_more(struct probe *p, const struct branch_curve *curve, size_t few, struct branch_more *out);
/*
 * Finds by bisection a count of branches with which a branch costs at most a quarter more than with 32 branches, while
 * it costs more with a count no more than 2 %, or one branch, larger. NaN where it does not cost more with 8192
 * branches, or a reading was not accepted. False: the probe has ended.
 */
bool branch_cost_rises(struct probe *p, const struct branch_curve *curve, double *count);
/*
 * Decides a fit of organisations by the points it has (lib/structure/btb_fit.h), then measures the sequences that it
 * asks for in `room`, in readings that are `length_factor` times as long as usual, until it has no more, a point cannot
 * be added, or `seconds` have passed. Stores in *result what was decided; where points were added, after all of them. A
 * sequence without an accepted reading adds no point. False: the probe has ended.
 */
bool branch_cost_fit(struct probe *p, const struct branch_chain_room *room, struct btb_fit *fit, double seconds,
                     double length_factor, struct btb_fit_result *result);

#endif
