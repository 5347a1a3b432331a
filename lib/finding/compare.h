/* Compares a finding with what has been published about this core. */
#ifndef FATHOM_LIB_FINDING_COMPARE_H
#define FATHOM_LIB_FINDING_COMPARE_H

#include <stdbool.h>

#include "lib/finding/finding.h"
#include "lib/plan/published.h"

/* Whether a number of that unit says how long or how often: such numbers are never exact, those of entries are. */
bool unit_is_rate(const char *unit);
/*
 * By how much the finding's value differs from a published value or range, in the finding's unit `unit`; positive where
 * the finding is larger. 0 where they agree: the interval of the finding contains the published value, or a rate, or a
 * number without interval, is within RATES_AGREE of it. The finding is decided.
 */
double published_miss(const struct finding *f, const char *unit, const struct published_value *k);
/*
 * The explanation that the table of known differences has for a finding of grade `grade` that disagrees with all
 * published values from `known` on (published_find), or is undecided ('U'); `variants` are its variants as
 * finding_variants writes them. NULL where the table has none, the finding agrees with one of the values, or `known` is
 * NULL.
 */
const struct published_difference *published_explanation(const struct finding *f, const char *unit, char grade,
                                                         const struct published_value *known, const char *variants);

#endif
