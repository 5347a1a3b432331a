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
/* Runs at least `iterations` of the kernel, in windows of limited length; a reading has `reading_iterations`. */
struct window_result length_warm_up(struct meter *m, const struct kernel *k, double iterations,
                                    uint64_t reading_iterations);
/* Finds *iterations as length_find does, and warms the kernel up. */
struct window_result length_prepare(struct meter *m, const struct kernel *k, uint64_t *iterations);

#endif
