/*
 * Prediction of loads: what a load did last, by where it stands in the code, and by how far that was from the time
 * before. Believed once it was right so often in a row.
 */
#ifndef FATHOM_TESTS_MODEL_LOAD_PREDICTOR_H
#define FATHOM_TESTS_MODEL_LOAD_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { PREDICTED_LOADS_MAXIMUM = 256 };

struct load_predictor_design {
    unsigned loads;    /* that it knows: those seen last; 0: there is none */
    bool strides;      /* what changes by the same each time is predicted, too */
    unsigned training; /* so many right in a row */
};

struct load_predictor {
    struct load_predictor_design design;
    struct {
        uint64_t pc, last, step;
        unsigned right;
    } known[PREDICTED_LOADS_MAXIMUM]; /* newest first */
    unsigned count;
};

enum foretold { FORETOLD_NOTHING, FORETOLD_RIGHT, FORETOLD_WRONG };

/* The load at pc goes there, or brings that. */
enum foretold load_predictor_see(struct load_predictor *p, uint64_t pc, uint64_t value);

#endif
