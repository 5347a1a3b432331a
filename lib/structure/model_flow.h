/*
 * The longest cycle of dependences of code that is executed over and over: as long as an iteration takes where nothing
 * else limits it.
 */
#ifndef FATHOM_LIB_STRUCTURE_MODEL_FLOW_H
#define FATHOM_LIB_STRUCTURE_MODEL_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_VALUES = 192, FLOW_EDGES = 40 };

/* From a value that an instruction reads to one that it writes. */
struct flow_edge {
    uint8_t from, to; /* FLOW_NOTHING as `from`: what is written waits for nothing */
    float cycles;
};
enum { FLOW_NOTHING = 0xff };

struct flow_step {
    struct flow_edge edges[FLOW_EDGES];
    unsigned count;
};

/* Cycles of an iteration; 0: there is no such cycle. */
double flow_cycles(const struct flow_step *steps, size_t count);
/*
 * Whether the instruction is part of a longest cycle: the iteration takes longer when it does. `cycles`: flow_cycles of
 * all.
 */
bool flow_is_critical(struct flow_step *steps, size_t count, size_t index, double cycles);

#endif
