/*
 * Loads that speculate past older stores: what the predictor that permits or forbids it does with one load, measured on
 * the steps of lib/kernels/dependence.h. In a sequence of steps, D is a dependent one and N an independent one; N^k
 * stands for k of them in a row.
 *
 * All functions that measure return false when the probe is over. Results are NaN where nothing could be measured.
 *
 * Method: docs/METHODS.md, 7.17.
 */
#ifndef FATHOM_LIB_STRUCTURE_STORE_SPECULATION_H
#define FATHOM_LIB_STRUCTURE_STORE_SPECULATION_H

#include "lib/base/reason.h"
#include "lib/kernels/dependence.h"
#include "lib/probe/probe.h"

enum {
    SPECULATION_MOST_FREE =
        36, /* the longest N^k between two D of speculation_saved: more than a counter of five bits */
    SPECULATION_COST_LENGTHS = 24 /* speculation_cost varies the length of its sequences by up to so many steps */
};

/* Measures the cycles of steps that are all D, and of steps that are all N, into `s`. */
bool speculation_measure_steps(struct probe *p, struct dependence_steps *s);
/*
 * Whether the cycles of speculation_measure_steps show that loads speculate past stores: a step D takes longer than a
 * step N by more than the part WAIT_PART.
 */
bool speculation_present(const struct dependence_steps *s);

/*
 * A sweep's `measure`, whose context is struct dependence_steps: sets out->q20 and out->median to how many waits of
 * loads are saved in the sequence D, N^k, D and a tail of N, of the most that are possible. k is SPECULATION_MOST_FREE
 * less x.
 *
 * While k is too small for the load to speculate again, each N waits. Once it speculates, further N do not wait, but
 * the second D goes wrong. Over x, with k counted downwards: a level, then a line. The last point on the level has the
 * smallest k after which the load speculates again.
 */
bool speculation_saved(struct probe *p, double x, void *context, struct point *out);

/*
 * Measures the cycles that one wrong speculation costs: what the sequence D N^k takes longer than as many N, less the
 * time that steps wait in it. free: the smallest k, so large that each D is speculated wrongly; k varies from there on.
 * free_after: the number of N after which the load speculates again, at least 2. NaN where half of the samples or more
 * have no result, or they scatter so much that the cost is not known to the part COST_KNOWN_PART.
 */
bool speculation_cost(struct probe *p, const struct dependence_steps *s, unsigned free_after, unsigned free,
                      double *cycles);

/* Which bits of a load's code address the predictor uses. */
struct speculation_index {
    bool steady;   /* all repetitions agreed */
    bool shared;   /* some two loads were found that the predictor does not distinguish; else the mask means nothing */
    uint64_t mask; /* the bits that make two loads different to it */
};

/*
 * Finds which bits of a load's address in the code the predictor uses, and stores them in *out. Executes a step that is
 * always D and one that is always N, with their loads at a distance in the code: where the predictor does not
 * distinguish the two, N waits as well. The first such distance that is a power of two is the base; then each other bit
 * is added to it, and those that make the loads different are the bits that are used.
 */
bool speculation_index_bits(struct probe *p, const struct dependence_steps *s, struct speculation_index *out);
/*
 * Returns why two experiments together do not determine the bits: NOT_STEADY, ALL_LOADS_DIFFER where one of them found
 * no two loads that the predictor does not distinguish, EXPERIMENTS_DISAGREE; REASON_NONE: they do.
 */
enum reason speculation_index_undecided(const struct speculation_index *a, const struct speculation_index *b);
/* Writes the numbers of the bits, ascending, with blanks between them, into `text` of `room` bytes. */
void speculation_index_text(uint64_t mask, char *text, size_t room);

#endif
