/*
 * KNEE_JUMP: two levels, which may slope, and one rise between them. docs/METHODS.md, 2.4.
 *
 * Beginnings and ends of the rise are tried one by one, as in lib/knee/rise.h. Two levels and a rise must explain the
 * curve better than one line. Where more than that is in the curve, the greatest jump between two of its pieces is
 * taken, if it is more than DOMINANCE times as high as any other.
 */
#ifndef FATHOM_LIB_KNEE_JUMP_H
#define FATHOM_LIB_KNEE_JUMP_H

#include <stdbool.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"

/*
 * Decides about a curve of KNEE_JUMP, of at least POINTS_AT_LEAST points: stores its knee, or the reason why there is
 * none, and whether it is monotone in *out. False when memory is short.
 */
bool decide_jump(const struct curve *c, struct verdict *out);

#endif
