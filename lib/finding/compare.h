/*
 * A finding against what has been published about this core.
 */
#ifndef FATHOM_LIB_FINDING_COMPARE_H
#define FATHOM_LIB_FINDING_COMPARE_H

#include "lib/finding/finding.h"
#include "lib/plan/published.h"

/*
 * By how much the finding differs from a published value or range, in the finding's unit; 0 where they agree: the
 * interval of the finding contains the published value, or a rate, or a number without interval, is within RATES_AGREE
 * of it.
 */
double published_miss(const struct finding *f, const char *unit, const struct published_value *k);
/*
 * The explanation that the table has for such a difference; NULL where it has none, or where the finding agrees with
 * one of the published values.
 */
const struct published_difference *published_explanation(const struct finding *f, const char *unit, char grade,
                                                         const struct published_value *known, const char *variants);

#endif
