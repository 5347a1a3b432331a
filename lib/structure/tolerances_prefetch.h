/*
 * Thresholds of lib/structure for prefetchers.
 */
#ifndef FATHOM_LIB_STRUCTURE_TOLERANCES_PREFETCH_H
#define FATHOM_LIB_STRUCTURE_TOLERANCES_PREFETCH_H

/*
 * A line is in a level if the time of a look at it differs from that of lines that are certainly there by less than
 * this part of the difference to the next level on that side; farther than home is at home. Chosen: so a third of that
 * difference is left for lines that are brought at some places only, and the slices of a last level differ by as much
 * in latency. A line that is to show others that are brought must itself be nearer than home by more than this part of
 * the way to the first level. Lines at home have moved if they are nearer than this part allows (HOME_FARTHER:
 * farther); and so many trials are made that the steps of the clock blur their mean by half of this part at most.
 * Lines are said to be in the second level only if their mean is no farther than it by more than this part of what it is
 * farther than the first.
 */
static const double LOOK_TOLERANCE = 1.0 / 3;
/*
 * Nothing is decided unless a look at a line at home takes longer than one at a line in the first level by more than
 * this part. Chosen: what disturbs readings would hide a smaller difference.
 */
static const double LOOK_CONTRAST = 0.5;

/*
 * So many other lines empty a level that a look at a line takes longer than with half as many by less than this part;
 * 32 times what the level holds at most. Nothing is decided unless home takes longer than the second level by more than
 * it. Chosen: more than what readings of a shared last level vary by, and a fraction of the difference between two
 * levels.
 */
static const double EMPTIED_PART = 0.15;

/*
 * Lines at home may take longer later in a run than when they were first timed, by up to this many times the difference
 * that LOOK_TOLERANCE allows, in the quarter of the trials that take least; with more their home is taken to have moved,
 * and the looks are repeated. Chosen: a slower
 * home makes no brought line look as if it were elsewhere, but from some point on it is another level.
 */
static const double HOME_FARTHER = 4;

/*
 * So many sequences longer than the one that just trains must show how far ahead lines are brought. Derived: two, since
 * a single one may be misread, and where training takes six accesses no more are left of the eight that are tried.
 */
static const unsigned GROWN = 2;

#endif
