/* The length of a line by the steps of curves over pairs of places (lib/structure/line_steps.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/structure/line_steps.h"

enum { GRAIN = 16 };

static struct finding reported;

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    reported = *f;
}

/* A curve with a step behind 64 bytes, and one of so many cycles behind 128; 0: none. */
static struct sweep curve(const char *name, double second)
{
    struct sweep s = {.name = name, .confounder = name, .search = {.step = GRAIN}};
    const double heights[] = {300, 400, 400 + second};

    s.search.verdict.count = second > 0 ? 2 : 1;
    s.search.verdict.level_count = s.search.verdict.count + 1;
    for (size_t i = 0; i < s.search.verdict.count; i++)
        s.search.verdict.knees[i] = (struct knee){.value = 64.0 * (double)(i + 1),
                                                  .low = 64.0 * (double)(i + 1),
                                                  .high = 64.0 * (double)(i + 1) + GRAIN,
                                                  .before = heights[i],
                                                  .after = heights[i + 1],
                                                  .agreed = true};
    return s;
}

static double length_of(double onward, double back)
{
    const struct sweep s[] = {curve("onward", onward), curve("back", back)};

    return line_steps_report(NULL, &(struct finding){.name = "line"}, s, 2);
}

static void one_step_is_the_length(void **state)
{
    (void)state;
    assert_true(length_of(0, 0) == 64);
    assert_int_equal(reported.grade, 'A');
    assert_true(reported.low == 64 && reported.high == 64 + GRAIN);
}

static void a_small_step_behind_it_is_none(void **state)
{
    (void)state;
    assert_true(length_of(20, 20) == 64);
    assert_int_equal(reported.grade, 'A');
}

/* Half of the blocks begin within a line of 128 bytes: two equal steps. */
static void of_two_steps_the_last_is_the_length_and_the_first_may_be(void **state)
{
    (void)state;
    assert_true(length_of(100, 100) == 128);
    assert_int_equal(reported.grade, 'C');
    assert_true(reported.low == 64 && reported.high == 128 + GRAIN);
}

static void directions_that_disagree_decide_nothing(void **state)
{
    (void)state;
    assert_true(isnan(length_of(100, 0)));
    assert_int_equal(reported.grade, 'U');
    assert_int_equal(reported.reason, REASON_EXPERIMENTS_DISAGREE);
    assert_true(isnan(reported.value) && isnan(reported.low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_is_the_length),
        cmocka_unit_test(a_small_step_behind_it_is_none),
        cmocka_unit_test(of_two_steps_the_last_is_the_length_and_the_first_may_be),
        cmocka_unit_test(directions_that_disagree_decide_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
