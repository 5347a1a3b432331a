/*
 * Performance counters: what a core has, proven, and programming them.
 *
 * Implemented for Intel's architectural PMU (SDM vol. 3B, chapter 20), AMD's legacy, extended and
 * version 2 counters (APM vol. 2, 13.2), Arm's PMUv3 (DDI 0487, D13) and Apple's. Pure sequences of
 * register accesses: tests run them on modelled register files of every vendor, on any machine.
 *
 * A counter has a slot: 0 … 31 are the general counters by the vendor's numbers, 32 + n the fixed
 * ones (Intel: fixed counter n; Arm: 32 is PMCCNTR_EL0, 33 PMICNTR_EL0). Apple's ten have the
 * slots 0 … 9, of which 0 and 1 are fixed.
 */
#ifndef FATHOM_ARCH_COUNTERS_H
#define FATHOM_ARCH_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/access.h"

enum { COUNTER_FIXED = 32, COUNTER_SLOTS = 48 };

enum counters_kind { COUNTERS_NONE, COUNTERS_INTEL, COUNTERS_AMD, COUNTERS_PMUV3, COUNTERS_APPLE };

/* What a core has. Where `why_not` is set, nothing can be counted and the rest is as far as it is known. */
struct counters {
    enum counters_kind kind;
    char name[48];    /* for people and records: "Intel architectural PMU, version 5" */
    unsigned version; /* the vendor's number */
    uint64_t slots;   /* bitmap of the slots that this core has, by its own registers */
    uint64_t taken;   /* of these, in use by the firmware or somebody else when found: left alone */
    unsigned bits;    /* width of a general counter */
    unsigned fixed_bits;
    const char *why_not;
    uint64_t detail[4]; /* the implementation's own: capability registers as read */
};

/* One counter and what it counts. */
struct counter_setting {
    unsigned slot;
    uint64_t code;  /* the event as the vendor's selector register takes it, without enables and filters */
    uint32_t extra; /* a register the event needs besides (OFFCORE_RSP, FRONTEND), 0: none */
    uint64_t extra_value;
};

/* What counters_program changed. */
struct counters_state {
    struct changes changes;
    uint64_t enable; /* what counters_go writes */
};

/*
 * Finds out what is there; changes nothing. `el2` says that the code that counts runs at EL2 (AArch64).
 * An announced register that faults is `why_not`. That counters move is proven by the caller, over
 * kernels of known length: registers that take writes prove nothing.
 */
void counters_find(const struct access *a, bool el2, struct counters *out);

/* Programs the settings, stopped and at zero. NULL, or why not; then everything is as it was. */
const char *counters_program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                             size_t count, struct counters_state *state);
/* Starts and stops all that was programmed at once, as far as the core can. False: a register faulted. */
bool counters_go(const struct access *a, const struct counters *have, const struct counters_state *state);
bool counters_stop(const struct access *a, const struct counters *have, const struct counters_state *state);
bool counters_read(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value);
/* Stops, and puts back what was found, values of counters included. */
bool counters_restore(const struct access *a, const struct counters *have, struct counters_state *state);

#endif
