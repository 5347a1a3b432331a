#include "lib/structure/forwarding_paths.h"

#include "lib/structure/tolerances_memory.h"

bool forwarding_paths_decide(struct forwarding_paths *w, const double *sorted, size_t count)
{
    const struct cluster *all = w->clusters.all;

    if (!(w->load > 0) || !clusters_of(sorted, count, SAME_PATH_CYCLES, SAME_PATH_PART, &w->clusters)) {
        w->clusters.count = w->forwarded = w->blocked = 0;
        return false;
    }
    w->forwarded = 0;
    while (w->forwarded < w->clusters.count && all[w->forwarded].middle - w->extra < RENAMED_PART * w->load)
        w->forwarded++;
    w->blocked = w->forwarded;
    while (w->blocked < w->clusters.count && all[w->blocked].middle - all[w->forwarded].middle < w->load)
        w->blocked++;
    return true;
}

enum forwarding_path forwarding_path_of(const struct forwarding_paths *w, double cycles)
{
    const size_t found = clusters_find(&w->clusters, cycles);

    if (found == w->clusters.count)
        return PATH_UNKNOWN;
    if (found < w->forwarded)
        return PATH_RENAMED;
    if (found == w->forwarded)
        return PATH_FORWARDED;
    return found < w->blocked ? PATH_SLOW : PATH_BLOCKED;
}
