#include "lib/structure/issue_order.h"

#include <math.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/sample.h"
#include "lib/structure/tolerances_inflight.h"

enum {
    OPERATIONS = 8,    /* of the first chain at most; in order the last one still overlaps with the second chain */
    LEAST = 4,         /* of the first chain at least: of fewer the last one is too large a part (CHAINS_OVERLAP) */
    INSTRUCTIONS = 56, /* of both chains at most: the instruction windows of old cores are no larger */
    DATA_BYTES = 64,   /* of the area with the pointer to itself that the loads follow */
    COPIES = 8,        /* of fence and chains in one iteration, so that the loop's branch costs little */
    SAMPLES = 5,
    CHAINS = 2
};

/* What follows the fence. */
struct chains {
    bool loads; /* the first chain is of loads, else of multiplications */
    unsigned operations, additions;
    unsigned between; /* additions behind each operation; the rest follows behind all */
};

static void emit_operation(struct code *c, bool loads)
{
    if (loads)
        emit_load(c, REG_T0, REG_T0, 0);
    else
        emit_multiply(c, REG_T1, REG_T1);
}

static void emit_begin(struct code *c)
{
    emit_constant(c, REG_T1, 3);
    emit_constant(c, REG_T2, 0);
    emit_load(c, REG_T0, REG_DATA, 0);
}

static void emit_copy_of_chains(struct code *c, const struct chains *s)
{
    unsigned added = 0;

    emit_fence(c, FENCE_INSTRUCTIONS);
    for (unsigned i = 0; i < s->operations; i++) {
        emit_operation(c, s->loads);
        for (unsigned k = 0; k < s->between && added < s->additions; k++, added++)
            emit_add_constant(c, REG_T2, 1);
    }
    for (; added < s->additions; added++)
        emit_add_constant(c, REG_T2, 1);
}

static void emit_chains(struct code *c, const void *context)
{
    for (unsigned i = 0; i < COPIES; i++)
        emit_copy_of_chains(c, context);
}

/* Sets *cycles to what a copy takes. */
static bool measure(struct probe *p, const struct area *data, struct chains s, double *cycles)
{
    const struct loop l = {.begin = emit_begin,
                           .body = emit_chains,
                           .context = &s,
                           .instructions = COPIES * (1 + s.operations + s.additions) + 16,
                           .data = data->at};

    const bool good = sample_loop(p, SAMPLES, &l, cycles);
    *cycles /= COPIES;
    return good;
}

/* Sets *order to what one kind of first chain shows. */
static bool measure_chain(struct probe *p, const struct area *data, bool loads, enum issue_order *order)
{
    double fence, first, second, apart, mixed;

    *order = ORDER_UNKNOWN;
    if (!measure(p, data, (struct chains){.loads = loads}, &fence) ||
        !measure(p, data, (struct chains){.loads = loads, .operations = OPERATIONS}, &first))
        return false;
    const double each = floor((first - fence) / OPERATIONS + 0.5);
    const unsigned operations = (unsigned)fmin(OPERATIONS, floor(INSTRUCTIONS / fmax(each, 1)));
    if (!(each >= 2 && operations >= LEAST))
        return true;
    const unsigned between = (unsigned)each - 1;
    struct chains s = {.loads = loads, .operations = operations};
    if (!measure(p, data, s, &first))
        return false;
    s = (struct chains){.loads = loads, .additions = between * operations};
    if (!measure(p, data, s, &second))
        return false;
    s.operations = operations;
    if (!measure(p, data, s, &apart))
        return false;
    s.between = between;
    if (!measure(p, data, s, &mixed))
        return false;
    const double shorter = fmin(first, second) - fence, both = first + second - fence;
    if (!(both - mixed > CHAINS_OVERLAP * shorter))
        return true;
    *order = both - apart > CHAINS_OVERLAP * shorter ? OUT_OF_ORDER : IN_ORDER;
    return true;
}

bool issue_order_find(struct probe *p, struct issue_orders *out)
{
    const double entries = facts_number(&p->run->facts, "backend.rob.entries", "", (double)NAN);
    enum issue_order orders[CHAINS];
    struct area data;

    *out = (struct issue_orders){.order = isnan(entries) ? ORDER_UNKNOWN : entries > 0 ? OUT_OF_ORDER : IN_ORDER};
    if (out->order)
        return true;
    if (!probe_map(p, &data, DATA_BYTES, 0))
        return false;
    *(uint64_t *)data.write = data.at;
    for (size_t i = 0; i < CHAINS; i++)
        if (!measure_chain(p, &data, i > 0, &orders[i]))
            return false;
    if (probe_is_smoke(p)) /* at smoke everything is executed, whatever the platform */
        return true;
    out->both = orders[0] == orders[1];
    out->order = !orders[0] || out->both ? orders[1] : !orders[1] ? orders[0] : ORDER_UNKNOWN;
    return true;
}

void issue_order_report_none(struct probe *p, bool both)
{
    for (const struct finding_declaration *d = p->definition->findings; d->name; d++) {
        struct finding f = {.name = d->name,
                            .value = (double)NAN,
                            .low = (double)NAN,
                            .high = (double)NAN,
                            .grade = 'U',
                            .reason = REASON_IN_ORDER,
                            .method = "two independent dependency chains"};
        if (!strcmp(d->name, "backend.rob.entries")) {
            f.value = 0;
            f.grade = both ? 'B' : 'C';
            f.reason = REASON_NONE;
        }
        report(p, &f);
    }
}
