/*
 * Searches on curves that repeat exactly (lib/knee/search_narrow.h), as in simulators: where a level may end, and when
 * a point is not on the level any more. Each threshold that decides this is held by a curve on either side of it, or on
 * one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/knee/search.h"
#include "lib/knee/search_narrow.h"

/* How many points lie behind the first rise of three heights. */
static size_t risen(double one, double two, double three)
{
    struct search_point points[] = {{.x = 1, .y = one}, {.x = 2, .y = two}, {.x = 3, .y = three}};

    return search_points_risen(&(struct search){.points = points, .count = 3});
}

/* LEFT_RISE: one and a half percent is no end of a level, four percent is. */
static void a_level_ends_where_it_rises_by_more_than_its_points_differ(void **state)
{
    (void)state;
    assert_int_equal(risen(100, 100, 101.5), 0);
    assert_int_equal(risen(100, 100, 104), 1);
    assert_int_equal(risen(100, 104, 104), 2);
}

/* STEEPER_RISE: a rise twice as high as the one before it is a line over x that doubles; five times is an end. */
static void a_level_that_slopes_ends_where_it_becomes_steeper(void **state)
{
    (void)state;
    assert_int_equal(risen(100, 102, 106), 0);
    assert_int_equal(risen(100, 102, 112), 1);
}

/* A line is a line, too, where a grid goes on in wider gaps; what rises four times as fast is an end. */
static void a_level_that_slopes_does_not_end_where_gaps_become_wider(void **state)
{
    struct search_point points[] = {{.x = 256, .y = 256},
                                    {.x = 259, .y = 259},
                                    {.x = 362, .y = 362},
                                    {.x = 512, .y = 512},
                                    {.x = 662, .y = 512 + 4 * 150}};

    (void)state;
    assert_int_equal(search_points_risen(&(struct search){.points = points, .count = 4}), 0);
    assert_int_equal(search_points_risen(&(struct search){.points = points, .count = 5}), 1);
}

/* JUMP_RISE: a jump is where y stays higher, by more than points of a level wobble; 7 percent is none, 36 is one. */
static void a_jump_is_higher_than_points_of_a_level_differ(void **state)
{
    struct search_point points[] = {
        {.x = 8, .y = 100}, {.x = 11, .y = 97}, {.x = 16, .y = 107}, {.x = 23, .y = 107}, {.x = 32, .y = 146}};

    (void)state;
    assert_int_equal(search_points_risen(&(struct search){.kind = KNEE_JUMP, .points = points, .count = 4}), 0);
    assert_int_equal(search_points_risen(&(struct search){.kind = KNEE_JUMP, .points = points, .count = 5}), 1);
}

/* A knee at 61, behind which the first points show 2/16 of the rise and little more. */
static bool sample(void *context, double x, double *y)
{
    (void)context;
    *y = x <= 61 ? 16 : x <= 65 ? 18 + 0.5 * (x - 62) : 32;
    return true;
}

/* LEFT_LEVEL: what the knee of a structure of 16 ways shows at first is not on the level, whichever grid meets it. */
static void an_eighth_of_the_rise_is_not_on_the_level(void **state)
{
    (void)state;
    for (unsigned coarse = 8; coarse <= 32; coarse *= 2)
        for (double to = 130; to <= 1040; to *= 2) {
            struct search s = {.kind = KNEE_STEP,
                               .from = 1,
                               .to = to,
                               .limit = to,
                               .step = 1,
                               .coarse = coarse,
                               .budget = 4000,
                               .random = 1,
                               .repeats = true,
                               .sample = sample};
            assert_true(search_run(&s));
            const size_t count = s.verdict.count;
            const struct knee k = s.verdict.knees[0];
            search_free(&s);
            assert_int_equal(count, 1);
            assert_int_equal((int)k.low, 61);
            assert_int_equal((int)k.high, 62);
        }
}

/*
 * A jump at 61, or a ramp that begins there; every other point of both levels is 8 higher, as latencies of misses do.
 */
static bool jump(void *context, double x, double *y)
{
    const double *width = context, wobble = (int)x % 2 ? 0 : 8;

    *y = x <= 61 ? 100 + wobble : 200 + wobble - fmax(0, 100 * (1 - (x - 61) / *width));
    return true;
}

/* Of a jump only what may be part of it is looked into: points that differ by less take no further samples. */
static void the_points_of_a_jump_are_not_looked_between(void **state)
{
    (void)state;
    for (double width = 1; width <= 24; width += 23) {
        struct search s = {.kind = KNEE_JUMP,
                           .from = 8,
                           .to = 512,
                           .limit = 512,
                           .step = 1,
                           .resolution = 0.01,
                           .per_octave = 2,
                           .budget = 400,
                           .random = 1,
                           .repeats = true,
                           .sample = jump,
                           .context = &width};
        assert_true(search_run(&s));
        const size_t count = s.verdict.count, points = s.count;
        const struct knee k = s.verdict.knees[0];
        search_free(&s);
        assert_int_equal(count, 1);
        assert_true(k.low <= 61 && k.high > 61);
        assert_in_range(points, 10, 30);
    }
}

/* A line that jumps by 40 behind 146, in a gap of the grid, across which it is not twice as steep as elsewhere. */
static bool a_jump_on_a_slope(void *context, double x, double *y)
{
    (void)context;
    *y = 190 + x + (x > 146 ? 40 : 0);
    return true;
}

static void a_jump_on_a_slope_is_looked_for_in_its_gap(void **state)
{
    struct search s = {.kind = KNEE_JUMP,
                       .from = 8,
                       .to = 256,
                       .limit = 1024,
                       .step = 1,
                       .resolution = 0.01,
                       .per_octave = 2,
                       .budget = 400,
                       .random = 1,
                       .repeats = true,
                       .sample = a_jump_on_a_slope};

    (void)state;
    assert_true(search_run(&s));
    const size_t count = s.verdict.count;
    const struct knee k = s.verdict.knees[0];
    search_free(&s);
    assert_int_equal(count, 1);
    assert_true(k.low == 146 && k.high == 147);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_ends_where_it_rises_by_more_than_its_points_differ),
        cmocka_unit_test(a_level_that_slopes_ends_where_it_becomes_steeper),
        cmocka_unit_test(a_level_that_slopes_does_not_end_where_gaps_become_wider),
        cmocka_unit_test(a_jump_is_higher_than_points_of_a_level_differ),
        cmocka_unit_test(an_eighth_of_the_rise_is_not_on_the_level),
        cmocka_unit_test(the_points_of_a_jump_are_not_looked_between),
        cmocka_unit_test(a_jump_on_a_slope_is_looked_for_in_its_gap),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
