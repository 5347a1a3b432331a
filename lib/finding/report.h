/*
 * Reporting: a probe hands in what it has decided, and it becomes a record, a line for people and a fact for other
 * probes.
 */
#ifndef FATHOM_LIB_FINDING_REPORT_H
#define FATHOM_LIB_FINDING_REPORT_H

#include "lib/finding/finding.h"
#include "lib/probe/probe.h"

/*
 * Reports a finding: sends the record, prints the line, and keeps a number that is decided as a fact
 * (lib/plan/facts.h), and, where it has limits, for masking. On a core whose times are not trusted, or with neither
 * value nor text, its grade becomes U. A finding that the probe does not declare ends the probe as a fault, and only a
 * warning is sent. f->grade and f->reason are the caller's.
 */
void report(struct probe *p, const struct finding *f);
/*
 * Whether others have disturbed the core most of the time since the probe began. Then costs and rates are undecided
 * that f->is_confirmed does not say to be confirmed, since all experiments may be wrong alike.
 */
bool report_is_disturbed(const struct probe *p);
/*
 * Reports a number that one experiment gave, without an interval: with grade C, or, where `value` is NaN, as undecided
 * for the reason in f->reason.
 */
void report_number(struct probe *p, const struct finding *f, double value);
/*
 * The last pass over all findings of this core (lib/finding/masking.h), to be called after its last probe: a finding
 * whose knee cannot be distinguished from another limit is sent again with grade U, the reason "masked-by:" and that
 * limit, `replaces` true and its value as `seen`. Programs that read records take such a finding in place of every
 * earlier one of the same name, core and variants.
 */
void report_masked(struct run *run);

#endif
