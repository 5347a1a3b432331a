/*
 * The code emitter for x86-64.
 *
 * Encodings: Intel SDM vol. 2, chapters 3 and 4, written there and here as opcode /digit; ModR/M, SIB
 * and REX: vol. 2A, 2.1 and 2.2. Branches use their rel32 form always, so that the length of code
 * does not depend on where it goes; loads and stores the shortest displacement, as assemblers do.
 *
 * rax and rdx are the emitter's scratch registers (DIV takes no others), rsp is the stack.
 */
#include <string.h>

#include "arch/x86_64/encode.h"

const unsigned emit_nop_lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0};
const unsigned emit_alignment = 1;
const unsigned emit_longest = 15; /* Intel SDM vol. 2A, 2.3.11 */
const char emit_isa[] = "x86_64";

const uint8_t emit_trap = 0xcc; /* INT3 */

/* 64-bit operation between two registers; `reg` may be the /digit of the opcode. */
static struct instruction between(unsigned opcode, unsigned reg, unsigned rm)
{
    struct instruction i = {.count = 0};
    add_opcode(&i, opcode, reg, 0, rm);
    add(&i, modrm(3, reg, rm), 1);
    return i;
}

/* ---- Computing ------------------------------------------------------------------------------- */

/*
 * Up to 9 bytes the forms that SDM vol. 2B, NOP, recommends; from there on more prefixes 66h, which
 * change nothing, up to the longest instruction there is.
 */
void emit_nop(struct code *c, unsigned bytes)
{
    static const uint8_t recommended[9][9] = {
        {0x90},
        {0x66, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40, 0x00},
        {0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
        {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
    };
    if (!code_require(c, bytes >= 1 && bytes <= emit_longest))
        return;
    /* appended in one call, since kernels consist of thousands of them */
    const unsigned rest = bytes < sizeof recommended[0] ? bytes : sizeof recommended[0];
    struct instruction i = {.count = bytes};
    memset(i.bytes, 0x66, bytes - rest);
    memcpy(i.bytes + bytes - rest, recommended[rest - 1], rest);
    append(c, &i, WORK_PLAIN);
}

/* 64-bit operation between two general registers of enum reg. */
static void append_between(struct code *c, unsigned opcode, enum reg reg, enum reg rm)
{
    const struct instruction i = between(opcode, number(c, reg), number(c, rm));
    append(c, &i, WORK_PLAIN);
}

void emit_move(struct code *c, enum reg to, enum reg from)
{
    append_between(c, 0x89, from, to); /* MOV r/m64, r64: 89 /r */
}

/* The shortest of three, one instruction each. */
void emit_constant(struct code *c, enum reg to, uint64_t value)
{
    const unsigned n = number(c, to);
    struct instruction i = {.count = 0};
    if (value <= UINT32_MAX) { /* MOV r32, imm32: B8+rd, clears the upper half */
        if (n >= R8)
            add(&i, 0x41, 1);
        add(&i, 0xb8 | (n & 7), 1);
        add(&i, (uint32_t)value, 4);
    } else if (value >= UINT64_C(0xffffffff80000000)) { /* MOV r/m64, imm32: C7 /0, sign-extended */
        i = between(0xc7, 0, n);
        add(&i, (uint32_t)value, 4);
    } else { /* MOV r64, imm64: REX.W B8+rd */
        add_opcode(&i, 0xb8 | (n & 7), 0, 0, n);
        add(&i, (uint32_t)value, 4);
        add(&i, (uint32_t)(value >> 32), 4);
    }
    append(c, &i, WORK_PLAIN);
}

void emit_add(struct code *c, enum reg to, enum reg from)
{
    append_between(c, 0x01, from, to); /* ADD r/m64, r64: 01 /r */
}

/* Operation with a sign-extended immediate: 83 /digit ib or 81 /digit id. */
static void append_immediate(struct code *c, unsigned digit, enum reg to, int32_t value)
{
    const bool byte = value >= -128 && value <= 127;
    struct instruction i = between(byte ? 0x83 : 0x81, digit, number(c, to));
    add(&i, (uint32_t)value, byte ? 1 : 4);
    append(c, &i, WORK_PLAIN);
}

void emit_add_constant(struct code *c, enum reg to, int32_t value)
{
    if (code_require(c, value >= -4095 && value <= 4095))
        append_immediate(c, 0, to, value); /* ADD: /0 */
}

void emit_xor(struct code *c, enum reg to, enum reg from)
{
    append_between(c, 0x31, from, to); /* XOR r/m64, r64: 31 /r */
}

void emit_and_constant(struct code *c, enum reg to, unsigned low_bits)
{
    if (code_require(c, low_bits >= 1 && low_bits <= 31))
        append_immediate(c, 4, to, (int32_t)((UINT32_C(1) << low_bits) - 1)); /* AND: /4 */
}

void emit_shift_right(struct code *c, enum reg to, unsigned bits)
{
    if (!code_require(c, bits >= 1 && bits <= 63))
        return;
    struct instruction i = between(0xc1, 5, number(c, to)); /* SHR r/m64, imm8: C1 /5 ib */
    add(&i, bits, 1);
    append(c, &i, WORK_PLAIN);
}

void emit_multiply(struct code *c, enum reg to, enum reg from)
{
    append_between(c, 0x0faf, to, from); /* IMUL r64, r/m64: 0F AF /r */
}

void emit_divide(struct code *c, enum reg to, enum reg from)
{
    const struct instruction clear = {.bytes = {0x31, 0xd2}, .count = 2}; /* XOR EDX, EDX */
    const struct instruction dividend = between(0x89, number(c, to), RAX);
    const struct instruction divide = between(0xf7, 6, number(c, from)); /* DIV r/m64: F7 /6 */
    const struct instruction quotient = between(0x89, RAX, number(c, to));
    append(c, &clear, WORK_PLAIN);
    append(c, &dividend, WORK_PLAIN);
    append(c, &divide, WORK_PLAIN);
    append(c, &quotient, WORK_PLAIN);
}

/* Scalar double operation: F2 0F opcode /r. Needs no REX, since there are eight vector registers. */
static void append_scalar(struct code *c, unsigned opcode, enum vreg to, enum vreg from)
{
    if (!code_require(c, (unsigned)to < VREGS && (unsigned)from < VREGS))
        return;
    const struct instruction i = {.bytes = {0xf2, 0x0f, (uint8_t)opcode, (uint8_t)modrm(3, to, from)}, .count = 4};
    append(c, &i, WORK_PLAIN);
}

/* Keeps the upper half of `to`, on which it therefore depends besides `from`. */
void emit_square_root(struct code *c, enum vreg to, enum vreg from)
{
    append_scalar(c, 0x51, to, from); /* SQRTSD */
}

void emit_vector_add(struct code *c, enum vreg to, enum vreg from)
{
    append_scalar(c, 0x58, to, from); /* ADDSD */
}

const unsigned emit_wide_bits[] = {128, 256, 512, 0};

static bool is_wide(unsigned bits)
{
    return bits == 128 || bits == 256 || bits == 512;
}

/* Legacy encoding up to 128 bits; VEX beyond that, which clears a register to its full width (vol. 2A, 2.3.10). */
void emit_wide_clear(struct code *c, enum vreg r, unsigned bits)
{
    if (!code_require(c, (unsigned)r < VREGS && is_wide(bits)))
        return;
    const uint8_t operands = (uint8_t)modrm(3, r, r), vvvv = (uint8_t)(~(unsigned)r & 0xf);
    const struct instruction legacy = {.bytes = {0x0f, 0x57, operands}, .count = 3}; /* XORPS: 0F 57 /r */
    const struct instruction vex = {.bytes = {0xc5, (uint8_t)(0x80 | vvvv << 3), 0x57, operands}, .count = 4};
    append(c, bits == 128 ? &legacy : &vex, WORK_PLAIN); /* VXORPS: VEX.128.0F 57 /r */
}

/*
 * MULPD: 66 0F 59 /r; VEX.256.66.0F 59 /r; EVEX.512.66.0F.W1 59 /r (vol. 2A, 2.3 and 2.7). Fields that extend register
 * numbers are stored inverted.
 */
void emit_wide_multiply(struct code *c, enum vreg to, enum vreg from, unsigned bits)
{
    if (!code_require(c, (unsigned)to < VREGS && (unsigned)from < VREGS && is_wide(bits)))
        return;
    const uint8_t operands = (uint8_t)modrm(3, to, from), vvvv = (uint8_t)(~(unsigned)to & 0xf);
    const struct instruction sse = {.bytes = {0x66, 0x0f, 0x59, operands}, .count = 4};
    const struct instruction vex = {.bytes = {0xc5, (uint8_t)(0x85 | vvvv << 3), 0x59, operands}, .count = 4};
    const struct instruction evex = {.bytes = {0x62, 0xf1, (uint8_t)(0x85 | vvvv << 3), 0x48, 0x59, operands},
                                     .count = 6};
    append(c, bits == 128 ? &sse : bits == 256 ? &vex : &evex, WORK_PLAIN);
}

/* Upper halves that are not clear slow the legacy encoding down (Intel Optimization Reference Manual, 15.3). */
void emit_wide_end(struct code *c, unsigned bits)
{
    const struct instruction vzeroupper = {.bytes = {0xc5, 0xf8, 0x77}, .count = 3}; /* VZEROUPPER: VEX.128.0F 77 */
    if (code_require(c, is_wide(bits)) && bits > 128)
        append(c, &vzeroupper, WORK_PLAIN);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/*
 * [base + displacement] (vol. 2A, tables 2-2 and 2-3): base 4 or 12 needs a SIB byte that names no
 * index; base 5 or 13 has no form without a displacement.
 */
static void append_access(struct code *c, unsigned opcode, enum reg r, enum reg base, int32_t offset, struct work work)
{
    if (!code_require(c, is_memory_offset(offset)))
        return;
    const unsigned reg = number(c, r), rm = number(c, base);
    const unsigned mod = offset == 0 && (rm & 7) != RBP ? 0 : offset >= -128 && offset <= 127 ? 1 : 2;
    struct instruction i = {.count = 0};
    add_opcode(&i, opcode, reg, 0, rm);
    add(&i, modrm(mod, reg, rm), 1);
    if ((rm & 7) == RSP)
        add(&i, 0x24, 1);
    add(&i, (uint32_t)offset, mod == 2 ? 4 : mod);
    append(c, &i, work);
}

void emit_load(struct code *c, enum reg to, enum reg base, int32_t offset)
{
    append_access(c, 0x8b, to, base, offset, WORK_LOAD); /* MOV r64, r/m64: 8B /r */
}

void emit_store(struct code *c, enum reg from, enum reg base, int32_t offset)
{
    append_access(c, 0x89, from, base, offset, WORK_STORE); /* MOV r/m64, r64: 89 /r */
}

/* ModR/M with rm = 4 and SIB with scale 8; base 5 or 13 again takes a displacement of 0. */
void emit_load_indexed(struct code *c, enum reg to, enum reg base, enum reg index)
{
    const unsigned reg = number(c, to), b = number(c, base), x = number(c, index);
    const unsigned mod = (b & 7) == RBP;
    struct instruction i = {.count = 0};
    add_opcode(&i, 0x8b, reg, x, b);
    add(&i, modrm(mod, reg, RSP), 1);
    add(&i, modrm(3, x, b), 1); /* SIB has the layout of ModR/M: scale 2^3, index, base */
    add(&i, 0, mod);
    append(c, &i, WORK_LOAD);
}

void emit_fence(struct code *c, enum fence kind)
{
    static const uint8_t last[FENCES] = {
        [FENCE_LOADS] = 0xe8,        /* LFENCE: NP 0F AE E8 */
        [FENCE_STORES] = 0xf8,       /* SFENCE: NP 0F AE F8 */
        [FENCE_MEMORY] = 0xf0,       /* MFENCE: NP 0F AE F0 */
        [FENCE_INSTRUCTIONS] = 0xe8, /* LFENCE (serialising on AMD as MSR C001_1029 bit 1 says) */
    };
    if (!code_require(c, (unsigned)kind < FENCES))
        return;
    const struct instruction i = {.bytes = {0x0f, 0xae, last[kind]}, .count = 3};
    append(c, &i, WORK_PLAIN);
}

/* CLFLUSH m8: NP 0F AE /7; the operand as in append_access. */
void emit_flush(struct code *c, enum reg base)
{
    const unsigned b = number(c, base), mod = (b & 7) == RBP;
    struct instruction i = {.count = 0};

    if (b >> 3)
        add(&i, 0x41, 1); /* REX.B */
    add(&i, 0x0f, 1);
    add(&i, 0xae, 1);
    add(&i, modrm(mod, 7, b), 1);
    if ((b & 7) == RSP)
        add(&i, 0x24, 1);
    add(&i, 0, mod);
    append(c, &i, WORK_PLAIN);
}

/* ---- Branches -------------------------------------------------------------------------------- */

/* A branch with displacement 0 for now; the fixup is where its rel32 lies, at its end. */
static struct fixup append_branch(struct code *c, unsigned opcode, struct work work)
{
    struct instruction i = {.count = 0};
    if (opcode > 0xff)
        add(&i, opcode >> 8, 1);
    add(&i, opcode, 1);
    const struct fixup f = {.at = c->used + i.count};
    add(&i, 0, 4);
    append(c, &i, work);
    return f;
}

static void append_test(struct code *c, enum reg r)
{
    append_between(c, 0x85, r, r); /* TEST r/m64, r64: 85 /r */
}

struct fixup emit_branch_ahead(struct code *c)
{
    return append_branch(c, 0xe9, WORK_BRANCH); /* JMP rel32: E9 cd */
}

struct fixup emit_branch_if_zero_ahead(struct code *c, enum reg r)
{
    append_test(c, r);
    return append_branch(c, 0x0f84, WORK_BRANCH); /* JZ rel32: 0F 84 cd */
}

struct fixup emit_branch_if_not_zero_ahead(struct code *c, enum reg r)
{
    append_test(c, r);
    return append_branch(c, 0x0f85, WORK_BRANCH); /* JNZ rel32: 0F 85 cd */
}

/* Calls store the return address, returns load it. */
#define WORK_CALL ((struct work){.instructions = 1, .branches = 1, .stores = 1})
#define WORK_RETURN ((struct work){.instructions = 1, .branches = 1, .loads = 1})

struct fixup emit_call_ahead(struct code *c)
{
    return append_branch(c, 0xe8, WORK_CALL); /* CALL rel32: E8 cd */
}

/* The displacement from the end of an instruction, or 0 and an invalid code when it is too far. */
static uint32_t displacement(struct code *c, size_t end, size_t target)
{
    const int64_t distance = (int64_t)target - (int64_t)end;
    return code_require(c, distance >= INT32_MIN && distance <= INT32_MAX) ? (uint32_t)distance : 0;
}

const char *const emit_code_prefetches[] = {"prefetchit0", "prefetchit1", NULL};

/*
 * PREFETCHIT0 m8: 0F 18 /7, PREFETCHIT1 m8: 0F 18 /6; with any operand but RIP + disp32 they are NOPs (Intel SDM vol.
 * 2B, PREFETCHh). Where CPUID.(7,1):EDX bit 14 is clear they are hints that the architecture reserves, and NOPs.
 */
void emit_code_prefetch(struct code *c, unsigned which, size_t target)
{
    enum { BYTES = 7 };
    struct instruction i = {.bytes = {0x0f, 0x18}, .count = 2};

    if (!code_require(c, which < 2 && target <= c->bytes))
        return;
    add(&i, modrm(0, 7 - which, RBP), 1);
    add(&i, displacement(c, c->used + BYTES, target), 4);
    append(c, &i, WORK_PLAIN);
}

void emit_land_at(struct code *c, struct fixup branch, size_t target)
{
    if (!code_require_branch(c, branch.at, 4, target))
        return;
    const uint32_t rel32 = displacement(c, branch.at + 4, target);
    if (!code_good(c))
        return;
    struct instruction i = {.count = 0};
    add(&i, rel32, 4);
    for (unsigned k = 0; k < 4; k++)
        c->write[branch.at + k] = i.bytes[k];
}

void emit_compare(struct code *c, enum reg a, enum reg b)
{
    append_between(c, 0x39, b, a); /* CMP r/m64, r64: 39 /r */
}

/* The rel8 form is two bytes long, JMP: EB cb, Jcc: 70+cc cb; the rel32 form is as in append_branch. */
static void append_jump(struct code *c, unsigned short_opcode, unsigned near_opcode, size_t target, unsigned bytes)
{
    const unsigned near_bytes = near_opcode > 0xff ? 6 : 5;
    if (!code_require(c, bytes == 2 || bytes == near_bytes) || !code_require(c, target <= c->bytes))
        return;
    const uint32_t rel = displacement(c, c->used + bytes, target);
    if (!code_require(c, bytes != 2 || (int32_t)rel == (int8_t)rel))
        return;
    struct instruction i = {.count = 0};
    if (bytes == 6)
        add(&i, near_opcode >> 8, 1);
    add(&i, bytes == 2 ? short_opcode : near_opcode & 0xff, 1);
    add(&i, rel, bytes == 2 ? 1 : 4);
    append(c, &i, WORK_BRANCH);
}

void emit_jump(struct code *c, size_t target, unsigned bytes)
{
    append_jump(c, 0xeb, 0xe9, target, bytes); /* JMP rel8, rel32 */
}

void emit_jump_if_equal(struct code *c, size_t target, unsigned bytes)
{
    append_jump(c, 0x74, 0x0f84, target, bytes); /* JE rel8, rel32 */
}

unsigned emit_jump_bytes(int64_t distance, bool conditional)
{
    const unsigned near_bytes = conditional ? 6 : 5;

    if (distance - 2 >= INT8_MIN && distance - 2 <= INT8_MAX)
        return 2;
    return distance - near_bytes >= INT32_MIN && distance - near_bytes <= INT32_MAX ? near_bytes : 0;
}

/* FF /digit without REX.W: near branches are 64 bits wide by themselves. */
static void append_indirect(struct code *c, unsigned digit, enum reg r, struct work work)
{
    const unsigned n = number(c, r);
    struct instruction i = {.count = 0};
    if (n >= R8)
        add(&i, 0x41, 1);
    add(&i, 0xff, 1);
    add(&i, modrm(3, digit, n), 1);
    append(c, &i, work);
}

void emit_branch_register(struct code *c, enum reg r)
{
    append_indirect(c, 4, r, WORK_BRANCH); /* JMP r/m64: FF /4 */
}

void emit_call_register(struct code *c, enum reg r)
{
    append_indirect(c, 2, r, WORK_CALL); /* CALL r/m64: FF /2 */
}

/* LEA r64, [RIP + disp32]: 8D /r with mod 0 and rm 5 (vol. 2A, 2.2.1.6). */
void emit_address(struct code *c, enum reg to, size_t offset)
{
    if (!code_require(c, offset <= c->bytes))
        return;
    const unsigned n = number(c, to);
    struct instruction i = {.count = 0};
    add_opcode(&i, 0x8d, n, 0, 0);
    add(&i, modrm(0, n, RBP), 1);
    add(&i, displacement(c, c->used + 7, offset), 4);
    append(c, &i, WORK_PLAIN);
}

void emit_enter(struct code *c)
{
    (void)c; /* the call has put the return address onto the stack already */
}

void emit_leave(struct code *c)
{
    emit_return(c);
}

void emit_drop_call(struct code *c)
{
    const struct instruction i = {.bytes = {0x48, 0x8d, 0x64, 0x24, 8}, .count = 5}; /* LEA RSP, [RSP+8] */

    append(c, &i, WORK_PLAIN);
}

void emit_return(struct code *c)
{
    const struct instruction i = {.bytes = {0xc3}, .count = 1}; /* RET: C3 */
    append(c, &i, WORK_RETURN);
}

/* MOV [RSP], r64: 89 /r with SIB, base RSP and no index (vol. 2A, table 2-3); RET. */
void emit_return_to(struct code *c, enum reg r)
{
    const unsigned n = number(c, r);
    struct instruction i = {.count = 0};
    add_opcode(&i, 0x89, n, 0, 0);
    add(&i, modrm(0, n, RSP), 1);
    add(&i, 0x24, 1);
    append(c, &i, WORK_STORE);
    emit_return(c);
}

void emit_loop(struct code *c, size_t start)
{
    if (!code_require(c, start <= c->used))
        return;
    const struct instruction count = between(0xff, 1, number(c, REG_COUNT)); /* DEC r/m64: FF /1 */
    append(c, &count, WORK_PLAIN);
    emit_land_at(c, append_branch(c, 0x0f85, WORK_BRANCH), start); /* JNZ */
}

/* ---- Faults ---------------------------------------------------------------------------------- */

void emit_undefined(struct code *c)
{
    const struct instruction i = {.bytes = {0x0f, 0x0b}, .count = 2}; /* UD2 */
    append(c, &i, WORK_PLAIN);
}

/*
 * RDMSR of 12345678h, far from every range in which MSRs are kept: 0 and C0000000h (Intel, AMD),
 * C0010000h (AMD), 40000000h (hypervisors). Changes REG_T0.
 */
void emit_unknown_register(struct code *c)
{
    const struct instruction i = {.bytes = {0x0f, 0x32}, .count = 2}; /* RDMSR */
    emit_constant(c, REG_T0, 0x12345678);
    append(c, &i, WORK_PLAIN);
}
