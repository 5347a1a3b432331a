/*
 * Which cores measure: the configuration's `cores`, applied to the cores that the machine has.
 *
 *     one-per-type   the core in use, and one core of each other type, the first that can be used
 *     all            every core
 *     0, 2 4-7       these, in this order
 */
#ifndef FATHOM_LIB_PLAN_CORES_H
#define FATHOM_LIB_PLAN_CORES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/machine.h"

/* The first two forms, "one-per-type" and "all". */
extern const char cores_one_per_type[], cores_all[];

/* Whether the text has one of the three forms above; which cores exist does not matter. */
bool cores_valid(const char *text);

/* Takes a sentence about a core that cannot measure; valid until it returns. */
typedef void cores_warn(void *context, const char *text);

/*
 * Writes the indices of the cores that a valid text selects, each once, to `out`, which has room for all `count` cores
 * of `all`. A selected core that cannot be used is passed to `warn` with the reason, and so are those of a range that
 * do not exist. Where none is left, the core in use, `here`, is selected, with a warning. Returns how many were
 * selected, at least one.
 */
size_t cores_choose(const char *text, const struct machine_core *all, size_t count, unsigned here, unsigned *out,
                    cores_warn *warn, void *context);

#endif
