#include "lib/structure/core_clusters.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_memory.h"

/* Each core is in the cluster of the first core that it is connected with by pairs of at most `near`. */
static void connect(const double *ns, size_t count, size_t pitch, double near, struct cluster_level *level)
{
    for (size_t i = 0; i < count; i++)
        level->of[i] = (unsigned char)i;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const unsigned char from = level->of[i], to = level->of[j];
            for (size_t k = 0; ns[i * pitch + j] <= near && k < count; k++)
                if (level->of[k] == (from > to ? from : to))
                    level->of[k] = from > to ? to : from;
        }
}

/* Counts the clusters. False where two cores of a cluster are not near each other. */
static bool examine(const double *ns, size_t count, size_t pitch, struct cluster_level *level)
{
    size_t cores[CORE_CLUSTERS_CORES] = {0};

    level->clusters = level->largest = 0;
    level->smallest = count;
    for (size_t i = 0; i < count; i++) {
        cores[level->of[i]]++;
        for (size_t j = 0; j < i; j++)
            if (level->of[i] == level->of[j] && ns[i * pitch + j] > level->near_ns)
                return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!cores[i])
            continue;
        level->clusters++;
        level->smallest = cores[i] < level->smallest ? cores[i] : level->smallest;
        level->largest = cores[i] > level->largest ? cores[i] : level->largest;
    }
    return true;
}

enum reason core_clusters_of(const double *ns, size_t count, size_t pitch, struct core_clusters *out)
{
    const size_t pairs = count * (count - 1) / 2;
    double *sorted = malloc((pairs ? pairs : 1) * sizeof *sorted);
    enum reason reason = sorted ? REASON_NONE : REASON_NO_MEMORY;
    size_t n = 0;

    *out = (struct core_clusters){.levels = 0};
    for (size_t i = 0; sorted && i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (!isnan(ns[i * pitch + j]))
                sorted[n++] = ns[i * pitch + j];
    if (sorted)
        sort_numbers(sorted, n);
    for (size_t i = 0; i + 1 < n && !reason; i++) {
        if (!(sorted[i + 1] > CLUSTER_GAP * sorted[i]))
            continue;
        if (out->levels == CORE_CLUSTERS_LEVELS) {
            reason = REASON_NOISE;
            break;
        }
        struct cluster_level *level = &out->level[out->levels++];
        level->near_ns = sorted[i];
        level->far_ns = sorted[i + 1];
        connect(ns, count, pitch, level->near_ns, level);
        reason = examine(ns, count, pitch, level) ? REASON_NONE : REASON_CLUSTERS_OVERLAP;
    }
    if (reason)
        out->levels = 0;
    free(sorted);
    return reason;
}

enum reason core_clusters_sampled(const double *ns, size_t count, size_t pitch, struct core_clusters *out)
{
    double *turned = malloc((count * count + 1) * sizeof *turned);
    struct core_clusters other;
    enum reason reason = turned ? REASON_NONE : REASON_NO_MEMORY;

    *out = (struct core_clusters){.levels = 0};
    for (size_t i = 0; turned && i < count; i++)
        for (size_t j = 0; j < count; j++)
            turned[i * count + j] = ns[j * pitch + i];
    if (!reason)
        reason = core_clusters_of(ns, count, pitch, out);
    if (!reason)
        reason = core_clusters_of(turned, count, count, &other);
    if (!reason && other.levels != out->levels)
        reason = REASON_EXPERIMENTS_DISAGREE;
    for (size_t l = 0; !reason && l < out->levels; l++)
        if (memcmp(out->level[l].of, other.level[l].of, count) != 0)
            reason = REASON_EXPERIMENTS_DISAGREE;
    free(turned);
    return reason;
}

enum reason core_clusters_decide(const double *ns, size_t count, size_t pitch, struct core_clusters *out)
{
    *out = (struct core_clusters){.levels = 0};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && isnan(ns[i * pitch + j]))
                return REASON_NO_RESPONSE;
    return core_clusters_sampled(ns, count, pitch, out);
}

void core_clusters_list(const struct cluster_level *level, const unsigned *names, size_t count, char *out, size_t room)
{
    const size_t longest = 16; /* characters of a name and what separates it from the one before */
    size_t used = 0;

    for (size_t first = 0; first < count; first++)
        for (size_t i = first; i < count && used + longest < room; i++)
            if (level->of[i] == first)
                used += (size_t)snprintf(out + used, room - used, "%s%u",
                                         !used        ? ""
                                         : i == first ? ", "
                                                      : " ",
                                         names[i]);
}
