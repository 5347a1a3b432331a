/* Findings of a footprint that is known: lengths, shifts, formulas, and which address bits enter. */
#ifndef FATHOM_LIB_STRUCTURE_FOOTPRINT_REPORT_H
#define FATHOM_LIB_STRUCTURE_FOOTPRINT_REPORT_H

#include "lib/probe/probe.h"
#include "lib/structure/footprint.h"

/* Reports it; f->reason must be REASON_NONE. */
void footprint_report(struct probe *p, const struct footprint *f);

#endif
