/*
 * Levels: a staircase that several experiments climb, as caches and TLBs have it.
 *
 * The first experiment says which levels there are; the others support or contradict each of them, and where one of
 * them climbs on from the first one's last level, that is contradicted. The next structure is several times larger
 * than the one before it, so a level that is left again before that is a bend in the rise to the next one. Where a
 * rise is very wide, or a level itself rises, another level may hide: what comes behind has no sure number, and what
 * is half way up has no sure place. Nothing of that is told, but that it is there.
 */
#ifndef FATHOM_LIB_LEVELS_H
#define FATHOM_LIB_LEVELS_H

#include "lib/find.h"

struct levels {
    const char *capacity, *height; /* names of the findings; variant `level` is added */
    double step;                   /* the finest difference of capacities that means something */
    struct finding_limit limit;    /* of the capacities; name NULL: none */
    /*
     * From the second level on edges are ramps and the capacity is half way up, since frames fall at random:
     * that fools all experiments alike.
     */
    bool scattered;
};

/* One experiment: name, what could fool it, and its verdict; the other members are chosen level by level. */
void levels_report(struct probe *p, const struct levels *q, const struct find_experiment *experiments, size_t count);

#endif
