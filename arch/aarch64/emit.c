/*
 * The code emitter for AArch64.
 *
 * Encodings: Arm ARM DDI 0487, C6.2 (base instructions) and C7.2 (scalar floating point), under the
 * names given beside them. Every instruction is one little-endian word.
 *
 * Registers: enum reg has the numbers of the registers x0 to x10. x16 is the emitter's scratch register;
 * x18 belongs to the platform (AAPCS64, 6.1.1), x30 is the link register.
 */
#include "arch/aarch64/encode.h"

const unsigned emit_nop_lengths[] = {4, 0};
const unsigned emit_alignment = 4;
const unsigned emit_longest = 4;
const char emit_isa[] = "aarch64";

const uint8_t emit_trap = 0; /* UDF #0 is a word of zeros */

/* ---- Computing ------------------------------------------------------------------------------- */

void emit_nop(struct code *c, unsigned bytes)
{
    if (code_require(c, bytes == 4))
        append(c, 0xd503201f, WORK_PLAIN); /* NOP */
}

void emit_move(struct code *c, enum reg to, enum reg from)
{
    append(c, 0xaa0003e0 | rm(c, from) | rd(c, to), WORK_PLAIN); /* MOV (register) = ORR Xd, XZR, Xm */
}

/* MOVZ or MOVN, whichever leaves fewer 16-bit pieces for MOVK to set. */
void emit_constant(struct code *c, enum reg to, uint64_t value)
{
    unsigned zeros = 0, ones = 0;
    for (unsigned shift = 0; shift < 64; shift += 16) {
        zeros += (uint16_t)(value >> shift) == 0;
        ones += (uint16_t)(value >> shift) == 0xffff;
    }

    const bool inverted = ones > zeros;
    const uint16_t background = inverted ? 0xffff : 0;
    const bool uniform = zeros == 4 || ones == 4; /* no piece stands out, one is needed all the same */
    bool first = true;
    for (uint32_t hw = 0; hw < 4; hw++) {
        const uint16_t piece = (uint16_t)(value >> (16 * hw));
        if (piece == background && !(uniform && first))
            continue;
        uint32_t opcode = 0xf2800000; /* MOVK */
        if (first)
            opcode = inverted ? 0x92800000 /* MOVN */ : 0xd2800000 /* MOVZ */;
        const uint16_t imm16 = first && inverted ? (uint16_t)~piece : piece;
        append(c, opcode | hw << 21 | (uint32_t)imm16 << 5 | rd(c, to), WORK_PLAIN);
        first = false;
    }
}

void emit_add(struct code *c, enum reg to, enum reg from)
{
    append(c, 0x8b000000 | rm(c, from) | rn(c, to) | rd(c, to), WORK_PLAIN); /* ADD (shifted register) */
}

void emit_add_constant(struct code *c, enum reg to, int32_t value)
{
    if (!code_require(c, value >= -4095 && value <= 4095))
        return;
    const uint32_t opcode = value < 0 ? 0xd1000000 /* SUB (immediate) */ : 0x91000000 /* ADD (immediate) */;
    const uint32_t imm12 = (uint32_t)(value < 0 ? -value : value);
    append(c, opcode | imm12 << 10 | rn(c, to) | rd(c, to), WORK_PLAIN);
}

void emit_xor(struct code *c, enum reg to, enum reg from)
{
    append(c, 0xca000000 | rm(c, from) | rn(c, to) | rd(c, to), WORK_PLAIN); /* EOR (shifted register) */
}

void emit_and_constant(struct code *c, enum reg to, unsigned low_bits)
{
    /* AND (immediate): a 64-bit element (N = 1) with imms + 1 ones, not rotated. */
    if (code_require(c, low_bits >= 1 && low_bits <= 31))
        append(c, 0x92400000 | (low_bits - 1) << 10 | rn(c, to) | rd(c, to), WORK_PLAIN);
}

void emit_shift_right(struct code *c, enum reg to, unsigned bits)
{
    if (code_require(c, bits >= 1 && bits <= 63)) /* LSR (immediate) = UBFM Xd, Xn, #bits, #63 */
        append(c, 0xd340fc00 | bits << 16 | rn(c, to) | rd(c, to), WORK_PLAIN);
}

void emit_multiply(struct code *c, enum reg to, enum reg from)
{
    append(c, 0x9b007c00 | rm(c, from) | rn(c, to) | rd(c, to), WORK_PLAIN); /* MUL = MADD with XZR */
}

void emit_divide(struct code *c, enum reg to, enum reg from)
{
    append(c, 0x9ac00800 | rm(c, from) | rn(c, to) | rd(c, to), WORK_PLAIN); /* UDIV */
}

void emit_square_root(struct code *c, enum vreg to, enum vreg from)
{
    /* FSQRT (scalar), double */
    append(c, 0x1e61c000 | field(c, from, VREGS, 5) | field(c, to, VREGS, 0), WORK_PLAIN);
}

void emit_vector_add(struct code *c, enum vreg to, enum vreg from)
{
    /* FADD (scalar), double */
    append(c, 0x1e602800 | field(c, from, VREGS, 16) | field(c, to, VREGS, 5) | field(c, to, VREGS, 0), WORK_PLAIN);
}

const unsigned emit_wide_bits[] = {128, 0};

void emit_wide_clear(struct code *c, enum vreg r, unsigned bits)
{
    if (code_require(c, bits == 128)) /* MOVI Vd.2D, #0 */
        append(c, 0x6f00e400 | field(c, r, VREGS, 0), WORK_PLAIN);
}

void emit_wide_multiply(struct code *c, enum vreg to, enum vreg from, unsigned bits)
{
    if (code_require(c, bits == 128)) /* FMUL (vector), 2D */
        append(c, 0x6e60dc00 | field(c, from, VREGS, 16) | field(c, to, VREGS, 5) | field(c, to, VREGS, 0), WORK_PLAIN);
}

void emit_wide_end(struct code *c, unsigned bits)
{
    code_require(c, bits == 128);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The scaled form holds 0 … 32760 in imm12, the unscaled one negative offsets in imm9. */
static void append_access(struct code *c, uint32_t scaled, uint32_t unscaled, enum reg r, enum reg base, int32_t offset,
                          struct work work)
{
    if (!code_require(c, is_memory_offset(offset)))
        return;
    const uint32_t where = offset < 0 ? unscaled | immediate(c, offset, 9, 12) : scaled | (uint32_t)offset / 8 << 10;
    append(c, where | rn(c, base) | rd(c, r), work);
}

void emit_load(struct code *c, enum reg to, enum reg base, int32_t offset)
{
    append_access(c, 0xf9400000 /* LDR (immediate) */, 0xf8400000 /* LDUR */, to, base, offset, WORK_LOAD);
}

void emit_store(struct code *c, enum reg from, enum reg base, int32_t offset)
{
    append_access(c, 0xf9000000 /* STR (immediate) */, 0xf8000000 /* STUR */, from, base, offset, WORK_STORE);
}

void emit_load_indexed(struct code *c, enum reg to, enum reg base, enum reg index)
{
    /* LDR (register), LSL #3 */
    append(c, 0xf8607800 | rm(c, index) | rn(c, base) | rd(c, to), WORK_LOAD);
}

void emit_fence(struct code *c, enum fence kind)
{
    static const uint32_t word[FENCES] = {
        [FENCE_LOADS] = 0xd5033d9f,        /* DSB LD */
        [FENCE_STORES] = 0xd5033e9f,       /* DSB ST */
        [FENCE_MEMORY] = 0xd5033f9f,       /* DSB SY */
        [FENCE_INSTRUCTIONS] = 0xd5033fdf, /* ISB */
    };
    if (code_require(c, kind < FENCES))
        append(c, word[kind], WORK_PLAIN);
}

/* DC CIVAC, Xt: SYS #3, C7, C14, #1 (Arm ARM DDI 0487, C5.3.16). */
void emit_flush(struct code *c, enum reg base)
{
    append(c, 0xd50b7e20 | rd(c, base), WORK_PLAIN);
}

/* ---- Branches -------------------------------------------------------------------------------- */

/* How far a branch reaches: B and BL ±128 MiB (imm26), CBZ and CBNZ ±1 MiB (imm19 at bit 5). */
enum { NEAR_BRANCH, FAR_BRANCH };

#define NEAR_REACH 0x100000

static struct fixup append_branch(struct code *c, uint32_t opcode, unsigned kind)
{
    const struct fixup f = {.at = c->used, .kind = kind};
    append(c, opcode, WORK_BRANCH);
    return f;
}

struct fixup emit_branch_ahead(struct code *c)
{
    return append_branch(c, 0x14000000, FAR_BRANCH); /* B */
}

struct fixup emit_branch_if_zero_ahead(struct code *c, enum reg r)
{
    return append_branch(c, 0xb4000000 | rd(c, r), NEAR_BRANCH); /* CBZ */
}

struct fixup emit_branch_if_not_zero_ahead(struct code *c, enum reg r)
{
    return append_branch(c, 0xb5000000 | rd(c, r), NEAR_BRANCH); /* CBNZ */
}

struct fixup emit_call_ahead(struct code *c)
{
    return append_branch(c, 0x94000000, FAR_BRANCH); /* BL */
}

void emit_land_at(struct code *c, struct fixup branch, size_t target)
{
    if (!code_require_branch(c, branch.at, 4, target))
        return;

    const unsigned width = branch.kind == FAR_BRANCH ? 26 : 19;
    const unsigned bit = branch.kind == FAR_BRANCH ? 0 : 5;
    const int64_t words = ((int64_t)target - (int64_t)branch.at) / 4;
    const uint32_t displacement = immediate(c, words, width, bit);
    if (!code_good(c))
        return;

    const uint32_t mask = ((UINT32_C(1) << width) - 1) << bit;
    uint8_t *bytes = c->write + branch.at;
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)((bytes[i] & ~(mask >> (8 * i))) | displacement >> (8 * i));
}

void emit_compare(struct code *c, enum reg a, enum reg b)
{
    append(c, 0xeb00001f | rm(c, b) | rn(c, a), WORK_PLAIN); /* CMP = SUBS XZR, Xn, Xm */
}

void emit_jump(struct code *c, size_t target, unsigned bytes)
{
    if (code_require(c, bytes == 4))
        emit_branch(c, target);
}

void emit_jump_if_equal(struct code *c, size_t target, unsigned bytes)
{
    if (code_require(c, bytes == 4)) {
        const struct fixup f = append_branch(c, 0x54000000, NEAR_BRANCH); /* B.EQ: condition 0, imm19 as CBZ has it */
        emit_land_at(c, f, target);
    }
}

unsigned emit_jump_bytes(int64_t distance, bool conditional)
{
    const int64_t reach = conditional ? NEAR_REACH : INT64_C(1) << 27;

    return distance % 4 == 0 && distance >= -reach && distance < reach ? 4 : 0;
}

void emit_branch_register(struct code *c, enum reg r)
{
    append(c, 0xd61f0000 | rn(c, r), WORK_BRANCH); /* BR */
}

void emit_call_register(struct code *c, enum reg r)
{
    append(c, 0xd63f0000 | rn(c, r), WORK_BRANCH); /* BLR */
}

/* ADRP and ADD (immediate): ADR alone would reach no further than 1 MiB. */
void emit_address(struct code *c, enum reg to, size_t offset)
{
    if (!code_require(c, offset <= c->bytes))
        return;
    const uint64_t address = c->at + offset;
    const int64_t pages = (int64_t)(address >> 12) - (int64_t)((c->at + c->used) >> 12);
    const uint32_t imm21 = immediate(c, pages, 21, 0);
    append(c, 0x90000000 | (imm21 & 3) << 29 | imm21 >> 2 << 5 | rd(c, to), WORK_PLAIN);
    append(c, 0x91000000 | (uint32_t)(address & 0xfff) << 10 | rn(c, to) | rd(c, to), WORK_PLAIN);
}

const char *const emit_code_prefetches[] = {"plil1keep", "plil2keep", NULL};

/* PRFM (literal): opc 11, imm19 at bit 5, prfop in Rt: PLIL1KEEP 01000, PLIL2KEEP 01010 (Arm ARM, C6.2). */
void emit_code_prefetch(struct code *c, unsigned which, size_t target)
{
    const uint32_t operations[] = {8, 10};

    if (!code_require(c, which < 2 && target % 4 == 0 && target <= c->bytes))
        return;
    const int64_t words = ((int64_t)target - (int64_t)c->used) / 4;
    append(c, 0xd8000000 | immediate(c, words, 19, 5) | operations[which], WORK_PLAIN);
}

void emit_enter(struct code *c)
{
    append(c, 0xf81f0ffe, WORK_STORE); /* STR X30, [SP, #-16]!; the stack pointer keeps 16-byte alignment */
}

void emit_leave(struct code *c)
{
    append(c, 0xf84107fe, WORK_LOAD); /* LDR X30, [SP], #16 */
    emit_return(c);
}

void emit_drop_call(struct code *c)
{
    (void)c; /* it is in X30 only, which emit_leave loads */
}

void emit_return(struct code *c)
{
    append(c, 0xd65f03c0, WORK_BRANCH); /* RET */
}

void emit_return_to(struct code *c, enum reg r)
{
    append(c, 0xd65f0000 | rn(c, r), WORK_BRANCH); /* RET Xn: a return, whatever register it goes by */
}

/*
 * Within reach of CBNZ:  SUB X0, X0, #1; CBNZ X0, start
 * Beyond it:             SUB X0, X0, #1; CBZ X0, last; B start; last: B next; next:
 *
 * The branch to the next instruction makes the last iteration execute as many instructions and
 * branches as the others, so that work times iterations is exact: three and two.
 */
void emit_loop(struct code *c, size_t start)
{
    if (!code_require(c, start <= c->used))
        return;
    emit_add_constant(c, REG_COUNT, -1);
    if (c->used - start <= NEAR_REACH) {
        emit_branch_if_not_zero(c, REG_COUNT, start);
        return;
    }
    const struct fixup last = emit_branch_if_zero_ahead(c, REG_COUNT);
    emit_branch(c, start);
    emit_land(c, last);
    const struct work before = c->work;
    emit_branch(c, c->used + 4);
    c->work = before; /* executed once, in place of the branch back */
}

/* ---- Faults ---------------------------------------------------------------------------------- */

void emit_undefined(struct code *c)
{
    append(c, 0x00000000, WORK_PLAIN); /* UDF #0 */
}

/*
 * MRS X16, S3_2_C1_C15_7: op0 = 3, op1 = 2 holds nothing but CSSELR_EL1 (Arm ARM D18.1), and CRn is
 * not one of those left to implementations (11 and 15); unallocated, hence UNDEFINED.
 */
void emit_unknown_register(struct code *c)
{
    append(c, 0xd5380000 | 2 << 16 | 1 << 12 | 15 << 8 | 7 << 5 | 16, WORK_PLAIN);
}
