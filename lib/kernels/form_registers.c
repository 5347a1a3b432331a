#include "lib/kernels/form_registers.h"

#include <string.h>

#include "lib/kernels/form_chains.h"

/*
 * In kernels with NOPs one in so many of the rotating registers is left out, so that a register is used again after
 * fewer instances. Chosen: large enough to keep most registers.
 */
enum { LEAVE_OUT_ONE_IN = 4 };

/* Whether the register and the `more` ones after it exist and are free. */
static bool is_free(const struct form_choice *c, unsigned kind, const uint8_t *r, unsigned more)
{
    for (unsigned i = 0; i <= more; i++)
        if (r[i] != *r + i || c->used[kind][r[i]])
            return false;
    return true;
}

/* Takes the first free register that the operand can name; FIELD_NONE: there is none. */
static uint8_t take_register(struct form_choice *c, const struct form_operand *o)
{
    for (const uint8_t *r = form_registers[o->kind]; *r != FIELD_NONE; r++)
        if (form_fits(o, *r) && is_free(c, o->kind, r, o->more)) {
            memset(&c->used[o->kind][*r], true, o->more + 1u);
            return *r;
        }
    return FIELD_NONE;
}

/* Marks the registers of operands that have no choice as used, those of one kind or, for OPERAND_KINDS, of all. */
static void mark_fixed(const struct form *f, struct form_choice *c, unsigned kind)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if ((o->kind == kind || kind == OPERAND_KINDS) && operand_is_register(o) && !form_has_field(o) &&
            o->fixed < REGISTERS_OF_A_KIND)
            c->used[o->kind][o->fixed] = true;
    }
}

/*
 * Deals out all registers that are left to the operands that rotate, one at a time. False where an operand gets none.
 */
static bool deal_out(const struct form *f, struct form_choice *c, const bool *rotates)
{
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < f->operand_count; i++) {
            const uint8_t r = rotates[i] ? take_register(c, form_operand(f, i)) : FIELD_NONE;
            if (r == FIELD_NONE)
                continue;
            c->rotating[i][c->rotating_count[i]++] = r;
            more = true;
        }
    }
    for (unsigned i = 0; i < f->operand_count; i++)
        if (rotates[i] && !c->rotating_count[i])
            return false;
    return true;
}

/*
 * Leaves a rotating chain as many registers as were chosen, and at most one for each instance. Only those that both of
 * its operands can name: one may have fewer bits for the number.
 */
static void limit_chain(const struct form_kernel *w, struct form_choice *c)
{
    const unsigned wanted = w->rotating ? w->rotating : FORM_ROTATING;
    unsigned count = 0;

    for (unsigned i = 0; i < c->rotating_count[w->to] && count < wanted && count < w->instances; i++)
        if (form_fits(form_operand(w->form, w->from), c->rotating[w->to][i]))
            c->rotating[w->to][count++] = c->rotating[w->to][i];
    c->rotating_count[w->to] = count;
}

/* ---- One register for all operands ---------------------------------------------------------------- */

/* The kind of which all operands can be the same register; OPERAND_KINDS: there is none. */
static unsigned kind_for_one_register(const struct form *f)
{
    if (form_has_vector_addresses(f)) /* equal registers are undefined there: SDM vol. 2C, VGATHERDPD and others */
        return OPERAND_KINDS;
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        unsigned fields = 0;
        bool written = false;
        for (unsigned i = 0; i < f->operand_count; i++) {
            const struct form_operand *o = form_operand(f, i);
            if (o->kind == kind && operand_is_register(o) && form_has_field(o)) {
                fields++;
                written |= (o->access & OPERAND_WRITE) != 0;
            }
        }
        if (fields > 1 && written)
            return kind;
    }
    return OPERAND_KINDS;
}

bool form_can_use_one_register(const struct form *f)
{
    return kind_for_one_register(f) != OPERAND_KINDS;
}

static bool fits_all(const struct form *f, unsigned kind, unsigned number)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == kind && form_has_field(form_operand(f, i)) &&
            !form_fits(form_operand(f, i), number))
            return false;
    return true;
}

/* Gives all operands of the kind one register: the same in a whole chain, different ones in independent instances. */
static bool choose_one_register(const struct form_kernel *w, struct form_choice *c)
{
    const unsigned kind = kind_for_one_register(w->form);
    uint8_t numbers[REGISTERS_OF_A_KIND];
    unsigned count = 0;

    for (unsigned i = 0; i < w->form->operand_count; i++)
        if (form_operand(w->form, i)->kind == kind) { /* frees the registers that the operand was given */
            c->rotating_count[i] = 0;
            memset(c->used[kind], false, sizeof c->used[kind]);
        }
    mark_fixed(w->form, c, kind);
    for (const uint8_t *r = form_registers[kind]; *r != FIELD_NONE; r++)
        if (!c->used[kind][*r] && fits_all(w->form, kind, *r) && (count == 0 || w->from == FORM_NO_CHAIN))
            numbers[count++] = *r;
    for (unsigned i = 0; i < w->form->operand_count; i++)
        if (form_operand(w->form, i)->kind == kind && form_has_field(form_operand(w->form, i))) {
            memcpy(c->rotating[i], numbers, sizeof numbers);
            c->rotating_count[i] = count;
        }
    return count > 0;
}

/* ---- The choice ----------------------------------------------------------------------------------- */

/* Leaves out some rotating registers and reverses the order of the others. */
static void choose_fewer(struct form_choice *c)
{
    for (unsigned i = 0; i < FORM_OPERANDS; i++) {
        uint8_t all[REGISTERS_OF_A_KIND];
        const unsigned count = c->rotating_count[i];
        memcpy(all, c->rotating[i], sizeof all);
        c->rotating_count[i] = count - count / LEAVE_OUT_ONE_IN;
        for (unsigned k = 0; k < c->rotating_count[i]; k++)
            c->rotating[i][k] = all[count - 1 - k];
    }
}

/*
 * The one register of operand i: at an end of a chain it is where the value is passed, elsewhere any that is free.
 * FIELD_NONE: none is left.
 */
static uint8_t choose_constant(const struct form_kernel *w, struct form_choice *c, unsigned i)
{
    const struct form *f = w->form;
    const struct form_operand *o = form_operand(f, i);
    const bool bridged = form_kernel_has_bridge(w);
    const bool in_chain = w->from != FORM_NO_CHAIN && (i == w->from || i == w->to);
    const unsigned other = i == w->from ? w->to : w->from;

    if (in_chain && o->kind == OPERAND_X87 && (bridged || f->stack > 0)) /* the top, before the instance or after it */
        return (uint8_t)(i == w->from || f->stack > 0 ? 0 : -f->stack);
    if (in_chain && other != i && !bridged) /* the other end has no choice */
        return form_operand(f, other)->fixed;
    return take_register(c, o);
}

static bool take_for_bridges(const struct form_kernel *w, struct form_choice *c)
{
    struct form_operand any = {.kind = OPERAND_GENERAL};

    c->hub = take_register(c, &any);
    c->scratch = take_register(c, &any);
    if (c->hub == FIELD_NONE || c->scratch == FIELD_NONE)
        return false;
    any.kind = OPERAND_VECTOR;
    return !w->indirect || !form_chain_is_loaded(w->form, w->from, w->to) ||
           (c->vector = take_register(c, &any)) != FIELD_NONE;
}

bool form_choose_registers(const struct form_kernel *w, struct form_choice *c)
{
    const struct form *f = w->form;
    const bool chain = w->from != FORM_NO_CHAIN, follow = form_kernel_rotates(w) && !w->one_register;
    bool rotates[FORM_OPERANDS] = {false};

    memset(c, 0, sizeof *c);
    c->used[OPERAND_X87][X87_REGISTERS - 1] = f->stack < 0; /* copies of it are pushed again for what is popped */
    mark_fixed(f, c, OPERAND_KINDS);
    if (w->blocked && !blockers_take_registers(&c->blockers, w->blocked, c->used))
        return false;
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_cleared && (c->mask = take_register(c, form_operand(f, i))) == FIELD_NONE)
            return false;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (!operand_is_register(o) || !form_has_field(o) || (follow && i == w->from))
            continue;
        rotates[i] = (o->access & OPERAND_WRITE) && (follow || !chain || (i != w->from && i != w->to));
        if (!rotates[i] && (c->constant[i] = choose_constant(w, c, i)) == FIELD_NONE)
            return false;
    }
    if (form_kernel_has_bridge(w) && !take_for_bridges(w, c))
        return false;
    if (!deal_out(f, c, rotates))
        return false;
    for (unsigned i = 0; i < f->operand_count && w->kept_bits; i++)
        c->rotating_count[i] = c->rotating_count[i] > 0;
    if (w->one_register)
        return choose_one_register(w, c);
    if (w->nops > 0)
        choose_fewer(c);
    if (follow)
        limit_chain(w, c);
    return !follow || c->rotating_count[w->to] > 1;
}

uint8_t form_register_of(const struct form *f, const struct form_choice *c, unsigned i)
{
    const struct form_operand *o = form_operand(f, i);

    return form_has_field(o) ? c->constant[i] : o->fixed;
}
