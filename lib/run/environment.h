/*
 * The environment that a core measures in: prefetchers and clock as the configuration asks for them, verified as
 * far as can be, recorded, and put back; and what disturbs without an interrupt.
 *
 * That a register reads back as it was written is all that is known of a prefetcher switch here: whether it has an
 * effect, the probe `prefetch` measures. The clock is measured before it is set, after, and after it was put back.
 */
#ifndef FATHOM_LIB_RUN_ENVIRONMENT_H
#define FATHOM_LIB_RUN_ENVIRONMENT_H

#include "lib/probe/run_state.h"

/* After meter_start. */
void environment_set(struct run *r);
/* Adds it to the record `environment`. */
void environment_describe(const struct run *r, struct record *record);
/* Warns when there were machine checks since it was called last, during `what`. */
void environment_watch(struct run *r, const char *what);
/* Puts everything back; where something was set a record `restored` says what the clock is now. */
void environment_restore(struct run *r);

#endif
