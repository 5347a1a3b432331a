/*
 * Which cores measure: the configuration's `cores`, applied to the cores that the machine has.
 *
 *     one-per-type   the core in use, and of each other type the first that can be used
 *     all            every core
 *     0, 2 4-7       these, in this order
 */
#ifndef FATHOM_LIB_PLAN_CORES_H
#define FATHOM_LIB_PLAN_CORES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/machine.h"

extern const char cores_one_per_type[], cores_all[];

/* Whether the text has one of the three forms. */
bool cores_valid(const char *text);

typedef void cores_warn(void *context, const char *text);

/*
 * Writes the indices of the cores that a valid text selects, each once, to `out`, which has room for all `count`. A
 * core that is selected and cannot be used is reported with the reason; where none is left, the core in use, `here`,
 * is selected. Returns how many were selected, at least one.
 */
size_t cores_choose(const char *text, const struct machine_core *all, size_t count, unsigned here, unsigned *out,
                    cores_warn *warn, void *context);

#endif
