/* What was emitted, run by an emulator: random programs, and kernels of one kind. */
#ifndef FATHOM_TESTS_EMIT_RUN_H
#define FATHOM_TESTS_EMIT_RUN_H

#include "tests/unit/emit_common.h"
#include "tests/unit/emit_emulate.h"
#include "tests/unit/emit_random.h"

/* ---- Kernels of one kind --------------------------------------------------------------------- */

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
    static const size_t bytes[] = {8, 64, (1 << 20) - 8, (1 << 20) - 4, 1 << 20, (1 << 20) + 4, 3 << 20};
    for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
        for (uint64_t iterations = 1; iterations <= 5; iterations++) {
            struct code c = fresh();
            emit_enter(&c);
            const struct work at_start = c.work;
            const size_t start = c.used;
            const struct fixup over = emit_branch_ahead(&c);
            emit_place(&c, start + bytes[b]);
            emit_land(&c, over);
            check_kernel(&c, start, at_start, iterations, (struct work){0});
        }
}

/* So many functions, each calling the next: what the return stack probe is made of. */
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

/* Behind the call stands what must not be reached; the stack is as it was, or the last return would go astray. */
static void a_function_returns_where_it_is_told(void **state)
{
    enum { FUNCTION = 64, BACK = 256 };

    (void)state;
    for (enum reg a = REG_T0; a < REGS; a++) {
        struct code c = fresh();
        emit_enter(&c);
        emit_address(&c, a, BACK);
        emit_call(&c, FUNCTION);
        emit_undefined(&c);
        emit_place(&c, FUNCTION);
        emit_return_to(&c, a);
        emit_place(&c, BACK);
        emit_leave(&c);
        struct run r = {.entry = CODE_AT};
        emulate(&c, &r);
        assert_int_equal(r.error, UC_ERR_OK);
        c.work.instructions--; /* what was not reached */
        assert_work(r.work, c.work);
        run_end(&r);
    }
}

/* A call whose address is dropped: the kernel returns to its caller, and nothing behind the call is executed. */
static void a_dropped_call_is_not_returned_from(void **state)
{
    (void)state;
    struct code c = fresh();
    emit_enter(&c);
    const struct fixup over = emit_call_ahead(&c);
    emit_undefined(&c);
    emit_land(&c, over);
    emit_drop_call(&c);
    emit_leave(&c);
    struct run r = {.entry = CODE_AT};
    emulate(&c, &r);
    assert_int_equal(r.error, UC_ERR_OK);
    c.work.instructions--; /* what was not reached */
    assert_work(r.work, c.work);
    run_end(&r);
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

/* Gaps and undefined instructions must stop a core that gets there. */
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

/* clang-format off */
#define RUN_TESTS \
    cmocka_unit_test(random_programs_do_what_they_say), \
    cmocka_unit_test(loops_run_as_often_as_they_are_told), \
    cmocka_unit_test(nested_calls_come_back), \
    cmocka_unit_test(a_function_returns_where_it_is_told), \
    cmocka_unit_test(a_dropped_call_is_not_returned_from), \
    cmocka_unit_test(constants_arrive), \
    cmocka_unit_test(traps_trap)
/* clang-format on */

#endif
