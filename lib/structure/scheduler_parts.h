/*
 * Single schedulers (docs/METHODS.md, 6.4): where a core has several, an operation waits in one of those that feed a
 * unit which can execute it. So classes of operations that fewer units execute wait in fewer schedulers:
 *
 *   alone    so many operations of a class can wait: the entries of all schedulers of that class
 *   behind   so many can wait after some of another class, of which fewer can wait alone. As many as alone: the two
 *            classes have no scheduler in common. Fewer by as many as came before: whatever holds the other class holds
 *            this one, too; that class is within this one. Fewer by more: operations are assigned to a scheduler before
 *            it is known whether that has room, so that a full one holds up others
 *
 * Where all classes are within one another or apart, differences of the numbers alone are the entries of single
 * schedulers, or of several that no class here tells apart. Where one holds up others, a number alone is no sum of
 * entries: it ends with the first scheduler that is full. But then the larger class is spread over more schedulers than
 * the smaller one, and each takes its share of what comes: after some of the smaller class, so many times as many of the
 * larger one can wait as would have been left for the smaller one.
 */
#ifndef FATHOM_LIB_STRUCTURE_SCHEDULER_PARTS_H
#define FATHOM_LIB_STRUCTURE_SCHEDULER_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"

enum { PARTS_CLASSES = 16 };

enum parts_relation {
    PARTS_UNKNOWN, /* not measured, or a difference that is too small to be seen */
    PARTS_APART,   /* no scheduler holds both */
    PARTS_WITHIN,  /* all schedulers that hold the smaller class hold the larger one, too */
    PARTS_PARTLY,  /* some of them do */
    PARTS_HELD_UP, /* operations of the larger class wait for room in a scheduler, although others have it */
};

/* What was measured. Classes are known by their index. */
struct parts_counts {
    size_t classes;
    double alone[PARTS_CLASSES]; /* operations that can wait; NaN: not known */
    /* [a][b]: after head[a][b] operations of class a so many of class b can wait; NaN: not known */
    double head[PARTS_CLASSES][PARTS_CLASSES], behind[PARTS_CLASSES][PARTS_CLASSES];
    double queue;     /* entries of the queue that all pass before they are assigned, which `alone` includes; 0: none */
    double queue_off; /* by so much that may be wrong */
};

/* The schedulers of one class that hold no smaller one. */
struct part {
    double entries, low, high; /* NaN: not decided */
    enum reason reason;        /* why not */
    size_t same; /* the class that stands for all that wait in the same schedulers; of others nothing else is set */
};

/* How two classes are related of which a has fewer operations that can wait alone than b, or as many. */
enum parts_relation parts_relation_of(const struct parts_counts *c, size_t a, size_t b);
/* So many operations of class a are to come before those of class b. 0: so few that nothing would be seen. */
double parts_head(const struct parts_counts *c, size_t a, size_t b);
/* Whether classes a and b, of which as many of b can wait alone or more, wait in the same schedulers. */
bool parts_are_same(const struct parts_counts *c, size_t a, size_t b);
/* Puts classes in the order of what can wait alone, those left out of which that is not known. Returns how many. */
size_t parts_order(const struct parts_counts *c, size_t order[PARTS_CLASSES]);
/* Decides the part of each class that can wait; none where one holds up others. */
void parts_decide(const struct parts_counts *c, struct part parts[PARTS_CLASSES]);
/*
 * Where class a holds up class b: over how many times as many schedulers b is spread, if they are alike and each takes
 * an equal share. NaN: that is not so, or no whole number fits both what can wait alone and what can wait behind.
 */
double parts_spread(const struct parts_counts *c, size_t a, size_t b);

#endif
