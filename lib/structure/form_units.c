#include "lib/structure/form_units.h"

#include <math.h>
#include <string.h>

#include "lib/structure/tolerances_ports.h"

enum {
    ACCESS_HALVES = 2,
    AGAIN =
        2 /* times more that a set is tried where it gave no whole number, since no good order may have been found */
};

/* ---- Sets ----------------------------------------------------------------------------------------- */

static bool has_set(const struct form_units_sets *s, uint16_t ports)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i].ports == ports)
            return true;
    return false;
}

/* Adds a set behind those that are no larger, from index `from` on. */
static struct form_units_set *add_set(struct form_units_sets *s, size_t from, uint16_t ports)
{
    const unsigned count = (unsigned)__builtin_popcount(ports);
    size_t at = s->count;

    if (s->count == FORM_UNITS_SETS || has_set(s, ports))
        return NULL;
    for (; at > from && s->all[at - 1].count > count; at--)
        s->all[at] = s->all[at - 1];
    s->count++;
    s->all[at] = (struct form_units_set){.ports = ports, .count = count, .is_usable = true};
    return &s->all[at];
}

/* Blockers of a and b at once: as many of a as it has units, and of b as it has besides. */
static void add_union(struct form_units_sets *s, size_t from, const struct form_units_set *a,
                      const struct form_units_set *b)
{
    const struct form_units_set first = *a, second = *b;
    const unsigned besides = (unsigned)__builtin_popcount(second.ports & ~first.ports);
    struct form_units_set *both = add_set(s, from, first.ports | second.ports);

    if (!both)
        return;
    both->parts[0] = first.ports;
    both->parts[1] = second.ports;
    for (size_t i = 0; i < PORTS_CLASSES; i++)
        both->times[i] = (uint8_t)(first.times[i] + (second.times[i] ? besides : 0));
}

void form_units_sets(struct form_units_sets *s, const uint16_t *ports, size_t classes)
{
    memset(s, 0, sizeof *s);
    s->classes = classes;
    s->width = (double)INFINITY;
    s->orders = FORM_UNITS_ORDERS;
    for (size_t i = 0; i < classes; i++) {
        struct form_units_set *set = ports[i] ? add_set(s, 0, ports[i]) : NULL;
        if (set)
            set->times[i] = (uint8_t)set->count;
    }
    const size_t singles = s->count;
    for (size_t a = 0; a < singles; a++)
        for (size_t b = 0; b < singles; b++) /* each pair once, the larger one first */
            if (s->all[a].count <= s->all[b].count && a != b)
                add_union(s, singles, &s->all[b], &s->all[a]);
}

/* ---- One measurement ------------------------------------------------------------------------------ */

static struct form_units_mix mix_of(const struct form_units_set *set, unsigned cycles, bool instance)
{
    struct form_units_mix m = {.instance = instance};

    for (size_t i = 0; i < PORTS_CLASSES; i++)
        m.times[i] = (uint8_t)(set->times[i] * cycles);
    return m;
}

bool form_units_measure_best(struct form_units_sets *s, struct form_units_mix m, double enough, double *best)
{
    double least = (double)INFINITY;
    unsigned chosen = 0;

    for (m.order = 0; m.order < s->orders && !(least <= enough); m.order++) {
        double cycles;
        if (!s->measure(s->context, &m, true, &cycles))
            return false;
        if (cycles < least) { /* NaN is not */
            least = cycles;
            chosen = m.order;
        }
    }
    m.order = chosen;
    return s->measure(s->context, &m, false, best);
}

/*
 * The cycles of the set's blockers alone, which are measured once. A set that takes longer than it should is of no use.
 */
static bool measure_alone(struct form_units_sets *s, struct form_units_set *set, unsigned cycles)
{
    double best;

    if (set->alone[cycles] > 0)
        return true;
    if (!form_units_measure_best(s, mix_of(set, cycles, false), cycles + BLOCKED_NEAR / set->count, &best))
        return false;
    set->is_usable = fabs(best / cycles - 1) <= BLOCKERS_OFF;
    set->alone[cycles] = best;
    return true;
}

/* ---- What a form takes ---------------------------------------------------------------------------- */

/* The slots that an instance takes of a front end that blanks keep busy. */
static bool measure_slots(struct form_units_sets *s, struct form_units *u)
{
    const double least = fmax(2, ceil(u->cycles * BLOCKED_LONGER)) * s->width;
    struct form_units_mix m = {.order = 0};
    double without, with;

    u->slots = u->slots_most = (double)NAN;
    if (!(least <= FORM_UNITS_MOST))
        return true;
    m.times[FORM_UNITS_BLANK] = (uint8_t)ceil(least);
    if (!form_units_measure_best(s, m, 0, &without))
        return false;
    m.instance = true;
    if (!form_units_measure_best(s, m, without, &with))
        return false;
    const double slots = s->width * (with - without);
    if (fabs(slots - floor(slots + 0.5)) <= BLOCKED_WHOLE)
        u->slots = floor(slots + 0.5);
    u->slots_most = ceil(slots - BLOCKED_WHOLE);
    return true;
}

/*
 * Cycles of blockers beside which the form itself is no limit: its instances take less time alone, and the front end
 * has slots left for them. 0: there are too many blockers in so many cycles.
 */
static unsigned blocked_cycles(const struct form_units_sets *s, const struct form_units *u,
                               const struct form_units_set *set)
{
    const double slots = fmax(u->slots_most, 1), room = s->width - set->count;
    double cycles = fmax(2, ceil(u->cycles * BLOCKED_LONGER));

    if (!(room >= 1))
        return 0;
    cycles = fmax(cycles, ceil((slots + BLOCKED_SLOTS_FREE) / room));
    return (cycles + FORM_UNITS_LENGTHS - 1) * set->count <= FORM_UNITS_MOST ? (unsigned)cycles : 0;
}

/* Operations that can run nowhere else, beside blockers for so many cycles; NaN: the set is of no use. */
static bool measure_ops(struct form_units_sets *s, struct form_units_set *set, unsigned cycles, double *ops)
{
    double with;

    *ops = (double)NAN;
    if (!measure_alone(s, set, cycles))
        return false;
    if (!set->is_usable)
        return true;
    if (!form_units_measure_best(s, mix_of(set, cycles, true), set->alone[cycles] + BLOCKED_NEAR / set->count, &with))
        return false;
    *ops = set->count * (with - set->alone[cycles]);
    return true;
}

/*
 * Sets *times to the whole number of operations that were measured. Since hardware is never faster than its units, what
 * is less than one is none, in an order that could be better. False: it is no whole number.
 */
static bool whole_ops(double ops, unsigned *times)
{
    *times = ops > 1 - BLOCKED_WHOLE ? (unsigned)floor(ops + BLOCKED_WHOLE) : 0;
    return ops > -BLOCKED_WHOLE && ops - *times <= (*times ? BLOCKED_WHOLE : 1 - BLOCKED_WHOLE);
}

/* Whether the form is faster alone than so many operations on so many units allow. */
static bool is_too_fast_for(const struct form_units *u, unsigned times, unsigned units)
{
    return times > units * u->cycles * (1 + BLOCKERS_OFF);
}

/* Operations that were found to run within the ports of this set. */
static unsigned ops_within(const struct form_units *u, uint16_t ports)
{
    unsigned sum = 0;

    for (size_t i = 0; i < u->op_count; i++)
        if (!(u->ops[i].ports & ~ports))
            sum += u->ops[i].times;
    return sum;
}

/*
 * Cycles that an instance adds beside blockers of two sets for `cycles` cycles, by the map: of the operations that were
 * found so far, and of `more` besides that run on units of both sets. Operations of one set do not take turns with
 * those of the other, so that operations count as more than their part of all units.
 */
static double added_beside_two(const struct form_units *u, const struct form_units_set *both, unsigned cycles,
                               unsigned more)
{
    struct ports_map map = {.count = 3 + u->op_count};
    struct ports_mix mix = {.cycles = 0};
    const unsigned first = (unsigned)__builtin_popcount(both->parts[0]);

    map.ops[0][0] = (struct ports_op){both->parts[0], 1};
    map.ops[1][0] = (struct ports_op){both->parts[1], 1};
    map.ops[2][0] = (struct ports_op){both->ports, 1};
    mix.times[0] = (uint8_t)(first * cycles);
    mix.times[1] = (uint8_t)((both->count - first) * cycles);
    mix.times[2] = (uint8_t)more;
    for (size_t i = 0; i < u->op_count; i++) {
        map.ops[3 + i][0] = (struct ports_op){u->ops[i].ports, 1};
        mix.times[3 + i] = (uint8_t)u->ops[i].times;
    }
    return ports_cycles(&map, (double)INFINITY, &mix) - cycles;
}

/*
 * The same for a union: how many operations run on units of both sets, and on no smaller set. False: no number explains
 * what was measured, or several do.
 */
static bool ops_of_two(const struct form_units *u, const struct form_units_set *both, unsigned cycles, double ops,
                       unsigned *times)
{
    bool any = false;

    for (unsigned more = 0; more <= FORM_UNITS_SLOTS; more++)
        if (fabs(both->count * added_beside_two(u, both, cycles, more) - ops) <= BLOCKED_WHOLE) {
            if (any)
                return false;
            any = true;
            *times = more;
        }
    return any;
}

/*
 * How many operations of the form can run on no other units than these; beside two sets at once, besides those that
 * were found for smaller sets.
 */
static bool is_whole(const struct form_units *u, const struct form_units_set *set, unsigned cycles, double ops,
                     unsigned *times)
{
    return set->parts[0] ? ops_of_two(u, set, cycles, ops, times) : whole_ops(ops, times);
}

static bool test_set(struct form_units_sets *s, struct form_units *u, struct form_units_set *set)
{
    const unsigned first = blocked_cycles(s, u, set);
    struct form_units_test *t = &u->tests[u->test_count++];

    *t = (struct form_units_test){.set = set, .ops = {(double)NAN, (double)NAN, (double)NAN}};
    t->is_decided = first > 0;
    for (unsigned i = 0; i < FORM_UNITS_LENGTHS && t->is_decided; i++) {
        const unsigned before = t->times;
        t->is_decided = false;
        for (unsigned again = 0; again <= AGAIN && !t->is_decided; again++) {
            double ops;
            if (!measure_ops(s, set, first + i, &ops))
                return false;
            t->ops[i] = fmin(t->ops[i], ops); /* fmin ignores NaN */
            t->is_decided = is_whole(u, set, first + i, t->ops[i], &t->times);
        }
        t->is_decided &= i == 0 || t->times == before;
        if (t->is_decided && t->times == 0)
            break;
    }
    t->is_refuted = t->is_decided && is_too_fast_for(u, t->times, set->count);
    t->is_decided &= !t->is_refuted;
    return true;
}

/* Adds the operations that run within the set of the latest test, and within no smaller set. */
static void add_op(struct form_units *u)
{
    const struct form_units_test *t = &u->tests[u->test_count - 1];
    const unsigned within = t->set->parts[0] ? 0 : ops_within(u, t->set->ports);

    if (!t->is_decided || t->times == within)
        return;
    if (t->times < within || u->op_count == FORM_UNITS_OPS) {
        u->why = REASON_EXPERIMENTS_DISAGREE;
        return;
    }
    u->ops[u->op_count++] = (struct form_units_op){
        .ports = t->set->ports,
        .times = t->times - within,
        .cycles = 1,
        /* one operation keeps all of these units busy, which it could not if it were able to use fewer */
        .is_exact = t->times == 1 && fabs(1 / (t->set->count * u->cycles) - 1) <= BLOCKERS_OFF};
}

/*
 * Operations that the form can have: those of its slots, and those that access memory besides, two for each access, since
 * some cores read and write long vectors in halves (Zen 4: AMD's optimisation guide 57647, 2.11).
 */
static double most_ops(const struct form_units *u)
{
    return u->per_slot * u->slots_most + ACCESS_HALVES * u->accesses;
}

/* Whether the form takes longer than renaming, and operations are left that no set held. */
static bool is_more_wanted(const struct form_units_sets *s, const struct form_units *u)
{
    const unsigned all = ops_within(u, UINT16_MAX);

    return all < u->slots_most && u->cycles * s->width > u->slots_most * (1 + BLOCKERS_OFF);
}

/*
 * Whether two sets at once can show more: both are decided, so that what they hold is known, and no operation that was
 * found may be one of theirs.
 */
static bool is_two_of_use(const struct form_units *u, const struct form_units_set *both)
{
    unsigned known = 0;

    for (size_t i = 0; i < u->test_count; i++)
        known += u->tests[i].is_decided &&
                 (u->tests[i].set->ports == both->parts[0] || u->tests[i].set->ports == both->parts[1]);
    for (size_t i = 0; i < u->op_count; i++)
        if (!(both->ports & ~u->ops[i].ports))
            return false;
    return known == 2;
}

/* What was found of the smallest set of the map that holds all of these units; 0: nothing was. */
static unsigned seen_within(const struct form_units *u, uint16_t ports)
{
    for (size_t i = 0; i < u->test_count; i++)
        if (u->tests[i].is_decided && !u->tests[i].set->parts[0] && !(ports & ~u->tests[i].set->ports))
            return u->tests[i].times;
    return 0;
}

/*
 * Whether operations of two sets may be fewer ones on units that both have: `common` of them, which were found in both.
 * Where as many were found of a set that holds both as of the two together, there are so many more on it. Contradicted
 * by the form's speed alone, or since one slot of the front end holds operations of one kind.
 */
static bool may_be_common(const struct form_units *u, const struct form_units_op *a, const struct form_units_op *b,
                          unsigned common)
{
    const bool more = seen_within(u, a->ports | b->ports) >= a->times + b->times;
    const unsigned kinds = 1u + (a->times > common) + (b->times > common) + more;

    return kinds <= u->per_slot * u->slots_most + u->accesses &&
           !is_too_fast_for(u, common, (unsigned)__builtin_popcount(a->ports & b->ports));
}

/* Whether a third set has units of one of these two, so that it may share operations with them, too. */
static bool has_third(const struct form_units *u, const struct form_units_op *a, const struct form_units_op *b)
{
    for (const struct form_units_op *o = u->ops; o < u->ops + u->op_count; o++)
        if (o != a && o != b && (o->ports & (a->ports | b->ports)))
            return true;
    return false;
}

/*
 * How many operations of two sets are the same ones, on units that both have; `several` where more than one number may
 * be. None are where the form may have them all, which it may not where a slot holds several and these are too many.
 */
static unsigned count_common(const struct form_units *u, const struct form_units_op *a, const struct form_units_op *b,
                             bool *several)
{
    const bool too_many = u->per_slot > 1 && !has_third(u, a, b) && ops_within(u, UINT16_MAX) > most_ops(u);
    unsigned common = 0, numbers = !too_many;

    for (unsigned n = 1; n <= a->times && n <= b->times; n++)
        if (may_be_common(u, a, b, n)) {
            common = n;
            numbers++;
        }
    *several = numbers > 1;
    return common;
}

/*
 * An operation on units that two sets have in common was found in both of them, unless a smaller set held it. Where the
 * form can have no more than one operation, it is that one; where there may be two or one, *u becomes ambiguous.
 */
static void join_common(struct form_units *u)
{
    for (size_t a = 0; a < u->op_count && !u->why; a++)
        for (size_t b = a + 1; b < u->op_count && !u->why; b++) {
            const uint16_t both = u->ops[a].ports & u->ops[b].ports;
            bool several = false;
            if (!both || both == u->ops[a].ports || both == u->ops[b].ports)
                continue;
            const bool is_one = u->per_slot * u->slots_most + u->accesses <= 1;
            const unsigned common = is_one ? 1 : count_common(u, &u->ops[a], &u->ops[b], &several);
            if (several)
                u->why = REASON_AMBIGUOUS;
            if (several || !common)
                continue;
            if (!is_one && u->ops[a].times > common && u->op_count < FORM_UNITS_OPS) {
                u->ops[u->op_count] = u->ops[a];
                u->ops[u->op_count++].times -= common;
            }
            u->ops[a] = (struct form_units_op){.ports = both, .times = common, .cycles = 1};
            if (!is_one && u->ops[b].times > common)
                u->ops[b].times -= common;
            else
                u->ops[b--] = u->ops[--u->op_count];
        }
}

/*
 * Where the form is one operation, besides those that access memory, and each set holds one of these, several
 * operations in a set are one that keeps its unit busy for several cycles, as divisions do.
 */
static void find_long_ops(struct form_units *u)
{
    if (u->per_slot * u->slots_most > 1 || (double)u->op_count < u->slots_most + u->accesses)
        return;
    for (size_t i = 0; i < u->op_count; i++) {
        u->ops[i].cycles = u->ops[i].times;
        u->ops[i].times = 1;
    }
}

/*
 * What contradicts the result: a test that the form's own speed refutes where no operation was found, or more operations
 * than it can have. Where some were found the refuted test only leaves open whether there are more.
 */
static enum reason why_not(struct form_units *u)
{
    bool any = false;

    for (size_t i = 0; i < u->test_count; i++) {
        const struct form_units_test *t = &u->tests[i];
        any |= t->is_decided;
        if (t->is_refuted && !ops_within(u, UINT16_MAX))
            return REASON_EXPERIMENTS_DISAGREE;
        u->is_partial |= !t->is_decided && !t->set->parts[0];
    }
    if (!any)
        return REASON_NOT_BLOCKED;
    return ops_within(u, UINT16_MAX) > most_ops(u) ? REASON_EXPERIMENTS_DISAGREE : REASON_NONE;
}

bool form_units_find(struct form_units_sets *s, unsigned accesses, unsigned per_slot, struct form_units *u)
{
    const struct form_units_mix alone = {.instance = true};

    memset(u, 0, sizeof *u);
    u->accesses = accesses;
    u->per_slot = per_slot;
    if (!s->measure(s->context, &alone, false, &u->cycles))
        return false;
    if (isnan(u->cycles)) {
        u->why = REASON_NO_READINGS;
        return true;
    }
    if (!measure_slots(s, u))
        return false;
    if (!(u->slots_most <= FORM_UNITS_SLOTS)) {
        u->why = REASON_NOT_BLOCKED;
        return true;
    }
    for (size_t i = 0; i < s->count && !u->why; i++) {
        if (!s->all[i].is_usable || (s->all[i].parts[0] && !(is_more_wanted(s, u) && is_two_of_use(u, &s->all[i]))))
            continue;
        if (!test_set(s, u, &s->all[i]))
            return false;
        add_op(u);
    }
    if (!u->why)
        join_common(u);
    find_long_ops(u);
    u->is_partial = is_more_wanted(s, u);
    if (!u->why)
        u->why = why_not(u);
    return true;
}
