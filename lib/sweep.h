/*
 * What a probe does with its kernels: place code, measure points, walk an axis, report.
 *
 * A function that returns false means that the probe is over (a fault, a time-out, no memory): the
 * reason is kept in the probe, and the probe just returns.
 */
#ifndef FATHOM_LIB_SWEEP_H
#define FATHOM_LIB_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/measure.h"
#include "lib/run.h"

/* A probe while it runs. */
struct probe {
    const struct probe_definition *definition;
    struct run *run;
    struct area code;     /* where probe_code lets kernels be written */
    uint64_t random;      /* state of random_next; the same start in every run */
    enum outcome outcome; /* ok until something ends it */
    char reason[96];      /* why it was skipped */
    struct fault fault;
};

/* Ends the probe as skipped; what the place lacks, in words. Always false. */
bool probe_skip(struct probe *p, const char *reason);
/* Maps memory for data; ends the probe when it cannot be had. */
bool probe_map(struct probe *p, struct area *a, size_t bytes, size_t page_bytes);
/* The same with the largest pages, not larger than the area, that the place gives: the TLB interferes least. */
bool probe_map_large(struct probe *p, struct area *a, size_t bytes);
/* Starts new code of at most `bytes` in the probe's own code area; code.overflow when there is none. */
struct code probe_code(struct probe *p, size_t bytes);
/* Makes finished code, entered at offset `entry`, a kernel. False when it did not fit or is invalid. */
bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k);
bool probe_measure(struct probe *p, const struct kernel *k, struct point *out);
/* The number of samples, points, … that fits the profile of this run. */
double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full);

/* One axis walked. */
struct sweep {
    const char *name; /* of the curve */
    const char *axis; /* what x is, with its unit: "footprint_bytes" */
    const char *unit; /* what y is: "cycles/load" */
    double from, to;
    double per_octave; /* points in an octave; 0: linear, in steps of `grain` */
    double grain;      /* x is a multiple of this: the finest step there is */
    /* Makes the kernel at x. */
    bool (*build)(struct probe *p, double x, void *context, struct kernel *k);
    void *context;
    unsigned builds;    /* how often a point is built anew; it keeps the build with the median level. 0: once */
    double builds_to;   /* largest x for which that is worth its time */
    unsigned half_from; /* first level, from 1, whose capacity is half way up its edge; 0: none. See lib/knee.h */

    struct point *points; /* ascending in x; freed by sweep_free */
    size_t count, room;
};

/* Measures the coarse grid, in two passes, so that what disturbs a stretch of time spoils no stretch of x. */
bool sweep_walk(struct probe *p, struct sweep *s);
/*
 * Measures one more x, or the same again, and keeps the points in order. Of two measurements at one x
 * the lower stays: neighbours on a shared machine make a point higher, never lower. With `half_from`
 * their mean does: the lower one may just have had the luckier frames.
 */
bool sweep_add(struct probe *p, struct sweep *s, double x, struct point *out);
/* Sends the curve record. */
void sweep_record(struct probe *p, const struct sweep *s);
void sweep_free(struct sweep *s);

/* One stair of a curve: a level, and the edge at which it is left. */
struct stair {
    double height; /* cycles per unit on the level */
    double spread; /* from one of the level's points to the next, median, relative to the height */
    double value;  /* x up to which the level is held: see sweep_stairs */
    double low, high;
    bool half; /* value is where half of the rise is reached */
    bool left; /* false for the last level: the curve ends on it, and value, low, high say nothing */
};

/*
 * Finds the levels of a curve and narrows the edges between them down to one grain.
 *
 * A step is left for good at the last x with less than 15 % of its rise; what disturbs a reading makes
 * it higher, hence the last point that is low counts, not the first one that is high. The value is the
 * foot of the step, followed back along its slope from there; `low` is three times as far back, `high`
 * the next x. Where the slope is too wide for that, `high` is where nine tenths of the rise are reached.
 * From level `half_from` on edges are ramps: the value is where half of the rise is reached, `low` where
 * 15 % are reached first, and `high` where nine tenths are.
 */
bool sweep_stairs(struct probe *p, struct sweep *s, double tolerance, double span, struct stair *out, size_t room,
                  size_t *count);

/*
 * The last x up to which the curve is a line, and the next one: for linear sweeps whose cost per step
 * grows past a capacity. False when the line is never left; see knee_line_left.
 */
bool sweep_line_left(struct probe *p, const struct sweep *s, double excess, double *low, double *high);

#endif
