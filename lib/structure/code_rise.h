/*
 * The first rise of a curve of branches over the bytes of their code, where the curve may fall again behind it: branches
 * that are fetched ahead hide misses, the more the later they are needed. So the curve is no staircase of levels
 * (lib/knee/knee.h), and only the first rise is asked for.
 */
#ifndef FATHOM_LIB_STRUCTURE_CODE_RISE_H
#define FATHOM_LIB_STRUCTURE_CODE_RISE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/search.h"

struct code_rise {
    double value; /* the last x before a branch costs clearly more */
    double low;   /* the last x up to there at which it costs as much as on the level */
    double high;  /* the first x at which it costs clearly more, as it does at the next point */
};

/*
 * Finds the first rise of these points, which ascend in x; y is cycles. The level is the median of the first points.
 * False: there is none, or too few points have a y.
 */
bool code_rise_find(const struct search_point *points, size_t count, struct code_rise *out);

#endif
