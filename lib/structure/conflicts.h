/*
 * Conflicts: two kinds of instructions that take longer together than their ports allow (docs/METHODS.md, 4.10).
 *
 * A map of ports (lib/structure/ports.h) knows nothing of what else instructions share: a bus by which results return,
 * the rule that binds operations to ports. Where a pair takes longer than the map predicts, it is measured in several
 * ratios. Between those it takes what a mixture of the two nearest ones does: twice a mix takes twice as long, and two
 * mixes one after the other take no longer than both. A mix that contains the pair is expected to take no less than the
 * pair.
 *
 * Other kinds may be in the way as the first of the two is: each of them counts for a part of it. How large a part is
 * measured where the pair is slowest, with some of the first kind replaced by the other one.
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
    double parts[PORTS_CLASSES]; /* of one of the first kind, that one of each other kind counts for: 0 to 1 */
};

/* The ratios of a pair, a mix of two kinds in full; their cycles and by_ports are to be filled in. */
struct conflict conflict_of(const struct ports_mix *pair);
/* Cycles of the pair, and of what is in the way as the first kind is, in a mix; 0 where one of the two is missing. */
double conflict_cycles(const struct conflict *c, const struct ports_mix *mix);
/*
 * The mix by which another kind's part is measured: the pair in full, with so many of the first replaced by that one.
 */
struct ports_mix conflict_with(const struct conflict *c, size_t other, unsigned times);
/*
 * The part by that mix, once it was measured; 0 where a full part would make less than CONFLICT_SEEN of a difference.
 */
double conflict_part(const struct conflict *c, size_t other, const struct ports_mix *mix);

#endif
