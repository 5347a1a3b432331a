/* Names of forms. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scripts/catalogue-x86_64/forms.h"

static void say(char *name, const char *format, ...)
{
    va_list list;
    const size_t used = strlen(name);

    va_start(list, format);
    vsnprintf(name + used, NAME_BYTES - used, format, list);
    va_end(list);
}

static bool has_no_field(const struct form_operand *o)
{
    for (unsigned i = 0; i < FIELD_BITS; i++)
        if (o->field.bit[i] != FIELD_NONE)
            return false;
    return true;
}

static void say_register(char *name, const struct form_operand *o, ZydisRegister r, bool fixed)
{
    static const char *const vectors[] = {"xmm", "ymm", "zmm"};
    const ZydisRegisterClass class = ZydisRegisterGetClass(r);

    if (fixed) {
        say(name, "%s", ZydisRegisterGetString(r));
        return;
    }
    switch (class) {
    case ZYDIS_REGCLASS_XMM: say(name, "%s", vectors[0]); break;
    case ZYDIS_REGCLASS_YMM: say(name, "%s", vectors[1]); break;
    case ZYDIS_REGCLASS_ZMM: say(name, "%s", vectors[2]); break;
    case ZYDIS_REGCLASS_MASK: say(name, "k"); break;
    case ZYDIS_REGCLASS_MMX: say(name, "mm"); break;
    case ZYDIS_REGCLASS_X87: say(name, "st"); break;
    default: say(name, "r%u", o->bits); break;
    }
}

void say_name(struct found *f, const struct decoded *d)
{
    static const char *const lock = "lock ";
    const ZydisDecodedInstruction *i = &d->i;
    const struct form_operand *p = f->operands;
    unsigned n = 0;

    *f->name = 0;
    if (i->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        say(f->name, "%s", lock);
    say(f->name, "%s", ZydisMnemonicGetString(i->mnemonic));
    for (unsigned k = 0; k < i->operand_count_visible; k++) {
        const ZydisDecodedOperand *o = &d->o[k];
        if (is_no_mask(o))
            continue;
        if (o->encoding == ZYDIS_OPERAND_ENCODING_MASK) {
            say(f->name, "{k}%s", i->avx.mask.mode == ZYDIS_MASK_MODE_ZEROING ? "{z}" : "");
            p++;
            continue;
        }
        say(f->name, n++ ? ", " : " ");
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            say_register(f->name, p, o->reg.value, has_no_field(p));
        } else if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
            say(f->name, "%s%u", o->imm.is_relative ? "rel" : "i", o->size);
        } else if (o->mem.base == ZYDIS_REGISTER_RIP) {
            say(f->name, "[rip + i32]");
        } else if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
            say(f->name, o->mem.index == ZYDIS_REGISTER_NONE ? "[base]" : "[base + index]");
        } else if (vector_index(o)) {
            say(f->name, "[base + %s]",
                o->mem.index >= ZYDIS_REGISTER_ZMM0   ? "zmm"
                : o->mem.index >= ZYDIS_REGISTER_YMM0 ? "ymm"
                                                      : "xmm");
        } else {
            say(f->name, "m%u", o->size);
            if (i->avx.broadcast.mode && !i->avx.broadcast.is_static)
                say(f->name, "{bcst}");
        }
        p += 1 + (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.index != ZYDIS_REGISTER_NONE);
    }
    if (f->class == FORM_TAKEN || f->class == FORM_NOT_TAKEN)
        say(f->name, f->class == FORM_TAKEN ? ", taken" : ", not taken");
}
