/* Interrupts, SMIs, stolen time and faults: readings are rejected by cause, and faults reach the caller. */
/* link: tests/unit/measure/core.c */
/* libs: -lm */
#include "tests/unit/measure/core.h"

/* ---- Interrupts and faults -------------------------------------------------------------------------------- */

static void interrupted_lists_are_rejected(void **state)
{
    const struct cost c = {.per_iteration = 55};
    uint64_t rejected = 0;

    (void)state;
    for (unsigned every = 2; every < 6; every++) {
        fake = steady();
        struct meter m = start();
        fake.void_every = every;
        for (unsigned n = 0; n < 10; n++) {
            struct point p = measure(&m, &c, 5);
            assert_level(&m, &p, 11, 0.005);
            assert_int_equal(p.rejected % m.readings, 0); /* whole lists */
        }
        rejected += m.rejected;
    }
    assert_true(rejected >= 10);
}

static void constant_interrupts_give_no_number(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.void_every = 1;
    struct point p = measure(&m, &c, 5);
    assert_int_equal(p.accepted, 0);
    assert_true(p.rejected > 0);
    assert_true(isnan(p.q20) && isnan(p.median) && isnan(p.ns));
}

/* In whichever window a kernel faults, finding the length, warming up or measuring, the caller gets the fault. */
static void faults_and_timeouts_are_passed_on(void **state)
{
    const struct cost c = {.per_iteration = 300};
    const struct kernel k = {.entry = (uintptr_t)&c, .units = 1, .warm_iterations = 1e6};

    (void)state;
    for (enum window_end end = WINDOW_FAULT; end <= WINDOW_TIMEOUT; end++)
        for (unsigned in = 1;; in++) {
            struct meter m;
            struct point p;
            fake = steady();
            m = start();
            fake.ends_at = fake.windows + in;
            fake.ends = end;
            fake.fault = (struct fault){.vector = "page-fault", .syndrome = 14, .address = 8, .pc = 1234 + in};
            struct window_result result = meter_measure(&m, &k, &p);
            if (result.end == WINDOW_RAN) { /* the measurement was over before that window */
                assert_true(in > 5);
                break;
            }
            assert_int_equal(result.end, end);
            assert_string_equal(result.fault.vector, "page-fault");
            assert_int_equal(result.fault.pc, 1234 + in);
            assert_int_equal(p.accepted, 0);
            assert_true(isnan(p.q20) && isnan(p.median) && isnan(p.ns));
        }
}

static void a_fault_of_the_first_windows_is_passed_on(void **state)
{
    (void)state;
    for (unsigned in = 1; in <= 51; in++) {
        struct meter m;
        fake = steady();
        fake.ends_at = in;
        fake.ends = WINDOW_TIMEOUT;
        assert_int_equal(meter_start(&m, PROFILE_QUICK).end, WINDOW_TIMEOUT);
        assert_int_equal(fake.windows, in); /* nothing runs after it */
    }
}

/* ---- Causes ----------------------------------------------------------------------------------------------- */

static void lists_with_an_smi_are_rejected(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.void_every = 3;
    fake.smis = true;
    for (unsigned n = 0; n < 20; n++) {
        struct point p = measure(&m, &c, 5);
        assert_level(&m, &p, 11, 0.005);
    }
    assert_true(m.rejected_by[CAUSE_SMI] > 0);
    assert_int_equal(m.rejected_by[CAUSE_SMI], m.rejected);
}

/* The time between two SMIs is enough for shorter lists, where one of the usual length does not fit. */
static void lists_between_periodic_smis_count(void **state)
{
    static const double rates[] = {60, 1000, 3000}; /* a second */
    const struct cost c = {.per_iteration = 55};

    (void)state;
    for (size_t rate = 0; rate < sizeof rates / sizeof rates[0]; rate++)
        for (enum profile profile = PROFILE_QUICK; profile < PROFILES; profile++)
            for (double longer = 1; longer <= 16; longer *= 4) {
                const struct kernel k = {
                    .entry = (uintptr_t)&c, .units = 5, .warm_iterations = 10, .length_factor = longer};
                struct meter m;
                fake = steady();
                fake.smi_every = 1 / rates[rate];
                fake.smi_takes = 100e-6;
                fake.between = 20e-6;
                assert_int_equal(meter_start(&m, profile).end, WINDOW_RAN);
                for (unsigned n = 0; n < 100; n++) {
                    struct point p;
                    assert_int_equal(meter_measure(&m, &k, &p).end, WINDOW_RAN);
                    assert_level(&m, &p, 11, 0.005);
                }
                assert_true(m.rejected_by[CAUSE_SMI] > 0 || rates[rate] < 100); /* all points take 9 ms at least */
                assert_counted(&m);
            }
}

/* Where a single reading takes longer than the time between two SMIs there is no number, and the search for it ends. */
static void readings_that_do_not_fit_between_smis_are_rejected(void **state)
{
    const struct cost c = {.per_call = 4e6}; /* 1.2 ms */

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.smi_every = 1e-3;
    fake.smi_takes = 100e-6;
    const unsigned windows = fake.windows;
    struct point p = measure(&m, &c, 5);
    assert_int_equal(p.accepted, 0);
    assert_true(isnan(p.q20) && isnan(p.median) && isnan(p.ns));
    assert_int_equal(m.rejected_by[CAUSE_SMI], m.rejected);
    assert_in_range(fake.windows - windows, 1, 400);
}

/* What warms a quick sample's kernel up may take longer than from one SMI to the next. */
static void quick_samples_are_taken_between_smis(void **state)
{
    const struct cost c = {.per_iteration = 55};
    const struct kernel k = {.entry = (uintptr_t)&c, .units = 5, .warm_iterations = 120000}; /* 2 ms */
    unsigned taken = 0;
    uint64_t iterations = 0;

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.smi_every = 1e-3;
    fake.smi_takes = 100e-6;
    (void)measure(&m, &c, 5); /* finds the clock */
    for (unsigned n = 0; n < 100; n++) {
        double cycles;
        assert_int_equal(meter_quick_sample(&m, &k, &iterations, &cycles).end, WINDOW_RAN);
        taken += fabs(cycles / 11 - 1) <= 0.02;
    }
    assert_true(taken > 90);
}

static void lists_beside_throttling_are_rejected(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.void_every = 3;
    fake.throttled = true;
    for (unsigned n = 0; n < 20; n++) {
        struct point p = measure(&m, &c, 5);
        assert_level(&m, &p, 11, 0.005);
    }
    assert_true(m.rejected_by[CAUSE_THROTTLED] > 0);
    assert_int_equal(m.rejected_by[CAUSE_THROTTLED], m.rejected);
}

/* Limits of power and current lower the clock, which the reference chains show: lists beside them count. */
static void limits_of_power_are_counted_and_reject_nothing(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    fake = steady();
    struct meter m = start();
    fake.limited_every = 1;
    const unsigned windows = fake.windows;
    for (unsigned n = 0; n < 20; n++) {
        struct point p = measure(&m, &c, 5);
        assert_level(&m, &p, 11, 0.005);
    }
    assert_int_equal(m.rejected, 0);
    assert_int_equal(m.limited, fake.windows - windows);
}

/*
 * A hypervisor takes time from 2 to 8 % of all readings without reporting it: from a kernel between two good reference
 * chains, from a reference chain, or from several readings in a row. The level stays right, and the lost readings are
 * counted. Only when four of a point's five readings lose time is the point wrong, which at most one in a thousand is.
 */
static void stolen_readings_enter_no_point(void **state)
{
    const struct cost c = {.per_iteration = 55};
    unsigned points = 0, wrong = 0;

    (void)state;
    for (double part = 0.02; part < 0.11; part *= 2)
        for (double least = 0.5e-6; least < 100e-6; least *= 4) {
            fake = steady();
            struct meter m = start();
            fake.stolen = part;
            fake.stolen_least = least;
            fake.stolen_most = 2 * least;
            for (unsigned n = 0; n < 200; n++) {
                struct point p = measure(&m, &c, 5);
                assert_true(p.accepted >= m.readings || m.exact);
                wrong += fabs(p.q20 / 11 - 1) > 0.005 || fabs(p.median / 11 - 1) > 0.005;
                points++;
            }
            assert_true(m.rejected_by[CAUSE_STOLEN] > 0 && m.rejected_by[CAUSE_REFERENCE] > 0);
            assert_counted(&m);
        }
    assert_in_range(wrong, 0, points / 1000);
}

/* A kernel whose time varies by itself loses few of its readings, as many above its level as below. */
static void kernels_that_vary_by_themselves_are_not_taken_for_stolen_time(void **state)
{
    const struct cost c = {.per_iteration = 55};

    (void)state;
    for (double varies = 0.01; varies < 0.5; varies *= 2) {
        double sum = 0;
        fake = steady();
        struct meter m = start();
        fake.varies = varies;
        for (unsigned n = 0; n < 400; n++)
            sum += measure(&m, &c, 5).median;
        assert_true(fabs(sum / 400 / 11 - 1) <= varies / 10);
        assert_true((double)m.rejected <= 0.07 * (double)m.taken);
        assert_counted(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_lists_are_rejected),
        cmocka_unit_test(constant_interrupts_give_no_number),
        cmocka_unit_test(faults_and_timeouts_are_passed_on),
        cmocka_unit_test(a_fault_of_the_first_windows_is_passed_on),
        cmocka_unit_test(lists_with_an_smi_are_rejected),
        cmocka_unit_test(lists_between_periodic_smis_count),
        cmocka_unit_test(readings_that_do_not_fit_between_smis_are_rejected),
        cmocka_unit_test(quick_samples_are_taken_between_smis),
        cmocka_unit_test(lists_beside_throttling_are_rejected),
        cmocka_unit_test(limits_of_power_are_counted_and_reject_nothing),
        cmocka_unit_test(stolen_readings_enter_no_point),
        cmocka_unit_test(kernels_that_vary_by_themselves_are_not_taken_for_stolen_time),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
