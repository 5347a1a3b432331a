/* Single schedulers (lib/structure/scheduler_parts.h), from how many operations can wait alone and behind others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/scheduler_parts.h"

enum { SCHEDULERS = 6 };

/* Schedulers of a core, and the classes, a bit each, that each of them holds. */
struct core {
    size_t classes;
    double entries[SCHEDULERS];
    unsigned holds[SCHEDULERS];
    double queue;
};

/* Entries of the schedulers that hold class a, and of those that hold class b as well. */
static double common(const struct core *c, size_t a, size_t b)
{
    double entries = 0;

    for (size_t i = 0; i < SCHEDULERS; i++)
        entries += (c->holds[i] >> a & 1) && (c->holds[i] >> b & 1) ? c->entries[i] : 0;
    return entries;
}

/* What would be measured where operations go to whichever scheduler has room. */
static struct parts_counts measured(const struct core *core)
{
    struct parts_counts c = {.classes = core->classes, .queue = core->queue};

    for (size_t a = 0; a < c.classes; a++)
        c.alone[a] = common(core, a, a) + core->queue;
    for (size_t a = 0; a < c.classes; a++)
        for (size_t b = 0; b < c.classes; b++) {
            c.head[a][b] = a != b && c.alone[a] <= c.alone[b] ? parts_head(&c, a, b) : 0;
            c.behind[a][b] = c.head[a][b] > 0 ? c.alone[b] - (common(core, a, b) > 0 ? c.head[a][b] : 0) : (double)NAN;
        }
    return c;
}

/* Additions in all six schedulers, what writes flags in three, branches in two of these; multiplications, shifts. */
static const struct core nested = {
    .classes = 5,
    .entries = {24, 26, 16, 22, 28, 28},
    .holds = {1 | 2 | 4, 1 | 2 | 4, 1 | 2, 1, 1 | 8, 1 | 8 | 16},
};

static void nested_classes_are_taken_apart(void **state)
{
    const struct parts_counts c = measured(&nested);
    struct part parts[PARTS_CLASSES];
    static const double truth[] = {22, 16, 50, 28, 28};

    (void)state;
    parts_decide(&c, parts);
    for (size_t i = 0; i < nested.classes; i++) {
        assert_int_equal(parts[i].reason, REASON_NONE);
        assert_int_equal(parts[i].same, i);
        assert_true(fabs(parts[i].entries - truth[i]) < 1e-9);
        assert_true(parts[i].low < truth[i] && truth[i] < parts[i].high);
    }
}

static void the_queue_before_them_counts_once(void **state)
{
    struct core core = nested;
    struct part parts[PARTS_CLASSES];

    (void)state;
    core.queue = 10;
    const struct parts_counts c = measured(&core);
    parts_decide(&c, parts);
    assert_true(fabs(parts[4].entries - 28) < 1e-9);
    assert_true(fabs(parts[3].entries - 28) < 1e-9);
    assert_true(fabs(parts[0].entries - 22) < 1e-9);
}

static void classes_in_the_same_schedulers_are_one(void **state)
{
    const struct core core = {.classes = 3, .entries = {20, 44}, .holds = {1 | 2, 1 | 2 | 4}};
    struct parts_counts c = measured(&core);
    struct part parts[PARTS_CLASSES];

    (void)state;
    c.alone[1] -= 1; /* something took a place */
    parts_decide(&c, parts);
    assert_int_equal(parts[0].same, 1);
    assert_true(fabs(parts[1].entries - 20) < 1e-9);
    assert_true(fabs(parts[2].entries - 44) < 1e-9);
}

static void what_is_within_the_error_is_undecided(void **state)
{
    const struct core core = {.classes = 3, .entries = {4, 40, 40}, .holds = {1, 1 | 2, 1 | 4}};
    const struct parts_counts c = measured(&core);
    struct part parts[PARTS_CLASSES];

    (void)state;
    parts_decide(&c, parts);
    assert_int_equal(parts[0].reason, REASON_DIFFERENCE_TOO_SMALL);
    assert_true(isnan(parts[0].entries));
    assert_true(fabs(parts[1].entries - 40) < 1e-9);
}

static void classes_that_overlap_are_undecided(void **state)
{
    const struct core core = {.classes = 2, .entries = {40, 30, 30}, .holds = {1, 1 | 2, 2}};
    struct parts_counts c = measured(&core);
    struct part parts[PARTS_CLASSES];

    (void)state;
    c.behind[1][0] = c.alone[0] - c.head[1][0] / 2; /* half of them went elsewhere */
    parts_decide(&c, parts);
    assert_int_equal(parts[0].reason, REASON_AMBIGUOUS);
    assert_true(fabs(parts[1].entries - 60) < 1e-9);
}

/* So many schedulers of `each` hold class 1, one of them class 0, and operations go to each in turn. */
static struct parts_counts in_turn(unsigned schedulers, double each)
{
    struct parts_counts c = {.classes = 2, .alone = {each, schedulers * each}};

    c.head[0][1] = parts_head(&c, 0, 1);
    c.behind[0][1] = schedulers * (each - c.head[0][1]);
    c.behind[1][0] = (double)NAN;
    return c;
}

static void shares_tell_over_how_many_schedulers_a_class_is_spread(void **state)
{
    struct part parts[PARTS_CLASSES];

    (void)state;
    for (unsigned n = 2; n <= 5; n++) {
        struct parts_counts c = in_turn(n, 30);
        assert_true(parts_spread(&c, 0, 1) == n);
        parts_decide(&c, parts);
        assert_int_equal(parts[0].reason, REASON_HELD_UP);
        assert_int_equal(parts[1].reason, REASON_HELD_UP);
        c.alone[1] -= 12; /* the two ways disagree */
        assert_true(isnan(parts_spread(&c, 0, 1)));
    }
}

static void two_thirds_come_first_unless_that_is_too_little(void **state)
{
    const struct parts_counts c = {.classes = 3, .alone = {27, 60, 8}};
    const struct parts_counts large = {.classes = 2, .alone = {30, 134}};

    (void)state;
    assert_true(parts_head(&c, 0, 1) == 18);
    assert_true(parts_head(&large, 0, 1) == 20); /* 134 may be wrong by 7 */
    assert_true(parts_head(&c, 2, 1) == 0);      /* five of eight, where 60 may be wrong by nearly as much */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_classes_are_taken_apart),
        cmocka_unit_test(the_queue_before_them_counts_once),
        cmocka_unit_test(classes_in_the_same_schedulers_are_one),
        cmocka_unit_test(what_is_within_the_error_is_undecided),
        cmocka_unit_test(classes_that_overlap_are_undecided),
        cmocka_unit_test(shares_tell_over_how_many_schedulers_a_class_is_spread),
        cmocka_unit_test(two_thirds_come_first_unless_that_is_too_little),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
