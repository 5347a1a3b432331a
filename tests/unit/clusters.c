/*
 * Classes of numbers: clusters are found wherever they are, the best cut is taken, and numbers without clusters have no
 * classes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/clusters.h"
#include "lib/base/random.h"
#include "lib/base/statistics.h"

enum { NUMBERS = 400 };

static double uniform(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0; /* 2^53 */
}

/* Clusters of random positions and sizes, further apart than they are wide. */
static void clusters_are_given_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        const size_t heaps = 1 + (size_t)random_below(&random, 8);
        double y[NUMBERS], low[8], high[8], at = 1;
        size_t sizes[8], n = 0;
        for (size_t h = 0; h < heaps; h++) {
            sizes[h] = 1 + (size_t)random_below(&random, NUMBERS / 8);
            low[h] = INFINITY;
            high[h] = 0;
            for (size_t i = 0; i < sizes[h]; i++, n++) {
                y[n] = at + 0.5 * uniform(&random);
                low[h] = fmin(low[h], y[n]);
                high[h] = fmax(high[h], y[n]);
            }
            at += 1.01 + 10 * uniform(&random);
        }
        struct clusters c;
        sort_numbers(y, n);
        assert_true(clusters_of(y, n, 0.5, 0, &c));
        assert_int_equal(c.count, heaps);
        for (size_t h = 0; h < heaps; h++) {
            assert_int_equal(c.all[h].count, sizes[h]);
            assert_true(c.all[h].low >= low[h] && c.all[h].high <= high[h]);
            assert_int_equal(clusters_find(&c, c.all[h].middle), h);
        }
        assert_int_equal(clusters_find(&c, 0), heaps);
    }
}

/* Of all ways to cut into two the one with the least squares, found by trying them all. */
static void the_best_cut_is_taken(void **state)
{
    unsigned tried = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        double y[12], least = INFINITY;
        struct clusters c;
        size_t best = 0;
        for (size_t i = 0; i < 12; i++)
            y[i] = 1.3 * uniform(&random);
        y[11] = 1.31; /* too wide for one class, */
        sort_numbers(y, 12);
        for (size_t cut = 1; cut < 12; cut++) {
            double mean[2] = {0, 0}, squares = 0;
            for (size_t i = 0; i < 12; i++)
                mean[i >= cut] += y[i] / (double)(i >= cut ? 12 - cut : cut);
            for (size_t i = 0; i < 12; i++)
                squares += (y[i] - mean[i >= cut]) * (y[i] - mean[i >= cut]);
            if (squares < least) {
                least = squares;
                best = cut;
            }
        }
        if (y[11] - y[0] <= 1 || y[best - 1] - y[0] > 1 || y[11] - y[best] > 1)
            continue;
        assert_true(clusters_of(y, 12, 1, 0, &c)); /* but not for two */
        assert_int_equal(c.count, 2);
        assert_int_equal(c.all[0].count, best);
        tried++;
    }
    assert_true(tried > 50);
}

static void large_numbers_may_scatter_more(void **state)
{
    static const double y[] = {5, 5.4, 19, 20};
    struct clusters c;

    (void)state;
    assert_true(clusters_of(y, 4, 0.5, 0.08, &c));
    assert_int_equal(c.count, 2);
    assert_true(clusters_of(y, 4, 0.5, 0, &c));
    assert_int_equal(c.count, 3);
}

static void evenly_spread_numbers_have_no_classes(void **state)
{
    double y[NUMBERS];
    struct clusters c;

    (void)state;
    for (size_t i = 0; i < NUMBERS; i++)
        y[i] = (double)i;
    assert_false(clusters_of(y, NUMBERS, 0.5, 0.01, &c));
    assert_int_equal(c.count, 0);
    assert_false(clusters_of(y, 0, 0.5, 0, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_given_back),
        cmocka_unit_test(the_best_cut_is_taken),
        cmocka_unit_test(large_numbers_may_scatter_more),
        cmocka_unit_test(evenly_spread_numbers_have_no_classes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
