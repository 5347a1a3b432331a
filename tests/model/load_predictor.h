/*
 * Prediction of the address or the value of a load, by its own address: what it was the last time, or that changed by
 * as much as the time before. It is used once it was right often enough in succession.
 */
#ifndef FATHOM_TESTS_MODEL_LOAD_PREDICTOR_H
#define FATHOM_TESTS_MODEL_LOAD_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { PREDICTED_LOADS_MAXIMUM = 256 };

struct load_predictor_design {
    unsigned loads;    /* that it remembers, the latest ones; 0: there is no such predictor */
    bool strides;      /* also predicts what changes by the same amount each time */
    unsigned training; /* right predictions in succession before it is used */
};

struct load_predictor {
    struct load_predictor_design design;
    struct {
        uint64_t pc, last, step;
        unsigned right;
    } known[PREDICTED_LOADS_MAXIMUM]; /* newest first */
    unsigned count;
};

enum load_prediction { PREDICTED_NOTHING, PREDICTED_RIGHT, PREDICTED_WRONG };

/* The load at pc has this address, or this value: what was predicted of it. The predictor learns. */
enum load_prediction load_predictor_see(struct load_predictor *p, uint64_t pc, uint64_t value);

#endif
