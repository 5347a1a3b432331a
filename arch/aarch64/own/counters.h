/* The performance monitors: cycles and instructions in windows. To be called at EL1. */
#ifndef FATHOM_ARCH_AARCH64_OWN_COUNTERS_H
#define FATHOM_ARCH_AARCH64_OWN_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/reader.h"

/* What the firmware had in the registers we use. */
struct window_counters {
    uint64_t control, enabled, interrupts, overflowed;
    uint64_t cycle_filter, event_type;
    uint64_t cycles, events;
};

/* Why the reader cannot count cycles: the core lacks a cycle counter or an event counter that EL1 may use; or NULL. */
const char *window_counters_missing(void);
/* Why the event counter cannot count instructions; NULL when it can. */
const char *window_counters_no_instructions(void);

/* Starts the cycle counter and, with `instructions`, event counter 0, which else stays 0; notes what was found. */
void window_counters_start(struct window_counters *found, bool instructions);
/* Restores what was found. */
void window_counters_stop(const struct window_counters *found);

/* Event counters of 32 bits may have wrapped between the two reads of a reading. */
void window_counters_unwrap(struct reading *list, size_t count);

#endif
