#include "lib/structure/btb_near.h"

#include <math.h>

#include "lib/structure/branch_cost.h"
#include "lib/structure/tolerances_btb.h"

enum {
    POINTS_FIRST = BTB_FIT_POINTS / 2 /* that a fit begins with: the rest of its room is for what it asks for */
};

static bool in_range(const struct btb_sequence *q, unsigned count_to)
{
    return q->count % 2 == 0 && q->count <= count_to;
}

/*
 * Measures and adds the sequences with even numbers of branches up to `count_to`, or evenly some of them: more of them
 * take more time. False: the probe has ended.
 */
static bool add_points(struct probe *p, struct btb_fit *fit, const struct btb_near *near, unsigned count_to,
                       const struct branch_chain_room *room)
{
    size_t in_reach = 0, seen = 0;

    for (size_t i = 0; i < near->point_count; i++)
        in_reach += in_range(&near->points[i], count_to);
    for (size_t i = 0; i < near->point_count; i++) {
        const struct btb_sequence *q = &near->points[i];
        if (!in_range(q, count_to) || seen++ % (in_reach / POINTS_FIRST + 1) != 0)
            continue;
        const struct branch_curve curve = {
            .room = room, .chain = {.pattern = q->pattern, .stride = q->stride}, .length_factor = BTB_NEAR_LONGER};
        double cycles;
        if (!branch_cost(p, &curve, q->count, &cycles))
            return false;
        if (!isnan(cycles))
            btb_fit_add(fit, q, cycles, BTB_CALIBRATION * cycles);
    }
    return true;
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
    const bool good = add_points(p, fit, near, few.count_to, room) &&
                      branch_cost_fit(p, room, fit, seconds, BTB_NEAR_LONGER, result);
    btb_fit_free(fit);
    return good;
}
