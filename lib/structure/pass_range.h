/* What several passes over the same measurement come to, where others on the machine may mislead each of them. */
#ifndef FATHOM_LIB_STRUCTURE_PASS_RANGE_H
#define FATHOM_LIB_STRUCTURE_PASS_RANGE_H

#include <stddef.h>

#include "lib/base/reason.h"

enum { PASSES_MAXIMUM = 16 };

struct pass_range {
    enum reason reason;     /* why they come to nothing; REASON_NONE: they do */
    double value;           /* the middle one; NaN where there is none */
    double least, greatest; /* of them */
};

/* Decides about `count` passes, PASSES_MAXIMUM at most, in any order; NaN are left out. */
struct pass_range pass_range_of(const double *passes, size_t count);

#endif
