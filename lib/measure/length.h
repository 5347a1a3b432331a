/*
 * How long a reading is: how often a kernel iterates in one call, and how it is warmed up. For lib/measure alone.
 */
#ifndef FATHOM_LIB_MEASURE_LENGTH_H
#define FATHOM_LIB_MEASURE_LENGTH_H

#include <stdint.h>

#include "lib/measure/meter.h"

/*
 * Ticks of the time stamp that one reading of this kernel should take: those that meter_start has found, times the
 * kernel's length_factor except in profile smoke.
 */
double length_wanted(const struct meter *m, const struct kernel *k);
/*
 * Sets *iterations to how often the kernel has to iterate for a reading of about length_wanted, or of more where so few
 * iterations fit into it that one less would show, from 1 to ITERATIONS_MAXIMUM, beginning the search with its value on entry, which is at least 1. Adds to *run the iterations
 * that ran meanwhile. The result says how the last window ended; the search ends with the first that did not run to its
 * end, and *iterations is then not the result of a search.
 */
struct window_result length_find(struct meter *m, const struct kernel *k, uint64_t *iterations, double *run);
/*
 * Warms the kernel up: runs at least `iterations` of it, divided into windows of about WARM_WINDOW_SECONDS. How many
 * iterations fit into a window is computed from `reading_iterations`, those of a reading that takes length_wanted. Ends
 * with the first window that did not run to its end. The result says how the last window ended.
 */
struct window_result length_warm_up(struct meter *m, const struct kernel *k, double iterations,
                                    uint64_t reading_iterations);
/*
 * Sets *iterations as length_find does. Where fewer than the kernel's warm_iterations have run meanwhile, runs the
 * others, and then searches again. The result says how the last window ended.
 */
struct window_result length_prepare(struct meter *m, const struct kernel *k, uint64_t *iterations);

#endif
