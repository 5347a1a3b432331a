/*
 * How often a run may open rows of DRAM.
 *
 * A row that is opened very often before the rows beside it are refreshed can flip bits in these: published counts go
 * down to some thousands of activations within the 32 to 64 ms from refresh to refresh. Here no row, and so no pair of
 * rows, is opened more than ACTIVATIONS_MOST times within ACTIVATIONS_SECONDS, since all rows together are not. Each
 * access counts as an activation, whether a row was open or not.
 *
 * All accesses of experiments on DRAM go through activations_run, which waits until they are allowed.
 */
#ifndef FATHOM_LIB_MEASURE_ACTIVATIONS_H
#define FATHOM_LIB_MEASURE_ACTIVATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/measure/meter.h"

enum { ACTIVATIONS_MOST = 1000, ACTIVATIONS_BURSTS = 64 };
static const double ACTIVATIONS_SECONDS = 0.064;

/* Starts as zeros. Bursts of the last ACTIVATIONS_SECONDS, the oldest first. */
struct activations {
    struct activations_burst {
        double ended; /* by machine_seconds */
        unsigned count;
    } bursts[ACTIVATIONS_BURSTS];
    size_t used;
    double all; /* that were ever made, to be reported */
};

/*
 * Runs the list in a window (lib/measure/list.h) as soon as its accesses are allowed: `each` for an iteration of any of
 * its readings, ACTIVATIONS_MOST at most in all. False: they would never be allowed, or the platform has no clock to
 * wait by; then nothing ran.
 */
bool activations_run(struct activations *a, struct meter *m, struct reading *list, size_t readings, unsigned each,
                     struct window_result *result);

#endif
