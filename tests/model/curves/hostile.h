/*
 * Curves without meaning and sources without samples: there is always a verdict, and never a sample beyond the budget.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_HOSTILE_H
#define FATHOM_TESTS_MODEL_CURVES_HOSTILE_H

void tables_of_a_few_points_decide_nothing(void **state);
void tables_without_numbers_decide_nothing(void **state);
void tables_of_anything_get_an_answer(void **state);
void very_many_points_are_decided(void **state);
void searches_end_when_nothing_can_be_measured(void **state);
void searches_keep_to_their_budget(void **state);

#endif
