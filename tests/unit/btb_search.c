/*
 * Organisations of branch target buffers that survive (lib/structure/btb_mismatch.h, btb_search.h, btb_design.h): what
 * is known of their costs, which of them are doubtful, and what is measured next.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/btb_design.h"
#include "lib/structure/btb_mismatch.h"
#include "lib/structure/btb_search.h"

/* What chance alone may do: points scatter by a percent, costs of a stride by ten or twenty. */
static const struct btb_spread spread = {.scatter = 0.01, .hits = 0.1, .misses = 0.2};

static struct btb_part held(double part)
{
    const uint16_t whole = (uint16_t)(part * BTB_WHOLE);

    return (struct btb_part){whole, whole};
}

/* ---- Costs ------------------------------------------------------------------------------------------ */

/* The cost of a miss that is fitted where all that ever misses is this part of one sequence; NaN: none is. */
static double miss_cost(double missed)
{
    enum { POINTS = 5 };
    const double hit = 1, miss = 4;
    struct btb_mismatch m;
    struct btb_point points[POINTS];
    struct btb_part one[POINTS];
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS];

    for (size_t i = 0; i < POINTS; i++) {
        const double part = i + 1 < POINTS ? 0 : missed;
        one[i] = held(1 - part);
        points[i] = (struct btb_point){{BRANCH_CHAIN_UNCOND, 16, 64U << i, 0}, hit + part * (miss - hit), 0.001};
    }
    btb_mismatch_prepare(&m, points, POINTS, 0, UINT_MAX, &spread);
    btb_mismatch(&m, one, NULL, INFINITY, costs);
    return costs[BRANCH_CHAIN_UNCOND][2];
}

/* BTB_SEEN: of 1,024 branches 20 that miss show what a miss costs, and 5 show noise only. */
static void a_cost_is_known_where_branches_show_it(void **state)
{
    (void)state;
    assert_true(isnan(miss_cost(5.0 / 1024)));
    assert_true(miss_cost(20.0 / 1024) > 3);
}

/*
 * The mismatch of two levels, or one, with the points of eight strides that follow from them exactly, where survivors
 * are five sigma from the best. Of each stride one sequence is resident in part in each level.
 */
static double mismatch_of_truth(double hit_of_second, double miss, bool two_levels)
{
    enum { STRIDES = 8, COUNTS = 12, POINTS = STRIDES * COUNTS };
    static struct btb_point points[POINTS];
    static struct btb_part one[POINTS], two[POINTS];
    const double hit = 1, five_sigma = 25;
    struct btb_mismatch m;
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS];

    for (unsigned i = 0; i < POINTS; i++) {
        const unsigned n = i % COUNTS, last = COUNTS - 1;
        const double first = two_levels ? (n > 5 ? 0 : n == 5 ? 0.5 : 1) : n == last ? 0 : n == last - 1 ? 0.5 : 1;
        const double second = !two_levels || n == last ? 0 : n == last - 1 ? 0.25 : 1;
        const double cycles = first * hit + (second > first ? (second - first) * hit_of_second : 0) +
                              (1 - fmax(first, second)) * miss;
        one[i] = held(first);
        two[i] = held(second);
        points[i] = (struct btb_point){{BRANCH_CHAIN_UNCOND, 4U << i / COUNTS, 8U << n, 0}, cycles, 0.01 * cycles};
    }
    btb_mismatch_prepare(&m, points, POINTS, 0, UINT_MAX, &spread);
    return btb_mismatch(&m, one, two_levels ? two : NULL, five_sigma, costs);
}

/* An organisation that explains all points is not given up, however much a miss costs more than a hit. */
static void what_explains_all_points_is_not_given_up(void **state)
{
    (void)state;
    for (double miss = 4; miss <= 256; miss *= 2) {
        assert_true(mismatch_of_truth(NAN, miss, false) < 0.01);
        assert_true(mismatch_of_truth(2, miss, true) < 0.01);
    }
}

/* ---- Survivors -------------------------------------------------------------------------------------- */

/* The number of the organisation with 2^set_bits sets of so many ways, chosen by address bits from `low` on. */
static size_t organisation(const struct btb_space *space, unsigned low, unsigned set_bits, unsigned ways)
{
    for (size_t i = 0; i < space->count; i++) {
        const struct btb_organisation o = btb_space_organisation(space, i);
        if (o.entry == BTB_SINGLE && o.index.low == low && o.index.set_bits == set_bits && !o.index.folded &&
            o.ways == ways)
            return i;
    }
    fail();
    return 0;
}

/*
 * Whether two levels of 16 sets and so many ways are in doubt where they alone survive, and a hit of the second one
 * costs so many cycles, one of the first a single one.
 */
static bool doubtful(unsigned ways_of_first, unsigned ways_of_second, double second)
{
    static const unsigned counts[] = {64, 128, 160, 256, 512};
    const double cycles[] = {1, 1, second, second, 4};
    struct btb_classes c;
    struct btb_search s;

    assert_true(btb_classes_start(&c, 4, false) && btb_search_start(&s, &c));
    for (unsigned stride = 4; stride <= 8; stride *= 2)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            assert_true(btb_classes_add(
                &c, &(struct btb_point){{BRANCH_CHAIN_UNCOND, stride, counts[i], 0}, cycles[i], 0.01 * cycles[i]}));
    btb_mismatch_prepare(&s.points, c.points, c.point_count, 0, UINT_MAX, &spread);
    s.pairs[s.pair_count++] = (struct btb_pair){{c.class_of[organisation(&c.space, 3, 4, ways_of_first)],
                                                 c.class_of[organisation(&c.space, 3, 4, ways_of_second)]},
                                                0};
    const bool is = btb_search_doubtful(&s, BTB_LEVELS);
    btb_search_free(&s);
    btb_classes_free(&c);
    return is;
}

/* BTB_LEVELS_APART: a second level holds twice as many branches as the first, at least; a quarter more is no level. */
static void a_second_level_that_holds_hardly_more_is_in_doubt(void **state)
{
    (void)state;
    assert_true(doubtful(8, 10, 2));
    assert_false(doubtful(8, 16, 2));
}

/* Without a step between both at any stride, the second level is the first one under another name. */
static void a_second_level_as_fast_as_the_first_is_in_doubt(void **state)
{
    (void)state;
    assert_true(doubtful(8, 16, 1));
    assert_true(doubtful(8, 16, 1.02));
}

/*
 * Whether a sequence of 1,792 branches, four bytes apart, is worth measuring to tell two organisations of the last
 * level: of 512 sets of one way, which hold nothing of it, and of 1,024, which hold a seventh. No cost is known. The
 * level before holds three sevenths of it, or there is none.
 */
static bool separates(bool level_before)
{
    const struct btb_limits limits = {.patterns = 1 << BRANCH_CHAIN_UNCOND,
                                      .stride_from = 4,
                                      .stride_to = 4,
                                      .count_from = 1792,
                                      .count_to = 1792,
                                      .alignment = 4,
                                      .footprints = {INFINITY}};
    const size_t last = level_before ? 1 : 0;
    struct btb_sequence next;
    struct btb_classes c;
    struct btb_search s;
    uint64_t random = 1;

    assert_true(btb_classes_start(&c, 4, false) && btb_search_start(&s, &c));
    for (uint16_t i = 0; i < 2; i++) {
        c.class_of[organisation(&c.space, 2, 9U + i, 1)] = 1 + i;
        s.pairs[i] = (struct btb_pair){{3, BTB_NO_CLASS}, 0};
        s.pairs[i].level[last] = 1 + i;
    }
    c.class_of[organisation(&c.space, 2, 9, 3)] = 3;
    c.count = 4;
    s.pair_count = 2;
    s.best = 0;
    s.level_count = last + 1;
    for (size_t p = 0; p < BRANCH_CHAIN_PATTERNS; p++)
        for (size_t i = 0; i < BTB_COSTS; i++)
            s.costs[p][i] = NAN;
    btb_mismatch_prepare(&s.points, c.points, 0, 0, UINT_MAX, &spread);
    const enum btb_design found = btb_design_next(&s, &limits, false, &random, &next);
    btb_search_free(&s);
    btb_classes_free(&c);
    return found == BTB_DESIGN_SEPARATE;
}

/* BTB_CONTRAST_UNKNOWN: a miss costs twice a hit or more; what moves a point by less than its noise is not measured. */
static void survivors_are_told_by_what_points_can_show(void **state)
{
    (void)state;
    assert_true(separates(false));
    assert_false(separates(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cost_is_known_where_branches_show_it),
        cmocka_unit_test(what_explains_all_points_is_not_given_up),
        cmocka_unit_test(a_second_level_that_holds_hardly_more_is_in_doubt),
        cmocka_unit_test(a_second_level_as_fast_as_the_first_is_in_doubt),
        cmocka_unit_test(survivors_are_told_by_what_points_can_show),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
