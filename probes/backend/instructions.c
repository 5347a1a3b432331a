/*
 * Instructions: what does each form of the catalogue cost?
 *
 * Each form is executed once, where a fault has a way back: a core that lacks it says so. Then
 *
 *   throughput   many instances that do not depend on each other: what they write goes through all registers in turn, and
 *                what they only read is never written. Cycles of one instance, from kernels of n and 2n, so that the loop
 *                around them comes off; where these differ by more than a loop costs, the smaller one is a bound, and
 *                where it is twice, `depends-on-length`: flushes, and stores past the caches, fill buffers.
 *                Again at several moments, until the least is seen three times, since cores slow wide operations down for
 *                milliseconds when current runs short; what never is seen so often is a bound, too. And by two other kinds
 *                of kernels: with few NOPs between instances, and as many as fill the core's width, and with fewer
 *                registers. Where few make no difference, neither the code's layout nor a dependence through registers is
 *                what limits instances; many keep schedulers from filling up, which on some cores bind operations to
 *                units worse then. What is least counts
 *   latency      for each operand that is read and each that is written, of one kind, a chain: each instance reads what
 *                the one before wrote. Where the registers can be chosen, what is written turns all the same, so that no
 *                other operand that is both read and written makes a chain of every instance, and two operands are never
 *                the same register, which some cores take for a zero
 *
 * Where something else may be what limits a chain it is told as a bound, "<=": a form that takes as long as independent
 * instances do; one whose registers are fixed, and that depends on itself through another operand as well. Where
 * instances depend on each other whatever one does (flags that are read and written, fixed registers, memory that is), the
 * throughput is a bound too.
 *
 * Between operands of two kinds, and to and from memory, the chain is closed by other instructions: moves between kinds,
 * a load of what was stored, or twice an exclusive or with the register that holds the address, which leaves it as it
 * was. Then the latency is the chain less what those take at least, a bound again, and they are named. Of bridges that see
 * different flags the longest chain counts. One that takes less than its bridges do is none: `no-dependence`.
 *
 * Some forms need others beside each instance, and then all of theirs is a sum, told as a bound: what is pushed onto the
 * stack of x87 is popped, what is popped is pushed again; the mask of a gather or scatter, which it clears, is copied anew.
 * A chain through the mask of a gather makes it of what was loaded, which is all ones there. Between operands on that stack and others the way is through flags.
 * Where a form changes the stack's top, the top is another register each time, so that instances do not wait for each
 * other; with other values than 1 it is not. Gathers load zeros, which serve as the next one's addresses; the addresses
 * of a throughput are apart, and 0 among the values is all of them at one place.
 *
 * Forms that load state, control words or all registers, load what there is, so that it stays: what they cost is what
 * they do where nothing changes.
 *
 * All values are 1 (lib/kernels/forms.h): quotients are exact, and small. Then the throughput once more with what some
 * cores take longer or shorter for: zeros, also as counts of shifts; long quotients and full mantissas; denormals. And
 * with one register for all operands of a kind, throughput and a chain: an idiom that the core knows depends on nothing.
 *
 * Latencies are rows of: operand read, operand written, relation, cycles, whether that is a whole number, why it is not or
 * why there is none, cycles of the chain as it was measured (of one that is no whole number the loop comes off), what
 * closes it, the bytes of its instances until registers repeat, and the same latency by a second kind of chain: through
 * a general register and back, of what is loaded through a vector one, less what that way takes when nothing else is on
 * it (by what the core adds between units of different kinds it may be longer). One that is no whole number is `unsteady` where readings differ by more than
 * that, else the core takes several ways of different length, always mixed alike: `mean-of-ways` (two units of
 * different latency, for example).
 *
 * Where the core's counters tell them: operations that one instance is, issued by kind and retired.
 *
 * Records: `table`, some forms a record, with the bytes of an instance and both raw throughputs. No finding: there would
 * be thousands.
 *
 * Method: Fog, Instruction tables; Abel and Reineke 2019, uops.info: Characterizing Latency, Throughput, and Port Usage
 * of Instructions on Intel Microarchitectures.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernels/forms.h"
#include "lib/proof.h"
#include "lib/table.h"

enum {
    INSTANCES = 48,
    SMOKE_INSTANCES = 12,
    DATA_BYTES = 4096,
    CHAINS = 24,
    ROWS = 64, /* visited in turn, … */
    RECORD_ROWS = 8,
    VISITS = 10, /* of a form, at most; and as many samples in each of what no chain limits */
    VISIT_SAMPLES = 2,
    NOPS_MOST = 8, /* between two instances; a microcoded one may take longer with more */
    SAMPLES = 5,
    MORE_SAMPLES = 15, /* of what is no whole number */
    TURNS = 8,
    DETOURS = 8,
    TEXT = 160,
};

/* What disturbs a kernel makes it longer; but its yardsticks may have been disturbed, too. */
static const double SAMPLES_QUANTILE = 0.2, SPREAD_QUANTILE = 0.8;
/* What the loop around instances costs is a smaller part of them. */
static const double STEADY_PART = 0.06;
/* Where those of 2n take longer by more than this factor an instance has no cost of its own: buffers are full after some. */
static const double LENGTHS_APART = 2;
/* NOPs for each instance, where there are few of them. */
static const double FEW_NOPS = 0.125;
/* A chain is what limits its instances where they take so much longer than independent ones. */
static const double LIMITS_PART = 0.1;
/* Throughputs of several moments that differ by less are the same. */
static const double CONFIRMED_PART = 0.01;
/* Latencies are whole numbers of cycles, to this part of them and so much. */
static const double WHOLE_PART = 0.01, WHOLE_CYCLES = 0.04;

struct chain {
    unsigned from, to;
    double cycles, spread; /* of one instance and what closes the chain; by how much samples differed */
    double raw;            /* the former, with its part of the loop around instances */
    bool is_bound;
    double second;      /* the same by a detour; NaN: not measured */
    const char *reason; /* why it was not measured */
    const struct form_bridge *bridges[FORM_BRIDGES];
    unsigned bridge_count, bridge_cycles;
    unsigned period;
    uint8_t bytes[FORM_PERIOD];
};

/* Cycles of an instance, independent of others. */
struct throughput {
    double cycles, once, twice; /* without the loop, and with it in kernels of n and 2n */
    bool is_bound, moves;       /* of cycles; whether they are less where the memory operand is elsewhere each time */
};

/* What is measured at each visit; NaN where it was not. */
enum quantity {
    QUANTITY_FEW_NOPS,
    QUANTITY_MANY_NOPS,
    QUANTITY_SAME,
    QUANTITY_SAME_CHAIN,
    QUANTITY_VALUES,
    QUANTITIES = QUANTITY_VALUES + FORM_VALUES
};

/* Counted where the core and the place can: what one instance is made of. */
static const char *const counted[] = {"ops_issued",        "ops_issued_int",    "ops_issued_load",   "ops_issued_store",
                                      "ops_issued_memory", "ops_issued_vector", "ops_issued_branch", "ops_retired"};
enum { COUNTED = sizeof counted / sizeof counted[0] };

struct row {
    const struct form *form;
    const char *absent, *reason; /* why it cannot be executed; why it is not measured */
    struct throughput visits[VISITS], best;
    double again[QUANTITIES][VISITS];
    unsigned visit_count;
    bool settled;           /* the least was seen often enough */
    double counts[COUNTED]; /* events of an instance; NaN: they cannot be counted */
    struct chain chains[CHAINS];
    unsigned chain_count;
    uint8_t bytes[FORM_BYTES];
};

/* What a way through general registers and back takes: between two of these forms as a chain. */
struct detour {
    const struct form_bridge *out;
    double cycles;
};

struct table {
    struct detour detours[DETOURS];
    struct row rows[ROWS];
    size_t count;
    unsigned measured, absent, unmeasured;
};

static bool is_whole(double cycles)
{
    const double whole = floor(cycles + 0.5);

    return whole > 0 && fabs(cycles - whole) <= fmax(WHOLE_CYCLES, WHOLE_PART * cycles);
}

/* NULL, or why it can't be told. A chain that is no whole number is measured more often. */
static const char *measure(struct probe *p, const struct area *data, struct form_kernel *w, double *cycles,
                           double *spread)
{
    const bool is_chain = w->from != FORM_NO_CHAIN && !w->same;
    const unsigned samples = (unsigned)probe_smoke(p, 1, is_chain ? SAMPLES : VISIT_SAMPLES);
    const unsigned most = is_chain ? (unsigned)probe_smoke(p, 1, MORE_SAMPLES) : samples;
    double y[MORE_SAMPLES];
    size_t count = 0;
    struct kernel k;
    struct point pt;

    *cycles = *spread = (double)NAN;
    const char *why = form_kernel(p, w, data->at, &k);
    for (unsigned i = 0; i < most && !why; i++) {
        if (i >= samples && is_whole(*cycles))
            break;
        const struct window_result result = meter_measure(&p->run->meter, &k, &pt);
        if (result.end != WINDOW_RAN)
            why = result.end == WINDOW_TIMEOUT ? "timeout" : result.fault.vector;
        else if (!isnan(pt.q20))
            y[count++] = pt.q20;
        sort_numbers(y, count);
        *cycles = quantile(y, count, SAMPLES_QUANTILE);
    }
    if (why)
        return why;
    *spread = quantile(y, count, SPREAD_QUANTILE) - quantile(y, count, 0);
    return count ? NULL : "not-steady";
}

/* Once, alone. An undefined instruction that is the form's own is one that the core lacks. */
static bool is_there(struct probe *p, const struct area *data, struct row *row)
{
    struct form_kernel w = {.form = row->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = 1};
    struct kernel k;

    if (form_is_another(row->form))
        row->absent = "another-instruction";
    else
        row->reason = form_kernel(p, &w, data->at, &k);
    if (row->absent || row->reason)
        return false;
    memcpy(row->bytes, w.bytes + (w.at - w.first), sizeof row->bytes);
    struct reading r = {.kernel = k.entry, .argument = {1, k.data}};
    const struct window_result result = machine_window(&r, 1);
    if (result.end == WINDOW_RAN)
        return true;
    const uint64_t at = k.entry + w.at;
    if (result.end == WINDOW_FAULT && !strcmp(result.fault.vector, "undefined-instruction") && result.fault.pc <= at)
        row->absent = result.fault.pc == at ? result.fault.vector : "no-such-registers"; /* what loads them is absent */
    else
        row->reason = result.end == WINDOW_TIMEOUT ? "timeout" : result.fault.vector;
    return false;
}

/* With its memory operand always in one place, or not; what is less is kept. */
static const char *measure_instances(struct probe *p, const struct area *data, struct row *row, bool moves)
{
    const unsigned n = (unsigned)probe_smoke(p, SMOKE_INSTANCES, INSTANCES);
    struct throughput *t = &row->visits[row->visit_count];
    struct form_kernel w = {
        .form = row->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = n, .moves = moves};
    double once, twice, spread;

    const char *why = measure(p, data, &w, &once, &spread);
    w.instances = 2 * n;
    if (!why)
        why = measure(p, data, &w, &twice, &spread);
    if (why)
        return why;
    const bool steady = fabs(once - twice) <= STEADY_PART * twice;
    const bool grows = row->form->class == FORM_STREAMS && twice > LENGTHS_APART * once;
    const double cycles = steady ? 2 * twice - once : grows ? (double)NAN : fmin(once, twice);
    if (moves && !(cycles < t->cycles))
        return NULL;
    *t = (struct throughput){cycles, once, twice, !steady || form_is_chained(row->form) || form_is_sum(row->form),
                             moves};
    return NULL;
}

static const char *measure_throughput(struct probe *p, const struct area *data, struct row *row)
{
    const char *why = measure_instances(p, data, row, false);

    if (!why && form_can_move(row->form))
        measure_instances(p, data, row, true); /* which some forms forbid: then it stays as it was */
    return why;
}

static void keep(struct chain *c, const struct form_kernel *w)
{
    memcpy(c->bridges, w->bridges, sizeof c->bridges);
    memcpy(c->bytes, w->bytes, sizeof c->bytes);
    c->bridge_count = w->bridge_count;
    c->bridge_cycles = w->bridge_cycles;
    c->period = w->period;
}

static struct form_kernel chain_kernel(struct probe *p, const struct row *row, unsigned from, unsigned to)
{
    return (struct form_kernel){
        .form = row->form, .from = from, .to = to, .instances = (unsigned)probe_smoke(p, SMOKE_INSTANCES, INSTANCES)};
}

/*
 * The end of the loop has to be executed, too, and may delay what the chain waits for: half of it comes off with twice as
 * many instances, as it does for throughput. Only where it is seen.
 */
static void take_loop_off(struct probe *p, const struct area *data, struct form_kernel w, struct chain *c)
{
    double twice, spread;

    if (is_whole(c->raw) || probe_smoke(p, 1, 0) > 0)
        return;
    w.instances = 2 * INSTANCES;
    if (!measure(p, data, &w, &twice, &spread) && fabs(c->raw - twice) <= STEADY_PART * twice)
        c->cycles = 2 * twice - c->raw;
}

/* With more registers that turn, until nothing else that goes on beside it may be longer. */
static void measure_chain(struct probe *p, const struct area *data, struct row *row, unsigned from, unsigned to)
{
    const unsigned most = form_chain_turns(row->form, from, to) ? TURNS : FORM_TURNS;
    struct chain *c = &row->chains[row->chain_count++];
    double other = row->best.cycles;

    *c = (struct chain){.from = from, .to = to, .second = (double)NAN};
    for (unsigned turns = FORM_TURNS; turns <= most && !c->reason; turns *= 2) {
        struct form_kernel w = chain_kernel(p, row, from, to);
        double beside = 0;
        w.turns = turns;
        c->reason = measure(p, data, &w, &c->raw, &c->spread);
        c->cycles = c->raw;
        keep(c, &w);
        if (!c->reason)
            take_loop_off(p, data, w, c);
        for (unsigned i = 0; i < row->chain_count && from != to; i++)
            if (row->chains[i].from == to && row->chains[i].to == to)
                beside = row->chains[i].cycles / (most == TURNS ? turns : 1);
        if (c->cycles > beside * (1 + LIMITS_PART))
            break;
        if (2 * turns > most)
            other = fmax(other, beside);
    }
    c->is_bound = c->bridge_count > 0 || !(c->cycles > other * (1 + LIMITS_PART));
}

/* With the same way back: SSE's, which merges with what the register held, is longer than AVX's on Zen 4. */
static double cost_of_detour(struct probe *p, const struct area *data, struct table *t, const struct form_bridge *out)
{
    struct form_kernel w = {
        .form = form_find(out->name), .from = 1, .to = 0, .bits = out->bits, .instances = INSTANCES};
    struct detour *d = t->detours;
    double spread;

    while (d < t->detours + DETOURS && d->out && d->out != out)
        d++;
    if (d == t->detours + DETOURS || !w.form || !form_bridge_count(w.form, 1, 0))
        return (double)NAN;
    if (!d->out) {
        w.instances = (unsigned)probe_smoke(p, SMOKE_INSTANCES, INSTANCES);
        d->out = out;
        if (measure(p, data, &w, &d->cycles, &spread))
            d->cycles = (double)NAN;
    }
    return d->cycles;
}

/*
 * A second kind of chain, with other instructions in it whose part is known as a whole. One of what is loaded has bridges
 * of its own, which come off as they do from the first.
 */
static void measure_detour(struct probe *p, const struct area *data, struct table *t, const struct row *row,
                           struct chain *c)
{
    struct form_kernel w = chain_kernel(p, row, c->from, c->to);
    const struct form_bridge *out = NULL;
    double spread;

    w.detour = true;
    const char *why = measure(p, data, &w, &c->second, &spread);
    for (unsigned i = 0; i < w.bridge_count && !out; i++)
        if (w.bridges[i]->from != OPERAND_GENERAL && w.bridges[i]->to == OPERAND_GENERAL)
            out = w.bridges[i];
    if (why || !out)
        c->second = (double)NAN;
    else
        c->second -= cost_of_detour(p, data, t, out) + c->bridge_cycles;
}

static void measure_bridged(struct probe *p, const struct area *data, struct row *row, unsigned from, unsigned to)
{
    const unsigned variants = form_bridge_count(row->form, from, to);
    struct chain *c = &row->chains[row->chain_count++];

    const bool spent = form_operand(row->form, from)->is_spent;

    *c = (struct chain){
        .from = from, .to = to, .is_bound = true, .cycles = (double)NAN, .raw = (double)NAN, .second = (double)NAN};
    if (spent)
        form_prepare(row->form, FORM_VALUES_MASK, data->write);
    for (unsigned variant = 0; variant < variants && !c->reason; variant++) {
        struct form_kernel w = chain_kernel(p, row, from, to);
        double cycles, spread;
        w.variant = variant;
        w.values = spent ? FORM_VALUES_MASK : FORM_VALUES_ONE;
        c->reason = measure(p, data, &w, &cycles, &spread);
        if (c->reason)
            c->cycles = (double)NAN;
        if (c->reason || (variant > 0 && !(cycles > c->cycles)))
            continue;
        c->cycles = c->raw = cycles;
        c->spread = spread;
        keep(c, &w);
    }
    if (spent)
        form_prepare(row->form, FORM_VALUES_ONE, data->write);
    /* VPCONFLICT of one element that is broadcast, on Zen 4: the result is the same whatever is loaded */
    if (c->cycles < c->bridge_cycles * (1 - LIMITS_PART)) {
        c->reason = "no-dependence";
        c->cycles = (double)NAN;
    }
}

/* What an operand that is both takes by itself comes first: chains that cannot turn are held against it. */
static void measure_chains(struct probe *p, const struct area *data, struct table *t, struct row *row)
{
    const struct form *f = row->form;

    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned from = 0; from < f->operand_count; from++)
            for (unsigned to = 0; to < f->operand_count; to++)
                if ((from == to) == (pass == 0) && form_can_chain(f, from, to) && row->chain_count < CHAINS)
                    measure_chain(p, data, row, from, to);
    for (unsigned from = 0; from < f->operand_count; from++)
        for (unsigned to = 0; to < f->operand_count; to++)
            if (form_bridge_count(f, from, to) && row->chain_count < CHAINS)
                measure_bridged(p, data, row, from, to);
    for (unsigned i = 0; i < row->chain_count; i++)
        if (!row->chains[i].reason && form_can_detour(f, row->chains[i].from, row->chains[i].to))
            measure_detour(p, data, t, row, &row->chains[i]);
}

static double measure_again(struct probe *p, const struct area *data, struct form_kernel w)
{
    double cycles, spread;

    w.instances = (unsigned)probe_smoke(p, SMOKE_INSTANCES, INSTANCES);
    return measure(p, data, &w, &cycles, &spread) ? (double)NAN : cycles;
}

/* As many as the core takes beside an instance while one lasts. */
static double many_nops(const struct probe *p, double cycles)
{
    const double nop = p->run->meter.width; /* cycles; 0 where that isn't known */

    return nop > 0 && cycles > 0 ? fmin(floor(cycles / nop) - 1, NOPS_MOST) : 0;
}

static void measure_variants(struct probe *p, const struct area *data, struct row *row)
{
    const unsigned at = row->visit_count;
    const struct form_kernel w = {
        .form = row->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .moves = row->visits[at].moves};
    struct form_kernel changed = w;

    for (unsigned i = 0; i < QUANTITIES; i++)
        row->again[i][at] = (double)NAN;
    changed.nops = FEW_NOPS;
    row->again[QUANTITY_FEW_NOPS][at] = measure_again(p, data, changed);
    changed.nops = many_nops(p, row->visits[at].cycles);
    if (changed.nops > 0)
        row->again[QUANTITY_MANY_NOPS][at] = measure_again(p, data, changed);
    changed.nops = 0;
    if (form_can_be_same(row->form)) {
        changed.same = true;
        row->again[QUANTITY_SAME][at] = measure_again(p, data, changed);
        changed.moves = false;
        changed.from = changed.to = 0; /* a chain; through which operand does not matter */
        row->again[QUANTITY_SAME_CHAIN][at] = measure_again(p, data, changed);
    }
    changed = w;
    for (changed.values = FORM_VALUES_ONE + 1; changed.values < FORM_VALUES; changed.values++)
        if (form_takes_values(row->form, changed.values)) {
            form_prepare(row->form, changed.values, data->write);
            row->again[QUANTITY_VALUES + changed.values][at] = measure_again(p, data, changed);
        }
}

/* Of what was measured at several moments what nothing slowed; else the least, which then is no more than a bound. */
static double least(const double *values, size_t count, bool *settled)
{
    double sorted[VISITS];

    memcpy(sorted, values, count * sizeof *values);
    sort_numbers(sorted, count);
    const double found = least_confirmed(sorted, count, CONFIRMED_PART);
    *settled = !isnan(found);
    return *settled || !count ? found : sorted[0];
}

static double quantity(const struct row *row, unsigned which)
{
    bool settled;

    return least(row->again[which], row->visit_count, &settled);
}

static void choose_best(struct row *row)
{
    double cycles[VISITS];
    unsigned count = 0;

    for (unsigned i = 0; i < row->visit_count; i++)
        if (!isnan(row->visits[i].cycles))
            cycles[count++] = row->visits[i].cycles;
    if (2 * count <= row->visit_count) { /* none, or a disturbed one */
        row->best = row->visits[row->visit_count - 1];
        row->best.cycles = (double)NAN;
        row->best.is_bound = true;
        row->settled = row->visit_count > 2;
        return;
    }
    const double best = least(cycles, count, &row->settled);
    for (unsigned i = 0; i < row->visit_count; i++)
        if (row->visits[i].cycles >= best && row->visits[i].cycles <= best) /* NaN is none */
            row->best = row->visits[i];
    row->best.is_bound |= !row->settled;
    for (unsigned which = QUANTITY_FEW_NOPS; which <= QUANTITY_MANY_NOPS; which++)
        row->best.cycles = fmin(row->best.cycles, quantity(row, which)); /* NaN: it was not measured */
}

static void visit(struct probe *p, const struct area *data, struct row *row)
{
    form_prepare(row->form, FORM_VALUES_ONE, data->write);
    const char *why = measure_throughput(p, data, row);
    if (row->visit_count == 0)
        row->reason = why;
    if (why)
        return;
    measure_variants(p, data, row);
    row->visit_count++;
    choose_best(row);
}

/* Other forms come between two visits to a form, so that these are moments apart. */
static void visit_again(struct probe *p, const struct area *data, struct table *t)
{
    for (unsigned visits = 1; visits < (unsigned)probe_smoke(p, 1, VISITS); visits++)
        for (size_t i = 0; i < t->count && probe_goes_on(p); i++)
            if (t->rows[i].visit_count && !t->rows[i].settled)
                visit(p, data, &t->rows[i]);
}

/* By kernels of n and 2n, as throughput: what the loop around instances counts comes off. */
static void count_operations(struct probe *p, const struct area *data, struct row *row)
{
    struct form_kernel w = {.form = row->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .instances = INSTANCES};
    double once[COUNTED];
    struct kernel k;

    if (probe_smoke(p, 1, 0) > 0 || machine_counters()->why_not)
        return;
    for (unsigned doubled = 0; doubled < 2; doubled++, w.instances *= 2) {
        if (form_kernel(p, &w, data->at, &k))
            return;
        for (unsigned i = 0; i < COUNTED; i++) {
            double *count = doubled ? &row->counts[i] : &once[i];
            if (!probe_count(p, &k, counted[i], count))
                return;
            if (doubled)
                *count = 2 * *count - once[i];
        }
    }
}

static void measure_form(struct probe *p, const struct area *data, struct table *t, struct row *row)
{
    row->best.cycles = row->best.once = row->best.twice = (double)NAN;
    for (unsigned i = 0; i < COUNTED; i++)
        row->counts[i] = (double)NAN;
    row->reason = form_unmeasured(row->form);
    if (row->reason)
        return;
    form_prepare(row->form, FORM_VALUES_ONE, data->write);
    if (!is_there(p, data, row))
        return;
    visit(p, data, row);
    if (row->reason)
        return;
    form_prepare(row->form, FORM_VALUES_ONE, data->write);
    count_operations(p, data, row);
    measure_chains(p, data, t, row);
}

/* ---- The table ------------------------------------------------------------------------------------ */

/* "0:general"; its place, since a form may have several operands of a kind. */
static void send_operand(struct record *r, const struct form *f, unsigned i)
{
    char text[32];

    snprintf(text, sizeof text, "%u:%s", i, operand_kind_names[form_operand(f, i)->kind]);
    record_text(r, NULL, text);
}

static void send_bytes(struct record *r, const uint8_t *bytes, unsigned count)
{
    char text[2 * FORM_PERIOD + 1] = "";

    for (unsigned i = 0; i < count; i++)
        snprintf(text + (size_t)2 * i, 3, "%02x", bytes[i]);
    record_text(r, NULL, text);
}

static void send_optional(struct record *r, const char *text)
{
    if (text)
        record_text(r, NULL, text);
    else
        record_null(r, NULL);
}

/* Names of bridges, with "; " between them; null where there is none. */
static void send_bridges(struct record *r, const struct chain *c)
{
    char text[TEXT] = "";

    for (unsigned i = 0; i < c->bridge_count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? "; " : "", c->bridges[i]->name);
    }
    send_optional(r, c->bridge_count ? text : NULL);
}

static void send_chain(struct record *r, const struct form *f, const struct chain *c)
{
    const bool whole = is_whole(c->cycles);
    const char *odd = isnan(c->cycles) || whole                                ? NULL
                      : c->spread > fmax(WHOLE_CYCLES, WHOLE_PART * c->cycles) ? "unsteady"
                                                                               : "mean-of-ways";

    record_array(r, NULL);
    send_operand(r, f, c->from);
    send_operand(r, f, c->to);
    record_text(r, NULL, c->is_bound ? "<=" : "=");
    record_number(r, NULL, rounded(isnan(c->cycles) ? c->cycles : fmax(0, c->cycles - c->bridge_cycles)));
    record_boolean(r, NULL, whole);
    send_optional(r, c->reason ? c->reason : odd);
    record_number(r, NULL, rounded(c->raw));
    send_bridges(r, c);
    send_bytes(r, c->bytes, c->period);
    record_number(r, NULL, rounded(c->second));
    record_close(r);
}

static void send_row(struct record *r, const struct row *row)
{
    record_array(r, NULL);
    record_text(r, NULL, form_name(row->form));
    record_text(r, NULL, form_feature(row->form));
    record_text(r, NULL, form_class_names[row->form->class]);
    record_text(r, NULL, row->absent ? "absent" : row->reason ? "not-measured" : "measured");
    const bool depends = !row->absent && !row->reason && isnan(row->best.cycles);
    send_optional(r, row->absent ? row->absent : depends ? "depends-on-length" : row->reason);
    record_text(r, NULL, row->best.is_bound ? "<=" : "=");
    record_number(r, NULL, rounded(row->best.cycles));
    record_number(r, NULL, rounded(row->best.once));
    record_number(r, NULL, rounded(row->best.twice));
    record_array(r, NULL);
    for (unsigned i = 0; i < row->chain_count; i++)
        send_chain(r, row->form, &row->chains[i]);
    record_close(r);
    record_array(r, NULL);
    for (unsigned i = 0; i < FORM_VALUES; i++)
        if (!isnan(quantity(row, QUANTITY_VALUES + i))) {
            record_array(r, NULL);
            record_text(r, NULL, form_values_names[i]);
            record_number(r, NULL, rounded(quantity(row, QUANTITY_VALUES + i)));
            record_close(r);
        }
    record_close(r);
    record_number(r, NULL, rounded(quantity(row, QUANTITY_SAME)));
    record_number(r, NULL, rounded(quantity(row, QUANTITY_SAME_CHAIN)));
    send_bytes(r, row->bytes, row->reason || row->absent ? 0 : row->form->length);
    record_number(r, NULL, rounded(quantity(row, QUANTITY_FEW_NOPS)));
    record_number(r, NULL, rounded(quantity(row, QUANTITY_MANY_NOPS)));
    record_array(r, NULL);
    for (unsigned i = 0; i < COUNTED; i++)
        if (!isnan(row->counts[i])) {
            record_array(r, NULL);
            record_text(r, NULL, counted[i]);
            record_number(r, NULL, rounded(row->counts[i]));
            record_close(r);
        }
    record_close(r);
    record_close(r);
}

static void send_rows(struct probe *p, const struct row *rows, size_t count)
{
    struct record r;

    record_table(p, &r, "backend.instruction");
    record_boolean(&r, "trusted", p->run->trusted);
    record_text(&r, "unit", "cycles/instruction");
    RECORD_COLUMNS(&r, "form", "feature", "class", "state", "reason", "relation", "cycles", "kernel_n_cycles",
                   "kernel_2n_cycles", "latencies", "values", "same_register_cycles", "same_register_chain_cycles",
                   "bytes", "few_nops_cycles", "many_nops_cycles", "operations");
    for (size_t i = 0; i < count; i++)
        send_row(&r, &rows[i]);
    record_close(&r);
    record_send(&r);
}

static void finish_table(struct probe *p, const struct area *data, struct table *t)
{
    visit_again(p, data, t);
    for (size_t i = 0; i < t->count; i += RECORD_ROWS)
        send_rows(p, &t->rows[i], t->count - i < RECORD_ROWS ? t->count - i : RECORD_ROWS);
    t->count = 0;
}

static void add_form(struct probe *p, const struct area *data, struct table *t, const struct form *f)
{
    struct row *row = &t->rows[t->count++];

    *row = (struct row){.form = f};
    measure_form(p, data, t, row);
    t->absent += row->absent != NULL;
    t->unmeasured += !row->absent && row->reason;
    t->measured += !row->absent && !row->reason;
    if (t->count == ROWS)
        finish_table(p, data, t);
}

static void run(struct probe *p)
{
    const char *chosen = p->run->config.forms, *pattern = chosen[0] ? chosen : "*";
    const double all = (double)form_count;
    /* what is asked for by name is measured, all of it */
    size_t wanted = (size_t)(chosen[0] ? all : probe_scale(p, 2, 200, all, all)), matching = 0;
    struct table *t = calloc(1, sizeof *t);
    struct area data;
    char line[TEXT];

    if (!t) {
        probe_skip(p, "out of memory for the table");
        return;
    }
    for (size_t i = 0; i < form_count; i++)
        matching += form_matches(&forms[i], pattern);
    wanted = wanted < matching ? wanted : matching;
    /* each form is drawn with the chance that as many as are wanted are drawn of those that are left */
    if (probe_map(p, &data, DATA_BYTES, 0))
        for (size_t i = 0; i < form_count && wanted > 0 && probe_goes_on(p); i++)
            if (form_matches(&forms[i], pattern) && random_below(&p->random, matching--) < wanted) {
                if (wanted-- % 16 == 0) {
                    snprintf(line, sizeof line, "instructions: %zu forms to go", wanted + 1);
                    run_tell(p->run, line);
                }
                add_form(p, &data, t, &forms[i]);
            }
    if (t->count)
        finish_table(p, &data, t);
    snprintf(line, sizeof line, "  instructions: %u forms measured, %u absent, %u not measured, of %zu\n", t->measured,
             t->absent, t->unmeasured, form_count);
    machine_print(line);
    free(t);
}

PROBE(instructions, .title = "Instructions", .family = "backend", .run = run, .findings = FINDINGS({0}));
