/*
 * Sawtooth: whole numbers that fall by one from each place to the next and return to the top after a fixed number of
 * places. docs/METHODS.md, 4.13. Example: how many fillers fit before a group of instructions that enters the reorder
 * buffer as a whole, while the group is moved by one place after the other.
 */
#ifndef FATHOM_LIB_KNEE_SAWTOOTH_H
#define FATHOM_LIB_KNEE_SAWTOOTH_H

#include <stddef.h>

struct sawtooth {
    unsigned period; /* places from top to top; 1: all numbers are equal; 0: no sawtooth explains them */
    double top;
};

/*
 * Finds the sawtooth that explains most of the numbers, among those whose period fits in twice. It must explain all but
 * one in SAWTOOTH_ONE_IN, and no other one may explain as many. NaN is never explained.
 */
struct sawtooth sawtooth_fit(const double *y, size_t count);
/*
 * Period of a sawtooth whose fall is blurred: two places of a tooth may be equal. The numbers repeat after so many
 * places, all but one in SAWTOOTH_ONE_IN; within a period there is one rise, and the top exceeds the bottom by one or
 * two less than the period. Returns 3 to 16, the shortest that fits; 0 where none does.
 */
unsigned sawtooth_blurred_period(const double *y, size_t count);

#endif
