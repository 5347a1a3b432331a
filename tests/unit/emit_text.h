/* What was emitted, read back by a disassembler. */
#ifndef FATHOM_TESTS_EMIT_TEXT_H
#define FATHOM_TESTS_EMIT_TEXT_H

#include <sys/mman.h>

#include "tests/unit/emit_common.h"

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
    static const enum kind kinds[] = {MOVE, ADD, XOR, MULTIPLY, DIVIDE, COMPARE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (enum reg a = 0; a < REGS; a++)
            for (enum reg b = 0; b < REGS; b++)
                check((struct op){kinds[k], .a = a, .b = b});
    for (enum vreg a = 0; a < VREGS; a++)
        for (enum vreg b = 0; b < VREGS; b++) {
            check((struct op){SQUARE_ROOT, .a = a, .b = b});
            check((struct op){VECTOR_ADD, .a = a, .b = b});
            for (const unsigned *bits = emit_wide_bits; *bits; bits++) {
                check((struct op){WIDE_CLEAR, .a = a, .n = *bits});
                check((struct op){WIDE_MULTIPLY, .a = a, .b = b, .n = *bits});
                check((struct op){WIDE_END, .n = *bits});
            }
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

static unsigned longest_nop(void)
{
    unsigned longest = 0;
    for (const unsigned *n = emit_nop_lengths; *n; n++)
        longest = *n;
    return longest;
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
    const unsigned longest = longest_nop();
    for (size_t bytes = 0; bytes <= 200; bytes += emit_alignment) {
        char text[8192];
        struct code c = fresh();
        emit_nops(&c, bytes);
        assert_true(code_good(&c));
        assert_int_equal(c.used, bytes);
        const unsigned count = disassemble(&c, 0, text);
        assert_int_equal(count, (bytes + longest - 1) / longest);
        assert_int_equal(count, c.work.instructions);
        for (const char *t = text; *t; t += strcspn(t, ";"), t += strspn(t, "; "))
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
    static const enum kind plain[] = {ENTER, LEAVE, RETURN, DROP_CALL, UNDEFINED, UNKNOWN_REGISTER};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        check((struct op){.kind = plain[k]});
    for (enum fence f = 0; f < FENCES; f++)
        check((struct op){FENCE, .n = f});
    for (enum reg a = 0; a < REGS; a++) {
        check((struct op){BRANCH_REGISTER, .a = a});
        check((struct op){FLUSH, .a = a});
        check((struct op){CALL_REGISTER, .a = a});
        check((struct op){RETURN_TO, .a = a});
    }
}

/* What writes 64 bytes, in the order of emit_blocks. */
static const char *const expected_blocks[];

/* Whole blocks are zeroed one by one; another number of bytes, or no length of blocks, is refused. */
static void blocks_are_encoded(void **state)
{
    (void)state;
    for (unsigned which = 0; emit_blocks[which].name; which++) {
        struct code c = fresh();
        emit_block(&c, &emit_blocks[which], 64, 64);
        assert_true(code_good(&c));
        char got[512];
        disassemble(&c, 0, got);
        assert_string_equal(got, expected_blocks[which]);
        for (size_t bytes = 64; bytes <= 4096; bytes *= 2) {
            c = fresh();
            emit_block(&c, &emit_blocks[which], bytes, 64);
            assert_true(code_good(&c));
            assert_int_equal(c.work.stores, emit_blocks[which].zeroes ? bytes / 64 : 1);
        }
        for (size_t block = 0; block < 128 && emit_blocks[which].zeroes; block += 96) {
            c = fresh();
            emit_block(&c, &emit_blocks[which], 64, block);
            assert_false(code_good(&c));
        }
    }
}

static void branches_and_addresses_reach_both_ways(void **state)
{
    (void)state;
    for (int64_t target = 0; target <= 8192; target += 4) {
        check((struct op){BRANCH, .n = target});
        check((struct op){CALL, .n = target});
        for (unsigned which = 0; emit_code_prefetches[which]; which++)
            check((struct op){CODE_PREFETCH, .a = which, .n = target});
        for (enum reg a = 0; a < REGS; a++) {
            check((struct op){BRANCH_IF_ZERO, .a = a, .n = target});
            check((struct op){BRANCH_IF_NOT_ZERO, .a = a, .n = target});
            check((struct op){ADDRESS, .a = a, .n = target});
        }
    }
    for (int64_t target = 0; target <= 1024; target += 4)
        check((struct op){LOOP, .n = target});
}

/*
 * Each length that an operand of emit_jump can have is that of the instruction, and the one proposed is the shortest.
 */
static void jumps_have_the_length_asked_for(void **state)
{
    (void)state;
    for (unsigned conditional = 0; conditional < 2; conditional++)
        for (int64_t target = 0; target <= 8192; target += emit_alignment) {
            unsigned shortest = 0;
            for (unsigned bytes = 0; bytes <= 16; bytes++) {
                const struct op o = {conditional ? DIRECT_JUMP_IF_EQUAL : DIRECT_JUMP, .a = bytes, .n = target};
                struct code c = fresh();
                c.used = 1024;
                apply(&c, o);
                if (!code_good(&c))
                    continue;
                assert_int_equal(c.used - 1024, bytes);
                check(o);
                if (!shortest)
                    shortest = bytes;
            }
            assert_int_not_equal(shortest, 0);
            assert_int_equal(emit_jump_bytes(target - 1024, conditional), shortest);
        }
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
                        emit_land_at(&c, f, 4); /* to be moved */
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
        struct op o = {r->kind, .a = r->bytes ? r->bytes : REG_T2};

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
        if (!r->bytes)
            continue;
        const bool conditional = r->kind == DIRECT_JUMP_IF_EQUAL;
        assert_int_equal(emit_jump_bytes(r->backward, conditional), r->bytes);
        assert_int_equal(emit_jump_bytes(r->forward, conditional), r->bytes);
        assert_int_not_equal(emit_jump_bytes(r->backward - step, conditional), r->bytes);
        assert_int_not_equal(emit_jump_bytes(r->forward + step, conditional), r->bytes);
    }
}

/* clang-format off */
#define TEXT_TESTS \
    cmocka_unit_test(every_register_pair_is_encoded), \
    cmocka_unit_test(every_immediate_is_encoded), \
    cmocka_unit_test(every_memory_operand_is_encoded), \
    cmocka_unit_test(every_nop_length_is_one_instruction), \
    cmocka_unit_test(nops_fill_any_length_with_the_fewest), \
    cmocka_unit_test(alignment_is_that_of_the_running_address), \
    cmocka_unit_test(gaps_are_filled_with_traps_and_do_no_work), \
    cmocka_unit_test(the_rest_is_encoded), \
    cmocka_unit_test(blocks_are_encoded), \
    cmocka_unit_test(branches_and_addresses_reach_both_ways), \
    cmocka_unit_test(jumps_have_the_length_asked_for), \
    cmocka_unit_test(branches_ahead_are_the_same_branches), \
    cmocka_unit_test(branches_reach_to_their_limits_and_no_further)
/* clang-format on */

#endif
