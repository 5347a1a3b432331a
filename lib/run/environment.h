/*
 * The environment that a core measures in: prefetchers and clock as the configuration asks for them, verified as
 * far as can be, recorded, and put back.
 *
 * Of a prefetcher switch this checks only that its register reads back as it was written; the probe `prefetch` measures
 * whether it has an effect. The clock is measured before it is set, after, and after it was put back.
 */
#ifndef FATHOM_LIB_RUN_ENVIRONMENT_H
#define FATHOM_LIB_RUN_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/probe/run_state.h"

/* Sets the core in use as the configuration asks, and warns of what cannot be set. To be called after meter_start. */
void environment_set(struct run *r);
/* Adds what was set and found to the record `environment`. */
void environment_describe(const struct run *r, struct record *record);
/* Warns when there were machine checks since it was called last, during `what`. */
void environment_watch(struct run *r, const char *what);
/* How often the core in use has entered system management mode, modulo 2^32. False where that is not counted. */
bool environment_smis(const struct run *r, uint32_t *count);
/* Puts everything back; where something was set a record `restored` says what the clock is now. */
void environment_restore(struct run *r);

#endif
