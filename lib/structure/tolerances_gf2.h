/*
 * Tolerances of linear hashes (docs/METHODS.md, 4.8): what each one means and where its value comes from.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_GF2_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_GF2_H

/*
 * Questions are repeated so often that a wrong answer that two addresses collide, and likewise a wrong one that they do
 * not, has this probability at most in a whole search. Chosen: small enough to be neglected. no test: what counts is
 * its logarithm, and a factor of three changes that by one result in ten at most.
 */
static const double GF2_WRONG_RESULTS = 1e-5;
/*
 * In the verification a question is repeated so often that its answer is wrong with this probability at most. Chosen:
 * far below GF2_MISSED. no test: as for GF2_WRONG_RESULTS.
 */
static const double GF2_WRONG_CHECKS = 1e-4;
/*
 * The verification of a hash fails if more than this part of the random differences contradict its masks. A wrong mask
 * is contradicted by half of the differences that have bits of it.
 */
static const double GF2_MISSED = 0.01;
/*
 * A question, whether two addresses collide, ends as undecided, because of noise, after this many calls for each step
 * of the two leads that would decide it one way or the other: one result that is more frequent by 5 % still wins by
 * then.
 */
enum { GF2_PATIENCE = 40 };

#endif
