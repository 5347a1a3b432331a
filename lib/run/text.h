/*
 * What a run prints for people; lines of findings are printed by lib/finding.
 */
#ifndef FATHOM_LIB_RUN_TEXT_H
#define FATHOM_LIB_RUN_TEXT_H

#include "lib/probe/run_state.h"

/* Probes, by how they ended, and findings of all cores that measured before the one in use. */
struct counted {
    unsigned outcomes[OUTCOMES];
    unsigned findings;
};

/* Prints a line about the core in use, its platform and the profile. */
void print_heading(const struct run *r);
/* Prints what was done and found on the core in use: the run's counts without those in `before`; it took `seconds`. */
void print_summary(const struct run *r, const struct counted *before, double seconds);
/*
 * Prints how many findings of this core are undecided, and what can be done about it. Nothing where its times cannot be
 * trusted.
 */
void print_undecided(const struct run *r);
/* Prints where the records are, if r->destination says so, and how many lines were lost, if any (struct writer). */
void print_records(const struct run *r);

#endif
