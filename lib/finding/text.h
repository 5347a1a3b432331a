/*
 * Findings as people read them: a line of the table, and what an observer is shown.
 */
#ifndef FATHOM_LIB_FINDING_TEXT_H
#define FATHOM_LIB_FINDING_TEXT_H

#include "lib/finding/finding.h"
#include "lib/plan/published.h"
#include "lib/probe/run_state.h"

/*
 * Prints a finding of unit `unit` as a line: name and variants, value, grade, the interval or, for grade 'U', the
 * reason `why`, and what has been published, from `known` on (NULL: nothing). Name and value take 60 columns where they
 * fit. `differs`, the explanation of a known difference, is printed below; NULL: there is none. The observer is shown
 * the finding too.
 */
void print_finding(const struct run *run, const struct finding *f, const char *unit, char grade, const struct why *why,
                   const struct published_value *known, const struct published_difference *differs);

#endif
