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

/*
 * Sets prefetchers and clock of the core in use as the configuration asks, and sends a warning about what cannot be
 * set. To be called after meter_start.
 */
void environment_set(struct run *r);
/* Adds to `record`, the open `environment` record, what environment_set has set and found. */
void environment_describe(const struct run *r, struct record *record);
/*
 * Sends a warning when the number of machine checks that the core's error banks hold has changed since environment_set
 * or the last call of this function. `what` is what ran meanwhile: the probe's name.
 */
void environment_watch(struct run *r, const char *what);
/*
 * How often the core in use has entered system management mode since reset, modulo 2^32. False where that is not
 * counted.
 */
bool environment_smis(const struct run *r, uint32_t *count);
/*
 * Restores every register that environment_set has changed. Where it had changed any, a record `restored` says whether
 * they read back as found and what the clock is now.
 */
void environment_restore(struct run *r);

#endif
