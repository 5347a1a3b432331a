/* The period at which loads are held up: the true one, not a part or a multiple of it; and none where there is none. */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "lib/base/random.h"
#include "lib/structure/refresh_period.h"

enum { BURSTS = 32, LOADS = 1000 };

static struct load_burst bursts[BURSTS];

struct memory {
    double period, refreshing; /* period 0: no refreshes */
    double load, between;      /* nanoseconds that a load takes, and to the next one */
    double noise;              /* each load takes up to so much longer */
    double step;               /* of the clock */
    double late;               /* once in fifty readings, at equal distances, a load takes so much longer */
};

static double chance(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static double in_steps(const struct memory *m, double time)
{
    return floor(time / m->step) * m->step;
}

static struct refresh_period find(const struct memory *m)
{
    struct refresh_period found;
    uint64_t random = 7;

    for (size_t b = 0; b < BURSTS; b++) {
        double time = 1e6 * chance(&random);
        const double start = time;
        bursts[b].count = LOADS;
        for (size_t i = 0; i < LOADS; i++) {
            const double begin = time, in = m->period > 0 ? fmod(time, m->period) : 1e9;
            time += in < m->refreshing ? m->refreshing - in : 0;
            time += m->load + m->noise * chance(&random) + (i % 50 ? 0 : m->late);
            bursts[b].loads[i] = (struct timed_load){in_steps(m, time) - in_steps(m, start),
                                                     in_steps(m, time) - in_steps(m, begin)};
            time += m->between;
        }
    }
    refresh_period_find(bursts, BURSTS, &found);
    return found;
}

static void the_period_is_found(void **state)
{
    static const double periods[] = {3900, 15600};

    (void)state;
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        const struct memory m = {periods[i], 350, 100, 150, 200, 0.4, 0};
        const struct refresh_period p = find(&m);
        assert_int_equal(p.reason, REASON_NONE);
        assert_true(fabs(p.ns / periods[i] - 1) < 0.002);
        assert_true(p.wait > 150 && p.wait < 350 && p.least <= p.wait && p.wait <= p.most);
    }
}

/* A clock of 24 MHz, and as much noise as a refresh takes. */
static void coarse_clocks_and_noise_leave_it(void **state)
{
    const struct memory m = {7800, 350, 100, 150, 350, 41.7, 0};
    const struct refresh_period p = find(&m);

    (void)state;
    assert_int_equal(p.reason, REASON_NONE);
    assert_true(fabs(p.ns / 7800 - 1) < 0.005);
}

static void without_refreshes_there_is_none(void **state)
{
    const struct memory quiet = {0, 0, 100, 150, 200, 0.4, 0}, late = {0, 0, 100, 150, 200, 0.4, 300};
    const struct memory far = {70000, 350, 100, 150, 200, 0.4, 0};

    (void)state;
    assert_int_equal(find(&quiet).reason, REASON_NO_REFRESH);
    assert_int_equal(find(&late).reason, REASON_NO_REFRESH);
    assert_int_equal(find(&far).reason, REASON_NO_REFRESH);
}

/* Bursts that are too short for the longest period say nothing. */
static void short_bursts_decide_nothing(void **state)
{
    const struct memory m = {7800, 350, 20, 30, 5, 0.4, 0};

    (void)state;
    assert_int_equal(find(&m).reason, REASON_NO_READINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_period_is_found),
        cmocka_unit_test(coarse_clocks_and_noise_leave_it),
        cmocka_unit_test(without_refreshes_there_is_none),
        cmocka_unit_test(short_bursts_decide_nothing),
    };

    return cmocka_run_group_tests_name("refresh_period", tests, NULL, NULL);
}
