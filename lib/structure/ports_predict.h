/*
 * What a map of ports predicts on a core (docs/METHODS.md, 6.7): measures the conflicts of pairs that the map does not
 * explain, and verifies map and conflicts by mixes that neither has seen.
 */
#ifndef FATHOM_LIB_STRUCTURE_PORTS_PREDICT_H
#define FATHOM_LIB_STRUCTURE_PORTS_PREDICT_H

#include "lib/structure/conflicts.h"
#include "lib/structure/mix_search.h"

enum { PORTS_CONFLICTS = 8 };

struct ports_conflicts {
    struct conflict all[PORTS_CONFLICTS];
    size_t count;
};

/* How many unseen mixes are predicted within PORTS_PREDICTED. */
struct ports_prediction {
    unsigned wanted;         /* mixes that should be drawn … */
    unsigned mixes;          /* … and that were, until time or the room in ports->mixes ended */
    unsigned within;         /* of these are predicted by map and conflicts, … */
    unsigned by_map;         /* … and so many by the map alone */
    double fastest, slowest; /* the most that a mix was faster and slower than expected, as a part of that */
};

/* Returns the cycles of a mix by the best map, or by the conflicts of its pairs where these take longer. */
double ports_expected(const struct ports *ports, const struct ports_conflicts *c, const struct ports_mix *mix);
/*
 * Finds the pairs of instructions that conflict and measures each in several ratios and with other kinds (conflicts.h);
 * adds them to *c, PORTS_CONFLICTS at most, and the mixes of two kinds to ports->mixes while there is room. A pair
 * conflicts if a mix of both takes longer than the best map allows, by more than PORTS_NEAR in every order that was
 * tried. That mix has both kinds in the numbers that keep their ports equally busy: it needs most of whatever the two
 * share besides ports. To be called after ports_solve, with *c empty. False: the probe is over, or a mix had no
 * accepted reading.
 */
bool ports_measure_conflicts(struct mix_search *s, struct ports *ports, struct ports_conflicts *c);
/*
 * Draws out->wanted mixes at random, measures each in the fastest order that is found, and counts those that take as
 * long as predicted. All of *out but `wanted` must be zero. A mix that is faster than predicted by more than PORTS_FAST
 * is measured once more, and the slower result counts. For one that is slower by more than PORTS_PREDICTED, faster
 * orders are searched for as long as there is time, since no order can be faster than the ports allow. The mixes are
 * added to ports->mixes while there is room. False: the probe is over, or a mix had no accepted reading.
 */
bool ports_predict(struct mix_search *s, struct ports *ports, const struct ports_conflicts *c,
                   struct ports_prediction *out);
/* Whether at most one of the mixes in PORTS_RARE_ONE_IN did not take what was predicted; true where there were none. */
bool ports_is_predicted(const struct ports_prediction *p);

#endif
