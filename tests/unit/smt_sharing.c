/* How threads divide a structure (lib/structure/smt_sharing.h), from what fits while the sibling sleeps, waits, fills it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/smt_sharing.h"

enum { ALL = 200 };

/* All rounds within a hundredth of these parts of all, but for some that were disturbed. */
static struct smt_verdict decide(double waits, double fills, size_t count, size_t disturbed)
{
    const double parts[SMT_STATES] = {1, waits, fills};
    struct smt_rounds rounds = {.count = count};
    struct smt_verdict v;
    uint64_t random = 11;

    for (enum smt_state s = 0; s < SMT_STATES; s++)
        for (size_t i = 0; i < count; i++)
            rounds.capacity[s][i] = i < disturbed
                                        ? 9
                                        : ALL * parts[s] * (0.99 + 0.02 * (double)random_below(&random, 1001) / 1000);
    smt_sharing_decide(&rounds, &v);
    return v;
}

static void expect(double waits, double fills, enum smt_kind kind)
{
    const struct smt_verdict v = decide(waits, fills, SMT_ROUNDS, 0);

    assert_int_equal(v.reason, REASON_NONE);
    assert_int_equal(v.kind, kind);
    assert_true(fabs(v.median[SMT_ASLEEP] - ALL) < 3 && v.low[SMT_FILLS] <= v.high[SMT_FILLS]);
}

static void each_way_is_told(void **state)
{
    (void)state;
    expect(0.5, 0.5, SMT_HALVES);
    expect(0.47, 0.53, SMT_HALVES);
    expect(0.76, 0.76, SMT_CAPPED);
    expect(0.82, 0.4, SMT_CAPPED);
    expect(0.92, 0.92, SMT_CAPPED);
    expect(1, 0.5, SMT_BY_DEMAND);
    expect(0.98, 0.85, SMT_BY_DEMAND);
    expect(1, 0.1, SMT_BY_DEMAND);
    expect(1, 1, SMT_NOT_SHARED);
    expect(0.97, 1.02, SMT_NOT_SHARED);
}

static void nothing_else_is_decided(void **state)
{
    (void)state;
    assert_int_equal(decide(0.58, 0.5, SMT_ROUNDS, 0).reason, REASON_NOISE);    /* half, or more */
    assert_int_equal(decide(1, 0.9, SMT_ROUNDS, 0).reason, REASON_NOISE);       /* all, or less */
    assert_int_equal(decide(0.5, 0.3, SMT_ROUNDS, 0).reason, REASON_AMBIGUOUS); /* halves of which something is taken */
    assert_int_equal(decide(0.76, 1, SMT_ROUNDS, 0).reason, REASON_AMBIGUOUS);  /* more beside one that needs it */
    assert_int_equal(decide(0.3, 0.3, SMT_ROUNDS, 0).reason, REASON_AMBIGUOUS); /* less than half, though it waits */
    assert_int_equal(decide(0.5, 0.5, SMT_ROUNDS, 8).reason, REASON_NOISE);     /* a quarter disturbed, alike in all */
    assert_int_equal(decide(0.5, 0.5, SMT_ROUNDS_ALIKE - 1, 0).reason, REASON_NO_READINGS);
}

static void disturbed_rounds_change_nothing(void **state)
{
    (void)state;
    for (size_t disturbed = 1; disturbed <= 6; disturbed++) {
        const struct smt_verdict v = decide(0.5, 0.5, SMT_ROUNDS, disturbed);
        assert_int_equal(v.reason, REASON_NONE);
        assert_int_equal(v.kind, SMT_HALVES);
    }
}

static void rounds_that_are_alike_are_enough(void **state)
{
    struct smt_rounds rounds = {.count = SMT_ROUNDS_ALIKE};
    struct smt_verdict v;

    (void)state;
    for (enum smt_state s = 0; s < SMT_STATES; s++)
        for (size_t i = 0; i < SMT_ROUNDS_ALIKE; i++)
            rounds.capacity[s][i] = s == SMT_ASLEEP ? ALL : ALL / 2;
    assert_true(smt_rounds_are_enough(&rounds));
    smt_sharing_decide(&rounds, &v);
    assert_int_equal(v.reason, REASON_NONE);
    rounds.capacity[SMT_FILLS][3]++;
    assert_false(smt_rounds_are_enough(&rounds));
    rounds.capacity[SMT_FILLS][3]--;
    rounds.count--;
    assert_false(smt_rounds_are_enough(&rounds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_way_is_told), cmocka_unit_test(nothing_else_is_decided),
                                       cmocka_unit_test(disturbed_rounds_change_nothing),
                                       cmocka_unit_test(rounds_that_are_alike_are_enough)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
