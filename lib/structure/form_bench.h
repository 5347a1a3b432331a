/*
 * One form beside blockers, measured: what lib/structure/form_units.h decides with (docs/METHODS.md, 6.11).
 */
#ifndef FATHOM_LIB_STRUCTURE_FORM_BENCH_H
#define FATHOM_LIB_STRUCTURE_FORM_BENCH_H

#include "lib/kernels/blockers.h"
#include "lib/probe/probe.h"
#include "lib/structure/form_units.h"

/* What a form is measured with. The caller sets what comes before `iterations`. */
struct form_bench {
    struct probe *probe;
    struct area data;                  /* BLOCKERS_DATA_AT + BLOCKERS_DATA_BYTES, filled by form_fill_data */
    struct blocker blockers[BLOCKERS]; /* of each class of form_units_mix, blanks included */
    const struct form *form;
    uint64_t iterations; /* of the latest quick sample */
    struct why why;      /* why the form cannot be measured */
};

/* Measures one group, a form_units_measure whose context is the struct form_bench. */
bool form_bench_measure(void *bench, const struct form_units_mix *m, bool quick, double *cycles);

#endif
