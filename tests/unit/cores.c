/* Which cores measure: every form of the setting `cores`, and warnings about cores that cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/plan/cores.h"

enum { CORES = 6, HERE = 2 };
static struct machine_core cores[CORES];
static char warned[512];

static void note_warning(void *context, const char *text)
{
    assert_null(context);
    strcat(strcat(warned, text), "\n");
}

static void all_usable(void)
{
    for (unsigned i = 0; i < CORES; i++)
        cores[i] = (struct machine_core){.index = i};
}

static void assert_chosen(const char *setting, const char *expected, const char *warnings)
{
    unsigned out[CORES];
    char chosen[64] = "";

    warned[0] = 0;
    assert_true(cores_valid(setting));
    size_t count = cores_choose(setting, cores, CORES, HERE, out, note_warning, NULL);
    assert_in_range(count, 1, CORES);
    for (size_t i = 0; i < count; i++)
        snprintf(chosen + strlen(chosen), sizeof chosen - strlen(chosen), "%s%u", i ? " " : "", out[i]);
    assert_string_equal(chosen, expected);
    assert_string_equal(warned, warnings);
}

static void every_form_of_the_setting(void **state)
{
    static const char *const good[] = {"all", "One-Per-Type", "0", " 1 ", "0,1", "0 , 1", "3-3", "0-65535", "5 4 3-4"};
    static const char *const bad[] = {"",
                                      " ",
                                      ",",
                                      "-",
                                      "1-",
                                      "-1",
                                      "2-1",
                                      "1 - 2",
                                      "65536",
                                      "0x1",
                                      "P",
                                      "all 1",
                                      "1all",
                                      "1.5",
                                      "1,-2",
                                      "1--2",
                                      "1-2-3",
                                      "99999999999999999999",
                                      "0-99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(cores_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cores_valid(bad[i]));
}

static void lists_keep_their_order_and_have_each_core_once(void **state)
{
    (void)state;
    all_usable();
    assert_chosen("all", "0 1 2 3 4 5", "");
    assert_chosen("5 0-2, 1 4", "5 0 1 2 4", "");
    assert_chosen("3", "3", "");
}

static void missing_cores_are_reported(void **state)
{
    (void)state;
    all_usable();
    assert_chosen("1 999", "1", "there is no core 999; this machine has 0 to 5\n");
    assert_chosen("4-9", "4 5", "there are no cores 6 to 9; this machine has 0 to 5\n");
    assert_chosen("7-9", "2",
                  "there are no cores 7 to 9; this machine has 0 to 5\n"
                  "no core that was asked for can be had: core 2 measures\n");
    cores[1].why_not = "it is disabled";
    assert_chosen("0-2", "0 2", "core 1 cannot be used: it is disabled\n");
}

static void one_usable_core_of_each_type(void **state)
{
    (void)state;
    all_usable();
    assert_chosen("one-per-type", "2", "");
    for (unsigned i = 0; i < CORES; i++)
        strcpy(cores[i].type, i < 2 ? "E" : i < 4 ? "P" : "M");
    cores[4].why_not = "it is off";
    assert_chosen("one-per-type", "2 0 5", "");
    cores[0].why_not = cores[1].why_not = "it is off";
    assert_chosen("one-per-type", "2 5", "core 0 cannot be used: it is off\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_the_setting),
        cmocka_unit_test(lists_keep_their_order_and_have_each_core_once),
        cmocka_unit_test(missing_cores_are_reported),
        cmocka_unit_test(one_usable_core_of_each_type),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
