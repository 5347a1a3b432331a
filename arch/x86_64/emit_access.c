/*
 * Loads and stores of every width for x86-64.
 *
 * Encodings: Intel SDM vol. 2, chapters 3 to 5; VEX: vol. 2A, 2.3; EVEX: 2.7. Vector accesses are encoded with VEX, so
 * that none keeps the upper part of a register and thereby depends on it.
 */
#include "arch/emit_access.h"

#include "arch/x86_64/encode.h"

const struct emit_access emit_accesses[] = {
    {"8", ACCESS_GENERAL, 8, 1, 0, false, true, true},
    {"16", ACCESS_GENERAL, 16, 1, 0, false, true, true},
    {"32", ACCESS_GENERAL, 32, 1, 0, false, true, true},
    {"64", ACCESS_GENERAL, 64, 1, 0, false, true, true},
    {"stream64", ACCESS_GENERAL, 64, 1, 0, true, false, true},
    {"v32", ACCESS_VECTOR, 32, 1, 256, false, true, true},
    {"v64", ACCESS_VECTOR, 64, 1, 256, false, true, true},
    {"v128", ACCESS_VECTOR, 128, 1, 256, false, true, true},
    {"v256", ACCESS_VECTOR, 256, 1, 256, false, true, true},
    {"v512", ACCESS_VECTOR, 512, 1, 512, false, true, true},
    {"stream128", ACCESS_VECTOR, 128, 1, 256, true, false, true},
    {"stream256", ACCESS_VECTOR, 256, 1, 256, true, false, true},
    {"stream512", ACCESS_VECTOR, 512, 1, 512, true, false, true},
    {.name = NULL},
};

/*
 * ModR/M, SIB and displacement of [base + offset] (vol. 2A, tables 2-2 and 2-3). `scale` is what a displacement of one
 * byte is multiplied by: 1, or 64 with EVEX of 512 bits (2.7.5).
 */
static void add_operand(struct instruction *i, unsigned reg, unsigned base, int32_t offset, int32_t scale)
{
    const bool byte = offset % scale == 0 && offset / scale >= -128 && offset / scale <= 127;
    const unsigned mod = offset == 0 && (base & 7) != RBP ? 0 : byte ? 1 : 2;

    add(i, modrm(mod, reg, base), 1);
    if ((base & 7) == RSP)
        add(i, 0x24, 1);
    add(i, (uint32_t)(mod == 1 ? offset / scale : offset), mod == 2 ? 4 : mod);
}

/* Prefix 66h for 16 bits; REX.W for 64; a plain REX for bytes, without which registers 4 to 7 would be AH to BH. */
static struct instruction general(unsigned opcode, unsigned bits, unsigned reg, unsigned base, int32_t offset)
{
    struct instruction i = {.count = 0};
    const unsigned rex = (unsigned)(bits == 64) << 3 | reg >> 3 << 2 | base >> 3;

    if (bits == 16)
        add(&i, 0x66, 1);
    if (rex || bits == 8)
        add(&i, 0x40 | rex, 1);
    if (opcode > 0xff)
        add(&i, opcode >> 8, 1);
    add(&i, opcode & 0xff, 1);
    add_operand(&i, reg, base, offset, 1);
    return i;
}

/* Opcode map 0F; `prefix` is the pp field: 0 none, 1 66h, 2 F3h. There are eight vector registers: R is never used. */
static struct instruction vector(unsigned opcode, unsigned prefix, unsigned bits, unsigned reg, unsigned base,
                                 int32_t offset)
{
    struct instruction i = {.count = 0};

    if (bits == 512) { /* EVEX.512.0F.W0, no mask */
        add(&i, 0x62, 1);
        add(&i, base >> 3 ? 0xd1 : 0xf1, 1);
        add(&i, 0x7c | prefix, 1);
        add(&i, 0x48, 1);
    } else if (base >> 3) { /* three-byte VEX, for B */
        add(&i, 0xc4, 1);
        add(&i, 0xc1, 1);
        add(&i, 0x78 | (unsigned)(bits == 256) << 2 | prefix, 1);
    } else {
        add(&i, 0xc5, 1);
        add(&i, 0xf8 | (unsigned)(bits == 256) << 2 | prefix, 1);
    }
    add(&i, opcode, 1);
    add_operand(&i, reg, base, offset, bits == 512 ? 64 : 1);
    return i;
}

/* Whether every ISA can encode this offset (arch/emit_access.h). */
static bool is_offset(const struct emit_access *a, int32_t offset)
{
    const int32_t bytes = (int32_t)a->bits / 8;

    return (offset >= -256 && offset <= 255) || (offset >= 0 && offset % bytes == 0 && offset <= 4095 * bytes);
}

static bool is_register(struct code *c, const struct emit_access *a, unsigned r)
{
    return code_require(c, r < (a->file == ACCESS_GENERAL ? (unsigned)REGS : (unsigned)VREGS));
}

void emit_load_as(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset)
{
    if (!is_register(c, a, r) || !code_require(c, a->has_load && is_offset(a, offset)))
        return;
    const unsigned b = number(c, base);
    struct instruction i = {.count = 0};
    if (a->file == ACCESS_GENERAL) {
        /* MOVZX r32, m8: 0F B6 /r, m16: 0F B7 /r; MOV: 8B /r. Writing 32 bits clears the upper half. */
        const unsigned opcode = a->bits == 8 ? 0x0fb6 : a->bits == 16 ? 0x0fb7 : 0x8b;
        i = general(opcode, a->bits == 64 ? 64 : 32, number(c, (enum reg)r), b, offset);
    } else if (a->bits == 32) {
        i = vector(0x6e, 1, 128, r, b, offset); /* VMOVD xmm, m32: VEX.128.66.0F.W0 6E /r */
    } else if (a->bits == 64) {
        i = vector(0x7e, 2, 128, r, b, offset); /* VMOVQ xmm, m64: VEX.128.F3.0F 7E /r */
    } else {
        i = vector(0x10, 0, a->bits, r, b, offset); /* VMOVUPS: VEX.0F 10 /r, EVEX.512.0F.W0 10 /r */
    }
    append(c, &i, WORK_LOAD);
}

void emit_store_as(struct code *c, const struct emit_access *a, unsigned r, enum reg base, int32_t offset)
{
    if (!is_register(c, a, r) || !code_require(c, a->has_store && is_offset(a, offset)))
        return;
    const unsigned b = number(c, base);
    struct instruction i = {.count = 0};
    if (a->file == ACCESS_GENERAL) {
        /* MOV m8, r8: 88 /r; MOV: 89 /r; MOVNTI m64, r64: 0F C3 /r */
        const unsigned opcode = a->streams ? 0x0fc3 : a->bits == 8 ? 0x88 : 0x89;
        i = general(opcode, a->bits, number(c, (enum reg)r), b, offset);
    } else if (a->bits == 32) {
        i = vector(0x7e, 1, 128, r, b, offset); /* VMOVD m32, xmm: VEX.128.66.0F.W0 7E /r */
    } else if (a->bits == 64) {
        i = vector(0xd6, 1, 128, r, b, offset); /* VMOVQ m64, xmm: VEX.128.66.0F D6 /r */
    } else {
        /* VMOVUPS: VEX.0F 11 /r, EVEX.512.0F.W0 11 /r; VMOVNTPS: 2B /r */
        i = vector(a->streams ? 0x2b : 0x11, 0, a->bits, r, b, offset);
    }
    append(c, &i, WORK_STORE);
}
