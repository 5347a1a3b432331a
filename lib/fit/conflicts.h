/*
 * Conflicts: two kinds of instructions that take longer together than their ports allow.
 *
 * A map of ports (lib/fit/ports.h) says nothing of what else instructions share: the way by which results return, the
 * rule that binds operations to ports. Where a pair takes longer than the map says, it is measured in several ratios, and
 * between those it takes what a mixture of the two nearest does: twice a mix takes twice as long, and two mixes one after
 * the other no longer than both. No mix that contains the pair is expected to be faster than the pair.
 *
 * Others may be in the way as the first of the two is: each of them counts for a part of one. How large a part is measured
 * where the pair is slowest, with some of the first replaced by the other.
 */
#ifndef FATHOM_LIB_FIT_CONFLICTS_H
#define FATHOM_LIB_FIT_CONFLICTS_H

#include "lib/fit/ports.h"

enum {
    CONFLICT_STEPS = 4,                     /* in which the share of either grows, from nothing to both in full */
    CONFLICT_MIXES = 2 * CONFLICT_STEPS + 1 /* from the first alone to the second alone */
};

struct conflict {
    size_t first, second;
    struct ports_mix mixes[CONFLICT_MIXES]; /* in order of the second's share */
    double by_units[CONFLICT_MIXES];        /* cycles that they should take */
    double parts[PORTS_CLASSES];            /* of the first, that others count for, 0 … 1 */
};

/* The ratios, cycles yet to be measured, of a mix of two kinds: it is in the middle, either alone at the ends. */
struct conflict conflict_of(const struct ports_mix *pair);
/* What those two take that are in the mix, and what is in the way as the first is; 0 where one of the two is missing. */
double conflict_cycles(const struct conflict *c, const struct ports_mix *mix);
/* The mix that says what part another one counts for: in the pair in full, so many of the first are replaced by it. */
struct ports_mix conflict_with(const struct conflict *c, size_t other, unsigned times);
/* That part, by that mix, which was measured; 0 where it would make hardly a difference. */
double conflict_part(const struct conflict *c, size_t other, const struct ports_mix *mix);

#endif
