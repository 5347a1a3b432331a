/*
 * Blockers: independent instructions between the instances of a form (lib/kernels/forms.h), which keep chosen execution
 * units, or the front end, busy. What the form needs beside them then shows as time.
 */
#ifndef FATHOM_LIB_KERNELS_BLOCKERS_H
#define FATHOM_LIB_KERNELS_BLOCKERS_H

#include "arch/emit_idioms.h"
#include "lib/kernels/form_operands.h"
#include "lib/kernels/independent.h"

enum {
    BLOCKERS = 25,             /* kinds of blockers in a kernel, at most */
    BLOCKED_SLOTS = 256,       /* instances and blockers in an iteration, at most */
    BLOCKED_INSTANCE = 0xff,   /* in an order: an instance of the form instead of a blocker */
    BLOCKERS_DATA_AT = 4096,   /* where the data begins that blockers store: behind that of the form … */
    BLOCKERS_DATA_BYTES = 4096 /* … and how much it is */
};

enum blocker_kind { BLOCKER_FORM, BLOCKER_LOAD, BLOCKER_STORE, BLOCKER_NOP, BLOCKER_IDIOM };

struct blocker {
    enum blocker_kind kind;
    const struct form *form;        /* of BLOCKER_FORM: operands are general and vector registers, flags, immediates */
    const struct emit_idiom *idiom; /* of BLOCKER_IDIOM: one that sets a general register to zero */
    unsigned nop_bytes;             /* of BLOCKER_NOP: a length of emit_nop_lengths */
};

/* What an iteration executes, in this order. */
struct blocked_order {
    const struct blocker *all;    /* BLOCKERS of them, at most */
    uint8_t slots[BLOCKED_SLOTS]; /* an index of `all`, or BLOCKED_INSTANCE */
    size_t count;                 /* of slots */
    unsigned groups;              /* the kernel has so many units */
};

/* Registers that blockers use. */
struct blocker_registers {
    enum reg source, sink;
    struct independent all;
    size_t loads, stores; /* emitted so far: which word is next */
};

/*
 * Takes registers for the blockers of that order among those that are not in use, and marks them. False: too few are
 * left.
 */
bool blockers_take_registers(struct blocker_registers *r, const struct blocked_order *o,
                             bool used[OPERAND_KINDS][REGISTERS_OF_A_KIND]);
/* Gives those registers their values: general ones 1, vectors 0. */
void emit_blockers_begin(struct code *c, const struct blocker_registers *r);
/* Emits one blocker. */
void emit_blocker(struct code *c, struct blocker_registers *r, const struct blocker *b);
/* Leaves the state of registers that code without these blockers finds usually: upper parts of vectors are not in use. */
void emit_blockers_end(struct code *c, const struct blocked_order *o);

#endif
