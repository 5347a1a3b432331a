/*
 * A modelled branch target buffer: every branch is looked up, trained and replaced in each level by itself. What a
 * level holds of branches at some stride follows from that, and is nowhere put in.
 */
#ifndef FATHOM_TESTS_MODEL_FAMILIES_BTB_H
#define FATHOM_TESTS_MODEL_FAMILIES_BTB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BTB_LEVELS = 3 };

enum index {
    INDEX_PLAIN,  /* address bits */
    INDEX_FOLDED, /* XOR with as many bits above them */
    INDEX_HASHED  /* all bits, mixed */
};

/* Sets of entries with LRU replacement. */
struct table {
    unsigned set_bits, ways;
    unsigned low; /* the lowest address bit that chooses the set */
    enum index index;
    unsigned block;    /* an entry has two branches of the same 2^block bytes; 0: one branch */
    unsigned tag_bits; /* how many bits above the index are compared; 0: all */
    double cycles;     /* that a hit takes; of an instruction cache what a miss adds */
};

struct btb {
    struct table levels[BTB_LEVELS];
    size_t count;
    double fallback;  /* cycles of a branch that no level has */
    double wrong;     /* of one that is found with another branch's target */
    bool lazy;        /* only branches that miss in the levels before train a level; else all do */
    struct table l1i; /* instruction cache, of lines of 64 bytes; 0 ways: it never misses */
    uint64_t base;
};

/* How many branches it has room for. */
double table_capacity(const struct table *t);

/*
 * Cycles per branch of `count` taken branches, each 2^stride_bits bytes behind the one before it, over and over, once
 * all levels are trained. Unless NULL, *deepest becomes the deepest level that any branch hits (from 0), `b->count`
 * for fallback.
 */
double btb_cycles(const struct btb *b, size_t count, unsigned stride_bits, size_t *deepest);

#endif
