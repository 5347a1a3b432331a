/* Tables that overflow: falls are found where they are, and nowhere else; shared bits of use are told from others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/overflow.h"
#include "lib/structure/replacement.h"

enum { SETS = 32, WAYS = 8, CAPACITY = SETS * WAYS, POINTS = CAPACITY + 1 };
static const double LEVEL = 2, MISS = 7;

/* A curve of NRU_SHARED from the capacity up to twice that, which scatters by some part of a miss. */
static void draw(struct overflow_point *points, double scatter, uint64_t *random)
{
    static double shares[POINTS]; /* the same in each curve; 0: not computed yet */

    for (unsigned i = 0; i < POINTS; i++) {
        points[i].count = CAPACITY + i;
        if (i > 0 && shares[i] == 0) /* what fits never misses */
            shares[i] = overflow_shared(SETS, WAYS, points[i].count);
        for (unsigned layout = 0; layout < 2; layout++)
            points[i].cycles[layout] = LEVEL +
                                       MISS * (shares[i] + scatter * ((double)random_below(random, 2001) / 1000 - 1));
    }
}

/*
 * Redwood Cove's instruction TLB has 32 sets of 8 ways; where it falls is published (jia.je 2025). All curves have to
 * fall there; only the first ones are also compared with what sets would share, which takes long.
 */
static void falls_are_where_redwood_cove_has_them(void **state)
{
    struct overflow_point points[POINTS];
    uint64_t random = 1;

    (void)state;
    const unsigned compared = getenv("LONG") ? 50 : 5;
    for (unsigned i = 0; i < 50; i++) {
        draw(points, 0.02, &random);
        const struct overflow_falls f = overflow_falls(points, POINTS, LEVEL);
        assert_int_equal(f.period, SETS);
        assert_memory_equal(f.numbers, "289, 321, 353", strlen("289, 321, 353"));
        if (i >= compared)
            continue;
        assert_true(overflow_is_shared(SETS, WAYS, points, POINTS, LEVEL));
        assert_false(overflow_is_shared(SETS / 2, 2 * WAYS, points, POINTS, LEVEL));
    }
}

/* Sets of LRU that share nothing, each full by one page more: a ramp and a level, and nothing falls. */
static void nothing_falls_in_order_of_use(void **state)
{
    struct overflow_point points[POINTS];
    uint64_t random = 1;

    (void)state;
    for (unsigned i = 0; i < POINTS; i++) {
        const double full = i < SETS ? i : SETS, share = full * (WAYS + 1) / (CAPACITY + i);
        points[i].count = CAPACITY + i;
        for (unsigned layout = 0; layout < 2; layout++)
            points[i].cycles[layout] = LEVEL + MISS * (fmin(share, 1) + 0.0001 * (double)random_below(&random, 100));
    }
    const struct overflow_falls f = overflow_falls(points, POINTS, LEVEL);
    assert_int_equal(f.count, 0);
    assert_int_equal(f.doubtful, 0);
    assert_false(overflow_is_shared(SETS, WAYS, points, POINTS, LEVEL));
}

/* A curve of 40 points at a height of 1 that falls by `part` at three of them, and climbs back at once. */
static struct overflow_falls with_falls(double part, bool both, double disturbed)
{
    struct overflow_point points[40];

    for (unsigned i = 0; i < 40; i++) {
        const bool low = i % 10 == 9 && i < 35;
        points[i] = (struct overflow_point){.count = 100 + i,
                                            .cycles = {low ? 2 - part : 2, low && both ? 2 - part : 2}};
    }
    for (unsigned i = 1; i < 4; i++) /* some points that take far longer, on both layouts at other numbers */
        points[10 * i].cycles[0] = points[10 * i + 5].cycles[1] = 2 + disturbed;
    return overflow_falls(points, 40, 1);
}

static void small_falls_are_in_doubt(void **state)
{
    (void)state;
    assert_int_equal(with_falls(0.12, true, 0).count, 3);
    assert_int_equal(with_falls(0.12, true, 0).period, 10);
    assert_int_equal(with_falls(0.07, true, 0).count, 0);
    assert_int_equal(with_falls(0.07, true, 0).doubtful, 3);
    assert_int_equal(with_falls(0.03, true, 0).doubtful, 0);
    /* one layout does not count; nor do points that were disturbed, to the height of the curve */
    assert_int_equal(with_falls(0.12, false, 0).count, 0);
    assert_int_equal(with_falls(0.12, true, 3).period, 10);
}

/* Points off by less than the tolerance are explained; one in five off by more are not. */
static void shares_are_compared(void **state)
{
    struct overflow_point points[POINTS];
    uint64_t random = 1;

    (void)state;
    draw(points, 0.04, &random);
    assert_true(overflow_is_shared(SETS, WAYS, points, POINTS, LEVEL));
    draw(points, 0, &random);
    for (unsigned i = 0; i < POINTS; i += 5)
        points[i].cycles[0] = points[i].cycles[1] = points[i].cycles[0] + (i % 2 ? 0.1 : -0.1) * MISS;
    assert_false(overflow_is_shared(SETS, WAYS, points, POINTS, LEVEL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_are_where_redwood_cove_has_them),
        cmocka_unit_test(nothing_falls_in_order_of_use),
        cmocka_unit_test(small_falls_are_in_doubt),
        cmocka_unit_test(shares_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
