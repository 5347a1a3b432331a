/* The axes that trials are searched over: their range, their step and their coarse grid, all in a struct search. */
#ifndef FATHOM_TESTS_MODEL_CURVES_AXIS_H
#define FATHOM_TESTS_MODEL_CURVES_AXIS_H

#include <stdint.h>

#include "lib/knee/search.h"

/* A logarithmic axis of about this range and step, with 4, 8 or 16 coarse points an octave; it may begin later. */
void log_axis(struct search *p, double step, double from, double to, uint64_t *random);
/* A linear axis of about this range and step, with 16, 32 or 64 coarse points, fewer where there are fewer steps. */
void linear_axis(struct search *p, double step, double from, double to, uint64_t *random);
/* The multiple of the axis' step next to x, at least one step. */
double on_axis(const struct search *p, double x);
/* How many intervals of the coarse grid lie between two x. */
double coarse_between(const struct search *p, double from, double to);
/* The x at a part u of the axis, from 0 at its begin to 1 at its end. */
double along(const struct search *p, double u);

#endif
