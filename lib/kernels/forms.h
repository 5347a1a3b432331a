/*
 * Kernels that execute one form of the catalogue many times: independent of each other, or as a dependency chain from
 * one of the form's operands to another (docs/METHODS.md, 6.9).
 *
 * An instance is one execution of the form in a kernel. Unless other values are asked for (enum form_values), operands
 * begin with the value 1, in their type; but masks have all bits set, the upper half of a dividend and an exponent on
 * the x87 stack are 0, gathers and scatters have different addresses and zeros, and the register and flags that a branch
 * reads are such that it is taken or not, as its form says; flags are set once in each iteration. So sums, products and
 * quotients stay in range however often they are repeated. An operand that is only read keeps its value.
 *
 * A direct chain passes a value from one instance to the next in a register that one writes and the next reads. Where
 * no register can be both, bridges pass it, each of one or two instructions: from what one instance has written to what
 * the next one reads.
 */
#ifndef FATHOM_LIB_KERNELS_FORMS_H
#define FATHOM_LIB_KERNELS_FORMS_H

#include "arch/catalogue.h"
#include "lib/base/reason.h"
#include "lib/kernels/blockers.h"
#include "lib/probe/probe.h"

enum {
    FORM_NO_CHAIN = FORM_OPERANDS, /* from and to of a kernel whose instances are independent */
    FORM_ROTATING = 2,             /* registers that a chain rotates through unless the caller chooses another number */
    FORM_BRIDGES = 8,              /* bridges between two instances, at most */
    FORM_PERIOD_BYTES = 64         /* code that is kept for the record, at most */
};

/* The values that operands begin with; the form's cost may depend on them. */
enum form_values {
    FORM_VALUES_ONE,      /* 1, as said above */
    FORM_VALUES_ZERO,     /* integers are 0, also those that are a number of bits to shift by */
    FORM_VALUES_LONG,     /* integer division has a large dividend; one floating point operand has a full mantissa */
    FORM_VALUES_DENORMAL, /* floating point numbers are denormal */
    FORM_VALUES,          /* how many there are; those above are measured for every form that takes them */
    /* For a chain through the mask of a gather: memory holds all ones, so that what was loaded serves as a mask. */
    FORM_VALUES_MASK = FORM_VALUES
};
extern const char *const form_values_names[FORM_VALUES];

struct form_kernel {
    /* ---- What the caller chooses ---- */
    const struct form *form;
    /* Operands, by number: the chain goes from `to` of one instance, written, to `from` of the next, read. */
    unsigned from, to;
    unsigned instances; /* in one iteration of the loop */
    /*
     * Registers that a direct chain rotates through, at most; 0: FORM_ROTATING. With more than two, schedulers of some
     * cores lose a cycle now and then. Operands outside of the chain that are written rotate through all that are left.
     */
    unsigned rotating;
    unsigned variant; /* of a chain that needs a bridge: which one, below form_bridge_count */
    unsigned bits;    /* widest vector, in bits, for which bridges are chosen; 0: that of the form */
    bool indirect;    /* a chain by the longer way of form_can_chain_indirectly */
    /*
     * Of a chain that passes a general register between instances (form_lengthened_count): pairs of exclusive ors in
     * it, of one cycle each, which leave that register as it was. A chain through flags goes by a general register then.
     */
    unsigned lengthened;
    bool one_register; /* all operands of one kind that have a choice get the same register */
    /*
     * For independent instances only. All write the same registers, whose vectors are filled with so many bits: an
     * instance waits for the one before where it keeps a part of these. 0: they write different ones.
     */
    unsigned kept_bits;
    enum form_values values;
    /*
     * For independent instances only. The memory operand is at one of eight addresses in turn, at the cost of one
     * addition for each instance, since some cores load the same address less often in a cycle than different ones. Of
     * a form that works on the top of the x87 stack, with FORM_VALUES_ONE, each instance has another register as the
     * top, so that none waits for the one before. Each taken branch leads to the next line of 64 bytes, since many in a
     * line may be slow; otherwise to the next instruction.
     */
    bool varies_location;
    /*
     * NOPs for each instance, on average. Where there are any, fewer registers rotate, of four or more, and in the
     * opposite order, so that both the layout of the code and the dependences through registers differ from a kernel
     * without NOPs.
     */
    double nops;
    /*
     * For independent instances only. Blockers between the instances, and how many instances there are (`instances`
     * does not count); `data` then has BLOCKERS_DATA_BYTES more. NULL: there are none.
     */
    const struct blocked_order *blocked;

    /* ---- What form_kernel_make sets ---- */
    size_t first;    /* offset of the first instance in the code */
    size_t form_at;  /* offset of the form itself of the first instance, after what sets its mask again */
    unsigned period; /* bytes of the first instances, until registers repeat or `bytes` is full */
    uint8_t bytes[FORM_PERIOD_BYTES];
    const struct form_bridge *bridges[FORM_BRIDGES]; /* between two instances, companion instructions included */
    unsigned bridge_count, bridge_cycles;            /* how many bridges, and the cycles that they take at least */
};

/* Why kernels of this form cannot be made: REASON_REGISTER_IN_USE; REASON_NONE where they can. */
enum reason form_unmeasurable(const struct form *f);
/*
 * Whether each instance of the form depends on the one before, whatever registers are chosen: it reads and writes the
 * same memory, or a register that cannot be chosen.
 */
bool form_depends_on_itself(const struct form *f);
/*
 * Whether each instance needs companion instructions, so that only the sum of both can be measured: what a form pushes
 * onto the x87 stack is popped again, what it pops is pushed, and the mask that a gather clears is set again.
 */
bool form_needs_companions(const struct form *f);
/* Whether kernels of this form may have varies_location. */
bool form_can_vary_location(const struct form *f);
/* Whether a direct chain can go through these two operands. */
bool form_can_chain(const struct form *f, unsigned from, unsigned to);
/*
 * Whether a direct chain rotates: the register that one instance writes and the next reads changes along the chain.
 * Then no other operand that is read and written can make the chain longer.
 */
bool form_chain_rotates(const struct form *f, unsigned from, unsigned to);
/*
 * Returns how many different bridges could close a chain from operand `to`, written, to operand `from`, read by the
 * next instance, where no direct chain can (form_can_chain); 0: none can. Such a chain takes the latency of the form
 * and of the bridge. A memory operand is reached by its address. A chain through the mask of a gather makes that mask
 * of what was loaded, and needs FORM_VALUES_MASK.
 */
unsigned form_bridge_count(const struct form *f, unsigned from, unsigned to);
/*
 * Whether a chain through these two operands can also be closed in a longer way, which makes a second experiment on the
 * same latency: through a general register where a direct chain exists; through a vector register besides the bridge
 * where the chain comes from memory.
 */
bool form_can_chain_indirectly(const struct form *f, unsigned from, unsigned to);
/* In how many variants the chain through these two operands may be lengthened; 0: it may not. */
unsigned form_lengthened_count(const struct form *f, unsigned from, unsigned to);
/* Whether at least two operands of one kind can be the same register, and the form writes one of them. */
bool form_can_use_one_register(const struct form *f);
/*
 * Whether kernels of the form can be made with these values and would differ from those with FORM_VALUES_ONE; true of
 * FORM_VALUES_ONE itself.
 */
bool form_takes_values(const struct form *f, enum form_values values);
/* Writes the data that kernels of this form use. `data` has at least 4096 bytes. */
void form_fill_data(const struct form *f, enum form_values values, uint8_t *data);
/*
 * Makes the kernel that the first part of *w describes and fills in the rest, which must begin as zeros. `data`: the
 * address, inside windows, of the data that form_fill_data has written. One unit of the kernel is one instance, or one
 * group of w->blocked; w->instances may become a little less, so that an iteration is a whole number of rotations of
 * the registers or of the locations. Returns REASON_NONE, or why there is no such kernel: REASON_NO_REGISTER_LEFT, or
 * REASON_NOT_ENCODABLE, after which the probe may be over.
 */
enum reason form_kernel_make(struct probe *p, struct form_kernel *w, uint64_t data, struct kernel *k);

#endif
