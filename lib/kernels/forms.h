/*
 * Kernels of one form of the catalogue, over and over: independent of each other, or as a chain from one of its
 * operands to another.
 *
 * All registers begin with 1, in the operand's type, and so does memory: additions, products and quotients of it stay
 * harmless however often they are repeated. What is only read keeps that value.
 */
#ifndef FATHOM_LIB_KERNELS_FORMS_H
#define FATHOM_LIB_KERNELS_FORMS_H

#include "arch/catalogue.h"
#include "lib/probe.h"

/* Of a kernel that is no chain; turns of one that does not say; forms that a bridge has at most. */
enum { FORM_NO_CHAIN = FORM_OPERANDS, FORM_TURNS = 2, FORM_BRIDGES = 8, FORM_PERIOD = 64 };

/* What operands hold where the form's cost may depend on it. */
enum form_values {
    FORM_VALUES_ONE,      /* as said above */
    FORM_VALUES_ZERO,     /* integers: 0, also as a count of bits to shift by */
    FORM_VALUES_LONG,     /* a quotient of many digits: a large dividend; floating point whose mantissas are full */
    FORM_VALUES_DENORMAL, /* floating point too small for a normal number */
    FORM_VALUES,
    FORM_VALUES_MASK = FORM_VALUES /* of a chain through the mask of a gather: what is loaded is that mask, all ones */
};
extern const char *const form_values_names[FORM_VALUES];

struct form_kernel {
    const struct form *form;
    unsigned from, to; /* operands that a chain goes through; FORM_NO_CHAIN: instances are independent where possible */
    unsigned instances; /* an iteration */
    /* Registers that a chain which turns goes through; 0: FORM_TURNS. What else it writes and reads depends only on the
     * instance so many before. More than two make some cores' schedulers lose a cycle now and then. */
    unsigned turns;
    unsigned variant; /* of a chain that needs a bridge: which of them */
    unsigned bits;    /* of the widest vector that bridges are for; 0: the form's */
    bool detour;      /* of a chain that needs none: one, all the same; of one from memory: through a vector, besides */
    bool same;        /* all operands of a kind that have a choice have the same register */
    enum form_values values;
    /* Each instance has its memory operand elsewhere: an addition more, but some cores load one place less often a cycle
     * than several. Likewise the top of the stack of x87, for forms that push and pop nothing, is another register each
     * time, so that they do not wait for each other. Only of what is no chain. */
    bool moves;
    /*
     * Another kind of kernel of independent instances: so many NOPs between two of them, on average, and fewer registers
     * that turn, in another order. Neither the code's layout nor a dependence through registers is as long as before.
     */
    double nops;
    /* made by form_kernel */
    size_t first, behind; /* offsets of the instances in the code */
    size_t at;            /* of the first one's form itself, behind what sets its mask again */
    unsigned period;      /* bytes after which registers repeat, as far as they are kept … */
    uint8_t bytes[FORM_PERIOD];
    const struct form_bridge *bridges[FORM_BRIDGES]; /* between two instances, and what each needs beside it */
    unsigned bridge_count, bridge_cycles;            /* how many, and what they take at least */
};

/* Why this form cannot be measured yet; NULL where it can. */
const char *form_unmeasured(const struct form *f);
/*
 * Whether its instances depend on each other whatever registers are chosen: an operand that it reads and writes has no
 * choice of register.
 */
bool form_is_chained(const struct form *f);
/*
 * Whether an instance needs other instructions beside it, so that what is measured is a sum: what pushes onto the stack of
 * x87 has to be popped, and the other way round; the mask of a gather is spent and has to be set again.
 */
bool form_is_sum(const struct form *f);
/* Whether instances can be elsewhere each time: in memory, or on the stack of x87. */
bool form_can_move(const struct form *f);
/* Whether a chain can go from one operand to another: what one writes is what the other reads. */
bool form_can_chain(const struct form *f, unsigned from, unsigned to);
/*
 * Whether what one writes and the next reads is in a register that changes from one to the next: then nothing else
 * that the form reads and writes makes the chain longer.
 */
bool form_chain_turns(const struct form *f, unsigned from, unsigned to);
/*
 * How many bridges there are from what one operand writes to what another reads, of another kind or in another
 * register; 0: none. What is measured then is a sum, of both. An operand in memory is read by its address. The mask of a
 * gather, which it spends, is made of what the one before loaded: those chains have values of their own.
 */
unsigned form_bridge_count(const struct form *f, unsigned from, unsigned to);
/*
 * Whether a chain that needs no bridge can take one all the same, through a general register and back; or one that goes
 * from memory to a register go on through a vector and back.
 */
bool form_can_detour(const struct form *f, unsigned from, unsigned to);
/* Whether at least two operands of a kind could be the same register, and the form writes one of them. */
bool form_can_be_same(const struct form *f);
/* Whether the form's cost might depend on its operands having such values. */
bool form_takes_values(const struct form *f, enum form_values values);
/* Fills the data that kernels of this form use. `data` has at least a page. */
void form_prepare(const struct form *f, enum form_values values, uint8_t *data);
/* NULL, or why there is no such kernel; the probe may be over then. */
const char *form_kernel(struct probe *p, struct form_kernel *w, uint64_t data, struct kernel *k);

#endif
