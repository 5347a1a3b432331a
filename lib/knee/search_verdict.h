/*
 * From the samples of a search to a verdict: each point gets its standard error, and the first two samples of the
 * coarse grid stand for its two passes over time.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_VERDICT_H
#define FATHOM_LIB_KNEE_SEARCH_VERDICT_H

#include <stdbool.h>

#include "lib/knee/search.h"

/* Passes over the coarse grid. */
enum { GRID_PASSES = 2 };

/* Stores the places where a knee may be in s->verdict (knee_candidates), to be narrowed. False: memory is short. */
bool search_find_candidates(struct search *s);
/*
 * Stores the verdict on the points in s->verdict (knee_decide_searched); search_apply_confirmations then removes what
 * confirmation refuted. False: memory is short.
 */
bool search_decide(struct search *s);

#endif
