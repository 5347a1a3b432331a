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
/* Whether those cycles show that loads speculate past stores: D then takes longer than N. */
bool speculation_present(const struct dependence_steps *s);

/*
 * A sweep's `measure`, whose context is struct dependence_steps: how many loads wait less in the sequence D, N^k, D and
 * a tail of N than could wait at most, k being SPECULATION_MOST_FREE less x.
 *
 * While k is too small for the load to speculate again, each N waits. Once it speculates, further N do not wait, but
 * the second D goes wrong. Over x, with k counted downwards: a level, then a line. The last point on the level has the
 * smallest k after which the load speculates again.
 */
bool speculation_saved(struct probe *p, double x, void *context, struct point *out);

/*
 * Cycles that one wrong speculation costs: of D N^k, repeated, with k from `free` on so large that each D is speculated
 * wrongly, less what the waiting steps explain; `free_after` is the number of N after which the load speculates again.
 * NaN where samples scatter too much.
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
 * Executes a step that is always D and one that is always N: where their loads are the same to the predictor, N waits
 * too. From the first distance in the code, a power of two, at which that is so, each other bit is added to the
 * distance: those that make the loads different are index bits.
 */
bool speculation_index_bits(struct probe *p, const struct dependence_steps *s, struct speculation_index *out);
/* Why two experiments do not determine the bits; REASON_NONE: they do. */
enum reason speculation_index_undecided(const struct speculation_index *a, const struct speculation_index *b);
/* Writes the numbers of the bits, ascending, with blanks between them, into `text` of `room` bytes. */
void speculation_index_text(uint64_t mask, char *text, size_t room);

#endif
