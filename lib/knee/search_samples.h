/*
 * The points of a search: taking samples within the budget, waiting until the machine is quiet, and repeating samples
 * that contradict each other. A function that takes samples returns false when the budget is spent, and then sets
 * s->spent; when the share of the budget that the current knee may use (s->share) is; when s->sample ended the search;
 * or when memory is short.
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

/*
 * Takes one sample at x and adds it to the point there; the point is added where there is none, which moves the others
 * in memory. A sample without an accepted reading counts as taken, but adds no value. False: s->budget less s->reserved
 * is spent, and s->spent is set; s->share, the part that one knee may use, is; s->sample ended the search; or memory is
 * short.
 */
bool search_take(struct search *s, double x);
/* As search_take, and sets *y to what the sample gave, NaN where it was not accepted; on false *y is left as it is. */
bool search_take_value(struct search *s, double x, double *y);

/*
 * Waits until the machine is quiet: samples the first x, whose usual value is known best, until a sample is not clearly
 * higher than usual, PATIENCE times at most. A time in which everything is slower passes meanwhile, unless it lasts
 * longer. Where most neighbouring samples of the first x are equal it does not wait; where there are too few of them
 * (RECENT_AT_LEAST) it only takes one. False when the budget, or the part
 * of it that one knee may use, is spent, when s->sample ended the search, or when memory is short.
 */
bool search_wait_for_quiet(struct search *s);

/*
 * Takes more samples at each x that has fewer than two, whose samples differ by more than noise, or whose few samples
 * lie beyond those of both neighbours, until most agree or there are SETTLE_SAMPLES. False when the budget, or the part
 * of it that one knee may use, is spent, when s->sample ended the search, or when memory is short.
 */
bool search_settle(struct search *s);

/*
 * Sets sigma[i] to the standard deviation of one sample at point i, for all s->count points: from how samples taken one
 * after the other at one x differ, pooled over points of about the same height. NaN where nothing is known. False when
 * memory is short.
 */
bool search_noise(const struct search *s, double *sigma);
/* Whether all samples of each x are equal to the last digit. */
bool search_repeats_exactly(const struct search *s);

#endif
