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
    unsigned mixes;          /* … and that were, before there was no time left */
    unsigned within;         /* of these are predicted by map and conflicts, … */
    unsigned by_map;         /* … and so many by the map alone */
    double fastest, slowest; /* the most that a mix was faster and slower than expected, as a part of that */
};

/* Cycles of a mix by the best map and the conflicts of pairs, whichever is more. */
double ports_expected(const struct ports *ports, const struct ports_conflicts *c, const struct ports_mix *mix);
/*
 * Measures the pairs that are slower than the map says, whatever their order, in other ratios and with other kinds.
 * Only mixes in which both kinds keep their ports equally busy are compared with the map: such a mix needs most of
 * whatever the two kinds share beyond ports, so a pair that is no slower in it has no conflict. The mixes are added to
 * ports->mixes. False: the probe is over.
 */
bool ports_measure_conflicts(struct mix_search *s, struct ports *ports, struct ports_conflicts *c);
/*
 * Draws out->wanted mixes at random, measures each in its fastest order of instructions, and counts those that take as
 * long as predicted. A mix that is faster than predicted is measured once more, and the slower result counts. For one
 * that is slower, faster orders are searched for as long as there is time, since no order can be faster than the ports
 * allow. The mixes are added to ports->mixes. False: the probe is over.
 */
bool ports_predict(struct mix_search *s, struct ports *ports, const struct ports_conflicts *c,
                   struct ports_prediction *out);
/* Whether few enough mixes are off: one in PORTS_RARE_ONE_IN. */
bool ports_is_predicted(const struct ports_prediction *p);

#endif
