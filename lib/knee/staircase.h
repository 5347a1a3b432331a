/*
 * KNEE_STAIRCASE: steps of equal width and height. The knee's value is the width. docs/METHODS.md, 2.4.
 *
 * Model: y = b + r floor((x - o) / w). Each riser lies between two points. Any two risers are a whole number of widths
 * apart, so that many risers determine the width better than one step does.
 */
#ifndef FATHOM_LIB_KNEE_STAIRCASE_H
#define FATHOM_LIB_KNEE_STAIRCASE_H

#include <stdbool.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"

/*
 * Decides about a curve of KNEE_STAIRCASE, of at least POINTS_AT_LEAST points: stores the knee and its first two
 * levels, or the reason why there is none, in *out. Replaces the variances of c by those of a staircase, in which many
 * points stand beside a riser. False when memory is short.
 */
bool decide_staircase(struct curve *c, struct verdict *out);

#endif
