/* Kinds, types and accesses of operands, from what Zydis decodes and from manuals where it is not exact. */
#include <string.h>

#include "scripts/catalogue-x86_64/forms.h"

unsigned type_of(ZydisElementType t)
{
    switch (t) {
    case ZYDIS_ELEMENT_TYPE_FLOAT16: return TYPE_HALF;
    case ZYDIS_ELEMENT_TYPE_FLOAT32: return TYPE_SINGLE;
    case ZYDIS_ELEMENT_TYPE_FLOAT64: return TYPE_DOUBLE;
    case ZYDIS_ELEMENT_TYPE_FLOAT80: return TYPE_EXTENDED;
    default: return TYPE_INTEGER;
    }
}

bool kind_of(ZydisRegister r, unsigned *kind)
{
    switch (ZydisRegisterGetClass(r)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64: *kind = OPERAND_GENERAL; return true;
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM: *kind = OPERAND_VECTOR; return true;
    case ZYDIS_REGCLASS_MASK: *kind = OPERAND_MASK; return true;
    case ZYDIS_REGCLASS_MMX: *kind = OPERAND_MMX; return true;
    case ZYDIS_REGCLASS_X87: *kind = OPERAND_X87; return true;
    case ZYDIS_REGCLASS_FLAGS: *kind = OPERAND_FLAGS; return true;
    default: return false; /* instruction pointer, MXCSR, …: nothing that a chain could go through */
    }
}

unsigned number_of(ZydisRegister r)
{
    const ZyanI8 id = ZydisRegisterGetId(r);

    if (ZydisRegisterGetClass(r) == ZYDIS_REGCLASS_GPR8 && id >= 4)
        return (unsigned)id - 4;
    return id < 0 ? 0 : (unsigned)id;
}

/* A write to AH to BH, or one that depends on a condition, leaves a part of the register as it was. */
static bool keeps_part(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           (o->actions & ZYDIS_OPERAND_ACTION_CONDWRITE ||
            (o->reg.value >= ZYDIS_REGISTER_AH && o->reg.value <= ZYDIS_REGISTER_BH));
}

/*
 * Zydis reports these as writing all of their destination, but a part of it stays: the other half of the register (SDM
 * vol. 2B, MOVHPD and others); all of it where the source is 0 (AMD64 APM vol. 3, BSF; Intel's cores do so, too); or
 * all but a bit field (AMD64 APM vol. 4, EXTRQ and INSERTQ).
 */
static bool keeps_destination(const struct decoded *d)
{
    switch (d->i.mnemonic) {
    case ZYDIS_MNEMONIC_BSF:
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_EXTRQ:
    case ZYDIS_MNEMONIC_INSERTQ:
    case ZYDIS_MNEMONIC_MOVHPD:
    case ZYDIS_MNEMONIC_MOVHPS:
    case ZYDIS_MNEMONIC_MOVLPD:
    case ZYDIS_MNEMONIC_MOVLPS:
    case ZYDIS_MNEMONIC_MOVHLPS:
    case ZYDIS_MNEMONIC_MOVLHPS: return d->o[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
    default: return false;
    }
}

unsigned access_of(const struct decoded *d, unsigned k)
{
    const ZydisDecodedOperand *o = &d->o[k];
    unsigned access = (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? OPERAND_READ : 0u) |
                      (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? OPERAND_WRITE : 0u);

    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_FLAGS &&
        d->i.cpu_flags) { /* Zydis has the access to each flag, but not always that to the register of flags */
        const ZydisAccessedFlags *f = d->i.cpu_flags;
        access |= (f->tested ? OPERAND_READ : 0u) |
                  (f->modified | f->set_0 | f->set_1 | f->undefined ? OPERAND_WRITE : 0u);
    }
    if (d->i.mnemonic == ZYDIS_MNEMONIC_FTST ||
        d->i.mnemonic == ZYDIS_MNEMONIC_FXAM) /* SDM vol. 2A: write the status word */
        access &= ~(unsigned)OPERAND_WRITE;
    if (access & OPERAND_WRITE && (keeps_part(o) || (k == 0 && keeps_destination(d))))
        access |= OPERAND_READ;
    return access;
}

int stack_of(const struct decoded *d)
{
    switch (d->i.mnemonic) {
    case ZYDIS_MNEMONIC_FLD:
    case ZYDIS_MNEMONIC_FILD:
    case ZYDIS_MNEMONIC_FBLD:
    case ZYDIS_MNEMONIC_FLD1:
    case ZYDIS_MNEMONIC_FLDL2E:
    case ZYDIS_MNEMONIC_FLDL2T:
    case ZYDIS_MNEMONIC_FLDLG2:
    case ZYDIS_MNEMONIC_FLDLN2:
    case ZYDIS_MNEMONIC_FLDPI:
    case ZYDIS_MNEMONIC_FLDZ:
    case ZYDIS_MNEMONIC_FPTAN:
    case ZYDIS_MNEMONIC_FSINCOS:
    case ZYDIS_MNEMONIC_FXTRACT: return 1;
    case ZYDIS_MNEMONIC_FCOMPP:
    case ZYDIS_MNEMONIC_FUCOMPP: return -2;
    case ZYDIS_MNEMONIC_FADDP:
    case ZYDIS_MNEMONIC_FBSTP:
    case ZYDIS_MNEMONIC_FCOMIP:
    case ZYDIS_MNEMONIC_FCOMP:
    case ZYDIS_MNEMONIC_FDIVP:
    case ZYDIS_MNEMONIC_FDIVRP:
    case ZYDIS_MNEMONIC_FICOMP:
    case ZYDIS_MNEMONIC_FISTP:
    case ZYDIS_MNEMONIC_FISTTP:
    case ZYDIS_MNEMONIC_FMULP:
    case ZYDIS_MNEMONIC_FPATAN:
    case ZYDIS_MNEMONIC_FSTP:
    case ZYDIS_MNEMONIC_FSTPNCE:
    case ZYDIS_MNEMONIC_FSUBP:
    case ZYDIS_MNEMONIC_FSUBRP:
    case ZYDIS_MNEMONIC_FUCOMIP:
    case ZYDIS_MNEMONIC_FUCOMP:
    case ZYDIS_MNEMONIC_FYL2X:
    case ZYDIS_MNEMONIC_FYL2XP1: return -1;
    default: return 0;
    }
}

bool is_no_mask(const ZydisDecodedOperand *o)
{
    return o->encoding == ZYDIS_OPERAND_ENCODING_MASK && o->reg.value == ZYDIS_REGISTER_K0;
}

bool vector_index(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
}

unsigned index_bytes(const struct decoded *d)
{
    const char *m = ZydisMnemonicGetString(d->i.mnemonic), *at = strstr(m, "gather");

    at = at ? at + 6 : strstr(m, "scatter") + 7;
    if (at[0] == 'p' && at[1] == 'f') /* prefetches: pf0, pf1 */
        at += 3;
    return *at == 'd' ? 4 : 8;
}

bool is_cleared(const struct decoded *d, unsigned k)
{
    bool gathers = false;

    for (unsigned i = 0; i < d->i.operand_count; i++)
        gathers |= vector_index(&d->o[i]);
    return gathers && (d->o[k].encoding == ZYDIS_OPERAND_ENCODING_MASK ||
                       (k == 2 && d->i.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX));
}
