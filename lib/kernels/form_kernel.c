#include <string.h>

#include "lib/base/reason.h"
#include "lib/kernels/form_bridges.h"
#include "lib/kernels/form_chains.h"
#include "lib/kernels/form_operands.h"
#include "lib/kernels/form_registers.h"
#include "lib/kernels/form_values.h"
#include "lib/kernels/forms.h"
#include "lib/probe/probe.h"

enum {
    SETUP_BYTES = 4096, /* room for the code that gives registers their values */
    LINE_BYTES = 64,    /* instances begin at a multiple of this */
    LOCATIONS = 8,      /* of a memory operand that varies: eight of 64 bytes are as far as data goes (form_values.c) */
    WARM_ITERATIONS = 20
};

static void emit_instance(struct code *code, struct form_kernel *w, const struct form_choice *c, unsigned n)
{
    const bool follow = form_kernel_rotates(w) && !w->one_register;
    uint8_t registers[FORM_OPERANDS];
    unsigned count = 0;

    for (unsigned i = 0; i < w->form->operand_count; i++) {
        const struct form_operand *o = form_operand(w->form, i);
        if (!form_has_field(o))
            continue;
        if (follow && i == w->from) /* what the instance before wrote */
            registers[count++] = c->rotating[w->to][(n + c->rotating_count[w->to] - 1) % c->rotating_count[w->to]];
        else if (c->rotating_count[i])
            registers[count++] = c->rotating[i][n % c->rotating_count[i]];
        else
            registers[count++] = c->constant[i];
        if (o->is_cleared) {
            /* sets the mask again: from what was loaded, where the chain goes from there to the mask; else from ones */
            const bool chained = i == w->from && form_operand(w->form, w->to)->kind == o->kind;
            emit_form_bridge(code, w, c, form_bridge_between(o->kind, o->kind, 0, 0), registers[count - 1],
                             chained ? c->constant[w->to] : c->mask);
        }
    }
    if (n == 0)
        w->form_at = code->used;
    if (form_is_branch(w->form) && w->varies_location)
        emit_form_over(code, w->form, registers, LINE_BYTES);
    else
        emit_form(code, w->form, registers);
}

/*
 * Moves the address of the memory operand on to the next location, after the last one back to the first; likewise the
 * top of the x87 stack, where all values are 1, so that it does not matter which register becomes the top.
 */
static void emit_next_location(struct code *c, const struct form_kernel *w, unsigned n)
{
    const struct form *f = w->form;
    unsigned bytes = 8;
    bool memory = false;

    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MEMORY)
            for (memory = true; form_operand(f, i)->bits > 8 * bytes;)
                bytes *= 2;
    if (memory)
        emit_add_constant(c, REG_DATA, (n + 1) % LOCATIONS ? (int32_t)bytes : -(int32_t)((LOCATIONS - 1) * bytes));
    if (form_can_rotate_x87(f) && w->values == FORM_VALUES_ONE)
        emit_form_rotate_stack(c);
}

/* Bytes that the kernel takes at most. */
static size_t room_for(const struct form_kernel *w)
{
    const unsigned forms_each = form_kernel_has_bridge(w) ? 1 + 2 * FORM_BRIDGES : 4;
    const size_t each = form_is_branch(w->form) ? FORM_BYTES + LINE_BYTES
                                                : (size_t)FORM_BYTES * (forms_each + 2 * w->lengthened);

    return SETUP_BYTES + (w->instances + (w->blocked ? w->blocked->count : 0)) * each +
           (size_t)(w->instances * w->nops + 1) * emit_nop_lengths[0];
}

/* One instance with all that belongs to it. */
static void emit_one(struct code *c, struct form_kernel *w, const struct form_choice *choice, unsigned n)
{
    w->bridge_count = w->bridge_cycles = 0;
    emit_instance(c, w, choice, n);
    if (form_kernel_has_bridge(w))
        emit_form_bridges(c, w, choice);
    else
        emit_form_companions(c, w, choice);
    if (w->lengthened && !form_kernel_has_bridge(w))
        emit_form_lengthening(c, w, choice,
                              choice->rotating_count[w->to] ? choice->rotating[w->to][n % choice->rotating_count[w->to]]
                                                            : form_register_of(w->form, choice, w->to));
    if (w->varies_location)
        emit_next_location(c, w, n);
}

static void emit_blocked(struct code *c, struct form_kernel *w, struct form_choice *choice)
{
    const struct blocked_order *o = w->blocked;

    w->instances = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->slots[i] == BLOCKED_INSTANCE)
            emit_one(c, w, choice, w->instances++);
        else
            emit_blocker(c, &choice->blockers, &o->all[o->slots[i]]);
}

/* Instances, until registers repeat or the kernel has so many as were asked for, and the NOPs beside them. */
static void emit_instances(struct code *c, struct form_kernel *w, const struct form_choice *choice)
{
    const unsigned rotation = form_kernel_rotates(w) && !w->one_register ? choice->rotating_count[w->to] : 0;
    double nops = 0;

    if (form_is_branch(w->form))
        emit_form_condition(c, w->form);
    if (w->varies_location)
        w->instances -= w->instances % LOCATIONS;
    if (rotation) /* so that the first instance of an iteration reads what the last one wrote */
        w->instances -= w->instances % rotation;
    for (unsigned i = 0; i < w->instances; i++) {
        emit_one(c, w, choice, i);
        for (nops += w->nops; nops >= 1; nops--)
            emit_nop(c, emit_nop_lengths[0]);
        if (i < (rotation ? rotation : 1) && c->used - w->first <= sizeof w->bytes)
            w->period = (unsigned)(c->used - w->first);
    }
}

enum reason form_kernel_make(struct probe *p, struct form_kernel *w, uint64_t data, struct kernel *k)
{
    struct code c = probe_code(p, room_for(w));
    struct form_choice choice;

    if (!form_choose_registers(w, &choice))
        return REASON_NO_REGISTER_LEFT;
    emit_form_begin(&c, w->form);
    if (form_kernel_has_bridge(w))
        emit_form_zero(&c, choice.hub);
    emit_form_values(&c, w, &choice);
    if (w->blocked)
        emit_blockers_begin(&c, &choice.blockers);
    emit_align(&c, LINE_BYTES);
    w->first = c.used;
    if (w->blocked)
        emit_blocked(&c, w, &choice);
    else
        emit_instances(&c, w, &choice);
    memcpy(w->bytes, c.write + w->first, w->period);
    emit_loop(&c, w->first);
    emit_form_end(&c, w->form);
    if (w->blocked)
        emit_blockers_end(&c, w->blocked);
    if (w->kept_bits)
        emit_wide_end(&c, w->kept_bits);
    emit_return(&c);
    *k = (struct kernel){.data = data,
                         .units = w->blocked ? w->blocked->groups : w->instances,
                         .warm_iterations = probe_smoke(p, 1, WARM_ITERATIONS)};
    return code_good(&c) && probe_kernel(p, &c, 0, k) ? REASON_NONE : REASON_NOT_ENCODABLE;
}
