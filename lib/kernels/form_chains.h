/*
 * Which dependency chains there are through two operands of a form, and which bridges close them. For
 * lib/kernels/form_*.c only; others use lib/kernels/forms.h.
 */
#ifndef FATHOM_LIB_KERNELS_FORM_CHAINS_H
#define FATHOM_LIB_KERNELS_FORM_CHAINS_H

#include "lib/kernels/forms.h"

/* Whether the kernel is a direct chain in which the register rotates, unless w->one_register keeps it the same. */
bool form_kernel_rotates(const struct form_kernel *w);
/* Whether the kernel is a chain that a bridge closes. */
bool form_kernel_has_bridge(const struct form_kernel *w);
/*
 * Whether the chain goes from what the form loads to the address that it loads from. Such a value passes a general
 * register on its way.
 */
bool form_chain_is_loaded(const struct form *f, unsigned from, unsigned to);

/*
 * Returns bridge number n, from 0, from one kind of operand to another; NULL: there are fewer. Of bridges that exist
 * for several vector widths, the narrowest of at least `bits` bits counts, or the widest where none is so wide.
 */
const struct form_bridge *form_bridge_between(unsigned from, unsigned to, unsigned bits, unsigned n);
/*
 * Returns the bridge from operand `to`, which the form writes, to a general register, or NULL. `variant` and `bits` are
 * those of struct form_kernel.
 */
const struct form_bridge *form_bridge_out(const struct form *f, unsigned to, unsigned variant, unsigned bits);
/*
 * Returns the bridge from a general register to operand `from`, which the form reads, or NULL. `bits`: that of struct
 * form_kernel.
 */
const struct form_bridge *form_bridge_in(const struct form *f, unsigned from, unsigned bits);
/*
 * Returns the bridge that must stand before operand i of a division is read, so that the division does not trap: it
 * makes a divisor 1, and the upper half of a dividend 0, so that the quotient fits. NULL: the operand, or the ISA,
 * needs none.
 */
const struct form_bridge *form_bridge_for_division(const struct form *f, unsigned i);

#endif
