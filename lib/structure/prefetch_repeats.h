/*
 * What comes again: the kind `deltas`, distances of a load instruction that were seen before, and the kind `replay`,
 * addresses that followed each other before. lib/structure/prefetch_kinds.h has the terms.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_REPEATS_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_REPEATS_H

#include "lib/structure/prefetch_kinds.h"

/*
 * Finds the kind, after how many accesses it follows, how many lines it brings then, and how many distances it
 * remembers, and stores that in k->found[PREFETCH_DELTAS]. False: the probe has ended.
 */
bool prefetch_find_deltas(struct prefetch_kinds *k);
/*
 * Finds the kind, how many times a sequence must have come, and how many lines are brought then, and stores that in
 * k->found[PREFETCH_REPLAY]. False: as above.
 */
bool prefetch_find_replay(struct prefetch_kinds *k);
/* Looks once more at which lines the last access brings that just trains the kind. False: the probe has ended. */
bool prefetch_look_deltas(struct prefetch_kinds *k, struct looked_bits *out);
bool prefetch_look_replay(struct prefetch_kinds *k, struct looked_bits *out);

#endif
