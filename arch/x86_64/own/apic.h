/*
 * The local APIC: silences interrupts in a window, and its timer can end a window.
 *
 * Intel SDM vol. 3A, chapter 11; AMD APM vol. 2, chapter 16. It is accessed in the way that the firmware has chosen,
 * memory-mapped (xAPIC) or by MSR (x2APIC).
 */
#ifndef FATHOM_ARCH_X86_64_OWN_APIC_H
#define FATHOM_ARCH_X86_64_OWN_APIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/own.h"
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
 * Finds the local APIC and the rate of its timer against the time stamp. Takes a few milliseconds. It accesses the
 * APIC for the first time, so it must run in a guarded call; on a fault the caller reports the reason with
 * apic_unusable.
 */
void apic_start(double tick_hz);
void apic_unusable(const char *reason);
/* Stops using the timer to end windows, for this reason; everything else of the APIC is used as before. */
void apic_refuse_deadline(const char *reason);
/* Why the timer cannot end a window; NULL when it can. */
const char *apic_no_deadline(void);

/* The local vectors as they are, at most APIC_LOCAL_VECTORS of them; returns how many, none without a usable APIC. */
size_t apic_local_values(struct own_value out[APIC_LOCAL_VECTORS]);

/*
 * Masks every local vector, except those delivered as system management interrupts, and raises the task priority, so
 * that only our own two vectors are delivered; and restores everything. Interrupts must be disabled. Both do nothing
 * without a usable APIC.
 */
void apic_quiet(struct apic_state *found);
void apic_restore(const struct apic_state *found);

/* Requests the interrupt VECTOR_DEADLINE after this time. */
void apic_arm(unsigned milliseconds);
/* Cancels it; an interrupt that is already pending is taken and dismissed. */
void apic_disarm(void);

/* Sends a non-maskable interrupt to the core whose local APIC has that number. */
void apic_send_nmi(uint32_t id);

GENERAL_REGISTERS void apic_end_of_interrupt(void);

#endif
