/*
 * Idioms: instructions that some cores eliminate at rename, and pairs of neighbours that some cores fuse into one
 * operation.
 */
#ifndef FATHOM_ARCH_EMIT_IDIOMS_H
#define FATHOM_ARCH_EMIT_IDIOMS_H

#include "arch/emit.h"

/* What an idiom does. */
enum idiom_kind { IDIOM_MOVE, IDIOM_VECTOR_MOVE, IDIOM_ZERO };

/* An instruction that some cores eliminate at rename. */
struct emit_idiom {
    const char *name; /* "mov64" */
    enum idiom_kind kind;
};

/* All idioms of this ISA, ended by a NULL name. */
extern const struct emit_idiom emit_idioms[];
/*
 * Emits an idiom: one instruction that moves `from`, or its low bits, to `to`, or sets `to` to zero and ignores `from`.
 * They are enum vreg for IDIOM_VECTOR_MOVE, else enum reg. May change flags.
 */
void emit_idiom(struct code *c, const struct emit_idiom *i, unsigned to, unsigned from);

/* Two instructions in a row that some cores fuse into one operation. */
struct emit_pair {
    const char *name; /* "cmp+jcc" */
};

/* All pairs of this ISA, ended by a NULL name. */
extern const struct emit_pair emit_pairs[];
enum { PAIR_TARGETS = 3 }; /* registers that pairs change, one each: REG_T0 … REG_T2 */
/* The register that the pair with that index in a sequence changes: REG_T0, REG_T1 and REG_T2 in turn. */
enum reg emit_pair_target(size_t index);
/*
 * Sets the registers that pairs read; to be emitted before the first pair. Pairs also read REG_T6 and REG_T7, and may
 * change REG_T8. No branch of a pair is taken.
 */
void emit_pair_begin(struct code *c);
/* Emits the first instruction of the pair with that index in a sequence. */
void emit_pair_first(struct code *c, const struct emit_pair *p, size_t index);
/*
 * Emits the second instruction of that pair. Instructions that were emitted between the two must keep the flags and the
 * register that the first one has set.
 */
void emit_pair_second(struct code *c, const struct emit_pair *p, size_t index);

#endif
