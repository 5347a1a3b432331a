/*
 * Writes the catalogue of x86-64 (arch/catalogue.h) as a C file, at build time.
 *
 * usage: catalogue-x86_64 >FILE
 *
 * All opcodes of all maps are offered to Zydis, with each encoding, mandatory prefix, operand size, vector length,
 * kind of mask and broadcast, and with a register or memory behind ModR/M. What it takes for an instruction is a form;
 * of forms of one name and encoding that is kept whose registers have most choice. Where a register's number stands is
 * found by asking: a bit that changes nothing but the number of one operand's register by a power of two belongs to
 * that operand's field.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "arch/catalogue.h"

enum { FORMS = 20000, NAME_BYTES = 96, LONGEST = 15, REG_DATA_NUMBER = 6, STACK = 8 };

struct found {
    char name[NAME_BYTES], feature[32];
    struct form_operand operands[FORM_OPERANDS];
    unsigned operand_count, class, length;
    int stack;
    ZydisInstructionEncoding encoding;
    uint8_t bytes[LONGEST];
    size_t name_at, operands_at, feature_at; /* once they are written */
};

static struct found found[FORMS];
static size_t found_count;

static ZydisDecoder decoder;

struct decoded {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const uint8_t *bytes, struct decoded *d)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, LONGEST, &d->i, d->o));
}

/* ---- What is left out ----------------------------------------------------------------------------- */

static const struct {
    ZydisInstructionCategory category;
    const char *what, *why;
} categories[] = {
    {ZYDIS_CATEGORY_CALL, "calls", "control flow, measured by the front end's probes"},
    {ZYDIS_CATEGORY_RET, "returns", "control flow, measured by the front end's probes"},
    {ZYDIS_CATEGORY_COND_BR, "conditional branches", "control flow, measured by the front end's probes"},
    {ZYDIS_CATEGORY_UNCOND_BR, "jumps", "control flow, measured by the front end's probes"},
    {ZYDIS_CATEGORY_INTERRUPT, "software interrupts", "enter a handler"},
    {ZYDIS_CATEGORY_IO, "port input and output", "reaches devices"},
    {ZYDIS_CATEGORY_IOSTRINGOP, "port input and output of strings", "reaches devices"},
    {ZYDIS_CATEGORY_STRINGOP, "string instructions",
     "move RSI and RDI, which kernels address and count with; with REP the cost depends on counts"},
    {ZYDIS_CATEGORY_SYSCALL, "system calls", "enter a handler"},
    {ZYDIS_CATEGORY_SYSRET, "returns from system calls", "privileged"},
    {ZYDIS_CATEGORY_SYSTEM, "system instructions", "privileged, or change what the system relies on"},
    {ZYDIS_CATEGORY_SEGOP, "segment loads", "change what the system relies on"},
    {ZYDIS_CATEGORY_RDWRFSGS, "FS and GS base", "the C library's thread is there"},
    {ZYDIS_CATEGORY_VTX, "virtualisation", "privileged"},
    {ZYDIS_CATEGORY_SGX, "enclaves", "privileged, or change what the system relies on"},
    {ZYDIS_CATEGORY_SMAP, "CLAC and STAC", "privileged"},
    {ZYDIS_CATEGORY_PCONFIG, "PCONFIG", "privileged"},
    {ZYDIS_CATEGORY_HRESET, "HRESET", "privileged"},
    {ZYDIS_CATEGORY_KEYLOCKER, "key locker", "needs keys that only the system loads"},
    {ZYDIS_CATEGORY_KEYLOCKER_WIDE, "key locker, wide", "needs keys that only the system loads"},
    {ZYDIS_CATEGORY_XSAVE, "XSAVE and XRSTOR",
     "store or replace state of the system's choice; FXSAVE and FXRSTOR are measured"},
    {ZYDIS_CATEGORY_XSAVEOPT, "XSAVEOPT", "stores state of the system's choice"},
    {ZYDIS_CATEGORY_WAITPKG, "UMONITOR, UMWAIT, TPAUSE", "wait"},
    {ZYDIS_CATEGORY_UINTR, "user interrupts", "enter a handler"},
    {ZYDIS_CATEGORY_CET, "shadow stack", "changes what returns rely on"},
    {ZYDIS_CATEGORY_ENQCMD, "ENQCMD", "reaches devices"},
    {ZYDIS_CATEGORY_PKU, "protection keys", "change what the system relies on"},
    {ZYDIS_CATEGORY_MPX, "bounds", "no core in scope has them"},
    {ZYDIS_CATEGORY_PADLOCK, "PadLock", "no core in scope has it"},
    {ZYDIS_CATEGORY_KNC, "Knights Corner", "no core in scope has it"},
    {ZYDIS_CATEGORY_KNCMASK, "Knights Corner, masks", "no core in scope has it"},
    {ZYDIS_CATEGORY_KNCSCALAR, "Knights Corner, scalar", "no core in scope has it"},
    {ZYDIS_CATEGORY_AMX_TILE, "tiles", "need a configuration and a permission first"},
    {ZYDIS_CATEGORY_TSX_LDTRK, "load tracking", "control flow: transactions"},
    {ZYDIS_CATEGORY_PT, "PTWRITE", "writes into a trace"},
    {ZYDIS_CATEGORY_PUSH, "pushes", "move the stack pointer"},
    {ZYDIS_CATEGORY_POP, "pops", "move the stack pointer"},
    {ZYDIS_CATEGORY_RDPRU, "RDPRU", "registers of the system's choice"},
};

/* By name, since what they do has no category. */
static const struct {
    const char *mnemonics, *why;
} mnemonics[] = {
    {"fldenv frstor fnstenv fnsave",
     "replace the state of x87, or change it behind what they store; FXSAVE and FXRSTOR are measured"},
    {"ffree ffreep", "leave a hole in the stack of x87"},
    {"hlt mwait monitor mwaitx monitorx umwait tpause", "waits"},
    {"cli sti std popf popfq", "change flags that the system relies on"},
    {"pushf pushfq", "move the stack pointer"},
    {"ud0 ud1 ud2", "fault on purpose"},
    {"leave enter", "move the stack pointer"},
    {"xabort xbegin xend xtest", "control flow: transactions"},
    {"cpuid rdtsc rdtscp rdpmc", "taken by a hypervisor, forbidden by the system, or what the measuring itself uses"},
    {"rdrand rdseed", "wait for entropy, shared between cores"},
    {"xgetbv getsec", "registers of the system's choice"},
    {"xlat", "reads by an address that is made of two registers"},
    {"maskmovq maskmovdqu vmaskmovdqu clzero movdir64b", "reads or writes by registers that have a fixed place here"},
    {"rounding and exceptions in the instruction ({er}, {sae})", "cost what the forms without them cost"},
    {"lwpins lwpval llwpcb slwpcb", "lightweight profiling, withdrawn"},
    {"invlpga skinit vmload vmsave vmrun vmmcall", "virtualisation"},
};

static const char *excluded_by_name(const char *mnemonic)
{
    const size_t length = strlen(mnemonic);

    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++)
        for (const char *at = mnemonics[i].mnemonics; (at = strstr(at, mnemonic)); at += length)
            if ((at == mnemonics[i].mnemonics || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
                return mnemonics[i].why;
    return NULL;
}

static bool excluded_by_category(ZydisInstructionCategory c)
{
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        if (categories[i].category == c)
            return true;
    return false;
}

static bool is_usable(const struct decoded *d)
{
    if (d->i.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED || excluded_by_category(d->i.meta.category) ||
        excluded_by_name(ZydisMnemonicGetString(d->i.mnemonic)) || d->i.operand_count > FORM_OPERANDS ||
        d->i.avx.rounding.mode || d->i.avx.has_sae)
        return false;
    /* 0F 1F is the NOP that is written down (SDM vol. 2B, NOP); cores make other things of those beside it: CLDEMOTE */
    if (d->i.mnemonic == ZYDIS_MNEMONIC_NOP && d->i.opcode_map == ZYDIS_OPCODE_MAP_0F && d->i.opcode != 0x1f)
        return false;
    for (unsigned k = 0; k < d->i.operand_count; k++) {
        const ZydisDecodedOperand *o = &d->o[k];
        if (o->type == ZYDIS_OPERAND_TYPE_POINTER)
            return false;
        /* other addressing modes are the load-to-use probe's question */
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
            o->mem.index != ZYDIS_REGISTER_NONE)
            return false;
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
            ((o->mem.base != ZYDIS_REGISTER_RSI && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN) ||
             (o->mem.segment != ZYDIS_REGISTER_DS && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN)))
            return false;
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
            switch (ZydisRegisterGetClass(o->reg.value)) {
            case ZYDIS_REGCLASS_SEGMENT:
            case ZYDIS_REGCLASS_TABLE:
            case ZYDIS_REGCLASS_TEST:
            case ZYDIS_REGCLASS_CONTROL:
            case ZYDIS_REGCLASS_DEBUG:
            case ZYDIS_REGCLASS_BOUND:
            case ZYDIS_REGCLASS_TMM: return false;
            default: break;
            }
    }
    return true;
}

/* ---- Operands --------------------------------------------------------------------------------------- */

static unsigned type_of(ZydisElementType t)
{
    switch (t) {
    case ZYDIS_ELEMENT_TYPE_FLOAT16: return TYPE_HALF;
    case ZYDIS_ELEMENT_TYPE_FLOAT32: return TYPE_SINGLE;
    case ZYDIS_ELEMENT_TYPE_FLOAT64: return TYPE_DOUBLE;
    case ZYDIS_ELEMENT_TYPE_FLOAT80: return TYPE_EXTENDED;
    default: return TYPE_INTEGER;
    }
}

static bool kind_of(ZydisRegister r, unsigned *kind)
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

/* Zydis counts AH to BH between BL and SPL: they are parts of registers 0 to 3. */
static unsigned number_of(ZydisRegister r)
{
    const ZyanI8 id = ZydisRegisterGetId(r);

    if (ZydisRegisterGetClass(r) == ZYDIS_REGCLASS_GPR8 && id >= 4)
        return (unsigned)id - 4;
    return id < 0 ? 0 : (unsigned)id;
}

/* AH to BH, which Zydis counts so; and what is written only if a condition holds: both leave a part as it was. */
static bool keeps_part(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           (o->actions & ZYDIS_OPERAND_ACTION_CONDWRITE ||
            (o->reg.value >= ZYDIS_REGISTER_AH && o->reg.value <= ZYDIS_REGISTER_BH));
}

/*
 * The other half of the register stays, though all of it is said to be written (SDM vol. 2B, MOVHPD and others); or all
 * of it where the source is 0 (AMD64 APM vol. 3, BSF; Intel's cores do it, too); or the field is one of that register (AMD64
 * APM vol. 4, EXTRQ and INSERTQ).
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

static unsigned access_of(const struct decoded *d, unsigned k)
{
    const ZydisDecodedOperand *o = &d->o[k];
    unsigned access = (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? OPERAND_READ : 0u) |
                      (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? OPERAND_WRITE : 0u);

    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_FLAGS &&
        d->i.cpu_flags) { /* it knows of each flag, and not always of all */
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

/*
 * Registers that are pushed onto the stack of x87, less those that are popped: SDM vol. 2A. tests/operands holds it
 * against what they do.
 */
static int stack_of(const struct decoded *d)
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

/* A mask operand that selects everything is none. */
static bool is_no_mask(const ZydisDecodedOperand *o)
{
    return o->encoding == ZYDIS_OPERAND_ENCODING_MASK && o->reg.value == ZYDIS_REGISTER_K0;
}

/* The vector index of a gather or scatter, which Zydis has within the memory operand. */
static bool vector_index(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
}

/* Bytes of each address: D or Q behind the first word of the name (SDM vol. 2C, VGATHERDPD and others). */
static unsigned index_bytes(const struct decoded *d)
{
    const char *m = ZydisMnemonicGetString(d->i.mnemonic), *at = strstr(m, "gather");

    at = at ? at + 6 : strstr(m, "scatter") + 7;
    if (at[0] == 'p' && at[1] == 'f') /* prefetches: pf0, pf1 */
        at += 3;
    return *at == 'd' ? 4 : 8;
}

/* The mask of a gather or scatter, whose bits it clears one by one: a mask register, or the vector that is written last. */
static bool is_spent(const struct decoded *d, unsigned k)
{
    bool gathers = false;

    for (unsigned i = 0; i < d->i.operand_count; i++)
        gathers |= vector_index(&d->o[i]);
    return gathers && (d->o[k].encoding == ZYDIS_OPERAND_ENCODING_MASK ||
                       (k == 2 && d->i.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX));
}

/* Operands whose register could be chosen, in the order of the form: so many, with the register of each. */
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

/*
 * The field of each chosen register. AH to BH have the numbers 4 to 7 where no REX is, so that bytes are offered with
 * one. Number 4 means something else in ModR/M and SIB, so that a base has a fixed register: its fields are not asked for.
 */
static void find_fields(const uint8_t *bytes, const struct decoded *d, struct form_field fields[FORM_OPERANDS])
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

/* ---- Names ------------------------------------------------------------------------------------------ */

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

static void say_name(struct found *f, const struct decoded *d)
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
            say(f->name, "i%u", o->size);
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
}

/* ---- Forms ------------------------------------------------------------------------------------------ */

/* What it reads or writes is no operand of it. */
static bool is_state(const char *mnemonic)
{
    static const char *const all[] = {"fldcw",   "ldmxcsr",   "vldmxcsr", "fxsave",     "fxsave64",
                                      "fxrstor", "fxrstor64", "vzeroall", "vzeroupper", "rdpid"};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(mnemonic, all[i]))
            return true;
    return false;
}

static unsigned class_of(const struct decoded *d)
{
    const char *m = ZydisMnemonicGetString(d->i.mnemonic);

    if (d->i.attributes & ZYDIS_ATTRIB_HAS_LOCK || (!strcmp(m, "xchg") && (d->o[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                                                                           d->o[1].type == ZYDIS_OPERAND_TYPE_MEMORY)))
        return FORM_ATOMIC;
    if (!strcmp(m, "div") || !strcmp(m, "idiv"))
        return FORM_DIVIDES;
    if (!strcmp(m, "lfence") || !strcmp(m, "sfence") || !strcmp(m, "mfence") || !strcmp(m, "serialize") ||
        !strcmp(m, "mcommit"))
        return FORM_SERIALISES;
    if (is_state(m))
        return FORM_STATE;
    if (!strncmp(m, "prefetch", 8) || (!strncmp(m, "cl", 2) && strcmp(m, "clc") != 0 && strcmp(m, "cld") != 0) ||
        strstr(m, "movnt") || !strcmp(m, "movdiri"))
        return FORM_STREAMS;
    return FORM_ORDINARY;
}

static struct form_operand operand(unsigned kind, const struct decoded *d, unsigned k)
{
    const ZydisDecodedOperand *o = &d->o[k];
    struct form_operand p = {.kind = (uint8_t)kind,
                             .type = (uint8_t)type_of(o->element_type),
                             .access = (uint8_t)access_of(d, k),
                             .bits = o->size,
                             .is_implicit = o->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT};

    memset(p.field.bit, FIELD_NONE, sizeof p.field.bit);
    return p;
}

static bool fill_operands(struct found *f, const uint8_t *bytes, const struct decoded *d)
{
    struct form_field fields[FORM_OPERANDS];
    unsigned at = 0;

    find_fields(bytes, d, fields);
    for (unsigned k = 0; k < d->i.operand_count; k++) {
        const ZydisDecodedOperand *o = &d->o[k];
        unsigned kind;
        if (f->operand_count == FORM_OPERANDS - 1)
            return false;
        if (is_no_mask(o)) {
            at++;
            continue;
        }
        struct form_operand *p = &f->operands[f->operand_count++];
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            if (!kind_of(o->reg.value, &kind)) {
                f->operand_count--;
                at++;
                if (k < d->i.operand_count_visible)
                    return false;
                continue;
            }
            *p = operand(kind, d, k);
            p->fixed = (uint8_t)number_of(o->reg.value);
            p->is_spent = is_spent(d, k);
            if (kind == OPERAND_X87 && f->stack > 0 && p->access == OPERAND_WRITE) /* Zydis counts from the new top */
                p->fixed = STACK - 1;
            if (kind == OPERAND_X87 && d->i.mnemonic == ZYDIS_MNEMONIC_FSCALE && p->fixed) /* an exponent */
                p->type = TYPE_INTEGER;
            p->field = fields[at++];
        } else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            *p = operand(o->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? OPERAND_GENERAL : OPERAND_MEMORY, d, k);
            if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
                p->access = OPERAND_READ;
                p->bits = 64;
            }
            p->fixed = (uint8_t)number_of(o->mem.base);
            at++;
            if (o->mem.index != ZYDIS_REGISTER_NONE) { /* behind it, not to be counted as one that is written down */
                struct form_operand *index = &f->operands[f->operand_count++];
                *index = operand(vector_index(o) ? OPERAND_VECTOR : OPERAND_GENERAL, d, k);
                index->access = OPERAND_READ;
                index->type = TYPE_INTEGER;
                index->is_index = (uint8_t)(vector_index(o) ? index_bytes(d) : 1);
                index->bits = (uint16_t)(o->mem.index >= ZYDIS_REGISTER_ZMM0   ? 512
                                         : o->mem.index >= ZYDIS_REGISTER_YMM0 ? 256
                                         : vector_index(o)                     ? 128
                                                                               : 64);
                index->fixed = (uint8_t)number_of(o->mem.index);
                index->field = fields[at++];
            }
        } else {
            *p = operand(OPERAND_IMMEDIATE, d, k);
            at++;
        }
    }
    return true;
}

/* Names so far, in an open hash table (FNV-1a); index into `found` plus one. */
static struct found *same_name(const char *name)
{
    enum { SLOTS = 1 << 16 };
    static uint32_t slots[SLOTS];
    uint32_t hash = 2166136261u;

    for (const char *p = name; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 16777619u;
    for (hash %= SLOTS; slots[hash]; hash = (hash + 1) % SLOTS)
        if (!strcmp(found[slots[hash] - 1].name, name))
            return &found[slots[hash] - 1];
    slots[hash] = (uint32_t)found_count + 1;
    return NULL;
}

static unsigned choices(const struct found *f)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < f->operand_count; i++)
        for (unsigned bit = 0; bit < FIELD_BITS; bit++)
            bits += f->operands[i].field.bit[bit] != FIELD_NONE;
    return bits;
}

static void take(const uint8_t *bytes)
{
    struct decoded d;

    if (!decode(bytes, &d) || !is_usable(&d) || found_count == FORMS)
        return;
    struct found *f = &found[found_count];
    memset(f, 0, sizeof *f);
    f->length = d.i.length;
    f->class = class_of(&d);
    f->stack = stack_of(&d);
    f->encoding = d.i.encoding;
    memcpy(f->bytes, bytes, d.i.length);
    if (!fill_operands(f, bytes, &d))
        return;
    say_name(f, &d);
    snprintf(f->feature, sizeof f->feature, "%s", ZydisISASetGetString(d.i.meta.isa_set));
    struct found *same = same_name(f->name);
    if (same && same->encoding != f->encoding) { /* cores may have one of them only: said as assemblers do */
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%s", f->name);
        snprintf(f->name, sizeof f->name, "{evex} %.*s", (int)(sizeof f->name - sizeof "{evex} "), name);
        same = same_name(f->name);
    }
    if (!same)
        found_count++;
    else if (choices(f) > choices(same))
        *same = *f;
}

/* ---- The walk --------------------------------------------------------------------------------------- */

/*
 * Registers 0, 3 and, where there is a third, 5: no change of one bit makes two of them equal, which some instructions
 * forbid. Or memory at [rsi], or at [rsi + index]; where ModR/M extends the opcode its reg field is that, and some old
 * instructions have no operand but that: then all of ModR/M is opcode.
 */
static void walk_operands(uint8_t *bytes, unsigned modrm_at, uint8_t immediate, bool is_legacy)
{
    static const uint8_t modes[] = {0xc3, REG_DATA_NUMBER, 4, 0xc0, 0xc1, 0xc2, 0xc4, 0xc5, 0xc6, 0xc7};

    for (unsigned reg = 0; reg < 8; reg++)
        for (unsigned mode = 0; mode < (is_legacy ? sizeof modes : 3); mode++) {
            uint8_t *p = bytes + modrm_at;
            memset(p, 0, LONGEST - modrm_at);
            *p++ = (uint8_t)(modes[mode] | reg << 3);
            if (modes[mode] == 4)
                *p++ = 0 << 6 | 3 << 3 | REG_DATA_NUMBER; /* SIB: index 3 */
            *p = immediate;
            take(bytes);
        }
}

static void walk_legacy(void)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf2, 0xf3, 0xf0};
    static const uint8_t maps[][2] = {{0, 0}, {0x0f, 0}, {0x0f, 0x38}, {0x0f, 0x3a}};

    for (unsigned map = 0; map < 4; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned p = 0; p < sizeof prefixes; p++)
                for (unsigned rex = 0x40; rex <= 0x48; rex += 8) {
                    uint8_t bytes[LONGEST] = {0};
                    unsigned n = 0;
                    if (prefixes[p])
                        bytes[n++] = prefixes[p];
                    bytes[n++] = (uint8_t)rex;
                    for (unsigned k = 0; k < 2 && maps[map][k]; k++)
                        bytes[n++] = maps[map][k];
                    bytes[n++] = (uint8_t)opcode;
                    walk_operands(bytes, n, 1, true);
                }
}

/* Three-byte VEX and XOP (maps 8 to 10), for R, X and B. */
static void walk_vex(uint8_t escape, unsigned first_map, unsigned last_map)
{
    for (unsigned map = first_map; map <= last_map; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned wlpp = 0; wlpp < 16; wlpp++)
                for (unsigned vvvv = 0; vvvv < 2; vvvv++) { /* register 5, or none */
                    const uint8_t last = (uint8_t)((wlpp >> 3) << 7 | (vvvv ? 15u : 10u) << 3 | (wlpp & 7));
                    uint8_t bytes[LONGEST] = {escape, (uint8_t)(0xe0 | map), last, (uint8_t)opcode};
                    walk_operands(bytes, 4, 1, false);
                }
}

static void walk_evex(void)
{
    for (unsigned map = 1; map <= 6; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned wpp = 0; wpp < 8; wpp++)
                for (unsigned vvvv = 0; vvvv < 2; vvvv++)
                    for (unsigned last = 0; last < 32; last++) {
                        /* z: bit 4; L'L: bits 3:2; b: bit 1; mask register 3, of which no bit is all: bit 0 */
                        const uint8_t p2 = (uint8_t)((last >> 4) << 7 | (last >> 2 & 3) << 5 | (last >> 1 & 1) << 4 |
                                                     8 | (last & 1) * 3);
                        uint8_t bytes[LONGEST] = {0x62, (uint8_t)(0xf0 | map),
                                                  (uint8_t)((wpp >> 2) << 7 | (vvvv ? 15u : 10u) << 3 | 4 | (wpp & 3)),
                                                  p2, (uint8_t)opcode};
                        walk_operands(bytes, 5, 1, false);
                    }
}

/* ---- What is written -------------------------------------------------------------------------------- */

static void print_operand(const struct form_operand *o)
{
    printf("{%u,%u,%u,%u,%u,%u,%u,%u,%u,{{", o->kind, o->type, o->access, o->fixed, o->bits, o->is_implicit,
           o->is_index, o->is_spent, o->more);
    for (unsigned i = 0; i < FIELD_BITS; i++)
        printf("%u%s", o->field.bit[i], i + 1 < FIELD_BITS ? "," : "");
    printf("},%u}},\n", o->field.inverted);
}

/* Many forms have the same operands: each list of them is written once. */
static size_t first_with_operands(size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (found[i].operand_count == found[k].operand_count &&
            !memcmp(found[i].operands, found[k].operands, sizeof found[k].operands))
            return i;
    return k;
}

static void print_operands(void)
{
    size_t written = 0;

    printf("const struct form_operand form_operands[] = {\n");
    for (size_t k = 0; k < found_count; k++) {
        const size_t first = first_with_operands(k);
        found[k].operands_at = first < k ? found[first].operands_at : written;
        for (unsigned i = 0; first == k && i < found[k].operand_count; i++, written++)
            print_operand(&found[k].operands[i]);
    }
    printf("};\n\n");
}

static void print_features(void)
{
    size_t written = 0;

    printf("const char *const form_features[] = {\n");
    for (size_t k = 0; k < found_count; k++) {
        size_t first = 0;
        while (strcmp(found[first].feature, found[k].feature) != 0)
            first++;
        found[k].feature_at = first < k ? found[first].feature_at : written;
        if (first == k) {
            printf("\"%s\",\n", found[k].feature);
            written++;
        }
    }
    printf("};\n\n");
}

static void print_names(void)
{
    size_t at = 0;

    printf("const char form_names[] =\n");
    for (size_t k = 0; k < found_count; k++) {
        found[k].name_at = at;
        at += strlen(found[k].name) + 1;
        printf("\"%s\\0\"\n", found[k].name);
    }
    printf(";\n\n");
}

static void print_forms(void)
{
    printf("const struct form forms[] = {\n");
    for (size_t k = 0; k < found_count; k++) {
        const struct found *f = &found[k];
        printf("{%zu,%zu,%zu,%u,%u,%u,{", f->name_at, f->operands_at, f->feature_at, f->operand_count, f->class,
               f->length);
        for (unsigned i = 0; i < f->length; i++)
            printf("%u%s", f->bytes[i], i + 1 < f->length ? "," : "");
        printf("},%d},\n", f->stack);
    }
    printf("};\nconst size_t form_count = %zu;\n\n", found_count);
}

static void print_left_out(void)
{
    printf("const struct form_left_out forms_left_out[] = {\n");
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        printf("{\"%s\",\"%s\"},\n", categories[i].what, categories[i].why);
    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++)
        printf("{\"%s\",\"%s\"},\n", mnemonics[i].mnemonics, mnemonics[i].why);
    printf("{NULL,NULL}};\n");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

int main(void)
{
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    walk_legacy();
    walk_vex(0xc4, 1, 3);
    walk_vex(0x8f, 8, 10);
    walk_evex();
    qsort(found, found_count, sizeof *found, by_name);
    printf("/* Made by scripts/catalogue-x86_64.c with Zydis %u.%u. */\n#include \"arch/catalogue.h\"\n\n",
           (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION), (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
    print_operands();
    print_features();
    print_names();
    print_forms();
    print_left_out();
    return found_count == FORMS || fflush(stdout) || ferror(stdout);
}
