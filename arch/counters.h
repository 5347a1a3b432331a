/*
 * Performance counters: finding out which ones a core has, proving that they count, and programming them.
 *
 * Implemented for Intel's architectural PMU (SDM vol. 3B, chapter 20), AMD's legacy, extended and
 * version 2 counters (APM vol. 2, 13.2), Arm's PMUv3 (DDI 0487, D13) and Apple's. Pure sequences of
 * register accesses: tests run them on modelled register files of every vendor, on any machine.
 *
 * A counter has a slot: 0 … 31 are the general counters by the vendor's numbers, 32 + n the fixed
 * ones (Intel: fixed counter n; Arm: 32 is PMCCNTR_EL0, 33 PMICNTR_EL0). Apple's ten have the
 * slots 0 … 9, of which 0 and 1 are fixed.
 *
 *     counters_find      which counters the core has
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

/* The counters of a core. Where `why_not` is set, nothing can be counted, and the other members may be incomplete. */
struct counters {
    enum counters_kind kind;
    char name[48];    /* for people and records: "Intel architectural PMU, version 5" */
    unsigned version; /* the vendor's number */
    uint64_t slots;   /* bitmap of the slots that this core has, by its own registers */
    uint64_t taken;   /* those of them in use already, by the firmware for instance, or beside such: left alone */
    unsigned bits;    /* width of a general counter */
    unsigned fixed_bits;
    const char *why_not;
    uint64_t detail[5]; /* the implementation's own: capability registers as read */
};

/*
 * One counter and what it counts. AMD's event 003H uses the next counter as well from Zen on; no other setting may then
 * name that one.
 */
struct counter_setting {
    uint64_t code;        /* the event as the vendor's selector takes it, without enables and filters; fixed: ignored */
    uint64_t extra_value; /* what `extra` must hold */
    uint32_t extra;       /* another register that the event needs (OFFCORE_RSP, FRONTEND); 0: none */
    unsigned slot;        /* of the counter */
};

enum { COUNTERS_FLAGS = 3 };

/* What counters_program has changed, for counters_restore, and which counters counters_go starts. */
struct counters_state {
    struct changes changes;
    uint64_t slots;                 /* programmed */
    uint64_t flags[COUNTERS_FLAGS]; /* as found: bits that one register sets and another clears; the implementation's */
    bool flags_found;
};

/*
 * Finds out which counters the core has, and fills in *out; changes nothing. When a register that is announced faults,
 * `why_not` says so. The caller must still prove with counters_proof that the counters count: registers of counters
 * that can be written and read back may yet not count, as in emulators.
 */
void counters_find(const struct access *a, struct counters *out);

/*
 * Why the core cannot count the event with that code, according to its registers. NULL: it can, or no register lists
 * the event.
 */
const char *counters_lacks(const struct counters *have, uint64_t code);

/*
 * Programs `count` settings, to count at every privilege level at which our code may run. The counters are then stopped
 * and at zero. *state notes what was changed, for counters_restore. NULL, or why not, and what was changed by then has
 * been restored. The reason is valid as long as *state is.
 */
const char *counters_program(const struct access *a, const struct counters *have, const struct counter_setting *list,
                             size_t count, struct counters_state *state);
/* Starts all programmed counters, with one write where the core can do that. False: a register faulted. */
bool counters_go(const struct access *a, const struct counters *have, const struct counters_state *state);
/* Stops all programmed counters, with one write where the core can do that. False: a register faulted. */
bool counters_stop(const struct access *a, const struct counters *have, const struct counters_state *state);
/*
 * Sets *value to the count of a slot; the counter may be running. False: there is no such slot, or its register
 * faulted.
 */
bool counters_read(const struct access *a, const struct counters *have, unsigned slot, uint64_t *value);
/*
 * Stops the programmed counters, and restores every register as it was found, values of counters included. False: a
 * register does not read as it was found; the others are restored nevertheless.
 */
bool counters_restore(const struct access *a, const struct counters *have, struct counters_state *state);

/*
 * Sets *index to the number by which the reader samples a slot's counter (struct reader_counts). False where it cannot
 * sample it.
 */
bool counters_reader_index(const struct counters *have, unsigned slot, uint32_t *index);

/* ---- Proof that counters count ------------------------------------------------------------------ */

/* What a counter is expected to count in its proof. */
enum counter_counts {
    COUNTS_INSTRUCTIONS, /* the number of instructions that are executed */
    COUNTS_SOMETHING,    /* cycles or similar: more for a longer kernel */
};

/* How one counter is to be proven. */
struct counter_proof {
    struct counter_setting setting;
    enum counter_counts counts;
};

/*
 * Writes one row to `out` for each slot that exists and is not taken: the event instructions where the slot is known to
 * count it, else cycles or what the fixed counter counts. All rows can be programmed at once. Returns how many rows, at
 * most `room`; 0 where have->why_not is set.
 */
size_t counters_proof(const struct access *a, const struct counters *have, struct counter_proof *out, size_t room);
/*
 * Whether a counter counts: NULL, or what it does instead. The caller has run a short kernel and a long one, which
 * executes `more` instructions more, and passes what the counter counted over each, and over a span in which it was
 * stopped. Instructions must be right to one in a hundred, since the architecture allows "a reasonable degree of
 * inaccuracy" (Arm ARM D13.4).
 */
const char *counters_proof_verdict(const struct counter_proof *proof, uint64_t more, uint64_t over_short,
                                   uint64_t over_long, uint64_t while_stopped);

#endif
