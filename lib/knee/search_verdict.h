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

/* Stores the candidates for knees in `verdict`, also those that only more points can show. False: memory is short. */
bool search_find_candidates(struct search *s);
/* Stores the final verdict on the points, before what confirmation says of its knees. False: memory is short. */
bool search_decide(struct search *s);

#endif
