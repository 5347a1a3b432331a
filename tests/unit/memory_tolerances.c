/* Thresholds of lib/structure/tolerances_memory.h at work: cores on either side of each, whose loads and stores take
 * times by a formula. */
/* link: tests/unit/structure/given.c tests/unit/structure/profile.c */
/* libs: -lm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/access.h"
#include "lib/kernels/dependence.h"
#include "lib/probe/sample.h"
#include "lib/structure/forwarding_reference.h"
#include "lib/structure/load_store_rates.h"
#include "lib/structure/store_speculation.h"
#include "tests/unit/structure/given.h"

/* ---- Speculation --------------------------------------------------------------------------------- */

enum {
    STEP = 20,      /* cycles of a step that speculates, */
    WAIT = 20,      /* by which one that waits takes longer, … */
    WRONG = 25,     /* … and a wrong speculation */
    FREE_AFTER = 15 /* steps that wait behind a wrong speculation */
};

const unsigned emit_alignment = 1;

static size_t waiting;   /* dependent steps of the sequence */
static double deviation; /* cycles by which wrong speculations differ, in turn */
static unsigned sequences;

void dependence_set_steps(const struct dependence_steps *s, size_t count, bool dependent)
{
    (void)s;
    waiting = dependent ? count : 0;
}

void dependence_set_step(const struct dependence_steps *s, size_t i, bool dependent)
{
    (void)s;
    (void)i;
    if (waiting < 2)
        waiting = dependent;
}

bool dependence_sequence(struct probe *p, const struct dependence_steps *s, size_t count, double *cycles)
{
    static const double sign[] = {-1, 0, 1};
    const bool goes_wrong = waiting == 1 && count > FREE_AFTER;

    (void)p;
    (void)s;
    *cycles = (double)(count * STEP);
    if (goes_wrong)
        *cycles += WRONG + deviation * sign[sequences++ % 3] + (FREE_AFTER + 1) * WAIT;
    else if (waiting)
        *cycles += (double)(count * WAIT);
    return true;
}

bool dependence_two_steps(struct probe *p, const struct dependence_steps *s, size_t distance, double *cycles)
{
    (void)p;
    (void)s;
    (void)distance;
    (void)cycles;
    return false;
}

/* WAIT_PART: steps that wait are half as long again or longer; noise and code alignment make a tenth at most. */
static void loads_speculate_where_dependent_steps_take_much_longer(void **state)
{
    const struct dependence_steps waits = {.independent_cycles = 40, .dependent_cycles = 60},
                                  does_not = {.independent_cycles = 40, .dependent_cycles = 44};

    (void)state;
    assert_true(speculation_present(&waits));
    assert_false(speculation_present(&does_not));
}

/* The cost that 161 samples show, a third of which are so many cycles below the others, and a third above them. */
static double cost_of(double cycles_off)
{
    const struct dependence_steps s = {.area = NULL};
    double cycles;

    deviation = cycles_off;
    sequences = 0;
    assert_true(speculation_cost(NULL, &s, FREE_AFTER, FREE_AFTER + 1, &cycles));
    return cycles;
}

/*
 * COST_KNOWN_PART: the quartiles are 4 or 12 cycles apart, so that the median of 161 samples is known to about 0.3 or
 * 0.9 of 25 cycles.
 */
static void the_cost_of_a_wrong_speculation_is_known_where_samples_agree(void **state)
{
    (void)state;
    assert_true(fabs(cost_of(2) - WRONG) < 0.001);
    assert_true(isnan(cost_of(6)));
}

/* ---- Rates --------------------------------------------------------------------------------------- */

bool load_store_groups_build(struct probe *p, void *context, struct kernel *k)
{
    (void)p;
    (void)context;
    (void)k;
    return true;
}

static double two_loads; /* groups of two loads that the core executes in a cycle; one load takes a cycle, three two */

bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    const struct load_store_groups *g = context;

    (void)p;
    (void)samples;
    (void)build;
    *cycles = g->loads == 1 ? 1 : g->loads == 2 ? 1 / two_loads : 2;
    return true;
}

/* The most loads of a group that the core sustains in a cycle: the largest at the limit but for one more. */
static unsigned sustained_loads(double groups_per_cycle)
{
    static const struct emit_access general = {.name = "64", .bits = 64, .registers = 1, .has_load = true};
    struct access_rates s;

    two_loads = groups_per_cycle;
    access_rates_start(NULL, &general, &s);
    for (size_t pass = 0; pass < RATE_PASSES; pass++)
        assert_true(access_rates_pass(NULL, NULL, &s, pass));
    access_rates_decide(&s);
    unsigned loads = 0;
    for (size_t i = 0; i < s.count; i++)
        if (rate_at_limit(&s, &s.groups[i]))
            loads = s.groups[i].loads;
    return loads - 1;
}

/* SUSTAINED: a clock that is wrong by 1.5 % does not hide a group a cycle; that every tenth cycle has none shows. */
static void a_group_a_cycle_is_sustained_in_spite_of_the_clock(void **state)
{
    (void)state;
    assert_int_equal(sustained_loads(0.985), 2);
    assert_int_equal(sustained_loads(0.9), 1);
}

/* ---- Renaming ------------------------------------------------------------------------------------ */

enum { LOAD_CYCLES = 4, GENERAL_WIDTHS = 4 };

const struct emit_access emit_accesses[] = {{.name = "8", .bits = 8},
                                            {.name = "16", .bits = 16},
                                            {.name = "32", .bits = 32},
                                            {.name = "64", .bits = 64},
                                            {.name = NULL}};
static double pair_cycles[GENERAL_WIDTHS]; /* of a store of 64 bits and a load of each width */

const struct emit_access *access_general(unsigned bits)
{
    const struct emit_access *a = emit_accesses;

    while (a->bits != bits)
        a++;
    return a;
}

bool store_load_measure(struct probe *p, const struct store_load *s, uint64_t data, double *cycles)
{
    (void)p;
    (void)data;
    *cycles = s->chain == THROUGH_NONE   ? 3
              : s->chain == THROUGH_LOAD ? 3 + LOAD_CYCLES
                                         : pair_cycles[s->load - emit_accesses];
    return true;
}

/* RENAMED_PART_ALONE: a renamed pair takes a cycle, one that is forwarded three of the four that a load takes. */
static void a_pair_well_below_half_a_load_is_renamed(void **state)
{
    static const double cycles[GENERAL_WIDTHS] = {4, 4, 3, 1};
    const struct emit_access *load;

    (void)state;
    memcpy(pair_cycles, cycles, sizeof cycles);
    assert_true(forwarding_not_renamed(NULL, 0, &load));
    assert_non_null(load);
    assert_int_equal(load->bits, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_speculate_where_dependent_steps_take_much_longer),
        cmocka_unit_test(the_cost_of_a_wrong_speculation_is_known_where_samples_agree),
        cmocka_unit_test(a_group_a_cycle_is_sustained_in_spite_of_the_clock),
        cmocka_unit_test(a_pair_well_below_half_a_load_is_renamed),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
