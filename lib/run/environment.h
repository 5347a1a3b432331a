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
 * Overwrites r->environment: reads what the registers of the core in use say of speculation and pending machine checks,
 * with `risky = prefetch` flips each switch that has a hazard and flips it back, and then sets prefetchers and clock as
 * the configuration asks. Sends a warning about what cannot be set. To be called after meter_start.
 */
void environment_set(struct run *r);
/* Adds to `record`, the open `environment` record, what environment_set has set and found. */
void environment_describe(const struct run *r, struct record *record);
/*
 * Sends a warning when the number of the core's error banks that hold a machine check has changed since environment_set
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
 * they read back as found and, where the clock was set, what it is now. A warning is sent where they do not, or where
 * the registers can no longer be accessed.
 */
void environment_restore(struct run *r);

#endif
