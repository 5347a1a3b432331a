/*
 * The values that registers begin with. The code loads them from REG_DATA, which must hold the address of data of
 * form_fill_data. For lib/kernels/form_*.c only; others use lib/kernels/forms.h.
 */
#ifndef FATHOM_LIB_KERNELS_FORM_VALUES_H
#define FATHOM_LIB_KERNELS_FORM_VALUES_H

#include "lib/kernels/form_registers.h"

/*
 * Gives the registers of the form's operands, in all instances, their first values. Where none can load one the code is
 * invalid.
 */
void emit_form_values(struct code *c, const struct form_kernel *w, const struct form_choice *choice);
/* Gives a general register the value 0. */
void emit_form_zero(struct code *c, unsigned number);

#endif
