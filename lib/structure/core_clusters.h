/*
 * Clusters of cores: which cores are near each other, from the time that a line takes between each two of them.
 *
 * The times of all pairs fall into classes (two threads of a core, a cluster, a die, several dies). Below the gap
 * between two classes the near pairs must connect whole clusters: two cores are near exactly if they are in the same
 * cluster. Where the pairs contradict that, a time was disturbed, or the machine has no clusters of that kind.
 */
#ifndef FATHOM_LIB_STRUCTURE_CORE_CLUSTERS_H
#define FATHOM_LIB_STRUCTURE_CORE_CLUSTERS_H

#include <stddef.h>

#include "lib/base/reason.h"

enum { CORE_CLUSTERS_CORES = 256, CORE_CLUSTERS_LEVELS = 4 };

struct core_clusters {
    size_t levels; /* of clusters inside clusters, the smallest clusters first; 0: all cores are equally far */
    struct cluster_level {
        size_t clusters, smallest, largest;    /* how many, and how many cores the least and the largest of them have */
        double near_ns, far_ns;                /* the longest time within a cluster, and the shortest between two */
        unsigned char of[CORE_CLUSTERS_CORES]; /* each core's cluster: the number of its first core */
    } level[CORE_CLUSTERS_LEVELS];
};

/*
 * Decides about `count` cores, CORE_CLUSTERS_CORES at most; ns[i * pitch + j] with j < i is the time of that pair, NaN
 * where it is not known: the other pairs must connect each cluster then.
 * Returns REASON_NONE, or why nothing is decided: out->levels is 0 then. NOISE: the times fall into more classes than
 * CORE_CLUSTERS_LEVELS can separate. CLUSTERS_OVERLAP: two cores of a cluster are not near each other.
 */
enum reason core_clusters_of(const double *ns, size_t count, size_t pitch, struct core_clusters *out);

/*
 * The same from two measurements of each pair: ns[i * pitch + j] with j < i, and with j > i. Both have to give the same
 * clusters; where one is NaN nothing is decided (NO_RESPONSE). *out means nothing unless REASON_NONE is returned.
 */
enum reason core_clusters_decide(const double *ns, size_t count, size_t pitch, struct core_clusters *out);
/* The same of a sample of pairs (lib/structure/core_sample.h): NaN is a pair that was left out. */
enum reason core_clusters_sampled(const double *ns, size_t count, size_t pitch, struct core_clusters *out);
/* Writes the cores of each cluster, "0 1, 2 3", by their names; as many as there is room for. */
void core_clusters_list(const struct cluster_level *level, const unsigned *names, size_t count, char *out, size_t room);

#endif
