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
 * Finds the sawtooth that explains most of `count` numbers, among those whose period is at most half of count. A number
 * is explained if it differs from the sawtooth by less than SAWTOOTH_ALIKE; NaN never is. Period 0 where the best one
 * leaves more than count / SAWTOOTH_ONE_IN numbers unexplained, or where another one explains as many.
 */
struct sawtooth sawtooth_fit(const double *y, size_t count);
/*
 * Returns the period of a sawtooth whose fall is blurred: two neighbouring places of a tooth may have equal numbers.
 * With the right period the numbers repeat, but for count / SAWTOOTH_ONE_IN of them at most; within a period y rises
 * once, and the highest number exceeds the lowest by one or two less than the period. The shortest period of 3 to 16,
 * and at most a third of count, for which that holds; 0 where there is none.
 */
unsigned sawtooth_blurred_period(const double *y, size_t count);

#endif
