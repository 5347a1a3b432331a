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
    LIST_KERNEL = 2,     /* where the kernel stands in its round, after NOPs and chain */
    LIST_READINGS = LIST_ROUND * POINT_READINGS + LIST_KERNEL,
    EXACT_READINGS = 2 /* so many are enough where readings repeat to the last digit */
};

/* Ticks of the time stamp that a reading took. The reader's own cost is part of them. */
double reading_ticks(const struct reading *r);
/*
 * Core cycles that a reading took by the reader's cycle counter, the reader's own cost included; 0 where the reader
 * samples no cycle counter.
 */
double reading_counted_cycles(const struct reading *r);
/* A reading that calls the kernel once, with so many iterations. */
struct reading reading_of(const struct kernel *k, uint64_t iterations);
/* A reading of the reference chain, as long as meter_start has found it to be needed. */
struct reading reading_of_chain(const struct meter *m);
/* A reading of the sibling detector's row of NOPs (sibling.h). */
struct reading reading_of_nops(const struct meter *m);
/* Core cycles that the reference chain of reading_of_chain takes: one for each addition. */
double chain_cycles(const struct meter *m);

/*
 * The steps in which the time stamp advances, 1 tick or more, by a list that has run and consists of the same reading
 * again and again. Where all time stamps are multiples of a number from the first one, it is that. A clock that is
 * scaled, as by a hypervisor, may advance by a number of ticks that is not whole, and a stamp is the whole number below:
 * then it is the length of which all distances are multiples, within a tick.
 */
double list_step(const struct reading *list, size_t count);

/*
 * Runs the list in a window (machine_window), and adds the window to what the meter has spent, and the time of its
 * readings where it ran without an interrupt. Returns how the window ended.
 */
struct window_result list_run(struct meter *m, struct reading *list, size_t count);
/*
 * Fills in the list for `kernels` calls of the kernel, POINT_READINGS at most, in the order shown above; `list` has
 * room for LIST_READINGS. Returns how many readings the list has.
 */
size_t list_make(const struct meter *m, const struct kernel *k, uint64_t iterations, size_t kernels,
                 struct reading *list);
/*
 * Whether, in a list that list_make has filled in and list_run has run, all reference chains took the same number of
 * ticks, and all kernels did. Then time is counted, as in an emulator, and more readings say nothing new. Where the
 * reader samples a cycle counter, cycles are compared instead. False for fewer than EXACT_READINGS kernels.
 */
bool list_repeats(const struct meter *m, const struct reading *list, size_t kernels);

#endif
