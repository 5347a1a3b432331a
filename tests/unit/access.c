/* Changes of registers that are undone, on a modelled register file; and the model itself. */
/* link: arch/access.c tests/registers/model.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/registers/model.h"

enum { SWITCHES = 0x1a4, OTHER = 0x1a0, STICKY = 0x770 };

static struct model m;
static struct access a;
static struct changes c;

static int prepare(void **state)
{
    (void)state;
    memset(&m, 0, sizeof m);
    model_register(&m, "SWITCHES", SWITCHES, 0xa0, 0xff)->allowed = 0x0f;
    m.list[0].reserved = 0xff00;
    model_register(&m, "OTHER", OTHER, 0x850089, UINT64_MAX);
    model_register(&m, "STICKY", STICKY, 0, 1)->sticky = 1;
    a = model_access(&m);
    memset(&c, 0, sizeof c);
    c.access = &a;
    return 0;
}

static void sets_only_the_bits_of_the_mask(void **state)
{
    (void)state;
    assert_null(changes_set(&c, "SWITCHES", SWITCHES, 0x3, UINT64_MAX));
    assert_int_equal(model_at(&m, SWITCHES)->value, 0xa3);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.list[0].found, 0);
    assert_int_equal(c.list[0].got, 3);
    model_assert_log(&m, "r SWITCHES a0\nw SWITCHES a3\nr SWITCHES a3\n");
    assert_true(changes_restore(&c, 0));
    model_assert_as_found(&m);
}

/* What reads as wanted already is not written, but belongs to what is put back: counters move by themselves. */
static void keeps_what_is_there(void **state)
{
    (void)state;
    assert_null(changes_set(&c, "OTHER", OTHER, 0xff, 0x89));
    model_assert_writes(&m, "");
    model_at(&m, OTHER)->value = 0x850077;
    assert_true(changes_restore(&c, 0));
    model_assert_as_found(&m);
}

static void puts_back_in_the_opposite_order(void **state)
{
    (void)state;
    assert_null(changes_set(&c, "OTHER", OTHER, 1, 0));
    const size_t mark = c.count;
    assert_null(changes_set(&c, "SWITCHES", SWITCHES, 1, 1));
    assert_null(changes_set(&c, "OTHER", OTHER, 8, 0));
    model_begin(&m);
    m.list[1].found = 0x850088; /* the change before the mark stays */
    m.list[0].found = 0xa0;
    assert_true(changes_restore(&c, mark));
    model_assert_writes(&m, "w OTHER 850088\nw SWITCHES a0\n");
    model_assert_as_found(&m);
    assert_true(changes_restore(&c, 0));
    assert_int_equal(model_at(&m, OTHER)->value, 0x850089);
}

static void says_why_not(void **state)
{
    (void)state;
    assert_string_equal(changes_set(&c, "NOWHERE", 0x999, 1, 1), "NOWHERE (0x999) cannot be read");

    model_at(&m, OTHER)->write_faults = true;
    assert_string_equal(changes_set(&c, "OTHER", OTHER, 2, 2), "OTHER (0x1a0) cannot be written");
    model_at(&m, OTHER)->write_faults = false;

    model_at(&m, SWITCHES)->kind = MODEL_IGNORES;
    assert_string_equal(changes_set(&c, "SWITCHES", SWITCHES, 3, 3), "SWITCHES (0x1a4) ignores what is written");
    model_at(&m, SWITCHES)->kind = MODEL_PLAIN;
    assert_int_equal(c.count, 0);
    model_assert_as_found(&m);
}

/* A register that takes one bit of two is put back at once. */
static void leaves_nothing_half_done(void **state)
{
    (void)state;
    model_at(&m, SWITCHES)->writable = 1;
    assert_string_equal(changes_set(&c, "SWITCHES", SWITCHES, 3, 3), "SWITCHES (0x1a4) does not take what is written");
    assert_int_equal(c.count, 0);
    model_assert_as_found(&m);
}

static void says_what_cannot_be_put_back(void **state)
{
    (void)state;
    assert_null(changes_set(&c, "SWITCHES", SWITCHES, 1, 1));
    assert_null(changes_set(&c, "STICKY", STICKY, 1, 1));
    assert_false(changes_restore(&c, 0));
    assert_int_equal(model_at(&m, SWITCHES)->value, 0xa0); /* the rest is put back all the same */
    assert_false(model_as_found(&m));
}

static void has_room_for_so_many(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHANGES; i++)
        assert_null(changes_set(&c, "OTHER", OTHER, UINT64_MAX, i));
    assert_string_equal(changes_set(&c, "OTHER", OTHER, 1, 1), "OTHER (0x1a0) is one change too many");
    assert_true(changes_restore(&c, 0));
    model_assert_as_found(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sets_only_the_bits_of_the_mask, prepare),
        cmocka_unit_test_setup(keeps_what_is_there, prepare),
        cmocka_unit_test_setup(puts_back_in_the_opposite_order, prepare),
        cmocka_unit_test_setup(says_why_not, prepare),
        cmocka_unit_test_setup(leaves_nothing_half_done, prepare),
        cmocka_unit_test_setup(says_what_cannot_be_put_back, prepare),
        cmocka_unit_test_setup(has_room_for_so_many, prepare),
    };

    return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
