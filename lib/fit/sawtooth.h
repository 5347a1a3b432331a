/*
 * Sawtooth: whole numbers that fall by one from each place to the next, and after so many places are back at the top. So
 * behave what fits before a group that is taken in whole or not at all, while the group is moved by one place after the
 * other.
 */
#ifndef FATHOM_LIB_FIT_SAWTOOTH_H
#define FATHOM_LIB_FIT_SAWTOOTH_H

#include <stddef.h>

struct sawtooth {
    unsigned period; /* places; 1: all are alike; 0: none explains them */
    double top;
};

/*
 * The one that explains most of the numbers, of those that are seen twice at least; all but an eighth of them it must
 * explain, and no other one as many. NaN is explained by none.
 */
struct sawtooth sawtooth_fit(const double *y, size_t count);
/*
 * Places from top to top where the teeth are worn: numbers come again after so many places, all but an eighth, and
 * between fall, but for one rise, by as much as teeth do or one less, so that two places may be alike. 0: they don't.
 */
unsigned sawtooth_worn(const double *y, size_t count);

#endif
