#include "arch/form_read.h"

#include <string.h>

static unsigned field_number(const struct form_operand *o, const uint8_t *bytes)
{
    unsigned number = 0;

    for (unsigned i = 0; i < FIELD_BITS; i++) {
        const unsigned bit = o->field.bit[i];
        const bool set = bit == FIELD_NONE ? o->fixed >> i & 1
                                           : (bytes[bit / 8] >> bit % 8 & 1) != (o->field.inverted >> i & 1);
        number |= (unsigned)set << i;
    }
    return number;
}

/* Bits of the form that name registers. */
static void clear_fields(const struct form *f, uint8_t *bytes)
{
    for (unsigned n = 0; n < f->operand_count; n++)
        for (unsigned i = 0; i < FIELD_BITS; i++) {
            const unsigned bit = form_operand(f, n)->field.bit[i];
            if (bit != FIELD_NONE)
                bytes[bit / 8] &= (uint8_t) ~(1u << bit % 8);
        }
}

/* A mask register of number 0 that is a field of its own selects everything: that is another form. */
static bool is_masked_by_none(const struct form *f, const struct form_use *u)
{
    for (unsigned i = 0; i < f->operand_count; i++)
        if (form_operand(f, i)->kind == OPERAND_MASK && u->registers[i] == 0 && strstr(form_name(f), "{k}"))
            return true;
    return false;
}

/* The register that is the operand: the base of an address that is computed stands where the form has a fixed one. */
static unsigned operand_number(const struct form_operand *o, const struct form_pieces *p, const uint8_t *as)
{
    if (form_has_field(o)) {
        const unsigned number = field_number(o, as);
        const bool high = p->has_high_bytes && o->kind == OPERAND_GENERAL && o->bits == 8 && number >= 4 && number < 8;
        return number - high * 4u;
    }
    return p->has_memory && o->kind == OPERAND_GENERAL && !o->is_implicit ? p->base : o->fixed;
}

static bool is_of_form(const struct form *f, const struct form_pieces *p, struct form_use *u)
{
    uint8_t as[FORM_BYTES], mine[FORM_BYTES], theirs[FORM_BYTES];

    if (!form_normalise(f, p, as))
        return false;
    memcpy(mine, as, sizeof mine);
    memcpy(theirs, f->bytes, sizeof theirs);
    clear_fields(f, mine);
    clear_fields(f, theirs);
    if (memcmp(mine, theirs, f->length) != 0)
        return false;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        const unsigned number = operand_number(o, p, as);
        u->registers[i] = o->kind >= OPERAND_FLAGS || form_is_zero_register(o, number) ? FIELD_NONE : (uint8_t)number;
    }
    return !is_masked_by_none(f, u);
}

static const struct form *find(const struct form_pieces *p, struct form_use *u)
{
    for (size_t i = 0; i < form_count; i++)
        if (!form_is_branch(&forms[i]) && is_of_form(&forms[i], p, u))
            return &forms[i];
    return NULL;
}

void form_read(const uint8_t *bytes, size_t room, struct form_use *u)
{
    struct form_pieces p;

    *u = (struct form_use){.base = FIELD_NONE, .index = FIELD_NONE};
    form_take_apart(bytes, room, &p);
    u->length = p.length;
    if (!p.length)
        return;
    u->is_nop = form_is_nop(&p);
    if (u->is_nop)
        return;
    u->form = find(&p, u);
    if (!u->form && form_take_twin(&p))
        u->form = find(&p, u);
    u->base = p.has_memory ? p.base : FIELD_NONE;
    u->index = p.has_memory ? p.index : FIELD_NONE;
    u->displacement = p.displacement;
}
