/*
 * Fillers for x86-64.
 *
 * Encodings: Intel SDM vol. 2, chapters 3 to 5; VEX: vol. 2A, 2.3; EVEX: 2.7. Additions to general registers are LEA,
 * which does not write flags, with two registers: some cores eliminate additions of small constants. Vectors are
 * encoded with VEX, or EVEX for 512 bits, so that none depends on the old value of its result; for cores that lack
 * both there is one legacy instruction that does not either.
 */
#include "arch/emit_fillers_private.h"
#include "arch/x86_64/encode.h"

const struct emit_filler emit_fillers[] = {
    {"nop", FILLER_NOTHING, 8, 0, false},
    {"long-nop", FILLER_NOTHING, 64, 0, false},
    {"move", FILLER_NOTHING, 0, 0, true},
    {"zero", FILLER_NOTHING, 0, 0, false},
    {"int64", FILLER_GENERAL, 64, 0, true},
    {"int32", FILLER_GENERAL, 32, 0, true},
    {"multiply", FILLER_PRODUCT, 64, 0, true},
    {"flags", FILLER_FLAGS, 0, 0, true},
    {"scalar", FILLER_VECTOR, 64, 256, true},
    {"v128", FILLER_VECTOR, 128, 256, true},
    {"v256", FILLER_VECTOR, 256, 256, true},
    {"v512", FILLER_VECTOR, 512, 512, true},
    {"mask", FILLER_MASK, 16, 512, false},
    {"load-64", FILLER_LOAD, 64, 0, true},
    {"load-v128", FILLER_LOAD, 128, 256, false},
    {"load-v256", FILLER_LOAD, 256, 256, false},
    {"load-v512", FILLER_LOAD, 512, 512, false},
    {"store-8", FILLER_STORE, 8, 0, true},
    {"store-64", FILLER_STORE, 64, 0, true},
    {"store-v128", FILLER_STORE, 128, 256, true},
    {"store-v256", FILLER_STORE, 256, 256, true},
    {"store-v512", FILLER_STORE, 512, 512, true},
    {"store-target", FILLER_TARGET, 64, 0, true},
    {"branch", FILLER_BRANCH, 0, 0, true},
    {"jump", FILLER_JUMP, 0, 0, false},
    {"v128-legacy", FILLER_VECTOR, 128, 0, false},
    {.name = NULL},
};

enum { FIRST_TARGET = 3, SECOND_SOURCE = 7 }; /* of vector and mask registers */

/* LEA r32 or r64, [base + index]: 8D /r, ModR/M 00 r 100 and SIB. Base is REG_T7, R12, which needs no displacement. */
static void append_lea(struct code *c, enum reg to, enum reg index, bool wide)
{
    const unsigned r = number(c, to), x = number(c, index), b = number(c, REG_T7);
    struct instruction i = {.count = 0};

    add(&i, 0x40 | (unsigned)wide << 3 | r >> 3 << 2 | x >> 3 << 1 | b >> 3, 1);
    add(&i, 0x8d, 1);
    add(&i, modrm(0, r, RSP), 1);
    add(&i, modrm(0, x, b), 1);
    append(c, &i, WORK_PLAIN);
}

/* IMUL r64, r64, imm8: 6B /r ib, of `from` and 3. */
static void append_product(struct code *c, enum reg to, enum reg from)
{
    const unsigned r = number(c, to), b = number(c, from);
    struct instruction i = {.count = 0};

    add_opcode(&i, 0x6b, r, 0, b);
    add(&i, modrm(3, r, b), 1);
    add(&i, 3, 1);
    append(c, &i, WORK_PLAIN);
}

/* MOV r/m64, r64 to [base + 8 * index]: 89 /r, ModR/M 01 r 100, SIB and a displacement of 0. */
static void append_store(struct code *c, enum reg from, enum reg base, enum reg index)
{
    const unsigned r = number(c, from), x = number(c, index), b = number(c, base);
    struct instruction i = {.count = 0};

    add_opcode(&i, 0x89, r, x, b);
    add(&i, modrm(1, r, RSP), 1);
    add(&i, modrm(3, x, b), 1);
    add(&i, 0, 1);
    append(c, &i, WORK_STORE);
}

/* XOR r32, r32 of one register: 31 /r. */
static void append_zero(struct code *c, enum reg to)
{
    const unsigned n = number(c, to);
    struct instruction i = {.count = 0};

    if (n >= R8)
        add(&i, 0x45, 1);
    add(&i, 0x31, 1);
    add(&i, modrm(3, n, n), 1);
    append(c, &i, WORK_PLAIN);
}

/* Two-byte VEX. `pp`: 0 none, 1 66h, 3 F2h. */
static void append_vex(struct code *c, unsigned opcode, unsigned pp, bool l, unsigned to, unsigned from)
{
    const struct instruction i = {
        .bytes = {0xc5, (uint8_t)(0x80 | (~(unsigned)SECOND_SOURCE & 0xf) << 3 | (unsigned)l << 2 | pp),
                  (uint8_t)opcode, (uint8_t)modrm(3, to, from)},
        .count = 4};
    append(c, &i, WORK_PLAIN);
}

/* PSHUFD: 66 0F 70 /r ib, the legacy instruction that does not depend on the old value of its result. */
static void append_legacy(struct code *c, unsigned to, unsigned from)
{
    struct instruction i = {.count = 0};

    add(&i, 0x66, 1);
    if (to >= 8 || from >= 8)
        add(&i, 0x40 | to >> 3 << 2 | from >> 3, 1);
    add(&i, 0x700f, 2);
    add(&i, modrm(3, to, from), 1);
    add(&i, 0, 1);
    append(c, &i, WORK_PLAIN);
}

static void append_vector(struct code *c, const struct emit_filler *f, unsigned to, unsigned from)
{
    if (!f->vector_bits) {
        append_legacy(c, to, from);
    } else if (f->bits == 64) { /* VADDSD: VEX.LIG.F2.0F 58 /r */
        append_vex(c, 0x58, 3, false, to, from);
    } else if (f->bits < 512) { /* VPADDQ: VEX.66.0F D4 /r */
        append_vex(c, 0xd4, 1, f->bits == 256, to, from);
    } else { /* VPADDQ: EVEX.512.66.0F.W1 D4 /r */
        const struct instruction i = {.bytes = {0x62, 0xf1, (uint8_t)(0x85 | (~(unsigned)SECOND_SOURCE & 0xf) << 3),
                                                0x48, 0xd4, (uint8_t)modrm(3, to, from)},
                                      .count = 6};
        append(c, &i, WORK_PLAIN);
    }
}

void emit_filler_computing(struct code *c, const struct emit_filler *f, unsigned target, enum reg general,
                           enum vreg vector)
{
    const enum reg to = (enum reg)(REG_T3 + target);

    if (!code_require(c, (unsigned)vector < VREGS))
        return;
    if (f->class == FILLER_GENERAL)
        append_lea(c, to, general, f->bits == 64);
    else if (f->class == FILLER_PRODUCT)
        append_product(c, to, general);
    else if (f->class == FILLER_TARGET)
        append_store(c, REG_T7, REG_T8, general);
    else if (f->class == FILLER_VECTOR)
        append_vector(c, f, FIRST_TARGET + target, vector);
    else if (f->class == FILLER_MASK) /* KORW: VEX.L1.0F.W0 45 /r */
        append_vex(c, 0x45, 0, true, FIRST_TARGET + target, 6);
    else if (f->bits)
        emit_nop(c, f->bits / 8);
    else if (f->waits)
        emit_move(c, to, general);
    else
        append_zero(c, to);
}

enum { LOW_VECTORS = 16, HIGH_VECTORS = 32 }; /* those that VEX names, and those that EVEX does */
enum { MASKS = 8 };

/* VPADDQ of a register that holds 0, or VPXOR of any, with itself; VEX.128 or VEX.256, 66.0F.WIG D4 or EF /r. */
static void append_low(struct code *c, unsigned opcode, bool l, unsigned to, unsigned from)
{
    const unsigned r = (unsigned)(to < 8) << 7, b = (unsigned)(from < 8) << 5;
    const struct instruction i = {.bytes = {0xc4, (uint8_t)(r | 0x40 | b | 1),
                                            (uint8_t)((~from & 0xf) << 3 | (unsigned)l << 2 | 1), (uint8_t)opcode,
                                            (uint8_t)modrm(3, to, from)},
                                  .count = 5};
    append(c, &i, WORK_PLAIN);
}

/* The same of 512 bits: EVEX.512.66.0F.W1, VPADDQ or VPXORQ. */
static void append_high(struct code *c, unsigned opcode, unsigned to, unsigned from)
{
    const unsigned r = (~to >> 3 & 1) << 7 | (~to >> 4 & 1) << 4, b = (~from >> 4 & 1) << 6 | (~from >> 3 & 1) << 5;
    const struct instruction i = {.bytes = {0x62, (uint8_t)(r | b | 1), (uint8_t)(0x85 | (~from & 0xf) << 3),
                                            (uint8_t)(0x40 | (~from >> 4 & 1) << 3), (uint8_t)opcode,
                                            (uint8_t)modrm(3, to, from)},
                                  .count = 6};
    append(c, &i, WORK_PLAIN);
}

/*
 * KORW writes masks. An XOR of a register with itself is a zeroing idiom (Optimization Manual, 3.5.1.7); the legacy
 * encoding is not used for it here.
 */
void emit_filler_hold(struct code *c, unsigned vector_bits, unsigned bits, bool cleared)
{
    const unsigned opcode = cleared ? 0xef : 0xd4;

    for (unsigned i = 0; i < MASKS && vector_bits >= 512 && !cleared; i++)
        append_vex(c, 0x45, 0, true, i, 6);

    for (unsigned i = 0; i < LOW_VECTORS && vector_bits < 256 && !cleared; i++)
        append_legacy(c, i, i == 6 ? 7 : 6);

    for (unsigned i = 0; i < (vector_bits < 256 ? 0 : vector_bits < 512 ? LOW_VECTORS : HIGH_VECTORS); i++) {
        const unsigned from = cleared ? i : i == 6 ? 7 : 6;
        if (i < LOW_VECTORS && bits < 512)
            append_low(c, opcode, bits == 256, i, from);
        else
            append_high(c, opcode, i, from);
    }
}
