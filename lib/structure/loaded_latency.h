/*
 * Latency of memory under load: at which bandwidth it begins to rise, and where the bandwidth ends (docs/METHODS.md,
 * 9.1).
 */
#ifndef FATHOM_LIB_STRUCTURE_LOADED_LATENCY_H
#define FATHOM_LIB_STRUCTURE_LOADED_LATENCY_H

#include <stddef.h>

#include "lib/base/reason.h"

enum { LOADED_POINTS = 24 };

/* What was measured with one pause of the core that loads the memory. */
struct loaded_point {
    double bytes_per_ns;    /* that it loaded; 0: it was idle */
    double ns;              /* what a load of this core took meanwhile: the median */
    double ns_low, ns_high; /* between which that median certainly lies */
};

struct loaded_verdict {
    enum reason no_knee; /* why there is no knee; REASON_NONE: there is one */
    double knee;         /* bandwidth at which latency is LOADED_KNEE times the least */
    /* Bandwidths of the points from the last one certainly before the knee to the first one certainly behind it; where
     * there are no such points, from the first or to the last one. */
    double low, high;
    enum reason not_saturated;  /* why the most bandwidth is not known; REASON_NONE: it is */
    double most;                /* bytes a nanosecond */
    double most_low, most_high; /* it lies between those of the last two points, or what was most before them */
    double most_ns;             /* latency at the last point */
};

/*
 * Decides about points in the order of shorter pauses, the first of which was measured without load, and stores that in
 * *out; none of their numbers may be NaN. Beyond saturation bandwidth may fall again while latency rises.
 */
void loaded_latency_decide(const struct loaded_point *points, size_t count, struct loaded_verdict *out);

#endif
