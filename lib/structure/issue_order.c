#include "lib/structure/issue_order.h"

#include <math.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/sample.h"
#include "lib/structure/tolerances_inflight.h"

enum {
    OPERATIONS = 8,  /* of a chain; in order the last one of the first chain still overlaps with the second */
    DATA_BYTES = 64, /* of the area with the pointer to itself that the loads follow */
    COPIES = 8,      /* of fence and chains in one iteration, so that the loop's branch costs little */
    SAMPLES = 5,
    CHAINS = 2,      /* behind a fence */
    CYCLES_LEAST = 2 /* of an operation: see CHAINS_OVERLAP */
};

/* What follows the fence. */
struct chains {
    bool loads;                  /* the operations are loads, else multiplications */
    unsigned operations[CHAINS]; /* of each chain */
    bool interleaved;            /* an operation of one chain, then one of the other; else one chain behind the other */
};

static void emit_operation(struct code *c, bool loads, unsigned chain)
{
    static const enum reg pointers[CHAINS] = {REG_T0, REG_T2}, factors[CHAINS] = {REG_T1, REG_T3};

    if (loads)
        emit_load(c, pointers[chain], pointers[chain], 0);
    else
        emit_multiply(c, factors[chain], factors[chain]);
}

static void emit_begin(struct code *c)
{
    emit_constant(c, REG_T1, 3);
    emit_constant(c, REG_T3, 3);
    emit_load(c, REG_T0, REG_DATA, 0);
    emit_load(c, REG_T2, REG_DATA, 0);
}

static void emit_copy_of_chains(struct code *c, const struct chains *s)
{
    emit_fence(c, FENCE_INSTRUCTIONS);
    for (unsigned i = 0; i < s->operations[0]; i++) {
        emit_operation(c, s->loads, 0);
        if (s->interleaved)
            emit_operation(c, s->loads, 1);
    }
    for (unsigned i = 0; i < s->operations[1] && !s->interleaved; i++)
        emit_operation(c, s->loads, 1);
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
                           .instructions = COPIES * (1 + s.operations[0] + s.operations[1]) + 16,
                           .data = data->at};

    const bool good = sample_loop(p, SAMPLES, &l, cycles);
    *cycles /= COPIES;
    return good;
}

/* Sets *order to what one kind of operation shows. */
static bool measure_kind(struct probe *p, const struct area *data, bool loads, enum issue_order *order)
{
    double fence, one, behind, interleaved;

    *order = ORDER_UNKNOWN;
    if (!measure(p, data, (struct chains){.loads = loads}, &fence) ||
        !measure(p, data, (struct chains){.loads = loads, .operations = {OPERATIONS}}, &one) ||
        !measure(p, data, (struct chains){.loads = loads, .operations = {OPERATIONS, OPERATIONS}}, &behind) ||
        !measure(p, data, (struct chains){.loads = loads, .operations = {OPERATIONS, OPERATIONS}, .interleaved = true},
                 &interleaved))
        return false;
    const double chain = one - fence, both = fence + 2 * chain;
    if (chain < (CYCLES_LEAST - 0.5) * OPERATIONS || !(both - interleaved > CHAINS_OVERLAP * chain))
        return true;
    *order = both - behind > CHAINS_OVERLAP * chain ? OUT_OF_ORDER : IN_ORDER;
    return true;
}

bool issue_order_find(struct probe *p, struct issue_orders *out)
{
    const double entries = facts_number(&p->run->facts, "backend.rob.entries", "", (double)NAN);
    enum issue_order orders[2];
    struct area data;

    *out = (struct issue_orders){.order = isnan(entries) ? ORDER_UNKNOWN : entries > 0 ? OUT_OF_ORDER : IN_ORDER};
    if (out->order)
        return true;
    if (!probe_map(p, &data, DATA_BYTES, 0))
        return false;
    *(uint64_t *)data.write = data.at;
    for (size_t i = 0; i < 2; i++)
        if (!measure_kind(p, &data, i > 0, &orders[i]))
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
