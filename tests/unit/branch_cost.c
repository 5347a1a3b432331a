/* Cost of branches (lib/structure/branch_cost.h): single counts of branches whose cost is a formula of the count. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/branch_cost.h"

static size_t branches;                   /* of the chain that is measured, the loop's included */
static double (*cycles_of)(double count); /* per branch */
static double last_eight;                 /* cycles of each branch from the 33rd one behind `FEW` on */
static double level_end, behind;          /* a level of one cycle for each branch, and what a branch costs behind it */

enum { FEW = 16 };

bool branch_chain_kernel(struct probe *p, const struct branch_chain *c, const struct branch_chain_room *r,
                         struct kernel *k)
{
    (void)p, (void)r, (void)k;
    branches = c->count + BRANCH_CHAIN_LOOP_BRANCHES;
    return true;
}

bool probe_measure(struct probe *p, const struct kernel *k, struct point *out)
{
    (void)p, (void)k;
    out->q20 = cycles_of((double)branches);
    return true;
}

double meter_seconds(const struct meter *m)
{
    (void)m;
    return 0;
}

/* ---- A fit that asks for one sequence ------------------------------------------------------------- */

static double fit_cycles, fit_error; /* the point that was added last */
static bool asked;

const struct btb_fit_result *btb_fit_decide(struct btb_fit *f)
{
    static const struct btb_fit_result none = {.points = 0};

    (void)f;
    return &none;
}

bool btb_fit_next(struct btb_fit *f, struct btb_sequence *sequence)
{
    const bool first = !asked;

    (void)f;
    *sequence = (struct btb_sequence){BRANCH_CHAIN_UNCOND, 16, 256, 0};
    asked = true;
    return first;
}

bool btb_fit_add(struct btb_fit *f, const struct btb_sequence *sequence, double cycles, double error)
{
    (void)f;
    assert_int_equal(sequence->count, branches);
    fit_cycles = cycles;
    fit_error = error;
    return true;
}

/* ---- Costs ---------------------------------------------------------------------------------------- */

/* A loop of 10 cycles, with which the first branches overlap, and branches of one cycle each up to 32 more. */
static double cost_of_more(double count)
{
    return (10 + fmin(count, FEW + 32) - (count <= FEW ? 3 : 0) + last_eight * fmax(0, count - FEW - 32)) / count;
}

static double cost_of_level(double count)
{
    return count <= level_end ? 1 : behind;
}

static double one_more(double later)
{
    struct probe p = {.run = NULL};
    const struct branch_curve curve = {.chain = {.stride = 16}};
    struct branch_more more;

    cycles_of = cost_of_more;
    last_eight = later;
    assert_true(branch_cost_of_one_more(&p, &curve, FEW, &more));
    /* BTB_CALIBRATION: time is known to one percent */
    assert_true(isnan(more.cycles) ||
                (more.low < 0.995 * more.cycles && more.low > 0.93 * more.cycles && more.high > 1.005 * more.cycles));
    return more.cycles;
}

static double end_of_level(double end, double cost_behind)
{
    struct probe p = {.run = NULL};
    const struct branch_curve curve = {.chain = {.stride = 16}};
    double count;

    cycles_of = cost_of_level;
    level_end = end;
    behind = cost_behind;
    assert_true(branch_cost_rises(&p, &curve, &count));
    return count;
}

/* BRANCH_COST_ALIKE: a twentieth is noise; where branches cost a quarter more a structure is full. */
static void one_more_branch_has_a_cost_where_all_of_them_cost_the_same(void **state)
{
    (void)state;
    assert_true(fabs(one_more(1) - 1) < 1e-9);
    assert_true(fabs(one_more(1.05) - 1.05) < 1e-9);
    assert_true(isnan(one_more(1.25)));
}

/* BRANCH_COST_RISES: the next level costs half more; a tenth is the layout's. */
static void a_level_ends_where_branches_cost_half_more(void **state)
{
    (void)state;
    assert_true(isnan(end_of_level(1000, 1.1)));
    assert_true(end_of_level(1000, 1.5) > 900);
}

/* BRANCH_COST_CLOSE: a thousand branches and a thousand and fifty are two different capacities. */
static void the_end_of_a_level_is_known_to_a_few_percent(void **state)
{
    (void)state;
    for (double end = 100; end < 8000; end *= 3) {
        const double found = end_of_level(end, 2);
        assert_true(found <= end && found > 0.95 * end);
    }
}

/*
 * BTB_SEQUENCE_ERROR: time is calibrated to one percent, and each of three samples is off by a few percent at most. A
 * sequence is neither known better than the first nor worse than the second.
 */
static void a_sequence_is_as_uncertain_as_its_time(void **state)
{
    struct run run = {.number = 0};
    struct probe p = {.run = &run};
    struct btb_fit_result result;

    (void)state;
    cycles_of = cost_of_level;
    level_end = 100;
    behind = 5;
    asked = false;
    assert_true(branch_cost_fit(&p, NULL, NULL, 1, 1, &result));
    assert_true(fit_cycles == 5);
    assert_true(fit_error > 0.01 * 5 && fit_error < 0.05 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more_branch_has_a_cost_where_all_of_them_cost_the_same),
        cmocka_unit_test(a_level_ends_where_branches_cost_half_more),
        cmocka_unit_test(the_end_of_a_level_is_known_to_a_few_percent),
        cmocka_unit_test(a_sequence_is_as_uncertain_as_its_time),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
