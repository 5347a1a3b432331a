/* On modelled curves the search finds what a full sweep would find, with few points, and stops in time. */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/knee/search.h"
#include "lib/knee/search_samples.h"

/* A curve of up to three levels, and what disturbs its samples. */
struct model {
    double edge[2], height[3]; /* an edge at 0: there is none */
    double ramp;               /* each rise extends over this many x more */
    double noise;              /* uniform, to either side */
    double stolen;             /* fraction of samples that are several times too high */
    unsigned burst, quiet;     /* samples in a burst, and in the quiet before it; 0: none */
    double bump_from, bump_to; /* x where y is as high as the last level */
    double slope;              /* past the first edge, from the level there on */
    unsigned over;             /* after this many samples the first rise is gone; 0: it stays */
    unsigned moves;            /* after this many, the first edge is at `moved`; 0: it stays */
    double moved;
    unsigned taken, fail_at;
    uint64_t random;
};

static double uniform(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static double level(const struct model *m, double x)
{
    double y = m->height[0];

    if (x >= m->bump_from && x < m->bump_to)
        return m->height[2];
    for (int i = 0; i < 2; i++)
        if (m->edge[i] > 0 && x > m->edge[i]) {
            double part = fmin(1, (x - m->edge[i]) / (m->ramp + 1));
            y = m->height[i] + (m->height[i + 1] - m->height[i]) * part;
        }
    return y;
}

static bool sample(void *context, double x, double *y)
{
    struct model *m = context;

    m->taken++;
    if (m->moves && m->taken == m->moves)
        m->edge[0] = m->moved;
    *y = (m->over && m->taken > m->over ? m->height[0] : level(m, x)) + m->noise * (2 * uniform(&m->random) - 1);
    *y += m->edge[0] > 0 && x > m->edge[0] ? m->slope * (x - m->edge[0] - 1) : 0;
    if (m->burst && m->taken % (m->burst + m->quiet) >= m->quiet)
        *y += 15 * m->noise;
    if (uniform(&m->random) < m->stolen)
        *y *= 2 + 3 * uniform(&m->random);
    return m->taken != m->fail_at;
}

static struct search logarithmic(struct model *m)
{
    return (struct search){.kind = KNEE_STEP,
                           .from = 1,
                           .to = 4096,
                           .step = 1,
                           .per_octave = 4,
                           .budget = 100000,
                           .random = 1,
                           .sample = sample,
                           .context = m};
}

static void assert_knee(const struct search *s, size_t i, double edge)
{
    assert_true(i < s->verdict.count);
    assert_true(s->verdict.knees[i].low <= edge && edge < s->verdict.knees[i].high);
}

static void exact_levels_are_found_to_one_step_with_two_samples_each(void **state)
{
    struct model m = {.edge = {48, 1280}, .height = {5, 15, 70}};
    struct search s = logarithmic(&m);

    (void)state;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(s.verdict.knees[i].low == m.edge[i] && s.verdict.knees[i].high == m.edge[i] + 1);
        assert_true(s.verdict.knees[i].value == m.edge[i]);
        assert_true(s.verdict.knees[i].agreed);
    }
    assert_true(s.verdict.sigma <= 0 && s.verdict.monotone && !s.spent);
    assert_true(s.grid == 4096 && s.reached == 4096);
    /*
     * at most a tenth of the full grid: 53 points are the coarse grid, 2 * 8 the bisections, 8 the points around edges
     */
    assert_in_range(s.count, 60, 100);
    assert_int_equal(s.taken, m.taken);
    unsigned samples = 0;
    for (size_t i = 0; i < s.count; i++) {
        assert_true(i == 0 || s.points[i].x > s.points[i - 1].x);
        assert_true(s.points[i].y == level(&m, s.points[i].x));
        samples += s.points[i].samples;
    }
    assert_int_equal(samples, s.taken);
    assert_true(s.taken < 3 * s.count);
    search_free(&s);
    assert_null(s.points);
}

/* Steps of five standard deviations of the noise (0.577 of its range), and every kind of disturbance. */
static void disturbed_levels_are_found(void **state)
{
    unsigned inside = 0, knees = 0;

    (void)state;
    for (unsigned n = 0; n < 60; n++) {
        uint64_t random = n;
        struct model m = {.edge = {8 + floor(50 * uniform(&random)), 200 + floor(3000 * uniform(&random))},
                          .height = {10, 13, 16},
                          .noise = 1,
                          .stolen = n % 3 == 1 ? 0.1 : 0,
                          .burst = n % 3 == 2 ? 10 : 0,
                          .quiet = 60,
                          .random = n + 100};
        struct search s = logarithmic(&m);
        assert_true(search_run(&s));
        assert_true(s.verdict.count <= 2);
        assert_true(s.count < 410);
        for (size_t i = 0; i < s.verdict.count; i++) {
            const struct knee *k = &s.verdict.knees[i];
            knees++;
            inside += (k->low <= m.edge[0] && m.edge[0] < k->high) || (k->low <= m.edge[1] && m.edge[1] < k->high);
        }
        search_free(&s);
    }
    assert_true(knees >= 108); /* of 120: at most one in ten stays undecided */
    assert_true(inside * 100 >= knees * 95);
}

/* A structure with this many entries, behind a level that grows with x: beyond it, x - entries of x miss. */
struct misses {
    double entries, grows; /* as a fraction of the level's height, over the whole level */
    double hit, miss;
    uint64_t random;
};

static bool sample_misses(void *context, double x, double *y)
{
    struct misses *m = context;
    double hit = m->hit * (1 + m->grows * fmin(x, m->entries) / m->entries);

    *y = x > m->entries ? m->miss - (m->miss - hit) * m->entries / x : hit;
    *y *= 1 + 0.002 * (uniform(&m->random) - 0.5);
    return true;
}

/*
 * A rise far above the variation of its level is found, also when levels slope and the rise is no straight ramp. The
 * first samples beyond the knee are few and far apart, and points are known only to a fraction of their height: these
 * searches once ended without a knee.
 */
static void steep_rises_between_sloping_levels_are_found(void **state)
{
    unsigned inside = 0;

    (void)state;
    for (unsigned n = 0; n < 60; n++) {
        uint64_t random = n;
        struct misses m = {.entries = floor(16 + 300 * uniform(&random)),
                           .grows = n % 3 * 0.1,
                           .hit = 0.5 + uniform(&random),
                           .miss = 8 + 10 * uniform(&random),
                           .random = n + 7};
        struct search s = {.kind = KNEE_STEP,
                           .from = 4,
                           .to = 4096,
                           .step = 1,
                           .per_octave = 4,
                           .budget = 1200,
                           .resolution = n % 2 ? 0.02 : 0.05,
                           .random = 1,
                           .sample = sample_misses,
                           .context = &m};
        bool holds = false;
        assert_true(search_run(&s));
        assert_true(s.verdict.count > 0);
        for (size_t i = 0; i < s.verdict.count; i++)
            holds |= s.verdict.knees[i].low <= m.entries && m.entries < s.verdict.knees[i].high;
        inside += holds;
        search_free(&s);
    }
    assert_true(inside * 100 >= 60 * 95); /* as lib/knee/knee.h promises for intervals */
}

static void curves_without_knees_have_none(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 100; n++) {
        struct model m = {.height = {10, 10, 10}, .noise = n % 5, .stolen = n % 2 ? 0.1 : 0, .random = n};
        struct search s = logarithmic(&m);
        assert_true(search_run(&s));
        assert_int_equal(s.verdict.count, 0);
        assert_non_null(s.verdict.reason);
        search_free(&s);
    }
}

/* A level of four x between two others, all of them between two points of the coarse grid. */
static void a_level_between_coarse_points_is_found(void **state)
{
    struct model m = {.edge = {100, 104}, .height = {10, 20, 40}};
    struct search s = {.kind = KNEE_STEP,
                       .from = 1,
                       .to = 1000,
                       .step = 1,
                       .coarse = 25,
                       .budget = 100000,
                       .sample = sample,
                       .context = &m};

    (void)state;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.count, 2);
    assert_knee(&s, 0, 100);
    assert_knee(&s, 1, 104);
    assert_true(s.verdict.knees[1].high - s.verdict.knees[0].low == 5);
    search_free(&s);
}

static void a_level_of_four_at_either_end_is_found(void **state)
{
    struct model m = {.edge = {4, 996}, .height = {10, 20, 40}, .noise = 1};
    struct search s = {.kind = KNEE_STEP,
                       .from = 1,
                       .to = 1000,
                       .step = 1,
                       .coarse = 25,
                       .budget = 100000,
                       .sample = sample,
                       .context = &m};

    (void)state;
    assert_true(search_run(&s));
    assert_knee(&s, 0, 4);
    assert_knee(&s, 1, 996);
    search_free(&s);
}

/*
 * A rise that was there during the sweep and is gone when it is measured again was one over time, not over x. The
 * samples that remain are no level of either height.
 */
static void a_rise_that_has_ended_is_none(void **state)
{
    unsigned one_level = 0;

    (void)state;
    for (unsigned n = 0; n < 30; n++) {
        struct model m = {.edge = {700, 0}, .height = {10, 20, 20}, .noise = 1, .over = 110 + n, .random = n};
        struct search s = logarithmic(&m);
        assert_true(search_run(&s));
        for (size_t i = 0; i < s.verdict.count; i++)
            assert_false(s.verdict.knees[i].agreed);
        if (s.verdict.level_count == 1) {
            const struct knee_level *l = &s.verdict.levels[0];
            one_level++;
            assert_true(fabs(l->height - 10) < 1 || l->slope > 0.5);
        }
        search_free(&s);
    }
    assert_true(one_level > 0);
}

/* Beyond their depth the curves of return stacks jump, and then slope to the end of the range. */
static void a_jump_to_a_slope_is_found(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 20; n++) {
        struct model m = {.edge = {22, 0}, .height = {117, 124, 124}, .noise = 1, .slope = 1, .random = n};
        struct search s = {.kind = KNEE_STEP,
                           .from = 1,
                           .to = 64,
                           .limit = 128,
                           .step = 1,
                           .coarse = 16,
                           .resolution = 0.004,
                           .budget = 4000,
                           .sample = sample,
                           .context = &m};
        assert_true(search_run(&s));
        assert_knee(&s, 0, 22);
        assert_true(s.verdict.knees[0].high <= 24);
        search_free(&s);
    }
}

/* As with branch target buffers: the curve rises early, falls back, and rises for good. */
static void a_level_that_returns_has_been_left(void **state)
{
    struct model m = {.edge = {512, 0}, .height = {10, 20, 18}, .noise = 0.5, .bump_from = 64, .bump_to = 128};
    struct search s = logarithmic(&m);

    (void)state;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.count, 2);
    assert_knee(&s, 0, 63);
    assert_knee(&s, 1, 512);
    assert_false(s.verdict.monotone);
    search_free(&s);
}

static void the_range_grows_while_nothing_is_left(void **state)
{
    struct model m = {.edge = {3000, 0}, .height = {10, 20, 0}, .noise = 1};
    struct search s = logarithmic(&m);

    (void)state;
    s.to = 1024;
    s.limit = 16384;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.count, 1);
    assert_knee(&s, 0, 3000);
    assert_true(s.reached == 4096); /* no further than needed */
    assert_true(s.grid == 4096);
    search_free(&s);
    s = logarithmic(&m);
    s.to = 1024;
    s.limit = 2048;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.count, 0);
    assert_true(s.reached == 2048);
    search_free(&s);
    s = logarithmic(&m);
    s.to = 1024; /* the range may not grow */
    assert_true(search_run(&s));
    assert_true(s.reached == 1024);
    search_free(&s);
}

/* The next level has begun, but one point of it is too little. */
static void the_range_grows_until_the_last_level_is_reached(void **state)
{
    struct model m = {.edge = {1000, 0}, .height = {10, 20, 0}, .ramp = 400};
    struct search s = logarithmic(&m);

    (void)state;
    s.to = 1200;
    s.limit = 8192;
    assert_true(search_run(&s));
    assert_knee(&s, 0, 1000);
    assert_true(s.reached > 1400);
    search_free(&s);
}

static void a_spent_budget_leaves_a_wider_interval(void **state)
{
    struct model m = {.edge = {1500, 0}, .height = {10, 20, 0}, .noise = 1};
    struct search s = logarithmic(&m);

    (void)state;
    s.budget = 120;
    assert_true(search_run(&s));
    assert_true(s.spent);
    assert_in_range(s.taken, 90, 120); /* a quarter is kept for the confirmation, which may take less */
    assert_knee(&s, 0, 1500);
    assert_true(s.verdict.knees[0].high - s.verdict.knees[0].low > 1);
    search_free(&s);
}

static void a_search_that_cannot_measure_ends_at_once(void **state)
{
    (void)state;
    for (unsigned fail_at = 1; fail_at < 130; fail_at += 8) {
        struct model m = {.edge = {1500, 0}, .height = {10, 20, 0}, .noise = 1, .fail_at = fail_at};
        struct search s = logarithmic(&m);
        assert_false(search_run(&s));
        assert_int_equal(m.taken, fail_at);
        assert_false(s.spent);
        search_free(&s);
    }
}

/* Every third reading is rejected. */
static bool often_void(void *context, double x, double *y)
{
    struct model *m = context;
    bool good = sample(context, x, y);

    if (m->taken % 3 == 0)
        *y = (double)NAN;
    return good;
}

static void rejected_readings_are_counted_and_change_nothing(void **state)
{
    struct model m = {.edge = {48, 1280}, .height = {5, 15, 70}, .noise = 1};
    struct search s = logarithmic(&m);
    unsigned samples = 0, kept = 0;

    (void)state;
    s.sample = often_void;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.count, 2);
    assert_knee(&s, 0, 48);
    assert_knee(&s, 1, 1280);
    for (size_t i = 0; i < s.count; i++) {
        samples += s.points[i].samples;
        kept += s.points[i].kept;
        for (unsigned k = 0; k < s.points[i].kept; k++)
            assert_true(s.points[i].sample[k] > 0);
    }
    assert_int_equal(samples, s.taken);
    assert_int_equal(kept, s.taken - s.taken / 3);
    search_free(&s);
}

static bool nothing(void *context, double x, double *y)
{
    (void)context;
    (void)x;
    *y = (double)NAN;
    return true;
}

static void nothing_but_rejected_readings_is_reported(void **state)
{
    struct search s = {.from = 1, .to = 100, .step = 1, .coarse = 10, .budget = 1000000, .sample = nothing};

    (void)state;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.reason, REASON_TOO_FEW_POINTS);
    assert_true(s.taken < 200);
    search_free(&s);
}

/* The half-rise of a wide ramp from 1000 to 1400 is at 1200. */
static void the_half_rise_of_a_ramp_is_narrowed_down(void **state)
{
    struct model m = {.edge = {1000, 0}, .height = {10, 30, 0}, .ramp = 400, .noise = 0.5};
    struct search s = logarithmic(&m);

    (void)state;
    s.narrow_half_rise = true;
    assert_true(search_run(&s));
    assert_int_equal(s.verdict.count, 1);
    const struct knee *k = &s.verdict.knees[0];
    assert_true(k->ramp && k->half_rise_low <= 1200 && k->half_rise_high > 1200);
    assert_true(k->half_rise_high - k->half_rise_low < 40); /* a tenth of the ramp */
    search_free(&s);
}

/* Whenever it moves, points whose samples no longer fit are measured again. */
static void an_edge_that_moves_is_found_where_it_was_or_is(void **state)
{
    enum { TIMES = 240 };
    unsigned decided_searches = 0;

    (void)state;
    for (unsigned n = 1; n <= TIMES; n++) {
        struct model m = {.edge = {90}, .height = {10, 20}, .noise = 0.1, .random = n, .moves = n, .moved = 64};
        struct search s = logarithmic(&m);
        s.kind = KNEE_JUMP;
        s.to = 256;
        assert_true(search_run(&s));
        const struct knee *k = &s.verdict.knees[0];
        if (s.verdict.count && k->agreed) {
            decided_searches++;
            assert_true((k->low == 64 || k->low == 90) && k->high == k->low + 1);
        }
        search_free(&s);
    }
    assert_true(decided_searches >= 0.95 * TIMES);
}

static void the_same_samples_give_the_same_search(void **state)
{
    struct model m[2];
    struct search s[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        m[i] = (struct model){.edge = {40, 700}, .height = {10, 15, 22}, .noise = 2, .stolen = 0.05, .random = 77};
        s[i] = logarithmic(&m[i]);
        assert_true(search_run(&s[i]));
    }
    assert_int_equal(s[0].count, s[1].count);
    assert_int_equal(s[0].taken, s[1].taken);
    for (size_t i = 0; i < s[0].count; i++)
        assert_true(s[0].points[i].x == s[1].points[i].x && s[0].points[i].y == s[1].points[i].y);
    search_free(&s[0]);
    search_free(&s[1]);
}

/* 128 samples of 1, then samples of 2. */
static bool rises_late(void *context, double x, double *y)
{
    unsigned *taken = context;

    (void)x;
    *y = (*taken)++ < 128 ? 1 : 2;
    return true;
}

static void all_samples_at_one_x_count(void **state)
{
    enum { TAKEN = 300 };
    unsigned taken = 0;
    struct search s = {.sample = rises_late, .context = &taken, .from = 1, .step = 1, .budget = TAKEN, .share = TAKEN};

    (void)state;
    for (unsigned i = 0; i < TAKEN; i++)
        assert_true(search_take(&s, 1));
    assert_true(s.points[0].y == 2);
    for (unsigned i = 0; i < TAKEN; i++) /* the samples stay in the order of time */
        assert_true(s.points[0].sample[i] == (i < 128 ? 1 : 2));
    search_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_levels_are_found_to_one_step_with_two_samples_each),
        cmocka_unit_test(disturbed_levels_are_found),
        cmocka_unit_test(steep_rises_between_sloping_levels_are_found),
        cmocka_unit_test(curves_without_knees_have_none),
        cmocka_unit_test(a_level_between_coarse_points_is_found),
        cmocka_unit_test(a_level_of_four_at_either_end_is_found),
        cmocka_unit_test(a_rise_that_has_ended_is_none),
        cmocka_unit_test(a_jump_to_a_slope_is_found),
        cmocka_unit_test(a_level_that_returns_has_been_left),
        cmocka_unit_test(the_range_grows_while_nothing_is_left),
        cmocka_unit_test(the_range_grows_until_the_last_level_is_reached),
        cmocka_unit_test(a_spent_budget_leaves_a_wider_interval),
        cmocka_unit_test(a_search_that_cannot_measure_ends_at_once),
        cmocka_unit_test(rejected_readings_are_counted_and_change_nothing),
        cmocka_unit_test(nothing_but_rejected_readings_is_reported),
        cmocka_unit_test(the_half_rise_of_a_ramp_is_narrowed_down),
        cmocka_unit_test(an_edge_that_moves_is_found_where_it_was_or_is),
        cmocka_unit_test(the_same_samples_give_the_same_search),
        cmocka_unit_test(all_samples_at_one_x_count),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
