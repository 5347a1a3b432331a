/*
 * Foreseeing: where are lines after lists of accesses that no experiment used, if what was found of prefetchers is
 * true?
 *
 * A list has up to three sequences, each in its own page and of its own load instructions, which take turns at random:
 * one load instruction at a constant distance, or neighbouring lines by many. Lengths, distances, directions and begins
 * are drawn. Of each list some lines are looked at: accessed ones, lines that would follow, and any others of these
 * pages. What is not certain, such as lines that were brought at some places only, or that were not brought again much
 * later, is not foreseen.
 *
 * Method: docs/METHODS.md, 7.22.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_FORESEE_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_FORESEE_H

#include "lib/structure/prefetch_kinds.h"

struct prefetch_foreseen {
    unsigned disturbed;              /* lists after which a line that they accessed was not near: they do not count */
    unsigned lines;                  /* that were looked at, and where they are could be seen */
    unsigned known;                  /* that something was said about beforehand, … */
    unsigned right;                  /* … which was so */
    unsigned brought, brought_right; /* of these, lines that were said to be brought without being accessed */
};

/*
 * Draws `lists` lists, foresees by k->found where lines are after each, looks at them, and counts in *out how often
 * that was right. False: the probe has ended.
 */
bool prefetch_foresee(struct prefetch_kinds *k, unsigned lists, struct prefetch_foreseen *out);

#endif
