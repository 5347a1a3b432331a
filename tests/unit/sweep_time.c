/*
 * How a sweep samples: an eighth of its time is kept for confirming knees, progress is shown a few times a second, and
 * the slowest of several kernels counts where the experiment asks for it.
 */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "lib/probe/curve.h"
#include "lib/probe/sweep.h"

/* ---- A machine on which time passes while samples are taken ------------------------------------------- */

static const double sample_seconds = 0.01;
static double seconds;
static double show_seconds; /* what a line of progress takes */
static unsigned shown;      /* lines of progress */

double machine_seconds(void)
{
    return seconds;
}

double meter_seconds(const struct meter *m)
{
    (void)m;
    return machine_seconds();
}

bool probe_is_simulated(const struct probe *p)
{
    (void)p;
    return false;
}

double probe_smoke(const struct probe *p, double smoke, double otherwise)
{
    return p->run->config.profile == PROFILE_SMOKE ? smoke : otherwise;
}

const struct machine_info *machine_info(void)
{
    static const struct machine_info info = {.core = 0};

    return &info;
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    (void)a;
    (void)accessed;
    return "there are no page tables";
}

bool probe_count(struct probe *p, const struct kernel *k, const char *need, double *per_unit)
{
    (void)p;
    (void)k;
    (void)need;
    (void)per_unit;
    return false;
}

static unsigned measured;

/* From 100 on kernels of three kinds take turns: a fast one, one without an accepted reading, a slow one. */
bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    static const double takes[] = {1, (double)NAN, 3};

    (void)p;
    out->q20 = k->data < 100 ? 1 : takes[measured % 3];
    out->median = out->ns = out->q20;
    out->rejected = 2;
    measured++;
    return true;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p;
    (void)reason;
    return false;
}

void curve_send(struct probe *p, const struct sweep *s)
{
    (void)p;
    (void)s;
}

void curve_show(const struct probe *p, const struct sweep *s)
{
    (void)p;
    (void)s;
}

void progress_show(const struct progress *p, const char *text)
{
    (void)p;
    (void)text;
    seconds += show_seconds;
    shown++;
}

/* A step from 1 to 2 cycles at x = 100. */
static bool sample(struct probe *p, double x, void *context, struct point *out)
{
    (void)p;
    (void)context;
    seconds += sample_seconds;
    out->q20 = x < 100 ? 1 : 2;
    return true;
}

/*
 * Samples that a sweep of eight seconds takes of a grid that would take sixteen, where a line of progress takes so
 * long.
 */
static unsigned samples_of_half_a_grid(double each_line)
{
    static const struct probe_definition definition = {.name = "test"};
    struct run run = {.config = {.profile = PROFILE_STANDARD}};
    struct probe probe = {.definition = &definition, .run = &run};
    struct sweep s = {
        .name = "step",
        .axis = "x",
        .unit = "cycles",
        .measure = sample,
        .seconds = 8,
        .search = {.kind = KNEE_STEP, .from = 1, .to = 1600, .step = 1, .coarse = 1600, .budget = 1U << 20}};

    seconds = 0;
    shown = 0;
    show_seconds = each_line;
    assert_true(sweep_search(&probe, &s));
    const unsigned taken = s.search.taken;
    sweep_free(&s);
    return taken;
}

/* ---- Tests ---------------------------------------------------------------------------------------------- */

/* CONFIRM_PART: of 800 samples that there is time for, 700 are of the grid, and a clear step is confirmed by few. */
static void the_last_eighth_is_for_confirming(void **state)
{
    (void)state;
    const unsigned taken = samples_of_half_a_grid(0);
    assert_true(taken > 650 && taken < 740);
}

/* SHOW_SECONDS: nobody reads more than ten lines a second, and one every second shows that it goes on. */
static void progress_is_shown_a_few_times_a_second(void **state)
{
    (void)state;
    samples_of_half_a_grid(0);
    assert_true(shown < 10 * seconds && shown > 1.5 * seconds);
}

/* Firmware that takes ten seconds for a line on its screen costs time, and no samples. */
static void showing_progress_costs_no_samples(void **state)
{
    (void)state;
    const unsigned at_once = samples_of_half_a_grid(0);
    assert_int_equal(samples_of_half_a_grid(10), at_once);
    assert_true(shown > 10);
}

static bool build_at(struct probe *p, double x, void *context, struct kernel *k)
{
    (void)p;
    (void)context;
    k->data = (uint64_t)x;
    return true;
}

/*
 * slowest_of: a sample is one of the slowest of so many kernels, with the readings that were rejected of all of them.
 */
static void the_slowest_of_several_kernels_counts(void **state)
{
    static const struct probe_definition definition = {.name = "test"};
    struct run run = {.config = {.profile = PROFILE_QUICK}};
    struct probe probe = {.definition = &definition, .run = &run};
    struct sweep s = {.name = "step",
                      .axis = "x",
                      .unit = "cycles",
                      .build = build_at,
                      .slowest_of = 3,
                      .search = {.kind = KNEE_STEP, .from = 1, .to = 200, .step = 1, .budget = 300}};

    (void)state;
    assert_true(sweep_search(&probe, &s));
    assert_true(s.count > 20);
    assert_int_equal(measured, 3 * s.count);
    for (size_t i = 0; i < s.count; i++) {
        assert_true(s.samples[i].y == (s.samples[i].x < 100 ? 1 : 3));
        assert_int_equal(s.samples[i].rejected, 6);
    }
    assert_int_equal(s.search.verdict.count, 1);
    assert_true(s.search.verdict.knees[0].low == 99 && s.search.verdict.knees[0].high == 100);
    sweep_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_eighth_is_for_confirming),
        cmocka_unit_test(progress_is_shown_a_few_times_a_second),
        cmocka_unit_test(showing_progress_costs_no_samples),
        cmocka_unit_test(the_slowest_of_several_kernels_counts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
