/* Emits what stands between two instances of a form. For lib/kernels/form_*.c only; others use lib/kernels/forms.h. */
#ifndef FATHOM_LIB_KERNELS_FORM_BRIDGES_H
#define FATHOM_LIB_KERNELS_FORM_BRIDGES_H

#include "lib/kernels/form_registers.h"

/*
 * Emits bridge b from register number `from` to register number `to`, and adds it to w->bridges and its least cycles to
 * w->bridge_cycles. The bridge may overwrite c->scratch. Where b is NULL, the list is full or the ISA lacks a form that
 * b names, the code becomes invalid (code_good is false).
 */
void emit_form_bridge(struct code *code, struct form_kernel *w, const struct form_choice *c,
                      const struct form_bridge *b, unsigned to, unsigned from);
/*
 * Emits the companion instructions of the x87 stack, each by emit_form_bridge: what the instance pushed is popped, what
 * it popped is pushed.
 */
void emit_form_companions(struct code *code, struct form_kernel *w, const struct form_choice *c);
/*
 * Emits all that passes a value from an instance to the next one of a chain with a bridge, companions included; but
 * where a mask is a copy of the register that was loaded the next instance itself begins with that copy, and this emits
 * nothing.
 */
void emit_form_bridges(struct code *code, struct form_kernel *w, const struct form_choice *c);

/* What lengthens a chain (struct form_kernel), whose value is in that general register. */
void emit_form_lengthening(struct code *code, const struct form_kernel *w, const struct form_choice *c,
                           unsigned number);

#endif
