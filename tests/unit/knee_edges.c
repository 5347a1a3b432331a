/* Where a level is left, if what follows is no straight rise: lib/knee/edge.h, and the jumps that the second view sees.
 * Each threshold that these need is moved by tests/tolerances, and one of these tests then fails. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/knee/curve.h"
#include "lib/knee/edge.h"
#include "lib/knee/knee.h"
#include "lib/knee/plateau.h"
#include "lib/knee/search.h"
#include "lib/knee/smooth.h"

enum { POINTS_MAXIMUM = 200 };

/* Points at x = 1, 2, 3 …, whose repetitions differ by `error`. */
struct points {
    struct knee_point p[POINTS_MAXIMUM];
    double y[POINTS_MAXIMUM];
    size_t count;
    double error;
    uint64_t random;
};

/* Adds points of height y that scatter evenly by as much as `scatter` to either side. */
static void add(struct points *r, size_t times, double y, double scatter)
{
    for (; times > 0; times--) {
        double even = (double)(random_next(&r->random) >> 11) / 9007199254740992.0 * 2 - 1;
        r->y[r->count] = y + scatter * even;
        r->p[r->count] = (struct knee_point){(double)(r->count + 1), r->y[r->count], r->error};
        r->count++;
    }
}

static struct verdict decide(enum knee_kind kind, const struct points *r)
{
    struct verdict v;

    assert_true(knee_decide(kind, r->p, r->count, 1, &v));
    return v;
}

static void assert_knee(const struct verdict *v, double low, double high)
{
    assert_true(v->count > 0);
    assert_true(v->knees[0].value >= low && v->knees[0].value <= low);
    assert_true(v->knees[0].low >= low && v->knees[0].low <= low);
    assert_true(v->knees[0].high >= high && v->knees[0].high <= high);
    assert_true(v->knees[0].agreed);
}

static bool find(const struct points *r, size_t known, bool sloped, double half, struct edge *e)
{
    struct curve c;

    assert_true(curve_load(r->p, r->count, 1, false, &c));
    const bool found = edge_find(&c, 0, known, r->count, sloped, 0, half, e);
    curve_release(&c);
    return found;
}

/* A step of 70 % is a knee, also where the curve climbs behind it to far more. */
static void a_step_before_a_climb_is_the_knee(void **state)
{
    struct points r = {.error = 0.01};

    (void)state;
    add(&r, 40, 2, 0.02);
    for (int i = 0; i < 50; i++)
        add(&r, 1, 3.4 + 0.09 * i, 0.03);
    add(&r, 20, 34, 0.3);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_knee(&v, 40, 41);
}

static void a_step_before_a_creeping_rise_is_the_knee(void **state)
{
    struct points r = {.error = 0.01};

    (void)state;
    add(&r, 30, 4, 0.03);
    add(&r, 1, 4.7, 0);
    add(&r, 1, 5.1, 0);
    add(&r, 1, 5.2, 0);
    add(&r, 1, 5.5, 0);
    add(&r, 15, 8.2, 0.06);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_knee(&v, 30, 31);
}

/*
 * Points that are neither on the level nor surely off it do not hide those behind them: the interval begins before
 * them. It began behind the first of them while such points widened the level at once.
 */
static void what_may_be_off_a_level_does_not_widen_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct points r = {.error = 0.1, .random = seed};
        struct edge e;
        add(&r, 9, 20, 0.5);
        for (int i = 0; i < 7; i++)
            add(&r, 1, 22.4 + 0.6 * i, 0.2);
        add(&r, 20, 60, 0.5);
        assert_true(find(&r, 7, false, 40, &e));
        assert_true(e.low <= 8);
    }
}

/* DOUBTFUL_POINTS: a level that rises by little over many points goes on, and only its last points are doubtful. */
static void many_points_beside_a_level_are_its_drift(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct points r = {.error = 0.1, .random = seed};
        struct edge e;
        add(&r, 24, 20, 0.4);
        for (int i = 0; i < 16; i++)
            add(&r, 1, 21 + 0.05 * i, 0.1);
        add(&r, 20, 60, 0.4);
        assert_true(find(&r, 22, false, 40, &e));
        assert_true(e.good == 39 && e.low >= 31);
    }
}

/* Three points that may be off the level stay doubtful where one behind them is on it. */
static void one_good_point_does_not_clear_three_doubtful_ones(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct points r = {.error = 0.01, .random = seed};
        struct edge e;
        add(&r, 30, 6, 0.04);
        add(&r, 3, 6.14, 0);
        add(&r, 1, 6.01, 0);
        add(&r, 20, 9, 0.04);
        assert_true(find(&r, 20, false, 7.5, &e));
        assert_int_equal(e.bad, 34);
        assert_in_range(e.low, 20, 29);
    }
}

static void the_last_good_point_lies_before_a_gentle_foot(void **state)
{
    struct points r = {.error = 0.01};

    (void)state;
    add(&r, 30, 6, 0.04);
    add(&r, 1, 6.7, 0);
    add(&r, 1, 8, 0);
    add(&r, 1, 10, 0);
    add(&r, 1, 13, 0);
    add(&r, 20, 17, 0.1);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_knee(&v, 30, 31);
}

static void one_good_point_within_a_rise_belongs_to_the_interval(void **state)
{
    struct points r = {.error = 0.01};

    (void)state;
    add(&r, 30, 6, 0.04);
    add(&r, 1, 6.6, 0);
    add(&r, 1, 7.8, 0);
    add(&r, 1, 6.05, 0);
    add(&r, 1, 10, 0);
    add(&r, 1, 13, 0);
    add(&r, 20, 17, 0.1);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_knee(&v, 30, 34);
}

/*
 * Seven points that scatter by a part of the step before them: the second view sees no rise there, and what follows may
 * be the knee of the second level or of the first one.
 */
static void behind_a_rise_that_one_view_misses_no_knee_is_agreed(void **state)
{
    struct points r = {.error = 0.0003, .random = 40};

    (void)state;
    add(&r, 7, 0.507, 0.0002);
    add(&r, 7, 0.6, 0.04);
    add(&r, 13, 1.9, 0.2);
    add(&r, 14, 6.6, 0.7);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_true(v.count > 0);
    for (size_t i = 0; i < v.count; i++)
        assert_true(v.knees[0].low <= 7 || !v.knees[i].agreed);
}

/* Two points that are high as a level is, and one behind them that is back: nothing has been left before that one. */
static void two_high_points_before_a_return_are_no_level(void **state)
{
    struct points r = {.error = 0.2, .random = 5};

    (void)state;
    add(&r, 14, 87, 0.5);
    add(&r, 2, 94.5, 1);
    add(&r, 1, 88, 0);
    for (int i = 0; i < 5; i++)
        add(&r, 1, 160 + 80 * i, 2);
    add(&r, 30, 520, 3);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_int_equal(v.count, 1);
    assert_knee(&v, 14, 18);
}

/* FEW_POINTS: a level scatters as its own points do, whatever those of other levels do; and somewhat more if few. */
static void a_level_of_eight_points_shows_its_scatter(void **state)
{
    struct points r = {.error = NAN, .random = 3};
    struct curve c;
    struct edge e;
    double squares = 0, mean = 0;

    (void)state;
    add(&r, 8, 10, 0.02);
    add(&r, 12, 15, 0.02);
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    for (size_t i = 0; i < r.count; i++)
        c.s.variance[i] = 1;
    for (size_t i = 0; i < 8; i++)
        mean += r.y[i] / 8;
    for (size_t i = 0; i < 8; i++)
        squares += (r.y[i] - mean) * (r.y[i] - mean);
    assert_true(edge_find(&c, 0, 7, r.count, false, 0, 12.5, &e));
    assert_int_equal(e.good, 7);
    assert_true(e.deviation > 1.6 * sqrt(squares / 7) && e.deviation < 4 * sqrt(squares / 7));
    curve_release(&c);
}

/* CLEAR: two points that lie some twenty deviations higher are enough. */
static void two_points_behind_a_step_are_enough(void **state)
{
    struct points r = {.error = 0.05};

    (void)state;
    add(&r, 24, 10, 0.15);
    add(&r, 2, 12.4, 0.05);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_knee(&v, 24, 25);
}

/* FIRST_PART_OF_JUMP: a first step of a twelfth of a jump is its beginning. */
static void a_jump_begins_with_its_first_step(void **state)
{
    struct points r = {.error = 0.01};

    (void)state;
    for (int i = 0; i < 60; i++)
        add(&r, 1, 10 + 0.01 * i, 0.03);
    add(&r, 4, 11.6, 0.03);
    add(&r, 40, 22, 0.05);
    const struct verdict v = decide(KNEE_JUMP, &r);
    assert_knee(&v, 60, 61);
}

/* LEVEL_REACH: the last points of a level say what is on it, not those far back. */
static void a_level_is_what_its_last_points_are(void **state)
{
    struct points r = {.error = 0.001};
    struct edge e;

    (void)state;
    add(&r, 40, 9.7, 0.02);
    add(&r, 30, 10, 0.02);
    add(&r, 10, 10.15, 0.02);
    assert_true(find(&r, 66, false, 20, &e));
    assert_int_equal(e.good, 69);
    assert_int_equal(e.bad, 70);
}

/* LINE_POINTS: ten points make a line. */
static void a_line_of_ten_points_is_left(void **state)
{
    struct points r = {.error = 0.001};
    struct edge e;

    (void)state;
    for (int i = 0; i < 10; i++)
        add(&r, 1, 10 + i, 0.02);
    for (int i = 0; i < 12; i++)
        add(&r, 1, 30 + i, 0.02);
    assert_true(find(&r, 1, true, 40, &e));
    assert_int_equal(e.good, 9);
}

/* BACK_PART: what falls to a third of the way up comes back; noise of a tenth of it does not. */
static void what_falls_far_comes_back(void **state)
{
    struct points r = {.error = 0.001};
    struct edge e;

    (void)state;
    add(&r, 30, 10, 0.02);
    add(&r, 1, 11, 0);
    add(&r, 1, 12.4, 0);
    add(&r, 1, 10.8, 0);
    add(&r, 1, 14, 0);
    add(&r, 20, 18, 0.8);
    assert_true(find(&r, 20, false, 14, &e));
    assert_int_equal(e.good, 29);
    assert_int_equal(e.bad, 33);
}

/* Points that scatter far from all others are no mixture with them. */
static void a_level_of_few_noisy_points_far_away_is_one(void **state)
{
    struct points r = {.error = 0.01};

    (void)state;
    add(&r, 60, 10, 0.02);
    for (int i = 0; i < 8; i++)
        add(&r, 1, i % 2 ? 21.2 : 18.8, 0.1);
    const struct verdict v = decide(KNEE_STEP, &r);
    assert_knee(&v, 60, 61);
}

/* FAR_ABOVE: the second view begins a rise where its first point is far above the plateau. */
static void the_second_view_begins_a_climb_at_its_step(void **state)
{
    struct departure out[4];
    struct points r = {.error = 0.01};
    double x[POINTS_MAXIMUM];

    (void)state;
    add(&r, 40, 2, 0.2);
    for (int i = 0; i < 50; i++)
        add(&r, 1, 3.4 + 0.09 * i, 0.03);
    add(&r, 20, 34, 0.3);
    for (size_t i = 0; i < r.count; i++)
        x[i] = (double)(i + 1);
    assert_true(plateau_departures(x, r.y, r.count, out, 4) >= 1);
    assert_true(out[0].low >= 40 && out[0].high <= 41);
}

/* JUMP_BEHIND: two points that are nearly alike are a plateau before a jump. */
static void two_points_before_a_jump_are_a_plateau(void **state)
{
    struct departure out[4];
    struct points r = {.error = 0.01};
    double x[POINTS_MAXIMUM];

    (void)state;
    add(&r, 20, 10, 1.2);
    add(&r, 1, 30, 0);
    add(&r, 1, 30.8, 0);
    add(&r, 20, 42, 1.2);
    for (size_t i = 0; i < r.count; i++)
        x[i] = (double)(i + 1);
    assert_int_equal(plateau_departures(x, r.y, r.count, out, 4), 2);
}

/* JUMP_OVER: a jump between two slopes is higher than what they rise by from point to point, but not by far. */
static void the_second_view_sees_jumps_between_slopes(void **state)
{
    static const double jump[] = {1, 4, 7, 10, 20, 23, 26, 29}, slope[] = {1, 4, 7, 10, 14, 17, 20, 23};

    (void)state;
    assert_true(plateau_jump(jump, 8, 3));
    assert_false(plateau_jump(slope, 8, 3));
    assert_false(plateau_jump(jump, 8, 0));
    assert_false(plateau_jump(jump, 8, 7));
}

/* A smooth curve that was measured once has no knee, also where bursts disturbed it. */
static void bursts_of_one_pass_are_no_structure(void **state)
{
    static const size_t burst[] = {14, 36, 50, 76};
    struct points r = {.error = (double)NAN};

    (void)state;
    for (int i = 0; i < 80; i++)
        add(&r, 1, 4 + 0.001 * i * i, 0.01);
    for (size_t i = 0; i < sizeof burst / sizeof burst[0]; i++)
        for (size_t k = 0; k < (i % 2 ? 4 : 2); k++)
            r.p[burst[i] + k].y *= 1.3;
    assert_int_equal(decide(KNEE_STEP, &r).count, 0);
}

/* Whether so many bursts of that length on a line of 60 points are explained by a knee only. */
static bool bursts_need_a_knee(size_t bursts, size_t length)
{
    enum { POINTS = 60 };
    const double gain = 1000; /* points that are set aside cost a tenth of it, a burst that is not a hundred times it */
    struct points r = {.error = (double)NAN};
    struct curve c;
    bool good = true;

    for (int i = 0; i < POINTS; i++)
        add(&r, 1, 4 + 0.01 * i, 0.01);
    for (size_t i = 0; i < bursts; i++)
        for (size_t k = 0; k < length; k++)
            r.p[(i + 1) * POINTS / (bursts + 1) + k].y += 3;
    assert_true(curve_load(r.p, r.count, 1, false, &c));
    /* the knee leaves one variance for each point */
    const bool needed = needs_knee(&c, 0, c.s.count, (double)c.s.count, gain, 0, &good);
    curve_release(&c);
    assert_true(good);
    return needed;
}

/* BURST_POINTS: four neighbours may be a burst of disturbance; seven are a level. */
static void bursts_are_shorter_than_levels(void **state)
{
    (void)state;
    assert_false(bursts_need_a_knee(1, 4));
    assert_true(bursts_need_a_knee(1, 7));
}

/* BURSTS_ONE_IN: 8 points of 60 may be in bursts; with 16 it is not known which points are the curve. */
static void bursts_are_few(void **state)
{
    (void)state;
    assert_false(bursts_need_a_knee(2, 4));
    assert_true(bursts_need_a_knee(4, 4));
}

/* STEPS_BESIDE: a search looks at all the first points of a ramp. */
static bool sample(void *context, double x, double *y)
{
    static const double rise[] = {6.6, 7.8, 6.05, 10, 13};

    (void)context;
    *y = x <= 61 ? 6 : x <= 66 ? rise[(size_t)x - 62] : 17;
    return true;
}

static void a_search_sees_one_good_point_within_a_rise(void **state)
{
    struct search s = {.kind = KNEE_STEP,
                       .from = 1,
                       .to = 130,
                       .limit = 130,
                       .step = 1,
                       .coarse = 16,
                       .budget = 4000,
                       .random = 1,
                       .sample = sample};

    (void)state;
    assert_true(search_run(&s));
    assert_true(s.verdict.count > 0);
    assert_true(s.verdict.knees[0].low <= 61 && s.verdict.knees[0].high >= 65);
    search_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_before_a_climb_is_the_knee),
        cmocka_unit_test(a_step_before_a_creeping_rise_is_the_knee),
        cmocka_unit_test(what_may_be_off_a_level_does_not_widen_it),
        cmocka_unit_test(many_points_beside_a_level_are_its_drift),
        cmocka_unit_test(one_good_point_does_not_clear_three_doubtful_ones),
        cmocka_unit_test(the_last_good_point_lies_before_a_gentle_foot),
        cmocka_unit_test(one_good_point_within_a_rise_belongs_to_the_interval),
        cmocka_unit_test(behind_a_rise_that_one_view_misses_no_knee_is_agreed),
        cmocka_unit_test(two_high_points_before_a_return_are_no_level),
        cmocka_unit_test(a_level_of_eight_points_shows_its_scatter),
        cmocka_unit_test(two_points_behind_a_step_are_enough),
        cmocka_unit_test(a_jump_begins_with_its_first_step),
        cmocka_unit_test(a_level_is_what_its_last_points_are),
        cmocka_unit_test(a_line_of_ten_points_is_left),
        cmocka_unit_test(what_falls_far_comes_back),
        cmocka_unit_test(a_level_of_few_noisy_points_far_away_is_one),
        cmocka_unit_test(the_second_view_begins_a_climb_at_its_step),
        cmocka_unit_test(two_points_before_a_jump_are_a_plateau),
        cmocka_unit_test(the_second_view_sees_jumps_between_slopes),
        cmocka_unit_test(bursts_of_one_pass_are_no_structure),
        cmocka_unit_test(bursts_are_shorter_than_levels),
        cmocka_unit_test(bursts_are_few),
        cmocka_unit_test(a_search_sees_one_good_point_within_a_rise),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
