#include "tests/model/curves/hostile.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "tests/model/curves/contract.h"
#include "tests/model/curves/noise.h"

enum { POINTS = 200 };

static struct verdict decide(enum knee_kind kind, const struct knee_point *points, size_t count, double step)
{
    struct verdict v;

    assert_true(knee_decide(kind, points, count, step, &v));
    const char *wrong = broken_verdict(&v, kind, count ? points[0].x : 0, count ? points[count - 1].x : 0);
    if (wrong)
        fail_msg("%s, %zu points: %s", knee_kind_names[kind], count, wrong);
    return v;
}

/* ---- Tables ------------------------------------------------------------------------------------- */

void tables_of_a_few_points_decide_nothing(void **state)
{
    /* three points are too few even for so large a step */
    const struct knee_point points[] = {{1, 1, NAN}, {2, 1, 0}, {3, 100, 0}};

    (void)state;
    for (enum knee_kind kind = KNEE_STEP; kind <= KNEE_STAIRCASE; kind++)
        for (size_t count = 0; count <= 3; count++)
            assert_int_equal(decide(kind, count ? points : NULL, count, 1).count, 0);
}

void tables_without_numbers_decide_nothing(void **state)
{
    static const double values[] = {NAN, (double)INFINITY, -(double)INFINITY};
    struct knee_point points[POINTS];

    (void)state;
    for (enum knee_kind kind = KNEE_STEP; kind <= KNEE_STAIRCASE; kind++)
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            for (size_t j = 0; j < POINTS; j++)
                points[j] = (struct knee_point){(double)j, values[i], NAN};
            assert_int_equal(decide(kind, points, POINTS, 1).count, 0);
            /* three numbers are still too few */
            for (size_t j = 0; j < 3; j++)
                points[70 * j].y = 1 + (double)j;
            assert_int_equal(decide(kind, points, POINTS, 1).count, 0);
        }
}

/* What a faulty program might write. */
static double anything(uint64_t *random)
{
    static const double values[] = {0,       -0.0,     NAN,     (double)INFINITY, -(double)INFINITY,
                                    DBL_MAX, -DBL_MAX, DBL_MIN, DBL_MIN / 4096,   1,
                                    -1,      1e300,    1e-300};
    size_t i = random_below(random, 2 * sizeof values / sizeof values[0]);

    return i < sizeof values / sizeof values[0] ? values[i] : normal(random) * pow(10, between(random, -20, 20));
}

void tables_of_anything_get_an_answer(void **state)
{
    static const double steps[] = {0, 1, 1e-300, 1e300};
    uint64_t random = 7;
    struct knee_point points[POINTS];

    (void)state;
    for (size_t round = 0; round < 2000; round++) {
        size_t count = random_below(&random, POINTS + 1), plain = random_below(&random, 100);
        double x = anything(&random);
        for (size_t i = 0; i < count; i++) {
            /* ascending, be it by the smallest possible difference */
            x = i ? nextafter(points[i - 1].x, (double)INFINITY) : isfinite(x) ? fmax(x, -1e300) : 0;
            if (i && random_below(&random, 4))
                x += between(&random, 0, 100);
            points[i] = (struct knee_point){x, random_below(&random, 100) < plain ? 3 : anything(&random),
                                            random_below(&random, 2) ? NAN : fabs(anything(&random))};
        }
        decide((enum knee_kind)random_below(&random, 4), points, count, steps[random_below(&random, 4)]);
    }
}

void very_many_points_are_decided(void **state)
{
    /* time is proportional to the number of points */
    size_t count = getenv("LONG") ? 1000000 : 100000, knee = count / 3 * 2;
    struct knee_point *points = malloc(count * sizeof *points);
    uint64_t random = 3;

    (void)state;
    if (!points)
        abort();
    for (enum knee_kind kind = KNEE_STEP; kind <= KNEE_STAIRCASE; kind++) {
        for (size_t i = 0; i < count; i++) /* noise */
            points[i] = (struct knee_point){(double)i, 10 + normal(&random), NAN};
        assert_int_equal(decide(kind, points, count, 1).count, 0);
        for (size_t i = 0; i < count; i++) /* the same y everywhere */
            points[i].y = 10;
        assert_int_equal(decide(kind, points, count, 1).count, 0);
    }
    for (size_t i = 0; i < count; i++)
        points[i].y = (i > knee ? 20 : 10) + 0.1 * normal(&random);
    for (enum knee_kind kind = KNEE_STEP; kind <= KNEE_JUMP; kind++) {
        struct verdict v = decide(kind, points, count, 1);
        assert_int_equal(v.count, 1);
        assert_true(v.knees[0].low <= (double)knee && v.knees[0].high > (double)knee);
    }
    free(points);
}

/* ---- Searches ----------------------------------------------------------------------------------- */

struct source {
    size_t calls, ends_after;
    bool silent; /* every sample is NaN */
    uint64_t random;
};

static bool sample(void *context, double x, double *y)
{
    struct source *p = context;

    (void)x;
    *y = p->silent ? (double)NAN : anything(&p->random);
    return ++p->calls <= p->ends_after;
}

/* A search of any kind over any axis, whose samples are anything. */
static struct search any_search(struct source *p)
{
    static const unsigned budgets[] = {0, 1, 2, 7, 100, 3000};
    struct search s = {.sample = sample, .context = p, .random = random_next(&p->random)};

    s.kind = (enum knee_kind)random_below(&p->random, 4);
    s.step = (double)(1 + random_below(&p->random, 100));
    s.from = s.step * (double)(1 + random_below(&p->random, 50));
    s.to = s.from + s.step * (double)(4 + random_below(&p->random, 5000));
    /* half of the ranges may grow without end */
    s.limit = random_below(&p->random, 2) ? s.step * 1e12 : s.to;
    if (random_below(&p->random, 2))
        s.per_octave = 1u << random_below(&p->random, 6);
    else
        s.coarse = 4 + (unsigned)random_below(&p->random, 100);
    s.narrow_half_rise = random_below(&p->random, 2);
    s.budget = budgets[random_below(&p->random, 6)];
    return s;
}

void searches_end_when_nothing_can_be_measured(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 500; round++) {
        struct source p = {.random = round, .ends_after = round % 50};
        struct search s = any_search(&p);
        bool all = search_run(&s);
        assert_true(p.calls <= s.budget);
        if (p.calls > p.ends_after)
            assert_false(all);
        search_free(&s);
    }
}

void searches_keep_to_their_budget(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 500; round++) {
        struct source p = {.random = round, .ends_after = SIZE_MAX, .silent = round % 4 == 0};
        struct search s = any_search(&p);
        assert_true(search_run(&s));
        assert_true(p.calls <= s.budget);
        const char *wrong = broken_search(&s);
        if (wrong)
            fail_msg("round %d: %s", (int)round, wrong);
        if (p.silent)
            assert_int_equal(s.verdict.count, 0);
        search_free(&s);
    }
}
