/* What arch/emit_fillers.c and the fillers of the ISAs share; nobody else includes this. */
#ifndef FATHOM_ARCH_EMIT_FILLERS_PRIVATE_H
#define FATHOM_ARCH_EMIT_FILLERS_PRIVATE_H

#include "arch/emit_fillers.h"
#include "arch/emit_private.h"

/*
 * One that computes: into the target-th of the registers that fillers write, from `general` and REG_T7, or `vector` and
 * VREG_7.
 */
void emit_filler_computing(struct code *c, const struct emit_filler *f, unsigned target, enum reg general,
                           enum vreg vector);

#endif
