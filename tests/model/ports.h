/*
 * Execution units of a modelled core that differ: each operation begins on one of the units that its instruction may use,
 * in the first cycle in which one of them is free.
 */
#ifndef FATHOM_TESTS_MODEL_PORTS_H
#define FATHOM_TESTS_MODEL_PORTS_H

#include <stdbool.h>
#include <stdint.h>

enum { PORTS_KINDS = 32, PORTS_UNITS = 12, PORTS_OPERATIONS = 2, PORTS_CYCLES = 8192 };

/* Units of each kind of instruction, a bit each, by its index in isa.h, `units`. */
struct port_design {
    bool differ;                                /* else all of it is left out */
    uint16_t of[PORTS_KINDS][PORTS_OPERATIONS]; /* of each operation; 0: it has none */
};

struct ports_busy {
    struct {
        int64_t cycle;
        uint16_t begun;
    } cycles[PORTS_CYCLES];      /* a ring: units in which an operation begins in a cycle */
    int64_t newest;              /* the latest of these cycles */
    uint8_t shared[PORTS_UNITS]; /* how many kinds of instruction may use each unit */
};

/* Begins a call of a kernel. */
void ports_start(struct ports_busy *p, const struct port_design *design);
/* An instruction of that kind is ready at `start`; returns when the last of its operations begins. */
double ports_begin(struct ports_busy *p, const uint16_t operations[PORTS_OPERATIONS], double start);

#endif
