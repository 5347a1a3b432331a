/*
 * Guard points: x drawn at random where the curve should be as its neighbours are. docs/METHODS.md, 2.8, step 4.
 *
 * A guard point that lies OUTLIER deviations outside its neighbours' range is surrounded by two more x, a step to
 * either side, which may turn it into a knee. Where samples repeat exactly a wave between the points of the grid is
 * no noise, and the grid shows it slower than it is: there some more guard points are drawn on each side of each
 * knee.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_GUARD_H
#define FATHOM_LIB_KNEE_SEARCH_GUARD_H

#include <stdbool.h>

#include "lib/knee/search.h"

/* Draws and samples the guard points. False as search_take. */
bool search_draw_guards(struct search *s);

#endif
