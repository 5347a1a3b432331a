/*
 * The points of a search: taking samples within the budget, waiting until the machine is quiet, and repeating samples
 * that contradict each other. A function that takes samples returns false when the budget is spent, and then sets
 * `spent`; when the share of the knee at hand is; when `sample` ended the search; or when memory is short.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_SAMPLES_H
#define FATHOM_LIB_KNEE_SEARCH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/knee/search.h"

/* An interval of fewer steps than this cannot be narrowed: it is one step wide, but for rounding. */
static const double ONE_STEP = 1.5;

/* The point at x, added where there is none yet; NULL when memory is short. Adding one moves the others in memory. */
struct search_point *search_point_at(struct search *s, double x);
/* Points with low < x < high. */
size_t search_points_within(const struct search *s, double low, double high);
/* The multiple of the step that is nearest to x. */
double search_round(const struct search *s, double x);

/* Takes one sample at x. */
bool search_take(struct search *s, double x);
/* The same; *y is what the sample gave, NaN where it was not accepted. */
bool search_take_value(struct search *s, double x, double *y);

/*
 * Samples the first x, whose usual value is known best by now, until it reads no higher than usual, PATIENCE times at
 * most. So a time in which everything is slower passes, unless it lasts: then later samples are slow as well. Does not
 * wait where samples repeat exactly.
 */
bool search_wait_for_quiet(struct search *s);

/* Takes more samples, later, at each x whose samples contradict each other or the neighbours, until most agree. */
bool search_settle(struct search *s);

/* Deviation of one sample at each point, from how samples at one x differ, pooled over points of about the same height:
 * sigma[i], NaN where nothing is known. False when memory is short. */
bool search_noise(const struct search *s, double *sigma);
/* Whether all samples of each x are equal to the last digit. */
bool search_repeats_exactly(const struct search *s);

#endif
