/* Prints one trial, what is true of it, and what the engine decided, for who asks for a single one. */
#ifndef FATHOM_TESTS_MODEL_CURVES_SHOW_H
#define FATHOM_TESTS_MODEL_CURVES_SHOW_H

#include "tests/model/curves/trial.h"

void show_trial(const struct trial *c);
/* The truth about each structure of the trial's curve. */
void show_truth(const struct trial *c, const struct truth *truths);
void show_verdict(const struct verdict *v);

#endif
