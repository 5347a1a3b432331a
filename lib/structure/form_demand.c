#include "lib/structure/form_demand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/form_read.h"
#include "lib/structure/form_decide.h"
#include "lib/structure/instruction_once.h"
#include "lib/structure/mixes.h"
#include "lib/structure/tolerances_ports.h"

enum {
    ORDERS = 12,        /* of an instance and blockers that are tried */
    EACH = 24,          /* blockers that show what each takes */
    CYCLES_LEAST = 3,   /* of blockers beside an instance, so that schedulers find what is free */
    NOP_BYTES_MOST = 8, /* as in user_limits.c */
    KEPT_LOWER_BITS = 128,
    KEPT_BITS = 256, /* of a vector register of which a part is kept */
    AGAIN = 4,       /* times that are tried where a reading was disturbed, or a form while the core was slower */
    ROOM = 64
};
/* ---- Blockers ------------------------------------------------------------------------------------- */

static bool measure_blockers(struct form_demands *d, size_t class, unsigned count)
{
    struct form_units_mix m = {.order = 0};

    if (d->blocked[class][count] > 0)
        return true;
    m.times[class] = (uint8_t)count;
    for (unsigned i = 0; i < AGAIN && !(d->blocked[class][count] > 0); i++)
        if (!form_units_measure_best(&d->sets, m, 0, &d->blocked[class][count]))
            return false;
    return true;
}

static bool measure_each(struct form_demands *d, size_t class)
{
    if (!measure_blockers(d, class, EACH))
        return false;
    d->each[class] = d->blocked[class][EACH] / EACH;
    return true;
}

/* The units of each class, where a map of them is known. */
static void take_units(struct form_demands *d, const struct mixes *m)
{
    const struct fact_units *known = &d->group.probe->run->facts.units;

    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < known->count; k++)
            if (i == m->load || i == m->store ? !known->of[k].form && known->of[k].is_store == (i == m->store)
                                              : known->of[k].form == m->forms[i])
                d->units[i] = known->of[k].ports;
}

bool form_demands_start(struct form_demands *d, struct probe *p)
{
    struct mixes m = {.count = 0};

    d->group.probe = p;
    mixes_choose(&m, (size_t)probe_smoke(p, 2, PORTS_CLASSES), NULL, NULL, true);
    for (size_t i = 0; i < m.count; i++) {
        d->classes[i] = m.classes[i];
        d->group.blockers[i] = (struct blocker){.kind = i == m.load    ? BLOCKER_LOAD
                                                        : i == m.store ? BLOCKER_STORE
                                                                       : BLOCKER_FORM,
                                                .form = m.forms[i]};
    }
    take_units(d, &m);
    d->classes[DEMAND_FRONT_END] = "front end";
    d->group.blockers[DEMAND_FRONT_END].kind = BLOCKER_NOP; /* long ones: some cores keep two short ones as one */
    for (const unsigned *length = emit_nop_lengths; *length && *length <= NOP_BYTES_MOST; length++)
        d->group.blockers[DEMAND_FRONT_END].nop_bytes = *length;
    d->sets.orders = (unsigned)probe_smoke(p, 1, ORDERS);
    d->sets.measure = form_bench_measure;
    d->sets.context = &d->group;
    d->group.form = m.forms[0]; /* it is not executed: only blockers are */
    return probe_map(p, &d->group.data, BLOCKERS_DATA_AT + BLOCKERS_DATA_BYTES, 0) && measure_each(d, DEMAND_FRONT_END);
}

/* Forgets all forms, and what blockers take. */
static void forget(struct form_demands *d)
{
    d->count = d->groups = 0;
    memset(d->each, 0, sizeof d->each);
    memset(d->blocked, 0, sizeof d->blocked);
    d->forgotten++;
}

/*
 * Whether the front end is as fast as it ever was: a sibling thread that is awake takes its share, from the first
 * reading on perhaps. Where it is faster, all that was measured before was disturbed, and is forgotten. False: the probe
 * is over.
 */
static bool check_front_end(struct form_demands *d, bool *holds)
{
    const double before = d->each[DEMAND_FRONT_END];

    d->blocked[DEMAND_FRONT_END][EACH] = 0;
    if (!measure_each(d, DEMAND_FRONT_END))
        return false;
    const double now = d->each[DEMAND_FRONT_END];
    *holds = form_is_same_pace(now, before);
    if (!*holds && now < before)
        forget(d);
    d->each[DEMAND_FRONT_END] = now > 0 ? fmin(now, before) : before;
    return true;
}

void form_demands_end(struct form_demands *d)
{
    free(d->all);
    memset(d, 0, sizeof *d);
}

/* ---- Time of units -------------------------------------------------------------------------------- */

/*
 * Blockers of the class beside which the form itself is no limit, and the front end none for both; 0: there are too
 * many, or the class takes all that the front end delivers.
 */
static unsigned blockers_beside(const struct form_demands *d, const struct form_demand *f, size_t class)
{
    const double each = d->each[class], width = 1 / d->each[DEMAND_FRONT_END], room = width - 1 / each;
    double cycles = fmax(CYCLES_LEAST, f->alone * BLOCKED_LONGER);

    if (!(each > 0) || (class != DEMAND_FRONT_END && !(room >= 1)))
        return 0;
    if (class != DEMAND_FRONT_END)
        cycles = fmax(cycles, (f->of[DEMAND_FRONT_END] * width + BLOCKED_SLOTS_FREE) / room);
    return cycles / each <= FORM_UNITS_MOST ? (unsigned)ceil(cycles / each) : 0;
}

/* A whole number of operations where it is one; what is less than one is none, in an order that could be better. */
static double whole_ops(double ops)
{
    const double whole = floor(ops + 0.5);

    if (!(ops > 1 - BLOCKED_WHOLE))
        return 0;
    return fabs(ops - whole) <= BLOCKED_WHOLE ? whole : ops;
}

/*
 * Slots that are left of a front end that delivers an instance and blockers of so many cycles. Filled with blanks they
 * keep schedulers from filling up, in which operations are then bound to units that turn out to be busy.
 */
static unsigned blanks_beside(const struct form_demands *d, const struct form_demand *f, size_t class, unsigned count)
{
    const double each = d->each[DEMAND_FRONT_END];
    const double left = (count * d->each[class] - f->of[DEMAND_FRONT_END]) / each - count - BLOCKED_SLOTS_FREE;

    return class == DEMAND_FRONT_END || !(left >= 1) ? 0 : (unsigned)fmin(left, FORM_UNITS_MOST);
}

static bool measure_class(struct form_demands *d, struct form_demand *f, size_t class)
{
    struct form_units_mix m = {.instance = true};
    const unsigned count = blockers_beside(d, f, class);
    double with;

    f->of[class] = class == DEMAND_FRONT_END ? d->each[class] : 0; /* no instruction takes less than a slot */
    if (!count)
        return true;
    m.times[class] = (uint8_t)count;
    if (!measure_blockers(d, class, count))
        return false;
    const double without = d->blocked[class][count];
    const double enough = without + BLOCKED_NEAR * d->each[class];
    if (!form_units_measure_best(&d->sets, m, enough, &with))
        return false;
    m.times[DEMAND_FRONT_END] = (uint8_t)(m.times[DEMAND_FRONT_END] + blanks_beside(d, f, class, count));
    if (!(with <= enough) && class != DEMAND_FRONT_END) {
        double held;
        if (!form_units_measure_best(&d->sets, m, enough, &held))
            return false;
        with = fmin(with, held);
    }
    if (!isnan(with - without))
        f->of[class] = fmax(f->of[class], d->each[class] * whole_ops((with - without) / d->each[class]));
    if (!f->is_serial)
        f->of[class] = fmin(f->of[class], f->alone); /* instances alone take no longer than they keep units busy */
    return true;
}

/* ---- Latencies ------------------------------------------------------------------------------------ */

static void measure_latencies(struct form_demands *d, struct form_demand *f)
{
    static struct instruction_chains chains;
    struct probe *p = d->group.probe;
    double least = (double)INFINITY;

    for (unsigned i = 0; i < FORM_OPERANDS; i++)
        for (unsigned k = 0; k < FORM_OPERANDS; k++)
            f->latency[i][k] = (double)NAN;
    instruction_measure_chains(p, &d->group.data, f->form, f->alone, &d->ways, &chains);
    for (unsigned i = 0; i < chains.count; i++) {
        const struct instruction_chain *c = &chains.chain[i];
        /* both experiments on a latency give an upper bound of it */
        f->latency[c->from][c->to] = c->why.reason == REASON_NO_DEPENDENCE
                                         ? 0
                                         : fmax(0, fmin(instruction_latency(c), c->second));
        if (!c->bridge_count)
            least = fmin(least, f->latency[c->from][c->to]); /* fmin ignores NaN */
    }
    if (!form_can_use_one_register(f->form) || isinf(least))
        return;
    struct form_kernel w = {.form = f->form, .instances = instruction_instances(p), .one_register = true};
    const struct instruction_cost cost = instruction_cost_measure(p, &d->group.data, &w);
    f->is_idiom = !cost.why.reason && form_is_idiom(cost.cycles, least);
}

/*
 * An instruction that changes a word of memory waits for the one before that changed the same word: instances at one
 * address take as long as the way through memory, which is shorter where the address is known early than in chains
 * whose addresses wait for what was loaded.
 */
static void measure_in_place(struct form_demands *d, struct form_demand *f, unsigned operand)
{
    struct form_kernel w = {.form = f->form,
                            .from = FORM_NO_CHAIN,
                            .to = FORM_NO_CHAIN,
                            .instances = instruction_instances(d->group.probe)};
    const struct instruction_cost cost = instruction_cost_measure(d->group.probe, &d->group.data, &w);

    if (!cost.why.reason)
        f->latency[operand][operand] = fmin(f->latency[operand][operand], cost.cycles); /* fmin ignores NaN */
}

/*
 * What is written waits for what the register held where instances that write the same register take longer than others.
 */
static void measure_kept(struct form_demands *d, struct form_demand *f, unsigned operand)
{
    static const unsigned bits[DEMAND_KEPT] = {KEPT_LOWER_BITS, KEPT_BITS};

    for (unsigned i = 0; i < DEMAND_KEPT; i++) {
        struct form_kernel w = {.form = f->form,
                                .from = FORM_NO_CHAIN,
                                .to = FORM_NO_CHAIN,
                                .instances = instruction_instances(d->group.probe),
                                .kept_bits = bits[i]};
        const struct instruction_cost cost = instruction_cost_measure(d->group.probe, &d->group.data, &w);
        f->kept[operand][i] = cost.why.reason ? 0 : form_kept_cycles(cost.cycles, f->alone);
    }
}

/* ---- Groups --------------------------------------------------------------------------------------- */

static bool is_hidden(const struct form_demand *f)
{
    double most = 0;

    for (size_t i = 0; i < DEMAND_CLASSES; i++)
        most = fmax(most, f->of[i]);
    return !f->is_serial && form_has_hidden_limit(f->alone, most);
}

/* Whether instances of it can be blockers: each with its own registers, and waiting for nothing. */
static bool can_block(const struct form *f)
{
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct form_operand *o = form_operand(f, i);
        const bool is_chosen = (o->kind == OPERAND_GENERAL || o->kind == OPERAND_VECTOR) && form_has_field(o);
        const bool is_written = o->kind == OPERAND_FLAGS && o->access == OPERAND_WRITE;
        if ((!is_chosen && !is_written && o->kind != OPERAND_IMMEDIATE) || form_keeps_part(f, i))
            return false;
    }
    return f->class == FORM_ORDINARY;
}

/* Whether one of a beside blockers b, about as many as take as long, takes as long as all do alone. */
static bool measure_sharing(struct form_demands *d, const struct form_demand *a, const struct form_demand *b,
                            bool *shares)
{
    const unsigned count = (unsigned)fmin(fmax(1, floor(a->alone / b->alone + 0.5)), FORM_UNITS_MOST);
    const double shared = form_shared_from(a->alone, count * b->alone);
    struct form_units_mix m = {.instance = true};
    size_t unused = 0; /* a class that has no blocker of its own */
    double both;

    *shares = false;
    while (unused < DEMAND_FRONT_END && d->classes[unused])
        unused++;
    if (unused == DEMAND_FRONT_END || !can_block(b->form))
        return true;
    d->group.blockers[unused] = (struct blocker){.kind = BLOCKER_FORM, .form = b->form};
    m.times[unused] = (uint8_t)count;
    form_fill_data(a->form, FORM_VALUES_ONE, d->group.data.write);
    d->group.form = a->form;
    if (!form_units_measure_best(&d->sets, m, shared, &both))
        return d->group.why.reason != REASON_NONE;
    *shares = both > shared;
    return true;
}

static bool find_group(struct form_demands *d, struct form_demand *f)
{
    for (unsigned i = 0; i < d->groups && !f->group && is_hidden(f); i++) {
        const struct form_demand *first = d->all;
        bool shares, turned = false;
        while (first->form != d->first_of_group[i])
            first++;
        if (!measure_sharing(d, f, first, &shares) || (!shares && !measure_sharing(d, first, f, &turned)))
            return false;
        f->group = shares || turned ? i + 1 : 0;
    }
    if (!f->group && is_hidden(f) && d->groups < DEMAND_GROUPS) {
        d->first_of_group[d->groups++] = f->form;
        f->group = d->groups;
    }
    return true;
}

/* ---- A form --------------------------------------------------------------------------------------- */

/* False: nothing more can be measured. */
static bool measure_form(struct form_demands *d, struct form_demand *f)
{
    struct probe *p = d->group.probe;
    const struct form_units_mix alone = {.instance = true};

    f->why = instruction_execute_once(p, &d->group.data, f->form).why;
    if (!f->why.reason && (form_needs_companions(f->form) || f->form->class == FORM_STREAMS))
        f->why = why_of(REASON_NO_INDEPENDENT_INSTANCES);
    if (f->why.reason)
        return true;
    f->is_serial = form_depends_on_itself(f->form);
    form_fill_data(f->form, FORM_VALUES_ONE, d->group.data.write);
    d->group.form = f->form;
    d->group.why = why_of(REASON_NONE);
    if (!form_units_measure_best(&d->sets, alone, 0, &f->alone)) {
        f->why = d->group.why;
        return f->why.reason != REASON_NONE;
    }
    for (unsigned i = 0; i < AGAIN && isnan(f->alone); i++)
        if (!form_units_measure_best(&d->sets, alone, 0, &f->alone))
            return false;
    if (isnan(f->alone)) {
        f->why = why_of(REASON_NO_READINGS);
        return true;
    }
    for (size_t i = DEMAND_CLASSES; i-- > 0;) /* the front end first: the others need room there */
        if (d->classes[i] && ((!(d->each[i] > 0) && !measure_each(d, i)) || !measure_class(d, f, i)))
            return false;
    measure_latencies(d, f);
    for (unsigned i = 0; i < f->form->operand_count; i++) {
        const struct form_operand *o = form_operand(f->form, i);
        if (form_keeps_part(f->form, i) && !(o->access & OPERAND_READ))
            measure_kept(d, f, i);
        if (o->kind == OPERAND_MEMORY && o->access == (OPERAND_READ | OPERAND_WRITE))
            measure_in_place(d, f, i);
    }
    if (!find_group(d, f))
        return false;
    return probe_goes_on(p);
}

const struct form_demand *form_demands_of(struct form_demands *d, const struct form *f)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->all[i].form == f)
            return &d->all[i];
    if (d->count == d->room) {
        const size_t room = d->room ? 2 * d->room : ROOM;
        struct form_demand *more = realloc(d->all, room * sizeof *more);
        if (!more)
            return NULL;
        d->all = more;
        d->room = room;
    }
    struct form_demand *found = NULL;
    const unsigned groups = d->groups;
    bool holds = false;
    for (unsigned i = 0; i < AGAIN && !holds; i++) {
        d->groups = d->groups < groups ? d->groups : groups; /* less where all was forgotten */
        d->all[d->count] = (struct form_demand){.form = f};
        found = &d->all[d->count];
        if (!measure_form(d, found) || !check_front_end(d, &holds))
            return NULL;
    }
    d->count += found->why.reason != REASON_NO_READINGS; /* the next kernel with it tries again */
    return found;
}
