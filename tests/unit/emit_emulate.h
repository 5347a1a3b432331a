/* Runs emitted code in an emulator, which counts and remembers what it does. */
#ifndef FATHOM_TESTS_EMIT_EMULATE_H
#define FATHOM_TESTS_EMIT_EMULATE_H

#include <math.h>

#include "tests/unit/emit_common.h"

/* ---- One call of a kernel -------------------------------------------------------------------- */

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
    } * access; /* to data, not to the stack */

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

#endif
