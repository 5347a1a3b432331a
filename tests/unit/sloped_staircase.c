/* Sloped staircases: their step width is found, or nothing; and curves that are no staircase have none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/knee/sloped_staircase.h"

enum { CURVES = 4000, POINTS = 20 };

static double uniform(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0; /* 2^53 */
}

/* About normal: the sum of twelve. */
static double normal(uint64_t *random)
{
    double sum = -6;

    for (unsigned i = 0; i < 12; i++)
        sum += uniform(random);
    return sum;
}

/* Each riser is late by some noise of its own, and each round overlaps the next one by more. */
static void widths_are_found(void **state)
{
    size_t decided_widths = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= CURVES; seed++) {
        uint64_t random = seed;
        const size_t width = 2 + (size_t)random_below(&random, 7);
        const double start = 20 + 60 * uniform(&random), slope = 8 * uniform(&random), bend = 0.3 * uniform(&random),
                     rise = 3 * slope + 10 + 40 * uniform(&random), blur = 0.5 * uniform(&random),
                     noise = 3 * uniform(&random);
        double y[POINTS];
        for (size_t n = 1; n <= POINTS; n++) {
            const size_t round = (n - 1) / width, within = (n - 1) % width;
            double climbed = (double)round;
            if (round && within < 2) /* some of the round before are not finished, others are */
                climbed -= blur * (double)round / 4 / (double)(within + 1);
            y[n - 1] = start + slope * (double)n + bend * (double)(n * n) + rise * climbed + noise * normal(&random);
        }
        const double found = sloped_staircase_width(y, POINTS);
        assert_true(isnan(found) || (size_t)found == width);
        decided_widths += isnan(found) ? 0 : 1;
    }
    assert_true(decided_widths > CURVES / 2);
}

/* Lines, slope changes, steps, saturation and waves, with noise. */
static void other_curves_have_no_width(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CURVES; seed++) {
        uint64_t random = seed;
        const double slope = 20 * uniform(&random), height = 100 * uniform(&random), noise = 3 * uniform(&random),
                     at = 2 + 17 * uniform(&random), turns = 9 + 8 * uniform(&random);
        double y[POINTS];
        for (size_t i = 0; i < POINTS; i++) {
            const double n = (double)(i + 1);
            y[i] = slope * n + noise * normal(&random);
            switch (seed % 5) {
            case 1: y[i] += n > at ? height * (n - at) : 0; break;
            case 2: y[i] += n > at ? height : 0; break;
            case 3: y[i] += height * sqrt(n); break;
            case 4: /* up and down in straight lines, longer than any width */
                y[i] += height * fabs(n / turns - floor(n / turns + 0.5));
                break;
            default: break;
            }
        }
        assert_true(isnan(sloped_staircase_width(y, POINTS)));
    }
}

/* Too few points, a missing point, and two rounds without a rise. */
static void missing_information_gives_no_width(void **state)
{
    double y[POINTS];

    (void)state;
    for (size_t n = 1; n <= POINTS; n++)
        y[n - 1] = (double)n + 30 * (double)((n - 1) / 4);
    assert_true(sloped_staircase_width(y, POINTS) == 4);
    assert_true(isnan(sloped_staircase_width(y, 7)));
    y[11] = (double)NAN;
    assert_true(isnan(sloped_staircase_width(y, POINTS)));
    for (size_t n = 1; n <= POINTS; n++)
        y[n - 1] = (double)n + 30 * (double)((n - 1) / 12);
    assert_true(isnan(sloped_staircase_width(y, POINTS)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths_are_found), cmocka_unit_test(other_curves_have_no_width),
                                       cmocka_unit_test(missing_information_gives_no_width)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
