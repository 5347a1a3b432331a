/*
 * A curve out of single measurements that come in any order: x and y as often as there are rows in somebody's
 * file, points with one y and its error out. Memory is bounded, however many there are:
 *
 *   many y at one x      a sample of them is kept, each with the same chance (reservoir; Vitter 1985, algorithm R).
 *                        The dice are the same each time: the same rows give the same curve.
 *   many different x     neighbours that are closest in proportion become one point
 */
#ifndef FATHOM_BOOT_LINUX_GATHER_H
#define FATHOM_BOOT_LINUX_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/knee/knee.h"

enum {
    GATHER_POINTS = 16384,   /* different x that are kept apart */
    GATHER_SAMPLES = 256,    /* y that are kept at each */
    GATHER_WAITING = 262144, /* rows that wait to be sorted in */
};

struct gather_row {
    double x, y;
    uint32_t order;
};

struct gather_bin {
    double from, to; /* the x in it: one, or several that were merged */
    uint64_t seen;   /* rows that had a y */
    size_t kept, room;
    double *samples; /* `kept` of them, in the order of rows but where more were seen */
};

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

void gather_start(struct gather *g);
/* These return false when memory is short; gather_free is due nevertheless. */
/* x finite; y NaN: was measured and gave nothing. */
bool gather_add(struct gather *g, double x, double y);
/* All rows are there. Then the bins are what was gathered, and may be read; at most GATHER_POINTS. */
bool gather_end(struct gather *g);
/*
 * The points of the bins, for the caller to free: x is the smallest in the bin, y the median, error the standard
 * error of the median.
 */
bool gather_points(const struct gather *g, struct knee_point **points);
/*
 * What passes over these points gave, one after the other, the order of rows being the order of time: the first third
 * of the samples at each x, the second one, the last one. passes->y is for the caller to free. No passes where samples
 * are too few, where x were merged, and where more samples came than are kept, which have no order any more.
 */
bool gather_passes(const struct gather *g, struct knee_passes *passes);
void gather_free(struct gather *g);

/*
 * Points know their bin's first x only. Of a verdict about them: what is bad from a bin on was surely bad at its last
 * x, and the last good x may be any in its bin. Leaves verdicts alone where nothing was merged.
 */
void gather_widen(const struct gather *g, struct verdict *v);

#endif
