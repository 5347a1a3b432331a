/*
 * Conflicts: two kinds of instructions that take longer together than their ports allow (docs/METHODS.md, 4.10).
 *
 * A map of ports (lib/structure/ports.h) knows nothing of what else instructions share: a bus by which results return,
 * the rule that binds operations to ports. Where a pair takes longer than the map predicts, it is measured in several
 * ratios. Between those it takes what a mixture of the two nearest ones does: twice a mix takes twice as long, and two
 * mixes one after the other take no longer than both. A mix that contains the pair is expected to take no less than the
 * pair.
 *
 * Other kinds may conflict with the second kind of the pair as the first one does: one instruction of such a kind
 * counts as a part of one of the first kind. The part is measured where the pair is slowest, with some of the first
 * kind replaced by the other kind.
 */
#ifndef FATHOM_LIB_STRUCTURE_CONFLICTS_H
#define FATHOM_LIB_STRUCTURE_CONFLICTS_H

#include "lib/structure/ports.h"

enum {
    CONFLICT_STEPS = 4, /* in which the number of either kind grows, from none to all of the pair's */
    CONFLICT_MIXES = 2 * CONFLICT_STEPS +
                     1 /* from the first kind alone to the second alone; the pair is in the middle */
};

struct conflict {
    size_t first, second;
    struct ports_mix mixes[CONFLICT_MIXES]; /* the second kind's share grows */
    double by_ports[CONFLICT_MIXES];        /* cycles that each should take by the map */
    double parts[PORTS_CLASSES]; /* one of each other kind counts as this part of one of the first kind: 0 to 1 */
};

/* The ratios of a pair, given as the mix with both kinds in full number; cycles and by_ports are to be filled in. */
struct conflict conflict_of(const struct ports_mix *pair);
/*
 * Returns the cycles that a mix takes at least because of this conflict, from the measured ratios of the pair; other
 * kinds count as their part of the first kind. 0 where the mix lacks one of the two kinds.
 */
double conflict_cycles(const struct conflict *c, const struct ports_mix *mix);
/*
 * Returns the mix that shows how far the kind `other` conflicts with the second kind of the pair, as the first kind
 * does: the pair in full numbers, but `times` instructions of the first kind, at most as many as there are, are
 * replaced by as many of `other`. Its cycles are to be measured.
 */
struct ports_mix conflict_with(const struct conflict *c, size_t other, unsigned times);
/*
 * Returns as what part of an instruction of the first kind one of the kind `other` counts in the conflict, 0 to 1, from
 * the measured cycles of the mix of conflict_with. 0 also where a part of 1 would make that mix slower by less than the
 * part CONFLICT_SEEN, so that nothing can be measured.
 */
double conflict_part(const struct conflict *c, size_t other, const struct ports_mix *mix);

#endif
