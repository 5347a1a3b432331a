/*
 * A modelled branch target buffer: levels that are looked up, trained and replaced branch by branch. Nothing here
 * knows what a capacity at a spacing is; that comes out.
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

/* Sets of least recently used entries. */
struct table {
    unsigned set_bits, ways;
    unsigned low; /* the lowest address bit that chooses the set */
    enum index index;
    unsigned block;    /* an entry holds two branches of the same 2^block bytes; 0: one branch */
    unsigned tag_bits; /* compared of what is above the index; 0: all */
    double cycles;     /* a branch that it holds costs that; of an instruction cache: a miss costs that */
};

struct btb {
    struct table levels[BTB_LEVELS];
    size_t count;
    double fallback;  /* found nowhere */
    double wrong;     /* found, with another branch's target */
    bool lazy;        /* a level is trained only by what those before it do not hold; else by all branches */
    struct table l1i; /* of lines of 64 bytes; ways 0: none */
    uint64_t base;
};

/* Branches that it holds. */
double table_capacity(const struct table *t);

/*
 * Cycles per branch of `count` taken branches 2^spacing bytes apart, one after the other again and again, when nothing
 * changes any more. *deepest, unless NULL, becomes the level (from 0) that is needed at most; `b->count` for fallback.
 */
double btb_cycles(const struct btb *b, size_t count, unsigned spacing, size_t *deepest);

#endif
