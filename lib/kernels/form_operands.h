/*
 * What kernels of forms need to know of a form's operands. For lib/kernels/form_*.c only; others use
 * lib/kernels/forms.h.
 */
#ifndef FATHOM_LIB_KERNELS_FORM_OPERANDS_H
#define FATHOM_LIB_KERNELS_FORM_OPERANDS_H

#include <stdbool.h>

#include "arch/catalogue.h"

enum {
    X87_REGISTERS = 8,
    REGISTERS_OF_A_KIND = 32 /* numbers that encodings have, at most */
};

/* Whether the operand is a register; flags count as one. */
bool operand_is_register(const struct form_operand *o);
/*
 * Whether kernels of a form can have this operand: its register is not one that the loop itself needs. True of memory,
 * immediates and flags.
 */
bool operand_is_usable(const struct form_operand *o);
/* Whether the operand is always the register that holds the address of the data, and is only read. */
bool operand_is_data_address(const struct form_operand *o);
/* Whether a chain reaches the operand by an address: memory, or the register that holds the address. */
bool operand_is_addressed(const struct form_operand *o);
/* Whether the operand is a general register, but not the one that only gives the address of the data. */
bool operand_is_general(const struct form_operand *o);
/* Whether the operand, memory or a vector or x87 register, holds floating point numbers. */
bool operand_is_floating(const struct form_operand *o);
/* Whether the operand is a result that the form pushes onto the x87 stack: it is the top of the stack afterwards. */
bool operand_is_pushed(const struct form *f, const struct form_operand *o);
/* Whether the operand is the upper half of a dividend; the lower half is in the first general register. */
bool operand_is_upper_dividend(const struct form *f, const struct form_operand *o);

/* Whether the form is a gather or a scatter: a vector register holds addresses. */
bool form_has_vector_addresses(const struct form *f);
/* Whether an operand is on the x87 stack. */
bool form_uses_x87(const struct form *f);
/*
 * Whether the form changes the top of the x87 stack in place, and has no integer on the stack, so that another register
 * can be the top each time.
 */
bool form_can_rotate_x87(const struct form *f);
/* Bits of the widest vector operand; 0: there is none. */
unsigned form_widest_vector(const struct form *f);

#endif
