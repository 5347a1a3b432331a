/*
 * The thresholds of lib/structure/tolerances_ports.h, each at work, but for CONFLICT_SEEN, which tests/unit/conflicts.c
 * notices. What a mix takes, in any order, is set by the test.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/probe/sample.h"
#include "lib/structure/ports_predict.h"
#include "lib/structure/ports_solve.h"
#include "lib/structure/ports_text.h"

/* ---- In place of a core ---------------------------------------------------------------------------- */

const unsigned emit_nop_lengths[] = {0};
const struct emit_idiom emit_idioms[] = {{0}};

static struct {
    double (*cycles)(const struct mixes *m); /* of a mix, when it is measured */
    double (*quick)(const struct mixes *m);  /* of the same by a quick sample */
    unsigned measured, sampled;              /* times of either */
} core;

bool mixes_build(struct probe *p, void *context, struct kernel *k)
{
    (void)p;
    k->data = (uintptr_t)context;
    return true;
}

bool sample_cycles(struct probe *p, unsigned samples, bool (*build)(struct probe *p, void *context, struct kernel *k),
                   void *context, double *cycles)
{
    (void)p;
    (void)samples;
    (void)build;
    core.measured++;
    *cycles = core.cycles(context);
    return true;
}

bool probe_quick_sample(struct probe *p, const struct kernel *k, uint64_t *iterations, double *cycles)
{
    (void)p;
    (void)iterations;
    core.sampled++;
    *cycles = core.quick((const struct mixes *)(uintptr_t)k->data);
    return true;
}

/* ---- Which maps fit -------------------------------------------------------------------------------- */

/* One instruction on one port: 24 of them take 24 cycles. */
static const struct ports_map one_port = {.count = 1, .ops = {{{1, 1}}}};

static void compare(struct ports_map *map, double slower)
{
    const struct ports_mix mix = {.times = {24}, .cycles = 24 * (1 + slower)};

    ports_compare(map, 100, &mix);
}

/* PORTS_FAST: the error of time is 1 %, and no core is faster by 3 % than its ports. */
static void a_mix_that_is_too_fast_refutes_a_map(void **state)
{
    struct ports_map map = one_port;

    (void)state;
    compare(&map, -0.01);
    assert_true(ports_fits(&map, false));
    compare(&map, -0.03);
    assert_false(ports_fits(&map, true));
}

/* PORTS_SLOW: schedulers may lose 6 % of the cycles, and do not lose an eighth. */
static void a_mix_may_be_a_little_slower_than_its_ports(void **state)
{
    struct ports_map map = one_port;

    (void)state;
    compare(&map, 0.06);
    assert_true(ports_fits(&map, false));
    compare(&map, 0.125);
    assert_false(ports_fits(&map, false));
}

/* PORTS_RARE_ONE_IN */
static void one_mix_in_ten_may_be_off_and_two_may_not(void **state)
{
    const struct ports_prediction nine = {.mixes = 10, .within = 9}, eight = {.mixes = 10, .within = 8};
    struct ports_map map = one_port;

    (void)state;
    for (unsigned n = 0; n < 9; n++)
        compare(&map, 0);
    compare(&map, 0.2);
    assert_true(ports_fits(&map, true));
    compare(&map, 0.2);
    assert_false(ports_fits(&map, true));
    assert_true(ports_is_predicted(&nine));
    assert_false(ports_is_predicted(&eight));
}

/* PORTS_FAST_WEIGHT: of maps that fit, one that a mix beats by 2 % is about as bad as one that it misses by 10 %. */
static void faster_than_allowed_is_much_worse_than_slower(void **state)
{
    struct ports_map fast = one_port, slow = one_port, slower = one_port;

    (void)state;
    compare(&fast, -0.02);
    compare(&slow, 0.07);
    compare(&slower, 0.13);
    assert_true(slow.loss < fast.loss && fast.loss < slower.loss);
}

/* The operations that one instruction is taken for which takes so long alone. */
static struct ports_op searched(double cycles)
{
    static struct ports p;
    static struct ports_beam a, b;

    p = (struct ports){.count = 1, .width = 100, .mixes = {{.times = {1}, .cycles = cycles}}, .mix_count = 1};
    ports_search(&p, &a, &b);
    assert_true(p.fits);
    return p.maps[0].ops[0][0];
}

/*
 * PORTS_OPERATION_LOSS: one operation on two ports takes 0.5 cycles, eight on 15 take 0.533. What takes 0.528 is one,
 * though eight fit a little better; what takes 0.535 is eight.
 */
static void of_maps_that_fit_alike_the_simpler_one_is_better(void **state)
{
    (void)state;
    assert_int_equal(searched(0.5278).times, 1);
    assert_int_equal(searched(0.535).times, 8);
}

/* ---- Searches for maps ----------------------------------------------------------------------------- */

struct ports_core {
    struct ports_map map;
    unsigned measured;
};

static bool measure_exactly(void *context, struct ports_mix *mix)
{
    struct ports_core *c = context;

    c->measured++;
    mix->cycles = ports_cycles(&c->map, 100, mix);
    return true;
}

/*
 * PORTS_VERIFIED: a map that is wrong about one mix in ten is not refuted by 28 mixes with a probability of 5 %, and by
 * 60 with one of 0.2 %, beyond which there is nothing to gain.
 */
static void about_thirty_mixes_verify_a_map(void **state)
{
    static struct ports p;
    static struct ports_beam beams[2];
    struct ports_core c = {.map = {.count = 3, .ops = {{{1, 1}}, {{2, 1}}, {{4, 1}}}}};

    (void)state;
    p = (struct ports){.count = 3, .width = 100, .budget = 500, .measure = measure_exactly, .context = &c};
    assert_true(ports_solve(&p, beams));
    assert_true(p.verified);
    const unsigned first = 3 * 3 + 3; /* each alone three times, and pairs */
    assert_true(c.measured - first >= 28 && c.measured - first < 60);
}

/* How many of the mixes that were measured the maps that are left disagree about by a part from `least` to `most`. */
static unsigned disputed_between(const struct ports *p, double least, double most)
{
    unsigned count = 0;

    for (size_t m = 0; m < p->mix_count; m++) {
        double low = (double)INFINITY, high = 0;
        for (size_t i = 0; i < p->map_count; i++) {
            low = fmin(low, ports_cycles(&p->maps[i], p->width, &p->mixes[m]));
            high = fmax(high, ports_cycles(&p->maps[i], p->width, &p->mixes[m]));
        }
        count += high / low - 1 >= least && high / low - 1 <= most;
    }
    return count;
}

/*
 * PORTS_DISPUTED: seven operations on 15 ports take 7 % less than one on two, which schedulers may lose, so that both
 * maps fit to the end. Mixes that could tell them apart are measured, others only by chance.
 */
static void mixes_that_could_tell_maps_apart_are_measured(void **state)
{
    static struct ports p;
    static struct ports_beam beams[2];
    struct ports_core c = {.map = {.count = 4, .ops = {{{12, 1}}, {{4, 1}}, {{8, 1}}, {{17, 1}}}}};

    (void)state;
    p = (struct ports){.count = 4, .width = 100, .budget = 150, .measure = measure_exactly, .context = &c};
    assert_true(ports_solve(&p, beams));
    assert_true(p.verified && p.map_count > 1);
    assert_true(disputed_between(&p, 0.05, 0.08) >= 8);
    assert_true(disputed_between(&p, 0.015, 0.035) <= 4);
}

/* ---- Whether a map predicts ------------------------------------------------------------------------ */

static double slower; /* by what part mixes are slower than by their ports */

/* Three kinds of instructions, on one port each. */
static const struct ports_map three_ports = {.count = 3, .ops = {{{1, 1}}, {{2, 1}}, {{4, 1}}}};

/* All mixes are slower by the same part; single kinds are not. */
static double slower_together(const struct mixes *m)
{
    unsigned kinds = 0;

    for (size_t i = 0; i < m->count; i++)
        kinds += m->mix.times[i] > 0;
    return ports_cycles(&three_ports, 100, &m->mix) * (kinds > 1 ? 1 + slower : 1);
}

static double never(const struct mixes *m)
{
    (void)m;
    fail();
    return 0;
}

/* That map, and pairs that are measured as slow as `slower` says. */
static struct ports measured_pairs(void)
{
    struct ports p = {.count = 3, .width = 100, .maps = {three_ports}, .map_count = 1};
    struct mixes m = {.count = 3};

    for (size_t i = 0; i < p.count; i++) {
        p.mixes[p.mix_count] = (struct ports_mix){.cycles = 1};
        p.mixes[p.mix_count++].times[i] = 1;
    }
    for (size_t i = 0; i < p.count; i++)
        for (size_t j = 0; j < i; j++) {
            m.mix = (struct ports_mix){.cycles = 0};
            m.mix.times[i] = m.mix.times[j] = 12;
            m.mix.cycles = slower_together(&m);
            p.mixes[p.mix_count++] = m.mix;
        }
    return p;
}

static struct probe fake_probe;

static struct mix_search search_of(unsigned searches)
{
    fake_probe = (struct probe){.random = 1};
    return (struct mix_search){.probe = &fake_probe,
                               .mixes = {.count = 3},
                               .orders = 1,
                               .searches = searches,
                               .tries = 60,
                               .quick_samples_most = 10000,
                               .blank_count = 1,
                               .reached = 4};
}

static double as_measured, as_sampled; /* cycles of a mix, by either */

static double sampled_cycles(const struct mixes *m)
{
    (void)m;
    return as_sampled;
}

static unsigned predicted_of_ten(double part)
{
    static struct ports p;
    const struct ports_conflicts none = {.count = 0};
    struct ports_prediction out = {.wanted = 10};
    struct mix_search s = search_of(1);

    core.cycles = slower_together;
    core.quick = sampled_cycles;
    as_sampled = 1000; /* no order is better */
    slower = part;
    p = measured_pairs();
    assert_true(ports_predict(&s, &p, &none, &out));
    assert_int_equal(out.mixes, 10);
    return out.within;
}

/* PORTS_PREDICTED */
static void mixes_are_predicted_within_a_few_percent(void **state)
{
    (void)state;
    assert_int_equal(predicted_of_ten(0.03), 10);
    assert_int_equal(predicted_of_ten(0.07), 0);
}

static size_t conflicts_of(double part)
{
    static struct ports p;
    static struct ports_conflicts c;
    struct mix_search s = search_of(0);

    core.cycles = slower_together;
    core.quick = never;
    slower = part;
    p = measured_pairs();
    c.count = 0;
    assert_true(ports_measure_conflicts(&s, &p, &c));
    return c.count;
}

/* PORTS_NEAR */
static void pairs_that_are_clearly_slower_than_their_ports_conflict(void **state)
{
    (void)state;
    assert_int_equal(conflicts_of(0.02), 0);
    assert_int_equal(conflicts_of(0.07), 3);
}

/* ---- Orders of a mix ------------------------------------------------------------------------------- */

static double measured_cycles(const struct mixes *m)
{
    (void)m;
    return as_measured;
}

/* Searches orders of a mix with as many of two kinds each, which should take so many cycles. */
static void search_orders(unsigned of_each, double expected, unsigned searches, double reached)
{
    struct ports_mix mix = {.times = {(uint8_t)of_each, (uint8_t)of_each}};
    struct mix_search s = search_of(searches);

    s.reached = reached;
    core.measured = core.sampled = 0;
    core.cycles = measured_cycles;
    assert_true(mix_search_expected(&s, &mix, expected, searches, 0));
}

/* PORTS_REACHED */
static void no_order_is_searched_for_a_mix_that_takes_the_least(void **state)
{
    (void)state;
    core.quick = sampled_cycles;
    as_sampled = 30;
    as_measured = 20 * 1.005;
    search_orders(6, 20, 1, 1);
    assert_int_equal(core.sampled, 0);
    as_measured = 20 * 1.02;
    search_orders(6, 20, 1, 1);
    assert_true(core.sampled > 0);
}

static struct mix_order first_order, last_order;
static double change; /* by what part any change makes the first order slower */

/* The first order is the best of those that are drawn at random. */
static double changed_cycles(const struct mixes *m)
{
    if (core.sampled == 1)
        first_order = m->order;
    last_order = m->order;
    return core.sampled == 1 ? 100 : core.sampled <= 20 ? 200 : 100 * (1 + change);
}

/* In how many slots the last order that was tried differs from the first; three exchanges change six. */
static size_t slots_changed(double part)
{
    size_t changed = 0;

    core.quick = changed_cycles;
    as_measured = 100;
    change = part;
    search_orders(20, 50, 1, 1);
    assert_true(core.sampled > 40);
    for (size_t i = 0; i < first_order.slots; i++)
        changed += first_order.kinds[i] != last_order.kinds[i];
    return changed;
}

/* ORDER_SAME */
static void changes_that_cost_nothing_are_kept(void **state)
{
    (void)state;
    assert_true(slots_changed(0.001) > 6);
    assert_true(slots_changed(0.004) <= 6);
}

/* ORDER_SAMPLE_ERROR */
static void an_order_is_measured_if_its_sample_is_clearly_faster(void **state)
{
    (void)state;
    core.quick = sampled_cycles;
    as_measured = 100;
    as_sampled = 99.5;
    search_orders(6, 50, 1, 1);
    assert_int_equal(core.measured, 1);
    as_sampled = 98;
    search_orders(6, 50, 1, 1);
    assert_true(core.measured > 1);
}

static size_t most_slots; /* of orders of one mix */

static double slots_counted(const struct mixes *m)
{
    if (m->order.mixes == 1 && m->order.slots > most_slots)
        most_slots = m->order.slots;
    return 100;
}

/* ORDER_SLOT_PART: slots are pairs, four a cycle; a tenth of a pair more than ten is no pair, 0.6 of one is. */
static void a_small_part_of_a_slot_needs_no_slot(void **state)
{
    (void)state;
    core.quick = slots_counted;
    as_measured = 100;
    most_slots = 0;
    search_orders(6, 5.05, 100, 4);
    assert_int_equal(most_slots, 20);
    most_slots = 0;
    search_orders(6, 5.3, 100, 4);
    assert_int_equal(most_slots, 22);
}

/* ---- Conflicts ------------------------------------------------------------------------------------- */

/* CONFLICT_PART_SHOWN: parts are known to 0.1. */
static void parts_of_other_kinds_are_named_if_they_are_more_than_errors(void **state)
{
    const struct mixes m = {.classes = {"add", "shift", "move", "load"}, .count = 4};
    struct ports_conflicts c = {.count = 1};
    char text[256];

    (void)state;
    c.all[0] = (struct conflict){.first = 0, .second = 1, .parts = {[2] = 0.15, [3] = 0.5}};
    for (size_t n = 0; n < CONFLICT_MIXES; n++) {
        c.all[0].mixes[n].cycles = 1.25;
        c.all[0].by_ports[n] = 1;
    }
    ports_text_of_conflicts(&c, &m, text, sizeof text);
    assert_string_equal(text, "add (0.5 of load) and shift: up to 25 % slower");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mix_that_is_too_fast_refutes_a_map),
        cmocka_unit_test(a_mix_may_be_a_little_slower_than_its_ports),
        cmocka_unit_test(one_mix_in_ten_may_be_off_and_two_may_not),
        cmocka_unit_test(faster_than_allowed_is_much_worse_than_slower),
        cmocka_unit_test(of_maps_that_fit_alike_the_simpler_one_is_better),
        cmocka_unit_test(about_thirty_mixes_verify_a_map),
        cmocka_unit_test(mixes_that_could_tell_maps_apart_are_measured),
        cmocka_unit_test(mixes_are_predicted_within_a_few_percent),
        cmocka_unit_test(pairs_that_are_clearly_slower_than_their_ports_conflict),
        cmocka_unit_test(no_order_is_searched_for_a_mix_that_takes_the_least),
        cmocka_unit_test(changes_that_cost_nothing_are_kept),
        cmocka_unit_test(an_order_is_measured_if_its_sample_is_clearly_faster),
        cmocka_unit_test(a_small_part_of_a_slot_needs_no_slot),
        cmocka_unit_test(parts_of_other_kinds_are_named_if_they_are_more_than_errors),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
