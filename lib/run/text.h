/*
 * What a run prints for people; lines of findings are printed by lib/finding.
 */
#ifndef FATHOM_LIB_RUN_TEXT_H
#define FATHOM_LIB_RUN_TEXT_H

#include "lib/probe/run_state.h"

/* Probes and findings of the cores before this one. */
struct counted {
    unsigned outcomes[OUTCOMES];
    unsigned findings;
};

/* The core, its platform and the profile. */
void print_heading(const struct run *r);
/* What was done and found on one core, in so many seconds. */
void print_summary(const struct run *r, const struct counted *before, double seconds);
/* Why findings of this core are undecided, and what can be done about it. */
void print_undecided(const struct run *r);
/* Where the records are, and how many were lost. */
void print_records(const struct run *r);

#endif
