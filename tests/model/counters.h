/*
 * Counters of the modelled machine. They have the events and codes of a real core (struct isa, counting), as far as the
 * modelled core counts them.
 */
#ifndef FATHOM_TESTS_MODEL_COUNTERS_H
#define FATHOM_TESTS_MODEL_COUNTERS_H

#include "arch/counters.h"
#include "tests/model/core.h"

/*
 * An event that no table lists, for those who look for events, and which some of the counters alone can count: one for
 * each instruction, and one more for each 33. On Intel's kind it is that of the unit mask's bit 1.
 */
enum { COUNTER_SECRET = 0x2e7, COUNTER_SECRET_SLOTS = 0x0c };

/* `there`: the machine has counters. Else what is returned says why not. */
const struct counters *counters_of(bool there);
/* Begins to count these. NULL, or why it cannot. */
const char *counters_set(const struct counter_setting *list, size_t count);
/* Reads the counters, in the order in which they were set. */
void counters_sample(const struct core_counts *counts, uint64_t *values);

#endif
