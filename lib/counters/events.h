/*
 * Events of performance counters: by need, by the vendor's name, by number.
 *
 * Tables for every known core: names and encodings come at build time from libpfm4, and from tables of
 * our own for what it lacks (lib/counters/events/), each with its source. A need is what a probe asks for,
 * "instructions" or "l1i_misses"; it stands for an event of each core that has one.
 */
#ifndef FATHOM_LIB_COUNTERS_EVENTS_H
#define FATHOM_LIB_COUNTERS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/counters.h"
#include "lib/counters/allocate.h"

enum { EVENT_NAME = 96 };

struct event {
    char name[EVENT_NAME]; /* as the vendor has it, in lower case: "inst_retired.any", "ls_dispatch.ld_dispatch" */
    uint64_t code;         /* struct counter_setting.code */
    uint64_t second_code;  /* the same where the second of two registers is the one chosen */
    uint64_t partner;      /* what a second slot counts for this one (Arm's CHAIN); 0: none */
    struct demand demand;  /* the counters that can count it, and what it needs besides */
    const char *source;
};

/* A core whose events are known: "golden-cove", "zen4", "neoverse-n1", "apple-m1". */
struct event_core;

/* The core of that name, spelled as in struct identity.core_name; NULL when there is no table for it. */
const struct event_core *events_core(const char *core_name);
/* The events that the architecture itself defines for every core of that kind; NULL: none. */
const struct event_core *events_unknown(enum counters_kind kind);
/* All known cores, in alphabetical order. Returns how many; at most room. */
size_t events_cores(const char *names[], size_t room);
const char *events_name(const struct event_core *core);
enum counters_kind events_kind(const struct event_core *core);
/* All slots of such a core, for planning on another machine. */
uint64_t events_slots(const struct event_core *core);
/* Where names and numbers of this core come from. */
const char *events_source(const struct event_core *core);

/*
 * Looks up a need, a vendor's name or a raw number, "0x1c2" or "r01c2", that an x86 core's selector takes whole.
 * Modifiers follow behind a colon: ":c=N" counts cycles with at least N, ":i" inverts that, ":e" counts its edges
 * (x86); ":x=VALUE" is for the register that some of Intel's events need besides; ":chain" takes two counters, the
 * second for the overflows of the first (Arm).
 * False, with the reason and near names in `why`. An unknown core (NULL) has the architectural
 * events of its kind and raw numbers.
 */
bool events_find(const struct event_core *core, enum counters_kind kind, const char *text, struct event *out, char *why,
                 size_t room);
/* The i-th event of the core, for listing; false past the last. Needs come first, and for those *need is set. */
bool events_at(const struct event_core *core, size_t i, struct event *out, const char **need);
/*
 * How to program an event on the counter that it was allocated: one setting, or two for a chain, of which the second
 * counts the upper 32 bits. For AMD's pairs counters_program sets the second counter itself.
 */
size_t events_settings(const struct event *e, const struct place *at, struct counter_setting out[2]);

/* Every need there is; which of them a core has, events_find says. */
struct need {
    const char *name;
    const char *text; /* for people, one line */
};
extern const struct need event_needs[];
extern const size_t event_need_count;

#endif
