/*
 * Findings as people read them: a line of the table, and what an observer is shown.
 */
#ifndef FATHOM_LIB_FINDING_TEXT_H
#define FATHOM_LIB_FINDING_TEXT_H

#include "lib/finding/finding.h"
#include "lib/plan/published.h"
#include "lib/probe/run_state.h"

/*
 * Prints name and variants, value, grade, interval or reason, and what has been published: 80 columns without the last,
 * 100 with it, which is what firmware's consoles have. `differs` is printed below; NULL: nothing is.
 */
void print_finding(const struct run *run, const struct finding *f, const char *unit, char grade, const struct why *why,
                   const struct published_value *known, const struct published_difference *differs);

#endif
