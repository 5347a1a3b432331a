/*
 * Hierarchies: the levels of caches or TLBs, from staircases of several experiments (docs/METHODS.md, 4.1).
 *
 * The first experiment determines which levels there are; the others support or contradict each of them. Where another
 * experiment has further levels behind the first one's last level, that last level is contradicted. The next level of a
 * core is at least twice as large as the one before it, so a level that is left sooner is a part of the rise to the
 * next one. Where a rise is very wide, or a level itself rises, another level may hide: from there on the numbers of
 * levels are not certain, nor is half of the rise, and they are reported as undecided for that reason.
 */
#ifndef FATHOM_LIB_STRUCTURE_HIERARCHY_H
#define FATHOM_LIB_STRUCTURE_HIERARCHY_H

#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"

struct hierarchy {
    const char *capacity; /* name of the finding for the capacity of each level; variant `level` is added */
    const char *height;   /* name of the one for the height of each level; NULL: heights are not reported here */
    struct {
        const char *key, *text;
    } variants[2];              /* further variants; key NULL: none */
    const char *proof;          /* remark `proof` of the first level's capacity; NULL or "": none */
    const char *guard;          /* remark `guard` of all heights, POINTER_CHASE_GUARD; NULL: none */
    double step;                /* the finest difference of capacities that means something, in their unit */
    struct finding_limit limit; /* what else may limit the capacities; name NULL: nothing */
    /*
     * From the second level on edges are ramps, since frames lie at random or sets are chosen by a hash, and the
     * capacity is half of the rise. That misleads all experiments alike.
     */
    bool scattered;
    /*
     * Where edges are ramps (scattered), a capacity is reported only if the next level is steady: otherwise the rise
     * may begin where no capacity ends, as with a saw-tooth after a level of a TLB, or with branch targets that share
     * a set.
     */
    bool steady_behind;
    /*
     * From this level on (numbered from 1) programs outside this system may fill the caches as well; 0: none can. A
     * single experiment then shows only how much of the level they left at that time, and what looks like the next
     * level may be the rest of it: a capacity of grade C is undecided, and so are the levels after it.
     */
    unsigned shared;
    unsigned before; /* smaller levels that have been reported already: the numbers of levels go on from there */
    /*
     * The number of the first knee of the first experiment that a branch target buffer makes, as it seems: from its
     * level on nothing is decided. NULL: none can be.
     */
    const size_t *moved;
    bool goes_on;                    /* experiments on larger capacities follow, which report the last level */
    const struct verdict *one_order; /* of the first level, for grade_resident; NULL: not known */
};

/*
 * Reports capacity and height of all levels that the experiments show, or why they are undecided. Of each experiment
 * name, confounder and verdict (of KNEE_STEP) must be set; the other members are chosen level by level. Returns how
 * many levels were reported; 0 where there are no experiments, or more than EXPERIMENTS_MAXIMUM.
 */
unsigned hierarchy_report(struct probe *p, const struct hierarchy *q, const struct experiment *experiments,
                          size_t count);

#endif
