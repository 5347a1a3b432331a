/*
 * Confirmation: each knee is measured a second time, later, before it is reported. docs/METHODS.md, 2.8, step 5.
 *
 * Points on both sides of the knee are sampled in turn. A change with x shows its difference again; a change with time
 * (a drift, another state of the core, a burst) raises both sides alike. A slope change needs three points: two on the
 * line before it and one behind it. The signs of the differences are tested sequentially.
 */
#ifndef FATHOM_LIB_KNEE_SEARCH_CONFIRM_H
#define FATHOM_LIB_KNEE_SEARCH_CONFIRM_H

#include <stdbool.h>

#include "lib/knee/search.h"

/* Measures each knee of the verdict again and stores the results in `confirmations`. Returns false as search_take. */
bool search_confirm(struct search *s);
/* Whether the interval of each knee of the verdict lies within one that was measured again. */
bool search_is_where_confirmed(const struct search *s);
/* Removes refuted knees from the verdict and joins the levels beside them; undecided ones lose their `agreed`. */
void search_apply_confirmations(struct search *s);

#endif
