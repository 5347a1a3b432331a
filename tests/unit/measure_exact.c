/* Points of a simulated core: short readings, two equal ones, the core clock calibrated once. */
/* link: tests/unit/measure/core.c */
/* libs: -lm */
#include "lib/base/random.h"
#include "lib/measure/exact.h"
#include "tests/unit/measure/core.h"

/* A core that repeats exactly, whose time stamp has one tick for so many cycles and advances so many ticks at once. */
static struct meter exact(double cycles_a_tick, double stamp_steps)
{
    struct meter m;

    fake = steady();
    fake.jitter = 0;
    fake.core_hz = 1e9;
    fake.info.tick_hz = 1e9 / cycles_a_tick;
    fake.stamp_steps = stamp_steps;
    assert_int_equal(meter_start(&m, PROFILE_SIMULATED).end, WINDOW_RAN);
    return m;
}

static struct point point(struct meter *m, const struct cost *c, double instructions)
{
    const struct kernel k = {
        .entry = (uintptr_t)c, .units = 1, .warm_iterations = 10, .instructions = instructions, .length_factor = 1};
    struct point p = {.x = 42};

    assert_int_equal(meter_measure(m, &k, &p).end, WINDOW_RAN);
    return p;
}

/* Whatever the step of the time stamp is: a level is right to what two readings of a hundred steps can show. */
static void levels_are_right_at_any_step(void **state)
{
    static const double cycles_a_tick[] = {0.3, 1, 10, 40, 100}, stamp_steps[] = {1, 1, 1, 1, 1};
    const struct cost c[] = {{.per_iteration = 4}, {.per_iteration = 35}, {.per_iteration = 1234}};

    (void)state;
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            struct meter m = exact(cycles_a_tick[i], stamp_steps[i]);
            struct point p = point(&m, &c[k], 5);
            assert_true(fabs(p.q20 / c[k].per_iteration - 1) <= 0.015);
            assert_true(fabs(p.ns - p.q20) <= 0.015 * p.q20);
        }
    for (double step = 2; step <= 64; step *= 2) {
        struct meter m = exact(1, step);
        struct point p = point(&m, &c[1], 5);
        assert_true(m.step_ticks >= step);
        assert_true(fabs(p.q20 / c[1].per_iteration - 1) <= 0.015);
    }
}

/* The calibration and a point take few instructions: the additions of a chain are one each. */
static void little_is_executed(void **state)
{
    const struct cost c = {.per_iteration = 5};

    (void)state;
    struct meter m = exact(1, 1);
    assert_true(fake.core_cycles < 10000);
    const double before = fake.core_cycles;
    (void)point(&m, &c, 5);
    (void)point(&m, &c, 5);
    assert_true(fake.core_cycles - before < 2 * 2 * 1000);
}

/* Readings are as long as the step wants, and not much longer. */
static void readings_have_their_length(void **state)
{
    const struct cost c = {.per_iteration = 5};

    (void)state;
    struct meter m = exact(1, 1);
    (void)point(&m, &c, 5);
    assert_in_range(fake.iterations, 60, 200); /* 500 cycles */
    m = exact(40, 1);
    (void)point(&m, &c, 5);
    assert_in_range(fake.iterations, 500, 1600); /* 100 ticks of 40 cycles */
}

/* A random kernel lengthens its readings, by a bounded factor. */
static void random_kernels_have_longer_readings(void **state)
{
    const struct cost c = {.per_iteration = 5};
    struct kernel k = {.entry = (uintptr_t)&c, .units = 1, .instructions = 5, .length_factor = 100};
    struct point p;

    (void)state;
    struct meter m = exact(1, 1);
    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
    assert_in_range(fake.iterations, 250, 800);
}

/* A reading of a ring is a whole round of it, however few iterations would be long enough. */
static void a_reading_is_a_whole_round(void **state)
{
    const struct cost c = {.per_iteration = 50};
    const struct kernel k = {.entry = (uintptr_t)&c, .units = 1, .instructions = 5, .round = 700};
    struct point p;

    (void)state;
    struct meter m = exact(1, 1);
    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
    assert_in_range(fake.iterations, 700, 701);
}

/* However long it takes for a step to pass, one reading executes no more instructions than it may. */
static void one_reading_is_bounded(void **state)
{
    const struct cost c = {.per_iteration = 0.01};

    (void)state;
    struct meter m = exact(1, 1);
    (void)point(&m, &c, 1000);
    assert_in_range(fake.iterations, 100, 400);
}

/* Equal readings say that measuring again is useless; readings that differ do not, and the median of several counts. */
static void equal_readings_end_a_point(void **state)
{
    const struct cost c = {.per_iteration = 20};
    unsigned repeats = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct meter m = exact(1, 1);
        struct point p = point(&m, &c, 5);
        assert_true(p.repeats);
        assert_int_equal(p.accepted, 2);
        fake.random = seed;
        fake.varies = 0.1;
        p = point(&m, &c, 5);
        assert_in_range(p.accepted, 2, 6);
        assert_true(fabs(p.q20 / 20 - 1) < 0.1);
        repeats += p.repeats; /* two of six that are equal by chance */
    }
    assert_in_range(repeats, 0, 10);
}

/* A cycle in a thousand is no difference; three are. */
static void equal_is_a_cycle_in_a_thousand(void **state)
{
    const struct cost c = {.per_iteration = 100000};
    unsigned equal[2] = {0};

    (void)state;
    for (unsigned i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            struct meter m = exact(1, 1);
            fake.random = seed;
            fake.varies = i ? 0.005 : 0.0003;
            equal[i] += point(&m, &c, 5).repeats;
        }
    assert_int_equal(equal[0], 50);
    assert_true(equal[1] < 45);
}

/* A budget's second is a million instructions: one point of a kernel of 500 instructions takes a known part of it. */
static void budgets_are_in_instructions(void **state)
{
    const struct cost c = {.per_iteration = 1000};

    (void)state;
    struct meter m = exact(1, 1);
    const double before = meter_seconds(&m);
    (void)point(&m, &c, 500); /* 10 whose time is unknown, 10 to warm up in the next window, and two readings of one */
    assert_true(fabs((meter_seconds(&m) - before) * 1e6 / 11000 - 1) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_right_at_any_step), cmocka_unit_test(little_is_executed),
        cmocka_unit_test(readings_have_their_length),   cmocka_unit_test(random_kernels_have_longer_readings),
        cmocka_unit_test(a_reading_is_a_whole_round),   cmocka_unit_test(one_reading_is_bounded),
        cmocka_unit_test(equal_readings_end_a_point),   cmocka_unit_test(equal_is_a_cycle_in_a_thousand),
        cmocka_unit_test(budgets_are_in_instructions),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
