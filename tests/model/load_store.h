/*
 * What loads and stores of a modelled core share: ports, buffers for misses, and data that was stored and is not in the
 * cache yet. Without a design there is any number of ports and buffers, and loads do not wait for stores.
 */
#ifndef FATHOM_TESTS_MODEL_LOAD_STORE_H
#define FATHOM_TESTS_MODEL_LOAD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PORTS_MAXIMUM = 8, MISSES_MAXIMUM = 64, STORED = 256 };

struct load_store_design {
    unsigned loads, stores; /* ports, each for port_bytes a cycle; 0: any number */
    unsigned port_bytes;
    unsigned misses; /* misses of the first level under way at once; 0: any number */
    double forward;  /* cycles from a store to a load from the same address; 0: loads do not wait */
    double split;    /* cycles added to a load that crosses from one line to the next */
};

struct load_store {
    unsigned threads;                                             /* of the core that take turns with the ports; 0: 1 */
    double load_ports[PORTS_MAXIMUM], store_ports[PORTS_MAXIMUM]; /* when each is free again */
    double misses[MISSES_MAXIMUM];
    struct {
        uint64_t address;
        double at; /* when the store was done */
    } stored[STORED];

    uint64_t instruction, line; /* the current one, and the first line that it accessed */
    size_t bytes;               /* that it has accessed so far */
};

/* An access by the instruction of that number; some instructions have several. Returns when it is done. */
struct data_access {
    uint64_t instruction, address;
    size_t size, line_bytes;
    bool store, missed; /* missed: in the first level */
    double start, latency;
};
double load_store_done(struct load_store *l, const struct load_store_design *d, const struct data_access *a);
/* Begins a call of a kernel: nothing is under way. */
void load_store_start(struct load_store *l);

#endif
