/*
 * From the curves of several strides to one capacity (lib/structure/stride_family.c): for each rule of
 * lib/structure/stride_family.h a case that fails when the rule is broken.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/stride_family.h"

/* Receives what family.c and find.c report. */
static struct finding reported;

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    reported = *f;
}

enum { MOST = 12, SEEN_FROM = 2, SEEN_TO = 100000 };

static const double HIT = 1, NEXT = 4, OTHER = 7;

static struct verdict verdicts[MOST];
static struct stride_member members[MOST];
static struct stride_family family;
static struct stride_verdict outcome;

/* A stride family of branches, at least 4 bytes apart, without other limits. */
static void begin(void)
{
    family = (struct stride_family){.members = members, .step = 1, .smallest = 4, .footprints = {INFINITY}};
}

/*
 * Adds a stride, whose curve is flat at each height up to a count; the last level has no end. count 0: there is no such
 * level.
 */
static void add(double spacing, size_t levels, const double *heights, const double *counts)
{
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    struct verdict *v = &verdicts[family.count];

    *v = (struct verdict){
        .reason = levels > 1 ? REASON_NONE : REASON_NO_KNEE, .count = levels - 1, .level_count = levels};
    for (size_t i = 0; i < levels; i++)
        v->levels[i] = (struct knee_level){.from = i ? counts[i - 1] + 1 : SEEN_FROM,
                                           .to = i + 1 < levels ? counts[i] : SEEN_TO,
                                           .height = heights[i]};
    for (size_t i = 0; i + 1 < levels; i++)
        v->knees[i] = (struct knee){.value = counts[i],
                                    .low = counts[i],
                                    .high = counts[i] + 1,
                                    .before = heights[i],
                                    .after = heights[i + 1],
                                    .end = counts[i] + 1,
                                    .agreed = true,
                                    .half_rise_agreed = true};
    members[family.count] = (struct stride_member){.name = names[family.count], .stride = spacing, .verdict = v};
    family.count++;
}

static void holds(double spacing, double count)
{
    add(spacing, 2, (double[]){HIT, NEXT}, (double[]){count});
}

static void holds_nothing(double spacing)
{
    add(spacing, 1, &NEXT, NULL);
}

static const struct stride_level *decide(void)
{
    stride_family_decide(&family, &outcome);
    assert_true(outcome.level_count > 0 && outcome.reason == REASON_NONE);
    return &outcome.levels[0];
}

static void undecided(const struct stride_level *l, enum reason reason)
{
    assert_int_equal(l->grade, 'U');
    assert_true(isnan(l->value) && isnan(l->low) && isnan(l->high));
    assert_int_equal(l->reason, reason);
}

static void two_strides_and_a_half_rise_behind_are_grade_a(void **state)
{
    (void)state;
    begin();
    holds_nothing(4);
    holds(8, 512);
    holds(16, 1024);
    holds(32, 1024);
    holds(64, 512);
    holds(128, 256);
    const struct stride_level *l = decide();
    assert_int_equal(l->grade, 'A');
    assert_true(l->value == 1024 && l->low == 1024 && l->high == 1025);
    assert_true(l->index_stride == 32);
    assert_int_equal(l->lead, 2);
    assert_int_equal(l->at[0].role, STRIDE_CONFLICTS);
    assert_int_equal(l->at[1].role, STRIDE_CONFLICTS);
    assert_int_equal(l->at[4].halvings, 1);
    assert_int_equal(l->at[5].halvings, 2);
    assert_string_equal(l->roles, "reaches: 16 32, unreached-sets: 64 128, conflicts: 4 8");
}

static void one_step_apart_is_b(void **state)
{
    (void)state;
    begin();
    holds(4, 1024);
    holds(8, 1025);
    holds(16, 512);
    holds(32, 256);
    assert_int_equal(decide()->grade, 'B');
    verdicts[1].knees[0] = verdicts[0].knees[0];
    assert_int_equal(decide()->grade, 'A');
    verdicts[1].knees[0].agreed = false;
    assert_int_equal(decide()->grade, 'B');
}

/* Both strides give 132 for certain, but the half-rise gives another value. */
static void half_rises_are_measurements_too(void **state)
{
    (void)state;
    begin();
    holds(4, 132);
    holds(8, 132);
    holds(16, 66);
    holds(32, 33);
    assert_int_equal(decide()->grade, 'A');
    verdicts[2].knees[0] = (struct knee){.value = 65, .low = 65, .high = 66, .end = 66, .agreed = true};
    assert_int_equal(decide()->grade, 'B');
    verdicts[2].knees[0].high = 67;
    assert_int_equal(decide()->grade, 'A');
}

/* With five ways, four entries of a set are used where four neighbours share it, and also where two do. */
static void conflicts_that_round_alike_are_no_grade_a(void **state)
{
    (void)state;
    begin();
    holds_nothing(4);
    holds(8, 800);
    holds(16, 800);
    assert_int_equal(decide()->grade, 'C');
    holds(32, 1000);
    undecided(decide(), REASON_STRIDES_END);
    holds(64, 500);
    const struct stride_level *l = decide();
    assert_int_equal(l->grade, 'C');
    assert_true(l->value == 1000 && l->index_stride == 32);
}

static void a_capacity_constant_over_a_factor_of_16_has_no_conflicts(void **state)
{
    (void)state;
    begin();
    for (double spacing = 4; spacing <= 32; spacing *= 2)
        holds(spacing, 96);
    assert_int_equal(decide()->grade, 'C');
    holds(64, 96);
    assert_int_equal(decide()->grade, 'A');
    for (size_t m = 0; m < 3; m++) /* sets that overflow one by one */
        verdicts[m].knees[0].ramp = true;
    assert_int_equal(decide()->grade, 'B');
    verdicts[0].knees[0].ramp = false;
    assert_int_equal(decide()->grade, 'A');
    /* it may be the ways of one set, unless no stride can be smaller */
    family.smallest = 2;
    assert_int_equal(decide()->grade, 'C');
    family.smallest = 0;
    assert_int_equal(decide()->grade, 'C');
}

static void the_ways_of_a_set_are_no_capacity(void **state)
{
    (void)state;
    double count = 1024;

    begin();
    for (double spacing = 4; spacing <= 4096; spacing *= 2, count = fmax(count / 2, 8))
        holds(spacing, count);
    const struct stride_level *l = decide();
    assert_int_equal(l->grade, 'B'); /* only one stride reaches it */
    assert_true(l->value == 1024 && l->index_stride == 4);
    assert_true(l->ways.grade == 'A' && l->ways.value == 8);

    family.count -= 1; /* two strides reach a single set */
    l = decide();
    assert_true(l->grade == 'B' && l->ways.grade == 'B' && l->ways.value == 8);
    family.count -= 1; /* one does, and one before it may or may not */
    l = decide();
    assert_true(l->grade == 'C' && l->ways.grade == 'C' && l->ways.value == 8);
    family.smallest = 1;
    undecided(decide(), REASON_STRIDES_END);
    family.smallest = 0;
    family.count -= 1; /* none does for certain */
    l = decide();
    assert_true(isnan(l->ways.value) && l->grade == 'U');
    assert_int_equal(l->ways.reason, l->reason);

    begin(); /* strides that all reach the level show no single set */
    for (double spacing = 4; spacing <= 16; spacing *= 2)
        holds(spacing, 1024);
    l = decide();
    assert_true(l->grade != 'U' && isnan(l->ways.value));
    assert_int_equal(l->ways.reason, REASON_NO_SINGLE_SET);
}

/*
 * Heights that are close to zero may differ by more than a fraction of themselves, when that is little beside a miss.
 */
static void heights_within_the_tolerance_are_the_same(void **state)
{
    (void)state;
    begin();
    add(4, 2, (double[]){0.6, 14}, (double[]){1024});
    add(8, 2, (double[]){0.9, 15}, (double[]){1024});
    add(16, 2, (double[]){0.7, 16}, (double[]){512});
    verdicts[1].levels[0].spread = 0.2;
    stride_family_decide(&family, &outcome);
    assert_true(outcome.level_count == 0);
    family.same_height = 3;
    const struct stride_level *l = decide();
    assert_true(l->grade != 'U' && l->value == 1024 && l->at[2].role == STRIDE_UNREACHED_SETS);
}

static void one_halving_is_a_single_set_or_two_in_an_entry(void **state)
{
    (void)state;
    begin();
    for (double spacing = 4; spacing <= 256; spacing *= 2)
        holds(spacing, spacing < 32 ? 96 : 48);
    const struct stride_level *l = decide();
    assert_true(l->grade == 'B' &&
                l->value == 96); /* a hashed structure with two branches in an entry looks the same */
    assert_int_equal(l->ways.grade, 'U');
    assert_int_equal(l->ways.reason, REASON_SINGLE_SET_OR_PAIRS);
    family.odd = 48; /* without neighbours half: two share */
    assert_int_equal(decide()->ways.reason, REASON_SINGLE_SET_OR_PAIRS);
    family.odd = 96; /* without neighbours as many: none share */
    l = decide();
    assert_true(l->ways.grade != 'U' && l->ways.value == 48);
}

static void a_limit_of_bytes_supports_nothing(void **state)
{
    (void)state;
    begin();
    holds(4, 4096);
    holds(8, 4096);
    holds(16, 2048);
    holds(32, 1024);
    assert_int_equal(decide()->grade, 'A');
    family.footprints[0] = 32768;
    undecided(decide(), REASON_LARGEST_ALONE);
    assert_int_equal(outcome.levels[0].at[1].role, STRIDE_MASKED);
    family.footprints[0] = 262144;
    assert_int_equal(decide()->grade, 'A');
    family.footprints[1] = 32768;
    undecided(decide(), REASON_LARGEST_ALONE);
    family.footprints[1] = 0;
    /* STRIDE_FOOTPRINT_TO: more than a limit of bytes holds cannot be that limit */
    family.footprints[0] = 20000;
    assert_int_equal(decide()->grade, 'A');
    /* where the limit is not known, its misses mostly have another cost */
    family.footprints[0] = 0;
    assert_int_equal(decide()->grade, 'B');
    for (size_t m = 2; m < 4; m++)
        verdicts[m].levels[1].height = OTHER;
    add(64, 2, (double[]){HIT, OTHER}, (double[]){512});
    assert_int_equal(decide()->grade, 'C');
}

static void without_support_of_a_second_stride_it_is_undecided(void **state)
{
    (void)state;
    begin();
    holds(4, 700);
    holds(8, 410);
    holds(16, 90);
    undecided(decide(), REASON_LARGEST_ALONE);
    begin();
    add(4, 1, &HIT, NULL);
    add(8, 1, &HIT, NULL);
    undecided(decide(), REASON_NOT_LEFT);
    begin();
    holds(4, 700);
    stride_family_decide(&family, &outcome);
    assert_int_equal(outcome.level_count, 0);
    assert_int_equal(outcome.reason, REASON_NO_LEVEL);
}

static void a_stride_that_no_rule_explains_costs_a_grade(void **state)
{
    (void)state;
    begin();
    holds(4, 1024);
    holds(8, 1024);
    holds(16, 512);
    holds(32, 200);
    assert_int_equal(decide()->grade, 'B');
    assert_int_equal(outcome.levels[0].at[3].role, STRIDE_SHORT);
    begin();
    holds(8, 1024);
    holds(16, 1024);
    holds(32, 512);
    assert_int_equal(decide()->grade, 'B'); /* two neighbours might share an entry at 4 */
    begin();
    holds(4, 1024);
    holds(8, 1600);
    holds(16, 1024);
    holds(32, 512);
    const struct stride_level *l = decide();
    assert_true(l->grade == 'C' && l->value == 1024);
    assert_int_equal(l->at[1].role, STRIDE_ABOVE);
}

static void a_single_stride_below_another_is_a_contradiction(void **state)
{
    (void)state;
    begin();
    holds(4, 300);
    holds(8, 1600);
    holds(16, 1000);
    holds(32, 500);
    undecided(decide(), REASON_EXPERIMENTS_DISAGREE);
}

/* Two neighbours in one entry would show at half the stride, on a curve with steady levels. */
static void smaller_strides_must_have_been_tried(void **state)
{
    (void)state;
    begin();
    holds_nothing(4);
    holds(8, 1024);
    holds(16, 1024);
    holds(32, 512);
    holds(64, 256);
    assert_int_equal(decide()->grade, 'A');
    verdicts[0].levels[0].slope = 0.5; /* a part of the slope may be the level */
    assert_int_equal(decide()->grade, 'B');
    assert_int_equal(outcome.levels[0].at[0].role, STRIDE_UNDECIDED);
    begin();
    holds(4, 300);
    holds(16, 1024); /* at a stride of 8 it might be more */
    holds(32, 1024);
    holds(64, 512);
    holds(128, 256);
    assert_int_equal(decide()->grade, 'B');
}

/* One stride alone reaches 64. The next smaller one slopes on its first level, which it may leave anywhere up to 130. */
static void a_smaller_stride_that_is_undecided_may_hold_more(void **state)
{
    (void)state;
    begin();
    holds(16, 130);
    holds(32, 64);
    holds(64, 32);
    holds(128, 16);
    verdicts[0].levels[0].slope = -0.1;
    undecided(decide(), REASON_STRIDES_END);
    verdicts[0].knees[0] = (struct knee){.value = 32, .low = 32, .high = 33, .end = 33, .agreed = true};
    const struct stride_level *l = decide();
    assert_int_equal(l->at[0].role, STRIDE_CONFLICTS);
    assert_true(l->grade != 'U' && l->value == 64);
}

/* A curve that is not steady may begin on the level, unless all of it is higher. */
static void a_curve_that_is_nowhere_on_the_level_has_conflicts(void **state)
{
    (void)state;
    begin();
    holds_nothing(16);
    holds(32, 64);
    holds(64, 32);
    holds(128, 16);
    verdicts[0].levels[0].slope = 0.1;
    verdicts[0].levels[0].least = HIT;
    undecided(decide(), REASON_STRIDES_END);
    verdicts[0].levels[0].least = 2 * HIT;
    const struct stride_level *l = decide();
    assert_int_equal(l->at[0].role, STRIDE_CONFLICTS);
    assert_true(l->grade != 'U' && l->value == 64);
}

static void few_steps_are_no_half_rise(void **state)
{
    (void)state;
    begin();
    holds(4, 256);
    holds(8, 256);
    holds(16, 128);
    assert_int_equal(decide()->grade, 'B');
    holds(32, 64);
    assert_int_equal(decide()->grade, 'A');
    family.step = 64;
    assert_int_equal(decide()->grade, 'C');
}

static void a_slope_change_within_a_rise_is_no_level(void **state)
{
    (void)state;
    begin();
    for (double spacing = 4; spacing <= 32; spacing *= 2)
        add(spacing, 3, (double[]){HIT, 2, NEXT},
            (double[]){spacing <= 8 ? 1024 : 8192 / spacing, spacing <= 8 ? 1500 : 12000 / spacing});
    const struct stride_level *l = decide();
    assert_true(outcome.level_count == 2 && outcome.repeats == 0);
    assert_true(l->grade == 'A' && l->value == 1024);
}

static void behind_an_undecided_level_numbers_are_uncertain(void **state)
{
    (void)state;
    const double heights[] = {HIT, NEXT, OTHER}, first[] = {60, 27, 40, 15}, next[] = {1024, 1024, 512, 256};

    begin();
    for (size_t i = 0; i < 4; i++)
        add((double)(4u << i), 3, heights, (double[]){first[i], next[i]});
    const struct stride_level *l = decide();
    undecided(&l[0], REASON_LARGEST_ALONE);
    assert_true(l[1].grade == 'B' && l[1].value == 1024);
    for (size_t i = 0; i < 4; i++) {
        double count = i < 2 ? 60 : i == 2 ? 30 : 15;
        verdicts[i].knees[0] = (struct knee){
            .value = count, .low = count, .high = count + 1, .end = count + 1, .agreed = true};
    }
    l = decide();
    assert_true(l[0].grade == 'A' && l[1].grade == 'A');
    verdicts[2].levels[0].slope = -0.1; /* not flat where a level may be */
    assert_int_equal(decide()[1].grade, 'B');
    verdicts[2].levels[0].slope = 0;
    verdicts[0].knees[0].end = 241; /* a rise in which a level may hide */
    l = decide();
    assert_true(l[0].grade == 'A' && l[1].grade == 'B');
}

static void a_curve_that_is_still_on_the_level_holds_more(void **state)
{
    (void)state;
    begin();
    holds(4, 1024);
    holds(8, 1024);
    holds(16, 512);
    add(32, 1, &HIT, NULL);
    undecided(decide(), REASON_STRIDES_END);
}

static void levels_are_distinguished_by_height(void **state)
{
    (void)state;
    const double heights[] = {HIT, NEXT, OTHER};

    begin();
    for (double spacing = 4; spacing <= 128; spacing *= 2)
        add(spacing, 3, heights, (double[]){64, spacing <= 16 ? 1024 : 16384 / spacing});
    const struct stride_level *l = decide();
    assert_int_equal(outcome.level_count, 3);
    assert_true(l[0].grade == 'A' && l[0].value == 64);
    assert_true(l[1].grade == 'A' && l[1].value == 1024);
    undecided(&l[2], REASON_NOT_LEFT);

    verdicts[5].levels[0].height =
        0.5; /* only one stride shows this level: those of the others may have wrong numbers */
    l = decide();
    assert_int_equal(outcome.lone_heights, 1);
    assert_true(l[0].grade == 'B' && l[1].grade == 'B' && l[1].value == 1024);
    verdicts[5].levels[0].height = HIT;

    verdicts[1].levels[1].height = HIT * 1.04;
    l = decide();
    undecided(&l[0], REASON_LEVELS_TOO_CLOSE);
}

static void a_level_on_top_of_other_misses_is_none(void **state)
{
    (void)state;
    const double count = 64;

    begin();
    for (double spacing = 4; spacing <= 64; spacing *= 2)
        add(spacing, 2, (double[]){spacing < 16 ? HIT : 2, NEXT}, &count);
    decide();
    assert_int_equal(outcome.repeats, 1);
    assert_int_equal(outcome.level_count, 2);
    undecided(&outcome.levels[1], REASON_NOT_LEFT);
}

static void what_the_experiment_itself_occupies_is_added(void **state)
{
    (void)state;
    begin();
    holds(4, 1022);
    holds(8, 1022);
    holds(16, 510);
    holds(32, 254);
    family.holds = 2;
    const struct stride_level *l = decide();
    assert_int_equal(l->grade, 'A');
    assert_true(l->value == 1024 && l->low == 1024 && l->high == 1025 && l->at[2].halvings == 1);
}

static void too_many_strides_are_reported(void **state)
{
    (void)state;
    begin();
    family.count = STRIDE_MEMBERS + 1;
    stride_family_decide(&family, &outcome);
    assert_int_equal(outcome.level_count, 0);
    assert_int_equal(outcome.reason, REASON_TOO_MANY_STRIDES);
}

static void findings_are_reported(void **state)
{
    (void)state;
    const struct finding f = {.name = "frontend.btb.entries"};

    begin();
    holds(4, 700);
    for (double spacing = 8, count = 1024; spacing <= 8192; spacing *= 2, count = fmax(count / 2, 16))
        holds(spacing, spacing == 16 ? (count = 1024) : count);
    decide();
    report_stride_family(NULL, &f, &family, &outcome, 0);
    assert_string_equal(reported.name, f.name);
    assert_true(reported.grade == 'A' && reported.value == 1024 && reported.low == 1024 && reported.high == 1025);
    assert_string_equal(reported.curves[0], "b");
    assert_string_equal(reported.curves[1], "c");
    assert_string_equal(reported.curves[2], "a");
    assert_non_null(strstr(reported.agreement, "reaches: 8 16, unreached-sets: 32"));
    report_stride_family_height(NULL, &f, &family, &outcome, 0);
    assert_true(reported.grade == 'A' && reported.value == HIT && isnan(reported.low));
    report_stride_family_ways(NULL, &f, &family, &outcome, 0);
    assert_true(reported.grade == 'A' && reported.value == 16);
    report_stride_family(NULL, &f, &family, &outcome, 5);
    assert_true(reported.grade == 'U' && isnan(reported.value));
    assert_int_equal(reported.reason, REASON_NO_LEVEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_strides_and_a_half_rise_behind_are_grade_a),
        cmocka_unit_test(one_step_apart_is_b),
        cmocka_unit_test(half_rises_are_measurements_too),
        cmocka_unit_test(conflicts_that_round_alike_are_no_grade_a),
        cmocka_unit_test(a_capacity_constant_over_a_factor_of_16_has_no_conflicts),
        cmocka_unit_test(the_ways_of_a_set_are_no_capacity),
        cmocka_unit_test(heights_within_the_tolerance_are_the_same),
        cmocka_unit_test(one_halving_is_a_single_set_or_two_in_an_entry),
        cmocka_unit_test(a_limit_of_bytes_supports_nothing),
        cmocka_unit_test(without_support_of_a_second_stride_it_is_undecided),
        cmocka_unit_test(a_stride_that_no_rule_explains_costs_a_grade),
        cmocka_unit_test(a_single_stride_below_another_is_a_contradiction),
        cmocka_unit_test(smaller_strides_must_have_been_tried),
        cmocka_unit_test(a_smaller_stride_that_is_undecided_may_hold_more),
        cmocka_unit_test(a_curve_that_is_nowhere_on_the_level_has_conflicts),
        cmocka_unit_test(few_steps_are_no_half_rise),
        cmocka_unit_test(a_slope_change_within_a_rise_is_no_level),
        cmocka_unit_test(behind_an_undecided_level_numbers_are_uncertain),
        cmocka_unit_test(a_curve_that_is_still_on_the_level_holds_more),
        cmocka_unit_test(levels_are_distinguished_by_height),
        cmocka_unit_test(a_level_on_top_of_other_misses_is_none),
        cmocka_unit_test(what_the_experiment_itself_occupies_is_added),
        cmocka_unit_test(too_many_strides_are_reported),
        cmocka_unit_test(findings_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
