#include "lib/structure/instruction_latency.h"

#include <math.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/probe/probe.h"

/* Registers that a direct chain rotates through, at most. Chosen: other operands' chains are then an eighth as long. */
enum { ROTATING_MOST = 8 };
/* Pairs of exclusive ors that lengthen a chain, at most. Chosen: with more, a kernel is longer than a loop buffer. */
enum { LENGTHENED_MOST = 8 };
/*
 * Relative amount by which a chain must take longer than what goes on beside it (independent instances, chains through
 * other operands) to be what limits the kernel. A chain that takes less than its bridges by this part is broken.
 * Chosen: several times the 1 % to which latencies are whole numbers.
 */
static const double LIMITS_PART = 0.1;

static struct form_kernel chain_kernel(const struct probe *p, const struct form *f, unsigned from, unsigned to)
{
    return (struct form_kernel){.form = f, .from = from, .to = to, .instances = instruction_instances(p)};
}

static struct instruction_chain *add_chain(struct instruction_chains *chains, unsigned from, unsigned to)
{
    struct instruction_chain *c = &chains->chain[chains->count++];

    *c = (struct instruction_chain){.from = from, .to = to, .second = (double)NAN};
    return c;
}

/* Notes the code of the kernel as evidence. */
static void note_kernel(struct instruction_chain *c, const struct form_kernel *w)
{
    memcpy(c->bridges, w->bridges, sizeof c->bridges);
    memcpy(c->bytes, w->bytes, sizeof c->bytes);
    c->bridge_count = w->bridge_count;
    c->bridge_cycles = w->bridge_cycles;
    c->period = w->period;
}

/* ---- Direct chains -------------------------------------------------------------------------------- */

/*
 * Takes the loop off a chain whose cycles are no whole number: the end of the loop has to be executed as well, and may
 * delay what the chain waits for.
 */
static void remove_loop(struct probe *p, const struct area *data, struct form_kernel w, struct instruction_chain *c)
{
    if (instruction_is_whole(c->raw) || probe_is_smoke(p))
        return;
    w.instances = 2 * instruction_instances(p);
    const struct instruction_cost twice = instruction_cost_measure(p, data, &w);
    if (!twice.why.reason)
        instruction_cost_without_loop(c->raw, twice.cycles, &c->cycles);
}

/* Cycles of the chain from an operand to itself, as far as it was measured; 0: there is none. */
static double own_chain_cycles(const struct instruction_chains *chains, unsigned operand)
{
    double cycles = 0;

    for (unsigned i = 0; i < chains->count; i++)
        if (chains->chain[i].from == operand && chains->chain[i].to == operand)
            cycles = chains->chain[i].cycles;
    return cycles;
}

/*
 * Measures a direct chain. The operand that is written may be read as well, which makes a second chain from it to
 * itself. With n rotating registers that chain takes one nth for each instance: n is doubled until it is not what
 * limits the kernel.
 */
static void measure_direct(struct probe *p, const struct area *data, const struct form *f, double throughput,
                           unsigned from, unsigned to, struct instruction_chains *chains)
{
    const bool rotates = form_chain_rotates(f, from, to);
    const unsigned most = rotates ? ROTATING_MOST : FORM_ROTATING;
    struct instruction_chain *c = add_chain(chains, from, to);
    double limit = throughput;

    for (unsigned rotating = FORM_ROTATING; rotating <= most && !c->why.reason; rotating *= 2) {
        struct form_kernel w = chain_kernel(p, f, from, to);
        w.rotating = rotating;
        const struct instruction_cost cost = instruction_cost_measure(p, data, &w);
        c->why = cost.why;
        c->cycles = c->raw = cost.cycles;
        c->spread = cost.spread;
        note_kernel(c, &w);
        if (!c->why.reason)
            remove_loop(p, data, w, c);
        const double beside = from == to ? 0 : own_chain_cycles(chains, to) / (rotates ? rotating : 1);
        if (c->cycles > beside * (1 + LIMITS_PART))
            break;
        if (2 * rotating > most)
            limit = fmax(limit, beside);
    }
    c->is_bound = c->bridge_count > 0 || !(c->cycles > limit * (1 + LIMITS_PART));
}

/* ---- Chains through bridges ----------------------------------------------------------------------- */

/* Of several bridges, which see different flags, the one counts whose chain takes the most cycles. */
static void measure_bridged(struct probe *p, const struct area *data, const struct form *f, unsigned from, unsigned to,
                            struct instruction_chains *chains)
{
    const unsigned variants = form_bridge_count(f, from, to);
    const bool is_mask = form_operand(f, from)->is_cleared;
    struct instruction_chain *c = add_chain(chains, from, to);

    c->is_bound = true;
    c->cycles = c->raw = (double)NAN;
    if (is_mask)
        form_fill_data(f, FORM_VALUES_MASK, data->write);
    for (unsigned variant = 0; variant < variants && !c->why.reason; variant++) {
        struct form_kernel w = chain_kernel(p, f, from, to);
        w.variant = variant;
        w.values = is_mask ? FORM_VALUES_MASK : FORM_VALUES_ONE;
        const struct instruction_cost cost = instruction_cost_measure(p, data, &w);
        c->why = cost.why;
        if (c->why.reason)
            c->cycles = (double)NAN;
        if (c->why.reason || (variant > 0 && !(cost.cycles > c->cycles)))
            continue;
        c->cycles = c->raw = cost.cycles;
        c->spread = cost.spread;
        note_kernel(c, &w);
    }
    if (is_mask)
        form_fill_data(f, FORM_VALUES_ONE, data->write);
    /* VPCONFLICT of one element that is broadcast, on Zen 4: the result is the same whatever is loaded */
    if (c->cycles < c->bridge_cycles * (1 - LIMITS_PART)) {
        c->why.reason = REASON_NO_DEPENDENCE;
        c->cycles = (double)NAN;
    }
}

/* ---- Indirect chains ------------------------------------------------------------------------------ */

/*
 * Cycles of the way to a general register by this bridge and back; NaN: not known. The way back is by the same bridge
 * that the indirect chain takes: SSE's, which merges with what the register held, takes longer than AVX's on Zen 4.
 */
static double way_cycles(struct probe *p, const struct area *data, struct indirect_ways *ways,
                         const struct form_bridge *out)
{
    const struct form *f = form_find(out->name);
    unsigned i = 0;

    while (i < INSTRUCTION_INDIRECT_WAYS && ways->way[i].out && ways->way[i].out != out)
        i++;
    if (i == INSTRUCTION_INDIRECT_WAYS || !f || !form_bridge_count(f, 1, 0))
        return (double)NAN;
    if (!ways->way[i].out) {
        struct form_kernel w = chain_kernel(p, f, 1, 0);
        w.bits = out->bits;
        const struct instruction_cost cost = instruction_cost_measure(p, data, &w);
        ways->way[i].out = out;
        ways->way[i].cycles = cost.why.reason ? (double)NAN : cost.cycles;
    }
    return ways->way[i].cycles;
}

/*
 * The second experiment: the same chain by the indirect way, less what that way costs alone. A chain of what is loaded
 * has other bridges besides, which come off with the cycles that they take at least, as they do in the first
 * experiment.
 */
static void measure_indirect(struct probe *p, const struct area *data, const struct form *f, struct indirect_ways *ways,
                             struct instruction_chain *c)
{
    struct form_kernel w = chain_kernel(p, f, c->from, c->to);
    const struct form_bridge *out = NULL;

    w.indirect = true;
    const struct instruction_cost cost = instruction_cost_measure(p, data, &w);
    for (unsigned i = 0; i < w.bridge_count && !out; i++)
        if (w.bridges[i]->from != OPERAND_GENERAL && w.bridges[i]->to == OPERAND_GENERAL)
            out = w.bridges[i];
    if (!cost.why.reason && out)
        c->second = cost.cycles - (way_cycles(p, data, ways, out) + c->bridge_cycles);
}

/* ---- Lengthened chains ---------------------------------------------------------------------------- */

/*
 * Where instances alone take as long as the chain, it may be they that limit it, and the latency is less: the second
 * experiment is a chain that is longer than instances alone take. Of bridges that see different flags the longest counts.
 */
static void measure_lengthened(struct probe *p, const struct area *data, const struct form *f, double throughput,
                               struct instruction_chain *c)
{
    const unsigned pairs = (unsigned)fmin(fmax(1, ceil(throughput)), LENGTHENED_MOST);
    const unsigned variants = form_lengthened_count(f, c->from, c->to);
    double most = (double)NAN;

    if (!(c->cycles <= throughput * (1 + LIMITS_PART)) || !(throughput < 2 * LENGTHENED_MOST))
        return;
    for (unsigned variant = 0; variant < variants; variant++) {
        struct form_kernel w = chain_kernel(p, f, c->from, c->to);
        w.variant = variant;
        w.lengthened = pairs;
        const struct instruction_cost cost = instruction_cost_measure(p, data, &w);
        if (cost.why.reason)
            return;
        most = fmax(most, cost.cycles - w.bridge_cycles); /* fmax ignores NaN */
    }
    if (most + c->bridge_cycles > throughput * (1 + LIMITS_PART))
        c->second = fmax(0, most - 2 * pairs);
}

/* ---- All of a form -------------------------------------------------------------------------------- */

/* Direct chains from an operand to itself come first: the others are compared with them. */
void instruction_measure_chains(struct probe *p, const struct area *data, const struct form *f, double throughput,
                                struct indirect_ways *ways, struct instruction_chains *chains)
{
    chains->count = 0;
    for (unsigned to_itself = 2; to_itself-- > 0;)
        for (unsigned from = 0; from < f->operand_count; from++)
            for (unsigned to = 0; to < f->operand_count; to++)
                if ((from == to) == (to_itself > 0) && form_can_chain(f, from, to) &&
                    chains->count < INSTRUCTION_CHAINS)
                    measure_direct(p, data, f, throughput, from, to, chains);
    for (unsigned from = 0; from < f->operand_count; from++)
        for (unsigned to = 0; to < f->operand_count; to++)
            if (form_bridge_count(f, from, to) && chains->count < INSTRUCTION_CHAINS)
                measure_bridged(p, data, f, from, to, chains);
    for (unsigned i = 0; i < chains->count; i++)
        if (!chains->chain[i].why.reason && form_can_chain_indirectly(f, chains->chain[i].from, chains->chain[i].to))
            measure_indirect(p, data, f, ways, &chains->chain[i]);
    for (unsigned i = 0; i < chains->count; i++)
        if (!chains->chain[i].why.reason)
            measure_lengthened(p, data, f, throughput, &chains->chain[i]);
}

double instruction_latency(const struct instruction_chain *c)
{
    return isnan(c->cycles) ? c->cycles : fmax(0, c->cycles - c->bridge_cycles);
}

struct why instruction_chain_remark(const struct instruction_chain *c)
{
    struct why why = c->why;

    if (!why.reason && !isnan(c->cycles) && !instruction_is_whole(c->cycles))
        why.reason = c->spread > instruction_whole_within(c->cycles) ? REASON_UNSTEADY : REASON_MEAN_OF_WAYS;
    return why;
}
