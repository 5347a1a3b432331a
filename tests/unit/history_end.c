/* A sample of the branch history: mispredictions, from what the controls on either side of it cost. */
/* link: tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/history_end.h"
#include "lib/structure/rough_range.h"

/* ---- A core instead of kernels -------------------------------------------------------------------------- */

static double cycles[HISTORY_PROBES]; /* of an iteration */
static enum history_probe built;
static double sampled;

bool history_build(struct probe *p, const struct branch_history *h, size_t x, enum history_probe goes, struct kernel *k)
{
    (void)p;
    (void)h;
    (void)x;
    (void)k;
    built = goes;
    return true;
}

bool history_fills_cache(const struct branch_history *h, double x)
{
    (void)h;
    (void)x;
    return false;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p;
    (void)k;
    out->q20 = cycles[built];
    return true;
}

void rough_range_find(struct probe *p, const struct rough_range *r, double *from, double *to)
{
    (void)p;
    (void)r;
    *from = 1;
    *to = 100;
}

bool sweep_search(struct probe *p, struct sweep *s)
{
    struct point pt;

    assert_true(s->measure(p, 10, s->context, &pt));
    sampled = pt.q20;
    return false;
}

void experiments_of_sweeps(const struct sweep *s, size_t count, struct experiment *out)
{
    (void)s;
    (void)count;
    (void)out;
}

/* Mispredictions in an iteration whose branch is half way between the controls, which are so many cycles apart. */
static double sample(double penalty)
{
    struct run run = {.number = 0};
    struct probe probe = {.run = &run};
    struct history_curve c = {.code = {.kind = HISTORY_TAKEN}};
    struct experiment e;
    struct sweep s;

    cycles[HISTORY_CONSTANT] = 500;
    cycles[HISTORY_OTHER_BIT] = 500 + penalty / 2; /* a branch that goes at random is mispredicted half the time */
    cycles[HISTORY_SAME_BIT] = 500 + penalty / 4;
    assert_false(history_end_search(&probe, &c, 100, &s, &e));
    return sampled;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* HALF_LEAST: a misprediction refills a pipeline; none is shorter than the eight stages of a small core in order. */
static void a_short_pipeline_shows_mispredictions(void **state)
{
    (void)state;
    assert_true(fabs(sample(8) - 0.75) < 1e-9);
    assert_true(fabs(sample(20) - 0.75) < 1e-9);
}

/* HALF_LEAST: two cycles are less than any pipeline: the branch is predicted both times, or never. */
static void controls_that_take_alike_show_nothing(void **state)
{
    (void)state;
    assert_true(isnan(sample(2)));
    assert_true(isnan(sample(-8)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_pipeline_shows_mispredictions),
        cmocka_unit_test(controls_that_take_alike_show_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
