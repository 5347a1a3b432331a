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
 *
 *     counters_find      what is there
 *     counters_program   selectors set, counts at zero, all stopped
 *     counters_go        ┐
 *       counters_read    │ as often as one likes
 *     counters_stop      ┘
 *     counters_restore   everything as it was found
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

/*
 * One counter and what it counts. AMD's event 003H, from Zen on, takes the counter behind as well, which nothing else
 * may then name.
 */
struct counter_setting {
    uint64_t code; /* the event as the vendor's selector takes it, without enables and filters; fixed: ignored */
    uint64_t extra_value;
    uint32_t extra; /* a register the event needs besides (OFFCORE_RSP, FRONTEND), 0: none */
    unsigned slot;
};

enum { COUNTERS_FLAGS = 3 };

/* What counters_program changed, and what counters_go starts. */
struct counters_state {
    struct changes changes;
    uint64_t slots;                 /* programmed */
    uint64_t flags[COUNTERS_FLAGS]; /* as found: bits that one register sets and another clears; the implementation's */
    bool flags_found;
};

/*
 * Finds out what is there; changes nothing. An announced register that faults is `why_not`. That counters
 * move is proven by the caller, with counters_proof: registers that take writes prove nothing.
 */
void counters_find(const struct access *a, struct counters *out);

/* Why the core cannot count this event, as far as its registers tell of events; NULL: it can, or they do not tell. */
const char *counters_lacks(const struct counters *have, uint64_t code);

/*
 * Programs the settings, stopped and at zero, for code at any privilege that this place can have. NULL, or
 * why not, by the register's name; then everything is as it was. The reason stands in *state or for good.
 */
const char *counters_program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                             size_t count, struct counters_state *state);
/* Starts and stops all that was programmed at once, as far as the core can. False: a register faulted. */
bool counters_go(const struct access *a, const struct counters *have, const struct counters_state *state);
bool counters_stop(const struct access *a, const struct counters *have, const struct counters_state *state);
bool counters_read(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value);
/* Stops, and puts back what was found, values of counters included. False: something does not read as it was found. */
bool counters_restore(const struct access *a, const struct counters *have, struct counters_state *state);

/* Where the reader finds a slot's counter (arch/reader.h, struct reader_counts). False where it has no way to it. */
bool counters_reader_index(const struct counters *have, unsigned slot, uint32_t *index);

/* ---- Proof that counters count ------------------------------------------------------------------ */

enum counter_counts {
    COUNTS_INSTRUCTIONS, /* as many as are executed */
    COUNTS_SOMETHING,    /* cycles or the like: more for a longer kernel */
};

struct counter_proof {
    struct counter_setting setting;
    enum counter_counts counts;
};

/*
 * One row for each slot that is there and not taken, all of which can be programmed at once: instructions
 * wherever the slot can count them, else cycles or what the fixed counter has. Returns how many; at most room.
 */
size_t counters_proof(const struct access *a, const struct counters *have, struct counter_proof *out, size_t room);
/*
 * The caller runs a short and a long kernel, the long one of `more` instructions more, and tells what the
 * counter counted over each, and over a span in which it was stopped. NULL when it counts, else what it does
 * instead. Instructions must be right to one in a hundred (Arm ARM D13.4: a reasonable degree of inaccuracy).
 */
const char *counters_proof_verdict(const struct counter_proof *proof, uint64_t more, uint64_t over_short,
                                   uint64_t over_long, uint64_t while_stopped);

#endif
