/*
 * Masking: the last pass over all findings of a core. A knee may be that of another structure which is full at the same
 * point; once all limits are known, such findings are taken back. docs/METHODS.md, 3.6.
 */
#ifndef FATHOM_LIB_FINDING_MASKING_H
#define FATHOM_LIB_FINDING_MASKING_H

#include <stdbool.h>

#include "lib/finding/finding.h"
#include "lib/plan/facts.h"
#include "lib/probe/probe.h"

/* Keeps a finding with limits for the last pass. False when there is no memory. */
bool masking_keep(struct run *run, const struct probe_definition *d, const struct finding *f, const char *variants);
/* Forgets the kept findings of the name and variants of *f, which replaces them. */
void masking_forget(struct run *run, const struct finding *f);
/*
 * Calls `mask` for each kept finding that cannot be distinguished from one of its limits, with that limit, and
 * forgets all.
 */
void masking_apply(struct run *run, void (*mask)(struct run *run, const struct probe_definition *d,
                                                 const struct finding *f, const struct fact *limit));

#endif
