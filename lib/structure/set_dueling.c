#include "lib/structure/set_dueling.h"

#include <math.h>

#include "lib/structure/tolerances_replacement.h"

enum duel_look duel_look_of(double share, unsigned ways)
{
    const double kept = 2.0 / (ways + 1), apart = 1 - kept;

    if (isnan(share))
        return LOOK_UNCLEAR;
    if (share > 1 - DUEL_CLEAR * apart)
        return LOOK_LOSES;
    return share < kept + DUEL_CLEAR * apart ? LOOK_KEEPS : LOOK_UNCLEAR;
}

enum duel_set duel_set_of(const enum duel_look looks[DUEL_FAVOURS])
{
    const enum duel_look first = looks[FAVOURS_LOSING], second = looks[FAVOURS_KEEPING];

    if (first == LOOK_UNCLEAR || second == LOOK_UNCLEAR)
        return SET_UNKNOWN;
    if (first == second)
        return first == LOOK_LOSES ? SET_LEADS_LOSING : SET_LEADS_KEEPING;
    return first == LOOK_LOSES ? SET_FOLLOWS : SET_UNKNOWN;
}

struct duel_verdict duel_decide(const size_t sets[DUEL_SETS])
{
    const size_t follow = sets[SET_FOLLOWS], losing = sets[SET_LEADS_LOSING], keeping = sets[SET_LEADS_KEEPING],
                 all = sets[SET_UNKNOWN] + follow + losing + keeping;

    if (!all)
        return (struct duel_verdict){NULL, REASON_NO_READINGS};
    /* nothing duels: all sets are alike, whichever policy was favoured */
    if (!follow && (losing == all || keeping == all))
        return (struct duel_verdict){"none", REASON_NONE};
    if (sets[SET_UNKNOWN] * DUEL_UNKNOWN_ONE_IN > all)
        return (struct duel_verdict){NULL, REASON_NEITHER_LOST_NOR_KEPT};
    if (follow > all / 2 && losing > 0 && keeping > 0)
        return (struct duel_verdict){"dueling", REASON_NONE};
    return (struct duel_verdict){NULL, REASON_EXPERIMENTS_DISAGREE};
}
