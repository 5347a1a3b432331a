/*
 * Narrowing: the interval of each knee is halved until it is one step wide. docs/METHODS.md, 2.8, step 3.
 *
 * A knee of which narrow_half_rise asks for the half-rise, and whose rise is wide, has the interval of its half-rise
 * narrowed; of any other one the interval in which the level is left, and then the end of the rise, since what lies
 * in between may be a level of its own. Once an interval has INSIDE_MAXIMUM points and is still not clear, the points
 * that it has are sampled again. No knee takes more than its share of what is left of the budget, since some never
 * become clear.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_NARROW_H
#define FATHOM_LIB_KNEE_SEARCH_NARROW_H

#include <stdbool.h>

#include "lib/knee/search.h"

/* Narrows every knee that the points show. False as search_take. */
bool search_narrow(struct search *s);

#endif
