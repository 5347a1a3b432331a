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

/* An event, ready to be allocated and programmed. */
struct event {
    char name[EVENT_NAME]; /* as the vendor has it, in lower case: "inst_retired.any", "ls_dispatch.ld_dispatch" */
    uint64_t code;         /* struct counter_setting.code */
    uint64_t second_code;  /* its code where the second of demand.resource is the register that was chosen */
    uint64_t partner;      /* what a second slot counts for this one (Arm's CHAIN); 0: none */
    struct demand demand;  /* the counters that can count it, and what it needs besides */
    const char *source;
};

/* A core whose events are known: "golden-cove", "zen4", "neoverse-n1", "apple-m1". */
struct event_core;

/* The table of the core of that name, spelled as in struct identity.core_name; NULL when there is none. */
const struct event_core *events_core(const char *core_name);
/*
 * The table of the events that the architecture itself defines, for cores of that kind whose name has no table; NULL:
 * there is none for the kind.
 */
const struct event_core *events_unknown(enum counters_kind kind);
/*
 * Writes the names of all cores that have a table to `names`, at most `room`, in alphabetical order. Returns how many
 * it wrote.
 */
size_t events_cores(const char *names[], size_t room);
/* The core's name, as events_core takes it. */
const char *events_name(const struct event_core *core);
/* The kind of performance counters that the core has. */
enum counters_kind events_kind(const struct event_core *core);
/* Bitmap of the counters (arch/counters.h) that such a core usually has, for planning on another machine. */
uint64_t events_slots(const struct event_core *core);
/* Where names and numbers of this core's events come from: a manual or a library. */
const char *events_source(const struct event_core *core);

/*
 * Looks up `text` among the events of `core`: a need, a vendor's name, or a raw number, "0x1c2" or "r01c2", as an x86
 * core's event selector takes it whole. Fills in *out. Modifiers follow after a colon: ":c=N" counts cycles with at
 * least N, ":i" inverts that, ":e" counts its edges (x86); ":x=VALUE" is the value of the register that some of Intel's
 * events need besides; ":chain" takes two counters, the second for the overflows of the first (Arm).
 *
 * With `core` NULL, the core is unknown, and there are only the architectural events of `kind` and raw numbers. Returns
 * false, with the reason and similar names in `why`, cut to `room`, where nothing is found, the text is malformed, no
 * counter can count it, or it needs a value that is not given; *out must then not be used.
 */
bool events_find(const struct event_core *core, enum counters_kind kind, const char *text, struct event *out, char *why,
                 size_t room);
/*
 * The i-th event of the core, for listing; false past the last. Needs come first, and for those *need is the need's
 * name; for others it is NULL.
 */
bool events_at(const struct event_core *core, size_t i, struct event *out, const char **need);
/*
 * Writes how to program an event on the counter that `at` gives it: one setting, or two for a chain, of which the
 * second counts the upper 32 bits. Returns how many. For AMD's pairs it is one, since counters_program sets the second
 * counter itself.
 */
size_t events_settings(const struct event *e, const struct place *at, struct counter_setting out[2]);

/* A need: a name for what is counted, whatever the core calls it. */
struct need {
    const char *name;
    const char *text; /* for people, one line */
};
/* Every need there is, event_need_count of them. Which of them a core has is found by events_find. */
extern const struct need event_needs[];
extern const size_t event_need_count;

#endif
