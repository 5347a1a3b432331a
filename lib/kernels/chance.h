/*
 * Chance in generated code: random numbers drawn while a kernel runs, and branches and jumps that follow them, so that
 * no predictor can know where they go.
 *
 * REG_T0 holds the state of the generator (Knuth's MMIX: one multiplication and one addition), REG_T2 and REG_T3 its
 * constants; REG_T1 and REG_T4 are overwritten. Between calls of the kernel chance_end stores the state at the address
 * in REG_DATA, and chance_begin loads it: the sequence continues from call to call, since predictors learn a sequence
 * that starts anew.
 *
 * Method: docs/METHODS.md, 4.21.
 */
#ifndef FATHOM_LIB_KERNELS_CHANCE_H
#define FATHOM_LIB_KERNELS_CHANCE_H

#include "arch/emit.h"

enum {
    CHANCE_BITS = 48, /* of a draw that can be used, from 0: its high bits, since low ones have short periods */
    CHANCE_TARGETS_BITS = 4,
    CHANCE_TARGETS = 1 << CHANCE_TARGETS_BITS
};

/* Loads the state and the constants. */
void chance_begin(struct code *c);
/* In place of chance_begin and chance_end: starts with that state at each call, so that nothing is loaded or stored. */
void chance_begin_from(struct code *c, uint64_t state);
/* Stores the state. */
void chance_end(struct code *c);
/* Draws the next number. */
void chance_draw(struct code *c);
/* Emits code that sets REG_T1 to bits from … from + count - 1 of the number drawn last. */
void chance_bits(struct code *c, unsigned from, unsigned count);
/*
 * Emits `count` conditional branches over one NOP each, taken or not by one bit each of the number drawn last, from bit
 * `from` on.
 */
void chance_branches(struct code *c, unsigned from, unsigned count);
/*
 * Emits an indirect jump to one of CHANCE_TARGETS targets, by the number in REG_T1, below CHANCE_TARGETS. Each target
 * calls the function at byte offset `call` of the code, or nothing if that is 0, and leads to the code that is emitted
 * next.
 */
void chance_jump(struct code *c, size_t call);

#endif
