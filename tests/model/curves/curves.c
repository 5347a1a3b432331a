/*
 * The measuring engine against curves whose truth is known: does it find what is there, to the step; does it say so
 * when it cannot; does it find nothing where there is nothing; and how few points of the axis does it need?
 *
 * Every trial is a random structure with random noise, drawn from a seed and a number. It is searched, sample by
 * sample, and half of the trials are also given as a table. What can be found is decided by the truth alone, never by
 * the result: see trial.h. The figures are printed, by class and by noise.
 *
 * Where each x is measured once and in order, what changes with time looks as if it changed with x: no such table is
 * given where the noise changes with time. Half of all tables are measured in random order, in one pass or in three;
 * the others along the axis, in three passes, forth, back and forth, where noise changes with time, else in one pass
 * or in three. Rows are given in the order of time, as `fathom knee` reads them. (Three passes in the same direction
 * could not be distinguished from a disturbance that returns with each pass.)
 *
 * Besides, curves as people bring them are given as tables and searched: see foreign.h.
 *
 * LONG=1 draws 100,000 trials with a seed from the clock, which is printed. CURVES_SEED=n CURVES_CASE=k shows one
 * trial with its samples, CURVES_STUDY=k one study with its experiments, CURVES_FOREIGN=k one curve of foreign.h;
 * CURVES_COUNT=k draws that many trials.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "tests/model/curves/figures.h"
#include "tests/model/curves/foreign.h"
#include "tests/model/curves/hostile.h"

enum { FEW = 1000, MANY = 100000, TRIALS_PER_STUDY = 4, TRIALS_PER_FOREIGN = 2 };

static const uint64_t SEED = 20260;

/*
 * Trials and studies of earlier long runs in which the engine made a mistake that it must never make. A change to what
 * is drawn turns them into other ones: whoever makes one has to look for new ones.
 */
static const struct {
    uint64_t seed, number;
    bool study;
} remembered[] = {
    /* a return stack whose slope changes a step early, beside an experiment that occupies one entry more */
    {SEED, 132, true},
    {31337, 3869, true},
    {1795186431993, 1469, true},
    /* curves without a structure: jumps, slopes, steps, staircases */
    {8080, 278, false},
    {8080, 769, false},
    {8080, 435, false},
    {8080, 0, false},
    {8080, 13, false},
    {8080, 308, false},
    {8080, 449, false},
    {8080, 113, false},
    {8080, 501, false},
    {8080, 140, false},
    {8080, 133, false},
    {8080, 737, false},
    {8080, 379, false},
    {8080, 51, false},
    /* searches: smooth curves under drift taken for ramps */
    {4244, 20149, false},
    {4244, 64890, false},
    {4244, 2067, false},
    {4244, 16805, false},
    {4244, 73435, false},
    /* tables: states, drifts and bursts, in passes and in random order; waves; ticks */
    {4242, 44617, false},
    {4242, 67445, false},
    {4242, 72768, false},
    {4242, 64945, false},
    {4242, 46540, false},
    {4242, 85047, false},
    {4242, 16224, false},
    {4242, 21965, false},
    {4242, 93873, false},
    {4243, 63243, false},
    {4242, 4970, false},
    {4242, 61731, false},
    {4242, 81735, false},
    {4243, 18211, false},
    {4243, 29674, false},
    {4242, 33377, false},
    {4242, 76151, false},
    {4243, 3475, false},
    {4244, 4158, false},
    {4244, 44061, false},
    /* lines and squares on which bursts and drifts look like levels; a wave whose crests were rejected as outliers */
    {1795215794949, 1265, false},
    {1795215794949, 2067, false},
    {6001, 25515, false},
    {6001, 26554, false},
    {6001, 47427, false},
    {6001, 98103, false},
    {6002, 888, false},
    {6002, 7212, false},
    /* a table of many small steps: the last x that fits was reported below x that surely fit */
    {1795220970043, 93430, false},
    /* a wave with more turns than pieces are tried, taken for a slope; one as short as a median's range, for a step */
    {1795229165463, 236, false},
    {1795229165463, 63024, false},
    /* a square that was measured once, with bursts of four points; a burst beside the edge of one of two experiments */
    {1795397653420, 47045, false},
    {1795397653420, 9056, true},
};
/* The same of curves as people bring them, of which both searches of the curve were wrong at A. */
static const uint64_t remembered_foreign[][2] = {{91002, 4371}, {92002, 5819}, {93001, 12038}, {94001, 3263}};

static struct results results;
static struct grading grading;
static struct foreign_scores foreign;

static void no_verdict_breaks_the_contract(void **state)
{
    (void)state;
    assert_int_equal(results.broken, 0);
}

static void nothing_is_found_where_nothing_is(void **state)
{
    size_t searched = 0, search_numbers = 0, given = 0, given_numbers = 0;

    (void)state;
    for (size_t kind = 0; kind <= KNEE_STAIRCASE; kind++) {
        searched += results.nothing[kind][GROUNDS].searched;
        search_numbers += results.nothing[kind][GROUNDS].search_numbers;
        given += results.nothing[kind][GROUNDS].given;
        given_numbers += results.nothing[kind][GROUNDS].given_numbers;
    }
    assert_true(searched > 0 && given > 0);
    assert_int_equal(search_numbers, 0);
    assert_int_equal(given_numbers, 0);
}

static void hold_truth(const struct tally *t)
{
    assert_true(decided(t) > 0);
    assert_true(percent(t->inside[IDENTIFIABLE], decided(t)) >= 95);
    assert_true(percent(reported_truly(t), reported_truly(t) + reported_falsely(t)) >= 95);
}

static void the_truth_lies_in_the_intervals(void **state)
{
    (void)state;
    hold_truth(&results.searched[CLASSES]);
    hold_truth(&results.given[CLASSES]);
}

static void hold_decisions(struct tally *t)
{
    assert_true(percent(t->truths[IDENTIFIABLE] - decided(t), t->truths[IDENTIFIABLE]) <= 10);
    assert_true(numbers_quantile(&t->width, 0.5) <= 1);
}

static void what_is_there_is_found_to_the_step(void **state)
{
    (void)state;
    hold_decisions(&results.searched[CLASSES]);
    hold_decisions(&results.given[CLASSES]);
}

static void levels_are_as_high_as_they_are(void **state)
{
    (void)state;
    assert_true(results.searched[CLASSES].levels > 0 && results.given[CLASSES].levels > 0);
    assert_true(percent(results.searched[CLASSES].off, results.searched[CLASSES].levels) <= 5);
    assert_true(percent(results.given[CLASSES].off, results.given[CLASSES].levels) <= 5);
}

static void a_search_looks_at_a_tenth_of_the_points(void **state)
{
    (void)state;
    assert_true(numbers_quantile(&results.searched[CLASSES].share, 0.5) <= 0.1);
}

static void no_grade_a_is_wrong(void **state)
{
    (void)state;
    assert_true(grading.right[0] > 0);
    assert_int_equal(grading.wrong[0], 0);
    assert_int_equal(grading.phantoms, 0);
}

/*
 * Twice for most x; points beside a knee are confirmed, and some are measured again to see whether the machine has
 * changed.
 */
static void what_repeats_exactly_is_measured_twice(void **state)
{
    (void)state;
    assert_true(results.exact.count > 0);
    assert_true(numbers_quantile(&results.exact, 0.5) <= 2.5);
}

static void what_went_wrong_once_does_so_no_more(void **state)
{
    struct results r = {0};
    struct grading a = {0};
    struct foreign_scores f = {0};

    (void)state;
    for (size_t i = 0; i < sizeof remembered_foreign / sizeof remembered_foreign[0]; i++)
        run_foreign(&f, remembered_foreign[i][0], remembered_foreign[i][1], false);
    assert_int_equal(f.searched[FOREIGN_KINDS].wrong_a, 0);
    for (size_t i = 0; i < sizeof remembered / sizeof remembered[0]; i++)
        if (remembered[i].study)
            run_study(&a, &r.shown[0], remembered[i].seed, remembered[i].number, false);
        else
            run_trial(&r, remembered[i].seed, remembered[i].number, false);
    assert_int_equal(r.broken, 0);
    assert_int_equal(a.wrong[0] + a.phantoms, 0);
    size_t numbers = 0;
    for (size_t kind = 0; kind <= KNEE_STAIRCASE; kind++)
        numbers += r.nothing[kind][GROUNDS].search_numbers + r.nothing[kind][GROUNDS].given_numbers;
    assert_int_equal(numbers, 0);
}

/*
 * Curves as people bring them. With the engine of before these kinds were there, 93.4 % of the knees of tables were
 * inside their intervals and 9.4 % undecided, and of searches 86.7 % and 9.2 %, with 208 wrong grades A in 2,100
 * curves. Where levels scatter, the first knee of searches was inside in 84 %, with 166 wrong grades A in 1,500 curves,
 * as long as the noise of all levels was pooled.
 */
static void hold_foreign(const struct foreign_score *s)
{
    assert_true(s->inside > 0);
    assert_true(percent(s->inside, s->inside + s->outside) >= 99.5);
    assert_true(percent(s->truths - s->inside - s->outside, s->truths) <= 2);
    assert_int_equal(s->extra, 0);
    assert_int_equal(s->wrong_a, 0);
}

static void curves_as_people_bring_them_are_decided_truly(void **state)
{
    (void)state;
    hold_foreign(&foreign.given[FOREIGN_KINDS]);
    hold_foreign(&foreign.searched[FOREIGN_KINDS]);
    assert_true(foreign.searched[FOREIGN_KINDS].right_a > 0);
}

/* Of staircases from three levels on, with steps from 5 % to 1,000 %. Before, 1.2 % of tables and 4.8 % of searches. */
static void few_steps_of_staircases_are_undecided(void **state)
{
    const struct foreign_score *given = &foreign.given[FOREIGN_STAIRS], *searched = &foreign.searched[FOREIGN_STAIRS];

    (void)state;
    assert_true(percent(given->truths - given->inside, given->truths) <= 1);
    assert_true(percent(searched->truths - searched->inside, searched->truths) <= 2);
}

static uint64_t asked_for(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_verdict_breaks_the_contract),
        cmocka_unit_test(nothing_is_found_where_nothing_is),
        cmocka_unit_test(the_truth_lies_in_the_intervals),
        cmocka_unit_test(what_is_there_is_found_to_the_step),
        cmocka_unit_test(levels_are_as_high_as_they_are),
        cmocka_unit_test(a_search_looks_at_a_tenth_of_the_points),
        cmocka_unit_test(no_grade_a_is_wrong),
        cmocka_unit_test(what_repeats_exactly_is_measured_twice),
        cmocka_unit_test(what_went_wrong_once_does_so_no_more),
        cmocka_unit_test(curves_as_people_bring_them_are_decided_truly),
        cmocka_unit_test(few_steps_of_staircases_are_undecided),
        cmocka_unit_test(tables_of_a_few_points_decide_nothing),
        cmocka_unit_test(tables_without_numbers_decide_nothing),
        cmocka_unit_test(tables_of_anything_get_an_answer),
        cmocka_unit_test(very_many_points_are_decided),
        cmocka_unit_test(searches_end_when_nothing_can_be_measured),
        cmocka_unit_test(searches_keep_to_their_budget),
    };
    bool long_run = getenv("LONG") != NULL;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t fresh = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    uint64_t seed = asked_for("CURVES_SEED", long_run ? fresh : SEED);
    if (getenv("CURVES_CASE")) {
        run_trial(&results, seed, asked_for("CURVES_CASE", 0), true);
        return 0;
    }
    if (getenv("CURVES_STUDY")) {
        run_study(&grading, &results.shown[0], seed, asked_for("CURVES_STUDY", 0), true);
        return 0;
    }
    if (getenv("CURVES_FOREIGN")) {
        run_foreign(&foreign, seed, asked_for("CURVES_FOREIGN", 0), true);
        return 0;
    }
    uint64_t count = asked_for("CURVES_COUNT", long_run ? MANY : FEW);
    for (uint64_t i = 0; i < count; i++)
        run_trial(&results, seed, i, false);
    size_t shown = 0;
    for (uint64_t i = 0; i < count / TRIALS_PER_STUDY; i++)
        run_study(&grading, &shown, seed, i, false);
    /* a per cent of their staircases is one of a few hundred */
    const uint64_t foreign_count = long_run ? count / TRIALS_PER_FOREIGN : count;
    for (uint64_t i = 0; i < foreign_count; i++)
        run_foreign(&foreign, seed, i, false);
    fprintf(stderr, "# seed %llu, %llu trials\n", (unsigned long long)seed, (unsigned long long)count);
    print_results(&results);
    print_grading(&grading);
    print_foreign(&foreign);
    fflush(stdout);

    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    results_free(&results);
    return failed;
}
