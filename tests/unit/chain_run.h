/*
 * Branch chains (lib/kernels/chain): every branch is executed once an iteration, and nothing but the chain and its
 * loop; each branch ends at the same offset in its slot; pages of one frame have the same bytes; impossible chains are
 * refused.
 *
 * chain_x86_64.c and chain_aarch64.c say how to run it. Unicorn executes the code.
 */
#ifndef FATHOM_TESTS_CHAIN_RUN_H
#define FATHOM_TESTS_CHAIN_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unicorn/unicorn.h>

#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"

#define CODE_AT UINT64_C(0x40000000)
#define CODE_BYTES ((size_t)1 << 22)
#define ROOM ((size_t)1 << 21)
#define STACK_AT UINT64_C(0x20000000)
#define EXIT_AT UINT64_C(0x30000000)
enum { ITERATIONS = 3, PAGE = 4096, EXECUTED = 100000, REACH = 1 << 20 /* of AArch64's conditional branches */ };

struct isa {
    uc_arch arch;
    uc_mode mode;
    int count, stack_pointer, link; /* Unicorn's registers; link 0: on the stack */
    unsigned loop;                  /* instructions of an iteration of the loop by itself */
};
extern const struct isa isa;

static uint8_t bytes[CODE_BYTES];
static struct executed {
    uint64_t at;
    uint32_t size;
} executed[EXECUTED];
static size_t executed_count;

/* ---- Stand-ins for probe and machine -------------------------------------------------- */

static uint8_t frames_of[CODE_BYTES]; /* frame by frame */
static size_t kernel_entry, kernel_used;
static bool kernel_good;

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p, (void)reason;
    return false;
}

const char *probe_try_frames(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes)
{
    *f = (struct code_frames){
        .area = {.write = frames_of, .at = CODE_AT, .bytes = pages * page_bytes, .page_bytes = page_bytes},
        .frames = frames};
    return f->area.bytes <= CODE_BYTES ? NULL : "no room";
}

const char *probe_try_code(struct code_frames *f, const size_t *frames, size_t pages, size_t page_bytes)
{
    const char *why = probe_try_frames(f, frames, pages, page_bytes);

    f->written = (struct area){.write = bytes, .bytes = sizeof bytes};
    return why;
}

static const struct code_frames *in_use;

void probe_use_code(struct probe *p, const struct code_frames *f)
{
    (void)p;
    in_use = f;
}

struct code probe_code(struct probe *p, size_t room)
{
    (void)p;
    return code_start(bytes, CODE_AT, room);
}

bool probe_kernel(struct probe *p, const struct code *c, size_t entry, struct kernel *k)
{
    (void)p, (void)k;
    const size_t from = in_use->written.bytes ? (size_t)(c->write - bytes) : 0;

    kernel_good = code_good(c);
    kernel_entry = from + entry;
    kernel_used = from + c->used;
    for (size_t at = from / PAGE * PAGE; in_use->written.bytes && in_use->frames && at < kernel_used; at += PAGE)
        memcpy(frames_of + in_use->frames[at / PAGE] * PAGE, bytes + at, PAGE);
    return true;
}

size_t machine_map_mark(void)
{
    return 0;
}

void machine_map_release(size_t mark)
{
    (void)mark;
}

const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    (void)frames, (void)use;
    *a = (struct area){.at = CODE_AT, .bytes = pages * page_bytes};
    return NULL;
}

const char *machine_map(struct area *a, size_t area_bytes, size_t page_bytes, enum area_use use)
{
    (void)use;
    *a = (struct area){.write = bytes, .at = CODE_AT, .bytes = area_bytes, .page_bytes = page_bytes};
    return area_bytes <= sizeof bytes ? NULL : "no room";
}

double probe_smoke(const struct probe *p, double smoke, double otherwise)
{
    (void)p, (void)smoke;
    return otherwise;
}

double probe_simulated(const struct probe *p, double simulated, double otherwise)
{
    (void)p, (void)simulated;
    return otherwise;
}

void machine_code_written(const struct area *a, size_t offset, size_t count)
{
    (void)a, (void)offset, (void)count;
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    (void)uc, (void)context;
    assert_true(executed_count < EXECUTED);
    executed[executed_count++] = (struct executed){address, size};
}

static void execute(const uint8_t *code, size_t used, size_t entry)
{
    uint64_t iterations = ITERATIONS, exit_address = EXIT_AT, stack = STACK_AT + 2048;
    uc_engine *uc;
    uc_hook hook;

    executed_count = 0;
    assert_int_equal(uc_open(isa.arch, isa.mode, &uc), UC_ERR_OK);
    uc_mem_map(uc, CODE_AT, CODE_BYTES, UC_PROT_READ | UC_PROT_EXEC);
    uc_mem_write(uc, CODE_AT, code, used);
    uc_mem_map(uc, STACK_AT, PAGE, UC_PROT_READ | UC_PROT_WRITE);
    uc_mem_map(uc, EXIT_AT, PAGE, UC_PROT_READ | UC_PROT_EXEC);
    if (isa.link)
        uc_reg_write(uc, isa.link, &exit_address);
    else
        uc_mem_write(uc, stack -= 8, &exit_address, 8);
    uc_reg_write(uc, isa.stack_pointer, &stack);
    uc_reg_write(uc, isa.count, &iterations);
    uc_hook_add(uc, &hook, UC_HOOK_CODE, on_instruction, NULL, CODE_AT, CODE_AT + CODE_BYTES);
    assert_int_equal(uc_emu_start(uc, CODE_AT + entry, EXIT_AT, 0, 0), UC_ERR_OK);
    uc_close(uc);
}

static void check_chain(const struct branch_chain *chain)
{
    uint64_t random = 1;
    struct code c = code_start(bytes, CODE_AT, CODE_BYTES);
    const size_t entry = branch_chain_emit(&c, chain, ROOM, &random), slots = ROOM - branch_chain_span(chain);

    assert_true(code_good(&c));
    assert_true(c.used <= branch_chain_bytes(chain, ROOM));
    execute(bytes, c.used, entry);

    /*
     * the instructions of the chain in the order of execution, without NOPs; its branches are all behind the first slot
     */
    size_t branches = 0, nops = 0, loop = 0, place = 0;
    uint64_t *at = calloc(chain->count * ITERATIONS, sizeof *at);
    for (size_t i = 0; i < executed_count; i++) {
        const size_t offset = executed[i].at - CODE_AT, end = offset + executed[i].size;
        if (offset >= ROOM) {
            loop++;
            continue;
        }
        assert_true(offset + chain->nop_bytes >= slots);
        if (chain->nop_bytes && i + 1 < executed_count && executed[i + 1].at == CODE_AT + end) {
            nops++;
            continue;
        }
        const size_t unit = chain->page_bytes ? BRANCH_CHAIN_LINE_BYTES : chain->stride;
        if (!branches)
            place = end % unit;
        assert_int_equal(end % unit, place);
        assert_true(branches < chain->count * ITERATIONS);
        at[branches++] = executed[i].at;
    }
    assert_int_equal(branches, chain->count * ITERATIONS);
    assert_true(!nops == !chain->nop_bytes);
    assert_int_equal(nops % branches, 0);
    assert_int_equal(executed_count, branches + nops + loop);
    assert_int_equal(loop, ITERATIONS * isa.loop + 1); /* and the return */
    for (size_t i = chain->count; i < branches; i++)
        assert_int_equal(at[i], at[i - chain->count]);
    for (size_t i = 0; i < chain->count; i++)
        for (size_t j = i + 1; j < chain->count && !chain->scattered; j++)
            assert_true(at[j] > at[i]);
    for (size_t i = 1; chain->scattered && i < chain->count; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(at[i], at[j]);
    free(at);
}

static const size_t counts[] = {1, 2, 3, 16, 63, 200};

static void branches_execute_once_an_iteration(void **state)
{
    (void)state;
    for (enum branch_chain_pattern pattern = 0; pattern < BRANCH_CHAIN_PATTERNS; pattern++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (size_t stride = 4; stride <= 8192; stride *= 2) {
                check_chain(&(struct branch_chain){.pattern = pattern, .count = counts[i], .stride = stride});
                if (stride >= 8 && counts[i] * stride < REACH)
                    check_chain(&(struct branch_chain){
                        .pattern = pattern, .count = counts[i], .stride = stride, .scattered = true});
                if (stride >= 128)
                    check_chain(&(struct branch_chain){
                        .pattern = pattern, .count = counts[i], .stride = stride, .branch_end = 100, .nop_bytes = 80});
            }
}

/* The branch that closes the loop is where branch_chain_last_at says. */
static void the_last_branch_is_where_it_is_said(void **state)
{
    (void)state;
    for (enum branch_chain_pattern pattern = 0; pattern <= BRANCH_CHAIN_COND; pattern++)
        for (unsigned stride = emit_alignment > 1 ? emit_alignment : 8; stride <= 256; stride *= 2) {
            size_t last = 0,
                   in_slot = 0; /* bytes from the border, and from the beginning of a slot, to ends of branches */
            check_chain(&(struct branch_chain){.pattern = pattern, .count = 3, .stride = stride});
            for (size_t i = 0; i + 1 < executed_count; i++) {
                const size_t end = executed[i].at + executed[i].size - CODE_AT, next = executed[i + 1].at - CODE_AT;
                if (end > ROOM && next < ROOM)
                    last = end - ROOM;
                if (end <= ROOM)
                    in_slot = (end - 1) % stride + 1;
            }
            assert_true(last > 0 && in_slot > 0);
            assert_int_equal(branch_chain_last_at(pattern, stride), -(int)last ^ (int)(stride - in_slot));
        }
}

/*
 * One branch in a page: the lines of a page, and the pairs of line and page that select sets together, are used evenly.
 */
static void branches_of_pages_use_lines_evenly(void **state)
{
    enum { LINES = PAGE / BRANCH_CHAIN_LINE_BYTES };

    (void)state;
    for (size_t pages = 1; pages <= 4; pages *= 2) {
        struct branch_chain chain = {.count = 2 * LINES, .stride = pages * PAGE, .page_bytes = PAGE};
        unsigned lines[LINES] = {0};
        check_chain(&chain);
        for (size_t i = 0; i < executed_count; i++)
            if (executed[i].at < CODE_AT + ROOM)
                lines[executed[i].at % PAGE / BRANCH_CHAIN_LINE_BYTES]++;
        for (size_t i = 0; i < LINES; i++)
            assert_in_range(lines[i], pages > 1 ? 0 : 2 * ITERATIONS, 2 * pages * ITERATIONS);
        chain.scattered = true;
        check_chain(&chain);
        chain.count = 7;
        check_chain(&chain);
    }
}

/* The basis of fan-in: as executed, every page of an ascending chain has the same code as the one before it. */
static void pages_are_alike(void **state)
{
    (void)state;
    for (enum branch_chain_pattern pattern = 0; pattern < BRANCH_CHAIN_PATTERNS; pattern++)
        for (size_t stride = 4; stride <= 2048; stride *= 2)
            for (size_t pages = 2; pages < 4; pages++) {
                const struct branch_chain chain = {
                    .pattern = pattern, .count = pages * PAGE / stride - 1, .stride = stride};
                uint64_t random = 1;
                struct code c = code_start(bytes, CODE_AT, CODE_BYTES);
                branch_chain_emit(&c, &chain, ROOM, &random);
                assert_true(code_good(&c));
                for (size_t page = 2; page < pages; page++)
                    assert_memory_equal(bytes + ROOM - page * PAGE, bytes + ROOM - PAGE, PAGE);
                assert_memory_equal(bytes + ROOM - pages * PAGE + stride, bytes + ROOM - PAGE + stride, PAGE - stride);
            }
}

/* The code that executes where pages are mapped to frames of a room: the same for all kinds of frames. */
static void frames_have_the_code_that_executes(void **state)
{
    static const struct branch_chain chains[] = {
        {.count = 3, .stride = 8},
        {.count = 5000, .stride = 8},
        {.pattern = BRANCH_CHAIN_COND_UNCOND, .count = 5000, .stride = 64},
        {.pattern = BRANCH_CHAIN_UNCOND_COND, .count = 4999, .stride = 64},
        {.pattern = BRANCH_CHAIN_COND, .count = 300, .stride = 1024, .branch_end = 200, .nop_bytes = 148},
        {.count = 100, .stride = PAGE},
        {.count = 1, .stride = PAGE, .page_bytes = PAGE},
        {.count = 64, .stride = PAGE, .page_bytes = PAGE},
        {.count = 127, .stride = PAGE, .page_bytes = PAGE},
        {.count = 33, .stride = 4 * PAGE, .page_bytes = PAGE},
        {.count = 2, .stride = 64 * PAGE, .page_bytes = PAGE},
        {.count = 5, .stride = 16 * PAGE, .page_bytes = PAGE},
    };
    static struct executed first[EXECUTED];
    static uint8_t memory[CODE_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        size_t first_count = 0;
        for (enum branch_chain_frames kind = BRANCH_CHAIN_ONE_FRAME; kind <= BRANCH_CHAIN_SHUFFLED; kind++) {
            struct probe p = {.random = 1};
            struct branch_chain_room room;
            struct kernel k;
            memset(bytes, 0, sizeof bytes);
            assert_true(branch_chain_map(&p, &room, 128 * PAGE, PAGE, kind));
            assert_true(branch_chain_kernel(&p, &chains[i], &room, &k));
            assert_true(kernel_good);
            for (size_t page = 0; page * PAGE < kernel_used; page++)
                memcpy(memory + page * PAGE, room.frames ? frames_of + room.frames[page] * PAGE : bytes + page * PAGE,
                       PAGE);
            execute(memory, kernel_used, kernel_entry);
            if (kind == BRANCH_CHAIN_ONE_FRAME) {
                memcpy(first, executed, sizeof first);
                first_count = executed_count;
                assert_true(first_count > ITERATIONS * chains[i].count);
            }
            assert_int_equal(executed_count, first_count);
            for (size_t j = 0; j < executed_count; j++)
                assert_int_equal(executed[j].at, first[j].at);
            branch_chain_unmap(&p, &room);
        }
    }
}

static void chains_that_do_not_fit_are_refused_with_a_reason(void **state)
{
    static const struct branch_chain chains[] = {
        {.count = 1024, .stride = 4096},                              /* more than the room */
        {.count = 16, .stride = 64, .branch_end = 8, .nop_bytes = 8}, /* NOPs that begin before the slot */
        {.count = 16, .stride = 4, .scattered = true}, /* branches of x86-64 are longer, those of AArch64 just fit */
    };

    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        uint64_t random = 1;
        struct code c = code_start(bytes, CODE_AT, CODE_BYTES);
        branch_chain_emit(&c, &chains[i], ROOM, &random);
        assert_int_equal(code_good(&c), i == 2 && emit_alignment == 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_execute_once_an_iteration),
        cmocka_unit_test(the_last_branch_is_where_it_is_said),
        cmocka_unit_test(branches_of_pages_use_lines_evenly),
        cmocka_unit_test(pages_are_alike),
        cmocka_unit_test(frames_have_the_code_that_executes),
        cmocka_unit_test(chains_that_do_not_fit_are_refused_with_a_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
