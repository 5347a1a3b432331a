/* However many accesses to DRAM are asked for, in whatever portions, within any 64 ms no more than 1,000 are made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/machine.h"
#include "lib/measure/activations.h"
#include "lib/measure/list.h"

/* The accesses that were made: when, and how many. */
enum { BURSTS = 4000 };
static struct {
    double begins, ends;
    unsigned count;
} made[BURSTS];
static size_t bursts;
static double seconds;
static unsigned idles;
static bool idle_works;
static uint64_t random_state = 1;

double machine_seconds(void)
{
    return seconds;
}

const char *machine_idle(double wanted)
{
    idles++;
    seconds += idle_works ? wanted : 1e-5;
    return idle_works ? NULL : "this core cannot idle";
}

struct window_result list_run(struct meter *m, struct reading *list, size_t count)
{
    (void)m;
    assert_true(bursts < BURSTS);
    made[bursts].begins = seconds;
    for (size_t i = 0; i < count; i++)
        made[bursts].count += (unsigned)list[i].argument[0] * 2;
    seconds += (double)random_below(&random_state, 1000) * 1e-5;
    made[bursts++].ends = seconds;
    return (struct window_result){.end = WINDOW_RAN};
}

static void start(bool idles_well)
{
    memset(made, 0, sizeof made);
    bursts = 0;
    seconds = 1;
    idles = 0;
    idle_works = idles_well;
}

static bool ask(struct activations *a, uint64_t iterations, size_t readings)
{
    struct reading list[8] = {{0}};
    struct window_result result;
    struct meter m = {0};

    for (size_t i = 0; i < readings; i++)
        list[i].argument[0] = iterations;
    return activations_run(a, &m, list, readings, 2, &result);
}

/* Of all accesses that may have been made within 64 ms of the end of a burst: those of each burst that reaches into it. */
static void assert_within_limit(void)
{
    for (size_t i = 0; i < bursts; i++) {
        unsigned count = 0;
        for (size_t j = i; j < bursts && made[j].begins < made[i].ends + 0.064; j++)
            count += made[j].count;
        assert_true(count <= 1000);
    }
}

static void no_more_than_the_limit_in_any_window(void **state)
{
    (void)state;
    for (unsigned works = 0; works < 2; works++) {
        struct activations a = {.used = 0};
        double all = 0;
        start(works);
        for (unsigned i = 0; i < 600; i++) {
            const uint64_t iterations = 1 + random_below(&random_state, 1U << random_below(&random_state, 7));
            const size_t readings = 1 + random_below(&random_state, 4);
            assert_true(ask(&a, iterations, readings) == (iterations * readings * 2 <= 1000));
            if (random_below(&random_state, 20) == 0)
                seconds += 0.05;
        }
        for (size_t i = 0; i < bursts; i++)
            all += made[i].count;
        assert_true(all > 20000 && a.all == all);
        assert_true(idles > 0);
        assert_within_limit();
    }
}

/* Many small portions: their times are all remembered, or the next one waits. */
static void small_portions_count_as_well(void **state)
{
    struct activations a = {.used = 0};

    (void)state;
    start(true);
    for (unsigned i = 0; i < 1500; i++)
        assert_true(ask(&a, 2, 1));
    assert_within_limit();
}

static void what_is_never_allowed_does_not_run(void **state)
{
    struct activations a = {.used = 0};

    (void)state;
    start(true);
    assert_false(ask(&a, 501, 1));
    assert_false(ask(&a, UINT64_MAX / 4, 4));
    assert_int_equal(bursts, 0);
    assert_true(ask(&a, 500, 1));
    seconds = 0; /* the platform's clock is not known */
    assert_false(ask(&a, 1, 1));
    assert_int_equal(bursts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_more_than_the_limit_in_any_window),
                                       cmocka_unit_test(small_portions_count_as_well),
                                       cmocka_unit_test(what_is_never_allowed_does_not_run)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
