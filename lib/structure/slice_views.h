/*
 * How far lines are from several cores, once it is known which parities choose their slices (lib/structure/slices.h):
 * how many distances there are at least, and whether two cores see different ones.
 */
#ifndef FATHOM_LIB_STRUCTURE_SLICE_VIEWS_H
#define FATHOM_LIB_STRUCTURE_SLICE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/structure/slices.h"

/* What one core sees. Arrays are the caller's. */
struct slice_view {
    double *cycles;                 /* of a hit by line; NaN: not measured */
    double *means;                  /* the same by combination of parities, of which f->count has 2^f->count */
    double error;                   /* standard error of these means */
    struct slice_function function; /* as far as this core alone shows it */
};

/* Fills in means and error. False: there is no memory. */
bool slice_view_average(struct slice_view *v, const struct slice_function *f);
/* Whether so many means of two views rise and fall together, or against each other. */
bool slice_views_alike(const struct slice_view *a, const struct slice_view *b, size_t combinations);
/*
 * Returns how many sets of combinations of parities are at different distances from at least one core; 0: there is no
 * memory.
 */
size_t slice_views_distances(const struct slice_view *views, size_t count, size_t combinations);

#endif
