/*
 * Chance in generated code: numbers drawn while a kernel runs, and branches and jumps that follow them, so that no
 * predictor can know where they go.
 *
 * REG_T0 holds the generator's state, T2 and T3 its constants; T1 and T4 are used. The state lies at REG_DATA between
 * calls of the kernel: it goes on from call to call, since predictors learn a sequence that starts anew.
 */
#ifndef FATHOM_LIB_KERNELS_CHANCE_H
#define FATHOM_LIB_KERNELS_CHANCE_H

#include "arch/emit.h"

enum {
    CHANCE_BITS =
        48, /* of a draw, from 0, that may be asked for: the high ones of the state, low ones have short periods */
    CHANCE_PLACES_BITS = 4,
    CHANCE_PLACES = 1 << CHANCE_PLACES_BITS
};

void chance_begin(struct code *c);
/* Begins anew at each call instead, from a number of one's choice: no load, and no chance_end. */
void chance_begin_from(struct code *c, uint64_t state);
void chance_end(struct code *c);
void chance_draw(struct code *c);
/* REG_T1 becomes bits from … from + count - 1 of the draw, as a number. */
void chance_bits(struct code *c, unsigned from, unsigned count);
/* `count` conditional branches, each going either way by a bit of the draw, to the same place. */
void chance_branches(struct code *c, unsigned from, unsigned count);
/*
 * An indirect jump to place number REG_T1 of CHANCE_PLACES, from where all go on here; on the way each calls the code
 * at offset `call`, or nothing where that is 0.
 */
void chance_places(struct code *c, size_t call);

#endif
