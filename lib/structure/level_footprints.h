/*
 * Footprints that lie in one level of the cache hierarchy: parts of the level, several times as large as the level
 * before it.
 */
#ifndef FATHOM_LIB_STRUCTURE_LEVEL_FOOTPRINTS_H
#define FATHOM_LIB_STRUCTURE_LEVEL_FOOTPRINTS_H

#include "lib/base/reason.h"
#include "lib/probe/probe.h"

enum { FOOTPRINT_LEVELS = 5 /* memory among them */, FOOTPRINTS = 2, FOOTPRINT_PAGE_BYTES = 4096 };

struct level_footprints {
    char name[8];             /* "1", "dram" */
    double bytes[FOOTPRINTS]; /* the second one is twice the first */
    enum reason why_not;      /* why there are none; REASON_NONE: there are */
    bool shared;              /* other cores or programs may use the level at the same time */
};

/*
 * Every level whose capacity is declared or measured, and memory behind them; none of more than `most` bytes. Returns
 * their number.
 */
size_t level_footprints(const struct probe *p, double most, struct level_footprints levels[FOOTPRINT_LEVELS]);

#endif
