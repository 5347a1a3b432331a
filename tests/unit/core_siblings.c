/* Whether two processors are threads of one core (lib/structure/core_siblings.h), from how much longer kernels take. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/core_siblings.h"

/* All rounds near these factors, but for some that were disturbed. */
static struct sibling_verdict decide(double nops, double loads, unsigned disturbed)
{
    double times[SIBLING_KERNELS][SIBLING_ROUNDS];
    struct sibling_verdict v;
    uint64_t random = 7;

    for (size_t i = 0; i < SIBLING_ROUNDS; i++) {
        const double off = 0.99 + 0.02 * (double)random_below(&random, 1001) / 1000;
        times[0][i] = i < disturbed ? 9 : nops * off;
        times[1][i] = i < disturbed ? 0.1 : loads * off;
    }
    core_siblings_decide(times, SIBLING_ROUNDS, &v);
    return v;
}

static void threads_that_take_turns_are_siblings(void **state)
{
    (void)state;
    for (unsigned disturbed = 0; disturbed < 3; disturbed++) {
        const struct sibling_verdict v = decide(2, 1.7, disturbed);
        assert_int_equal(v.reason, REASON_NONE);
        assert_true(v.siblings && fabs(v.times[0] - 2) < 0.05);
    }
}

static void cores_of_their_own_are_not(void **state)
{
    (void)state;
    for (unsigned disturbed = 0; disturbed < 3; disturbed++) {
        const struct sibling_verdict v = decide(1, 1.08, disturbed);
        assert_int_equal(v.reason, REASON_NONE);
        assert_false(v.siblings);
    }
}

static void what_lies_between_is_not_decided(void **state)
{
    (void)state;
    assert_int_equal(decide(1.3, 1.3, 0).reason, REASON_NOISE);
    assert_int_equal(decide(1.3, 2, 0).reason, REASON_NOISE);
    assert_int_equal(decide(1, 2, 0).reason, REASON_EXPERIMENTS_DISAGREE);
    assert_int_equal(decide(2, 2, SIBLING_ROUNDS * 3 / 4).reason, REASON_NOISE);
    struct sibling_verdict v;
    double none[SIBLING_KERNELS][SIBLING_ROUNDS];
    core_siblings_decide(none, 0, &v);
    assert_int_equal(v.reason, REASON_NO_READINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_that_take_turns_are_siblings),
                                       cmocka_unit_test(cores_of_their_own_are_not),
                                       cmocka_unit_test(what_lies_between_is_not_decided)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
