/* A sweep's curve, as a record and for the observer. */
#ifndef FATHOM_LIB_PROBE_CURVE_H
#define FATHOM_LIB_PROBE_CURVE_H

#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

/* The median over the samples at x, of cycles or nanoseconds per unit; NaN where there is none. */
enum curve_quantity { CURVE_CYCLES, CURVE_NS };
double curve_median(const struct sweep *s, double x, enum curve_quantity quantity);
/* Sends the record `curve`: points, and the verdict about this curve alone. */
void curve_send(struct probe *p, const struct sweep *s);
/* Shows it to the observer, who must be there. */
void curve_show(const struct probe *p, const struct sweep *s);

#endif
