/* Instructions that write more than a register holds: a string of bytes, or a whole block of zeros. */
#ifndef FATHOM_ARCH_EMIT_BLOCK_H
#define FATHOM_ARCH_EMIT_BLOCK_H

#include "arch/emit.h"

struct emit_block {
    const char *name; /* "rep movsb", "rep stosb", "dc zva" */
    bool copies;      /* from other memory; else it writes the same value everywhere */
    bool zeroes;      /* whole blocks of machine_info()->zero_bytes at once, and only where these are not 0 */
};

/* All of this ISA, ended by a NULL name. */
extern const struct emit_block emit_blocks[];

/*
 * Writes `bytes` bytes from the address in REG_T1 on, and adds their number to REG_T1; a copy reads them from REG_T2
 * on, and adds their number there, too. Uses REG_T0, and what the emitter keeps for itself. `zero_bytes`: of the blocks
 * that an instruction zeroes; `bytes` has to be a multiple, and REG_T1 aligned to it.
 */
void emit_block(struct code *c, const struct emit_block *b, size_t bytes, size_t zero_bytes);

#endif
