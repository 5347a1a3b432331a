/* Registers that Intel's and AMD's counters have in common: the selector, and the control of all counters at once. */
#ifndef FATHOM_ARCH_X86_64_COUNTER_REGISTERS_H
#define FATHOM_ARCH_X86_64_COUNTER_REGISTERS_H

#include "arch/access.h"
#include "arch/counters.h"
#include "arch/counters_private.h"

/*
 * Bits of an event selector, which has the same layout with both vendors (Intel SDM vol. 3B, figure 20-1; AMD APM vol.
 * 2, 13.2.1). Counters count at any privilege level: USER and SYSTEM are both set.
 */
#define SELECT_USER BIT(16)
#define SELECT_SYSTEM BIT(17)
#define SELECT_ENABLE BIT(22)
/* The bits of a selector that say what is counted: event, unit mask, edge detection, inversion and counter mask. */
#define SELECT_EVENT (BIT(32) - BIT(24) + BIT(23) + BIT(18) + 0xffff)

/* "Counters frozen", in the global status of both (Intel SDM vol. 3B, 20.2.4; AMD APM vol. 2, 13.2.1). */
#define STATUS_FROZEN BIT(59)

/*
 * The MSRs that govern all counters at once: their numbers (control; status; the one that clears bits of the status,
 * and the one that sets them), the vendor's name of the control, and the reasons to report when the status cannot be
 * read or stays frozen.
 */
struct global_registers {
    uint32_t control, status, clear, set;
    const char *control_name, *no_status, *stays_frozen;
};

/*
 * Stops the counters of `mask`, bits of the global control, and clears a freeze that the firmware left, so that
 * selectors can be written without anything being counted. *state notes what was found. NULL, or why not.
 */
const char *global_prepare(const struct access *a, const struct global_registers *g, uint64_t mask,
                           struct counters_state *state);
/*
 * Starts the counters of `mask`, bits of the global control, or stops them where `go` is false, with one write. False:
 * the register faulted.
 */
bool global_run(const struct access *a, const struct global_registers *g, uint64_t mask, bool go);
/*
 * Clears the overflows that counting with the counters of `mask` has caused, and freezes the counters again where
 * global_prepare has cleared a freeze. False: a register faulted.
 */
bool global_restore(const struct access *a, const struct global_registers *g, uint64_t mask,
                    const struct counters_state *state);

/*
 * Starts counters where there is no global control, or stops them where `go` is false: sets or clears the enable bit in
 * the selector of each slot of the bitmap `slots`. `first` is the number of slot 0's selector, `step` the distance from
 * one selector to the next. False: a register faulted; the others are written nevertheless.
 */
bool selectors_run(const struct access *a, uint64_t slots, uint32_t first, unsigned step, bool go);

#endif
