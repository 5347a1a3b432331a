/*
 * What is in memory: the kind `pointers`, lines that pointers lead to. lib/structure/prefetch_kinds.h has the terms.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_POINTERS_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_POINTERS_H

#include "lib/structure/prefetch_kinds.h"

/*
 * Finds the kind, after how many pointers that were loaded and followed it acts, and how many lines it brings then, and
 * stores that in k->found[PREFETCH_POINTERS]: "array", or "all of a line" where one pointer of a line is enough, and
 * need not be followed. False: the probe has ended.
 */
bool prefetch_find_pointers(struct prefetch_kinds *k);
/* Looks once more at which lines the last pointer brings that just trains the kind. False: the probe has ended. */
bool prefetch_look_pointers(struct prefetch_kinds *k, struct looked_bits *out);

#endif
