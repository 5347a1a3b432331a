/*
 * Thresholds of lib/structure for prefetchers.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_PREFETCH_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_PREFETCH_H

/*
 * A line is where lines are whose time its own differs from by at most this part of the distance to the next level.
 * Chosen: a third of the distance between two levels is left for lines that are brought at some places only, and the
 * slices of a last level differ by as much in latency.
 */
static const double LOOK_TOLERANCE = 1.0 / 3;
/*
 * Part by which a look at home must take longer than one at the first level, for anything to show. Chosen: a level
 * that is less than half as slow again as the one before it would drown in what disturbs readings.
 */
static const double LOOK_CONTRAST = 0.5;

/*
 * A level is emptied when twice as many other lines make a look longer by less than this part. Chosen: more than what
 * readings of a shared last level vary by, and a fraction of the distance between two levels.
 */
static const double EMPTIED_PART = 0.15;

/*
 * How many times that distance lines at home may be farther than when they were timed. Chosen: nothing that is brought
 * is mistaken for something else while home is farther, but from some point on it is another level.
 */
static const double HOME_FARTHER = 4;

#endif
