/*
 * Round trips of lines between the core in use and another one, over several lines of memory that no other pair of cores
 * uses, before or after.
 */
#ifndef FATHOM_LIB_KERNELS_LINE_ROUNDS_H
#define FATHOM_LIB_KERNELS_LINE_ROUNDS_H

#include "lib/kernels/round_trip.h"

enum { LINE_ROUNDS_LINES = 64 /* of a pair of cores, at most */ };

struct line_rounds {
    struct kernel kernel;
    uint64_t rounds; /* of a reading */
    size_t lines;    /* of a pair */
    struct area area;
};

/* What the lines of one pair of cores have given: nanoseconds a round, ascending, and the median; NaN: no line has. */
struct line_times {
    double sorted[LINE_ROUNDS_LINES], middle;
    size_t count;
};

/* Emits the kernel. False: the probe is over. */
bool line_rounds_build(struct probe *p, struct line_rounds *r);
/* Maps r->lines new lines for each of that many pairs, which the core in use will touch first. False: it is over. */
bool line_rounds_map(struct probe *p, struct line_rounds *r, size_t pairs);
/*
 * Measures with one other core over the lines of that pair; `row`: NULL, or the time by line. Of each line the shortest
 * reading counts, since whatever else happens to either core can only make it longer. Returns NULL, or why that core
 * cannot be used. *good: the probe is not over.
 */
const char *line_rounds_measure(struct probe *p, struct line_rounds *r, unsigned other, size_t pair, double *row,
                                struct line_times *out, bool *good);

#endif
