/*
 * The performance monitors: cycles and instructions in windows. All functions are to be called on the core in use, at
 * EL1.
 */
#ifndef FATHOM_ARCH_AARCH64_OWN_COUNTERS_H
#define FATHOM_ARCH_AARCH64_OWN_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/reader.h"

/* What the firmware had in the registers of PMUv3 that we use. */
struct window_counters {
    uint64_t control, enabled, interrupts, overflowed;
    uint64_t cycle_filter, event_type;
    uint64_t cycles, events;
};

/*
 * Why the reader cannot count cycles: the core lacks PMUv3, or EL1 may use none of its event counters. NULL: it can, as
 * far as identification registers say.
 */
const char *window_counters_missing(void);
/* Why event counter 0 cannot count instructions; NULL when it can. */
const char *window_counters_no_instructions(void);

/*
 * Notes in *found what the firmware had in the registers, stops all counters, switches their interrupts off, and starts
 * the cycle counter at 0 and, with `instructions`, event counter 0 at 0; else that counter stays 0.
 */
void window_counters_start(struct window_counters *found, bool instructions);
/* Stops the counters, and restores what window_counters_start found in their registers. */
void window_counters_stop(const struct window_counters *found);

/*
 * Corrects the instructions of a list that has run, where event counters have 32 bits: one that has wrapped between the
 * two reads of a reading is lower at its end.
 */
void window_counters_unwrap(struct reading *list, size_t count);

#endif
