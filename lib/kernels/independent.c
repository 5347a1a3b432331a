#include "lib/kernels/independent.h"

void emit_independent(struct code *c, struct independent *r, const struct form *f)
{
    uint8_t chosen[FORM_OPERANDS];
    size_t count = 0;

    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        struct independent_registers *of_kind = o->kind == OPERAND_GENERAL ? &r->general : &r->vector;
        if (!form_has_field(o))
            continue;
        if (o->access == OPERAND_READ)
            chosen[count++] = of_kind->source;
        else if (o->access == OPERAND_WRITE)
            chosen[count++] = of_kind->sink;
        else if (of_kind->count)
            chosen[count++] = of_kind->pool[of_kind->turn++ % of_kind->count];
    }
    emit_form(c, f, chosen);
}
