/*
 * What loads and stores of a modelled core share: ports, buffers for misses, and data that was stored and is not in the
 * cache yet. Without a design there is any number of ports and buffers, and loads do not wait for stores.
 */
#ifndef FATHOM_TESTS_MODEL_LOAD_STORE_H
#define FATHOM_TESTS_MODEL_LOAD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PORT_CYCLES = 4096, MISSES_MAXIMUM = 64, REGISTER_MISSES = 8, STORED = 256 };

struct load_store_design {
    unsigned loads, stores; /* ports, each for port_bytes a cycle; 0: any number */
    unsigned port_bytes;
    unsigned misses; /* misses of the first level under way at once; 0: any number */
    double forward;  /* cycles from a store to a load from the same address; 0: loads do not wait */
    double split;    /* cycles added to a load that crosses from one line to the next */
};

/* Ports of one kind: how many are taken in each cycle, in a ring by its number. */
struct ports {
    struct port_cycle {
        uint64_t number;
        unsigned taken;
    } cycles[PORT_CYCLES];
    uint64_t latest, full_before; /* the latest cycle with a port taken; the first one that may have a free port */
};

/* The latest misses that hold one of the registers for misses, in the order of time, and when all is known from. */
struct miss_register {
    double from[REGISTER_MISSES], until[REGISTER_MISSES], known_from;
    size_t count;
};

struct load_store {
    unsigned threads; /* of the core that take turns with the ports; 0: 1 */
    struct ports loads, stores;
    struct miss_register misses[MISSES_MAXIMUM];
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
