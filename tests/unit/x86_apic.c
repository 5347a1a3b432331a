/* The local APIC in windows, on a modelled one: quiet, restored exactly, and a deadline of the right length. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/x86_registers.h"

#include "arch/x86_64/own/apic.c" /* NOLINT(bugprone-suspicious-include) */

enum { TICKS_PER_READ = 1000, REGISTERS = 0x60 };
#define TICK_HZ 2e9

/* An x2APIC; register n is the one at offset 16 n. */
static struct model {
    bool cpuid_apic;
    uint64_t base;
    uint32_t registers[REGISTERS];
    uint64_t tsc_deadline;
    uint64_t ticks;
    double counts_per_tick; /* of the timer, undivided */
    uint64_t counting_from; /* ticks when the initial count was written */
    unsigned writes;
    unsigned written_at[REGISTERS]; /* number of the last write to each */
    unsigned let_in;
} model;

static uint32_t *model_register(unsigned offset)
{
    return &model.registers[offset >> 4];
}

/* What is there to be touched (Intel SDM vol. 3A, 11.4.8; AMD APM vol. 2, 16.3.3). */
static void assert_present(unsigned offset)
{
    const uint32_t version = *model_register(APIC_VERSION);
    const unsigned last = version >> 16 & 0xff;
    const bool extended = version >> 31;

    if (offset == APIC_PERFORMANCE)
        assert_true(last >= 4);
    if (offset == APIC_THERMAL)
        assert_true(last >= 5);
    if (offset == APIC_CMCI)
        assert_true(last >= 6);
    if (offset >= APIC_EXTENDED_FEATURES)
        assert_true(extended);
    if (offset >= APIC_EXTENDED_VECTOR)
        assert_true((offset - APIC_EXTENDED_VECTOR) / 16 < (*model_register(APIC_EXTENDED_FEATURES) >> 16 & 0xff));
}

static unsigned divisor(void)
{
    static const unsigned divisors[] = {2, 4, 8, 16, 32, 64, 128, 1};
    const uint32_t divide = *model_register(APIC_DIVIDE);

    return divisors[(divide & 3) | (divide >> 1 & 4)];
}

struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    return (struct cpuid){.edx = leaf == 1 && model.cpuid_apic ? 1u << 9 : 0};
}

uint64_t reader_ticks(void)
{
    return model.ticks += TICKS_PER_READ;
}

uint64_t read_msr(uint32_t index)
{
    if (index == MSR_APIC_BASE)
        return model.base;
    if (index == MSR_TSC_DEADLINE)
        return model.tsc_deadline;
    assert_in_range(index, 0x800, 0x800 + REGISTERS - 1);
    assert_present((index - 0x800) << 4);
    if (index == 0x800 + (APIC_CURRENT_COUNT >> 4)) {
        const double counted = (double)(model.ticks - model.counting_from) * model.counts_per_tick / divisor();
        const uint32_t initial = *model_register(APIC_INITIAL_COUNT);

        return counted < initial ? initial - (uint32_t)counted : 0;
    }
    return model.registers[index - 0x800];
}

void write_msr(uint32_t index, uint64_t value)
{
    model.writes++;
    if (index == MSR_TSC_DEADLINE) {
        assert_int_equal(*model_register(APIC_TIMER) & TIMER_MODE, TIMER_TSC_DEADLINE); /* else it is ignored */
        model.tsc_deadline = value;
        return;
    }
    assert_in_range(index, 0x800, 0x800 + REGISTERS - 1);
    assert_present((index - 0x800) << 4);
    assert_in_range(value, 0, UINT32_MAX);
    if (index == 0x800 + (APIC_TIMER >> 4) && ((value ^ *model_register(APIC_TIMER)) & TIMER_MODE))
        model.tsc_deadline = 0;
    if (index == 0x800 + (APIC_INITIAL_COUNT >> 4))
        model.counting_from = model.ticks;
    model.registers[index - 0x800] = (uint32_t)value;
    model.written_at[index - 0x800] = model.writes;
}

void interrupts_let_in(void)
{
    uint32_t *requests = model_register(APIC_REQUESTS + VECTOR_DEADLINE / 32 * 0x10);

    model.let_in++;
    *requests &= ~(1u << VECTOR_DEADLINE % 32);
}

/* A local APIC as edk2 leaves it: timer periodic, the legacy controller through LINT0, NMI through LINT1. */
static int setup(void **state)
{
    (void)state;
    model = (struct model){
        .cpuid_apic = true,
        .base = 0xfee00000 | BASE_ENABLED | BASE_X2APIC | 1u << 8,
        .counts_per_tick = 0.05,
    };
    *model_register(APIC_VERSION) = 0x00060015;
    *model_register(APIC_TASK_PRIORITY) = 0x10;
    *model_register(APIC_SPURIOUS) = 0x10f;
    *model_register(APIC_CMCI) = 0x000f2;
    *model_register(APIC_TIMER) = TIMER_PERIODIC | 0x20;
    *model_register(APIC_THERMAL) = 0x0fa;
    *model_register(APIC_PERFORMANCE) = 0x400;
    *model_register(APIC_LINT0) = 0x700;
    *model_register(APIC_LINT1) = 0x400;
    *model_register(APIC_ERROR) = 0xfe;
    *model_register(APIC_INITIAL_COUNT) = 100000;
    *model_register(APIC_DIVIDE) = 0xb;
    return 0;
}

static void assert_masked(unsigned offset)
{
    assert_true(*model_register(offset) & LOCAL_MASKED);
}

/* All that this version of the APIC has, as the firmware left them: also after a window. */
static void local_vectors_are_shown_as_found(void **state)
{
    struct own_value values[APIC_LOCAL_VECTORS];
    struct apic_state found;

    (void)state;
    apic_start(TICK_HZ);
    apic_quiet(&found);
    apic_restore(&found);
    assert_int_equal(apic_local_values(values), 7);
    assert_string_equal(values[1].name, "LVT_TIMER");
    assert_int_equal(values[1].value, TIMER_PERIODIC | 0x20);
    assert_string_equal(values[5].name, "LVT_THERMAL");
    assert_int_equal(values[5].value, 0x0fa);
    assert_string_equal(values[6].name, "LVT_CMCI");
    assert_int_equal(values[6].value, 0xf2);
    *model_register(APIC_VERSION) = 0x00040014;
    apic_start(TICK_HZ);
    assert_int_equal(apic_local_values(values), 5);
}

static void absent_or_switched_off_means_no_deadline(void **state)
{
    struct apic_state found;

    (void)state;
    model.cpuid_apic = false;
    apic_start(TICK_HZ);
    assert_non_null(strstr(apic_no_deadline(), "no local APIC"));

    model.cpuid_apic = true;
    model.base = 0xfee00000;
    apic_start(TICK_HZ);
    assert_non_null(strstr(apic_no_deadline(), "switched the local APIC off"));

    apic_quiet(&found);
    apic_restore(&found);
    apic_end_of_interrupt();
    assert_int_equal(model.writes, 0);
}

static void timer_that_stands_still_means_no_deadline(void **state)
{
    (void)state;
    model.counts_per_tick = 0;
    apic_start(TICK_HZ);
    assert_non_null(strstr(apic_no_deadline(), "does not count"));
}

static void unknown_tick_means_no_deadline(void **state)
{
    (void)state;
    apic_start(0);
    assert_non_null(strstr(apic_no_deadline(), "time stamp"));
}

static void starting_leaves_every_register_as_it_was(void **state)
{
    uint32_t before[REGISTERS];

    (void)state;
    memcpy(before, model.registers, sizeof(before));
    apic_start(TICK_HZ);
    assert_null(apic_no_deadline());
    assert_memory_equal(model.registers, before, sizeof(before));
}

static void quiet_lets_only_our_class_in_and_restore_undoes_it(void **state)
{
    static const unsigned all[] = {APIC_CMCI,  APIC_TIMER, APIC_THERMAL, APIC_PERFORMANCE,
                                   APIC_LINT0, APIC_LINT1, APIC_ERROR};
    uint32_t before[REGISTERS];
    struct apic_state found;

    (void)state;
    apic_start(TICK_HZ);
    memcpy(before, model.registers, sizeof(before));

    apic_quiet(&found);
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_masked(all[i]);
    assert_int_equal(*model_register(APIC_TASK_PRIORITY), 0xe0);
    assert_int_equal(*model_register(APIC_SPURIOUS), SPURIOUS_ENABLE | VECTOR_SPURIOUS);
    /* The error vector was masked before anything that may raise an error, and comes back after it. */
    assert_true(model.written_at[APIC_ERROR >> 4] < model.written_at[APIC_TIMER >> 4]);
    assert_true(model.written_at[APIC_ERROR >> 4] < model.written_at[APIC_LINT0 >> 4]);

    apic_arm(100);
    apic_disarm();
    apic_restore(&found);
    assert_memory_equal(model.registers, before, sizeof(before));
    assert_true(model.written_at[APIC_ERROR >> 4] > model.written_at[APIC_TIMER >> 4]);
    assert_true(model.written_at[APIC_ERROR >> 4] > model.written_at[APIC_LINT0 >> 4]);
}

static void old_and_amd_local_vectors_are_distinguished_by_the_version(void **state)
{
    uint32_t before[REGISTERS];
    struct apic_state found;

    (void)state;
    *model_register(APIC_VERSION) = 0x00030010; /* the model fails the test when others are touched */
    apic_start(TICK_HZ);
    apic_quiet(&found);
    assert_masked(APIC_LINT1);
    apic_restore(&found);

    *model_register(APIC_VERSION) = 0x80050010;
    *model_register(APIC_EXTENDED_FEATURES) = 0x00040007;
    *model_register(APIC_EXTENDED_VECTOR + 0x10) = 0xf4;
    *model_register(APIC_EXTENDED_VECTOR + 0x30) = 0x400;
    memcpy(before, model.registers, sizeof(before));
    apic_start(TICK_HZ);
    apic_quiet(&found);
    assert_masked(APIC_EXTENDED_VECTOR);
    assert_masked(APIC_EXTENDED_VECTOR + 0x10);
    assert_masked(APIC_EXTENDED_VECTOR + 0x30);
    apic_restore(&found);
    assert_memory_equal(model.registers, before, sizeof(before));
}

/* The firmware's own thermal and error handling, in system management mode, goes on. */
static void vectors_that_enter_system_management_mode_are_left_alone(void **state)
{
    static const unsigned all[] = {APIC_THERMAL, APIC_CMCI, APIC_PERFORMANCE, APIC_EXTENDED_VECTOR + 0x20};
    struct apic_state found;

    (void)state;
    *model_register(APIC_VERSION) = 0x80060015;
    *model_register(APIC_EXTENDED_FEATURES) = 0x00040007;
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        *model_register(all[i]) = 0x200;
    apic_start(TICK_HZ);
    apic_quiet(&found);
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_int_equal(*model_register(all[i]), 0x200);
    assert_masked(APIC_LINT0);
    assert_masked(APIC_EXTENDED_VECTOR);
    apic_restore(&found);
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_int_equal(model.written_at[all[i] >> 4], 0);
}

static void firmware_in_tsc_deadline_mode_keeps_its_deadline(void **state)
{
    struct apic_state found;

    (void)state;
    *model_register(APIC_TIMER) = TIMER_TSC_DEADLINE | 0x20;
    *model_register(APIC_INITIAL_COUNT) = 0;
    model.tsc_deadline = 123456789;
    apic_start(TICK_HZ);
    assert_int_equal(model.tsc_deadline, 123456789);
    apic_quiet(&found);
    assert_int_equal(model.tsc_deadline, 0);
    apic_restore(&found);
    assert_int_equal(model.tsc_deadline, 123456789);
    assert_int_equal(*model_register(APIC_TIMER), TIMER_TSC_DEADLINE | 0x20);
}

static void single_shot_of_the_firmware_goes_on_or_stays_over(void **state)
{
    struct apic_state found;

    (void)state;
    apic_start(TICK_HZ);
    *model_register(APIC_TIMER) = 0x20;
    write_msr(0x800 + (APIC_INITIAL_COUNT >> 4), 1000);
    model.ticks += 4000; /* 200 counts */
    apic_quiet(&found);
    apic_restore(&found);
    assert_int_equal(*model_register(APIC_INITIAL_COUNT), 800);

    model.ticks += 1000000;
    apic_quiet(&found);
    apic_restore(&found);
    assert_int_equal(*model_register(APIC_INITIAL_COUNT), 0);
}

static void deadline_has_the_length_asked_for(void **state)
{
    static const unsigned milliseconds[] = {1, 10, 100, 1000};
    static const double counts_per_tick[] = {0.0096, 0.05, 0.5}; /* 19.2 MHz, 100 MHz, 1 GHz */
    struct apic_state found;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        model.counts_per_tick = counts_per_tick[i];
        apic_start(TICK_HZ);
        apic_quiet(&found);
        for (unsigned j = 0; j < 4; j++) {
            const double ticks = milliseconds[j] * TICK_HZ / 1000;
            double armed;

            apic_arm(milliseconds[j]);
            assert_int_equal(*model_register(APIC_TIMER), VECTOR_DEADLINE); /* one shot, fixed, not masked */
            armed = *model_register(APIC_INITIAL_COUNT) * divisor() / counts_per_tick[i];
            assert_true(armed > 0.98 * ticks && armed < 1.02 * ticks);
            apic_disarm();
        }
        apic_restore(&found);
    }
}

static void a_deadline_that_struck_late_never_reaches_the_firmware(void **state)
{
    struct apic_state found;

    (void)state;
    apic_start(TICK_HZ);
    apic_quiet(&found);
    apic_arm(1);
    *model_register(APIC_REQUESTS + 0x70) = 1u << 30; /* vector 254, requested and not taken */
    apic_disarm();
    assert_int_equal(model.let_in, 1);
    assert_int_equal(*model_register(APIC_REQUESTS + 0x70), 0);
    apic_restore(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(local_vectors_are_shown_as_found, setup),
        cmocka_unit_test_setup(absent_or_switched_off_means_no_deadline, setup),
        cmocka_unit_test_setup(timer_that_stands_still_means_no_deadline, setup),
        cmocka_unit_test_setup(unknown_tick_means_no_deadline, setup),
        cmocka_unit_test_setup(starting_leaves_every_register_as_it_was, setup),
        cmocka_unit_test_setup(quiet_lets_only_our_class_in_and_restore_undoes_it, setup),
        cmocka_unit_test_setup(old_and_amd_local_vectors_are_distinguished_by_the_version, setup),
        cmocka_unit_test_setup(vectors_that_enter_system_management_mode_are_left_alone, setup),
        cmocka_unit_test_setup(firmware_in_tsc_deadline_mode_keeps_its_deadline, setup),
        cmocka_unit_test_setup(single_shot_of_the_firmware_goes_on_or_stays_over, setup),
        cmocka_unit_test_setup(deadline_has_the_length_asked_for, setup),
        cmocka_unit_test_setup(a_deadline_that_struck_late_never_reaches_the_firmware, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
