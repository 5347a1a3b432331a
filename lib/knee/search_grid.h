/*
 * The coarse grid of a search, and the extension of its range. docs/METHODS.md, 2.8, steps 1 and 2.
 *
 * The grid is logarithmic or linear. At either end of the range one point more is taken, three steps from the end, so
 * that a level of four steps there has two points. Two passes at different times cover the range. Before every
 * FIRST_X_EVERY-th x the first one is sampled again: its history shows whether the machine is quiet.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_GRID_H
#define FATHOM_LIB_KNEE_SEARCH_GRID_H

#include <stdbool.h>

#include "lib/knee/search.h"

/*
 * Measures the coarse grid over from … to in both passes, and samples again where samples contradict each other. False
 * when the budget is spent, when s->sample ended the search, or when memory is short.
 */
bool search_cover(struct search *s, double from, double to);
/*
 * Grows the range up to s->limit while no knee has been found or the level after the last one has fewer than
 * POINTS_AFTER points (where s->repeats: until so many points follow the first gap in which y begins to rise): by an
 * octave at a time, or by half of the first range where the grid is linear. False when the budget is spent, when
 * s->sample ended the search, or when memory is short.
 */
bool search_extend(struct search *s);

#endif
