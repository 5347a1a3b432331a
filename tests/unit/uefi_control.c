/* What the image's records say of performance counters agrees with what it counts with (boot/uefi/control.c). */
/* link: boot/uefi/control.c arch/counters.c arch/access.c arch/control.c arch/x86_64/control.c */
/* link: arch/x86_64/counters.c arch/x86_64/counters_intel.c arch/x86_64/counters_amd.c arch/x86_64/cpu.c */
/* link: arch/x86_64/identify.c arch/x86_64/frequency.c arch/x86_64/prefetch.c arch/x86_64/quirks.c */
/* link: tests/registers/model.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/own.h"
#include "boot/uefi/control.h"
#include "boot/uefi/platform.h"
#include "lib/counters/count.h"
#include "lib/machine.h"
#include "tests/registers/model.h"

static struct model model;
static struct machine_info info;
static const char *not_ours;
static bool proof_fails;
static const char *hung = ""; /* the stage that hung in an earlier run */

const char *stage_begin(const char *name, const char *text)
{
    (void)text;
    return strcmp(name, hung) == 0 ? "it hung" : NULL;
}

const char *platform_not_ours(void)
{
    return not_ours;
}

const struct machine_info *machine_info(void)
{
    return &info;
}

void own_access(struct access *out)
{
    *out = model_access(&model);
}

void counters_prove(struct counters *have, const struct counter_proof *rows, size_t count)
{
    (void)rows;
    if (!have->why_not && (count == 0 || proof_fails))
        have->why_not = "no counter counted";
}

/* Another core is in use: everything is found anew. */
static void next_core(void)
{
    info.core++;
    memset(&model, 0, sizeof model);
}

/* AMD K8: the four counters that need no announcement (AMD APM vol. 2, 13.2.1). */
static void become_k8(void)
{
    static const char *const selectors[] = {"PERFEVTSEL0", "PERFEVTSEL1", "PERFEVTSEL2", "PERFEVTSEL3"};
    static const char *const counts[] = {"PERFCTR0", "PERFCTR1", "PERFCTR2", "PERFCTR3"};

    next_core();
    model_cpuid(&model, 0, 0, 1, 0x68747541, 0x444d4163, 0x69746e65);
    model_cpuid(&model, 1, 0, 0xf00, 0, 0, 0);
    for (uint32_t n = 0; n < 4; n++) {
        model_register(&model, selectors[n], 0xc0010000 + n, 0, UINT32_MAX);
        model_register(&model, counts[n], 0xc0010004 + n, 0, (UINT64_C(1) << 48) - 1);
    }
    model_begin(&model);
}

static void before_the_core_is_ours_that_is_the_reason(void **state)
{
    (void)state;
    become_k8();
    not_ours = "the firmware does not give its memory map";
    assert_string_equal(control_no_counters(), not_ours);
    assert_string_equal(machine_counters()->why_not, not_ours);
    not_ours = NULL;
}

static void without_counters_the_reason_is_the_real_one(void **state)
{
    const struct counter_setting any = {.code = 0xc0};
    struct reading reading = {.kernel = 0};

    (void)state;
    next_core();
    model_cpuid(&model, 0, 0, 0xa, 0x756e6547, 0x6c65746e, 0x49656e69); /* Intel, and leaf 0AH is zero */
    model_begin(&model);
    assert_string_equal(control_no_counters(), "CPUID.0AH announces no performance counters");
    assert_string_equal(machine_counters()->why_not, control_no_counters());
    assert_string_equal(machine_count(&any, 1), control_no_counters());
    assert_false(control_counting(&reading, 1));
}

static void with_counters_no_record_says_that_there_are_none(void **state)
{
    const struct counter_setting any = {.code = 0xc0};
    struct reading reading = {.kernel = 0};

    (void)state;
    become_k8();
    assert_null(control_no_counters());
    for (size_t i = 0; i < model.accesses; i++)
        assert_false(model.log[i].write); /* nothing is programmed to find out */
    assert_null(machine_counters()->why_not);
    assert_null(machine_count(&any, 1));
    assert_true(control_counting(&reading, 1));
    assert_int_equal(reading.counts->count, 1);
    assert_null(machine_count(NULL, 0));
    assert_false(control_counting(&reading, 1));
    model_assert_as_found(&model);
}

/* Registers that answer and do not count: found out when counters are asked for, and then that is the reason. */
static void counters_that_do_not_count_are_not_counted_with(void **state)
{
    (void)state;
    become_k8();
    proof_fails = true;
    assert_null(control_no_counters());
    assert_string_equal(machine_counters()->why_not, "no counter counted");
    proof_fails = false;
}

/* What is left out is left out alone, and says so. */
static void a_step_that_hung_reads_nothing(void **state)
{
    const char *why;

    (void)state;
    hung = "control";
    become_k8();
    assert_null(machine_control(&why));
    assert_string_equal(why, "it hung");
    assert_int_equal(control_revision(), 0);
    assert_null(control_no_counters());

    hung = "events";
    become_k8();
    assert_non_null(machine_control(&why));
    assert_string_equal(control_no_counters(), "it hung");
    assert_string_equal(machine_counters()->why_not, "it hung");
    assert_string_equal(machine_count(&(struct counter_setting){.code = 0xc0}, 1), "it hung");

    hung = "";
    next_core();
    assert_non_null(machine_control(&why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_core_is_ours_that_is_the_reason),
        cmocka_unit_test(without_counters_the_reason_is_the_real_one),
        cmocka_unit_test(with_counters_no_record_says_that_there_are_none),
        cmocka_unit_test(counters_that_do_not_count_are_not_counted_with),
        cmocka_unit_test(a_step_that_hung_reads_nothing),
    };

    return cmocka_run_group_tests_name("uefi_control", tests, NULL, NULL);
}
