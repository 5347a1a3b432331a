/*
 * Classes: numbers that lie together in a few heaps, as the cycles of an experiment do where each case goes one of a
 * few ways through the core.
 */
#ifndef FATHOM_LIB_FIT_CLASSES_H
#define FATHOM_LIB_FIT_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

enum { CLASSES_MAXIMUM = 24 };

struct number_class {
    double low, high; /* of what lies in it */
    double middle;    /* the median */
    size_t count;
};

struct classes {
    size_t count; /* ascending */
    struct number_class all[CLASSES_MAXIMUM];
};

/*
 * Groups sorted numbers into the fewest classes of which none is wider than `width`, nor than `part` of its middle
 * where that is more; among those ways the one with the least sum of squares within them, exactly (Fisher 1958, On
 * Grouping for Maximum Homogeneity). False where more than CLASSES_MAXIMUM were needed, or memory is short.
 */
bool classes_of(const double *sorted, size_t count, double width, double part, struct classes *out);
/* The class in which a number lies; `count` where it lies in none. */
size_t classes_find(const struct classes *c, double value);

#endif
