/*
 * Units of a form by blocking, on simulated cores of up to 12 units: forms of one to four operations, some on sets of
 * units that no class of the map has. Orders of a mix are up to 30 % slow, one in four is good. What is reported is
 * compared with the operations that the form has: the number within each set of the map, and "on each of these units".
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/form_units.h"

enum { CLASSES = 8, FORMS = 40, FORM = CLASSES };

struct core {
    struct ports_map map; /* the classes, and behind them the form */
    double width, slots, stall, slow, noise;
    double waits;         /* cycles that an instance waits beside blockers of class 1, of which units are no cause */
    double blockers_slow; /* part by which blockers of the first class alone take longer than the map says */
    unsigned fewest;      /* blockers of the first class beside an instance so far; 0: none were */
    uint64_t random, orders;
};

static struct form_units_sets sets;

static double uniform(uint64_t *random)
{
    return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static unsigned below(uint64_t *random, unsigned n)
{
    return (unsigned)(uniform(random) * n);
}

/* One to four of so many units. */
static uint16_t random_set(uint64_t *random, unsigned units)
{
    uint16_t set = 0;

    for (unsigned n = 1 + below(random, 4); n > 0; n--)
        set |= (uint16_t)(1u << below(random, units));
    return set;
}

static bool measure(void *context, const struct form_units_mix *m, bool quick, double *cycles)
{
    struct core *c = context;
    struct ports_mix mix = {.cycles = 0};
    double slots = m->times[FORM_UNITS_BLANK] + m->instance * c->slots;
    uint64_t order = c->orders ^ m->order;

    for (size_t i = 0; i < CLASSES; i++) {
        mix.times[i] = m->times[i];
        slots += m->times[i];
        order = order * 31 + m->times[i];
    }
    mix.times[FORM] = m->instance;
    if (m->instance && m->times[0] && (!c->fewest || m->times[0] < c->fewest))
        c->fewest = m->times[0];
    *cycles = fmax(ports_cycles(&c->map, (double)INFINITY, &mix), slots / c->width) + m->instance * c->stall;
    if (m->instance && m->times[1])
        *cycles += c->waits;
    if (m->times[0])
        *cycles *= 1 + c->blockers_slow;
    for (unsigned i = 0; i < 4; i++)
        random_next(&order);
    if (uniform(&order) > 0.25)
        *cycles *= 1 + c->slow * uniform(&order);
    *cycles *= 1 + c->noise * (quick ? 2 : 1) * (uniform(&c->random) - 0.5);
    return true;
}

static struct core random_core(uint64_t seed)
{
    struct core c = {.map.count = CLASSES + 1, .slow = 0.3, .noise = 0.008, .random = seed};
    const unsigned units = 4 + below(&c.random, 9);
    uint16_t ports[PORTS_CLASSES] = {0};

    c.width = 5 + below(&c.random, 6);
    c.orders = random_next(&c.random);
    for (size_t i = 0; i < CLASSES; i++) {
        c.map.ops[i][0] = (struct ports_op){random_set(&c.random, units), 1};
        ports[i] = c.map.ops[i][0].ports;
    }
    c.map.ops[0][1] = c.map.ops[1][0]; /* a class of two operations blocks nothing */
    ports[0] = 0;
    form_units_sets(&sets, ports, CLASSES);
    sets.width = c.width;
    sets.measure = measure;
    return c;
}

/* A form of one operation or two kinds of operations, on a set of the map or on any. */
static void random_form(struct core *c)
{
    struct ports_op *ops = c->map.ops[FORM];

    ops[1] = (struct ports_op){0, 0};
    c->slots = 0;
    if (below(&c->random, 8) == 0) { /* one that keeps its unit busy for some cycles */
        ops[0] = (struct ports_op){random_set(&c->random, 12), (uint16_t)(2 + below(&c->random, 3))};
        c->slots = 1;
        return;
    }
    for (unsigned i = 0; i < 1 + below(&c->random, 2); i++) {
        ops[i].ports = below(&c->random, 2) ? c->map.ops[1 + below(&c->random, CLASSES - 1)][0].ports
                                            : random_set(&c->random, 12);
        ops[i].times = (uint16_t)(1 + below(&c->random, 4) / 3);
        c->slots += ops[i].times;
    }
}

/* Operations of the form that run on no unit outside of the set. */
static unsigned true_ops(const struct core *c, uint16_t set)
{
    unsigned sum = 0;

    for (size_t i = 0; i < PORTS_OPS; i++)
        if (c->map.ops[FORM][i].ports && !(c->map.ops[FORM][i].ports & ~set))
            sum += c->map.ops[FORM][i].times;
    return sum;
}

static bool is_op(const struct core *c, uint16_t ports)
{
    return c->map.ops[FORM][0].ports == ports || c->map.ops[FORM][1].ports == ports;
}

static unsigned reported_ops(const struct form_units *u, uint16_t set)
{
    unsigned sum = 0;

    for (size_t i = 0; i < u->op_count; i++)
        if (!(u->ops[i].ports & ~set))
            sum += u->ops[i].times * u->ops[i].cycles;
    return sum;
}

/* Of sets that could be tried; what is said of one that could not be is part of a larger one's. */
static bool is_wrong(const struct core *c, const struct form_units *u)
{
    for (size_t i = 0; i < u->op_count; i++)
        if ((u->ops[i].is_exact && !is_op(c, u->ops[i].ports)) ||
            (u->ops[i].cycles > 1 && c->map.ops[FORM][0].times <= c->slots))
            return true;
    for (size_t i = 0; i < u->test_count; i++) {
        const uint16_t set = u->tests[i].set->ports;
        if (u->tests[i].is_decided && !u->tests[i].set->parts[0] && u->tests[i].times != true_ops(c, set))
            return true;
    }
    for (size_t i = 0; i < u->op_count; i++) /* no more operations than there are within what is reported */
        if (reported_ops(u, u->ops[i].ports) > true_ops(c, u->ops[i].ports))
            return true;
    return false;
}

struct tally {
    unsigned whole, partial, undecided, wrong;
};

static struct tally try_cores(uint64_t cores)
{
    struct tally t = {0};

    for (uint64_t seed = 1; seed <= cores * (getenv("LONG") ? 300 : 1); seed++) {
        struct core c = random_core(seed * UINT64_C(0x9e3779b97f4a7c15));
        sets.context = &c;
        for (unsigned n = 0; n < FORMS; n++) {
            struct form_units u;
            random_form(&c);
            assert_true(form_units_find(&sets, 0, 1, &u));
            t.undecided += u.why != REASON_NONE;
            t.partial += !u.why && u.is_partial;
            t.whole += !u.why && !u.is_partial;
            if (!u.why && is_wrong(&c, &u)) {
                t.wrong++;
                print_message("# wrong: seed %u, form %u: %#x x %u, %#x x %u\n", (unsigned)seed, n,
                              c.map.ops[FORM][0].ports, c.map.ops[FORM][0].times, c.map.ops[FORM][1].ports,
                              c.map.ops[FORM][1].times);
                for (size_t i = 0; i < u.op_count; i++)
                    print_message("#   found %#x x %u%s\n", u.ops[i].ports, u.ops[i].times,
                                  u.ops[i].is_exact ? ", exact" : "");
            }
        }
    }
    print_message("# %u whole, %u partial, %u undecided, %u wrong\n", t.whole, t.partial, t.undecided, t.wrong);
    return t;
}

static void operations_are_found_on_their_units(void **state)
{
    (void)state;
    const struct tally t = try_cores(16);

    assert_int_equal(t.wrong, 0);
    /* half of the forms run on units that no class has as a set */
    assert_true((t.whole + t.partial) * 4 >= (t.whole + t.partial + t.undecided) * 3);
    assert_true(t.whole * 3 >= t.whole + t.partial + t.undecided);
}

/* It stalls the front end, whatever its operations are: no set can be kept busy beside it. */
static void a_microcoded_form_is_undecided(void **state)
{
    struct core c = random_core(7);
    struct form_units u;

    (void)state;
    c.map.ops[FORM][0] = (struct ports_op){c.map.ops[1][0].ports, 2};
    c.slots = 12;
    c.stall = 3;
    sets.context = &c;
    assert_true(form_units_find(&sets, 0, 1, &u));
    assert_int_equal(u.why, REASON_NOT_BLOCKED);
}

/* Each class has two units, of which it shares one with the class before and one with the class behind. */
static struct core chain_of_sets(uint16_t first)
{
    struct core c = {.map.count = CLASSES + 1, .width = 6, .slots = 1, .noise = 0.001, .random = 1};
    uint16_t ports[PORTS_CLASSES] = {0};

    for (size_t i = 0; i < CLASSES; i++)
        c.map.ops[i][0] = (struct ports_op){ports[i] = (uint16_t)(i ? 3u << i : first), 1};
    form_units_sets(&sets, ports, CLASSES);
    sets.width = c.width;
    sets.measure = measure;
    return c;
}

/* A load beside another operation in one slot is one operation more than there are slots; without it there is none. */
static void operations_are_no_more_than_slots_and_accesses(void **state)
{
    struct core c = chain_of_sets(3);
    struct form_units u;

    (void)state;
    sets.context = &c;
    c.map.ops[FORM][0] = c.map.ops[2][0];
    c.map.ops[FORM][1] = c.map.ops[6][0];
    assert_true(form_units_find(&sets, 1, 1, &u));
    assert_int_equal(u.why, REASON_NONE);
    assert_int_equal(u.op_count, 2);
    assert_true(form_units_find(&sets, 0, 1, &u));
    assert_int_equal(u.why, REASON_EXPERIMENTS_DISAGREE);
}

/* A form that takes half a cycle alone cannot have an operation on one unit, whatever it waits for beside blockers. */
static void what_the_speed_alone_refutes_is_no_operation(void **state)
{
    struct core c = chain_of_sets(1);
    struct form_units u;

    (void)state;
    c.map.ops[1][0] = (struct ports_op){1u << 12, 1};
    form_units_sets(&sets, (const uint16_t[CLASSES]){1, 1u << 12, 3u << 2, 3u << 3, 3u << 4}, 5);
    sets.width = c.width;
    sets.measure = measure;
    sets.context = &c;
    c.waits = 1;
    c.map.ops[FORM][0] = c.map.ops[2][0];
    assert_true(form_units_find(&sets, 0, 1, &u));
    assert_int_equal(u.why, REASON_NONE);
    assert_int_equal(u.op_count, 1);
    assert_int_equal(u.ops[0].ports, 3u << 2);
    assert_true(u.is_partial);
}

/* One and a half slots: no whole number is reported, and there is room for two. */
static void slots_that_are_no_whole_number_leave_room(void **state)
{
    struct core c = chain_of_sets(3);
    struct form_units u;

    (void)state;
    sets.context = &c;
    c.slots = 1.5;
    c.map.ops[FORM][0] = c.map.ops[2][0];
    assert_true(form_units_find(&sets, 0, 1, &u));
    assert_int_equal(u.why, REASON_NONE);
    assert_true(isnan(u.slots));
    assert_true(u.slots_most == 2);
    assert_int_equal(u.op_count, 1);
}

/* BLOCKED_WHOLE: two operations that wait for as long as half of a third are neither two nor three. */
static void half_an_operation_more_is_no_whole_number(void **state)
{
    struct core c = chain_of_sets(3);
    struct form_units u;

    (void)state;
    sets.context = &c;
    c.slots = 2;
    c.waits = 0.3; /* of two units: 0.6 operations */
    c.map.ops[FORM][0] = (struct ports_op){c.map.ops[1][0].ports, 2};
    assert_true(form_units_find(&sets, 0, 1, &u));
    for (size_t i = 0; i < u.test_count; i++)
        assert_true(u.tests[i].set->ports != c.map.ops[1][0].ports || !u.tests[i].is_decided);
}

/* Two operations on two sets that share a unit: as fast as they are, none of them can be bound to that unit. */
static void two_operations_are_told_from_one_on_a_common_unit(void **state)
{
    struct core c = chain_of_sets(3);
    struct form_units u;

    (void)state;
    sets.context = &c;
    c.slots = 2;
    c.map.ops[FORM][0] = c.map.ops[3][0];
    c.map.ops[FORM][1] = c.map.ops[4][0];
    assert_true(form_units_find(&sets, 0, 1, &u));
    assert_int_equal(u.why, REASON_NONE);
    assert_int_equal(u.op_count, 2);
    c.map.ops[FORM][0] = (struct ports_op){c.map.ops[3][0].ports & c.map.ops[4][0].ports, 1};
    c.map.ops[FORM][1] = (struct ports_op){0, 0};
    assert_true(form_units_find(&sets, 0, 1, &u));
    assert_int_equal(u.why, REASON_AMBIGUOUS);
}

/*
 * Both halves of a long vector behind one slot, the one on a unit that two sets share, the other on that and another: they
 * are too many for two operations unless one was found in both sets.
 */
static void halves_behind_one_slot_are_told_apart(void **state)
{
    struct core c = chain_of_sets(3);
    struct form_units u;

    (void)state;
    sets.context = &c;
    c.map.ops[FORM][0] = (struct ports_op){1u << 1, 1};
    c.map.ops[FORM][1] = c.map.ops[1][0];
    assert_true(form_units_find(&sets, 0, 2, &u));
    assert_int_equal(u.why, REASON_NONE);
    assert_int_equal(u.op_count, 2);
    for (size_t i = 0; i < u.op_count; i++) {
        assert_int_equal(u.ops[i].times, 1);
        assert_true(u.ops[i].ports == 1u << 1 || u.ops[i].ports == c.map.ops[1][0].ports);
    }
    assert_true(form_units_find(&sets, 0, 3, &u));
    assert_int_equal(u.why, REASON_AMBIGUOUS);
}

/* BLOCKERS_OFF: blockers that are 3 % slow serve, those that are 8 % slow do not. */
static void slow_blockers_are_not_used(void **state)
{
    (void)state;
    for (unsigned slow = 0; slow < 2; slow++) {
        struct core c = chain_of_sets(3);
        struct form_units u;
        sets.context = &c;
        c.blockers_slow = slow ? 0.08 : 0.03;
        c.map.ops[FORM][0] = c.map.ops[0][0];
        assert_true(form_units_find(&sets, 0, 1, &u));
        assert_int_equal(sets.all[0].ports, 3);
        assert_int_equal(sets.all[0].is_usable, !slow);
    }
}

/* BLOCKED_SLOTS_FREE: of 5.3 slots a cycle four blockers leave 1.3: room for two slots and a half in two cycles. */
static void slots_are_left_for_the_form(void **state)
{
    struct core c = chain_of_sets(0xf);
    struct form_units u;

    (void)state;
    sets.context = &c;
    c.width = sets.width = 5.3;
    c.slots = 2;
    c.map.ops[FORM][0] = c.map.ops[6][0];
    assert_true(form_units_find(&sets, 1, 1, &u));
    assert_int_equal(c.fewest, 2 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_found_on_their_units),
        cmocka_unit_test(a_microcoded_form_is_undecided),
        cmocka_unit_test(operations_are_no_more_than_slots_and_accesses),
        cmocka_unit_test(halves_behind_one_slot_are_told_apart),
        cmocka_unit_test(slow_blockers_are_not_used),
        cmocka_unit_test(slots_are_left_for_the_form),
        cmocka_unit_test(what_the_speed_alone_refutes_is_no_operation),
        cmocka_unit_test(slots_that_are_no_whole_number_leave_room),
        cmocka_unit_test(half_an_operation_more_is_no_whole_number),
        cmocka_unit_test(two_operations_are_told_from_one_on_a_common_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
