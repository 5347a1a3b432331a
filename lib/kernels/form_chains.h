/*
 * Which dependency chains there are through two operands of a form, and which bridges close them. For
 * lib/kernels/form_*.c only; others use lib/kernels/forms.h.
 */
#ifndef FATHOM_LIB_KERNELS_FORM_CHAINS_H
#define FATHOM_LIB_KERNELS_FORM_CHAINS_H

#include "lib/kernels/forms.h"

/* Whether the kernel is a direct chain in which the register rotates. */
bool form_kernel_rotates(const struct form_kernel *w);
/* Whether the kernel is a chain that a bridge closes. */
bool form_kernel_has_bridge(const struct form_kernel *w);
/*
 * Whether the chain goes from what the form loads to the address that it loads from. Such a value passes a general
 * register on its way.
 */
bool form_chain_is_loaded(const struct form *f, unsigned from, unsigned to);

/*
 * The bridge from one kind of operand to another, by number n from 0; NULL: there are fewer. Of bridges for vectors of
 * certain widths it is the narrowest that has so many bits, else the widest.
 */
const struct form_bridge *form_bridge_between(unsigned from, unsigned to, unsigned bits, unsigned n);
/* The bridge from the operand that is written to a general register; `variant` is one of struct form_kernel. */
const struct form_bridge *form_bridge_out(const struct form *f, unsigned to, unsigned variant, unsigned bits);
/* The bridge from a general register to the operand that is read. */
const struct form_bridge *form_bridge_in(const struct form *f, unsigned from, unsigned bits);
/*
 * What must change the value in an operand of a division before it is read, so that the division does not trap: a
 * divisor becomes 1, the upper half of a dividend 0, so that the quotient fits. NULL: nothing.
 */
const struct form_bridge *form_bridge_for_division(const struct form *f, unsigned i);

#endif
