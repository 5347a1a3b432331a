/*
 * How long a reading is: how often a kernel iterates in one call, and how it is warmed up. For lib/measure alone.
 */
#ifndef FATHOM_LIB_MEASURE_LENGTH_H
#define FATHOM_LIB_MEASURE_LENGTH_H

#include <stdint.h>

#include "lib/measure/meter.h"

/* Ticks of the time stamp that one reading of this kernel should take. */
double length_wanted(const struct meter *m, const struct kernel *k);
/*
 * Sets *iterations to how often the kernel has to iterate for a reading of length_wanted, beginning the search with its
 * value. *run is increased by the iterations that ran meanwhile. The result says how the last window ended.
 */
struct window_result length_find(struct meter *m, const struct kernel *k, uint64_t *iterations, double *run);
/*
 * Warms the kernel up: runs at least `iterations` of it, divided into windows of about WARM_WINDOW_SECONDS. How many
 * fit into a window is computed from `reading_iterations`, which take length_wanted ticks. Stops after the first window
 * that did not run to its end. The result says how the last window ended.
 */
struct window_result length_warm_up(struct meter *m, const struct kernel *k, double iterations,
                                    uint64_t reading_iterations);
/* Finds *iterations as length_find does, and warms the kernel up. */
struct window_result length_prepare(struct meter *m, const struct kernel *k, uint64_t *iterations);

#endif
