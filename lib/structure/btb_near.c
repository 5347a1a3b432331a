#include "lib/structure/btb_near.h"

#include <math.h>

#include "lib/structure/branch_cost.h"
#include "lib/structure/tolerances_btb.h"

enum {
    POINTS_FIRST = BTB_FIT_POINTS / 2 /* that a fit begins with: the rest of its room is for what it asks for */
};

static bool in_range(const struct btb_point *pt, unsigned count_to)
{
    return pt->sequence.count % 2 == 0 && pt->sequence.count <= count_to;
}

/*
 * Adds the points with even numbers of branches up to `count_to`, or evenly some of them: more of them take more time.
 */
static void add_points(struct btb_fit *fit, const struct btb_near *near, unsigned count_to)
{
    size_t in_reach = 0, seen = 0;

    for (size_t i = 0; i < near->point_count; i++)
        in_reach += in_range(&near->points[i], count_to);
    for (size_t i = 0; i < near->point_count; i++) {
        const struct btb_point *pt = &near->points[i];
        if (in_range(pt, count_to) && seen++ % (in_reach / POINTS_FIRST + 1) == 0)
            btb_fit_add(fit, &pt->sequence, pt->cycles, pt->error);
    }
}

bool btb_near_fit(struct probe *p, const struct btb_near *near, const struct btb_limits *limits,
                  const struct branch_chain_room *room, double seconds, struct btb_fit_result *result)
{
    struct btb_limits few = *limits;

    few.count_from = BTB_NEAR_FROM;
    few.count_to = BTB_LONG_FROM;
    if (near->entries > 0)
        few.count_to = (unsigned)fmin(few.count_to, BTB_NEAR_REACH * near->entries);
    struct btb_fit *fit = btb_fit_start(&few);
    if (!fit)
        return probe_skip(p, "out of memory for organisations of branch target buffers");
    add_points(fit, near, few.count_to);
    const bool good = branch_cost_fit(p, room, fit, seconds, result);
    btb_fit_free(fit);
    return good;
}
