/*
 * Tolerances of linear hashes (docs/METHODS.md, 4.8): what each one means and where its value comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_GF2_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_GF2_H

/*
 * Probability that the masks of a hash are wrong because results of the experiment were. Chosen: small enough to be
 * neglected. no test: what counts is its logarithm, and a factor of three changes that by one result in ten at most.
 */
static const double GF2_WRONG_RESULTS = 1e-5;
/*
 * Probability that one difference of the verification is decided wrongly. Chosen: far below GF2_MISSED. no test: as for
 * GF2_WRONG_RESULTS.
 */
static const double GF2_WRONG_CHECKS = 1e-4;
/* Part of the differences above which the verification fails. A wrong mask misses half of those that contain it. */
static const double GF2_MISSED = 0.01;
/* Calls for each step of lead before a question ends as noise: an excess of 5 % of one result still wins by then. */
enum { GF2_PATIENCE = 40 };

#endif
