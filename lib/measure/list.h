/*
 * Lists of readings for one window: the kernel between reference chains and sibling detectors.
 *
 *     NOPs, chain, kernel, NOPs, chain, kernel, …, NOPs, chain
 *
 * For lib/measure alone.
 */
#ifndef FATHOM_LIB_MEASURE_LIST_H
#define FATHOM_LIB_MEASURE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/measure/meter.h"

enum {
    POINT_READINGS = 16, /* kernels in a list at most */
    LIST_ROUND = 3,      /* readings from one kernel of a list to the next */
    LIST_KERNEL = 2,     /* where the kernel stands in its round, behind NOPs and chain */
    LIST_READINGS = LIST_ROUND * POINT_READINGS + LIST_KERNEL,
    EXACT_READINGS = 2 /* so many are enough where readings repeat to the last digit */
};

/* Ticks of the time stamp that a reading took, the reader's own cost included. */
double reading_ticks(const struct reading *r);
/* Core cycles, likewise, by the cycle counter; 0 where the reader samples none. */
double reading_counted_cycles(const struct reading *r);
/* The kernel, called once with so many iterations. */
struct reading reading_of(const struct kernel *k, uint64_t iterations);
/* The reference chain; and the sibling detector's row of NOPs. */
struct reading reading_of_chain(const struct meter *m);
struct reading reading_of_nops(const struct meter *m);
/* Core cycles that the reference chain takes: one for each addition. */
double chain_cycles(const struct meter *m);

/*
 * The greatest common divisor of `step` and the differences between reading i's time stamps and the list's first one.
 */
uint64_t list_step(uint64_t step, const struct reading *list, size_t i);

/* Runs a window and adds its time to what the meter has spent. */
struct window_result list_run(struct meter *m, struct reading *list, size_t count);
/* Fills in the list for `kernels` calls of the kernel, POINT_READINGS at most. Returns its length. */
size_t list_make(const struct meter *m, const struct kernel *k, uint64_t iterations, size_t kernels,
                 struct reading *list);
/*
 * Whether all reference chains of the list took the same number of ticks, and all kernels did: then time is counted, as
 * in an emulator, and more readings say nothing new. `kernels` is the number of kernels in the list; false for fewer
 * than EXACT_READINGS.
 */
bool list_repeats(const struct meter *m, const struct reading *list, size_t kernels);

#endif
