#include "lib/structure/instruction_throughput.h"

#include <math.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/probe/probe.h"

/* NOPs for each instance in VARIANT_MANY_NOPS, at most. Chosen: with more, a microcoded instruction may take longer. */
enum { NOPS_MOST = 8 };
/* NOPs for each instance in VARIANT_FEW_NOPS: enough to change the layout of the code, too few to be what limits it. */
static const double FEW_NOPS = 0.125;
/*
 * Factor by which instances of the longer kernel must take longer for the form to have no throughput of its own:
 * buffers are full after some of them. For forms of class FORM_STREAMS only. Chosen: the kernels' lengths differ by it.
 */
static const double LENGTHS_APART = 2;
/* Relative difference up to which one round confirms another. */
static const double CONFIRMED_PART = 0.01;

/* Measures the throughput of this round, with or without varying the location; keeps what takes fewer cycles. */
static struct why measure_independent(struct probe *p, const struct area *data, const struct form *f, bool varies,
                                      struct instruction_throughput *t)
{
    const unsigned n = instruction_instances(p);
    struct form_kernel w = {
        .form = f, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = n, .varies_location = varies};

    const struct instruction_cost once = instruction_cost_measure(p, data, &w);
    if (once.why.reason)
        return once.why;
    w.instances = 2 * n;
    const struct instruction_cost twice = instruction_cost_measure(p, data, &w);
    if (twice.why.reason)
        return twice.why;
    struct instruction_throughput found = {.once = once.cycles, .twice = twice.cycles, .varies_location = varies};
    const bool is_steady = instruction_cost_without_loop(once.cycles, twice.cycles, &found.cycles);
    if (!is_steady) {
        const bool grows = f->class == FORM_STREAMS && twice.cycles > LENGTHS_APART * once.cycles;
        found.cycles = grows ? (double)NAN : fmin(once.cycles, twice.cycles);
    }
    found.is_bound = !is_steady || form_depends_on_itself(f) || form_needs_companions(f) ||
                     f->class == FORM_TAKEN; /* predictors may be what limits it */
    if (!varies || found.cycles < t->cycles)
        *t = found;
    return why_of(REASON_NONE);
}

static double measure_variant(struct probe *p, const struct area *data, struct form_kernel w)
{
    w.instances = instruction_instances(p);
    const struct instruction_cost cost = instruction_cost_measure(p, data, &w);
    return cost.why.reason ? (double)NAN : cost.cycles;
}

/* NOPs that the core takes beside an instance of so many cycles without becoming slower. */
static double many_nops(const struct probe *p, double cycles)
{
    const double nop = p->run->meter.nop_cycles; /* cycles; 0 or NaN where they are not known */

    return nop > 0 && cycles > 0 ? fmin(floor(cycles / nop) - 1, NOPS_MOST) : 0;
}

static void measure_variants(struct probe *p, const struct area *data, const struct form *f,
                             struct instruction_rounds *t)
{
    const unsigned at = t->count;
    const struct form_kernel unchanged = {
        .form = f, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .varies_location = t->round[at].varies_location};
    struct form_kernel w = unchanged;

    for (unsigned i = 0; i < INSTRUCTION_VARIANTS; i++)
        t->variant[i][at] = (double)NAN;
    w.nops = FEW_NOPS;
    t->variant[VARIANT_FEW_NOPS][at] = measure_variant(p, data, w);
    w.nops = many_nops(p, t->round[at].cycles);
    if (w.nops > 0)
        t->variant[VARIANT_MANY_NOPS][at] = measure_variant(p, data, w);
    w = unchanged;
    if (form_can_use_one_register(f)) {
        w.one_register = true;
        t->variant[VARIANT_ONE_REGISTER][at] = measure_variant(p, data, w);
        w.varies_location = false;
        w.from = w.to = 0; /* any operand makes it a chain */
        t->variant[VARIANT_ONE_REGISTER_CHAIN][at] = measure_variant(p, data, w);
    }
    w = unchanged;
    for (w.values = FORM_VALUES_ONE + 1; w.values < FORM_VALUES; w.values++)
        if (form_takes_values(f, w.values)) {
            form_fill_data(f, w.values, data->write);
            t->variant[VARIANT_VALUES + w.values][at] = measure_variant(p, data, w);
        }
}

/* The minimum that others confirm; where none is confirmed, the minimum. NaN: there are no values. */
static double confirmed_minimum(const double *values, size_t count, bool *is_confirmed)
{
    double sorted[INSTRUCTION_ROUNDS];

    memcpy(sorted, values, count * sizeof *values);
    sort_numbers(sorted, count);
    const double found = least_confirmed(sorted, count, CONFIRMED_PART);
    *is_confirmed = !isnan(found);
    return *is_confirmed || !count ? found : sorted[0];
}

double instruction_variant_cycles(const struct instruction_rounds *t, unsigned variant)
{
    bool is_confirmed;

    return confirmed_minimum(t->variant[variant], t->count, &is_confirmed);
}

/*
 * The throughput of all rounds, and of the variants with NOPs, which take less where the layout of the code, a
 * dependence through registers or a full scheduler is what limits the others. Where at least half the rounds have no
 * number there is none, since the others were disturbed.
 */
static void choose_best(struct instruction_rounds *t)
{
    double cycles[INSTRUCTION_ROUNDS];
    unsigned count = 0;

    for (unsigned i = 0; i < t->count; i++)
        if (!isnan(t->round[i].cycles))
            cycles[count++] = t->round[i].cycles;
    if (2 * count <= t->count) {
        t->best = t->round[t->count - 1];
        t->best.cycles = (double)NAN;
        t->best.is_bound = true;
        t->is_confirmed = t->count > 2;
        return;
    }
    const double best = confirmed_minimum(cycles, count, &t->is_confirmed);
    for (unsigned i = 0; i < t->count; i++)
        if (t->round[i].cycles >= best && t->round[i].cycles <= best) /* NaN is neither */
            t->best = t->round[i];
    t->best.is_bound |= !t->is_confirmed;
    for (unsigned variant = VARIANT_FEW_NOPS; variant <= VARIANT_MANY_NOPS; variant++)
        t->best.cycles = fmin(t->best.cycles, instruction_variant_cycles(t, variant)); /* fmin ignores NaN */
}

void instruction_rounds_start(struct instruction_rounds *t)
{
    memset(t, 0, sizeof *t);
    t->best.cycles = t->best.once = t->best.twice = (double)NAN;
}

struct why instruction_round(struct probe *p, const struct area *data, const struct form *f,
                             struct instruction_rounds *t)
{
    form_fill_data(f, FORM_VALUES_ONE, data->write);
    const struct why why = measure_independent(p, data, f, false, &t->round[t->count]);
    if (why.reason)
        return why;
    if (form_can_vary_location(f))
        measure_independent(p, data, f, true, &t->round[t->count]); /* may fail: some forms need one location */
    measure_variants(p, data, f, t);
    t->count++;
    choose_best(t);
    return why;
}
