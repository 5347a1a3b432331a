/*
 * Execution ports from throughputs, without counters (docs/METHODS.md, 4.9): measures instructions alone, in pairs and
 * in mixes over which maps disagree, until one map predicts mixes drawn at random.
 *
 * The width is given, by the rate of NOPs; where no map fits so, it is the most that any mix reached, since NOPs may
 * take less than an instruction does (Zen 4 packs two short ones into one).
 */
#ifndef FATHOM_LIB_STRUCTURE_PORTS_SOLVE_H
#define FATHOM_LIB_STRUCTURE_PORTS_SOLVE_H

#include "lib/structure/ports_search.h"

/*
 * Measures and searches; `count`, `width`, `budget`, `measure` and `context` are given. `beams` are memory to work
 * in. False: a measurement failed.
 */
bool ports_solve(struct ports *p, struct ports_beam beams[2]);
/* A mix of three to six instructions, drawn at random: as many of each as saturate their ports, or `any` ratios. */
struct ports_mix ports_random_mix(const struct ports *p, uint64_t *random, bool any);

#endif
