/*
 * A curve out of single measurements that come in any order: x and y for each row of a table in, points with one y and
 * its error out. Memory is bounded, however many rows there are:
 *
 *   many y at one x      a sample of them is kept, each with the same chance (reservoir; Vitter 1985, algorithm R).
 *                        The seed is fixed: the same rows give the same curve.
 *   many different x     neighbours that are closest in proportion become one point
 */
#ifndef FATHOM_BOOT_LINUX_GATHER_H
#define FATHOM_BOOT_LINUX_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/knee/knee.h"

/* What is kept at most, so that memory is bounded. */
enum {
    GATHER_POINTS = 16384,   /* different x that are kept apart */
    GATHER_SAMPLES = 256,    /* y that are kept at each */
    GATHER_WAITING = 262144, /* rows that wait to be sorted in */
};

/* A row that waits to be sorted in. */
struct gather_row {
    double x, y;
    uint32_t order;
};

/* All rows at one x, or at several neighbouring x that were merged. */
struct gather_bin {
    double from, to; /* the x in it: one, or several that were merged */
    uint64_t seen;   /* rows that had a y */
    size_t kept, room;
    double *samples; /* `kept` of them, in the order of rows but where more were seen */
};

/* A curve while it is gathered. Begun by gather_start, freed by gather_free. */
struct gather {
    struct gather_row *waiting;
    size_t waiting_count, waiting_room;
    struct gather_bin *bins; /* ascending */
    size_t count;
    double width; /* 0, or: x that differ by less than this proportion were merged where there were too many */
    bool ascending, descending; /* each row's x no less, no more than the one before */
    double last;
    uint64_t random;
};

/* Begins: no rows. */
void gather_start(struct gather *g);
/*
 * Adds a row. x is finite; where y is NaN, x was measured and gave nothing. False when memory is short; gather_free is
 * due nevertheless.
 */
bool gather_add(struct gather *g, double x, double y);
/*
 * To be called after the last row. Then the bins, at most GATHER_POINTS, hold what was gathered and may be read. False
 * when memory is short; gather_free is due nevertheless.
 */
bool gather_end(struct gather *g);
/*
 * Makes *points, one point for each of the g->count bins, for the caller to free: x is the smallest in the bin, y the
 * median of the samples that are kept, NaN where no row had a y, error the standard error of the median, NaN for fewer
 * than two samples. False when memory is short.
 */
bool gather_points(const struct gather *g, struct knee_point **points);
/*
 * Makes *passes: the y that passes over these points gave, one pass after the other, where the order of rows is taken
 * for the order of time: the first third of the samples at each x, the second, the last; halves where there are too few
 * for thirds. passes->y is for the caller to free. passes->count is 0 where x were merged, and where at more than one
 * in ten x samples are too few for halves, or more came than are kept, since those kept are not in order. False when
 * memory is short.
 */
bool gather_passes(const struct gather *g, struct knee_passes *passes);
/* Frees everything; *g is then all zero. */
void gather_free(struct gather *g);

/*
 * Corrects a verdict about the points of gather_points, each of which stands at the first x of its bin: moves knees,
 * and the ends of levels, from there to the last x of their bins. What is bad from a bin on was surely bad at its last
 * x, and the last good x may be any in its bin. Where nothing was merged the verdict stays as it is.
 */
void gather_widen(const struct gather *g, struct verdict *v);

#endif
