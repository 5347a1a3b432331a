/* Protects what is decided of a form for predictions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/form_decide.h"

/* One subtraction from itself in a cycle is a chain; four to six are none. */
static void chains_through_one_register_are_known(void **state)
{
    (void)state;
    assert_false(form_is_idiom(1, 1));
    assert_true(form_is_idiom(0.25, 1));
    assert_true(form_is_idiom(1 / 6.0, 1));
    assert_false(form_is_idiom(3, 3));
}

static void a_kept_part_is_waited_for(void **state)
{
    (void)state;
    assert_true(form_kept_cycles(1, 0.75) == 1);
    assert_true(form_kept_cycles(4, 1) == 4);
    assert_true(form_kept_cycles(0.54, 0.5) == 0);
}

static void what_no_class_explains_is_a_limit(void **state)
{
    (void)state;
    assert_true(form_has_hidden_limit(1, 0.5));
    assert_true(form_has_hidden_limit(0.25, 0.2));
    assert_false(form_has_hidden_limit(0.53, 0.5));
}

static void two_forms_share_what_makes_them_wait(void **state)
{
    (void)state;
    assert_true(2 > form_shared_from(1, 1));
    assert_false(1.3 > form_shared_from(1, 1));
    assert_true(3.9 > form_shared_from(3, 1));
    assert_false(3.1 > form_shared_from(3, 1));
}

/* A sixth of a cycle for each NOP alone, a quarter beside a sibling thread. */
static void a_sibling_thread_shows_in_the_pace(void **state)
{
    (void)state;
    assert_true(form_is_same_pace(1.03 / 6, 1 / 6.0));
    assert_false(form_is_same_pace(1.14 / 6, 1 / 6.0));
    assert_false(form_is_same_pace(1 / 6.0, 1 / 4.0));
    assert_false(form_is_same_pace(0, 1 / 6.0));
}

/* MICROCODE_SLOTS and WHOLE_OFF, on a front end of six instructions a cycle. */
static void microcode_takes_whole_cycles(void **state)
{
    (void)state;
    assert_true(form_microcode_cycles(2.3, 1 / 6.0, 3) == 3);
    assert_true(form_microcode_cycles(2.05, 1 / 6.0, 3) == 2);
    assert_true(form_microcode_cycles(2.15, 1 / 6.0, 3) == 3);
    assert_true(form_microcode_cycles(1.5, 1 / 6.0, 1.5) == 1.5);
    assert_true(form_microcode_cycles(4.1 / 6, 1 / 6.0, 3) == 0);
    assert_true(form_microcode_cycles(4.9 / 6, 1 / 6.0, 3) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(microcode_takes_whole_cycles),
        cmocka_unit_test(chains_through_one_register_are_known),
        cmocka_unit_test(a_kept_part_is_waited_for),
        cmocka_unit_test(what_no_class_explains_is_a_limit),
        cmocka_unit_test(two_forms_share_what_makes_them_wait),
        cmocka_unit_test(a_sibling_thread_shows_in_the_pace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
