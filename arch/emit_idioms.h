/*
 * Idioms: instructions that some cores eliminate at rename, and pairs of neighbours that some cores fuse into one
 * operation.
 */
#ifndef FATHOM_ARCH_EMIT_IDIOMS_H
#define FATHOM_ARCH_EMIT_IDIOMS_H

#include "arch/emit.h"

enum idiom_kind { IDIOM_MOVE, IDIOM_VECTOR_MOVE, IDIOM_ZERO };

struct emit_idiom {
    const char *name; /* "mov64" */
    enum idiom_kind kind;
};

/* Ended by a NULL name. */
extern const struct emit_idiom emit_idioms[];
/* `to` and `from` are enum vreg for vector moves, else enum reg; zeroing ignores `from`. May change flags. */
void emit_idiom(struct code *c, const struct emit_idiom *i, unsigned to, unsigned from);

struct emit_pair {
    const char *name; /* "cmp+jcc" */
};

/* Ended by a NULL name. */
extern const struct emit_pair emit_pairs[];
enum { PAIR_TARGETS = 3 }; /* REG_T0 … REG_T2, one of which a pair changes; neighbouring pairs take turns */
/* The register that the index-th pair of a sequence of pairs changes: REG_T0 … REG_T2 in turn. */
enum reg emit_pair_target(size_t index);
/* Sets the registers that pairs use. They also read REG_T6 and REG_T7, and may change REG_T8. No branch is taken. */
void emit_pair_begin(struct code *c);
void emit_pair_first(struct code *c, const struct emit_pair *p, size_t index);
/* Instructions between the two must keep the flags and the register that the first one has set. */
void emit_pair_second(struct code *c, const struct emit_pair *p, size_t index);

#endif
