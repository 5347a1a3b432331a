/*
 * Clusters: numbers that lie close together in a few groups, as the cycles of an experiment do where each case takes
 * one of a few ways through the core. docs/METHODS.md, 4.16.
 */
#ifndef FATHOM_LIB_BASE_CLUSTERS_H
#define FATHOM_LIB_BASE_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLUSTERS_MAXIMUM = 24 };

struct cluster {
    double low, high; /* least and largest number in it */
    double middle;    /* the median */
    size_t count;
};

struct clusters {
    size_t count; /* clusters, in ascending order */
    struct cluster all[CLUSTERS_MAXIMUM];
};

/*
 * Groups `count` numbers, sorted and ascending, into clusters. For 1, 2, 3, … clusters the grouping with the least sum
 * of squared distances within them is found exactly (Fisher 1958), and the first of these groupings is taken in which
 * no cluster is wider than `width` or than `part` times its median, whichever is more. Time grows as the square of
 * `count` for each cluster. False where none up to CLUSTERS_MAXIMUM is so narrow, there are no numbers, or memory is
 * short; *out then has no clusters.
 */
bool clusters_of(const double *sorted, size_t count, double width, double part, struct clusters *out);
/* Index of the cluster between whose least and largest number `value` lies; c->count where it lies in none. */
size_t clusters_find(const struct clusters *c, double value);

#endif
