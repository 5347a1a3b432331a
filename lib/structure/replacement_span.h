/*
 * What replacement in a cache is looked at with: its ways, and the bytes that one of them spans.
 */
#ifndef FATHOM_LIB_STRUCTURE_REPLACEMENT_SPAN_H
#define FATHOM_LIB_STRUCTURE_REPLACEMENT_SPAN_H

#include "lib/kernels/displaced_chase.h"
#include "lib/probe/probe.h"

struct cache_span {
    unsigned ways; /* 0: not known, or such caches are not simulated */
    size_t bytes;  /* from one line of a set to the next */
};

/* From the facts about a level; a power of two, since sets are, though the capacity may be off by some lines. */
struct cache_span cache_span_of(const struct probe *p, unsigned level);

#endif
