/* What arch/emit_fillers.c and the fillers of each ISA share; only they include this. */
#ifndef FATHOM_ARCH_EMIT_FILLERS_PRIVATE_H
#define FATHOM_ARCH_EMIT_FILLERS_PRIVATE_H

#include "arch/emit_fillers.h"
#include "arch/emit_private.h"

/*
 * In each ISA: emits a filler that computes. It writes the one with the index `target`, 0 to 2, of the registers that
 * fillers write, and reads `general` and REG_T7, or `vector` and VREG_7.
 */
void emit_filler_computing(struct code *c, const struct emit_filler *f, unsigned target, enum reg general,
                           enum vreg vector);

#endif
