/*
 * Fillers: instructions that hold one thing of a core's back end while they are in flight, and little else. Rows of them
 * between two long operations tell how many the core can hold (lib/kernels/lookahead.h).
 *
 * All are independent of each other and of what a row stands between: they read registers that emit_filler_begin has
 * set, and are done long before they may retire.
 */
#ifndef FATHOM_ARCH_EMIT_FILLERS_H
#define FATHOM_ARCH_EMIT_FILLERS_H

#include "arch/emit_access.h"

/* What each holds besides its place in the reorder buffer. */
enum filler_class {
    FILLER_NOTHING, /* NOPs; moves and zeros, which may be done when they are renamed, or else hold a register */
    FILLER_GENERAL, /* a general register; on x86-64 no flags */
    FILLER_PRODUCT, /* a general register, and where a multiplication goes */
    FILLER_FLAGS,   /* flags alone */
    FILLER_VECTOR,  /* a vector register */
    FILLER_MASK,    /* a mask or predicate register */
    FILLER_LOAD,    /* an entry for a load, and a register */
    FILLER_STORE,   /* an entry for a store */
    FILLER_TARGET,  /* the same; what may wait is where it goes */
    FILLER_BRANCH,  /* an entry for a branch that is not taken */
    FILLER_JUMP,    /* the same of one that is: FILLER_JUMP_BYTES from one to the next */
    FILLER_CLASSES
};

enum { FILLER_SCALABLE = 1 /* … or scalable ones, of any length */ };

struct emit_filler {
    const char *name; /* "nop", "int64", "store-v128" */
    enum filler_class class;
    unsigned bits;        /* that it writes, or moves; of NOPs, how long they are. 0: of no matter */
    unsigned vector_bits; /* the core must have vectors of so many bits (lib/machine.h); 0: every core has it; … */
    bool waits;           /* there is emit_filler_waiting of it */
};

/* Ended by a NULL name. */
extern const struct emit_filler emit_fillers[];
const struct emit_filler *emit_filler_named(const char *name); /* NULL: this ISA has none */

enum {
    FILLER_DATA_BYTES = 1024, /* what loads and stores need, on a line's start */
    FILLER_JUMP_BYTES = 16
};

/*
 * Fillers read REG_T6, REG_T7 and REG_T8, VREG_6 and VREG_7, mask registers 6 and 7, and the flags; they write REG_T3 to
 * REG_T5, VREG_3 to VREG_5, mask registers 3 to 5 or predicate registers 0 to 2, and of FILLER_FLAGS the flags. This
 * sets what they read: before the first, and where between them something else has changed flags. `data` has the
 * address of FILLER_DATA_BYTES.
 */
void emit_filler_begin(struct code *c, enum reg data);
/*
 * All vector registers that a kernel may write, after emit_filler_begin, on a core with vectors of `vector_bits`: each is
 * written, in the width of such fillers, so that it holds a physical one, and so are masks; or it is cleared in a way for
 * which a core may hold none. What programs leave there differs, and what is left over for fillers with it.
 */
void emit_filler_hold(struct code *c, unsigned vector_bits, unsigned bits, bool cleared);
/* The index-th of a row. */
void emit_filler(struct code *c, const struct emit_filler *f, size_t index);
/*
 * The same, which waits for that register, general or vector by what it computes with: loads for part of their address,
 * stores for what they store, or of FILLER_TARGET for part of their address, branches for whether they are taken. The
 * general one must be 0 by then, or any where no address and no branch waits. On x86-64 such a branch is TEST and Jcc.
 */
void emit_filler_waiting(struct code *c, const struct emit_filler *f, size_t index, enum reg general, enum vreg vector);
/* After the last, where any has a vector register: as emit_wide_end. */
void emit_filler_end(struct code *c, const struct emit_filler *f);

#endif
