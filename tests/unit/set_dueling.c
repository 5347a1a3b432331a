/* Sets that duel are found by what two looks at each of them show, and none are found where no set changes. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/structure/replacement.h"
#include "lib/structure/set_dueling.h"

static void looks_are_clear_near_what_policies_do(void **state)
{
    (void)state;
    assert_int_equal(duel_look_of(1, 8), LOOK_LOSES);
    assert_int_equal(duel_look_of(2.0 / 9, 8), LOOK_KEEPS);
    assert_int_equal(duel_look_of(NAN, 8), LOOK_UNCLEAR);
    /* of eight ways the shares are 1 and 0.222: 0.741 and 0.481 are a third of the way from either */
    assert_int_equal(duel_look_of(0.75, 8), LOOK_LOSES);
    assert_int_equal(duel_look_of(0.73, 8), LOOK_UNCLEAR);
    assert_int_equal(duel_look_of(0.49, 8), LOOK_UNCLEAR);
    assert_int_equal(duel_look_of(0.47, 8), LOOK_KEEPS);
}

/* Simulated policies that duel are told apart by the cycle, in sets of any number of ways. */
static void simulated_policies_lose_or_keep_the_cycle(void **state)
{
    static const struct {
        const char *name;
        enum duel_look look;
    } policies[] = {{"LRU", LOOK_LOSES},
                    {"SRRIP", LOOK_LOSES},
                    {"FIFO", LOOK_LOSES},
                    {"QLRU_H11_M1_R0_U0", LOOK_LOSES},
                    {"BIP", LOOK_KEEPS},
                    {"BRRIP", LOOK_KEEPS},
                    {"QLRU_H11_MR161_R0_U0", LOOK_KEEPS},
                    {"QLRU_H11_MR161_R1_U2", LOOK_KEEPS}};

    (void)state;
    for (unsigned ways = 4; ways <= 16; ways *= 2)
        for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
            struct replacement_policy policy;
            struct replacement_set s;
            unsigned misses = 0, counted = 0;
            assert_true(replacement_named(ways, policies[i].name, &policy));
            replacement_start(&s, &policy, ways, i + 1);
            for (unsigned round = 0; round < 80; round++)
                for (unsigned block = 0; block <= ways; block++) {
                    const bool hit = replacement_touch(&s, block);
                    misses += round >= 65 && !hit;
                    counted += round >= 65;
                }
            assert_int_equal(duel_look_of((double)misses / counted, ways), policies[i].look);
        }
}

static void sets_are_leaders_unless_they_change(void **state)
{
    static const struct {
        enum duel_look looks[DUEL_FAVOURS];
        enum duel_set set;
    } cases[] = {{{LOOK_LOSES, LOOK_KEEPS}, SET_FOLLOWS},       {{LOOK_LOSES, LOOK_LOSES}, SET_LEADS_LOSING},
                 {{LOOK_KEEPS, LOOK_KEEPS}, SET_LEADS_KEEPING}, {{LOOK_KEEPS, LOOK_LOSES}, SET_UNKNOWN},
                 {{LOOK_UNCLEAR, LOOK_KEEPS}, SET_UNKNOWN},     {{LOOK_LOSES, LOOK_UNCLEAR}, SET_UNKNOWN}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(duel_set_of(cases[i].looks), cases[i].set);
}

static void sets_duel_where_most_follow_two_kinds_of_leaders(void **state)
{
    static const struct {
        size_t sets[DUEL_SETS]; /* unknown, followers, leaders that lose, leaders that keep */
        const char *text;
    } cases[] = {{{0, 960, 32, 32}, "dueling"}, {{64, 896, 32, 32}, "dueling"},
                 {{65, 895, 32, 32}, NULL},     {{0, 0, 64, 0}, "none"},
                 {{0, 0, 0, 64}, "none"},       {{1, 0, 63, 0}, NULL},
                 {{0, 0, 32, 32}, NULL},        {{0, 1, 63, 0}, NULL},
                 {{0, 992, 32, 0}, NULL},       {{0, 500, 262, 262}, NULL},
                 {{0, 0, 0, 0}, NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct duel_verdict v = duel_decide(cases[i].sets);
        assert_int_equal(v.text == NULL, v.reason != REASON_NONE);
        assert_string_equal(v.text ? v.text : "", cases[i].text ? cases[i].text : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_are_clear_near_what_policies_do),
        cmocka_unit_test(simulated_policies_lose_or_keep_the_cycle),
        cmocka_unit_test(sets_are_leaders_unless_they_change),
        cmocka_unit_test(sets_duel_where_most_follow_two_kinds_of_leaders),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
