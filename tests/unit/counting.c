/* What the Linux program says of performance counters agrees with what it counts with (boot/linux/counting.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "boot/linux/counting.c" /* NOLINT(bugprone-suspicious-include) */

/* The kernel's word for the core that was asked for last, and whether its counters count. */
static struct {
    const char *why; /* NULL: it offers counters */
    bool count;
    int core;
    unsigned proofs;
    bool windows;
} kernel;

void perf_find(int core, struct perf_pmu *out)
{
    kernel.core = core;
    *out = (struct perf_pmu){.kind = COUNTERS_INTEL};
    snprintf(out->why, sizeof out->why, "%s", kernel.why ? kernel.why : "");
}

void perf_counters(const struct perf_pmu *found, const char *core_name, struct counters *out)
{
    (void)core_name;
    *out = (struct counters){.kind = found->kind, .slots = 0xf, .why_not = found->why[0] ? kernel.why : NULL};
}

size_t perf_proof(const struct counters *counters, struct counter_proof *out, size_t room)
{
    (void)out, (void)room;
    return counters->why_not ? 0 : 4;
}

void counters_prove(struct counters *counters, const struct counter_proof *rows, size_t count)
{
    (void)rows;
    kernel.proofs++;
    if (!counters->why_not && (count == 0 || !kernel.count))
        counters->why_not = "no counter counted";
}

const char *perf_windows_count(const struct perf_pmu *found, const struct counter_setting *list, size_t count)
{
    (void)list;
    return found->why[0] && count ? found->why : NULL;
}

void windows_count(bool on)
{
    kernel.windows = on;
}

static void be(const char *why, bool count)
{
    kernel.why = why;
    kernel.count = count;
    kernel.proofs = 0;
}

/* The reason in the record is the one for which every probe that needs counters is skipped. */
static void without_counters_the_reason_is_the_real_one(void **state)
{
    const struct counter_setting any = {.code = 0xc0};

    (void)state;
    be("the kernel does not let this user count", true);
    assert_string_equal(counting_start(2, "zen4"), kernel.why);
    assert_int_equal(kernel.core, 2);
    assert_string_equal(machine_counters()->why_not, kernel.why);
    assert_string_equal(machine_count(&any, 1), kernel.why);
    assert_false(kernel.windows);
}

static void with_counters_no_record_says_that_there_are_none(void **state)
{
    const struct counter_setting any = {.code = 0xc0};

    (void)state;
    be(NULL, true);
    assert_null(counting_start(0, "zen4"));
    assert_null(machine_counters()->why_not);
    assert_null(machine_count(&any, 1));
    assert_true(kernel.windows);
    assert_null(machine_count(NULL, 0));
    assert_false(kernel.windows);
}

/* Whether they count is proved when they are used first, once for each core. */
static void each_core_is_proved_once(void **state)
{
    (void)state;
    be(NULL, true);
    assert_null(counting_start(0, ""));
    assert_int_equal(kernel.proofs, 0);
    assert_null(machine_counters()->why_not);
    assert_null(machine_counters()->why_not);
    assert_int_equal(kernel.proofs, 1);
    be(NULL, false);
    assert_null(counting_start(1, ""));
    assert_string_equal(machine_counters()->why_not, "no counter counted");
    assert_int_equal(kernel.proofs, 1);
    be("none here", true);
    assert_string_equal(counting_start(2, ""), "none here");
    assert_string_equal(machine_counters()->why_not, "none here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_counters_the_reason_is_the_real_one),
        cmocka_unit_test(with_counters_no_record_says_that_there_are_none),
        cmocka_unit_test(each_core_is_proved_once),
    };

    return cmocka_run_group_tests_name("counting", tests, NULL, NULL);
}
