/*
 * Reports the organisation of one level that a fit (lib/structure/btb_fit.h) found.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_REPORT_H
#define FATHOM_LIB_STRUCTURE_BTB_REPORT_H

#include "lib/probe/probe.h"
#include "lib/structure/btb_fit.h"

/* Names of findings that the probe declares; NULL: not reported. */
struct btb_report_names {
    const char *ways, *sets, *index_bits, *branches_per_entry;
};

/*
 * Reports the ways, sets, index bits and branches per entry of one level of the fit's result r, and sends the
 * organisations that survived for it as a table, one row each, BTB_FIT_SHOWN at most. `level` counts the levels of the
 * fit from 0. `number` is the level's number in records; with 0, not known, the findings are undecided (grade U), and
 * are reported for level 0 only: one call stands for all levels.
 *
 * What all survivors have in common is grade B if two patterns were measured, the limits are known and all challenges
 * were passed, else C. The rest is U: for r->reason where there is one; no-level where the fit has no such level;
 * level-not-known where `number` is 0; not-left where a survivor holds every sequence; level-in-doubt where
 * btb_search_doubtful; else several-fit.
 */
void btb_report(struct probe *p, const struct btb_fit_result *r, size_t level, unsigned number,
                const struct btb_report_names *names);

/*
 * Returns the first level, of 1 to `levels`, that was reported to hold as many branches as a survivor listed in l,
 * within the part BTB_SAME_CAPACITY; 0: none was. `entries` names the finding, which has the variants level and
 * branch=uncond.
 */
unsigned btb_report_number(struct probe *p, const char *entries, const struct btb_fit_level *l, unsigned levels);

#endif
