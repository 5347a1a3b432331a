/*
 * What the emitter's tests share. emit_x86_64.c and emit_aarch64.c say what their ISA looks like
 * (struct isa, expect); the tests themselves are the same for both:
 *
 *   emit_text.h  reads back with Capstone what was emitted, and compares it with assembly written down
 *                independently of the encodings;
 *   emit_run.h   runs kernels in Unicorn, which counts and remembers what they do;
 *   emit_room.h  emits into too little room, and with operands that are not allowed.
 */
#ifndef FATHOM_TESTS_EMIT_COMMON_H
#define FATHOM_TESTS_EMIT_COMMON_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>
#include <unicorn/unicorn.h>

#include "arch/emit.h"
#include "arch/emit_block.h"

/* ---- One operation of the emitter as data ---------------------------------------------------- */

enum kind {
    NOP,
    MOVE,
    CONSTANT,
    ADD,
    ADD_CONSTANT,
    XOR,
    AND_CONSTANT,
    SHIFT_RIGHT,
    MULTIPLY,
    DIVIDE,
    SQUARE_ROOT,
    VECTOR_ADD,
    WIDE_CLEAR,
    WIDE_MULTIPLY,
    WIDE_END,
    LOAD,
    STORE,
    LOAD_INDEXED,
    FENCE,
    FLUSH,
    BRANCH,
    BRANCH_IF_ZERO,
    BRANCH_IF_NOT_ZERO,
    COMPARE,
    DIRECT_JUMP,          /* a: bytes */
    DIRECT_JUMP_IF_EQUAL, /* a: bytes */
    BRANCH_REGISTER,
    ADDRESS,
    CODE_PREFETCH,
    CALL,
    CALL_REGISTER,
    ENTER,
    LEAVE,
    RETURN,
    RETURN_TO,
    DROP_CALL,
    LOOP,
    UNDEFINED,
    UNKNOWN_REGISTER,
    KINDS
};

/* The operands in the order of the function's parameters: registers a, b and c, then the number n. */
struct op {
    enum kind kind;
    unsigned a, b, c;
    int64_t n;
};

static void apply(struct code *code, struct op o)
{
    switch (o.kind) {
    case NOP: emit_nop(code, (unsigned)o.n); break;
    case MOVE: emit_move(code, o.a, o.b); break;
    case CONSTANT: emit_constant(code, o.a, (uint64_t)o.n); break;
    case ADD: emit_add(code, o.a, o.b); break;
    case ADD_CONSTANT: emit_add_constant(code, o.a, (int32_t)o.n); break;
    case XOR: emit_xor(code, o.a, o.b); break;
    case AND_CONSTANT: emit_and_constant(code, o.a, (unsigned)o.n); break;
    case SHIFT_RIGHT: emit_shift_right(code, o.a, (unsigned)o.n); break;
    case MULTIPLY: emit_multiply(code, o.a, o.b); break;
    case DIVIDE: emit_divide(code, o.a, o.b); break;
    case SQUARE_ROOT: emit_square_root(code, o.a, o.b); break;
    case VECTOR_ADD: emit_vector_add(code, o.a, o.b); break;
    case WIDE_CLEAR: emit_wide_clear(code, o.a, (unsigned)o.n); break;
    case WIDE_MULTIPLY: emit_wide_multiply(code, o.a, o.b, (unsigned)o.n); break;
    case WIDE_END: emit_wide_end(code, (unsigned)o.n); break;
    case LOAD: emit_load(code, o.a, o.b, (int32_t)o.n); break;
    case STORE: emit_store(code, o.a, o.b, (int32_t)o.n); break;
    case LOAD_INDEXED: emit_load_indexed(code, o.a, o.b, o.c); break;
    case FENCE: emit_fence(code, (enum fence)o.n); break;
    case FLUSH: emit_flush(code, o.a); break;
    case BRANCH: emit_branch(code, (size_t)o.n); break;
    case BRANCH_IF_ZERO: emit_branch_if_zero(code, o.a, (size_t)o.n); break;
    case BRANCH_IF_NOT_ZERO: emit_branch_if_not_zero(code, o.a, (size_t)o.n); break;
    case COMPARE: emit_compare(code, o.a, o.b); break;
    case DIRECT_JUMP: emit_jump(code, (size_t)o.n, o.a); break;
    case DIRECT_JUMP_IF_EQUAL: emit_jump_if_equal(code, (size_t)o.n, o.a); break;
    case BRANCH_REGISTER: emit_branch_register(code, o.a); break;
    case ADDRESS: emit_address(code, o.a, (size_t)o.n); break;
    case CODE_PREFETCH: emit_code_prefetch(code, o.a, (size_t)o.n); break;
    case CALL: emit_call(code, (size_t)o.n); break;
    case CALL_REGISTER: emit_call_register(code, o.a); break;
    case ENTER: emit_enter(code); break;
    case LEAVE: emit_leave(code); break;
    case RETURN: emit_return(code); break;
    case RETURN_TO: emit_return_to(code, o.a); break;
    case DROP_CALL: emit_drop_call(code); break;
    case LOOP: emit_loop(code, (size_t)o.n); break;
    case UNDEFINED: emit_undefined(code); break;
    case UNKNOWN_REGISTER: emit_unknown_register(code); break;
    case KINDS: break;
    }
}

/* ---- What each ISA says of itself ------------------------------------------------------------ */

struct isa {
    cs_arch cs_arch;
    cs_mode cs_mode;
    uc_arch uc_arch;
    uc_mode uc_mode;
    int uc_registers[REGS];
    int uc_vector[VREGS];
    int uc_stack_pointer;
    int uc_link;                    /* where a call leaves the return address, or 0 for the stack */
    void (*prepare)(uc_engine *uc); /* turns floating point on */
    const char *const *branches;    /* mnemonics of everything that branches, ended by NULL */
    /*
     * How far the target may lie from the start of the operation, which begins a page; ended by zeros.
     * Forward 0: it goes back only.
     */
    struct reach {
        enum kind kind;
        int64_t backward, forward;
        unsigned bytes; /* of a jump that has a length of choice */
    } reach[11];
    unsigned (*constant_instructions)(uint64_t value); /* how many emit_constant should need */
    uint8_t trap;                                      /* what gaps are filled with */
};

static const struct isa isa;

/*
 * The assembly that `o` stands for: instructions separated by "; ", as Capstone writes them, but with
 * every number decimal. `at` is the address where the area starts, `here` that of the operation.
 */
static void expect(char *text, size_t size, struct op o, uint64_t at, uint64_t here);

/* ---- The disassembler ------------------------------------------------------------------------ */

static csh capstone;

static void capstone_start(void)
{
    assert_int_equal(cs_open(isa.cs_arch, isa.cs_mode, &capstone), CS_ERR_OK);
    cs_option(capstone, CS_OPT_SKIPDATA, CS_OPT_ON);
}

/* ---- Where tests emit ------------------------------------------------------------------------ */

#define CODE_AT UINT64_C(0x40000000)
#define CODE_BYTES ((size_t)4 << 20)

static uint8_t code_bytes[CODE_BYTES];

/* Room for anything, at CODE_AT. */
static struct code fresh(void)
{
    memset(code_bytes, 0xee, 4096);
    return code_start(code_bytes, CODE_AT, CODE_BYTES);
}

/* ---- Chance ---------------------------------------------------------------------------------- */

/* xorshift64* (Vigna 2016): the same programs on every machine. */
static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned random_below(unsigned n)
{
    return (unsigned)((random_bits() >> 32) % n);
}

static void random_start(uint64_t seed)
{
    printf("# random seed %#" PRIx64 "\n", seed);
    random_state = seed;
}

/* Numbers of all sizes, many of them where an encoding changes: powers of two and their neighbours. */
static uint64_t random_value(void)
{
    const uint64_t border = (UINT64_C(1) << random_below(64)) - random_below(2);
    switch (random_below(4)) {
    case 0: return border;
    case 1: return ~border;
    case 2: return random_bits() >> random_below(64);
    default: return random_bits();
    }
}

#endif
