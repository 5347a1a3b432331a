/*
 * Discovering what the counters of a core count, where nobody has listed its events: every event number on every
 * counter, over the built-in kernels, of which it is known what they execute.
 *
 * One event is given to all counters at once, so that each shows whether it can count it. What counts as often as a
 * kernel executes instructions, branches, loads or stores, or takes cycles, in every kernel, gets that as its meaning.
 *
 * Method: docs/METHODS.md, 8.3.
 */
#ifndef FATHOM_LIB_STRUCTURE_COUNTER_DISCOVERY_H
#define FATHOM_LIB_STRUCTURE_COUNTER_DISCOVERY_H

#include "lib/kernels/built_in.h"

enum { DISCOVERY_KERNELS = 8 }; /* the first of the built-in ones */

struct discovered_event {
    uint64_t code;                    /* struct counter_setting.code */
    uint64_t slots;                   /* general counters that counted it over any of the kernels */
    double counts[DISCOVERY_KERNELS]; /* of an iteration of each kernel: the most that one of the counters counted */
};

struct discovery {
    struct discovered_event *events; /* those that counted anything, by code */
    size_t count, tried;
    struct work work[DISCOVERY_KERNELS]; /* of an iteration */
    double cycles[DISCOVERY_KERNELS];    /* NaN where the core has no event for them that is known */
};

/*
 * Those of the core's counters, by slot, to which events can be given. Fixed ones are not among them, which on Apple's
 * cores are the first two.
 */
uint64_t general_counters(const struct counters *have);
/*
 * Tries the events and fills in *out, which discovery_free frees in any case. False: a kernel ended by a fault or a
 * timeout, or there was no memory, and the probe is over.
 */
bool discovery_run(struct probe *p, const struct built_in_memory *m, struct discovery *out);
void discovery_free(struct discovery *d);
/*
 * What the event counts: "instructions", "branches", "loads", "stores", "loads and stores" or "cycles"; NULL: none of
 * these.
 */
const char *discovery_meaning(const struct discovery *d, const struct discovered_event *e);

#endif
