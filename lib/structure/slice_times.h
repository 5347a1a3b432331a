/*
 * How long a hit in the third level takes, line by line (docs/METHODS.md, 9.6).
 *
 * A line is loaded again and again, and in between as many other lines of its set of the second level as displace it
 * from there: twice its ways, at distances of what a way spans, so that all of them have the same set of the first
 * level, too. How long these take depends on their own slices, which follow from the line's lower address bits, so that
 * these would seem to choose its slice twice. So its next load does not wait for them, but for a chain of
 * multiplications that begins with them, when the line has arrived, and lasts longer: an iteration is the time of the
 * line and a constant.
 */
#ifndef FATHOM_LIB_STRUCTURE_SLICE_TIMES_H
#define FATHOM_LIB_STRUCTURE_SLICE_TIMES_H

#include "lib/probe/probe.h"
#include "lib/structure/replacement_span.h"

struct slice_times {
    struct probe *p;
    unsigned line_bits; /* of the numbers of lines, which follow each other from an aligned start */
    size_t line_bytes, way_bytes;
    size_t displacers;              /* lines that displace one */
    struct area area;               /* the lines, and then the displacers */
    struct kernel near, far;        /* iterations in which the line stays in the second level, or does not */
    uint64_t iterations;            /* of a measurement */
    double near_cycles, far_cycles; /* of an iteration */
    uint32_t *order;                /* in which lines are measured */
    double *sorted;                 /* scratch */
};

/*
 * Maps the memory and makes the kernels. *reason: why lines cannot be measured, or REASON_NONE; NO_CONTRAST where they
 * are not displaced. False: the probe has ended. slice_times_free must follow in either case.
 */
bool slice_times_start(struct probe *p, struct slice_times *t, const struct cache_span *second, enum reason *reason);
void slice_times_free(struct slice_times *t);
/*
 * Measures every line once, in random order, on the core in use: cycles[n] is what an iteration takes with line n. NaN:
 * something disturbed it, or it takes so much more or less than most that it is not in the third level. *reason: NOISE
 * where there are too many of those. False: the probe has ended.
 */
bool slice_times_measure(struct slice_times *t, double *cycles, enum reason *reason);

#endif
