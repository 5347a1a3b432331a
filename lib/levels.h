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
    const char *capacity, *height; /* names of the findings; variant `level` is added. height NULL: is not told here */
    struct {
        const char *key, *text;
    } variants[2];              /* further ones; NULL: none */
    const char *proof;          /* a remark to the first level's capacity; NULL or "": none */
    const char *guard;          /* a remark to all heights: against predicted loads, CHASE_GUARD; NULL: none */
    double step;                /* the finest difference of capacities that means something */
    struct finding_limit limit; /* of the capacities; name NULL: none */
    /*
     * From the second level on edges are ramps and the capacity is half way up, since frames fall at random, or sets
     * are chosen by a hash: that fools all experiments alike.
     */
    bool scattered;
    /*
     * A level costs the same all over it, or what lies before it is not left to it alone: a saw-tooth behind the first
     * level of a TLB, or branch targets that share a set, end where no capacity is.
     */
    bool even;
    /*
     * From this level on others fill it, too, whom nobody here sees; 0: none. One experiment alone then says how much they
     * have left of it for a while, and what is behind may be that level again.
     */
    unsigned shared;
    unsigned before; /* so many levels have been told already, of smaller capacities … */
    bool goes_on;    /* … and the last one will be told elsewhere: experiments of larger ones follow */
    const struct verdict *same_order; /* of the first level, find_held; NULL: nothing is known of that */
};

/* One experiment: name, what could fool it, and its verdict; the other members are chosen level by level. */
/* Returns how many levels it told. */
unsigned levels_report(struct probe *p, const struct levels *q, const struct find_experiment *experiments,
                       size_t count);

#endif
