/* The order of a search's steps; lib/knee/search.h lists them with the files they stand in. */
#include "lib/knee/search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "lib/knee/search_confirm.h"
#include "lib/knee/search_grid.h"
#include "lib/knee/search_guard.h"
#include "lib/knee/search_narrow.h"
#include "lib/knee/search_samples.h"
#include "lib/knee/search_verdict.h"
#include "lib/knee/tolerances.h"

/*
 * Decides a jump, which is the only knee of its curve, and narrows it. *again becomes whether points were added, so
 * that it has to be decided again. Decisions take most of the instructions of a simulated core. False as of
 * search_narrow.
 */
static bool decide_jump_early(struct search *s, bool *again)
{
    *again = false;
    if (!search_decide(s))
        return false;
    if (s->verdict.count)
        return search_narrow_knees(s, again);
    *again = search_points_risen(s) > 0;
    return !*again || search_narrow(s);
}

/*
 * The same where samples repeat: what was seen once is so at any time; nothing is confirmed, and no guard points are
 * drawn.
 */
static bool run_exactly(struct search *s)
{
    bool again = true;

    s->share = UINT_MAX;
    s->reserved = 0;
    bool good = search_cover(s, s->from, s->to) && search_extend(s) && search_narrow_gaps(s);
    if (good)
        good = s->kind == KNEE_JUMP ? decide_jump_early(s, &again) : search_narrow(s);
    s->grid = floor((s->reached - s->from) / s->step + 1.5);
    return again ? (good || s->spent) && search_decide(s) : good;
}

bool search_run(struct search *s)
{
    if (s->repeats)
        return run_exactly(s);

    const unsigned reserved = s->budget / RESERVED_OF_BUDGET < RESERVED ? s->budget / RESERVED_OF_BUDGET : RESERVED;

    s->share = UINT_MAX;
    s->reserved = reserved;
    bool good = search_cover(s, s->from, s->to) && search_extend(s) && search_narrow(s) && search_draw_guards(s) &&
                search_confirm(s);
    bool spent = s->spent;

    /* Every knee of the verdict is confirmed, also when the budget is spent, and again where its interval has moved. */
    for (unsigned n = 0; n < CONFIRMATIONS_MAXIMUM; n++) {
        s->reserved = reserved;
        good = good && search_settle(s) && search_narrow(s);
        spent = spent || s->spent;
        s->reserved = 0;
        s->share = UINT_MAX;
        s->spent = false;
        good = (good || spent) && search_decide(s) && (search_confirm(s) || s->spent) && search_decide(s);
        if (!good || spent || s->spent || search_is_where_confirmed(s))
            break;
    }
    s->spent = s->spent || spent;
    s->grid = floor((s->reached - s->from) / s->step + 1.5);
    if (good)
        search_apply_confirmations(s);
    return good;
}

void search_free(struct search *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->points[i].sample);
    free(s->points);
    s->points = NULL;
    s->count = s->room = 0;
}
