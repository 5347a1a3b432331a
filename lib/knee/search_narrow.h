/*
 * Narrowing: the interval of each knee is halved until it is one step wide. docs/METHODS.md, 2.8, step 3.
 *
 * Where narrow_half_rise is set and the rise is wide, the interval of the half-rise is narrowed; else the interval in
 * which the level is left, and then that of the end of the rise, since a level of its own may lie in between. Once an
 * interval has INSIDE_MAXIMUM points and is still wide, no new ones are added and these are sampled again. No knee
 * takes more than its share of what is left of the budget, since some intervals never become narrow.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_NARROW_H
#define FATHOM_LIB_KNEE_SEARCH_NARROW_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/search.h"

/* Narrows every knee that the points show. Returns false as search_take. */
bool search_narrow(struct search *s);

/*
 * For samples that repeat exactly: does so in each gap of the grid in which y begins to rise, without deciding about the
 * curve.
 */
bool search_narrow_gaps(struct search *s);
/* Points behind the first gap in which y begins to rise so that a level may end there; 0: there is no such gap. */
size_t search_points_risen(const struct search *s);

#endif
