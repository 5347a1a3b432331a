#include "lib/kernels/form_operands.h"

#include "lib/base/reason.h"
#include "lib/kernels/forms.h"

bool operand_is_register(const struct form_operand *o)
{
    return o->kind != OPERAND_MEMORY && o->kind != OPERAND_IMMEDIATE;
}

bool operand_is_usable(const struct form_operand *o)
{
    if (!operand_is_register(o) || o->kind == OPERAND_FLAGS || form_has_field(o))
        return true;
    for (const uint8_t *r = form_registers[o->kind]; *r != FIELD_NONE; r++)
        if (*r == o->fixed)
            return true;
    return false;
}

bool operand_is_data_address(const struct form_operand *o)
{
    return o->kind == OPERAND_GENERAL && o->access == OPERAND_READ && o->fixed == form_register(REG_DATA);
}

bool operand_is_addressed(const struct form_operand *o)
{
    return operand_is_data_address(o) || o->kind == OPERAND_MEMORY;
}

bool operand_is_general(const struct form_operand *o)
{
    return o->kind == OPERAND_GENERAL && !operand_is_data_address(o);
}

bool operand_is_floating(const struct form_operand *o)
{
    return (o->kind == OPERAND_VECTOR || o->kind == OPERAND_MEMORY || o->kind == OPERAND_X87) &&
           o->type != TYPE_INTEGER;
}

bool operand_is_pushed(const struct form *f, const struct form_operand *o)
{
    return o->kind == OPERAND_X87 && f->stack > 0 && o->access == OPERAND_WRITE;
}

bool operand_is_upper_dividend(const struct form *f, const struct form_operand *o)
{
    return f->class == FORM_DIVIDES && o->is_implicit && o->kind == OPERAND_GENERAL &&
           o->fixed != form_registers[OPERAND_GENERAL][0] && !form_has_field(o);
}

static bool is_read_and_written(const struct form_operand *o)
{
    return (o->access & OPERAND_READ) && (o->access & OPERAND_WRITE);
}

bool form_has_vector_addresses(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_index && form_operand(f, i)->kind == OPERAND_VECTOR)
            return true;
    return false;
}

bool form_uses_x87(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_X87)
            return true;
    return false;
}

/* Where an operand on the stack is an exponent, an integer, the values of other registers cannot take its place. */
bool form_can_rotate_x87(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_X87 && form_operand(f, i)->type == TYPE_INTEGER)
            return false;
    return f->stack == 0 && form_uses_x87(f) && form_depends_on_itself(f);
}

unsigned form_widest_vector(const struct form *f)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_VECTOR && form_operand(f, i)->bits > bits)
            bits = form_operand(f, i)->bits;
    return bits;
}

enum reason form_unmeasurable(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        if (!operand_is_usable(o) && !operand_is_data_address(o))
            return REASON_REGISTER_IN_USE;
    }
    return REASON_NONE;
}

bool form_depends_on_itself(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        const bool is_fixed = operand_is_register(o) && !form_has_field(o);
        if (is_read_and_written(o) && (o->kind == OPERAND_MEMORY || is_fixed))
            return true;
        for (unsigned k = 0; k < f->operand_count && is_fixed; k++) {
            const struct form_operand *other = form_operand(f, k);
            if (k != i && other->kind == o->kind && !form_has_field(other) && other->fixed == o->fixed &&
                (o->access | other->access) == (OPERAND_READ | OPERAND_WRITE))
                return true;
        }
    }
    return false;
}

bool form_needs_companions(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->is_cleared)
            return true;
    return f->stack != 0;
}

bool form_can_vary_location(const struct form *f)
{
    if (f->class == FORM_STATE) /* state is at one place */
        return false;
    if (f->class == FORM_TAKEN)
        return true;
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MEMORY)
            return true;
    return form_can_rotate_x87(f);
}
