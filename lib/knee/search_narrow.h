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

/*
 * Narrows the interval of every knee that the points show, and leaves the candidates that were found last in
 * s->verdict. False when the budget is spent, when s->sample ended the search, or when memory is short.
 */
bool search_narrow(struct search *s);
/*
 * Narrows once the interval of every knee of s->verdict. *any becomes whether that took samples. False as of
 * search_narrow.
 */
bool search_narrow_knees(struct search *s, bool *any);

/*
 * For samples that repeat exactly (s->repeats): bisects each gap between neighbouring points in which y begins to rise
 * down to one step, without first deciding which knees the curve has; does nothing for KNEE_SLOPE and KNEE_STAIRCASE.
 * False when the budget is spent, when s->sample ended the search, or when memory is short.
 */
bool search_narrow_gaps(struct search *s);
/* The number of points after the first gap in which y begins to rise, so that a level may end there; 0: no such gap. */
size_t search_points_risen(const struct search *s);

#endif
