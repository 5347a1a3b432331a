/*
 * Which pairs of cores to measure where there are too many for all: so few that they still show each cluster.
 *
 * One core is measured with all others. Those at the same distance from it form classes, and in each class the same is
 * done again, as its cores may be nearer to each other than to that one. Where some cores of a class, one after the
 * other, are nearer to no other core of it, the rest of the class is taken to be as far apart. So k clusters of n cores
 * need about k * n / 2 pairs instead of n * n / 2. Each core is measured with any one other core besides. Then the same
 * pairs are measured again.
 */
#ifndef FATHOM_LIB_STRUCTURE_CORE_SAMPLE_H
#define FATHOM_LIB_STRUCTURE_CORE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core_sample {
    size_t count; /* of cores, CORE_CLUSTERS_CORES at most */
    double *ns;   /* of pairs (core_clusters_sampled), all NaN in the beginning */
    size_t pitch; /* numbers in a row of it */
    size_t pairs; /* that were measured */
    uint64_t *random;
    void *context;
    /*
     * Measures the time of a line between cores number `by`, which measures, and `with`. False: no pair can be measured
     * any more. A time that is not known is NaN.
     */
    bool (*measure)(void *context, size_t by, size_t with, double *ns);
};

/* Chooses pairs and measures them. False: a measurement has returned false. */
bool core_sample(struct core_sample *s);

#endif
