/*
 * What loads and stores of a modelled core have in common to use: ports, buffers for misses, and what was stored and not
 * yet written. Without a design there is as much of all that as is wanted, and loads do not ask what was stored.
 */
#ifndef FATHOM_TESTS_MODEL_LOAD_STORE_H
#define FATHOM_TESTS_MODEL_LOAD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PORTS_MAXIMUM = 8, MISSES_MAXIMUM = 64, STORED = 256 };

struct load_store_design {
    unsigned loads, stores; /* ports, each for so many bytes a cycle; 0: any number */
    unsigned port_bytes;
    unsigned misses; /* of the first level under way at once; 0: any number */
    double forward;  /* cycles from what a store was given to a load of the same place; 0: loads do not wait */
    double split;    /* cycles that a load takes longer which crosses from one line to the next */
};

struct load_store {
    double load_ports[PORTS_MAXIMUM], store_ports[PORTS_MAXIMUM]; /* when each is free again */
    double misses[MISSES_MAXIMUM];
    struct {
        uint64_t address;
        double at; /* when the store had what it stores */
    } stored[STORED];

    uint64_t instruction, line; /* the one at hand, and the first line that it touched */
    size_t bytes;               /* of it so far */
};

/* An access of the `instruction`-th instruction; some have several. When it is done. */
struct data_access {
    uint64_t instruction, address;
    size_t size;
    bool store, missed; /* the first level */
    double start, latency;
};
double load_store_done(struct load_store *l, const struct load_store_design *d, const struct data_access *a);
/* A new call: nothing is under way. */
void load_store_start(struct load_store *l);

#endif
