/*
 * Masking: the last pass over all findings of a core. A knee may be that of another structure which is full at the same
 * point; once all limits are known, findings with such a knee are taken back. docs/METHODS.md, 3.6.
 */
#ifndef FATHOM_LIB_FINDING_MASKING_H
#define FATHOM_LIB_FINDING_MASKING_H

#include <stdbool.h>

#include "lib/finding/finding.h"
#include "lib/plan/facts.h"
#include "lib/probe/probe.h"

/*
 * Keeps a copy of a finding of probe `d` that has limits, without its method, agreement, detail and remarks, for
 * masking_apply; `variants` is what finding_variants writes of it. False when there is no memory.
 */
bool masking_keep(struct run *run, const struct probe_definition *d, const struct finding *f, const char *variants);
/* Forgets the kept findings that have the name and variants of *f, since *f replaces them. */
void masking_forget(struct run *run, const struct finding *f);
/*
 * Calls `mask` for each kept finding whose knee cannot be distinguished from one of its limits, with that limit, and
 * forgets all kept findings. To be called once, after the last probe of a core.
 */
void masking_apply(struct run *run, void (*mask)(struct run *run, const struct probe_definition *d,
                                                 const struct finding *f, const struct fact *limit));

#endif
