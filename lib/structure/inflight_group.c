#include "lib/structure/inflight_group.h"

#include <math.h>

#include "lib/probe/probe.h"
#include "lib/structure/inflight_search.h"

/* Fillers below and above `about` that are searched: a knee may be off by a group. */
enum { AROUND = 2 * INFLIGHT_GROUP };

bool inflight_group_shifts(struct probe *p, const struct inflight *l, const char *const fillers[INFLIGHT_KINDS],
                           double about, double fits[INFLIGHT_SHIFTS])
{
    struct inflight_experiment e = {
        .inflight = l, .first = LONG_OP_MISS, .second = LONG_OP_MISS, .pad_behind = 2 * INFLIGHT_GROUP};
    bool good = true;

    for (size_t i = 0; i < INFLIGHT_SHIFTS; i++)
        fits[i] = (double)NAN;
    if (l->unusable[LONG_OP_MISS] || !inflight_choose_fillers(&e, fillers) || !(about > 2 * AROUND))
        return true;
    e.pad = !fillers[1] && e.fillers[0]->class == FILLER_NOTHING ? e.fillers[0] : NULL;
    for (; e.pad_before < (unsigned)probe_smoke(p, 1, INFLIGHT_SHIFTS) && good; e.pad_before++)
        good = inflight_bisect(p, &e, about - AROUND, about + AROUND, 1, &fits[e.pad_before]);
    return good;
}
