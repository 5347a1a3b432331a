/*
 * The local APIC: what keeps a window quiet, and the timer that can end it.
 *
 * Intel SDM vol. 3A, chapter 11; AMD APM vol. 2, chapter 16. Both ways of access, memory-mapped
 * (xAPIC) and by MSR (x2APIC); the firmware's choice stays.
 */
#ifndef FATHOM_ARCH_X86_64_OWN_APIC_H
#define FATHOM_ARCH_X86_64_OWN_APIC_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/own/instructions.h"

enum { APIC_LOCAL_VECTORS = 7, APIC_EXTENDED_VECTORS = 4 };

/* What apic_quiet changed. */
struct apic_state {
    uint32_t spurious;
    uint32_t task_priority;
    uint32_t local[APIC_LOCAL_VECTORS];
    uint32_t extended[APIC_EXTENDED_VECTORS];
    uint32_t divide;
    uint32_t initial_count;
    uint32_t current_count;
    uint64_t deadline; /* IA32_TSC_DEADLINE, where the firmware's timer runs in that mode */
};

/*
 * Finds the local APIC and the rate of its timer against the time stamp. Takes a few milliseconds.
 * Touches the APIC for the first time, so it belongs into a guarded call; a fault is for the caller
 * to report with apic_unusable.
 */
void apic_start(double tick_hz);
void apic_unusable(const char *reason);
/* NULL when the timer can end a window, else why not. */
const char *apic_no_deadline(void);

/*
 * Masks every local vector and raises the task priority, so that nothing but our own two vectors gets
 * in; and puts everything back. Interrupts must be disabled. Both do nothing without a usable APIC.
 */
void apic_quiet(struct apic_state *found);
void apic_restore(const struct apic_state *found);

/* One deadline, VECTOR_DEADLINE, from now. */
void apic_arm(unsigned milliseconds);
/* No deadline any more, also none that has struck and was not let in yet. */
void apic_disarm(void);

GENERAL_REGISTERS void apic_end_of_interrupt(void);

#endif
