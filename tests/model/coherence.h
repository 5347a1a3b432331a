/*
 * Coherence of the caches of several cores: which core has which line, in which state, and what an access takes that
 * needs the line from another core. The cores lie in pairs of threads, clusters and dies; what a transfer takes depends
 * on the nearest group that two cores have in common.
 *
 * A store gets the line alone: modified. A load of a line that nobody has gets it exclusive. A load of a line that
 * another core has leaves it in both: the one that had it modified keeps it as its owner (MOESI), or writes it back and
 * has no more than a copy (MESI); or it gives a modified line away altogether, since who reads a line that another core
 * has just written will often write it next ("migratory", Stenström et al. 1993).
 */
#ifndef FATHOM_TESTS_MODEL_COHERENCE_H
#define FATHOM_TESTS_MODEL_COHERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/smt.h"

enum { COHERENT_CORES = 32 };

/* Cores i and j are in one group of `cores` if i / cores == j / cores; 0: there are no such groups. */
struct coherence_group {
    unsigned cores;
    double cycles; /* that a line takes from one core of it to another */
};

enum { COHERENT_GROUPS = 4 };

struct coherence_design {
    unsigned cores;                                 /* 0: one, and no coherence */
    struct coherence_group groups[COHERENT_GROUPS]; /* the smallest first; the last one has all cores */
    unsigned threads; /* of each core: these follow each other; 0: 1. What is named a core here is then a thread. */
    struct smt_design smt; /* what these threads share */
    bool owned, migrates;  /* MOESI; see above */
    double clean_part;     /* a load of an unmodified line takes this part of a transfer: it comes from another cache */
    /*
     * Memory that other cores stream from: a line takes stream_cycles, and a pause pause_cycles an iteration. One that
     * is stored to loads the memory as much as 1 + store_weight lines that are loaded. Where they take x of the most
     * lines a cycle that memory has, a load waits longer by load_cycles * x / (most - x).
     */
    double stream_cycles, pause_cycles, load_cycles, most_lines, store_weight;
    size_t cached_bytes; /* buffers up to this size need no memory */
    /*
     * A line that is contended for goes round all cores. The first core makes so many accesses each time, the others so
     * many, which take `held` each; the way to the next core takes as long as any transfer.
     */
    unsigned first_holds, others_hold;
    double held;
    double upgrade_part; /* removing another core's copy takes this part of a transfer */
};

/* What other cores do: of each block of lines they store to some, and then they pause. */
struct coherence_traffic {
    unsigned cores;
    size_t block, pause, stores;
    size_t bytes; /* of each one's buffer */
};

struct coherence;

struct coherence *coherence_new(const struct coherence_design *design);
void coherence_free(struct coherence *c);
/* Lines a cycle that all of them together stream from memory. */
double coherence_stream(const struct coherence_design *d, const struct coherence_traffic *t);
/* Cycles in which a line that so many cores contend for goes round all of them. */
double coherence_turn(const struct coherence_design *d, unsigned cores);
/* Cycles by which another core's load takes longer then. */
double coherence_wait(const struct coherence_design *d, const struct coherence_traffic *t);
/* Cycles that a line takes between two cores. */
double coherence_distance(const struct coherence_design *d, unsigned one, unsigned other);
/* A core accesses a line: the cycles that it waits for other cores. */
double coherence_access(struct coherence *c, unsigned core, uint64_t line, bool store);
/* No core has the line any more. */
void coherence_flush(struct coherence *c, uint64_t line);

#endif
