/* A sweep's curve, as a record and for the observer. */
#ifndef FATHOM_LIB_PROBE_CURVE_H
#define FATHOM_LIB_PROBE_CURVE_H

#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

/* What curve_median takes of a sample. */
enum curve_quantity { CURVE_CYCLES, CURVE_NS };
/* The median over the sweep's samples at x, of cycles or of nanoseconds per unit; NaN where there is none. */
double curve_median(const struct sweep *s, double x, enum curve_quantity quantity);
/* Sends the record `curve` of a sweep that has been searched: its points, and the verdict about this curve alone. */
void curve_send(struct probe *p, const struct sweep *s);
/* Shows the curve to the observer. There must be one (p->run->observer). */
void curve_show(const struct probe *p, const struct sweep *s);

#endif
