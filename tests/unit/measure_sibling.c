/* Readings beside a sibling thread that is awake enter no point. */
/* link: tests/unit/measure/core.c */
/* libs: -lm */
#include <stdlib.h>

#include "tests/unit/measure/core.h"

/*
 * A sibling thread does not slow the reference chain. Readings beside it must enter no point, whether it stays awake
 * for many lists or wakes and sleeps within one.
 */
static void readings_wait_while_the_sibling_thread_is_awake(void **state)
{
    const struct cost c = {.per_iteration = 100};
    static const struct {
        double awake, asleep;
    } naps[] = {{4e-3, 2e-3}, {37e-6, 71e-6}, {53e-6, 47e-6}, {11e-6, 97e-6}};

    (void)state;
    for (size_t i = 0; i < sizeof naps / sizeof naps[0]; i++) {
        fake = steady();
        fake.sibling_awake = naps[i].awake;
        fake.sibling_asleep = naps[i].asleep;
        struct meter m = start();
        assert_true(fabs(m.nop_cycles / 0.25 - 1) <= 0.01);
        for (unsigned n = 0; n < 100; n++) {
            struct point p = measure(&m, &c, 1);
            assert_level(&m, &p, 100, 0.005);
        }
        assert_true(m.rejected_by[CAUSE_SHARED] > 0);
        assert_counted(&m);
    }
}

/* Seconds that so many points take, each with its own kernel; all must be right. */
static double seconds_of_points(unsigned points, double warm_iterations, double bursts_least, double bursts_most)
{
    static const struct cost c = {.per_iteration = 100};
    const struct kernel k = {.entry = (uintptr_t)&c, .units = 1, .warm_iterations = warm_iterations};

    fake = steady();
    struct meter m = start();
    fake.bursts_least = bursts_least;
    fake.bursts_most = bursts_most;
    const double begin = fake.burst_ends = fake.now;
    for (unsigned n = 0; n < points; n++) {
        struct point p;
        assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
        assert_level(&m, &p, 100, 0.005);
    }
    assert_counted(&m);
    return fake.now - begin;
}

/*
 * A sibling that is awake for half of the time, in bursts of 0.1 to 10 ms, leaves half of the time to measure in.
 * Points take no longer than that makes them: lists do not run into a burst that lasts, and what a short burst has
 * displaced is brought back, not a whole large footprint (the second kernel takes 90 ms to warm up).
 */
static void bursts_of_a_sibling_make_points_no_longer_than_they_must(void **state)
{
    (void)state;
    assert_true(seconds_of_points(1000, 10, 1e-4, 1e-2) < 2 * seconds_of_points(1000, 10, 0, 0));
    assert_true(seconds_of_points(50, 3e6, 1e-4, 1e-2) < 2 * seconds_of_points(50, 3e6, 0, 0));
}

static void a_sibling_thread_that_stays_awake_gives_no_number(void **state)
{
    const struct cost c = {.per_iteration = 100};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.sibling_awake = 1e9;
    struct point p = measure(&m, &c, 1);
    assert_int_equal(p.accepted, 0);
    assert_true(isnan(p.q20));
    assert_true(m.wait_seconds_left <= 0);
}

/*
 * One short window gives about the level of a full measurement, and no number before the core's clock is known, after
 * an interrupt, or while the sibling thread is awake.
 */
static void a_quick_sample_is_close_or_missing(void **state)
{
    const struct cost c = {.per_call = 30, .per_iteration = 120}, longer = {.per_iteration = 3000};
    struct kernel k = {.entry = (uintptr_t)&c, .units = 3, .warm_iterations = 10};
    uint64_t iterations = 0;
    double cycles = 0;

    (void)state;
    fake = steady();
    struct meter m = start();
    assert_int_equal(meter_quick_sample(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
    assert_true(isnan(cycles)); /* no point has measured the core's clock yet */
    measure(&m, &c, 3);
    for (unsigned n = 0; n < 10; n++) {
        const unsigned windows = fake.windows;
        assert_int_equal(meter_quick_sample(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
        assert_true(fabs(cycles / 40 - 1) <= 0.01);
        assert_true(fake.windows == windows + 1 || !n);
    }
    k.entry = (uintptr_t)&longer;
    for (unsigned n = 0; n < 2; n++) { /* the first one finds that the number of iterations is too large */
        assert_int_equal(meter_quick_sample(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
        assert_true(fabs(cycles / 1000 - 1) <= 0.01);
    }
    fake.void_every = 1;
    assert_int_equal(meter_quick_sample(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
    assert_true(isnan(cycles));
    fake.void_every = 0;
    fake.sibling_awake = 1e9;
    assert_int_equal(meter_quick_sample(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
    assert_true(isnan(cycles));
    assert_int_equal(m.taken, m.readings); /* quick samples are no readings */
    fake.ends_at = fake.windows + 1;
    fake.ends = WINDOW_TIMEOUT;
    assert_int_equal(meter_quick_sample(&m, &k, &iterations, &cycles).end, WINDOW_TIMEOUT);
    assert_true(isnan(cycles));
}

/*
 * The sibling thread is awake when the meter starts, so the detector's width is measured with it and shows nothing
 * later. A probe that concludes it from times can wait until it sleeps.
 */
static void a_sibling_thread_awake_from_the_start_can_be_waited_for(void **state)
{
    (void)state;
    fake = steady();
    fake.sibling_awake = fake.sibling_asleep = 3;
    fake.now = fake.sibling_asleep;
    struct meter m = start();
    assert_true(fabs(m.nop_cycles / 0.425 - 1) <= 0.01);
    while (fabs(m.nop_cycles / 0.25 - 1) > 0.01)
        assert_true(meter_wait(&m));
    assert_in_range(fake.now - fake.sibling_asleep, 3, 4);
    assert_true(m.wait_seconds_left > 0);
    fake.sibling_awake = 1e9;
    fake.now = fake.sibling_asleep;
    while (meter_wait(&m))
        ;
    assert_in_range(fake.now - fake.sibling_asleep, 1, 10);
    assert_true(m.wait_seconds_left <= 0);
}

/*
 * The sibling thread is awake when the meter starts and falls asleep while points are measured. The point during which
 * it does, or the one before, may be that of a shared core, and the meter reports it; later points are right.
 */
static void a_sibling_thread_awake_from_the_start_that_falls_asleep_is_noticed(void **state)
{
    const struct cost c = {.per_iteration = 100};

    const double step = getenv("LONG") ? 17e-6 : 59e-6; /* with LONG as fine as it can matter */

    (void)state;
    for (double after = 0; after < 2e-3; after += step) {
        fake = steady();
        fake.sibling_awake_until = INFINITY;
        struct meter m = start();
        assert_true(fabs(m.nop_cycles / 0.425 - 1) <= 0.01);
        fake.sibling_awake_until = fake.now + after;
        while (fake.now < fake.sibling_awake_until || !m.corrections) {
            assert_true(fake.now < fake.sibling_awake_until + 1e-3);
            measure(&m, &c, 1);
        }
        assert_int_equal(m.corrections, 1);
        assert_true(fabs(m.nop_cycles / 0.25 - 1) <= 0.01);
        for (unsigned n = 0; n < 20; n++) {
            struct point p = measure(&m, &c, 1);
            assert_level(&m, &p, 100, 0.005);
        }
        fake.sibling_awake = 1e9; /* and from now on the detector notices it */
        fake.sibling_asleep = 0;
        struct point p = measure(&m, &c, 1);
        assert_int_equal(p.accepted, 0);
        meter_wait(&m);
        assert_true(fabs(m.nop_cycles / 0.25 - 1) <= 0.01);
        assert_int_equal(m.corrections, 1);
        assert_counted(&m);
    }
}

/*
 * The sibling thread occupies the units that chains use, and takes no width from the core. The reference chain is
 * slower beside it, so no point may be measured then.
 */
static void a_sibling_thread_that_slows_only_chains_is_noticed(void **state)
{
    const struct cost c = {.per_iteration = 100};

    (void)state;
    for (unsigned from_the_start = 0; from_the_start < 2; from_the_start++) {
        fake = steady();
        fake.sibling_slows_chains = true;
        fake.sibling_awake_until = from_the_start ? INFINITY : 0;
        struct meter m = start();
        fake.sibling_awake_until = fake.now + 1e-3;
        while (fake.now < fake.sibling_awake_until) {
            struct point p = measure(&m, &c, 1);
            assert_true(from_the_start || fake.now >= fake.sibling_awake_until || isnan(p.q20));
        }
        for (unsigned n = 0; n < 20; n++) {
            struct point p = measure(&m, &c, 1);
            assert_level(&m, &p, 100, 0.005);
        }
        assert_true(fabs(m.nop_cycles / 0.25 - 1) <= 0.01);
        assert_int_equal(m.corrections, from_the_start);
        assert_counted(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_wait_while_the_sibling_thread_is_awake),
        cmocka_unit_test(bursts_of_a_sibling_make_points_no_longer_than_they_must),
        cmocka_unit_test(a_sibling_thread_that_stays_awake_gives_no_number),
        cmocka_unit_test(a_quick_sample_is_close_or_missing),
        cmocka_unit_test(a_sibling_thread_awake_from_the_start_can_be_waited_for),
        cmocka_unit_test(a_sibling_thread_awake_from_the_start_that_falls_asleep_is_noticed),
        cmocka_unit_test(a_sibling_thread_that_slows_only_chains_is_noticed),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
