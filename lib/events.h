/*
 * Events of performance counters: by need, by the vendor's name, by number.
 *
 * Tables for every known core: names and encodings come at build time from libpfm4, and from tables of
 * our own for what it lacks (lib/events/), each row with its source. A need is what a probe asks for,
 * "instructions" or "l1i_misses"; it stands for an event of each core that has one.
 */
#ifndef FATHOM_LIB_EVENTS_H
#define FATHOM_LIB_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/counters.h"
#include "lib/allocate.h"

enum { EVENT_NAME = 64 };

struct event {
    char name[EVENT_NAME]; /* as the vendor has it, in lower case: "inst_retired.any", "ls_dispatch.ld_dispatch" */
    uint64_t code;         /* struct counter_setting.code */
    struct demand demand;  /* the counters that can count it, and what it needs besides */
    const char *source;
};

/* A core whose events are known: "golden-cove", "zen4", "neoverse-n1", "apple-m1". */
struct event_core;

/* NULL when no table is there for that name; names of the known values (struct identity.core_name). */
const struct event_core *events_core(const char *core_name);
/* All known cores, in alphabetical order. */
size_t events_cores(const char *names[], size_t room);
enum counters_kind events_kind(const struct event_core *core);
/* All slots of such a core, for planning where it is not at hand. */
uint64_t events_slots(const struct event_core *core);

/*
 * Looks up a need, a vendor's name (also with modifiers: ":c=1:i:e") or a raw number ("0x1c2", "r01c2").
 * False, with the reason and near names in `why`. An unknown core (NULL) has the architectural
 * events of its kind and raw numbers.
 */
bool events_find(const struct event_core *core, enum counters_kind kind, const char *text, struct event *out, char *why,
                 size_t room);
/* The i-th event of the core, for listing; false past the last. Needs come first. */
bool events_at(const struct event_core *core, size_t i, struct event *out, const char **need);

#endif
