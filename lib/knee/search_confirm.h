/*
 * Confirmation: each knee is measured a second time, later, before it is reported. docs/METHODS.md, 2.8, step 5.
 *
 * Points on both sides of the knee are sampled in turn. A change with x shows its difference again; a change with time
 * (a drift, another state of the core, a burst) raises both sides by as much. A slope change needs three points: two on
 * the line before it and one after it. The signs of the differences are tested sequentially.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_CONFIRM_H
#define FATHOM_LIB_KNEE_SEARCH_CONFIRM_H

#include <stdbool.h>

#include "lib/knee/search.h"

/*
 * Measures each knee of s->verdict again and stores in s->confirmations whether that confirmed it, refuted it or left
 * it open; samples the points in and beside an interval wider than a step once more. False when the budget is spent,
 * when s->sample ended the search, or when memory is short.
 */
bool search_confirm(struct search *s);
/* Whether the interval of each knee of the verdict lies within one that the latest search_confirm measured again. */
bool search_is_where_confirmed(const struct search *s);
/*
 * Removes the knees that the latest search_confirm refuted from the verdict and joins the levels on both sides of each;
 * clears `agreed` and `half_rise_agreed` of those that it left open. Where no knee is left the reason is AMBIGUOUS.
 */
void search_apply_confirmations(struct search *s);

#endif
