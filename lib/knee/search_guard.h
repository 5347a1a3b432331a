/*
 * Guard points: x drawn at random where the curve should be as its neighbours are. docs/METHODS.md, 2.8, step 4.
 *
 * A guard point that lies OUTLIER deviations outside its neighbours' range gets a new x one step to either side, so
 * that the points there may become a knee. Where samples repeat exactly, a wave that is shorter than the grid's spacing
 * does not look like noise but like a longer wave (aliasing): there guard points are also drawn on each side of each
 * knee, but of KNEE_STAIRCASE. None are drawn where s->repeats.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_GUARD_H
#define FATHOM_LIB_KNEE_SEARCH_GUARD_H

#include <stdbool.h>

#include "lib/knee/search.h"

/*
 * Draws the guard points and samples them. False when the budget is spent, when s->sample ended the search, or when
 * memory is short.
 */
bool search_draw_guards(struct search *s);

#endif
