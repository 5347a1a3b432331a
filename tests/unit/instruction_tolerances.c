/* Latency and throughput of a form whose kernels take chosen cycles: what is whole, bound, confirmed, or unsteady. */
/* link: tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/structure/instruction_cost.h"
#include "lib/structure/instruction_latency.h"
#include "lib/structure/instruction_throughput.h"

/* ---- A form of two operands, and cycles of its kernels instead of a core -------------------------------- */

enum { INSTANCES = 48, SAMPLES = 15 };

static struct {
    double sample[SAMPLES]; /* cycles for each instance, in turn; the first alone where the second is 0 */
    size_t taken;
    double twice;              /* cycles for each instance of kernels of twice INSTANCES; 0: as the others */
    double execute, deliver;   /* instances executed, and instructions delivered, in a cycle; 0: not limited */
    struct form_kernel kernel; /* made last */
} core;
static struct run run;
static struct probe probe = {.run = &run};
static struct area data;

static double cycles(void)
{
    const struct form_kernel *k = &core.kernel;

    if (core.deliver > 0)
        return fmax(1 / core.execute, (1 + k->nops) / core.deliver);
    if (k->instances > INSTANCES && core.twice > 0)
        return core.twice;
    return core.sample[core.sample[1] > 0 ? core.taken++ % SAMPLES : 0];
}

enum reason form_kernel_make(struct probe *p, struct form_kernel *w, uint64_t at, struct kernel *k)
{
    (void)p;
    (void)at;
    core.kernel = *w;
    *k = (struct kernel){.units = w->instances};
    return REASON_NONE;
}

struct window_result meter_measure(struct meter *m, const struct kernel *k, struct point *out)
{
    (void)m;
    (void)k;
    *out = (struct point){.q20 = cycles(), .accepted = 1};
    return (struct window_result){.end = WINDOW_RAN};
}

/* The only chain goes from operand 0 to operand 1. */
bool form_can_chain(const struct form *f, unsigned from, unsigned to)
{
    (void)f;
    return from == 0 && to == 1;
}

bool form_chain_rotates(const struct form *f, unsigned from, unsigned to)
{
    (void)f;
    return from == to;
}

unsigned form_bridge_count(const struct form *f, unsigned from, unsigned to)
{
    (void)f;
    (void)from;
    (void)to;
    return 0;
}

bool form_can_chain_indirectly(const struct form *f, unsigned from, unsigned to)
{
    return form_bridge_count(f, from, to) > 0;
}

unsigned form_lengthened_count(const struct form *f, unsigned from, unsigned to)
{
    return form_bridge_count(f, from, to);
}

const struct form *form_find(const char *name)
{
    (void)name;
    return NULL;
}

const struct form_operand *form_operand(const struct form *f, unsigned i)
{
    (void)f;
    (void)i;
    return NULL;
}

void form_fill_data(const struct form *f, enum form_values values, uint8_t *at)
{
    (void)f;
    (void)values;
    (void)at;
}

static bool no(const struct form *f)
{
    (void)f;
    return false;
}

bool form_depends_on_itself(const struct form *f)
{
    return no(f);
}

bool form_needs_companions(const struct form *f)
{
    return no(f);
}

bool form_can_vary_location(const struct form *f)
{
    return no(f);
}

bool form_can_use_one_register(const struct form *f)
{
    return no(f);
}

bool form_takes_values(const struct form *f, enum form_values values)
{
    (void)values;
    return no(f);
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static struct instruction_cost cost_of_chain(const double samples[SAMPLES])
{
    struct form_kernel w = {.from = 0, .to = 1, .instances = INSTANCES};

    core.taken = 0;
    for (size_t i = 0; i < SAMPLES; i++)
        core.sample[i] = samples[i];
    return instruction_cost_measure(&probe, &data, &w);
}

/* SAMPLES_QUANTILE */
static void one_short_sample_and_many_long_ones_do_not_count(void **state)
{
    static const double samples[SAMPLES] = {3.2, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};

    (void)state;
    assert_true(fabs(cost_of_chain(samples).cycles - 4) < 0.01);
}

/* SPREAD_QUANTILE */
static void two_long_samples_of_five_are_spread(void **state)
{
    static const double samples[SAMPLES] = {5, 5, 5, 7, 7};

    (void)state;
    assert_true(cost_of_chain(samples).spread > 1);
}

/* LOOP_PART: two instructions of one cycle beside 48, and beside 96, of one cycle. */
static void a_loop_of_two_instructions_comes_off(void **state)
{
    double found = 0;

    (void)state;
    assert_true(instruction_cost_without_loop(1 + 2.0 / 48, 1 + 2.0 / 96, &found));
    assert_true(fabs(found - 1) <= 1e-9);
    assert_false(instruction_cost_without_loop(1.1, 1, &found)); /* a loop of ten cycles is none */
}

/* WHOLE_PART, WHOLE_CYCLES */
static void latencies_are_whole_up_to_noise(void **state)
{
    (void)state;
    assert_true(instruction_is_whole(1.03));
    assert_false(instruction_is_whole(1.1));
    assert_true(instruction_is_whole(20.15));
    assert_false(instruction_is_whole(20.4));
}

/* ---- Latency ------------------------------------------------------------------------------------------- */

static bool is_bound(double chain, double throughput)
{
    static const struct form f = {.operand_count = 2};
    struct instruction_chains chains;
    struct indirect_ways ways = {0};

    core.sample[0] = chain;
    core.sample[1] = 0;
    instruction_measure_chains(&probe, &data, &f, throughput, &ways, &chains);
    assert_int_equal(chains.count, 1);
    return chains.chain[0].is_bound;
}

/* LIMITS_PART: one cycle of eight is much, and noise of a twentieth is not. */
static void a_chain_is_longer_than_what_goes_on_beside_it(void **state)
{
    (void)state;
    assert_false(is_bound(8, 7));
    assert_true(is_bound(8, 7.6));
}

/* ---- Throughput ---------------------------------------------------------------------------------------- */

static struct instruction_rounds rounds_of(const struct form *f, const double *once, const double *twice, size_t count)
{
    struct instruction_rounds t;

    core.sample[1] = 0;
    instruction_rounds_start(&t);
    for (size_t i = 0; i < count; i++) {
        core.sample[0] = once[i];
        core.twice = twice ? twice[i] : 0;
        assert_int_equal(instruction_round(&probe, &data, f, &t).reason, REASON_NONE);
    }
    return t;
}

/* FEW_NOPS: five instructions are delivered in a cycle, four of which are executed. */
static void few_nops_take_no_time(void **state)
{
    static const struct form f = {.operand_count = 2};
    static const double any[] = {1};

    (void)state;
    core.execute = 4;
    core.deliver = 5;
    const struct instruction_rounds t = rounds_of(&f, any, NULL, 1);
    core.deliver = 0;
    assert_true(fabs(instruction_variant_cycles(&t, VARIANT_FEW_NOPS) - 0.25) < 1e-9);
    assert_true(core.kernel.nops * INSTANCES >= 4); /* code moves by several bytes */
}

/* LENGTHS_APART: where buffers take all of one kernel and half of another, instances of that take much longer. */
static void what_fills_buffers_has_no_throughput(void **state)
{
    static const struct form f = {.operand_count = 2, .class = FORM_STREAMS};
    static const double once[] = {1}, much[] = {4}, little[] = {1.3};

    (void)state;
    assert_true(isnan(rounds_of(&f, once, much, 1).round[0].cycles));
    assert_true(rounds_of(&f, once, little, 1).round[0].cycles > 0);
}

/* CONFIRMED_PART */
static void rounds_confirm_each_other_within_a_percent(void **state)
{
    static const struct form f = {.operand_count = 2};
    static const double near[] = {4.03, 4, 4.02}, far[] = {4.2, 4, 4.08};

    (void)state;
    struct instruction_rounds t = rounds_of(&f, near, NULL, 3);
    assert_true(t.is_confirmed && !t.best.is_bound);
    t = rounds_of(&f, far, NULL, 3);
    assert_true(!t.is_confirmed && t.best.is_bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_short_sample_and_many_long_ones_do_not_count),
        cmocka_unit_test(two_long_samples_of_five_are_spread),
        cmocka_unit_test(a_loop_of_two_instructions_comes_off),
        cmocka_unit_test(latencies_are_whole_up_to_noise),
        cmocka_unit_test(a_chain_is_longer_than_what_goes_on_beside_it),
        cmocka_unit_test(few_nops_take_no_time),
        cmocka_unit_test(what_fills_buffers_has_no_throughput),
        cmocka_unit_test(rounds_confirm_each_other_within_a_percent),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
