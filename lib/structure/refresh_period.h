/*
 * The period at which loads from memory are held up (docs/METHODS.md, 9.9), from the times of single loads.
 *
 * The loads of a burst are folded: by what remains of their time after whole periods, they fall into one of some bins. If
 * loads are held up once a period, the mean of one bin is longer, else all are alike; the sum of the squares of the bins'
 * distances from the mean, each by its own error, is then distributed as chi-squared (epoch folding: Leahy et al. 1983,
 * The Astrophysical Journal 266, 160). Bursts are too far apart for one clock to be counted through: their sums are added.
 */
#ifndef FATHOM_LIB_STRUCTURE_REFRESH_PERIOD_H
#define FATHOM_LIB_STRUCTURE_REFRESH_PERIOD_H

#include <stddef.h>

#include "lib/base/reason.h"

enum { REFRESH_LOADS = 1024 /* of a burst, at most */, REFRESH_BURSTS = 256 };

/* A load: when it was done, from any moment of its burst on, and how long it took; nanoseconds. */
struct timed_load {
    double at, took;
};
struct load_burst {
    struct timed_load loads[REFRESH_LOADS];
    size_t count;
};

struct refresh_period {
    enum reason reason;       /* why there is none; REASON_NONE: there is one */
    double ns;                /* the period */
    double wait, least, most; /* nanoseconds that loads wait in each; the median of all bursts, and its bounds */
};

/*
 * Decides about `count` bursts, REFRESH_BURSTS at most, and stores that in *out. Changes what they hold: no load takes
 * longer any more than a refresh could explain.
 */
void refresh_period_find(struct load_burst *bursts, size_t count, struct refresh_period *out);

#endif
