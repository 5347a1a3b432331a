/*
 * Fillers: instructions that occupy one kind of entry of a core's back end while they are in flight, and few others.
 * The number of them between two long-latency operations up to which the two overlap is the number of entries
 * (lib/structure/inflight.h).
 *
 * Fillers depend neither on each other nor on the operations around them: they read registers that emit_filler_begin
 * has set, and finish executing long before they can retire.
 */
#ifndef FATHOM_ARCH_EMIT_FILLERS_H
#define FATHOM_ARCH_EMIT_FILLERS_H

#include "arch/emit_access.h"

/* What a filler occupies besides its entry of the reorder buffer. */
enum filler_class {
    FILLER_NOTHING,     /* NOPs; moves and zeros, which a core may eliminate at rename; else they occupy a register */
    FILLER_GENERAL,     /* a general register; on x86-64 no flags */
    FILLER_PRODUCT,     /* a general register, and a unit that multiplies */
    FILLER_FLAGS,       /* flags alone */
    FILLER_VECTOR,      /* a vector register */
    FILLER_MASK,        /* a mask or predicate register */
    FILLER_LOAD,        /* an entry for a load, and a register */
    FILLER_STORE,       /* an entry for a store */
    FILLER_TARGET,      /* an entry for a store, whose address can be made to wait */
    FILLER_BRANCH,      /* an entry for a branch that is not taken */
    FILLER_JUMP,        /* an entry for a taken branch, to the next filler, FILLER_JUMP_BYTES on */
    FILLER_FORM,        /* what a form of the catalogue does that reads a general register … */
    FILLER_VECTOR_FORM, /* … or a vector register */
    FILLER_CLASSES
};

enum { FILLER_SCALABLE = 1 /* of emit_filler.vector_bits: scalable vectors of any length */ };

/* A kind of filler. */
struct emit_filler {
    const char *name; /* "nop", "int64", "store-v128" */
    enum filler_class class;
    unsigned bits;        /* that it writes or moves; of NOPs, their length. 0: does not matter */
    unsigned vector_bits; /* that the core's vectors must have (lib/machine.h); 0: none needed; or FILLER_SCALABLE */
    bool waits;           /* emit_filler_waiting can emit it */
};

/* All kinds of this ISA, ended by a NULL name. */
extern const struct emit_filler emit_fillers[];
/* The kind of that name; NULL: this ISA has none. */
const struct emit_filler *emit_filler_named(const char *name);
/*
 * The kind that is a form of the catalogue (arch/catalogue.h): one that reads registers, and reads and writes neither
 * memory nor registers that cannot be chosen, but for flags. Its name, which must outlive the kind, is that of the form.
 * vector_bits: what the core's vectors have.
 */
struct emit_filler emit_filler_of_form(const char *form, unsigned vector_bits);

enum {
    FILLER_DATA_BYTES = 1024, /* what loads and stores need, aligned to a cache line: eight lines for each of the two */
    FILLER_JUMP_BYTES = 16    /* holds a jump and NOPs on every ISA: four taken branches in a line of 64 bytes */
};

/*
 * Sets what fillers read: REG_T6, REG_T7 and REG_T8, VREG_6 and VREG_7, and the flags; masks that they read may hold
 * anything. To be emitted before the first filler, and again where something between fillers has changed the flags.
 * `data` holds the address of FILLER_DATA_BYTES. Fillers write REG_T3 to REG_T5, VREG_3 to VREG_5, mask registers 3 to
 * 5 or predicate registers 0 to 2, and those of FILLER_FLAGS the flags; other code must not rely on these.
 */
void emit_filler_begin(struct code *c, enum reg data);
/*
 * Brings the vector registers that a kernel may write into one known state, after emit_filler_begin, on a core with
 * vectors of `vector_bits`. Each is written, in `bits`, the width of the fillers that follow, or more, so that it
 * occupies a physical register; with AVX-512 each mask register is written too. Where `cleared`, vector registers are
 * zeroed instead, in a way for which a core may need no physical register, and masks are left alone; on x86-64 without
 * AVX nothing is emitted then. Without this, how many physical registers are left for fillers would depend on what ran
 * before.
 */
void emit_filler_hold(struct code *c, unsigned vector_bits, unsigned bits, bool cleared);
/*
 * Emits one filler of that kind. `index` is its place in the sequence of fillers, the first being 0: it selects the
 * register or address, so that fillers next to each other write different ones.
 */
void emit_filler(struct code *c, const struct emit_filler *f, size_t index);
/*
 * How many fillers further in a sequence the same instruction comes again; every period is a multiple of shorter ones.
 */
size_t emit_filler_period(const struct emit_filler *f);
/*
 * Emits a filler as emit_filler does, but one that cannot execute before the register `general` or `vector`, whichever
 * it computes with, is ready. A load needs it as part of its address, a store as what it stores (of FILLER_TARGET as
 * part of its address), a branch to know whether it is taken. Where it is part of an address or decides a branch,
 * `general` must be 0 when it is ready; else any value will do. On x86-64 the branch is TEST and Jcc. The code becomes
 * invalid unless f->waits.
 */
void emit_filler_waiting(struct code *c, const struct emit_filler *f, size_t index, enum reg general, enum vreg vector);
/* To be emitted after the last filler: emit_wide_end where fillers of this kind use vector registers, else nothing. */
void emit_filler_end(struct code *c, const struct emit_filler *f);

#endif
