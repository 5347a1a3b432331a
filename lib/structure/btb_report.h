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
 * Reports one level's ways, sets, index bits and branches per entry. `level` counts the levels of the fit from 0;
 * `number` is the level's number in records, 0 where it is not known: then the findings are U with `level-not-known`,
 * once for all levels. What all survivors have in common is grade B if two patterns were measured, limits are known and
 * all challenges were passed, else C. What they do not have in common is U: not-left where a survivor holds every
 * sequence, else level-in-doubt or several-fit. Survivors are sent as a table, one row each.
 */
void btb_report(struct probe *p, const struct btb_fit_result *r, size_t level, unsigned number,
                const struct btb_report_names *names);

/*
 * The number of the level of `entries` (a finding with the variants level and branch=uncond, levels 1 to `levels`) that
 * holds as many branches as one of the listed survivors, within BTB_SAME_CAPACITY; 0: none does.
 */
unsigned btb_report_number(struct probe *p, const char *entries, const struct btb_fit_level *l, unsigned levels);

#endif
