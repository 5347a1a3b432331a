/*
 * Renames in flight (docs/METHODS.md, 6.2): a core may hold what it has renamed in a buffer of its own, one entry for
 * each write of a register whatever its class, and that buffer may be full before register files and the reorder buffer
 * are (Johnson 2021, Firestorm).
 *
 * Experiment: writers of general and of vector registers in turn, which take half of each file. Renames are what ends
 * if these writers end well before twice the smaller file, if NOPs before them take no room from them, as they would in
 * the reorder buffer, and if not both classes alone end there too, since it may be one file for both then.
 */
#ifndef FATHOM_LIB_STRUCTURE_RENAMES_IN_FLIGHT_H
#define FATHOM_LIB_STRUCTURE_RENAMES_IN_FLIGHT_H

#include "lib/probe/probe.h"
#include "lib/structure/inflight_limit.h"

/* What is known of writers of one class alone. NaN: not known. */
struct renames_class {
    double registers; /* that fitted, counted in its file */
    double total;     /* in flight with the long-latency operations (inflight_total) */
};

/*
 * Measures and reports backend.rename_retire.entries. `general` and `vector` are what was found of these classes alone.
 * *renames: how many renames can be in flight, where that is a limit of its own; NaN: it is none, or that is not known.
 * False: the probe is over.
 */
bool renames_find(struct probe *p, const struct inflight_limits *l, struct renames_class general,
                  struct renames_class vector, double *renames);

#endif
