/*
 * The length of a line from pairs of places in blocks (docs/METHODS.md, 5.8): the steps of curves over the bytes from
 * the beginning of the first place to the end of the last.
 *
 * Where all blocks begin with a line, each curve has one step, behind the length. Where lines are longer than the pitch
 * of blocks, some blocks begin within a line: there are several steps, and the last one is the length. A prefetcher
 * that fetches lines in pairs looks the same, and then the first one is.
 */
#ifndef FATHOM_LIB_STRUCTURE_LINE_STEPS_H
#define FATHOM_LIB_STRUCTURE_LINE_STEPS_H

#include "lib/finding/report.h"
#include "lib/probe/sweep.h"

/*
 * Reports the length from these sweeps, two at most: of several steps it is the last one that rises by more than the
 * part ANOTHER_STEP of the first, and the grade is then C at best; the interval begins at the first step. Returns the
 * length; NaN where it is not decided.
 */
double line_steps_report(struct probe *p, const struct finding *f, const struct sweep *s, size_t count);

#endif
