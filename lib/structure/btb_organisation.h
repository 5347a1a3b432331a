/*
 * How the sets of each level of the branch target buffer are organised, and whether two branches share an entry: by the
 * fit of all organisations (btb_fit.h), and that of levels that hold few branches (btb_near.h), which both ask for
 * further sequences.
 *
 * Method: docs/METHODS.md, 5.1.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_ORGANISATION_H
#define FATHOM_LIB_STRUCTURE_BTB_ORGANISATION_H

#include <stdbool.h>

#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/structure/btb_fit.h"
#include "lib/structure/btb_levels.h"
#include "lib/structure/btb_near.h"
#include "lib/structure/btb_report.h"

struct btb_organisation_request {
    const struct branch_chain_room *room;
    struct btb_fit *fit;   /* with the points of the long range */
    struct btb_near *near; /* those of the short range */
    const struct btb_limits *limits;
    const char *entries; /* the finding that btb_levels_find reported */
    struct btb_report_names names;
};

/* Measures and reports the organisation of the levels that were found. False: the probe has ended. */
bool btb_organisation_find(struct probe *p, const struct btb_organisation_request *q, const struct btb_levels *levels);

#endif
