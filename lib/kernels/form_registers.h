/* Which registers the instances of a kernel get. For lib/kernels/form_*.c only; others use lib/kernels/forms.h. */
#ifndef FATHOM_LIB_KERNELS_FORM_REGISTERS_H
#define FATHOM_LIB_KERNELS_FORM_REGISTERS_H

#include "lib/kernels/form_operands.h"
#include "lib/kernels/forms.h"

/* Registers are the numbers that encodings have. */
struct form_choice {
    uint8_t constant[FORM_OPERANDS];                      /* of operands that have one register in all instances */
    uint8_t rotating[FORM_OPERANDS][REGISTERS_OF_A_KIND]; /* of the others: instance n has element n modulo the count */
    unsigned rotating_count[FORM_OPERANDS];               /* 0: the operand has one register */
    bool used[OPERAND_KINDS][REGISTERS_OF_A_KIND];
    uint8_t hub;     /* of a chain with a bridge: general register that its value passes */
    uint8_t scratch; /* likewise: general register whose value does not matter */
    uint8_t vector;  /* vector register that an indirect chain from memory passes */
    uint8_t mask;    /* all ones: masks that the form clears are set again from it */
    struct blocker_registers blockers;
};

/* Chooses the registers of a kernel. False where too few are left: *c means nothing then. */
bool form_choose_registers(const struct form_kernel *w, struct form_choice *c);
/* The register of an operand that does not rotate. */
uint8_t form_register_of(const struct form *f, const struct form_choice *c, unsigned i);

#endif
