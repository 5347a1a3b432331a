/* What own_start and own_core_start found out, for all parts of arch/aarch64/own. */
#ifndef FATHOM_ARCH_AARCH64_OWN_STATE_H
#define FATHOM_ARCH_AARCH64_OWN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/aarch64/own/el2_controls.h"
#include "arch/own.h"
#include "arch/reader.h"

/* What own_start has found out about the firmware, and own_core_start about the core in use. */
struct own_state {
    const struct own_services *services;
    unsigned level; /* exception level the firmware runs at, on every core: 1 or 2 */
    bool e2h;       /* HCR_EL2.E2H: EL2 has the registers of a host, EL1's have other names */

    /* Of the core in use. */
    own_runner *runner; /* NULL: the one that booted */
    struct el2_extensions extensions;
    const char *no_deadline;       /* why no timer can end a window; NULL where one can */
    enum reader_counters counters; /* what the reader samples, proven to count */
    const char *no_counters;       /* why it samples no cycles, or besides them no instructions; NULL when it does */
};

/* The state of the program's use of cores, set by own_start and own_core_start. */
extern struct own_state own;

#endif
