/* Points are in core cycles, without the reader's own cost, at any length of kernel and in any profile. */
/* link: tests/unit/measure/core.c */
/* libs: -lm */
#include "lib/base/random.h"
#include "tests/unit/measure/core.h"

/* ---- Levels ----------------------------------------------------------------------------------------------- */

static void each_profile_has_its_number_of_readings(void **state)
{
    static const unsigned least[PROFILES] = {3, 2, 5, 5, 9},
                          most[PROFILES] = {3, 6, 5, 5, 9}; /* simulated: two equal ones end it */
    const struct cost c = {.per_iteration = 100};

    (void)state;
    for (enum profile profile = 0; profile < PROFILES; profile++) {
        struct meter m;
        fake = steady();
        assert_int_equal(meter_start(&m, profile).end, WINDOW_RAN);
        assert_in_range(measure(&m, &c, 1).accepted, least[profile], most[profile]);
    }
}

/* However large the reader's own cost is, it is no part of the kernel's. */
static void the_readers_own_cost_is_subtracted(void **state)
{
    const struct cost c = {.per_iteration = 400};

    (void)state;
    for (double harness = 0; harness <= 10000; harness = 4 * harness + 10) {
        fake = steady();
        fake.harness = harness;
        fake.jitter = 0;
        struct meter m = start();
        assert_true(fabs(m.harness_ticks - harness / fake.core_hz * fake.info.tick_hz) <= 1);
        struct point p = measure(&m, &c, 100);
        assert_level(&m, &p, 4, 0.0005);
        assert_int_equal(p.rejected, 0);
    }
}

static void cycles_nanoseconds_and_clock_agree(void **state)
{
    const struct cost c = {.per_iteration = 66};

    (void)state;
    fake = steady();
    struct meter m = start();
    struct point p = measure(&m, &c, 2);
    assert_level(&m, &p, 33, 0.0005);
    assert_true(fabs(p.ns / 10 - 1) <= 0.0005); /* 33 cycles of 3.3 GHz */
    assert_true(fabs(m.core_hz / 3.3e9 - 1) <= 0.0005);
    assert_int_equal(m.taken, m.readings);
    assert_int_equal(m.windows, fake.windows);
}

/* A kernel whose one call lasts for many times the usual length of a reading is called once in a reading. */
static void one_call_may_last_for_many_spans(void **state)
{
    const struct cost c = {.per_iteration = 2e6};

    (void)state;
    fake = steady();
    struct meter m = start();
    struct point p = measure(&m, &c, 1000);
    assert_level(&m, &p, 2000, 0.0005);
}

/* A kernel that takes next to no time is not iterated for ever. */
static void kernels_of_no_time_end(void **state)
{
    const struct cost c = {.per_iteration = 0};

    (void)state;
    fake = steady();
    struct meter m = start();
    struct point p = measure(&m, &c, 1);
    assert_true(fabs(p.q20) < 0.0005);
}

/* Slow first calls must not make the cost of a call weigh more than in a warm kernel. */
static void cold_kernels_are_measured_warm(void **state)
{
    const struct cost c = {.per_call = 30, .per_iteration = 12};

    (void)state;
    for (unsigned cold = 0; cold <= 6; cold++) {
        fake = steady();
        struct meter m = start();
        fake.cold_calls = cold;
        struct point p = measure(&m, &c, 3);
        assert_level(&m, &p, 4, 0.005);
    }
}

static void a_length_factor_makes_readings_longer(void **state)
{
    const struct cost c = {.per_iteration = 100};
    struct kernel k = {.entry = (uintptr_t)&c, .units = 1};
    struct point p;

    (void)state;
    fake = steady();
    struct meter m = start();
    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
    double usual = (double)fake.iterations;
    k.length_factor = 4;
    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
    assert_true(fabs((double)fake.iterations / usual - 4) < 0.1);
}

/* Disturbances make readings longer, so the 20 % quantile is the level while most readings are undisturbed. */
static void the_level_is_a_low_quantile(void **state)
{
    const struct cost c = {.per_iteration = 12};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.disturbed = 0.5;
    struct point p = measure(&m, &c, 3);
    assert_level(&m, &p, 4, 0.005);
}

static void random_kernels_on_random_machines(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        fake = steady();
        fake.core_hz = 5e8 + (double)random_below(&random, 5500000000);
        fake.info.tick_hz = 1e8 + (double)random_below(&random, 4000000000);
        fake.harness = 20 + (double)random_below(&random, 200);
        double units = 1 + (double)random_below(&random, 200);
        double level = (double)(1 + random_below(&random, 1000000)) / 1000;
        const struct cost c = {.per_iteration = units * level};
        struct meter m = start();
        struct point p = measure(&m, &c, units);
        assert_level(&m, &p, level, 0.005);
    }
}

/* ---- Exact repetition ------------------------------------------------------------------------------------- */

/* When readings are equal to the last digit, two are enough, and the level is exact. */
static void exact_repetition_needs_two_readings(void **state)
{
    const struct cost c = {.per_iteration = 400};

    (void)state;
    for (unsigned counted = 0; counted <= 1; counted++) {
        fake = steady();
        fake.core_hz = fake.info.tick_hz = 1048576000; /* whole ticks at whole cycles, also as binary fractions */
        fake.harness = 72;
        fake.jitter = 0;
        fake.info.counters = counted ? READER_CYCLES_ONLY : READER_TIME_ONLY;
        struct meter m = start();
        measure(&m, &c, 100);
        for (unsigned n = 0; n < 5; n++) {
            struct point p = measure(&m, &c, 100);
            assert_int_equal(p.accepted, 2);
            assert_true(!(p.q20 < 4) && !(p.q20 > 4));
        }
        fake.varies = 0.001; /* they are no longer equal */
        struct point p = measure(&m, &c, 100);
        assert_level(&m, &p, 4, 0.005);
        fake.varies = 0;
        measure(&m, &c, 100);
        assert_int_equal(measure(&m, &c, 100).accepted, 2);
    }
}

/* ---- The profile smoke ------------------------------------------------------------------------------------ */

/* The cost of the profile is a number of instructions, whatever the clock: a simulator's, an emulator's, a slow one. */
static void the_profile_smoke_is_short_by_any_clock(void **state)
{
    const struct cost c = {.per_iteration = 12};

    (void)state;
    for (double tick_hz = 1e5; tick_hz < 1e11; tick_hz *= 10)
        for (double steps = 1; steps < 100; steps *= 9) {
            struct meter m;
            fake = steady();
            fake.info.tick_hz = tick_hz;
            fake.stamp_steps = steps;
            assert_int_equal(meter_start(&m, PROFILE_SMOKE).end, WINDOW_RAN);
            assert_true(fake.core_cycles < 150000);
            for (unsigned n = 0; n < 10; n++)
                measure(&m, &c, 12);
            assert_true(fake.core_cycles < 150000 + 10 * 100000);
        }
}

/* ---- Counted cycles --------------------------------------------------------------------------------------- */

/* Where the reader samples a cycle counter, it is the unit, and the reader's own cost is still subtracted. */
static void a_cycle_counter_is_the_unit(void **state)
{
    const struct cost c = {.per_iteration = 400};

    (void)state;
    for (double harness = 40; harness <= 2560; harness *= 4) {
        fake = steady();
        fake.info.counters = READER_CYCLES_INSTRUCTIONS;
        fake.harness = harness;
        struct meter m = start();
        struct point p = measure(&m, &c, 100);
        assert_level(&m, &p, 4, 0.0005);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_profile_has_its_number_of_readings),
        cmocka_unit_test(the_readers_own_cost_is_subtracted),
        cmocka_unit_test(cycles_nanoseconds_and_clock_agree),
        cmocka_unit_test(one_call_may_last_for_many_spans),
        cmocka_unit_test(kernels_of_no_time_end),
        cmocka_unit_test(cold_kernels_are_measured_warm),
        cmocka_unit_test(a_length_factor_makes_readings_longer),
        cmocka_unit_test(the_level_is_a_low_quantile),
        cmocka_unit_test(random_kernels_on_random_machines),
        cmocka_unit_test(exact_repetition_needs_two_readings),
        cmocka_unit_test(the_profile_smoke_is_short_by_any_clock),
        cmocka_unit_test(a_cycle_counter_is_the_unit),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
