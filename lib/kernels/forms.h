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

/* Of a kernel that is no chain. */
enum { FORM_NO_CHAIN = FORM_OPERANDS };

struct form_kernel {
    const struct form *form;
    unsigned from, to; /* operands that a chain goes through; FORM_NO_CHAIN: instances are independent where possible */
    unsigned instances; /* an iteration */
    /* made by form_kernel */
    size_t first, behind;      /* offsets of the instances in the code */
    uint8_t bytes[FORM_BYTES]; /* of the first of them, and what follows */
};

/* Why this form cannot be measured yet; NULL where it can. */
const char *form_unmeasured(const struct form *f);
/*
 * Whether its instances depend on each other whatever registers are chosen: an operand that it reads and writes has no
 * choice of register.
 */
bool form_is_chained(const struct form *f);
/* Whether a chain can go from one operand to another: what one writes is what the other reads. */
bool form_can_chain(const struct form *f, unsigned from, unsigned to);
/*
 * Whether what one writes and the next reads is in a register that changes from one to the next: then nothing else
 * that the form reads and writes makes the chain longer.
 */
bool form_chain_turns(const struct form *f, unsigned from, unsigned to);
/* Fills the data that kernels of this form use. `data` has at least a page. */
void form_prepare(const struct form *f, uint8_t *data);
/* NULL, or why there is no such kernel; the probe may be over then. */
const char *form_kernel(struct probe *p, struct form_kernel *w, uint64_t data, struct kernel *k);

#endif
