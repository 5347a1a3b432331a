#include "lib/structure/core_sample.h"

#include <math.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/structure/core_clusters.h"
#include "lib/structure/tolerances_memory.h"

/* A set of cores, by their numbers. */
struct cores {
    size_t count;
    unsigned short all[CORE_CLUSTERS_CORES];
};

/* The time of a pair in the lower half, where samples are. */
static double *sampled(const struct core_sample *s, size_t one, size_t other)
{
    return &s->ns[one > other ? one * s->pitch + other : other * s->pitch + one];
}

static bool measure(struct core_sample *s, size_t by, size_t with)
{
    double *to = sampled(s, by, with);

    if (!isnan(*to))
        return true;
    s->pairs++;
    return s->measure(s->context, by, with, to);
}

/* Sorts the cores behind the first one by their time with it. */
static void sort_by_distance(const struct core_sample *s, struct cores *set)
{
    for (size_t i = 2; i < set->count; i++)
        for (size_t k = i; k > 1 && *sampled(s, set->all[0], set->all[k]) < *sampled(s, set->all[0], set->all[k - 1]);
             k--) {
            const unsigned short core = set->all[k];
            set->all[k] = set->all[k - 1];
            set->all[k - 1] = core;
        }
}

/* Samples a set, all of whose cores are `lonely` times known to be alike from one that was in it. */
static bool sample(struct core_sample *s, struct cores set, unsigned lonely)
{
    for (size_t i = 1; i < set.count; i++)
        if (!measure(s, set.all[0], set.all[i]))
            return false;
    sort_by_distance(s, &set);
    for (size_t from = 1, to; from < set.count; from = to) {
        struct cores class = {.count = 0};
        for (to = from; to < set.count; to++) {
            if (to > from &&
                *sampled(s, set.all[0], set.all[to]) > CLUSTER_GAP * *sampled(s, set.all[0], set.all[to - 1]))
                break;
            class.all[class.count++] = set.all[to];
        }
        const bool alike = from == 1 && to == set.count; /* from the first one all others look alike */
        if ((!alike || lonely + 1 < CLUSTER_LONELY) && !sample(s, class, alike ? lonely + 1 : 0))
            return false;
    }
    return true;
}

/* Each core with any other one, in case that a class was taken to be alike that is not. */
static bool sample_more(struct core_sample *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!measure(s, i, (i + 1 + random_below(s->random, s->count - 1)) % s->count))
            return false;
    return true;
}

/* The same pairs again, into the upper half: those of one core that measures after the other. */
static bool repeat(struct core_sample *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = i + 1; j < s->count; j++) {
            if (isnan(*sampled(s, i, j)))
                continue;
            s->pairs++;
            if (!s->measure(s->context, i, j, &s->ns[i * s->pitch + j]))
                return false;
        }
    return true;
}

bool core_sample(struct core_sample *s)
{
    struct cores all = {.count = s->count};

    for (size_t i = 0; i < s->count; i++)
        all.all[i] = (unsigned short)i;
    random_shuffle(all.all, all.count, sizeof all.all[0], s->random);
    return sample(s, all, 0) && sample_more(s) && repeat(s);
}
