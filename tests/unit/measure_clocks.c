/* Points are right, or missing, whatever the core clock and the time stamp do. */
/* link: tests/unit/measure/core.c */
/* libs: -lm */
#include "tests/unit/measure/core.h"

/* The generic timers of some AArch64 cores advance by steps: 26 ticks of a nominal gigahertz are usual. */
static void time_stamps_of_large_steps(void **state)
{
    const struct cost c = {.per_iteration = 37};

    (void)state;
    for (double core_hz = 1.0e9; core_hz < 4e9; core_hz *= 1.07) {
        fake = steady();
        fake.info.tick_hz = 1e9;
        fake.stamp_steps = 26;
        fake.core_hz = core_hz;
        struct meter m = start();
        struct point p = measure(&m, &c, 1);
        assert_level(&m, &p, 37, 0.005);
    }
}

/* A time stamp of few ticks a microsecond makes readings longer instead of worse. */
static void slow_time_stamps(void **state)
{
    const struct cost c = {.per_iteration = 37};

    (void)state;
    for (double tick_hz = 1e6; tick_hz < 1e8; tick_hz *= 1.7) {
        fake = steady();
        fake.info.tick_hz = tick_hz;
        struct meter m = start();
        struct point p = measure(&m, &c, 1);
        assert_level(&m, &p, 37, 0.01);
    }
}

/* The reference chains before and after a kernel differ by thousandths; their mean is the clock of the kernel. */
static void a_drifting_clock_is_followed(void **state)
{
    const struct cost c = {.per_iteration = 12};

    (void)state;
    for (double drift = -200; drift <= 400; drift += 100) {
        fake = steady();
        struct meter m = start();
        fake.drift = drift;
        fake.drift_from = fake.now;
        struct point p = measure(&m, &c, 3);
        assert_level(&m, &p, 4, 0.0005);
    }
}

/* The clock changes within some readings: the reference chains around them disagree, and they are rejected. */
static void readings_across_a_clock_step_are_rejected(void **state)
{
    const struct cost c = {.per_iteration = 55};
    uint64_t rejected = 0;

    (void)state;
    for (double every = 47e-6; every < 500e-6; every *= 1.3) {
        fake = steady();
        fake.slow_hz = 2.5e9;
        fake.change_every = every;
        struct meter m = start();
        struct point p = measure(&m, &c, 5);
        assert_level(&m, &p, 11, 0.005);
        assert_int_equal(m.rejected, p.rejected);
        assert_int_equal(m.taken, p.accepted + p.rejected);
        rejected += p.rejected;
    }
    assert_true(rejected >= 5);
}

/* The clock differs from reading to reading: no two reference chains agree, so there is no number. */
static void a_clock_that_always_changes_gives_no_number(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    fake.uneven = 0.02;
    struct meter m = start();
    struct point p = measure(&m, &c, 5);
    assert_int_equal(p.accepted, 0);
    assert_true(p.rejected > m.readings);
    assert_true(isnan(p.q20) && isnan(p.median) && isnan(p.ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_stamps_of_large_steps),
        cmocka_unit_test(slow_time_stamps),
        cmocka_unit_test(a_drifting_clock_is_followed),
        cmocka_unit_test(readings_across_a_clock_step_are_rejected),
        cmocka_unit_test(a_clock_that_always_changes_gives_no_number),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
