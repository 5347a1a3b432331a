/* Sawtooth curves are found in numbers of which some are wrong; other numbers are no sawtooth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <math.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/knee/sawtooth.h"

enum { PLACES = 24 };

static double number(uint64_t *random, double from, double to)
{
    return from + floor((to - from + 1) * ((double)(random_next(random) >> 11) / 9007199254740992.0));
}

static void sawtooth_curves_are_found(void **state)
{
    unsigned none = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t random = seed;
        const unsigned period = (unsigned)number(&random, 1, PLACES / 2),
                       first = (unsigned)number(&random, 0, period - 1);
        const double top = number(&random, 50, 600);
        double y[PLACES];
        for (unsigned i = 0; i < PLACES; i++)
            y[i] = top - (double)((i + period - first) % period);
        for (unsigned wrong = 0; wrong < seed % 4; wrong++) /* an eighth of them at most */
            y[(size_t)number(&random, 0, PLACES - 1)] = wrong ? top + number(&random, -20, 20) : (double)NAN;
        const struct sawtooth s = sawtooth_fit(y, PLACES);
        none += !s.period;
        assert_true(!s.period || (s.period == period && fabs(s.top - top) < 0.5));
    }
    assert_true(none < 10); /* when all the wrong numbers are tops of teeth */
}

static void other_numbers_are_no_sawtooth(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t random = seed;
        double drawn[PLACES], rising[PLACES], none[PLACES];
        for (unsigned i = 0; i < PLACES; i++) {
            drawn[i] = number(&random, 490, 498);
            rising[i] = 400 + (double)(i % 6); /* the other way round */
            none[i] = (double)NAN;
        }
        assert_int_equal(sawtooth_fit(drawn, PLACES).period, 0);
        assert_int_equal(sawtooth_fit(rising, PLACES).period, 0);
        assert_int_equal(sawtooth_fit(none, PLACES).period, 0);
    }
}

/*
 * As on Zen 4, with groups of six: long NOPs, where one number differs, moves, and zeroing, which rises twice in a
 * period.
 */
static void worn_teeth_have_a_period(void **state)
{
    const double nops[PLACES] = {316, 315, 315, 319, 318, 317, 316, 318, 315, 319, 318, 317,
                                 316, 315, 315, 319, 318, 317, 316, 315, 315, 319, 318, 317};
    const double once[PLACES] = {316, 319, 319, 319, 318, 317, 316, 316, 319, 319, 318, 317,
                                 316, 315, 319, 319, 318, 317, 316, 315, 319, 319, 318, 317};
    const double moves[] = {315, 313, 318, 318, 317, 316}, zeros[] = {314, 314, 315, 317, 317, 315};
    double y[PLACES], z[PLACES];

    (void)state;
    for (unsigned i = 0; i < PLACES; i++) {
        y[i] = moves[i % 6];
        z[i] = zeros[i % 6];
    }
    assert_int_equal(sawtooth_blurred_period(nops, PLACES), 6);
    assert_int_equal(sawtooth_blurred_period(once, PLACES), 6);
    assert_int_equal(sawtooth_blurred_period(y, PLACES), 6);
    assert_int_equal(sawtooth_blurred_period(z, PLACES), 0);
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t random = seed;
        for (unsigned i = 0; i < PLACES; i++) {
            y[i] = number(&random, 490, 498);
            z[i] = 400 + (double)(i % 6);
        }
        assert_int_equal(sawtooth_blurred_period(y, PLACES), 0);
        assert_int_equal(sawtooth_blurred_period(z, PLACES), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sawtooth_curves_are_found),
        cmocka_unit_test(other_numbers_are_no_sawtooth),
        cmocka_unit_test(worn_teeth_have_a_period),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
