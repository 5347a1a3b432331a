/*
 * Independent instructions: forms of which no instance waits for another one, whatever stands between them. Operands
 * that are only read are always one register, which nothing writes; those that are only written another one, which is
 * renamed each time; those that are read and written take turns.
 */
#ifndef FATHOM_LIB_KERNELS_INDEPENDENT_H
#define FATHOM_LIB_KERNELS_INDEPENDENT_H

#include "arch/catalogue.h"

enum { INDEPENDENT_POOL = 32 };

/* Registers of one kind, by their numbers in encodings. */
struct independent_registers {
    uint8_t source, sink, pool[INDEPENDENT_POOL];
    size_t count, turn; /* registers in the pool; which one is next */
};

struct independent {
    struct independent_registers general, vector;
};

/* Emits the form. Its operands are general and vector registers, flags and immediates. */
void emit_independent(struct code *c, struct independent *r, const struct form *f);

#endif
