/*
 * Set dueling: do sets of a cache choose between two policies? A few leader sets always have one of both, a few others
 * the other, and all the rest follow the policy whose leaders miss less (Qureshi et al. 2007; Jaleel et al. 2010).
 *
 * Policies that duel treat a cycle of lines differently, of which there is one more than a set has ways: one policy loses
 * each line before it comes again, and every load misses; the other one keeps all but one, and about two loads of a cycle
 * miss (bimodal insertion, replacement.h). Each set is looked at twice by its share of loads that miss, after the other
 * sets were made to favour the policy that loses, and after they were made to favour the one that keeps. Sets that
 * change are followers; sets that do not are leaders, or no set changes and nothing duels in this way.
 *
 * Method: docs/METHODS.md, 7.26. Source: Abel and Reineke 2020 (nanoBench): sets by whether they change.
 */
#ifndef FATHOM_LIB_STRUCTURE_SET_DUELING_H
#define FATHOM_LIB_STRUCTURE_SET_DUELING_H

#include <stddef.h>

#include "lib/base/reason.h"

enum duel_favour { FAVOURS_LOSING, FAVOURS_KEEPING, DUEL_FAVOURS };
/* What a look shows: the set lost the cycle, kept most of it, or neither is clear. */
enum duel_look { LOOK_UNCLEAR, LOOK_LOSES, LOOK_KEEPS };
enum duel_set { SET_UNKNOWN, SET_FOLLOWS, SET_LEADS_LOSING, SET_LEADS_KEEPING, DUEL_SETS };

/* What the share of loads that miss shows, in a set of so many ways; NaN: unclear. */
enum duel_look duel_look_of(double share, unsigned ways);
/* What two looks show of a set. A set that changes the wrong way round is unknown. */
enum duel_set duel_set_of(const enum duel_look looks[DUEL_FAVOURS]);

struct duel_verdict {
    const char *text; /* "dueling", "none"; NULL: not decided */
    enum reason reason;
};
/* What the sets show together: sets[] has their numbers by enum duel_set. */
struct duel_verdict duel_decide(const size_t sets[DUEL_SETS]);

#endif
