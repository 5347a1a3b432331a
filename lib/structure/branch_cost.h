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
    char name[64];
};

/*
 * Makes the kernel with this number of branches, the loop's included, for a sweep whose context is a struct
 * branch_curve.
 */
bool branch_curve_build(struct probe *p, double branches, void *context, struct kernel *k);

/*
 * Each of the following returns false where a measurement ended the probe, and gives NaN where a reading was not
 * accepted.
 */

/* Cycles per branch with `count` branches: the median of three samples. */
bool branch_cost(struct probe *p, const struct branch_curve *curve, size_t count, double *cycles);
/*
 * Cycles that one more branch costs, from the differences of chains with `few` branches, 8 more and 16 more: the cost
 * of the loop cancels. NaN where the two differences are not alike.
 */
bool branch_cost_of_one_more(struct probe *p, const struct branch_curve *curve, size_t few, double *cycles);
/*
 * The largest count, up to 8192, with which a branch costs at most a quarter more than with 32 branches, found by
 * bisection to 2 %. NaN where 8192 branches cost no more than that.
 */
bool branch_cost_rises(struct probe *p, const struct branch_curve *curve, double *count);
/*
 * Decides a fit of organisations (lib/structure/btb_fit.h), measures the sequences that it asks for until it has no
 * more or `seconds` have passed, and decides again. A sequence whose reading was not accepted is measured again.
 */
bool branch_cost_fit(struct probe *p, const struct branch_chain_room *room, struct btb_fit *fit, double seconds,
                     struct btb_fit_result *result);

#endif
