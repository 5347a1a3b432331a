/*
 * What both emitter tests share: tests/unit/emit_x86_64.c and emit_aarch64.c say what their ISA
 * looks like (struct isa, expect) and include this file for the tests themselves.
 *
 * Three kinds of test: what was emitted is read back by Capstone and compared with assembly written
 * down independently of the encodings; kernels run in Unicorn, which counts and remembers what they
 * do; and code is emitted into too little room, or with operands that are not allowed.
 */
#ifndef FATHOM_TESTS_EMIT_COMMON_H
#define FATHOM_TESTS_EMIT_COMMON_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <capstone/capstone.h>
#include <cmocka.h>
#include <unicorn/unicorn.h>

#include "arch/emit.h"

/* ---- One operation of the emitter as data ------------------------------------------------------ */

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
    LOAD,
    STORE,
    LOAD_INDEXED,
    FENCE,
    BRANCH,
    BRANCH_IF_ZERO,
    BRANCH_IF_NOT_ZERO,
    BRANCH_REGISTER,
    ADDRESS,
    CALL,
    CALL_REGISTER,
    ENTER,
    LEAVE,
    RETURN,
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
    case LOAD: emit_load(code, o.a, o.b, (int32_t)o.n); break;
    case STORE: emit_store(code, o.a, o.b, (int32_t)o.n); break;
    case LOAD_INDEXED: emit_load_indexed(code, o.a, o.b, o.c); break;
    case FENCE: emit_fence(code, (enum fence)o.n); break;
    case BRANCH: emit_branch(code, (size_t)o.n); break;
    case BRANCH_IF_ZERO: emit_branch_if_zero(code, o.a, (size_t)o.n); break;
    case BRANCH_IF_NOT_ZERO: emit_branch_if_not_zero(code, o.a, (size_t)o.n); break;
    case BRANCH_REGISTER: emit_branch_register(code, o.a); break;
    case ADDRESS: emit_address(code, o.a, (size_t)o.n); break;
    case CALL: emit_call(code, (size_t)o.n); break;
    case CALL_REGISTER: emit_call_register(code, o.a); break;
    case ENTER: emit_enter(code); break;
    case LEAVE: emit_leave(code); break;
    case RETURN: emit_return(code); break;
    case LOOP: emit_loop(code, (size_t)o.n); break;
    case UNDEFINED: emit_undefined(code); break;
    case UNKNOWN_REGISTER: emit_unknown_register(code); break;
    case KINDS: break;
    }
}

/* ---- What each ISA says of itself -------------------------------------------------------------- */

struct isa {
    cs_arch cs_arch;
    cs_mode cs_mode;
    uc_arch uc_arch;
    uc_mode uc_mode;
    int uc_registers[REGS];
    int uc_vector[VREGS];
    int uc_stack_pointer;
    int uc_link; /* where a call leaves the return address, or 0 for the stack */
    void (*prepare)(uc_engine *uc); /* turns floating point on */
    const char *const *branches;    /* mnemonics of everything that branches, ended by NULL */
    /*
     * How far the target may lie from the start of the operation, which begins a page; ended by zeros.
     * Forward 0: it goes back only.
     */
    struct reach {
        enum kind kind;
        int64_t backward, forward;
    } reach[7];
    unsigned (*constant_instructions)(uint64_t value); /* how many emit_constant should need */
    uint8_t trap; /* what gaps are filled with */
};

static const struct isa isa;

/*
 * The assembly that `o` stands for: instructions separated by "; ", as Capstone writes them, but with
 * every number decimal. `at` is the address where the area starts, `here` that of the operation.
 */
static void expect(char *text, size_t size, struct op o, uint64_t at, uint64_t here);

/* ---- Disassembling ----------------------------------------------------------------------------- */

static csh capstone;

static void capstone_start(void)
{
    assert_int_equal(cs_open(isa.cs_arch, isa.cs_mode, &capstone), CS_ERR_OK);
    cs_option(capstone, CS_OPT_SKIPDATA, CS_OPT_ON);
}

/* Copies Capstone's text with its hexadecimal numbers turned into signed decimal ones. */
static size_t copy_decimal(char *to, const char *from)
{
    char *start = to;
    while (*from) {
        if (from[0] == '0' && from[1] == 'x') {
            char *end;
            to += sprintf(to, "%" PRId64, (int64_t)strtoull(from, &end, 16));
            from = end;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
    return (size_t)(to - start);
}

/* Text of what lies from `offset` to the end of the code; returns how many instructions it is. */
static unsigned disassemble(const struct code *c, size_t offset, char *text)
{
    const uint8_t *bytes = c->write + offset;
    size_t left = c->used - offset;
    uint64_t address = c->at + offset;
    cs_insn *i = cs_malloc(capstone);
    unsigned count = 0;

    *text = 0;
    for (; cs_disasm_iter(capstone, &bytes, &left, &address, i); count++) {
        if (count)
            text += sprintf(text, "; ");
        text += copy_decimal(text, i->mnemonic);
        if (*i->op_str) {
            *text++ = ' ';
            text += copy_decimal(text, i->op_str);
        }
    }
    cs_free(i, 1);
    assert_int_equal(left, 0);
    return count;
}

/* ---- Test code lies here ------------------------------------------------------------------------- */

#define CODE_AT UINT64_C(0x40000000)
#define CODE_BYTES ((size_t)4 << 20)

static uint8_t code_bytes[CODE_BYTES];

static struct code fresh(void)
{
    memset(code_bytes, 0xee, 4096);
    return code_start(code_bytes, CODE_AT, CODE_BYTES);
}

/* Emits one operation behind `offset` bytes of nothing and compares it with what is expected. */
static void check_text(struct code c, size_t offset, struct op o)
{
    char got[512], want[512];
    c.used = offset;
    expect(want, sizeof want, o, c.at, c.at + offset);
    apply(&c, o);
    if (!code_good(&c))
        fail_msg("refused: %s", want);
    const unsigned instructions = disassemble(&c, offset, got);
    assert_string_equal(got, want);
    /* Only the way out of a long loop is not executed every time. */
    assert_int_equal(c.work.instructions, instructions - (o.kind == LOOP && instructions == 4));
}

static void check(struct op o)
{
    check_text(fresh(), 1024, o);
}

static void every_register_pair_is_encoded(void **state)
{
    (void)state;
    static const enum kind kinds[] = {MOVE, ADD, XOR, MULTIPLY, DIVIDE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (enum reg a = 0; a < REGS; a++)
            for (enum reg b = 0; b < REGS; b++)
                check((struct op){kinds[k], .a = a, .b = b});
    for (enum vreg a = 0; a < VREGS; a++)
        for (enum vreg b = 0; b < VREGS; b++) {
            check((struct op){SQUARE_ROOT, .a = a, .b = b});
            check((struct op){VECTOR_ADD, .a = a, .b = b});
        }
}

static void every_immediate_is_encoded(void **state)
{
    (void)state;
    for (enum reg a = 0; a < REGS; a++) {
        for (int n = -4095; n <= 4095; n++)
            check((struct op){ADD_CONSTANT, .a = a, .n = n});
        for (int n = 1; n <= 31; n++)
            check((struct op){AND_CONSTANT, .a = a, .n = n});
        for (int n = 1; n <= 63; n++)
            check((struct op){SHIFT_RIGHT, .a = a, .n = n});
    }
}

static void every_memory_operand_is_encoded(void **state)
{
    (void)state;
    static const int32_t edges[] = {-256, -255, -129, -128, -127, -8, -1, 0, 8, 120, 128, 136, 248, 256, 32752, 32760};
    for (enum reg a = 0; a < REGS; a++)
        for (enum reg b = 0; b < REGS; b++) {
            for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
                check((struct op){LOAD, .a = a, .b = b, .n = edges[e]});
                check((struct op){STORE, .a = a, .b = b, .n = edges[e]});
            }
            for (enum reg c = 0; c < REGS; c++)
                check((struct op){LOAD_INDEXED, .a = a, .b = b, .c = c});
        }
    for (int32_t n = -256; n <= 32760; n += n < 0 ? 1 : 8) {
        check((struct op){LOAD, .a = REG_T3, .b = REG_DATA, .n = n});
        check((struct op){STORE, .a = REG_COUNT, .b = REG_T7, .n = n});
    }
}

static void every_nop_length_is_one_instruction(void **state)
{
    (void)state;
    unsigned longest = 0;
    for (const unsigned *n = emit_nop_lengths; *n; n++) {
        assert_true(*n > longest);
        longest = *n;
        struct code c = fresh();
        emit_nop(&c, *n);
        assert_int_equal(c.used, *n);
        check((struct op){NOP, .n = *n});
    }
    assert_true(longest <= emit_longest);
}

static void nops_fill_any_length_with_the_fewest(void **state)
{
    (void)state;
    unsigned longest = 0;
    for (const unsigned *n = emit_nop_lengths; *n; n++)
        longest = *n;
    for (size_t bytes = 0; bytes <= 200; bytes += emit_alignment) {
        char text[8192];
        struct code c = fresh();
        emit_nops(&c, bytes);
        assert_true(code_good(&c));
        assert_int_equal(c.used, bytes);
        const unsigned count = disassemble(&c, 0, text);
        assert_int_equal(count, (bytes + longest - 1) / longest);
        assert_int_equal(count, c.work.instructions);
        for (const char *t = text; *t; t = strchr(t, ';') ? strchr(t, ';') + 2 : "")
            assert_memory_equal(t, "nop", 3);
    }
}

static void alignment_is_that_of_the_running_address(void **state)
{
    (void)state;
    for (size_t align = 1; align <= 4096; align *= 2)
        for (size_t shift = 0; shift < 64; shift += emit_alignment)
            for (size_t used = 0; used < 40; used += 12) {
                struct code c = code_start(code_bytes, CODE_AT + shift, CODE_BYTES);
                emit_nops(&c, used);
                emit_align(&c, align);
                assert_true(code_good(&c));
                if (align < emit_alignment)
                    assert_int_equal(c.used, used);
                assert_int_equal((c.at + c.used) % align, 0);
                assert_true(c.used - used < align);
            }
}

static void gaps_are_filled_with_traps_and_do_no_work(void **state)
{
    (void)state;
    for (size_t gap = 0; gap <= 64; gap += emit_alignment) {
        struct code c = fresh();
        emit_nops(&c, 8);
        const struct work before = c.work;
        emit_place(&c, 8 + gap);
        assert_true(code_good(&c));
        assert_int_equal(c.used, 8 + gap);
        assert_memory_equal(&c.work, &before, sizeof before);
        for (size_t i = 0; i < gap; i++)
            assert_int_equal(code_bytes[8 + i], isa.trap);
        assert_int_equal(code_bytes[8 + gap], 0xee);
    }
}

static void the_rest_is_encoded(void **state)
{
    (void)state;
    static const enum kind plain[] = {ENTER, LEAVE, RETURN, UNDEFINED, UNKNOWN_REGISTER};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        check((struct op){.kind = plain[k]});
    for (enum fence f = 0; f < FENCES; f++)
        check((struct op){FENCE, .n = f});
    for (enum reg a = 0; a < REGS; a++) {
        check((struct op){BRANCH_REGISTER, .a = a});
        check((struct op){CALL_REGISTER, .a = a});
    }
}

static void branches_and_addresses_reach_both_ways(void **state)
{
    (void)state;
    static const enum kind kinds[] = {BRANCH, BRANCH_IF_ZERO, BRANCH_IF_NOT_ZERO, CALL, ADDRESS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (enum reg a = 0; a < REGS; a++)
            for (int64_t target = 0; target <= 8192; target += 4) {
                check((struct op){kinds[k], .a = a, .n = target});
                if (kinds[k] == BRANCH || kinds[k] == CALL)
                    a = REGS - 1; /* they have no register */
            }
    for (int64_t target = 0; target <= 1024; target += 4)
        check((struct op){LOOP, .n = target});
}

/* Closed later, at the end or elsewhere, and moved: the same code as a branch to a known offset. */
static void branches_ahead_are_the_same_branches(void **state)
{
    (void)state;
    static struct fixup (*const ahead[])(struct code *) = {emit_branch_ahead, emit_call_ahead};
    static struct fixup (*const ahead_if[])(struct code *, enum reg) = {emit_branch_if_zero_ahead,
                                                                        emit_branch_if_not_zero_ahead};
    static const enum kind kinds[] = {BRANCH, CALL, BRANCH_IF_ZERO, BRANCH_IF_NOT_ZERO};
    static uint8_t known[4096];

    for (unsigned k = 0; k < 4; k++)
        for (enum reg r = 0; r < REGS; r++)
            for (size_t target = 128; target < 2048; target += 64)
                for (unsigned way = 0; way < 3; way++) {
                    struct code want = code_start(known, CODE_AT, sizeof known);
                    emit_nops(&want, 64);
                    apply(&want, (struct op){kinds[k], .a = r, .n = (int64_t)target});
                    emit_place(&want, target);

                    struct code c = fresh();
                    emit_nops(&c, 64);
                    const struct fixup f = k < 2 ? ahead[k](&c) : ahead_if[k - 2](&c, r);
                    if (way == 1)
                        emit_land_at(&c, f, target);
                    if (way == 2)
                        emit_land_at(&c, f, 0); /* to be moved */
                    emit_place(&c, target);
                    if (way != 1)
                        emit_land(&c, f);
                    assert_true(code_good(&c));
                    assert_memory_equal(code_bytes, known, target);
                    assert_memory_equal(&c.work, &want.work, sizeof c.work);
                }
}

/* Reserves addresses, not memory: only the pages around a branch are touched. */
static struct code vast(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(p != MAP_FAILED);
    return code_start(p, CODE_AT, bytes);
}

static void check_refused(struct code c, size_t offset, struct op o)
{
    c.used = offset;
    apply(&c, o);
    assert_true(c.invalid);
    assert_false(c.overflow);
}

static void branches_reach_to_their_limits_and_no_further(void **state)
{
    (void)state;
    for (const struct reach *r = isa.reach; r->backward; r++) {
        const int64_t middle = (-r->backward + 8191) & ~INT64_C(4095);
        const int64_t step = r->kind == ADDRESS ? 1 : emit_alignment;
        const struct code area = vast((size_t)(middle + r->forward + 8192));
        struct op o = {r->kind, .a = REG_T2};

        o.n = middle + r->backward;
        check_text(area, (size_t)middle, o);
        o.n = middle + r->backward - step;
        check_refused(area, (size_t)middle, o);
        if (r->forward) {
            o.n = middle + r->forward;
            check_text(area, (size_t)middle, o);
            o.n = middle + r->forward + step;
            check_refused(area, (size_t)middle, o);
        }
        munmap(area.write, area.bytes);
    }
}

/* ---- Running in Unicorn -------------------------------------------------------------------------- */

#define DATA_AT UINT64_C(0x10000000)
#define DATA_BYTES ((size_t)1 << 20)
/* Not near a page's border: Unicorn reports a load across one as three. */
#define DATA_MIDDLE (DATA_AT + DATA_BYTES / 2 + 512)
#define STACK_AT UINT64_C(0x20000000)
#define STACK_BYTES ((size_t)1 << 16)
#define STACK_TOP (STACK_AT + STACK_BYTES / 2)
#define EXIT_AT UINT64_C(0x30000000)

#define ACCESSES 200000

/* One execution: what went in, then what came out. */
struct run {
    uint64_t registers[REGS];
    uint64_t vector[VREGS];
    uint8_t *data; /* DATA_BYTES */
    uint64_t entry;

    uc_err error;
    uint64_t pc;
    struct work work;
    uint64_t taken; /* branches that went anywhere but to the next instruction */
    size_t accesses;
    struct access {
        uint64_t address;
        bool store;
    } *access; /* to data, not to the stack */

    const struct code *code;
    uint64_t next; /* address behind the instruction executed last, 0 after none */
    uint8_t *seen; /* per offset of the code: 1 a branch, 2 something else, 0 not decoded yet */
    unsigned wrong_sizes;
};

static bool is_branch(struct run *r, uint64_t address)
{
    const size_t offset = address - r->code->at;
    if (!r->seen[offset]) {
        const uint8_t *bytes = r->code->write + offset;
        size_t left = r->code->used - offset;
        cs_insn *i = cs_malloc(capstone);
        bool branch = false;
        if (cs_disasm_iter(capstone, &bytes, &left, &address, i))
            for (const char *const *name = isa.branches; *name; name++)
                branch |= strcmp(i->mnemonic, *name) == 0;
        cs_free(i, 1);
        r->seen[offset] = branch ? 1 : 2;
    }
    return r->seen[offset] == 1;
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    (void)uc;
    struct run *r = context;
    r->work.instructions++;
    r->work.branches += is_branch(r, address);
    r->taken += r->next && r->next != address;
    r->next = address + size;
}

static void on_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *context)
{
    (void)uc, (void)value;
    struct run *r = context;
    const bool store = type == UC_MEM_WRITE;
    r->work.stores += store;
    r->work.loads += !store;
    r->wrong_sizes += size != 8;
    if (address >= DATA_AT && address < DATA_AT + DATA_BYTES && r->accesses < ACCESSES)
        r->access[r->accesses++] = (struct access){address, store};
}

#define UC(call) assert_int_equal(call, UC_ERR_OK)

/* Calls the code at `entry` as a kernel is called and fills in what happened. */
static void emulate(const struct code *c, struct run *r)
{
    uc_engine *uc;
    uc_hook hook;
    const uint64_t exit_address = EXIT_AT;
    uint64_t stack = STACK_TOP;

    assert_true(code_good(c));
    r->code = c;
    r->access = test_calloc(ACCESSES, sizeof *r->access);
    r->seen = test_calloc(c->used + 1, 1);

    UC(uc_open(isa.uc_arch, isa.uc_mode, &uc));
    UC(uc_mem_map(uc, c->at, (c->used + 0xfff) & ~(size_t)0xfff, UC_PROT_READ | UC_PROT_EXEC));
    UC(uc_mem_write(uc, c->at, c->write, c->used));
    UC(uc_mem_map(uc, DATA_AT, DATA_BYTES, UC_PROT_READ | UC_PROT_WRITE));
    if (r->data)
        UC(uc_mem_write(uc, DATA_AT, r->data, DATA_BYTES));
    UC(uc_mem_map(uc, STACK_AT, STACK_BYTES, UC_PROT_READ | UC_PROT_WRITE));
    UC(uc_mem_map(uc, EXIT_AT, 4096, UC_PROT_READ | UC_PROT_EXEC));
    isa.prepare(uc);
    if (isa.uc_link) {
        UC(uc_reg_write(uc, isa.uc_link, &exit_address));
    } else {
        stack -= 8;
        UC(uc_mem_write(uc, stack, &exit_address, 8));
    }
    UC(uc_reg_write(uc, isa.uc_stack_pointer, &stack));
    for (enum reg i = 0; i < REGS; i++)
        UC(uc_reg_write(uc, isa.uc_registers[i], &r->registers[i]));
    for (enum vreg i = 0; i < VREGS; i++) {
        const uint64_t value[2] = {r->vector[i], 0};
        UC(uc_reg_write(uc, isa.uc_vector[i], value));
    }
    UC(uc_hook_add(uc, &hook, UC_HOOK_CODE, on_instruction, r, CODE_AT, CODE_AT + c->used));
    UC(uc_hook_add(uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, on_access, r, 1, 0));

    r->error = uc_emu_start(uc, r->entry, EXIT_AT, 0, 0);

    r->taken += r->error == UC_ERR_OK; /* the return out of the kernel, after which nothing ran */
    UC(uc_reg_read(uc, isa.uc_arch == UC_ARCH_X86 ? (int)UC_X86_REG_RIP : (int)UC_ARM64_REG_PC, &r->pc));
    if (r->error == UC_ERR_OK) {
        uint64_t stack_after;
        UC(uc_reg_read(uc, isa.uc_stack_pointer, &stack_after));
        assert_int_equal(r->pc, EXIT_AT);
        assert_int_equal(stack_after, STACK_TOP); /* a kernel leaves the stack as it found it */
        assert_int_equal(r->wrong_sizes, 0);
    }
    for (enum reg i = 0; i < REGS; i++)
        UC(uc_reg_read(uc, isa.uc_registers[i], &r->registers[i]));
    for (enum vreg i = 0; i < VREGS; i++) {
        uint64_t value[2];
        UC(uc_reg_read(uc, isa.uc_vector[i], value));
        r->vector[i] = value[0];
    }
    if (r->data)
        UC(uc_mem_read(uc, DATA_AT, r->data, DATA_BYTES));
    uc_close(uc);
    test_free(r->seen);
}

static void run_end(struct run *r)
{
    test_free(r->access);
}

static void assert_work(struct work got, struct work want)
{
    assert_int_equal(got.instructions, want.instructions);
    assert_int_equal(got.branches, want.branches);
    assert_int_equal(got.loads, want.loads);
    assert_int_equal(got.stores, want.stores);
}

/* a + n * b */
static struct work work_add(struct work a, uint64_t n, struct work b)
{
    return (struct work){a.instructions + n * b.instructions, a.branches + n * b.branches, a.loads + n * b.loads,
                         a.stores + n * b.stores};
}

static struct work work_since(struct work now, struct work before)
{
    return work_add(now, (uint64_t)-1, before);
}

/* ---- A random program and what it means ---------------------------------------------------------- */

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

/* Numbers that are likely to break something. */
static uint64_t random_value(void)
{
    static const uint64_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
                                     UINT64_C(0x100000000), INT64_MAX, UINT64_C(1) << 63, UINT64_MAX,
                                     UINT64_C(0xffffffff80000000), UINT64_C(0xffffffff7fffffff),
                                     UINT64_C(0xffff0000ffff0000), UINT64_C(0x0000ffff00001234)};
    const unsigned pick = random_below(4);
    if (pick == 0)
        return edges[random_below(sizeof edges / sizeof *edges)];
    return random_bits() >> (pick == 1 ? random_below(64) : 0);
}

/* Things a program is made of: single operations, and the ways control goes. */
enum shape {
    SINGLE,   /* one operation */
    DIVISION, /* by a divisor that has been made non-zero */
    INDEXED,  /* a load by an index that has been made small */
    SKIP,     /* conditional branch ahead, over the next items */
    COUNTED,  /* conditional branch back, n times */
    ZIGZAG,   /* ahead, back, ahead, over traps */
    JUMP,     /* indirect branch ahead, over traps */
    CALL_NEAR,
    CALL_FAR, /* to a function that lies ahead */
    CALL_BY_REGISTER,
    SHAPES
};

#define ITEMS 40

struct item {
    enum shape shape;
    struct op op;
    unsigned skip;    /* SKIP: how many items */
    unsigned times;   /* COUNTED */
    uint64_t address; /* what emit_address must have produced */
    struct work work; /* of everything the item executes, functions not included */
    uint64_t taken;
};

/* Only T registers are destinations; REG_COUNT and REG_DATA keep their meaning. */
static unsigned random_target(void)
{
    return REG_T0 + random_below(REGS - REG_T0);
}

static struct op random_op(void)
{
    static const enum kind kinds[] = {NOP, MOVE, CONSTANT, ADD, ADD_CONSTANT, XOR, AND_CONSTANT, SHIFT_RIGHT,
                                      MULTIPLY, SQUARE_ROOT, VECTOR_ADD, LOAD, STORE, FENCE};
    struct op o = {.kind = kinds[random_below(sizeof kinds / sizeof *kinds)], .a = random_target(),
                   .b = random_below(REGS)};
    unsigned lengths = 0;
    switch (o.kind) {
    case NOP:
        while (emit_nop_lengths[lengths])
            lengths++;
        o.n = emit_nop_lengths[random_below(lengths)];
        break;
    case CONSTANT: o.n = (int64_t)random_value(); break;
    case ADD_CONSTANT: o.n = (int64_t)random_below(8191) - 4095; break;
    case AND_CONSTANT: o.n = 1 + random_below(31); break;
    case SHIFT_RIGHT: o.n = 1 + random_below(63); break;
    case SQUARE_ROOT:
    case VECTOR_ADD: o.a = random_below(VREGS), o.b = random_below(VREGS); break;
    case LOAD:
    case STORE:
        o.b = REG_DATA;
        o.n = random_below(2) ? 8 * (int64_t)random_below(4096) : -1 - (int64_t)random_below(256);
        break;
    case FENCE: o.n = random_below(FENCES); break;
    default: break;
    }
    return o;
}

/* A core to hold Unicorn against: plain C over the same items. */
struct model {
    uint64_t r[REGS];
    double v[VREGS];
    uint8_t *data;
    struct work work;
    uint64_t taken;
    size_t accesses;
    struct access *access;
};

static uint8_t *model_access(struct model *m, uint64_t address, bool store)
{
    assert_true(address >= DATA_AT && address + 8 <= DATA_AT + DATA_BYTES && m->accesses < ACCESSES);
    m->access[m->accesses++] = (struct access){address, store};
    return m->data + (address - DATA_AT);
}

static void model_op(struct model *m, struct op o)
{
    uint64_t *r = m->r;
    switch (o.kind) {
    case MOVE: r[o.a] = r[o.b]; break;
    case CONSTANT: r[o.a] = (uint64_t)o.n; break;
    case ADD: r[o.a] += r[o.b]; break;
    case ADD_CONSTANT: r[o.a] += (uint64_t)o.n; break;
    case XOR: r[o.a] ^= r[o.b]; break;
    case AND_CONSTANT: r[o.a] &= (UINT64_C(1) << o.n) - 1; break;
    case SHIFT_RIGHT: r[o.a] >>= o.n; break;
    case MULTIPLY: r[o.a] *= r[o.b]; break;
    case DIVIDE: r[o.a] /= r[o.b]; break;
    case SQUARE_ROOT: m->v[o.a] = sqrt(m->v[o.b]); break;
    case VECTOR_ADD: m->v[o.a] += m->v[o.b]; break;
    case LOAD: memcpy(&r[o.a], model_access(m, r[o.b] + (uint64_t)o.n, false), 8); break;
    case STORE: memcpy(model_access(m, r[o.b] + (uint64_t)o.n, true), &r[o.a], 8); break;
    case LOAD_INDEXED: memcpy(&r[o.a], model_access(m, r[o.b] + 8 * r[o.c], false), 8); break;
    default: break; /* no result: NOPs and fences */
    }
}

/* The two functions that programs call; the outer one calls the inner one. */
struct functions {
    size_t inner, outer;
    struct work inner_work, outer_work; /* of one call of it, the call itself not included */
};

#define INNER_ADDS 3
#define OUTER_ADDS 5

static size_t emit_inner(struct code *c, struct work *work)
{
    const struct work before = c->work;
    const size_t at = c->used;
    emit_add_constant(c, REG_T0, INNER_ADDS);
    emit_return(c);
    *work = work_since(c->work, before);
    return at;
}

static size_t emit_outer(struct code *c, struct functions *f)
{
    const struct work before = c->work;
    const size_t at = c->used;
    emit_enter(c);
    emit_add_constant(c, REG_T0, OUTER_ADDS);
    emit_call(c, f->inner);
    emit_leave(c);
    f->outer_work = work_add(work_since(c->work, before), 1, f->inner_work);
    return at;
}

/* Emits an item; SKIP leaves its branch open in `open`, CALL_FAR its call in `far`. */
static void emit_item(struct code *c, struct item *i, const struct functions *f, struct fixup *open, struct fixup *far)
{
    const struct work before = c->work;
    struct fixup away, back;
    size_t top, target;

    switch (i->shape) {
    case SINGLE: apply(c, i->op); break;
    case DIVISION:
        emit_and_constant(c, i->op.b, 20);
        emit_add_constant(c, i->op.b, 1);
        emit_divide(c, i->op.a, i->op.b);
        break;
    case INDEXED:
        emit_and_constant(c, i->op.c, 12);
        emit_load_indexed(c, i->op.a, REG_DATA, i->op.c);
        break;
    case SKIP:
        *open = i->op.n ? emit_branch_if_zero_ahead(c, i->op.a) : emit_branch_if_not_zero_ahead(c, i->op.a);
        break;
    case COUNTED:
        emit_constant(c, i->op.a, i->times);
        i->work = work_since(c->work, before);
        const struct work begin = c->work;
        top = c->used;
        emit_add_constant(c, i->op.a, -1);
        emit_branch_if_not_zero(c, i->op.a, top);
        i->work = work_add(i->work, i->times, work_since(c->work, begin));
        i->taken = i->times - 1;
        return;
    case ZIGZAG:
        away = emit_branch_ahead(c);
        emit_place(c, c->used + 4 * (1 + random_below(20)));
        top = c->used;
        emit_add_constant(c, i->op.a, 1);
        back = emit_branch_ahead(c);
        emit_place(c, c->used + 4);
        emit_land(c, away);
        emit_branch(c, top);
        emit_place(c, c->used + 4);
        emit_land(c, back);
        i->taken = 3;
        break;
    case JUMP:
        target = c->used + 64;
        emit_address(c, i->op.a, target);
        emit_branch_register(c, i->op.a);
        emit_place(c, target);
        i->address = c->at + target;
        i->taken = 1;
        break;
    case CALL_NEAR:
        emit_call(c, f->inner);
        i->taken = 2;
        break;
    case CALL_FAR:
        *far = emit_call_ahead(c);
        i->taken = 4;
        break;
    case CALL_BY_REGISTER:
        emit_address(c, i->op.a, f->inner);
        emit_call_register(c, i->op.a);
        i->address = c->at + f->inner;
        i->taken = 2;
        break;
    case SHAPES: break;
    }
    i->work = work_since(c->work, before);
}

/* One pass over the items. */
static void model_items(struct model *m, const struct item *items, const struct functions *f)
{
    for (unsigned k = 0; k < ITEMS; k++) {
        const struct item *i = &items[k];
        m->work = work_add(m->work, 1, i->work);
        m->taken += i->taken;
        switch (i->shape) {
        case SINGLE: model_op(m, i->op); break;
        case DIVISION:
            m->r[i->op.b] = (m->r[i->op.b] & 0xfffff) + 1;
            m->r[i->op.a] /= m->r[i->op.b];
            break;
        case INDEXED:
            m->r[i->op.c] &= 0xfff;
            model_op(m, (struct op){LOAD_INDEXED, .a = i->op.a, .b = REG_DATA, .c = i->op.c});
            break;
        case SKIP:
            if ((m->r[i->op.a] == 0) == (i->op.n != 0)) {
                m->taken++;
                k += i->skip;
            }
            break;
        case COUNTED: m->r[i->op.a] = 0; break;
        case ZIGZAG: m->r[i->op.a]++; break;
        case JUMP: m->r[i->op.a] = i->address; break;
        case CALL_NEAR:
        case CALL_BY_REGISTER:
            if (i->shape == CALL_BY_REGISTER)
                m->r[i->op.a] = i->address;
            m->r[REG_T0] += INNER_ADDS;
            m->work = work_add(m->work, 1, f->inner_work);
            break;
        case CALL_FAR:
            m->r[REG_T0] += INNER_ADDS + OUTER_ADDS;
            m->work = work_add(m->work, 1, f->outer_work);
            break;
        case SHAPES: break;
        }
    }
}

static void check_random_program(void)
{
    struct code c = fresh();
    struct item items[ITEMS] = {0};
    struct fixup open[ITEMS], far[ITEMS];
    unsigned lands[ITEMS + 1] = {0}, landing[ITEMS + 1][ITEMS];
    struct functions f;
    const uint64_t iterations = 1 + random_below(5);

    f.inner = emit_inner(&c, &f.inner_work);
    emit_align(&c, 64);
    const size_t entry = c.used;
    const struct work at_entry = c.work;
    emit_enter(&c);
    const size_t start = c.used;
    const struct work at_start = c.work;
    for (unsigned k = 0; k < ITEMS; k++) {
        struct item *i = &items[k];
        for (unsigned l = 0; l < lands[k]; l++)
            emit_land(&c, open[landing[k][l]]);
        i->shape = random_below(2) ? SINGLE : random_below(SHAPES);
        i->op = random_op();
        if (i->shape != SINGLE) {
            i->op.a = random_target();
            i->op.b = i->op.c = random_target();
            i->op.n = random_below(2);
        }
        i->skip = 1 + random_below(3);
        i->times = 1 + random_below(4);
        if (i->shape == SKIP && k + i->skip >= ITEMS)
            i->shape = SINGLE, i->op = (struct op){MOVE, .a = REG_T1, .b = REG_T1};
        emit_item(&c, i, &f, &open[k], &far[k]);
        if (i->shape == SKIP)
            landing[k + 1 + i->skip][lands[k + 1 + i->skip]++] = k;
    }
    for (unsigned l = 0; l < lands[ITEMS]; l++)
        emit_land(&c, open[landing[ITEMS][l]]);
    const struct work at_loop = c.work;
    emit_loop(&c, start);
    const struct work at_leave = c.work;
    emit_leave(&c);
    const struct work at_end = c.work;
    f.outer = emit_outer(&c, &f);
    for (unsigned k = 0; k < ITEMS; k++)
        if (items[k].shape == CALL_FAR)
            emit_land_at(&c, far[k], f.outer);
    assert_true(code_good(&c));

    struct run r = {.entry = CODE_AT + entry, .data = test_malloc(DATA_BYTES)};
    struct model m = {.data = test_malloc(DATA_BYTES), .access = test_calloc(ACCESSES, sizeof(struct access))};
    for (size_t k = 0; k < DATA_BYTES / 8; k++) {
        const uint64_t value = k * UINT64_C(0x9e3779b97f4a7c15);
        memcpy(r.data + 8 * k, &value, 8);
    }
    memcpy(m.data, r.data, DATA_BYTES);
    for (enum reg k = 0; k < REGS; k++)
        m.r[k] = k == REG_COUNT ? iterations : k == REG_DATA ? DATA_MIDDLE : random_value();
    memcpy(r.registers, m.r, sizeof m.r);
    for (enum vreg k = 0; k < VREGS; k++)
        m.v[k] = (double)(random_bits() >> 12) / 4096;
    memcpy(r.vector, m.v, sizeof m.v);

    m.work = work_add(work_since(at_start, at_entry), 1, work_since(at_end, at_leave));
    m.taken = iterations; /* all of the loop's but one, and the return */
    for (; m.r[REG_COUNT]; m.r[REG_COUNT]--) {
        model_items(&m, items, &f);
        m.work = work_add(m.work, 1, work_since(at_leave, at_loop));
    }
    emulate(&c, &r);

    assert_int_equal(r.error, UC_ERR_OK);
    for (enum reg k = 0; k < REGS; k++)
        assert_int_equal(r.registers[k], m.r[k]);
    assert_memory_equal(r.vector, m.v, sizeof m.v);
    assert_memory_equal(r.data, m.data, DATA_BYTES);
    assert_work(r.work, m.work);
    assert_int_equal(r.taken, m.taken);
    assert_int_equal(r.accesses, m.accesses);
    assert_memory_equal(r.access, m.access, m.accesses * sizeof *m.access);
    run_end(&r);
    test_free(r.data);
    test_free(m.data);
    test_free(m.access);
}

static void random_programs_do_what_they_say(void **state)
{
    (void)state;
    random_start(0x5eed0001);
    for (unsigned n = 0; n < 150; n++)
        check_random_program();
}

/* ---- Kernels of one kind ------------------------------------------------------------------------- */

/* A kernel whose loop runs `body` once an iteration must do fixed + iterations * body, exactly. */
static void check_kernel(struct code *c, size_t start, struct work at_start, uint64_t iterations, struct work calls)
{
    emit_loop(c, start);
    const struct work body = work_since(c->work, at_start);
    const struct work at_leave = c->work;
    emit_leave(c);
    struct run r = {.entry = CODE_AT, .registers = {[REG_COUNT] = iterations, [REG_DATA] = DATA_MIDDLE}};
    emulate(c, &r);
    assert_int_equal(r.error, UC_ERR_OK);
    assert_int_equal(r.registers[REG_COUNT], 0);
    const struct work once = work_add(at_start, 1, work_since(c->work, at_leave));
    assert_work(r.work, work_add(work_add(once, iterations, body), iterations, calls));
    run_end(&r);
}

static void loops_run_as_often_as_they_are_told(void **state)
{
    (void)state;
    /* Around the reach of a conditional branch on AArch64, 1 MiB, and far beyond it. */
    static const size_t bytes[] = {0, 4, 64, (1 << 20) - 8, (1 << 20) - 4, 1 << 20, 3 << 20};
    for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
        for (uint64_t iterations = 1; iterations <= 3; iterations += 2) {
            struct code c = fresh();
            emit_enter(&c);
            const struct work at_start = c.work;
            const size_t start = c.used;
            emit_nops(&c, bytes[b]);
            check_kernel(&c, start, at_start, iterations, (struct work){0});
        }
}

/* depth functions, each calling the next: what the return stack probe is made of. */
static void nested_calls_come_back(void **state)
{
    (void)state;
    for (unsigned depth = 1; depth <= 100; depth += 11) {
        struct code c = fresh();
        struct work calls = {0};
        emit_enter(&c);
        const struct work at_start = c.work;
        const size_t start = c.used;
        struct fixup next = emit_call_ahead(&c);
        const struct fixup over = emit_branch_ahead(&c);
        const struct work at_functions = c.work;
        for (unsigned level = 1; level < depth; level++) {
            emit_align(&c, 16);
            emit_land(&c, next);
            const struct work before = c.work;
            emit_enter(&c);
            next = emit_call_ahead(&c);
            emit_leave(&c);
            calls = work_add(calls, 1, work_since(c.work, before));
        }
        emit_place(&c, c.used + 32);
        emit_land(&c, next);
        const struct work before = c.work;
        emit_return(&c);
        calls = work_add(calls, 1, work_since(c.work, before));
        emit_land(&c, over);
        c.work = at_functions; /* what lies between is executed by calls, and counted there */
        check_kernel(&c, start, at_start, 3, calls);
    }
}

/* Every constant, also those of AArch64 that take one to four instructions. */
static void constants_arrive(void **state)
{
    (void)state;
    random_start(0x5eed0002);
    enum { COUNT = 2000 };
    static uint64_t values[COUNT];
    struct code c = fresh();
    for (unsigned n = 0; n < COUNT; n++) {
        /* Each of the four pieces zeros, ones or anything, then what random_value thinks of. */
        uint64_t value = 0;
        for (unsigned piece = 0, pick = n; piece < 4; piece++, pick /= 3)
            value |= (pick % 3 == 0 ? 0 : pick % 3 == 1 ? 0xffff : random_bits() & 0xffff) << (16 * piece);
        values[n] = n < 81 ? value : random_value();
        const uint64_t before = c.work.instructions;
        emit_constant(&c, REG_T0 + n % (REGS - REG_T0), values[n]);
        assert_int_equal(c.work.instructions - before, isa.constant_instructions(values[n]));
        emit_store(&c, REG_T0 + n % (REGS - REG_T0), REG_DATA, 8 * (int32_t)n);
    }
    emit_return(&c);
    struct run r = {.entry = CODE_AT, .registers = {[REG_DATA] = DATA_AT}, .data = test_calloc(1, DATA_BYTES)};
    emulate(&c, &r);
    assert_int_equal(r.error, UC_ERR_OK);
    assert_memory_equal(r.data, values, sizeof values);
    assert_work(r.work, c.work);
    run_end(&r);
    test_free(r.data);
}

/* Gaps, unlanded places and undefined instructions must stop a core that gets there. */
static void traps_trap(void **state)
{
    (void)state;
    for (size_t offset = 0; offset < 16; offset += emit_alignment) {
        struct code c = fresh();
        emit_place(&c, 64);
        emit_return(&c);
        struct run r = {.entry = CODE_AT + offset};
        emulate(&c, &r);
        assert_int_not_equal(r.error, UC_ERR_OK);
        assert_true(r.pc <= CODE_AT + offset + emit_alignment);
        run_end(&r);
    }
    struct code c = fresh();
    emit_undefined(&c);
    emit_return(&c);
    struct run r = {.entry = CODE_AT};
    emulate(&c, &r);
    assert_int_not_equal(r.error, UC_ERR_OK);
    assert_int_equal(r.pc, CODE_AT);
    run_end(&r);
}

/* ---- Too little room, and operands that are not allowed --------------------------------------------- */

#define CANARY 64

/* A buffer of `room` bytes between two canaries. */
struct cage {
    uint8_t bytes[CANARY + 256 + CANARY];
    size_t room;
};

static struct code cage_start(struct cage *cage, size_t room)
{
    memset(cage->bytes, 0xa5, sizeof cage->bytes);
    cage->room = room;
    return code_start(cage->bytes + CANARY, CODE_AT, room);
}

static void cage_check(const struct cage *cage, const struct code *c)
{
    assert_true(c->used <= cage->room);
    for (size_t i = 0; i < sizeof cage->bytes; i++)
        if (i < CANARY || i >= CANARY + c->used)
            assert_int_equal(cage->bytes[i], 0xa5);
}

/* One allowed operation of each kind; targets lie at the start. */
static struct op sample(enum kind kind)
{
    struct op o = {kind, .a = REG_T5, .b = REG_T7, .c = REG_T6, .n = 0};
    if (kind == NOP)
        o.n = emit_alignment;
    if (kind == SQUARE_ROOT || kind == VECTOR_ADD)
        o.a = VREG_5, o.b = VREG_7;
    if (kind == CONSTANT)
        o.n = INT64_C(0x123456789abcdef0);
    if (kind == AND_CONSTANT || kind == SHIFT_RIGHT)
        o.n = 17;
    return o;
}

static void code_that_does_not_fit_overflows_and_goes_no_further(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct op o = sample(kind);
        struct code whole = fresh();
        emit_nops(&whole, 32);
        apply(&whole, o);
        assert_true(code_good(&whole));
        for (size_t room = 32; room < whole.used; room++) {
            struct cage cage;
            struct code c = cage_start(&cage, room);
            emit_nops(&c, 32);
            apply(&c, o);
            assert_true(c.overflow);
            assert_false(c.invalid);
            assert_false(code_good(&c));
            cage_check(&cage, &c);
            const struct code after = c;
            emit_nop(&c, emit_alignment);
            assert_memory_equal(&after, &c, sizeof c);
        }
        struct cage cage;
        struct code c = cage_start(&cage, whole.used);
        emit_nops(&c, 32);
        apply(&c, o);
        assert_true(code_good(&c));
        cage_check(&cage, &c);
        assert_memory_equal(c.write, whole.write, whole.used);
    }

    struct cage cage;
    struct code c = cage_start(&cage, 100);
    emit_nops(&c, 104);
    assert_true(c.overflow);
    cage_check(&cage, &c);
    assert_int_equal(c.used, 0);
    c = cage_start(&cage, 100);
    emit_place(&c, 104);
    assert_true(c.overflow);
    cage_check(&cage, &c);
    c = cage_start(&cage, 100);
    emit_nop(&c, 4);
    emit_align(&c, 128);
    assert_true(c.overflow);
    cage_check(&cage, &c);
}

static void check_invalid(struct op o)
{
    struct cage cage;
    struct code c = cage_start(&cage, 128);
    emit_nops(&c, 32);
    apply(&c, o);
    if (!c.invalid || c.overflow)
        fail_msg("kind %d, operands %u %u %u %" PRId64 " should be invalid", o.kind, o.a, o.b, o.c, o.n);
    cage_check(&cage, &c);
    const struct code after = c;
    emit_nop(&c, emit_alignment);
    assert_memory_equal(&after, &c, sizeof c);
}

static void operands_out_of_range_are_invalid(void **state)
{
    (void)state;
    static const enum kind one[] = {CONSTANT,      ADD_CONSTANT,       AND_CONSTANT,    SHIFT_RIGHT, BRANCH_IF_ZERO,
                                    BRANCH_IF_NOT_ZERO, BRANCH_REGISTER, CALL_REGISTER, ADDRESS};
    static const enum kind two[] = {MOVE, ADD, XOR, MULTIPLY, DIVIDE, SQUARE_ROOT, VECTOR_ADD, LOAD, STORE, LOAD_INDEXED};
    static const unsigned wrong[] = {REGS, 16, 31, 32, 255, 0x80000000, UINT32_MAX};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        struct op o;
        for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
            o = sample(one[k]), o.a = wrong[w];
            check_invalid(o);
        }
        for (size_t k = 0; k < sizeof two / sizeof *two; k++) {
            o = sample(two[k]), o.a = wrong[w], o.b = 0;
            check_invalid(o);
            o = sample(two[k]), o.a = 0, o.b = wrong[w];
            check_invalid(o);
        }
        o = sample(LOAD_INDEXED), o.c = wrong[w];
        check_invalid(o);
    }
    for (unsigned v = VREGS; v < 32; v++) {
        check_invalid((struct op){SQUARE_ROOT, .a = v});
        check_invalid((struct op){SQUARE_ROOT, .b = v});
        check_invalid((struct op){VECTOR_ADD, .a = v});
        check_invalid((struct op){VECTOR_ADD, .b = v});
    }
    static const struct {
        enum kind kind;
        int64_t n[8];
    } numbers[] = {
        {NOP, {0, 16, 17, 64, UINT32_MAX, 16, 16, 16}},
        {ADD_CONSTANT, {-4096, 4096, INT32_MIN, INT32_MAX, 4097, -4097, 65536, -65536}},
        {AND_CONSTANT, {0, 32, 33, 63, 64, 65, 255, UINT32_MAX}},
        {SHIFT_RIGHT, {0, 64, 65, 127, 128, 255, 256, UINT32_MAX}},
        {LOAD, {-257, 1, 4, 32761, 32764, 32768, INT32_MIN, INT32_MAX}},
        {STORE, {-257, 1, 4, 32761, 32764, 32768, INT32_MIN, INT32_MAX}},
        {FENCE, {FENCES, FENCES + 1, 15, 16, 255, INT32_MAX, UINT32_MAX, -2}},
        {BRANCH, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
        {CALL, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
        {BRANCH_IF_ZERO, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
        {BRANCH_IF_NOT_ZERO, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
        {ADDRESS, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
        {LOOP, {33, 36, 128, 132, INT32_MAX, INT64_MAX, -4, INT64_MIN}},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (unsigned n = 0; n < 8; n++) {
            struct op o = sample(numbers[k].kind);
            o.n = numbers[k].n[n];
            check_invalid(o);
        }
}

static void space_out_of_order_is_invalid(void **state)
{
    (void)state;
    static const size_t no_power_of_two[] = {0, 3, 6, 12, 100, SIZE_MAX};
    for (size_t k = 0; k < sizeof no_power_of_two / sizeof *no_power_of_two; k++) {
        struct code c = fresh();
        emit_align(&c, no_power_of_two[k]);
        assert_true(c.invalid);
    }
    struct code c = fresh();
    emit_nops(&c, 32);
    emit_place(&c, 28);
    assert_true(c.invalid);
    assert_int_equal(c.used, 32);

    /* A fixup that was not made by this code: its branch would lie where nothing has been emitted. */
    for (size_t at = 29; at < 40; at++) {
        c = fresh();
        emit_nops(&c, 32);
        emit_land_at(&c, (struct fixup){.at = at}, 0);
        assert_true(c.invalid);
    }
    c = fresh();
    emit_nops(&c, 32);
    emit_land_at(&c, (struct fixup){.at = SIZE_MAX - 1}, 0);
    assert_true(c.invalid);
}

static void anything_at_all_stays_within_its_room(void **state)
{
    (void)state;
    random_start(0x5eed0003);
    for (unsigned round = 0; round < 40000; round++) {
        struct cage cage;
        struct code c = cage_start(&cage, random_below(257));
        struct code twin = fresh(); /* with room for everything */
        struct fixup fixups[4] = {0}, twin_fixups[4] = {0};
        twin.bytes = 4096;
        for (unsigned n = random_below(60); n; n--) {
            struct op o = {.kind = random_below(KINDS), .a = random_below(REGS + (random_below(50) == 0)),
                           .b = random_below(REGS + (random_below(50) == 0)), .c = random_below(REGS)};
            o.n = random_below(20) ? (int64_t)random_below(40) : (int64_t)random_value();
            if (o.kind >= BRANCH && o.kind <= LOOP && random_below(3))
                o.n &= ~INT64_C(3);
            const unsigned way = random_below(12), f = random_below(4);
            const size_t align = (size_t)1 << random_below(8);
            const size_t space = random_below(64) & ~(random_below(4) ? 3u : 0u);
            struct code *both[] = {&c, &twin};
            struct fixup *all[] = {&fixups[f], &twin_fixups[f]};
            for (unsigned k = 0; k < 2; k++) {
                switch (way) {
                case 0: *all[k] = emit_branch_ahead(both[k]); break;
                case 1: *all[k] = emit_branch_if_zero_ahead(both[k], o.a); break;
                case 2: emit_land(both[k], *all[k]); break;
                case 3: emit_land_at(both[k], *all[k], (size_t)o.n); break;
                case 4: emit_nops(both[k], space); break;
                case 5: emit_place(both[k], both[k]->used + space); break;
                case 6: emit_align(both[k], align); break;
                default: apply(both[k], o); break;
                }
            }
            cage_check(&cage, &c);
            if (!code_good(&c))
                break;
        }
        /* As long as both are good, room makes no difference. */
        if (code_good(&c) && code_good(&twin)) {
            assert_int_equal(c.used, twin.used);
            assert_memory_equal(c.write, twin.write, c.used);
            assert_memory_equal(&c.work, &twin.work, sizeof c.work);
        }
    }
}

/* ---- All of them --------------------------------------------------------------------------------- */

#define COMMON_TESTS                                                                                                   \
    cmocka_unit_test(every_register_pair_is_encoded), cmocka_unit_test(every_immediate_is_encoded),                    \
        cmocka_unit_test(every_memory_operand_is_encoded), cmocka_unit_test(every_nop_length_is_one_instruction),      \
        cmocka_unit_test(nops_fill_any_length_with_the_fewest),                                                        \
        cmocka_unit_test(alignment_is_that_of_the_running_address),                                                    \
        cmocka_unit_test(gaps_are_filled_with_traps_and_do_no_work), cmocka_unit_test(the_rest_is_encoded),            \
        cmocka_unit_test(branches_and_addresses_reach_both_ways),                                                      \
        cmocka_unit_test(branches_ahead_are_the_same_branches),                                                        \
        cmocka_unit_test(branches_reach_to_their_limits_and_no_further), cmocka_unit_test(constants_arrive),           \
        cmocka_unit_test(random_programs_do_what_they_say), cmocka_unit_test(loops_run_as_often_as_they_are_told),     \
        cmocka_unit_test(nested_calls_come_back), cmocka_unit_test(traps_trap),                                        \
        cmocka_unit_test(code_that_does_not_fit_overflows_and_goes_no_further),                                        \
        cmocka_unit_test(operands_out_of_range_are_invalid), cmocka_unit_test(space_out_of_order_is_invalid),          \
        cmocka_unit_test(anything_at_all_stays_within_its_room)

#endif
