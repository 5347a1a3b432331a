/* Loads and stores of every width that the ISA has; those of arch/emit.h have 64 bits. */
#ifndef FATHOM_ARCH_EMIT_ACCESS_H
#define FATHOM_ARCH_EMIT_ACCESS_H

#include "arch/emit.h"

/* The registers that an access moves. */
enum access_file {
    ACCESS_GENERAL,
    ACCESS_VECTOR,
    ACCESS_SCALABLE /* whole vectors of a length that the core sets: code for one length is wrong on all others */
};

/* A width of loads and stores. */
struct emit_access {
    const char *name;         /* "8", "64", "v128", "pair", "stream64", "sve256" */
    enum access_file file;    /* which registers it moves */
    unsigned bits;            /* of all registers together */
    unsigned registers;       /* 1, or 2 for a pair of register r and the next one */
    unsigned vector_bits;     /* of the core's vectors at least (lib/machine.h); of scalable ones exactly */
    bool streams;             /* it may go past the caches, which is a hint */
    bool has_load, has_store; /* which of the two the ISA has */
};

/*
 * All widths of this ISA: by the registers that they move, single ones before pairs, ascending in width; ended by a
 * NULL name.
 */
extern const struct emit_access emit_accesses[];

/*
 * Loads register r, an enum reg, or of vectors an enum vreg, from base + offset; pairs load r and r + 1. What the load
 * does not fill of a register it clears. Offsets: -256 … 255, or a multiple of the access's bytes from 0 to 4095 times
 * that; of pairs only multiples of one register's bytes, from -64 to 63 times that; of scalable vectors only multiples
 * of their bytes, from -256 to 255 times that. Another offset, a register that does not exist, or an access that has no
 * load (has_load) makes the code invalid.
 *
 * Vector accesses, scalable ones apart, may leave the upper parts of registers in use: emit_wide_end, with the largest
 * vector_bits among them, must follow.
 */
void emit_load_as(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset);
/*
 * Stores register r, pairs also r + 1, to base + offset; r and offset as for emit_load_as, has_store in place of
 * has_load; emit_wide_end must follow vector accesses.
 */
void emit_store_as(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset);

#endif
