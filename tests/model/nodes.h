/* Nodes of a modelled machine: memory, and cores near to it (NUMA). */
#ifndef FATHOM_TESTS_MODEL_NODES_H
#define FATHOM_TESTS_MODEL_NODES_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_NODES = 4 };

struct nodes_design {
    unsigned count;
    uint32_t id[MODEL_NODES];
    bool no_memory[MODEL_NODES];
    unsigned cores; /* the first node has the first so many, and so on; the last one what is left, perhaps none */
    /* Of a load from memory, by the node of the core and that of the memory: cycles that it takes longer than within … */
    double farther[MODEL_NODES][MODEL_NODES];
    double line_cycles[MODEL_NODES][MODEL_NODES]; /* … and cycles from one line to the next, at least */
};

struct core;

/* The nodes of the machine around that core; NULL: nothing lists nodes. */
void nodes_start(const struct nodes_design *design, struct core *core);

/* The node that a core belongs to, by its place. */
static inline unsigned node_of_modelled_core(const struct nodes_design *d, unsigned core)
{
    const unsigned node = core / d->cores;

    return node < d->count ? node : d->count - 1;
}

#endif
