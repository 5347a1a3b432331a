/* Runs trials, as searches and as given tables, and adds up what the engine made of them. */
#ifndef FATHOM_TESTS_MODEL_CURVES_TRIALS_H
#define FATHOM_TESTS_MODEL_CURVES_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/curves/score.h"
#include "tests/model/curves/trial.h"

enum { NOISES = 9 };

struct results {
    struct tally searched[CLASSES + 1], given[CLASSES + 1]; /* by class; the last is all of them */
    struct tally noisy[NOISES];                             /* searched, by noise */
    const char *noise[NOISES];
    struct numbers exact; /* samples for each x, where every sample is the same */
    /*
     * trials without a structure, by kind and ground, the last is all of them; and how many of those reported a number
     */
    struct {
        size_t searched, search_numbers, given, given_numbers;
    } nothing[KNEE_STAIRCASE + 1][GROUNDS + 1];
    size_t broken; /* verdicts and searches that contradict themselves */
    size_t shown[4];
};

/* Runs the trial of that seed and number. A mistake is printed with both; `show` prints all of the trial. */
void run_trial(struct results *r, uint64_t seed, uint64_t number, bool show);
void results_free(struct results *r);

#endif
