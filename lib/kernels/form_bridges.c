#include "lib/kernels/form_bridges.h"

#include <string.h>

#include "lib/kernels/form_chains.h"

enum { NAME_BYTES = 32 /* of a form in a bridge, at most */ };

/*
 * Emits the form that `name` begins with, up to a semicolon; `roles` says which registers it gets (struct form_bridge).
 */
static void emit_bridge_form(struct code *code, const struct form_choice *c, const char *name, const char *roles,
                             unsigned to, unsigned from)
{
    char first[NAME_BYTES] = "";
    uint8_t registers[FORM_OPERANDS];
    const size_t length = strcspn(name, ";");

    memcpy(first, name, length < NAME_BYTES ? length : NAME_BYTES - 1);
    const struct form *f = form_find(first);
    if (!f) {
        code->invalid = true;
        return;
    }
    for (unsigned i = 0; roles[i] && roles[i] != ';'; i++)
        registers[i] = (uint8_t)(roles[i] == 'd'   ? to
                                 : roles[i] == 's' ? from
                                 : roles[i] == 'x' ? c->scratch
                                                   : (unsigned)roles[i] - '0');
    emit_form(code, f, registers);
}

void emit_form_bridge(struct code *code, struct form_kernel *w, const struct form_choice *c,
                      const struct form_bridge *b, unsigned to, unsigned from)
{
    if (!b || w->bridge_count == FORM_BRIDGES) {
        code->invalid = true;
        return;
    }
    const char *second = strchr(b->name, ';'), *roles = strchr(b->roles, ';');
    emit_bridge_form(code, c, b->name, b->roles, to, from);
    if (second && roles) /* "; " */
        emit_bridge_form(code, c, second + 2, roles + 2, to, from);
    w->bridges[w->bridge_count++] = b;
    w->bridge_cycles += b->least;
}

/*
 * A pushed value that the next instance reads, in a chain or because the form depends on itself, is popped into the
 * register below, the old top; any other is dropped.
 */
void emit_form_companions(struct code *code, struct form_kernel *w, const struct form_choice *c)
{
    const struct form *f = w->form;
    bool is_read_again = f->stack > 0 && form_uses_x87(f) && form_depends_on_itself(f);

    if (w->from != FORM_NO_CHAIN)
        is_read_again = !form_kernel_has_bridge(w) && form_operand(f, w->from)->kind == OPERAND_X87;
    for (int i = 0; i < f->stack; i++)
        emit_form_bridge(code, w, c, &form_stack_pop, is_read_again, 0);
    for (int i = 0; i > f->stack; i--)
        emit_form_bridge(code, w, c, &form_stack_push, 0, (unsigned)(X87_REGISTERS - 1 + f->stack - i));
}

void emit_form_lengthening(struct code *code, const struct form_kernel *w, const struct form_choice *c, unsigned number)
{
    for (unsigned i = 0; i < 2 * w->lengthened; i++)
        emit_bridge_form(code, c, form_address_bridge.name, form_address_bridge.roles, number, form_register(REG_DATA));
}

/*
 * The value goes from the register that was written to a general register, the hub, and from there to the one that is
 * read. Where either is a general register itself, it is the hub.
 */
void emit_form_bridges(struct code *code, struct form_kernel *w, const struct form_choice *c)
{
    const struct form_operand *d = form_operand(w->form, w->to), *s = form_operand(w->form, w->from);
    const unsigned bits = w->bits ? w->bits : form_widest_vector(w->form);
    const struct form_bridge *out = form_bridge_out(w->form, w->to, w->variant, bits),
                             *in = form_bridge_in(w->form, w->from, bits);
    const unsigned written = form_register_of(w->form, c, w->to);
    const unsigned read = s->is_cleared ? c->mask : form_register_of(w->form, c, w->from);
    const unsigned hub = operand_is_general(d) ? written : operand_is_general(s) ? read : c->hub;
    const bool companions_first = d->kind == OPERAND_X87 && !operand_is_pushed(w->form, d) && w->form->stack > 0;

    if (s->is_cleared && s->kind == d->kind) /* the copy that sets the mask again is the bridge */
        return;
    if (companions_first) /* what was written is the top only when what was pushed is popped */
        emit_form_companions(code, w, c);
    if (!operand_is_general(d) || operand_is_general(s))
        emit_form_bridge(code, w, c, out, operand_is_general(s) ? read : hub, written);
    if (!companions_first)
        emit_form_companions(code, w, c);
    emit_form_lengthening(code, w, c, hub);
    if (w->indirect && form_chain_is_loaded(w->form, w->from, w->to)) {
        emit_form_bridge(code, w, c, form_bridge_between(OPERAND_GENERAL, OPERAND_VECTOR, bits, 0), c->vector, hub);
        emit_form_bridge(code, w, c, form_bridge_between(OPERAND_VECTOR, OPERAND_GENERAL, bits, 0), hub, c->vector);
    }
    if (operand_is_general(s) && form_bridge_for_division(w->form, w->from))
        emit_form_bridge(code, w, c, form_bridge_for_division(w->form, w->from), read, read);
    if (!operand_is_general(s))
        emit_form_bridge(code, w, c, in, operand_is_addressed(s) ? form_register(REG_DATA) : read, hub);
    if (operand_is_addressed(s)) /* a second time, which restores the address */
        emit_form_bridge(code, w, c, in, form_register(REG_DATA), hub);
}
