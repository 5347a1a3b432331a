/*
 * Levels of branch target buffers (lib/structure/btb_levels.h): which levels are reported of curves whose knees are
 * given, and with which capacities.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/proof.h"
#include "lib/structure/btb_levels.h"
#include "lib/structure/tlb.h"

enum { LEVELS = 3, SAMPLES = 3, REPORTS = 16 };

/* What branches cost, at each stride alike. */
static struct {
    double held[LEVELS];   /* branches that each level holds; 0: what remains misses all */
    double cycles[LEVELS]; /* of a branch on that level */
    double few;            /* cycles of up to 16 branches at the smallest stride; 0: those of the first level */
    double ramp;           /* part of its cost by which a branch costs more for each branch beyond the first level */
    double found;          /* where the search finds the end of the first level if that is left by a ramp */
    bool pairs;            /* of an odd number of branches the first level holds half as many */
    double scatter;        /* of the samples of one point, as a part: one is less by so much, and one is more */
} made;

static const char *proven[REPORTS]; /* ranges of the curves whose knees were proven: "short", "long" */
static struct finding reported[REPORTS];
static struct finding at_stride[2][REPORTS]; /* entries, cycles */
static struct finding costs[REPORTS];
static size_t cost_count;
static size_t proofs, reports, reports_at_stride[2];
static double last_step;               /* of counts in the short range, for the latest curve */
static double least_error, most_error; /* of points that were added to the fit, as a part */

const char *const branch_chain_pattern_names[BRANCH_CHAIN_PATTERNS] = {"uncond", "cond", "cond-uncond", "uncond-cond"};

/* All instructions have four bytes. */
const unsigned emit_alignment = 4;

unsigned emit_jump_bytes(int64_t distance, bool conditional)
{
    (void)distance, (void)conditional;
    return 4;
}

/* ---- What the levels need --------------------------------------------------------------------------- */

static double cost(double branches, bool smallest_stride)
{
    size_t level = 0;

    if (smallest_stride && made.few > 0 && branches <= 16)
        return made.few;
    if (made.ramp > 0 && branches > made.held[0])
        return fmin(made.cycles[0] * (1 + made.ramp * (branches - made.held[0])), made.cycles[1]);
    while (made.held[level] > 0 && branches > made.held[level] / (made.pairs && (unsigned)branches % 2 ? 2 : 1))
        level++;
    return made.cycles[level];
}

static void add_knee(struct search *s, double value, size_t level)
{
    struct verdict *v = &s->verdict;
    const bool ramp = made.ramp > 0 && level == 0;
    const double good = ramp ? made.found : value;

    v->knees[v->count++] = (struct knee){.value = good,
                                         .low = good,
                                         .high = good + 1,
                                         .before = made.cycles[level],
                                         .after = made.cycles[level + 1],
                                         .end = ramp ? 1.5 * good : good + 1,
                                         .half_rise = ramp ? 1.25 * good : good,
                                         .ramp = ramp,
                                         .agreed = true,
                                         .half_rise_agreed = true};
}

static void add_level(struct search *s, double from, double to, size_t level)
{
    s->verdict.levels[s->verdict.level_count++] = (struct knee_level){from, to, made.cycles[level], made.cycles[level],
                                                                      0,    0};
}

/* The verdict on the levels between both ends of the search. */
static void decide(struct search *s)
{
    double from = s->from;

    s->verdict = (struct verdict){.reason = REASON_NO_KNEE};
    for (size_t i = 0; i < LEVELS; i++) {
        const bool last = !(made.held[i] > 0) || made.held[i] > s->to / 1.5;
        if (!last && made.held[i] <= s->from)
            continue;
        add_level(s, from, last ? s->to : made.held[i], i);
        if (last)
            break;
        add_knee(s, made.held[i], i);
        from = made.held[i] + 1;
        s->verdict.reason = REASON_NONE;
    }
}

bool sweep_search(struct probe *p, struct sweep *sweep)
{
    const struct branch_curve *curve = sweep->context;
    struct search *s = &sweep->search;

    (void)p;
    assert_int_equal(s->kind, KNEE_STEP); /* no rise here is wide enough to be searched for a slope change */
    last_step = s->to < BTB_LONG_TO / 2 ? s->step : last_step;
    for (double x = s->from; x <= s->to; x += fmax(1, floor(x / 256)) * s->step)
        s->count++;
    s->points = calloc(s->count, sizeof *s->points);
    sweep->scratch = calloc(s->count * (SAMPLES + 1), sizeof *sweep->scratch);
    assert_true(s->points && sweep->scratch);
    size_t i = 0;
    for (double x = s->from; x <= s->to; x += fmax(1, floor(x / 256)) * s->step, i++) {
        const double y = cost(x, curve->chain.stride == btb_least_stride());
        double *sample = sweep->scratch + s->count + i * SAMPLES;
        for (size_t k = 0; k < SAMPLES; k++)
            sample[k] = y * (1 + made.scatter * ((double)k - 1));
        s->points[i] = (struct search_point){.x = x, .y = y, .sample = sample, .kept = SAMPLES, .samples = SAMPLES};
    }
    s->reached = s->to;
    decide(s);
    return true;
}

void sweeps_free(struct sweep *s, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(s[i].search.points);
        free(s[i].scratch);
        s[i].search.points = NULL;
        s[i].scratch = NULL;
    }
}

void sweep_free(struct sweep *s)
{
    sweeps_free(s, 1);
}

bool proof_of_knee(struct probe *p, const struct sweep *s, size_t knee, const char *const *needs, char text[PROOF_TEXT])
{
    (void)p, (void)knee, (void)needs;
    text[0] = 0;
    assert_true(proofs < REPORTS);
    proven[proofs++] = strstr(s->name, "short") ? "short" : "long";
    return true;
}

void report(struct probe *p, const struct finding *f)
{
    (void)p;
    for (size_t i = 0; i < 2; i++)
        if (strcmp(f->name, i ? "cycles at stride" : "entries at stride") == 0) {
            assert_true(reports_at_stride[i] < REPORTS);
            at_stride[i][reports_at_stride[i]++] = *f;
        }
    if (strcmp(f->name, "cycles") == 0) {
        assert_true(cost_count < REPORTS);
        costs[cost_count++] = *f;
    }
    if (strcmp(f->name, "entries") != 0)
        return;
    assert_true(reports < REPORTS);
    reported[reports++] = *f;
}

void report_number(struct probe *p, const struct finding *f, double value)
{
    struct finding filled = *f;

    filled.value = value;
    report(p, &filled);
}

bool btb_fit_add(struct btb_fit *f, const struct btb_sequence *sequence, double cycles, double error)
{
    (void)f, (void)sequence;
    least_error = fmin(least_error, error / cycles);
    most_error = fmax(most_error, error / cycles);
    return true;
}

bool branch_curve_build(struct probe *p, double branches, void *context, struct kernel *k)
{
    (void)p, (void)branches, (void)context, (void)k;
    return false;
}

const struct machine_info *machine_info(void)
{
    static const struct machine_info info = {.page_bytes = {4096}};

    return &info;
}

double tlb_code_reach(const struct probe *p, unsigned level)
{
    (void)p, (void)level;
    return INFINITY;
}

double probe_scale(const struct probe *p, double smoke, double quick, double standard, double full)
{
    (void)p, (void)smoke, (void)quick, (void)full;
    return standard;
}

double probe_smoke(const struct probe *p, double smoke, double otherwise)
{
    (void)p, (void)smoke;
    return otherwise;
}

double probe_simulated(const struct probe *p, double simulated, double otherwise)
{
    (void)p, (void)simulated;
    return otherwise;
}

bool probe_is_simulated(const struct probe *p)
{
    (void)p;
    return false;
}

bool probe_is_smoke(const struct probe *p)
{
    (void)p;
    return false;
}

bool probe_skip(struct probe *p, const char *reason)
{
    (void)p, (void)reason;
    return false;
}

/* ---- Levels ----------------------------------------------------------------------------------------- */

static struct btb_levels find(void)
{
    static char fit; /* only its address is used */
    struct probe p = {.run = NULL};
    const struct btb_levels_request q = {.pattern = BRANCH_CHAIN_UNCOND,
                                         .span = (size_t)64 << 20,
                                         .entries = "entries",
                                         .cycles = "cycles",
                                         .at_stride = {"entries at stride", "cycles at stride"},
                                         .limits = {"a", "b"},
                                         .fit = (struct btb_fit *)(void *)&fit};
    struct btb_levels out;

    proofs = reports = reports_at_stride[0] = reports_at_stride[1] = cost_count = 0;
    least_error = INFINITY;
    most_error = 0;
    assert_true(btb_levels_find(&p, &q, &out));
    return out;
}

static void make(double first, double second, double of_first, double of_second, double of_rest)
{
    made.held[0] = first;
    made.held[1] = second;
    made.cycles[0] = of_first;
    made.cycles[1] = of_second;
    made.cycles[2] = of_rest;
    made.few = made.ramp = made.found = made.scatter = 0;
    made.pairs = false;
}

/* Of each level, in the order of levels: at 4, 8, 16, 32 and 64 bytes, and not beyond a line. */
static void each_stride_up_to_a_line_is_reported_by_itself(void **state)
{
    enum { SHOWN = 5 };

    (void)state;
    make(64, 4096, 1, 2, 8);
    find();
    assert_true(reports_at_stride[0] == 2 * SHOWN && reports_at_stride[1] == 2 * SHOWN);
    for (size_t i = 0; i < reports_at_stride[0]; i++) {
        const struct finding *entries = &at_stride[0][i], *cycles = &at_stride[1][i];
        assert_true(entries->variants[0].number == (i < SHOWN ? 1 : 2));
        assert_true(entries->variants[2].number == 4 << i % SHOWN);
        assert_true(entries->value == made.held[i / SHOWN] && cycles->value == made.cycles[i / SHOWN]);
        assert_true(entries->low == entries->value && entries->high == entries->value + 1 && entries->grade == 'C');
        /* below, the loop's cycle takes part: at the point in the middle of the level */
        const double loop = 0.99 * cycles->value - cycles->low;
        assert_true(i < SHOWN ? fabs(loop - 1 / sqrt(8 * 64.0)) < 1e-9 : loop > 1.0 / 4096 && loop < 1.0 / 64);
        assert_true(fabs(cycles->high / cycles->value - 1.01) < 1e-9);
    }
}

/* What few branches cost is known to the loop's part in it, however well strides agree; that of many is a number. */
static void the_loop_may_be_a_part_of_what_few_branches_cost(void **state)
{
    (void)state;
    make(16, 4096, 1, 2, 8);
    find();
    assert_int_equal(cost_count, 2);
    assert_true(costs[0].grade == 'C' && costs[0].value == 1);
    assert_true(costs[0].low > 0.9 && costs[0].low < 0.93 && costs[0].high >= 1);
    assert_true(costs[1].grade == 'A' && costs[1].value == 2);
}

/* A ramp that seems to begin later is taken back, at each stride as in all together. */
static void ramps_are_taken_back_at_each_stride(void **state)
{
    (void)state;
    make(64, 4096, 1, 2, 8);
    made.ramp = 0.01;
    made.found = 80;
    find();
    assert_true(reports > 0 && reported[0].value < made.found);
    for (size_t i = 0; i < 5; i++)
        assert_true(at_stride[0][i].value == reported[0].value && at_stride[0][i].low == reported[0].low);
}

/*
 * BTB_STEP_CYCLES: a level may cost little more than half a cycle on average, with two branches in three cycles. A
 * fifth of a cycle is the operation cache's.
 */
static void a_level_costs_more_than_a_fraction_of_a_cycle(void **state)
{
    (void)state;
    make(64, 4096, 1, 1.6, 8);
    assert_int_equal(find().measured, 2);
    assert_true(reported[0].value == 64 && reported[1].value == 4096);
    make(64, 4096, 1, 1.2, 8);
    assert_int_equal(find().measured, 1);
    assert_true(reported[0].value == 4096);
}

/* Two branches to an entry: numbers that are odd say nothing, and cost more by BRANCH_COST_RISES. */
static void where_odd_numbers_of_branches_cost_more_even_ones_count(void **state)
{
    (void)state;
    make(96, 0, 1, 2, 0);
    assert_int_equal(find().levels, 1);
    assert_true(last_step == 1);
    make(96, 0, 1, 2, 0);
    made.pairs = true;
    assert_int_equal(find().levels, 1);
    assert_true(last_step == 2);
    make(96, 0, 1, 1.2, 0); /* less is not clear */
    made.pairs = true;
    find();
    assert_true(last_step == 1);
}

/* BTB_BORDER_PART: a level of 1,024 branches whose ramp begins a little before that is the long range's. */
static void levels_below_about_a_thousand_branches_are_the_short_ranges(void **state)
{
    (void)state;
    make(600, 0, 1, 3, 0);
    assert_int_equal(find().levels, 1);
    assert_int_equal(proofs, 1);
    assert_string_equal(proven[0], "short");
    make(1000, 0, 1, 3, 0);
    assert_int_equal(find().levels, 1);
    assert_int_equal(proofs, 1);
    assert_string_equal(proven[0], "long");
}

/* BTB_HIDDEN_PART: one cycle instead of two is a level of its own, 1.7 instead of two is not. */
static void few_branches_that_cost_much_less_show_a_level(void **state)
{
    (void)state;
    make(512, 0, 2, 4, 0);
    made.few = 1;
    struct btb_levels out = find();
    assert_true(out.open);
    assert_int_equal(out.levels, 2);
    assert_int_equal(reported[0].reason, REASON_NO_EDGE);
    assert_true(reported[1].value == 512);
    made.few = 1.7;
    out = find();
    assert_int_equal(out.levels, 1);
    assert_true(reported[0].value == 512);
}

/*
 * BTB_RAMP_COST, BTB_RAMP_FROM, BTB_RAMP_TO, BTB_RAMP_COST_CERTAIN: as on Zen 4, where 3,072 branches are held, one
 * costs half a percent more with about 3,100 of them, and two percent with 3,170. The search sees the rise from there.
 */
static void a_ramp_begins_where_branches_begin_to_cost_more(void **state)
{
    (void)state;
    make(3072, 0, 2, 6, 0);
    made.ramp = 0.02 / (3170 - 3072);
    made.found = 3170;
    assert_int_equal(find().measured, 1);
    assert_true(reported[0].value >= 3072 && reported[0].value <= 3101);
    assert_true(reported[0].low >= 3060 && reported[0].low <= 3085);
}

/* BTB_CALIBRATION: time is calibrated to about a percent, however well samples agree. */
static void points_of_equal_samples_are_as_uncertain_as_time(void **state)
{
    (void)state;
    make(2048, 0, 2, 6, 0);
    find();
    assert_true(least_error > 0.005 && most_error < 0.02);
    made.scatter = 0.1; /* the standard error of three such samples is 5.8 % */
    find();
    assert_true(least_error > 0.05 && most_error < 0.065);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stride_up_to_a_line_is_reported_by_itself),
        cmocka_unit_test(the_loop_may_be_a_part_of_what_few_branches_cost),
        cmocka_unit_test(ramps_are_taken_back_at_each_stride),
        cmocka_unit_test(a_level_costs_more_than_a_fraction_of_a_cycle),
        cmocka_unit_test(where_odd_numbers_of_branches_cost_more_even_ones_count),
        cmocka_unit_test(levels_below_about_a_thousand_branches_are_the_short_ranges),
        cmocka_unit_test(few_branches_that_cost_much_less_show_a_level),
        cmocka_unit_test(a_ramp_begins_where_branches_begin_to_cost_more),
        cmocka_unit_test(points_of_equal_samples_are_as_uncertain_as_time),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
