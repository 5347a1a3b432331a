/*
 * Instructions that only an operating system, or what takes its place, may execute, and those that keep memory and
 * translations in order; and exceptions on purpose, with the way back (arch/returns.h). They change nothing: a register
 * is written with what it holds, and code continues behind the exception.
 */
#ifndef FATHOM_ARCH_EMIT_PRIVILEGED_H
#define FATHOM_ARCH_EMIT_PRIVILEGED_H

#include "arch/emit.h"

struct emit_privileged {
    const char *name;      /* "invlpg"; of a sequence the first instruction, barriers follow it: "tlbi-va" */
    unsigned instructions; /* of the sequence */
};

/* All of this ISA, ended by a NULL name. */
extern const struct emit_privileged emit_privileged_list[];
/*
 * Emits what has to run before the first of these sequences: it reads what they write back, or makes an address of
 * REG_DATA, which points to memory that may be read and written. Changes REG_T0, up to 16 bytes of that memory, and,
 * for a return, where the last exception returned to.
 */
void emit_privileged_begin(struct code *c, const struct emit_privileged *p);
/* Emits the sequence, for code that runs in ring 0, or at EL1. */
void emit_privileged(struct code *c, const struct emit_privileged *p);

#endif
