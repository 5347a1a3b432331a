/* The values that registers begin with. For lib/kernels/form_*.c only; others use lib/kernels/forms.h. */
#ifndef FATHOM_LIB_KERNELS_FORM_VALUES_H
#define FATHOM_LIB_KERNELS_FORM_VALUES_H

#include "lib/kernels/form_registers.h"

/* Gives all registers that instances of the kernel use their first values. */
void emit_form_values(struct code *c, const struct form_kernel *w, const struct form_choice *choice);
/* Gives a general register the value 0. */
void emit_form_zero(struct code *c, unsigned number);

#endif
