/*
 * The plan of a run: all probes of this binary in the order in which they run, and which of them were asked for.
 */
#ifndef FATHOM_LIB_RUN_PLAN_H
#define FATHOM_LIB_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/probe/probe.h"

enum { PLAN_PROBES = 128 };

struct plan {
    const struct probe_definition *order[PLAN_PROBES];
    bool begun[PLAN_PROBES]; /* it has run, or waits for a probe that it needs */
    size_t count;
};

/*
 * All probes of this binary, at most `room`: sorted by family and name, each behind the probe that it names in `after`.
 * Returns how many there are.
 */
size_t plan_probes(const struct probe_definition *out[], size_t room);
/* Prints them for people, with their findings or without. */
void plan_print_probes(bool findings);
/* Warns about each name in the configuration that is no probe. True when all are probes. */
bool plan_names_exist(struct run *r, const struct plan *plan);
/* Whether the configuration asks for this probe: by name, or by naming none, which asks for all but debug probes. */
bool plan_has(const struct config *c, const struct probe_definition *d);
/* Whether a probe may report the fact that `need` names ("memory.cache.bytes level=1"). */
bool plan_declares(const struct probe_definition *d, const char *need);

#endif
