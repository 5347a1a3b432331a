/*
 * Execution units of a modelled core that are all alike: in each cycle as many instructions begin as there are units,
 * whichever are ready, in whatever order.
 */
#ifndef FATHOM_TESTS_MODEL_UNITS_H
#define FATHOM_TESTS_MODEL_UNITS_H

#include <stdint.h>

enum { UNITS_CYCLES = 8192 };

struct units_busy {
    struct {
        int64_t cycle;
        unsigned begun;
    } cycles[UNITS_CYCLES];      /* a ring: how many instructions begin in a cycle */
    int64_t newest;              /* the latest cycle in which one begins */
    int64_t full_from, full_end; /* cycles between these have no unit left */
};

/* Begins a call of a kernel. */
void units_start(struct units_busy *u);
/* An instruction is ready at `start`; returns when it begins. units: how many there are, at least one. */
double units_begin(struct units_busy *u, unsigned units, double start);

#endif
