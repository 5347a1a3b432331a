/*
 * Reporting: a probe hands in what it has decided, and it becomes a record, a line for people and a fact for other
 * probes.
 */
#ifndef FATHOM_LIB_FINDING_REPORT_H
#define FATHOM_LIB_FINDING_REPORT_H

#include "lib/finding/finding.h"
#include "lib/probe/probe.h"

/*
 * Sends the record and prints the line. On a platform whose times cannot be trusted the finding becomes grade U. A
 * finding that the probe does not declare ends the probe as a fault.
 */
void report(struct probe *p, const struct finding *f);
/* The same for a number of one experiment without an interval: grade C; NaN: undecided, for the finding's reason. */
void report_number(struct probe *p, const struct finding *f, double value);
/*
 * The last pass over all findings of this core (lib/finding/masking.h): one whose knee cannot be distinguished from
 * another limit is sent again with grade U, the reason "masked-by:" and that limit, `replaces` true and its value as
 * `seen`. A finding that replaces stands for every earlier one of the same name, core and variants.
 */
void report_masked(struct run *run);

#endif
