/*
 * Steps of equal width and height: fetch width. What is told is their width.
 *
 * y = b + r floor((x - o) / w). Each riser is between two points; from the first one to the last are a whole number of
 * widths, so that many risers tell the width better than one does.
 */
#ifndef FATHOM_LIB_ENGINE_STAIRS_H
#define FATHOM_LIB_ENGINE_STAIRS_H

#include <stdbool.h>

#include "lib/engine/curve.h"
#include "lib/engine/knee.h"

/* Its knee, its levels, the reason where there is none; weighs the points anew. False when memory is short. */
bool decide_stairs(struct curve *c, struct verdict *out);

#endif
