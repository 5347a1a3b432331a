/* DRAM of a modelled machine: banks that parities of address bits choose, each with one open row. */
#ifndef FATHOM_TESTS_MODEL_DRAM_H
#define FATHOM_TESTS_MODEL_DRAM_H

#include <stddef.h>
#include <stdint.h>

enum { DRAM_FUNCTIONS = 6, DRAM_BANKS = 1 << DRAM_FUNCTIONS, DRAM_FLUSHED = 8 };

struct dram_design {
    uint64_t functions[DRAM_FUNCTIONS]; /* masks of address bits */
    size_t count;
    uint64_t rows;   /* address bits that choose the row */
    double cycles;   /* of an access whose row is open */
    double conflict; /* by which it takes longer where another one is */
    double farther;  /* and for each bank after the first: how far its channel is */
    /*
     * Each bank is refreshed once in so many cycles, at a time of its own; 0: never. A load that comes while it is
     * waits for the end of `refreshing` cycles. Put off: each begins later by any part of the period, as where
     * memory waits for a pause.
     */
    double period, refreshing, put_off;
    uint64_t moved; /* bytes by which addresses are moved before banks and rows are chosen */
};

/* Which rows are open, and which lines have been flushed lately: only these are read from memory again. */
struct dram {
    uint64_t open[DRAM_BANKS], flushed[DRAM_FLUSHED];
    size_t next;
};

void dram_flush(struct dram *d, uint64_t line);
/*
 * The cycles of a load of that line, which begins at `address`, at that time in cycles; 0: it has not been flushed, and is
 * in a cache.
 */
double dram_load(struct dram *d, const struct dram_design *design, uint64_t line, uint64_t address, double time);

#endif
