/*
 * The modelled machine's counters: events of a real core's tables (struct isa, counting), with its codes, for what the
 * modelled core counts.
 */
#ifndef FATHOM_TESTS_MODEL_COUNTERS_H
#define FATHOM_TESTS_MODEL_COUNTERS_H

#include "arch/counters.h"
#include "tests/model/core.h"

const struct counters *counters_of(bool there);
/* NULL, or why not. */
const char *counters_set(const struct counter_setting *list, size_t count);
/* What the counters read now, in the order in which they were set. */
void counters_sample(const struct core_counts *counts, uint64_t *values);

#endif
