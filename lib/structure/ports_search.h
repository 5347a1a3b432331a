/*
 * Search for the maps of ports that explain mixes (docs/METHODS.md, 4.9): a beam search that places one instruction
 * after the other.
 *
 * The fastest instructions come first. Ports that the instructions so far do not distinguish are interchangeable, so a
 * new instruction's set is only a number of ports of each kind, and a number of new ones. The best maps are kept at
 * each step. Where no map fits, one instruction may be two operations, one on the ports of another instruction and one
 * on such ports or on new ones, and is placed last: the one with which the best map fits best. Up to four instructions,
 * one after the other, are treated so.
 */
#ifndef FATHOM_LIB_STRUCTURE_PORTS_SEARCH_H
#define FATHOM_LIB_STRUCTURE_PORTS_SEARCH_H

#include "lib/structure/ports.h"

/* The maps of one step, the smallest loss first. */
struct ports_beam {
    struct ports_map maps[PORTS_MAPS];
    size_t count;
};

/*
 * Sets p->maps to the maps found that fit p->mixes at p->width, as ports_fits with p->rare says, PORTS_MAPS at most,
 * and p->fits. Where none fits, p->maps has only the best one, if any, and p->fits is false. `a` and `b` are memory to
 * work in.
 */
void ports_search(struct ports *p, struct ports_beam *a, struct ports_beam *b);

#endif
