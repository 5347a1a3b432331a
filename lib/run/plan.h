/*
 * The plan of a run: all probes of this binary in the order in which they run, and which of them were asked for.
 */
#ifndef FATHOM_LIB_RUN_PLAN_H
#define FATHOM_LIB_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/probe/probe.h"

enum { PLAN_PROBES = 128 };

/* The probes of a run, in order. */
struct plan {
    const struct probe_definition *order[PLAN_PROBES];
    bool begun[PLAN_PROBES]; /* it has run, or waits for a probe that it needs */
    size_t count;
};

/*
 * Writes all probes of this binary, at most `room`, to `out`: sorted by family and name, but each after the probe that
 * it names in its member `after`, unless such names form a circle. Returns how many it wrote.
 */
size_t plan_probes(const struct probe_definition *out[], size_t room);
/* Prints all probes of this binary for people, with their findings or without. */
void plan_print_probes(bool findings);
/*
 * Whether each name in the configuration's `probes` is that of a probe of the plan; sends and prints a warning about
 * each that is not.
 */
bool plan_names_exist(struct run *r, const struct plan *plan);
/*
 * Whether the run asks for this probe: by its name, or by naming none, which asks for all but those that run only
 * when they are named, and for those on kernels of the user where there are some. With `profile = bringup` it asks for none.
 */
bool plan_has(const struct run *r, const struct probe_definition *d);
/* Whether a probe declares the finding that `need` names, "memory.cache.bytes level=1"; the variants do not matter. */
bool plan_declares(const struct probe_definition *d, const char *need);

#endif
