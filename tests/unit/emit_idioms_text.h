/* Idioms and pairs, read back by a disassembler and held against assembly written down here. */
#ifndef FATHOM_TESTS_EMIT_IDIOMS_TEXT_H
#define FATHOM_TESTS_EMIT_IDIOMS_TEXT_H

#include "arch/emit_idioms.h"
#include "arch/emit_privileged.h"
#include "tests/unit/emit_text.h"

struct idiom_text {
    const char *name, *text; /* idioms: of the second register or vector from the third; pairs: the second of a row */
};
/* All there are, in their order. */
static const struct idiom_text idiom_texts[], pair_texts[];
/* Of the sequence with what runs before it. */
static const struct idiom_text privileged_texts[];

static void every_idiom_is_encoded(void **state)
{
    (void)state;
    const struct idiom_text *want = idiom_texts;
    char got[512];

    for (const struct emit_idiom *i = emit_idioms; i->name; i++, want++) {
        const unsigned first = i->kind == IDIOM_VECTOR_MOVE ? VREG_0 : REG_T0;
        struct code c = fresh();
        emit_idiom(&c, i, first + 1, first + 2);
        assert_true(code_good(&c));
        assert_string_equal(i->name, want->name);
        assert_int_equal(disassemble(&c, 0, got), 1);
        assert_string_equal(got, want->text);
    }
    assert_null(want->name);
}

static void every_pair_is_encoded(void **state)
{
    (void)state;
    const struct idiom_text *want = pair_texts;
    char got[512];

    for (const struct emit_pair *p = emit_pairs; p->name; p++, want++) {
        struct code c = fresh();
        emit_pair_first(&c, p, 1);
        emit_pair_second(&c, p, 1);
        assert_true(code_good(&c));
        assert_string_equal(p->name, want->name);
        assert_int_equal(disassemble(&c, 0, got), 2);
        assert_int_equal(c.work.instructions, 2);
        assert_string_equal(got, want->text);
    }
    assert_null(want->name);
}

static void every_privileged_instruction_is_encoded(void **state)
{
    (void)state;
    const struct idiom_text *want = privileged_texts;
    char got[512];

    for (const struct emit_privileged *p = emit_privileged_list; p->name; p++, want++) {
        struct code c = fresh();
        emit_privileged_begin(&c, p);
        const size_t before = c.work.instructions;
        emit_privileged(&c, p);
        assert_true(code_good(&c));
        assert_string_equal(p->name, want->name);
        assert_int_equal(c.work.instructions - before, p->instructions);
        assert_int_equal(disassemble(&c, 0, got), c.work.instructions);
        assert_string_equal(got, want->text);
    }
    assert_null(want->name);
}

#define IDIOM_TESTS \
    cmocka_unit_test(every_idiom_is_encoded), cmocka_unit_test(every_pair_is_encoded), \
        cmocka_unit_test(every_privileged_instruction_is_encoded)

#endif
