/*
 * Which accesses train a prefetcher of sequences, the kinds stride and stream: loads that hit, stores, distances that
 * are constant in lines only or shorter than a line; and what a trained load instruction keeps when it goes elsewhere.
 * lib/structure/prefetch_kinds.h has the terms.
 *
 * Each experiment has a list that certainly trains, to show which line is brought; the list in question; and a control
 * that must leave the line at home, else another prefetcher brings it, and nothing is decided.
 */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_TRAINS_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_TRAINS_H

#include "lib/structure/prefetch_kinds.h"

/*
 * Finds these traits of *f, whose training is known, f->stride above 0; one: sequences are of one load instruction.
 * PREFETCH_UNIT, PREFETCH_SHORT, PREFETCH_STRIDE_MIN and PREFETCH_RESUMES are found for these only. False: the probe
 * has ended.
 */
bool prefetch_find_trains(struct prefetch_kinds *k, struct prefetch_found *f, bool one);

#endif
