/*
 * KNEE_STEP: any number of levels, each left by a step or a ramp. docs/METHODS.md, 2.4.
 *
 * The curve is cut into pieces of straight line (lib/knee/segment.h), and each piece is classified: a level, which is
 * flat or nearly so, or part of a rise. What lies between two levels is a rise (lib/knee/rise.h). A rise that proves to
 * be no knee by itself is joined with the one beside it.
 */
#ifndef FATHOM_LIB_KNEE_STEPS_H
#define FATHOM_LIB_KNEE_STEPS_H

#include <stdbool.h>

#include "lib/knee/curve.h"
#include "lib/knee/knee.h"

/*
 * Decides about a curve of KNEE_STEP, of at least POINTS_AT_LEAST points: stores its knees, or the reason why there is
 * none, and whether it is monotone in *out. False when memory is short.
 */
bool decide_steps(const struct curve *c, struct verdict *out);
/*
 * Whether the level before a knee, from x `from` on, may be two levels between which no knee was found: its n points
 * are more than n exp(PARAMETER_PRICE / 2) times as likely with two levels as with one line, since the edge between the
 * two may be at any of them, and the second level is higher by more than DOUBTFUL_RISE. It may also be several,
 * where it begins with a flat level that all its other points lie far above.
 */
bool steps_level_may_be_several(const struct curve *c, const struct knee *k, double from);

#endif
