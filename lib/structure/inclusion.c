#include "lib/structure/inclusion.h"

#include <math.h>

#include "lib/structure/tolerances_hierarchy.h"

const char *const inclusion_names[] = {
    [INCLUSION_UNKNOWN] = NULL, [INCLUSIVE] = "inclusive", [EXCLUSIVE] = "exclusive", [NEITHER] = "neither"};

enum inclusion inclusion_of_view(const struct inclusion_view *v, enum reason *reason)
{
    const double forgotten = (v->given_up - v->second) / (v->gone - v->second);

    *reason = REASON_NONE;
    if (isnan(v->near + v->second + v->gone + v->lost_low + v->lost_high + v->dropped + v->given_up)) {
        *reason = REASON_NO_READINGS;
        return INCLUSION_UNKNOWN;
    }
    if (!(v->second - v->near > LEVEL_RISES * v->near) || !(v->gone - v->second > LEVEL_RISES * v->second)) {
        *reason = REASON_NO_CONTRAST;
        return INCLUSION_UNKNOWN;
    }
    /*
     * Of lines that the first level drops by itself, those look lost that the second level has replaced before. Then
     * it has also replaced many of those that are not dropped yet.
     */
    if (v->lost_low >= LINES_LOST && (v->dropped <= LINES_KEPT || forgotten <= LINES_KEPT))
        return INCLUSIVE;
    if (v->lost >= -LINES_KEPT && v->lost_high <= LINES_KEPT) {
        if (forgotten <= LINES_KEPT && v->dropped <= LINES_DROPPED)
            return EXCLUSIVE;
        if (forgotten >= LINES_LOST)
            return NEITHER;
    }
    *reason = REASON_NOISE;
    return INCLUSION_UNKNOWN;
}

enum capacity_sum capacity_sum_of(const struct capacity_rings *r)
{
    const double missing = (r->more - r->fits) / (r->beyond - r->fits);

    if (!(r->beyond - r->fits > LEVEL_RISES * r->fits)) /* or one was not measured */
        return SUM_UNKNOWN;
    return missing >= LINES_LOST ? LARGER_ALONE : missing <= LINES_KEPT ? SUM_OF_BOTH : SUM_UNKNOWN;
}

struct inclusion_verdict inclusion_decide(const enum inclusion *views, const enum reason *why, size_t count,
                                          enum capacity_sum sum)
{
    struct inclusion_verdict v = {INCLUSION_UNKNOWN, 'U', REASON_NONE};
    size_t agreeing = 0;

    for (size_t i = 0; i < count; i++) {
        if (views[i] == INCLUSION_UNKNOWN) {
            v.reason = v.reason ? v.reason : why[i];
        } else if (agreeing && views[i] != v.what) {
            return (struct inclusion_verdict){INCLUSION_UNKNOWN, 'U', REASON_EXPERIMENTS_DISAGREE};
        } else {
            v.what = views[i];
            agreeing++;
        }
    }
    if (!agreeing)
        return v;
    if (v.what == EXCLUSIVE && agreeing < count)
        return (struct inclusion_verdict){INCLUSION_UNKNOWN, 'U', v.reason ? v.reason : REASON_AMBIGUOUS};
    if (sum != SUM_UNKNOWN && (sum == SUM_OF_BOTH) != (v.what == EXCLUSIVE))
        return (struct inclusion_verdict){INCLUSION_UNKNOWN, 'U', REASON_EXPERIMENTS_DISAGREE};
    /* whether that cannot be an inclusive level which spares the lines of the level before it */
    const bool certain = v.what != EXCLUSIVE || sum == SUM_OF_BOTH;
    v.grade = agreeing > 1 ? (certain ? 'A' : 'B') : 'C';
    v.reason = REASON_NONE;
    return v;
}
