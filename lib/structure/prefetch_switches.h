/* Which switch of the core ends a kind of prefetcher? lib/structure/prefetch_kinds.h has the terms. */
#ifndef FATHOM_LIB_STRUCTURE_PREFETCH_SWITCHES_H
#define FATHOM_LIB_STRUCTURE_PREFETCH_SWITCHES_H

#include "arch/control.h"
#include "lib/structure/prefetch_kinds.h"

/* For each kind: the name of the only switch that ends it, or NULL and why that is not known. */
struct prefetch_ends {
    const char *name[PREFETCH_KINDS];
    enum reason reason[PREFETCH_KINDS];
};

/*
 * Turns each switch that is on off and looks for the kinds that exist in *k, then once more with all switches as they
 * were: a kind that is not found then counts for nothing. All switches are as they were afterwards. False: the probe
 * has ended, be it because a switch did not go back.
 */
bool prefetch_find_switches(struct prefetch_kinds *k, struct control *control, struct prefetch_ends *out);

#endif
