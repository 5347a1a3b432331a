/* What Intel's and AMD's counters have in common. */
#ifndef FATHOM_ARCH_X86_64_COUNTERS_PRIVATE_H
#define FATHOM_ARCH_X86_64_COUNTERS_PRIVATE_H

#include "arch/counters_private.h"
#include "arch/x86_64/cpu.h"

/* Fill in what is there; false with out->why_not. */
bool intel_find(const struct access *a, struct counters *out);
bool amd_find(const struct access *a, struct counters *out);

extern const struct counters_way intel_counters, amd_counters;

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

/* Registers that govern all counters at once, by their numbers; names are the vendor's. */
struct global_registers {
    uint32_t control, status, clear, set;
    const char *control_name, *no_status, *stays_frozen;
};

/*
 * Takes the counters of `mask` out of the global control, and thaws what the firmware left frozen, so that selectors
 * can be written without anything being counted.
 */
const char *global_prepare(const struct access *a, const struct global_registers *g, uint64_t mask,
                           struct counters_state *state);
/* Lets them all count, or none. */
bool global_run(const struct access *a, const struct global_registers *g, uint64_t mask, bool go);
/* Clears overflows of our making, and freezes what was frozen. */
bool global_restore(const struct access *a, const struct global_registers *g, uint64_t mask,
                    const struct counters_state *state);

/* Where there is no global control: enables each selector, or none. */
bool selectors_run(const struct access *a, uint64_t slots, uint32_t first, unsigned step, bool go);

#endif
