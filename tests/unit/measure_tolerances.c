/* The thresholds of lib/measure/tolerances.h that no other test of the meter notices, each at work. */
/* link: tests/unit/measure/core.c */
/* libs: -lm */
#include "tests/unit/measure/core.h"

#include "lib/measure/list.h"
#include "lib/measure/sibling.h"

/* Core cycles of a reading of the usual length: 8 us. */
static double reading_cycles(void)
{
    return 8e-6 * fake.core_hz;
}

/* READING_STEPS: a time stamp of 24 MHz, as many AArch64 cores have, has 192 steps in 8 us. */
static void readings_by_a_coarse_time_stamp_are_longer(void **state)
{
    (void)state;
    fake = steady();
    fake.info.tick_hz = 24e6;
    fake.jitter = 0;
    struct meter m = start();
    assert_true(m.span_ticks > 400 && m.span_ticks < 600);
}

/*
 * AROUND_KERNEL_CYCLES: on a core of 100 MHz, whose usual reading has 800 cycles, kernels that are a
 * little longer do not become a step of many percent longer because one iteration less fits into a reading.
 */
static void a_slow_core_shows_no_step_where_iterations_become_fewer(void **state)
{
    double before = NAN;

    (void)state;
    fake = steady();
    fake.core_hz = fake.info.tick_hz = 1e8;
    fake.jitter = 0;
    struct meter m = start();
    m.core_hz = fake.core_hz;
    for (double cycles = 60; cycles < 4000; cycles *= 1.02) {
        const struct cost c = {.per_call = 90, .per_iteration = cycles};
        const double more = measure(&m, &c, 1).median / cycles - 1;
        assert_true(more > 0 && more < 0.15);
        assert_false(fabs(more - before) > 0.015);
        before = more;
    }
}

/* ITERATIONS_MAXIMUM */
static void a_kernel_that_takes_no_time_ends_the_search_for_its_length(void **state)
{
    const struct cost c = {.per_iteration = 0};

    (void)state;
    fake = steady();
    struct meter m = start();
    measure(&m, &c, 1);
    assert_true(fake.iterations > UINT64_C(1) << 39 && fake.iterations < UINT64_C(1) << 41);
}

/* TOO_SHORT: one iteration of 0.6 of the usual length is good enough, however often it is read. */
static void a_reading_not_much_shorter_than_usual_is_kept(void **state)
{
    unsigned windows[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fake = steady();
        const struct cost c = {.per_iteration = reading_cycles() * (i ? 0.6 : 1)};
        struct meter m = start();
        const unsigned before = fake.windows;
        struct point p = measure(&m, &c, 1);
        assert_int_equal(p.accepted, m.readings);
        windows[i] = fake.windows - before;
    }
    assert_int_equal(windows[0], windows[1]);
}

/* WARM_WINDOW_SECONDS */
static void warming_up_is_divided_into_windows(void **state)
{
    (void)state;
    fake = steady();
    const struct cost c = {.per_iteration = reading_cycles()};
    const struct kernel k = {.entry = (uintptr_t)&c, .units = 1, .warm_iterations = 5000}; /* 40 ms */
    struct point p;
    struct meter m = start();
    const unsigned before = fake.windows;
    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
    const unsigned windows = fake.windows - before;
    assert_true(windows > 7 && windows < 25);
}

/* STOLEN_PART */
static void a_reading_a_twentieth_above_the_others_has_lost_time(void **state)
{
    (void)state;
    fake = steady();
    fake.disturbed = 0.05;
    const struct cost c = {.per_iteration = 100};
    struct meter m = start();
    for (unsigned n = 0; n < 20; n++)
        measure(&m, &c, 1);
    assert_true(m.rejected_by[CAUSE_STOLEN] > 0);
    fake.disturbed = 0.02;
    m = start();
    for (unsigned n = 0; n < 20; n++)
        measure(&m, &c, 1);
    assert_int_equal(m.rejected_by[CAUSE_STOLEN], 0);
}

/* UNEVEN_PART: where the median is well above the level, three times as many readings are taken. */
static void uneven_points_get_more_readings(void **state)
{
    const struct cost c = {.per_iteration = 100};
    unsigned more = 0;

    (void)state;
    fake = steady();
    fake.varies = 0.2;
    struct meter m = start();
    for (unsigned n = 0; n < 100; n++)
        more += measure(&m, &c, 1).accepted > m.readings;
    assert_true(more > 50);
    fake.varies = 0.02;
    for (unsigned n = 0; n < 100; n++)
        assert_int_equal(measure(&m, &c, 1).accepted, m.readings);
}

/* NOP_DIFFERS, SMOKE_NOP_DIFFERS */
static void nops_that_take_longer_betray_a_sibling(void **state)
{
    static const struct {
        enum profile profile;
        double longer;
        bool awake;
    } cases[] = {{PROFILE_QUICK, 1.03, false},
                 {PROFILE_QUICK, 1.1, true},
                 {PROFILE_SMOKE, 1.2, false},
                 {PROFILE_SMOKE, 1.5, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct meter m = {.profile = cases[i].profile, .nop_cycles = 0.25, .step_ticks = 1};
        const uint64_t iterations = 1000;
        const double cycles = 0.25 * cases[i].longer * (double)(iterations * READER_WIDTH);
        const struct reading r = {.argument = {iterations}, .end_ticks = (uint64_t)cycles};
        assert_int_equal(sibling_by_nops(&m, &r, 1) == SIBLING_TAKES_WIDTH, cases[i].awake);
    }
}

/* QUIET_SEARCH_SECONDS: siblings that sleep for a fifth of the time leave too few equal pairs to believe. */
static void a_quiet_moment_is_looked_for_about_a_second(void **state)
{
    (void)state;
    fake = steady();
    fake.sibling_awake = 800e-6;
    fake.sibling_asleep = 200e-6;
    start();
    assert_true(fake.now > 0.6 && fake.now < 2);
}

/* WAIT_SECONDS_QUICK, WAIT_SECONDS_STANDARD, WAIT_SECONDS_FULL, WAIT_SECONDS_AT_ONCE */
static void longer_profiles_wait_longer(void **state)
{
    static const enum profile profiles[] = {PROFILE_QUICK, PROFILE_STANDARD, PROFILE_FULL};
    static const double seconds[] = {10, 60, 300};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        fake = steady();
        struct meter m;
        assert_int_equal(meter_start(&m, profiles[i]).end, WINDOW_RAN);
        fake.sibling_awake = 1e9;
        const double before = fake.now;
        unsigned waits = 0;
        while (meter_wait(&m))
            waits++;
        assert_true(fake.now - before > 0.9 * seconds[i] && fake.now - before < 1.1 * seconds[i]);
        assert_true(waits > 8 * seconds[i] && waits < 12 * seconds[i]);
    }
}

/* SMOKE_CHAIN_ITERATIONS, SMOKE_NEIGHBOURS_DIFFER */
static void smoke_takes_short_and_rough_readings(void **state)
{
    const struct cost c = {.per_iteration = 100};
    struct meter m;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        fake = steady();
        fake.jitter = 0;
        assert_int_equal(meter_start(&m, PROFILE_SMOKE).end, WINDOW_RAN);
        assert_true(m.chain_iterations > 10 && m.chain_iterations < 30);
        fake.uneven = i ? 0.06 : 0.02;
        struct point p = measure(&m, &c, 1);
        assert_int_equal(p.accepted > 0, i == 0);
    }
}

/* A list whose first NOPs a sibling slows down to half; the kernels take `length` times as long as usual. */
static void make_list(const struct meter *m, double length, struct reading list[LIST_READINGS])
{
    enum { KERNELS = 2 };

    for (size_t i = 0; i <= KERNELS; i++) {
        struct reading *r = &list[LIST_ROUND * i];
        r[0] = reading_of_nops(m);
        r[1] = reading_of_chain(m);
        const double chain = 1e6, cycles = m->nop_cycles * (double)(r[0].argument[0] * READER_WIDTH);
        r[0].end_ticks = (uint64_t)(m->harness_ticks + (i ? 1 : 2) * chain * cycles / chain_cycles(m));
        r[1].end_ticks = (uint64_t)(m->harness_ticks + chain);
        if (i < KERNELS)
            r[LIST_KERNEL] = (struct reading){.end_ticks = (uint64_t)(length * m->span_ticks)};
    }
}

/*
 * BRINGS_BACK: behind a sibling a kernel counts only if it takes long enough to bring back what it had in caches and
 * predictors. Of a sibling's usual 256 us, 64 us are too few, and as many are enough; a usual reading takes 8 us.
 */
static void long_readings_bring_back_what_a_sibling_took(void **state)
{
    struct reading list[LIST_READINGS];
    bool alone[POINT_READINGS];

    (void)state;
    fake = steady();
    fake.jitter = 0;
    const struct meter m = start();
    make_list(&m, 64.0 / 8, list);
    assert_int_equal(sibling_absent(&m, list, 2, alone), 0);
    make_list(&m, 256.0 / 8, list);
    assert_int_equal(sibling_absent(&m, list, 2, alone), 1);
    assert_true(!alone[0] && alone[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_by_a_coarse_time_stamp_are_longer),
        cmocka_unit_test(a_slow_core_shows_no_step_where_iterations_become_fewer),
        cmocka_unit_test(a_kernel_that_takes_no_time_ends_the_search_for_its_length),
        cmocka_unit_test(a_reading_not_much_shorter_than_usual_is_kept),
        cmocka_unit_test(warming_up_is_divided_into_windows),
        cmocka_unit_test(a_reading_a_twentieth_above_the_others_has_lost_time),
        cmocka_unit_test(uneven_points_get_more_readings),
        cmocka_unit_test(nops_that_take_longer_betray_a_sibling),
        cmocka_unit_test(a_quiet_moment_is_looked_for_about_a_second),
        cmocka_unit_test(longer_profiles_wait_longer),
        cmocka_unit_test(smoke_takes_short_and_rough_readings),
        cmocka_unit_test(long_readings_bring_back_what_a_sibling_took),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
