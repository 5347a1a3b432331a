/* What limits a kernel of the user: decisions about cycles that were measured on Zen 4, each on either side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "lib/structure/user_decide.h"

static void a_chain_is_waited_for(void **state)
{
    (void)state;
    assert_true(user_waited(1.004, 0.519, 1.004));  /* ADD rax, rbx: rax is set anew */
    assert_true(user_waited(4.018, 0.356, 4.016));  /* a pointer chase */
    assert_true(user_waited(3.013, 2.75, 3.01));    /* of two equal chains one is 9 % of the cycles longer */
    assert_false(user_waited(4.022, 4.019, 4.022)); /* four multiplications, of which none waits */
    assert_false(user_waited(3.013, 2.93, 3.013));  /* 3 % are within what layouts change */
    assert_false(user_waited(1.004, 0.519, 0.52));  /* NOPs in its place do the same: it was where the code lies */
}

static void no_room_for_nops_is_the_width(void **state)
{
    (void)state;
    assert_true(user_is_full_width(1.0));
    assert_true(user_is_full_width(0.5)); /* short NOPs, two of which Zen 4 keeps as one */
    assert_false(user_is_full_width(0.0));
    assert_false(user_is_full_width(0.25)); /* a few of the NOPs found no room */
}

static void no_unit_left_is_a_unit(void **state)
{
    (void)state;
    assert_true(user_is_full_unit(0.98)); /* a fifth multiplication beside four */
    assert_true(user_is_full_unit(1.01)); /* a seventh LEA beside six */
    assert_false(user_is_full_unit(0.0));
    assert_false(user_is_full_unit(0.55)); /* a multiplication beside six LEA */
    assert_false(user_is_full_unit(0.67)); /* a store beside four loads */
    assert_false(user_is_full_unit(2.0));  /* a store to another line beside two to one */
}

static void what_costs_far_more_takes_an_entry(void **state)
{
    (void)state;
    assert_true(user_is_full_queue(4.5));  /* a NOP where 200 cycles are waited for, in 320 entries, at 6 a cycle */
    assert_false(user_is_full_queue(2.0)); /* a store to another line beside two to one */
    assert_false(user_is_full_queue(1.0)); /* a NOP where the number of instructions limits */
    assert_false(user_is_full_width(4.5));
}

static void long_nops_cost_more_where_bytes_limit(void **state)
{
    (void)state;
    assert_true(user_is_full_fetch(0.06, 0.5));   /* one byte, and 8, of 16 a cycle */
    assert_true(user_is_full_fetch(0.125, 0.5));  /* two bytes, and 8 */
    assert_false(user_is_full_fetch(0.08, 0.17)); /* two short NOPs in one entry */
    assert_false(user_is_full_fetch(0.17, 0.17));
}

static void only_what_is_certain_is_faster(void **state)
{
    (void)state;
    assert_true(user_is_faster(0.25, 0.5));
    assert_true(user_is_faster(0.9, 1));
    assert_false(user_is_faster(0.97, 1));
    assert_false(user_is_faster(1, 1));
}

static void one_unit_more_is_noticed_and_the_loop_is_not(void **state)
{
    (void)state;
    assert_true(user_has_more_units(0.25, 1.0 / 3));
    assert_true(user_has_more_units(0.25, 0.32));
    assert_false(user_has_more_units(0.3375, 0.3556));
    assert_false(user_has_more_units(1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_waited_for),
        cmocka_unit_test(no_room_for_nops_is_the_width),
        cmocka_unit_test(no_unit_left_is_a_unit),
        cmocka_unit_test(what_costs_far_more_takes_an_entry),
        cmocka_unit_test(long_nops_cost_more_where_bytes_limit),
        cmocka_unit_test(only_what_is_certain_is_faster),
        cmocka_unit_test(one_unit_more_is_noticed_and_the_loop_is_not),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
