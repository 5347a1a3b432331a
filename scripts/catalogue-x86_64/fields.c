/* Where in the encoding the numbers of registers are. */
#include <string.h>

#include "scripts/catalogue-x86_64/forms.h"

/*
 * The operands whose register could be chosen, in the order of the form: fills in the register of each (NONE for an
 * immediate), and returns their number.
 */
static unsigned chosen(const struct decoded *d, ZydisRegister r[FORM_OPERANDS])
{
    unsigned n = 0;

    for (unsigned k = 0; k < d->i.operand_count; k++) {
        const ZydisDecodedOperand *o = &d->o[k];
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
            r[n++] = o->reg.value;
        else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base != ZYDIS_REGISTER_NONE) {
            r[n++] = o->mem.base;
            if (o->mem.index != ZYDIS_REGISTER_NONE)
                r[n++] = o->mem.index;
        } else
            r[n++] = ZYDIS_REGISTER_NONE;
        if (n > FORM_OPERANDS - 2)
            break;
    }
    return n;
}

static bool same_but_registers(const struct decoded *a, const struct decoded *b)
{
    if (a->i.mnemonic != b->i.mnemonic || a->i.length != b->i.length || a->i.operand_count != b->i.operand_count ||
        a->i.operand_count_visible != b->i.operand_count_visible || a->i.encoding != b->i.encoding ||
        a->i.avx.mask.mode != b->i.avx.mask.mode || a->i.avx.broadcast.mode != b->i.avx.broadcast.mode ||
        a->i.avx.rounding.mode != b->i.avx.rounding.mode || a->i.avx.vector_length != b->i.avx.vector_length)
        return false;
    for (unsigned k = 0; k < a->i.operand_count; k++) {
        const ZydisDecodedOperand *p = &a->o[k], *q = &b->o[k];
        if (p->type != q->type || p->size != q->size || p->actions != q->actions ||
            (p->type == ZYDIS_OPERAND_TYPE_REGISTER &&
             ZydisRegisterGetClass(p->reg.value) != ZydisRegisterGetClass(q->reg.value)) ||
            (p->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && p->imm.value.u != q->imm.value.u) ||
            (p->type == ZYDIS_OPERAND_TYPE_MEMORY &&
             (p->mem.disp.value != q->mem.disp.value || p->mem.scale != q->mem.scale ||
              ZydisRegisterGetClass(p->mem.base) != ZydisRegisterGetClass(q->mem.base) ||
              ZydisRegisterGetClass(p->mem.index) != ZydisRegisterGetClass(q->mem.index))))
            return false;
    }
    return true;
}

void find_fields(const uint8_t *bytes, const struct decoded *d, struct form_field fields[FORM_OPERANDS])
{
    ZydisRegister base[FORM_OPERANDS], now[FORM_OPERANDS];
    const unsigned n = chosen(d, base);
    uint8_t changed[LONGEST];
    struct decoded other;

    memset(fields, FIELD_NONE, FORM_OPERANDS * sizeof *fields);
    for (unsigned k = 0; k < n; k++)
        fields[k].inverted = 0;
    for (unsigned bit = 0; bit < d->i.length * 8u; bit++) {
        memcpy(changed, bytes, LONGEST);
        changed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (!decode(changed, &other) || !same_but_registers(d, &other) || chosen(&other, now) != n)
            continue;
        unsigned differ = 0, which = 0;
        for (unsigned k = 0; k < n; k++)
            if (base[k] != now[k]) {
                differ++;
                which = k;
            }
        if (differ != 1)
            continue;
        const unsigned was = number_of(base[which]), is = number_of(now[which]), delta = was ^ is;
        for (unsigned i = 0; i < FIELD_BITS; i++)
            if (delta == 1u << i) {
                fields[which].bit[i] = (uint8_t)bit;
                const unsigned stored = bytes[bit / 8] >> bit % 8 & 1;
                fields[which].inverted |= (uint8_t)((stored != (was >> i & 1)) << i);
            }
    }
}
