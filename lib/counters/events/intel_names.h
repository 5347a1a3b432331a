/* Names of Intel's events that libpfm4 lacks: rows for lib/counters/events/intel.c, each list ended by a NULL name. */
#ifndef FATHOM_LIB_COUNTERS_EVENTS_INTEL_NAMES_H
#define FATHOM_LIB_COUNTERS_EVENTS_INTEL_NAMES_H

#include "lib/counters/events/table.h"

extern const struct event_row intel_architectural_rows[], intel_sandy_bridge_rows[], intel_reference_rows[],
    intel_haswell_rows[], intel_skylake_rows[], intel_sunny_cove_rows[], intel_golden_cove_rows[],
    intel_goldmont_rows[], intel_redwood_cove_rows[], intel_lion_cove_rows[], intel_gracemont_rows[],
    intel_gracemont_only_rows[], intel_skymont_only_rows[];

#endif
