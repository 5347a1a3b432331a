/* Fitting organisations of branch target buffers (lib/structure/btb_fit.c): reasons, limits and grades. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/branch_cost.h"
#include "lib/structure/btb_fit.h"
#include "lib/structure/btb_near.h"
#include "lib/structure/btb_report.h"

static struct finding reported[8];
static size_t report_count;

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    assert_true(report_count < 8);
    reported[report_count++] = *f;
}

void record_core(struct record *r)
{
    (void)r;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p, (void)reason;
    return false;
}

double machine_seconds(void)
{
    return 0;
}

double meter_seconds(const struct meter *m)
{
    (void)m;
    return 0;
}

static struct branch_chain chain; /* the one that is measured */
static unsigned readings, lost_every = UINT_MAX;
static double reading_cycles;  /* of a usual reading; 0: no other branches of it take entries */
static double longest_reading; /* in usual ones */

bool branch_chain_kernel(struct probe *p, const struct branch_chain *c, const struct branch_chain_room *r,
                         struct kernel *k)
{
    (void)p, (void)r, (void)k;
    chain = *c;
    return true;
}

static const struct btb_report_names names = {"ways", "sets", "index_bits", "branches_per_entry"};
static const struct btb_index from_bit_2 = {.low = 2, .set_bits = 6};
enum { WAYS = 2, SETS = 64, HIT = 1, MISS = 4 };

static struct btb_fit *start_with(unsigned patterns, double footprint)
{
    struct btb_fit *f = btb_fit_start(&(struct btb_limits){.patterns = patterns,
                                                           .stride_from = 4,
                                                           .stride_to = 4096,
                                                           .count_from = 8,
                                                           .count_to = 1024,
                                                           .alignment = 4,
                                                           .footprints = {footprint}});
    assert_non_null(f);
    return f;
}

static struct btb_fit *start(double footprint)
{
    return start_with(1 << BRANCH_CHAIN_UNCOND | 1 << BRANCH_CHAIN_COND, footprint);
}

/*
 * The part by which a miss costs more at every second stride, and less at the others; and whether sets that have no
 * room for all keep more than least recently used replacement does: half of what any policy could keep beyond that.
 */
static double uneven;
static bool other_policy;

static double cost_of(const struct btb_sequence *row)
{
    const bool more = row->stride & 0x3333;
    unsigned held[BTB_WAYS + 1];
    double most[BTB_WAYS + 1];

    btb_sequence_resident(&from_bit_2, BTB_SINGLE, 1, row, held, most);
    const double kept = other_policy ? (held[WAYS] + most[WAYS]) / 2 : held[WAYS], part = kept / row->count;
    return part * HIT + (1 - part) * MISS * (more ? 1 + uneven : 1 - uneven);
}

static void measure(struct btb_fit *f, const struct btb_sequence *row)
{
    assert_true(btb_fit_add(f, row, cost_of(row), 0.001));
}

/* Every reading of number `lost_every` is not accepted. */
bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    const struct btb_sequence row = {chain.pattern, (unsigned)chain.stride,
                                     (unsigned)chain.count + BRANCH_CHAIN_LOOP_BRANCHES, 0};

    (void)p;
    out->q20 = ++readings % lost_every == 0 ? (double)NAN : cost_of(&row);
    if (reading_cycles > 0 && row.count * row.stride == WAYS * SETS << 2) /* it fills all sets exactly */
        out->q20 += (MISS - HIT) * row.count / (reading_cycles * k->length_factor);
    longest_reading = fmax(longest_reading, k->length_factor);
    return true;
}

/* The points of one pattern of branches. */
static void measure_all(struct btb_fit *f, enum branch_chain_pattern pattern)
{
    for (unsigned stride = 4; stride <= 4096; stride *= 4)
        for (unsigned count = 8; count <= 1024; count *= 2)
            measure(f, &(struct btb_sequence){pattern, stride, count, 0});
}

static void measure_rest(struct btb_fit *f)
{
    struct btb_sequence row;

    for (btb_fit_decide(f); btb_fit_next(f, &row);)
        measure(f, &row);
}

static void report_level(struct btb_fit *f)
{
    struct run run = {0};
    struct probe_definition definition = {.name = "test"};
    struct probe p = {.run = &run, .definition = &definition};

    report_count = 0;
    btb_report(&p, btb_fit_decide(f), 0, 1, &names);
    assert_int_equal(report_count, 4);
    btb_fit_free(f);
}

static void an_organisation_that_alone_fits_is_reported(void **state)
{
    struct btb_fit *f = start(INFINITY);

    (void)state;
    measure_all(f, BRANCH_CHAIN_UNCOND);
    measure_all(f, BRANCH_CHAIN_COND);
    measure_rest(f);
    const struct btb_fit_result *r = btb_fit_decide(f);
    assert_null(r->reason);
    assert_int_equal(r->level_count, 1);
    assert_true(r->levels[0].left);
    report_level(f);
    assert_string_equal(reported[0].name, "ways");
    assert_true(reported[0].value == WAYS);
    assert_int_equal(reported[0].grade, 'B');
}

/* With conditional branches, too, it takes many times as long where any replacement policy is tried. */
static void decide_with_uneven_misses(double part, bool other, bool conditional, struct btb_fit_result *result)
{
    struct btb_fit *f = start_with(1 << BRANCH_CHAIN_UNCOND | (conditional ? 1 << BRANCH_CHAIN_COND : 0), INFINITY);

    uneven = part;
    other_policy = other;
    measure_all(f, BRANCH_CHAIN_UNCOND);
    if (conditional)
        measure_all(f, BRANCH_CHAIN_COND);
    measure_rest(f);
    *result = *btb_fit_decide(f);
    uneven = 0;
    other_policy = false;
    btb_fit_free(f);
}

/*
 * BTB_MISS_SPREAD, BTB_MISS_SPREAD_ANY: at one stride a miss may well cost twice as much as at another, since what
 * follows it is fetched and decoded. Where replacement is not known, either, it may be several times as much.
 */
static void misses_may_cost_more_at_some_strides(void **state)
{
    struct btb_fit_result r;

    (void)state;
    decide_with_uneven_misses(1.0 / 3, false, true, &r);
    assert_true(!r.reason && r.level_count == 1 && !r.any_replacement);
    decide_with_uneven_misses(0.75, true, getenv("LONG") != NULL, &r);
    assert_true(!r.reason && r.level_count == 1 && r.any_replacement);
}

/*
 * Now and then a sequence has no accepted reading: it is measured again, and no challenge counts that was not measured.
 */
static void a_lost_reading_does_not_end_the_fit(void **state)
{
    struct btb_fit *f = start(INFINITY);
    struct btb_fit_result r;
    struct run run = {.number = 0};
    struct probe p = {.run = &run};

    (void)state;
    measure_all(f, BRANCH_CHAIN_UNCOND);
    measure_all(f, BRANCH_CHAIN_COND);
    const size_t before = btb_fit_decide(f)->points;
    readings = 0;
    lost_every = 24;
    assert_true(branch_cost_fit(&p, NULL, f, 1, 1, &r));
    assert_true(readings > lost_every);
    lost_every = UINT_MAX;
    assert_int_equal(r.challenges, BTB_FIT_CHALLENGES);
    assert_true(r.points >= before + BTB_FIT_CHALLENGES);
    report_level(f);
    assert_int_equal(reported[0].grade, 'B');
}

static void unknown_limits_cost_a_grade(void **state)
{
    struct btb_fit *f = start(0);

    (void)state;
    measure_all(f, BRANCH_CHAIN_UNCOND);
    measure_all(f, BRANCH_CHAIN_COND);
    measure_rest(f);
    report_level(f);
    assert_int_equal(reported[0].grade, 'C');
}

static void one_pattern_costs_a_grade(void **state)
{
    struct btb_fit *f = start_with(1 << BRANCH_CHAIN_UNCOND, INFINITY);

    (void)state;
    measure_all(f, BRANCH_CHAIN_UNCOND);
    measure_rest(f);
    report_level(f);
    assert_int_equal(reported[0].grade, 'C');
}

static void what_several_organisations_explain_is_undecided(void **state)
{
    struct btb_fit *f = start(INFINITY);

    (void)state;
    for (unsigned stride = 4; stride <= 4096; stride *= 4)
        for (unsigned count = 8; count <= 1024; count *= 4)
            measure(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, stride, count, 0});
    assert_true(btb_fit_decide(f)->levels[0].count > 1);
    report_level(f);
    assert_int_equal(reported[1].grade, 'U');
    assert_int_equal(reported[1].reason, REASON_SEVERAL_FIT);
}

static void few_points_decide_nothing(void **state)
{
    struct btb_fit *f = start(INFINITY);
    struct btb_sequence row;

    (void)state;
    for (unsigned count = 8; count <= 512; count *= 2)
        measure(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, 4, count, 0});
    assert_int_equal(btb_fit_decide(f)->reason, REASON_TOO_FEW_POINTS);
    assert_false(btb_fit_next(f, &row));
    report_level(f);
    assert_int_equal(reported[0].grade, 'U');
    assert_int_equal(reported[0].reason, REASON_TOO_FEW_POINTS);
}

static void flat_curves_have_no_level(void **state)
{
    struct btb_fit *f = start(INFINITY);

    (void)state;
    for (unsigned stride = 4; stride <= 4096; stride *= 4)
        for (unsigned count = 8; count <= 1024; count *= 2)
            assert_true(btb_fit_add(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, stride, count, 0}, 3, 0.001));
    assert_int_equal(btb_fit_decide(f)->reason, REASON_NO_LEVEL);
    btb_fit_free(f);
}

static void impossible_curves_fit_no_organisation(void **state)
{
    struct btb_fit *f = start(INFINITY);
    double cycles = 1;

    (void)state;
    for (unsigned stride = 4; stride <= 4096; stride *= 4)
        for (unsigned count = 8; count <= 1024; count *= 2, cycles = 5 - cycles) /* no buffer has more resident */
            assert_true(btb_fit_add(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, stride, count, 0}, cycles, 0.001));
    assert_int_equal(btb_fit_decide(f)->reason, REASON_NO_FIT);
    btb_fit_free(f);
}

/* ---- Few branches ----------------------------------------------------------------------------------- */

static int last_in_its_slot(enum branch_chain_pattern pattern, unsigned stride)
{
    (void)pattern;
    return -4 ^ (int)(stride - 4);
}

static struct btb_limits limits_of_few(void)
{
    return (struct btb_limits){.patterns = 1 << BRANCH_CHAIN_UNCOND,
                               .stride_from = 4,
                               .stride_to = 256,
                               .last_at = last_in_its_slot,
                               .count_from = 8,
                               .count_to = 1024,
                               .alignment = 4,
                               .footprints = {INFINITY}};
}

/*
 * BTB_LOOP_CYCLES: half a cycle more or less in each turn is half of a standard deviation, so that of 16 points is 4.
 */
static void a_turn_may_take_a_cycle_more_than_its_branches(void **state)
{
    const struct btb_limits limits = limits_of_few();
    struct btb_fit *f = btb_fit_start(&limits);
    double half = 0.5;

    (void)state;
    assert_non_null(f);
    for (unsigned count = 8; count < 24; count++, half = -half)
        assert_true(btb_fit_add(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, 64, count, 0}, 1 + half / count, 0.001));
    const struct btb_fit_result *r = btb_fit_decide(f);
    assert_int_equal(r->reason, REASON_NO_LEVEL);
    assert_true(r->mismatch > 2 && r->mismatch < 8);
    btb_fit_free(f);
}

/* What a level of so many entries leaves to be fitted: from `fewest` to 256 branches, by strides that grow by `factor`. */
static struct btb_near *near_of(unsigned entries, unsigned factor, unsigned fewest)
{
    struct btb_near *near = calloc(1, sizeof *near);

    assert_non_null(near);
    near->entries = entries;
    for (unsigned stride = 4; stride <= 64; stride *= factor)
        for (unsigned count = fewest; count <= 256; count *= 2)
            near->points[near->point_count++] = (struct btb_sequence){BRANCH_CHAIN_UNCOND, stride, count, 0};
    return near;
}

/* BTB_NEAR_REACH: of a level of 32 branches, sequences of 128 are fitted, and not such of 256. */
static void a_few_times_what_a_level_holds_is_fitted(void **state)
{
    const struct btb_limits limits = limits_of_few();
    struct btb_near *near = near_of(32, 16, 16);
    struct btb_fit_result r;
    struct run run = {.number = 0};
    struct probe p = {.run = &run};

    (void)state;
    assert_true(btb_near_fit(&p, near, &limits, NULL, 0, &r));
    assert_int_equal(r.points, 2 * 4);
    near->entries = 0;
    assert_true(btb_near_fit(&p, near, &limits, NULL, 0, &r));
    assert_int_equal(r.points, 2 * 5);
    free(near);
}

/*
 * BTB_NEAR_LONGER: where no branch is found in the first turn of a chain that fills the level, a branch of 128 costs
 * 0.26 cycles more in readings of 1,500 cycles, and 3 % more in longer ones, which three standard deviations explain.
 */
static void first_turns_of_readings_hardly_count(void **state)
{
    const struct btb_limits limits = limits_of_few();
    struct btb_near *near = near_of(WAYS * SETS, 2, 8);
    struct btb_fit_result r;
    struct run run = {.number = 0};
    struct probe p = {.run = &run};

    (void)state;
    reading_cycles = 1500;
    assert_true(btb_near_fit(&p, near, &limits, NULL, 1, &r));
    reading_cycles = 0;
    assert_false(r.reason);
    assert_false(r.any_replacement);
    assert_int_equal(r.levels[0].shown[0].ways, WAYS);
    assert_true(longest_reading <= 16); /* far shorter than the period of a timer */
    free(near);
}

/* Between 18 branches, which a level holds, and 21, which it does not, challenges look for its end, and find it. */
static void the_end_of_a_level_before_an_odd_number_is_found(void **state)
{
    enum { HELD = 18 };
    static const unsigned counts[] = {8, 10, 12, 14, 16, HELD, 21, 24, 32, 48, 64};
    const struct btb_limits limits = limits_of_few();
    struct btb_fit *f = btb_fit_start(&limits);
    struct btb_sequence next;

    (void)state;
    assert_non_null(f);
    for (unsigned stride = 4; stride <= 64; stride *= 4)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            assert_true(btb_fit_add(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, stride, counts[i], 0},
                                    counts[i] <= HELD ? HIT : MISS, 0.01));
    for (btb_fit_decide(f); btb_fit_next(f, &next);)
        assert_true(btb_fit_add(f, &next, next.count <= HELD ? HIT : MISS, 0.01));
    const struct btb_fit_result *r = btb_fit_decide(f);
    assert_false(r->reason);
    assert_int_equal(r->levels[0].shown[0].ways, HELD);
    assert_true(r->challenges > 0);
    btb_fit_free(f);
}

static void points_beyond_a_footprint_do_not_count(void **state)
{
    struct btb_fit *f = start(4096);

    (void)state;
    assert_true(btb_fit_add(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, 4, 512, 0}, 1, 0));
    assert_int_equal(btb_fit_decide(f)->points, 1);
    assert_true(btb_fit_add(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, 8, 512, 0}, 1, 0));
    assert_int_equal(btb_fit_decide(f)->points, 1);
    btb_fit_free(f);
}

static void invalid_points_are_refused(void **state)
{
    struct btb_fit *f = start(INFINITY);
    const struct btb_sequence row = {BRANCH_CHAIN_UNCOND, 4, 8, 0};

    (void)state;
    assert_false(btb_fit_add(f, &row, NAN, 0));
    assert_false(btb_fit_add(f, &row, 0, 0));
    assert_false(btb_fit_add(f, &row, 1, -1));
    assert_false(btb_fit_add(f, &row, 1, NAN));
    assert_false(btb_fit_add(f, &row, INFINITY, 0));
    assert_false(btb_fit_add(f, &(struct btb_sequence){BRANCH_CHAIN_UNCOND, 4, 7, 0}, 1, 0));
    for (size_t i = 0; i < BTB_FIT_POINTS; i++)
        assert_true(btb_fit_add(f, &row, 1, 0.01));
    assert_false(btb_fit_add(f, &row, 1, 0.01));
    assert_int_equal(btb_fit_decide(f)->left_out, 1); /* what is no point is not counted */
    btb_fit_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_organisation_that_alone_fits_is_reported),
        cmocka_unit_test(misses_may_cost_more_at_some_strides),
        cmocka_unit_test(a_lost_reading_does_not_end_the_fit),
        cmocka_unit_test(unknown_limits_cost_a_grade),
        cmocka_unit_test(one_pattern_costs_a_grade),
        cmocka_unit_test(what_several_organisations_explain_is_undecided),
        cmocka_unit_test(few_points_decide_nothing),
        cmocka_unit_test(flat_curves_have_no_level),
        cmocka_unit_test(impossible_curves_fit_no_organisation),
        cmocka_unit_test(a_turn_may_take_a_cycle_more_than_its_branches),
        cmocka_unit_test(a_few_times_what_a_level_holds_is_fitted),
        cmocka_unit_test(first_turns_of_readings_hardly_count),
        cmocka_unit_test(the_end_of_a_level_before_an_odd_number_is_found),
        cmocka_unit_test(points_beyond_a_footprint_do_not_count),
        cmocka_unit_test(invalid_points_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
