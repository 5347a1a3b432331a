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
 * Measures mixes and searches for the maps that fit them; fills in the results in *p. The caller sets p->count, width,
 * budget, measure and context; `beams` are memory to work in. False: a mix could not be measured, or there are more
 * than PORTS_CLASSES instructions; then only part of the results is set.
 */
bool ports_solve(struct ports *p, struct ports_beam beams[2]);
/*
 * Draws a mix of three to six kinds of instructions, or of all where there are fewer, at random (`random`: state of
 * lib/base/random.h, advanced), with as many of each, rounded, as keep their ports busy for the same time; with `any`,
 * with one to six of each. p->mixes must have each instruction alone.
 */
struct ports_mix ports_random_mix(const struct ports *p, uint64_t *random, bool any);

#endif
