/*
 * Fillers, read back by a disassembler and held against assembly written down here: the second of a row of each, as it
 * stands and waiting.
 */
#ifndef FATHOM_TESTS_EMIT_FILLERS_TEXT_H
#define FATHOM_TESTS_EMIT_FILLERS_TEXT_H

#include "arch/emit_fillers.h"
#include "tests/unit/emit_text.h"

struct filler_text {
    const char *name, *text, *waiting; /* waiting: for REG_T0 and VREG_1; NULL: it can't */
};
/* Of registers that programs name, by emit_filler_hold: how many, and the first and the last. */
struct held_text {
    unsigned vector_bits, bits;
    bool cleared;
    unsigned count;
    const char *first, *last;
};
static const struct held_text held_texts[];

static void named_registers_are_held(void **state)
{
    (void)state;
    char got[4096];

    for (const struct held_text *want = held_texts; want->vector_bits; want++) {
        struct code c = fresh();
        emit_filler_hold(&c, want->vector_bits, want->bits, want->cleared);
        assert_true(code_good(&c));
        assert_int_equal(disassemble(&c, 0, got), want->count);
        assert_int_equal(c.work.instructions, want->count);
        if (!want->count)
            continue;
        assert_memory_equal(got, want->first, strlen(want->first));
        assert_string_equal(got + strlen(got) - strlen(want->last), want->last);
    }
}

/* All there are, in their order. */
static const struct filler_text filler_texts[];

static void every_filler_is_encoded(void **state)
{
    (void)state;
    const struct filler_text *want = filler_texts;
    char got[512];

    for (const struct emit_filler *f = emit_fillers; f->name; f++, want++) {
        assert_string_equal(f->name, want->name);
        assert_ptr_equal(emit_filler_named(f->name), f);
        if (f->vector_bits == FILLER_SCALABLE) /* the disassembler has none of those */
            continue;
        struct code c = fresh();
        emit_filler(&c, f, 1);
        assert_true(code_good(&c));
        assert_int_equal(c.work.instructions, 1);
        assert_int_equal(c.work.loads, f->class == FILLER_LOAD);
        assert_int_equal(c.work.stores, f->class == FILLER_STORE || f->class == FILLER_TARGET);
        assert_int_equal(c.work.branches, f->class == FILLER_BRANCH || f->class == FILLER_JUMP);
        const unsigned instructions = disassemble(&c, 0, got);
        if (f->class == FILLER_JUMP)
            *strchr(got, ';') = 0; /* NOPs behind it are jumped over */
        else
            assert_int_equal(instructions, 1);
        assert_string_equal(got, want->text);

        c = fresh();
        emit_filler_waiting(&c, f, 1, REG_T0, VREG_1);
        assert_int_equal(code_good(&c), f->waits);
        assert_int_equal(f->waits, want->waiting != NULL);
        if (!f->waits)
            continue;
        assert_int_equal(disassemble(&c, 0, got), c.work.instructions);
        assert_string_equal(got, want->waiting);
    }
    assert_null(want->name);
    assert_null(emit_filler_named("no such filler"));
}

/* Some forms of the catalogue as fillers, by their names. */
static const struct filler_text form_texts[];

static void forms_are_fillers(void **state)
{
    (void)state;
    char got[512];

    for (const struct filler_text *want = form_texts; want->name; want++) {
        const struct emit_filler f = emit_filler_of_form(want->name, emit_wide_bits[0]);
        assert_true(f.waits);
        struct code c = fresh();
        emit_filler(&c, &f, 1);
        assert_int_equal(disassemble(&c, 0, got), 1);
        assert_string_equal(got, want->text);
        c = fresh();
        emit_filler_waiting(&c, &f, 1, REG_T0, VREG_1);
        assert_int_equal(disassemble(&c, 0, got), 1);
        assert_string_equal(got, want->waiting);
    }
    assert_false(emit_filler_of_form("no such form", 0).waits);
}

#define FILLER_TESTS \
    cmocka_unit_test(every_filler_is_encoded), cmocka_unit_test(named_registers_are_held), \
        cmocka_unit_test(forms_are_fillers)

#endif
