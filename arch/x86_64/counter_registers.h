/* Registers that Intel's and AMD's counters have in common: the selector, and the control of all counters at once. */
#ifndef FATHOM_ARCH_X86_64_COUNTER_REGISTERS_H
#define FATHOM_ARCH_X86_64_COUNTER_REGISTERS_H

#include "arch/access.h"
#include "arch/counters.h"
#include "arch/counters_private.h"

/*
 * The selector has the same layout with both (Intel SDM vol. 3B, figure 20-1; AMD APM vol. 2, 13.2.1).
 * Counters count at any privilege: USR and OS.
 */
#define SELECT_USER BIT(16)
#define SELECT_SYSTEM BIT(17)
#define SELECT_ENABLE BIT(22)
/* Event, unit mask, edge detection, inversion and counter mask. */
#define SELECT_EVENT (BIT(32) - BIT(24) + BIT(23) + BIT(18) + 0xffff)

/* "Counters frozen", in the global status of both (Intel SDM vol. 3B, 20.2.4; AMD APM vol. 2, 13.2.1). */
#define STATUS_FROZEN BIT(59)

/*
 * The MSRs that govern all counters at once, by number, with the vendor's name of the first and the reasons to report
 * when the others fail.
 */
struct global_registers {
    uint32_t control, status, clear, set;
    const char *control_name, *no_status, *stays_frozen;
};

/*
 * Stops the counters of `mask` in the global control, and clears a freeze that the firmware left, so that selectors
 * can be written without anything being counted. NULL, or why not.
 */
const char *global_prepare(const struct access *a, const struct global_registers *g, uint64_t mask,
                           struct counters_state *state);
/* Starts or stops the counters of `mask` with one write. False: the register faulted. */
bool global_run(const struct access *a, const struct global_registers *g, uint64_t mask, bool go);
/* Clears the overflows that our counting caused, and freezes again what was frozen. False: a register faulted. */
bool global_restore(const struct access *a, const struct global_registers *g, uint64_t mask,
                    const struct counters_state *state);

/*
 * Starts or stops counters where there is no global control: sets or clears the enable bit of the selector of each
 * slot; `first` is the selector of slot 0, `step` the distance between two. False: a register faulted.
 */
bool selectors_run(const struct access *a, uint64_t slots, uint32_t first, unsigned step, bool go);

#endif
