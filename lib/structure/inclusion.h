/*
 * Inclusion: does a level of cache hold the lines that the level before it holds (inclusive), just the others
 * (exclusive), or does it not care (neither)?
 *
 * Lines are kept in the first level while the second is filled with something else. An inclusive second level takes the
 * lines that it replaces from the first level as well ("back-invalidation"). In the other cases the first level keeps
 * them, and then gives them up when other lines take their places: an exclusive second level gets them back, any other
 * has replaced them.
 *
 * Method: docs/METHODS.md, 7.24.
 */
#ifndef FATHOM_LIB_STRUCTURE_INCLUSION_H
#define FATHOM_LIB_STRUCTURE_INCLUSION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"

enum inclusion { INCLUSION_UNKNOWN, INCLUSIVE, EXCLUSIVE, NEITHER };
/* As findings have them; NULL for INCLUSION_UNKNOWN. */
extern const char *const inclusion_names[];

/* What one experiment has measured; NaN: nothing. Looks are times of one look at all lines, in any one unit. */
struct inclusion_view {
    double near;   /* a look: all lines are in the first level, … */
    double second; /* in the second, … */
    double gone;   /* in neither */
    /*
     * The part of the lines that the first level has lost, each time that the second was filled once, more than while
     * the second had room, and the interval of that.
     */
    double lost, lost_low, lost_high;
    double dropped;  /* the part that the first level drops by itself meanwhile, while the second has room */
    double given_up; /* a look: the second level was filled, and then the first one gave up what it had left */
};

/* What that shows; *reason where it is INCLUSION_UNKNOWN. */
enum inclusion inclusion_of_view(const struct inclusion_view *v, enum reason *reason);

/*
 * Cycles of a load of three rings (capacity_sum.h): one that the second level holds, one of half of the first level's
 * ways more, and one of twice these ways more than the second level holds, which both together cannot hold. NaN: not
 * measured.
 */
struct capacity_rings {
    double fits, more, beyond;
};
enum capacity_sum { SUM_UNKNOWN, SUM_OF_BOTH, LARGER_ALONE };

enum capacity_sum capacity_sum_of(const struct capacity_rings *r);

struct inclusion_verdict {
    enum inclusion what;
    char grade;
    enum reason reason;
};
/*
 * What several experiments, which different things could mislead, and what the levels hold together (capacity_sum.h)
 * show. Views without a result do not count, but that a level is exclusive all of them must show. Without the sum it is
 * grade B at best: views cannot distinguish an exclusive level from an inclusive one that replaces no line which the
 * level before it has.
 */
struct inclusion_verdict inclusion_decide(const enum inclusion *views, const enum reason *why, size_t count,
                                          enum capacity_sum sum);

#endif
