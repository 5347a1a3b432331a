#include "lib/kernels/form_chains.h"

#include "lib/kernels/form_operands.h"

/* ---- Bridges -------------------------------------------------------------------------------------- */

const struct form_bridge *form_bridge_between(unsigned from, unsigned to, unsigned bits, unsigned n)
{
    const struct form_bridge *best = NULL;

    for (const struct form_bridge *b = form_bridges; b->name; b++) {
        if (b->from != from || b->to != to)
            continue;
        if (!b->bits && n-- == 0)
            return b;
        if (b->bits && n == 0 && (!best || best->bits < bits))
            best = b;
    }
    return best;
}

const struct form_bridge *form_bridge_out(const struct form *f, unsigned to, unsigned variant, unsigned bits)
{
    const struct form_operand *o = form_operand(f, to);

    /* loads no more than was stored, so that the store can forward it */
    return form_bridge_between(o->kind, OPERAND_GENERAL, o->kind == OPERAND_MEMORY ? o->bits : bits, variant);
}

const struct form_bridge *form_bridge_in(const struct form *f, unsigned from, unsigned bits)
{
    const struct form_operand *o = form_operand(f, from);

    return operand_is_addressed(o) ? &form_address_bridge : form_bridge_between(OPERAND_GENERAL, o->kind, bits, 0);
}

const struct form_bridge *form_bridge_for_division(const struct form *f, unsigned i)
{
    const struct form_operand *o = form_operand(f, i);

    if (f->class != FORM_DIVIDES || o->kind != OPERAND_GENERAL)
        return NULL;
    if (operand_is_upper_dividend(f, o))
        return form_to_zero.name ? &form_to_zero : NULL;
    return form_to_one.name && !o->is_implicit ? &form_to_one : NULL;
}

/* ---- Direct chains -------------------------------------------------------------------------------- */

/*
 * Whether the value is still in place when the next instance begins, after the companion instructions. Of a form that
 * pushes onto the x87 stack, what it pushed replaces the old top. Of one that pops, it is what was written in place. A
 * mask that the form clears is always set again.
 */
static bool survives_companions(const struct form *f, unsigned from, unsigned to)
{
    if (form_operand(f, from)->is_cleared || form_operand(f, to)->is_cleared)
        return false;
    if (!f->stack || form_operand(f, from)->kind != OPERAND_X87)
        return true;
    return f->stack < 0 ? from == to : operand_is_pushed(f, form_operand(f, to));
}

bool form_can_chain(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);

    if (!survives_companions(f, from, to) ||
        (from != to && s->kind == OPERAND_GENERAL && form_bridge_for_division(f, from)))
        return false;
    if (!operand_is_register(s) || !operand_is_usable(s) || !operand_is_usable(d) || s->kind != d->kind ||
        !(s->access & OPERAND_READ) || !(d->access & OPERAND_WRITE))
        return false;
    if (from == to || operand_is_pushed(f, d))
        return true;
    if (!form_has_field(s) && !form_has_field(d))
        return s->fixed == d->fixed;
    return (form_has_field(s) || form_fits(d, s->fixed)) && (form_has_field(d) || form_fits(s, d->fixed));
}

bool form_chain_rotates(const struct form *f, unsigned from, unsigned to)
{
    return from != to && form_has_field(form_operand(f, from)) && form_has_field(form_operand(f, to));
}

/* ---- Chains through bridges ----------------------------------------------------------------------- */

/*
 * Bridges to and from the x87 stack reach only its top. Whether the operand can be there: `after` the instance for what
 * it writes, before it for what it reads.
 */
static bool can_be_top(const struct form *f, unsigned i, bool after)
{
    const struct form_operand *o = form_operand(f, i);
    const int top = after && f->stack < 0 ? -f->stack : 0;

    return o->kind != OPERAND_X87 || form_has_field(o) || operand_is_pushed(f, o) || o->fixed == top;
}

/* Whether `from` is the mask of a gather and `to` what it loads: a copy of that is the mask of the next one. */
static bool is_mask_from_load(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);

    return s->is_cleared && !d->is_cleared && d->kind == OPERAND_VECTOR && d->access & OPERAND_WRITE;
}

unsigned form_bridge_count(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);
    const unsigned bits = form_widest_vector(f);
    unsigned n = 0;

    if (form_can_chain(f, from, to) || !(d->access & OPERAND_WRITE) || d->kind == OPERAND_IMMEDIATE ||
        s->kind == OPERAND_IMMEDIATE ||
        (!operand_is_addressed(s) && (!(s->access & OPERAND_READ) || !operand_is_usable(s))) || !operand_is_usable(d) ||
        !form_bridge_in(f, from, bits) || (s->is_cleared && !is_mask_from_load(f, from, to)) || d->is_cleared ||
        !can_be_top(f, from, false) || !can_be_top(f, to, true))
        return 0;
    if (s->is_cleared && s->kind == d->kind)
        return 1;
    if (operand_is_general(d) && operand_is_addressed(s))
        return 1;
    while (form_bridge_out(f, to, n, bits) && (n == 0 || !form_bridge_out(f, to, n, bits)->bits))
        n++;
    return n;
}

bool form_chain_is_loaded(const struct form *f, unsigned from, unsigned to)
{
    const unsigned kind = form_operand(f, to)->kind;

    return form_operand(f, from)->kind == OPERAND_MEMORY && (kind == OPERAND_GENERAL || kind == OPERAND_VECTOR) &&
           form_bridge_count(f, from, to) > 0;
}

bool form_can_chain_indirectly(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from);
    const unsigned bits = form_widest_vector(f);

    if (form_chain_is_loaded(f, from, to))
        return true;
    return form_can_chain(f, from, to) && s->kind != OPERAND_GENERAL && s->kind != OPERAND_FLAGS &&
           s->kind != OPERAND_X87 && form_bridge_in(f, from, bits) && form_bridge_out(f, to, 0, bits);
}

unsigned form_lengthened_count(const struct form *f, unsigned from, unsigned to)
{
    const struct form_operand *s = form_operand(f, from), *d = form_operand(f, to);
    const bool general = s->kind == OPERAND_GENERAL, flags = s->kind == OPERAND_FLAGS;

    if ((!general && !flags) || (d->kind != OPERAND_GENERAL && d->kind != OPERAND_FLAGS) || operand_is_addressed(s) ||
        f->class == FORM_DIVIDES || form_needs_companions(f))
        return 0;
    if (!form_can_chain(f, from, to))
        return form_bridge_count(f, from, to);
    unsigned ways = general;
    while (flags && form_bridge_out(f, to, ways, 0))
        ways++;
    return ways;
}

/* ---- Of a kernel ---------------------------------------------------------------------------------- */

bool form_kernel_rotates(const struct form_kernel *w)
{
    return w->from != FORM_NO_CHAIN && !w->indirect && form_can_chain(w->form, w->from, w->to) &&
           form_chain_rotates(w->form, w->from, w->to);
}

bool form_kernel_has_bridge(const struct form_kernel *w)
{
    const bool by_general = w->lengthened && form_operand(w->form, w->from)->kind == OPERAND_FLAGS;

    return w->from != FORM_NO_CHAIN && (w->indirect || by_general || !form_can_chain(w->form, w->from, w->to));
}
