/* Too little room, and operands that are not allowed. */
#ifndef FATHOM_TESTS_EMIT_ROOM_H
#define FATHOM_TESTS_EMIT_ROOM_H

#include "tests/unit/emit_common.h"

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

/* After a failure nothing more is emitted. */
static void check_stopped(struct code *c)
{
    const struct code after = *c;
    emit_nop(c, emit_alignment);
    assert_int_equal(c->used, after.used);
    assert_int_equal(c->work.instructions, after.work.instructions);
    assert_int_equal(c->overflow, after.overflow);
    assert_int_equal(c->invalid, after.invalid);
}

/* One allowed operation of each kind; targets lie at the start. */
static struct op sample(enum kind kind)
{
    struct op o = {kind, .a = REG_T5, .b = REG_T7, .c = REG_T6, .n = 0};
    if (kind == NOP)
        o.n = emit_alignment;
    if (kind == SQUARE_ROOT || kind == VECTOR_ADD || kind == WIDE_CLEAR || kind == WIDE_MULTIPLY)
        o.a = VREG_5, o.b = VREG_7;
    if (kind == WIDE_CLEAR || kind == WIDE_MULTIPLY || kind == WIDE_END)
        o.n = emit_wide_bits[0];
    if (kind == DIRECT_JUMP || kind == DIRECT_JUMP_IF_EQUAL)
        o.a = emit_jump_bytes(-1024, kind == DIRECT_JUMP_IF_EQUAL);
    if (kind == CODE_PREFETCH)
        o.a = 0;
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
            check_stopped(&c);
            cage_check(&cage, &c);
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

/* A row is what its NOPs would be one by one, also where it is empty, does not fit, or is none. */
static void rows_are_made_of_single_ones(void **state)
{
    (void)state;
    for (size_t count = 0; count < 70; count++)
        for (unsigned bytes = 0; bytes <= emit_longest + 1; bytes++)
            for (size_t room = 64; room <= 256; room += 64) {
                struct cage one_by_one, at_once;
                struct code a = cage_start(&one_by_one, room), b = cage_start(&at_once, room);
                emit_nops(&a, 32);
                emit_nops(&b, 32);
                for (size_t i = 0; i < count; i++)
                    emit_nop(&a, bytes);
                emit_nop_sequence(&b, bytes, count);
                cage_check(&at_once, &b);
                assert_int_equal(code_good(&a), code_good(&b));
                if (code_good(&a)) {
                    assert_int_equal(a.used, b.used);
                    assert_int_equal(a.work.instructions, b.work.instructions);
                    assert_memory_equal(a.write, b.write, a.used);
                }
            }
    struct cage cage;
    struct code c = cage_start(&cage, 128);
    emit_nop_sequence(&c, 4, SIZE_MAX / 2);
    assert_false(code_good(&c));
    cage_check(&cage, &c);
}

/* What was emitted is there once more, with its work; what lies ahead, or does not fit, is not. */
static void what_was_emitted_can_be_again(void **state)
{
    (void)state;
    struct cage cage;
    struct code c = cage_start(&cage, 64);
    emit_nops(&c, 8);
    emit_add_constant(&c, REG_T0, 1);
    const size_t bytes = c.used - 8;
    emit_copy(&c, 8, bytes, (struct work){.instructions = 1});
    assert_true(code_good(&c));
    assert_int_equal(c.used, 8 + 2 * bytes);
    assert_memory_equal(c.write + 8, c.write + 8 + bytes, bytes);
    struct code ahead = c;
    emit_copy(&ahead, 8, c.used - 8 + 1, (struct work){.instructions = 1});
    assert_true(ahead.invalid);
    assert_int_equal(ahead.used, c.used);
    while (code_good(&c))
        emit_copy(&c, 8, bytes, (struct work){.instructions = 1});
    assert_true(c.overflow);
    cage_check(&cage, &c);
}

/*
 * As many copies as were asked for, and no more, each with its work, and then one more; once there is no room, nothing
 * more is written.
 */
static void what_was_emitted_can_be_repeated(void **state)
{
    (void)state;
    struct cage cage;
    for (size_t times = 1; times <= 5; times++) {
        struct code c = cage_start(&cage, 64);
        emit_load(&c, REG_T0, REG_T1, 0);
        const struct code before = c;
        emit_add_constant(&c, REG_T0, 1);
        emit_store(&c, REG_T0, REG_T1, 0);
        const struct code after = c;
        const size_t bytes = c.used - before.used;
        emit_repeat(&c, &before, times);
        assert_true(code_good(&c));
        assert_int_equal(c.used, before.used + times * bytes);
        emit_copy_between(&c, &before, &after);
        assert_true(code_good(&c));
        assert_int_equal(c.used, before.used + (times + 1) * bytes);
        for (size_t i = 1; i <= times; i++)
            assert_memory_equal(c.write + before.used, c.write + before.used + i * bytes, bytes);
        assert_int_equal(c.work.instructions, 1 + 2 * (times + 1));
        assert_int_equal(c.work.loads, 1);
        assert_int_equal(c.work.stores, times + 1);
        emit_repeat(&c, &before, 64);
        assert_true(c.overflow);
        cage_check(&cage, &c);
    }
}

/* The last byte of the room is room, and its end is a place to branch to. */
static void all_of_the_room_can_be_used(void **state)
{
    (void)state;
    struct cage cage;
    struct code c = cage_start(&cage, 128);
    emit_nops(&c, 32);
    emit_branch(&c, 128);
    emit_address(&c, REG_T0, 128);
    emit_place(&c, 124);
    emit_align(&c, 128);
    assert_true(code_good(&c));
    assert_int_equal(c.used, 128);
    c = cage_start(&cage, 128);
    emit_nops(&c, 64);
    emit_place(&c, 128);
    assert_true(code_good(&c));
    assert_int_equal(c.used, 128);
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
    check_stopped(&c);
    cage_check(&cage, &c);
}

static void operands_out_of_range_are_invalid(void **state)
{
    (void)state;
    static const enum kind one[] = {CONSTANT,           ADD_CONSTANT,    AND_CONSTANT,  SHIFT_RIGHT, BRANCH_IF_ZERO,
                                    BRANCH_IF_NOT_ZERO, BRANCH_REGISTER, CALL_REGISTER, RETURN_TO,   ADDRESS};
    static const enum kind two[] = {MOVE,        ADD,        XOR,  MULTIPLY, DIVIDE,      COMPARE,
                                    SQUARE_ROOT, VECTOR_ADD, LOAD, STORE,    LOAD_INDEXED};
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
        check_invalid((struct op){WIDE_CLEAR, .a = v, .n = 128});
        check_invalid((struct op){WIDE_MULTIPLY, .a = v, .n = 128});
        check_invalid((struct op){WIDE_MULTIPLY, .b = v, .n = 128});
    }
    static const struct {
        enum kind kind;
        int64_t n[8];
    } numbers[] = {
        {NOP, {0, 16, 17, 64, UINT32_MAX, 16, 16, 16}},
        {WIDE_CLEAR, {0, 64, 127, 129, 192, 1024, UINT32_MAX, 1}},
        {WIDE_MULTIPLY, {0, 64, 127, 129, 192, 1024, UINT32_MAX, 1}},
        {WIDE_END, {0, 64, 127, 129, 192, 1024, UINT32_MAX, 1}},
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
        {DIRECT_JUMP, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
        {DIRECT_JUMP_IF_EQUAL, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
        {CODE_PREFETCH, {129, 132, 1 << 20, INT32_MAX, INT64_C(1) << 40, INT64_MAX, -4, INT64_MIN}},
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
            struct op o = {.kind = random_below(KINDS),
                           .a = random_below(REGS + (random_below(50) == 0)),
                           .b = random_below(REGS + (random_below(50) == 0)),
                           .c = random_below(REGS)};
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

/* clang-format off */
#define ROOM_TESTS \
    cmocka_unit_test(code_that_does_not_fit_overflows_and_goes_no_further), \
    cmocka_unit_test(rows_are_made_of_single_ones), \
    cmocka_unit_test(what_was_emitted_can_be_again), \
    cmocka_unit_test(what_was_emitted_can_be_repeated), \
    cmocka_unit_test(all_of_the_room_can_be_used), \
    cmocka_unit_test(operands_out_of_range_are_invalid), \
    cmocka_unit_test(space_out_of_order_is_invalid), \
    cmocka_unit_test(anything_at_all_stays_within_its_room)
/* clang-format on */

#endif
