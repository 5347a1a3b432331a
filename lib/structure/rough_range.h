/*
 * Rough range: the range of x around an end that is not known at all yet, found by doubling and bisection with few
 * measurements, for a search with many points.
 */
#ifndef FATHOM_LIB_STRUCTURE_ROUGH_RANGE_H
#define FATHOM_LIB_STRUCTURE_ROUGH_RANGE_H

#include <stdbool.h>

#include "lib/probe/probe.h"

enum { ROUGH_RANGE_MARGIN = 4 /* times the uncertainty of the end that the range extends to either side */ };

struct rough_range {
    /* Whether x is beyond the end. A wrong result now and then does no harm. */
    bool (*is_beyond)(struct probe *p, double x, void *context);
    void *context;
    double first;    /* x that doubling begins with */
    double limit;    /* the largest x that doubling tries */
    double expected; /* x of the end, if it is where others have it: tried first; 0: no expectation */
};

/*
 * Finds a range that contains the end: *from is not beyond it and *to is; *to is r->limit where no smaller x is beyond;
 * else the margin may lead farther than that. r->is_beyond is asked about both once more, and where it contradicts
 * itself the search is repeated, three times in all; the last range is kept in any case. In the profile smoke the range
 * is small and means nothing. Where the probe is over before, *from and *to stay as they were.
 */
void rough_range_find(struct probe *p, const struct rough_range *r, double *from, double *to);

#endif
