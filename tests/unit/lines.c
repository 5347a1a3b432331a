/* The page of lines: every line fits, words are kept together, long texts are broken at blanks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/lines.h"

static void a_line_is_cut_where_it_is_full(void **state)
{
    struct lines l = {.count = 0};

    (void)state;
    lines_add(&l, "%0200d", 7);
    assert_int_equal(l.count, 1);
    assert_int_equal(strlen(l.text[0]), LINE_COLUMNS);
    for (unsigned i = 0; i < 2 * LINES_MAXIMUM; i++)
        lines_add(&l, "%u", i);
    assert_int_equal(l.count, LINES_MAXIMUM);
    assert_string_equal(l.text[LINES_MAXIMUM - 1], "38");
}

static void words_share_a_line_until_one_does_not_fit(void **state)
{
    struct lines l = {.count = 0};

    (void)state;
    lines_add(&l, "a line");
    lines_word(&l, "%070d", 0);
    lines_word(&l, "1234567"); /* 70 + 2 + 7 columns */
    lines_word(&l, "8");
    assert_int_equal(l.count, 3);
    assert_int_equal(strlen(l.text[1]), LINE_COLUMNS);
    assert_string_equal(l.text[1] + 70, "  1234567");
    assert_string_equal(l.text[2], "8");
    lines_add(&l, "another");
    lines_word(&l, "9"); /* a line that was added takes no words */
    assert_int_equal(l.count, 5);
}

static void a_text_is_broken_at_blanks_and_loses_nothing(void **state)
{
    static const char text[] = "counters: the kernel does not let this user count (kernel.perf_event_paranoid is 3, at "
                               "most 2 is needed: sysctl kernel.perf_event_paranoid=2, or run as root)";
    struct lines l = {.count = 0};
    char whole[400] = "";

    (void)state;
    lines_text(&l, "%s", text);
    assert_int_equal(l.count, 3);
    for (size_t i = 0; i < l.count; i++) {
        assert_true(strlen(l.text[i]) <= LINE_COLUMNS);
        assert_int_equal(strspn(l.text[i], " "), i ? 2 : 0);
        strcat(whole, i ? " " : "");
        strcat(whole, l.text[i] + (i ? 2 : 0));
    }
    assert_string_equal(whole, text);
}

static void a_text_breaks_exactly_where_the_line_ends(void **state)
{
    struct lines l = {.count = 0};

    (void)state;
    lines_text(&l, "%079d", 1); /* fits */
    assert_int_equal(l.count, 1);
    lines_text(&l, "%079d 2", 1);
    assert_int_equal(l.count, 3);
    assert_int_equal(strlen(l.text[1]), LINE_COLUMNS);
    assert_string_equal(l.text[2], "  2");
    lines_text(&l, "%0150d", 3); /* a word longer than a line: 79 and 71 */
    assert_int_equal(l.count, 5);
    assert_int_equal(strlen(l.text[3]), 79);
    assert_int_equal(strlen(l.text[4]), 2 + 71);
    lines_text(&l, "%s", "");
    assert_int_equal(l.count, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_cut_where_it_is_full),
        cmocka_unit_test(words_share_a_line_until_one_does_not_fit),
        cmocka_unit_test(a_text_is_broken_at_blanks_and_loses_nothing),
        cmocka_unit_test(a_text_breaks_exactly_where_the_line_ends),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
