#include "lib/structure/smt_sharing.h"

#include <math.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/structure/tolerances_smt.h"

const char *const smt_kind_names[SMT_KINDS] = {"halves", "capped", "by demand", "not shared"};

bool smt_rounds_are_enough(const struct smt_rounds *rounds)
{
    bool alike = rounds->count >= SMT_ROUNDS_ALIKE;

    for (enum smt_state s = 0; s < SMT_STATES; s++)
        for (size_t i = 1; i < rounds->count; i++)
            alike = alike && rounds->capacity[s][i] == rounds->capacity[s][0];
    return alike;
}

enum share { SHARE_UNKNOWN, SHARE_LESS_THAN_HALF, SHARE_HALF, SHARE_BETWEEN, SHARE_ALL };

/* Where the whole interval of a part of all lies. */
static enum share share_of(double low, double high)
{
    if (low >= 1 - SHARE_WITHIN)
        return SHARE_ALL;
    if (low >= 0.5 - SHARE_WITHIN && high <= 0.5 + SHARE_WITHIN)
        return SHARE_HALF;
    if (low >= 0.5 + 2 * SHARE_WITHIN && high <= 1 - SHARE_WITHIN)
        return SHARE_BETWEEN;
    return high < 0.5 - SHARE_WITHIN ? SHARE_LESS_THAN_HALF : SHARE_UNKNOWN;
}

static enum reason decide(const enum share share[SMT_STATES], double most_while_filled, enum smt_kind *kind)
{
    const enum share waits = share[SMT_WAITS], fills = share[SMT_FILLS];

    if (waits == SHARE_UNKNOWN)
        return REASON_NOISE;
    if (waits == SHARE_HALF && fills == SHARE_HALF)
        *kind = SMT_HALVES;
    else if (waits == SHARE_BETWEEN && fills != SHARE_ALL)
        *kind = SMT_CAPPED;
    else if (waits == SHARE_ALL && most_while_filled < 1 - 2 * SHARE_WITHIN)
        *kind = SMT_BY_DEMAND;
    else if (waits == SHARE_ALL && fills == SHARE_ALL)
        *kind = SMT_NOT_SHARED;
    else
        return fills == SHARE_UNKNOWN || waits == SHARE_ALL ? REASON_NOISE : REASON_AMBIGUOUS;
    return REASON_NONE;
}

void smt_sharing_decide(const struct smt_rounds *rounds, struct smt_verdict *out)
{
    enum share share[SMT_STATES] = {SHARE_ALL};
    double low, high = 0;
    bool enough = true;

    *out = (struct smt_verdict){.reason = REASON_NO_READINGS};
    for (size_t s = 0; s < SMT_STATES; s++) {
        double sorted[SMT_ROUNDS], parts[SMT_ROUNDS];
        memcpy(sorted, rounds->capacity[s], sizeof sorted);
        for (size_t i = 0; i < rounds->count; i++)
            parts[i] = sorted[i] / rounds->capacity[SMT_ASLEEP][i];
        out->median[s] = median(sorted, rounds->count); /* sorts them */
        median_bounds(sorted, rounds->count, &out->low[s], &out->high[s]);
        sort_numbers(parts, rounds->count);
        median_bounds(parts, rounds->count, &low, &high);
        enough = enough && !isnan(low);
        share[s] = share_of(low, high);
    }
    if (enough)
        out->reason = decide(share, high, &out->kind);
}
