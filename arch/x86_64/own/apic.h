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

/* What apic_quiet changed: the registers as they were found. */
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
 * Finds the local APIC of the core that runs this, and the rate of its timer against the time stamp, whose frequency is
 * `tick_hz`. Takes a few milliseconds. It accesses the APIC for the first time, so it must run in own_call; on a fault
 * the caller passes the reason to apic_unusable. apic_no_deadline says what came of it.
 */
void apic_start(double tick_hz);
/*
 * From now on the APIC is not accessed, and the other functions do nothing. apic_no_deadline returns the reason, a
 * string constant.
 */
void apic_unusable(const char *reason);
/*
 * From now on the timer is not used to end windows; everything else of the APIC is used as before. apic_no_deadline
 * returns the reason, a string constant; NULL: the timer may be used.
 */
void apic_refuse_deadline(const char *reason);
/* Why the timer cannot end a window; NULL when it can. */
const char *apic_no_deadline(void);

/* Writes the local vectors (LVT registers) as they are to `out`. Returns how many; 0 without a usable APIC. */
size_t apic_local_values(struct own_value out[APIC_LOCAL_VECTORS]);

/*
 * Masks the local vectors, except those delivered as system management interrupts, stops the timer, and raises the task
 * priority, so that of maskable interrupts only our own two vectors are delivered. *found notes what was changed.
 * Interrupts must be disabled. Does nothing without a usable APIC.
 */
void apic_quiet(struct apic_state *found);
/*
 * Restores what apic_quiet has changed; a periodic timer begins a new period, and a single shot runs for the rest of
 * its time. Interrupts must be disabled. Does nothing without a usable APIC.
 */
void apic_restore(const struct apic_state *found);

/*
 * Has the timer request the interrupt VECTOR_DEADLINE after this time. To be called after apic_quiet, where
 * apic_no_deadline is NULL.
 */
void apic_arm(unsigned milliseconds);
/* Stops the timer after apic_arm. An interrupt that it has requested already is taken and dismissed, by our vectors. */
void apic_disarm(void);

/* Sends a non-maskable interrupt to the core whose local APIC has that number. Nothing without a usable APIC. */
void apic_send_nmi(uint32_t id);

/* For handlers of interrupts: signals the APIC that this one has been handled (EOI). */
GENERAL_REGISTERS void apic_end_of_interrupt(void);

#endif
