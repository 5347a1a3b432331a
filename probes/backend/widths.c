/*
 * Widths: how many operations a cycle does the core rename, and how many does it retire? (docs/METHODS.md, 6.5)
 *
 * Experiments:
 *
 *   in    sequences of NOPs, or of NOPs mixed with additions, vector additions, loads or stores, all independent. No
 *         unit and no register file is needed by all of them alike: those that are as fast as any are limited by what
 *         all instructions pass, front end, renaming, retiring
 *   out   a fence, a chain of multiplications and n instructions, repeated. The instructions are executed while the
 *         chain runs and retire behind it at full width; the fence lets nothing begin before all have retired
 *
 * There is no curve: both rates are slopes over three lengths, n / width cycles for n more instructions. For `out` the
 * reorder buffer must hold all of them: any others come in no faster than without the chain.
 *
 * Inference: the rate of the fastest sequences is the width of renaming, that of `out` the width of retiring. Where no
 * more retire than come in, retiring may limit both. Sequences of register writers give the width of renaming
 * registers: where they are slower, at least two kinds must be equally slow, since one may be limited by a unit. Where
 * short NOPs share entries of the reorder buffer (6.1), only kinds that share none with their own kind are used for
 * operations; these kinds, and NOPs divided by how many share an entry, give the entries that retire. An operation cache
 * or the fence may have a part in the rates: never better than grade B.
 *
 * Method: sequences limited by renaming alone, Fog, Microarchitecture; the chain is Wong 2013; retiring behind it is
 * ours.
 */
#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/probe/table.h"
#include "lib/structure/inflight.h"
#include "lib/structure/width_rates.h"

enum {
    LENGTH = 192,  /* instructions of the shortest sequence that comes in */
    CHAIN = 40,    /* multiplications; three cycles each at least */
    WAITING = 256, /* instructions that wait behind the chain at most, where the reorder buffer is not known */
    STEPS = 4,     /* into which those are divided: one, two and three of them are used */
    REGISTERS = 8, /* that additions take in turn */
    SAMPLES = 25,
    STORED = 2048 + 8 * REGISTERS, /* offset of stores: no load has the same low bits */
    DATA_BYTES = 4096
};

/* Both halves of a slope may differ by this part of all of it. */
static const double STRAIGHT = 0.1;

struct sequence {
    unsigned kind;
    size_t count;      /* of instructions */
    bool behind_chain; /* behind a fence and a chain */
};

/* ---- Kernels and slopes --------------------------------------------------------------------------- */

static void emit_sequence(struct code *c, const void *context)
{
    const struct sequence *s = context;
    unsigned adds = 0, vectors = 0, loads = 0, stores = 0;

    if (s->behind_chain)
        emit_fence(c, FENCE_INSTRUCTIONS);
    for (unsigned link = 0; s->behind_chain && link < CHAIN; link++)
        emit_multiply(c, REG_T8, REG_T8);
    for (size_t i = 0; i < s->count && code_good(c); i++)
        switch (width_kinds[s->kind].pattern[i % WIDTH_PERIOD]) {
        case 'a': emit_add_constant(c, (enum reg)(REG_T0 + adds++ % REGISTERS), 1); break;
        case 'v':
            emit_vector_add(c, (enum vreg)(vectors % VREGS), (enum vreg)(vectors % VREGS));
            vectors++;
            break;
        case 'l': /* into a register that no addition reads */
            emit_load(c, REG_T8, REG_DATA, (int32_t)(8 * (loads++ % REGISTERS)));
            break;
        case 's': emit_store(c, REG_T8, REG_DATA, (int32_t)(STORED + 8 * (stores++ % REGISTERS))); break;
        case 'z': emit_filler(c, emit_filler_named("zero"), i); break;
        case 'm': emit_filler(c, emit_filler_named("move"), i); break;
        default: emit_nop(c, emit_nop_lengths[0]);
        }
}

/*
 * Sets *rate to instructions a cycle, by the differences between sequences of one, two and three times `step`
 * instructions, in which all else cancels. NaN: the two differences are not alike.
 */
static bool measure_slope(struct probe *p, const struct area *data, unsigned kind, size_t step, bool behind_chain,
                          double *rate)
{
    double y[] = {NAN, NAN, NAN};
    bool good = true;

    for (size_t i = 0; i < 3 && good; i++) {
        const struct sequence s = {kind, (i + 1) * step, behind_chain};
        const struct loop l = {
            .body = emit_sequence, .context = &s, .instructions = s.count + CHAIN + 1, .data = data->at};
        good = sample_loop(p, (unsigned)probe_scale(p, 1, 9, SAMPLES, SAMPLES), &l, &y[i]);
    }
    *rate = fabs((y[2] - y[1]) - (y[1] - y[0])) <= STRAIGHT * (y[2] - y[0]) ? 2 * (double)step / (y[2] - y[0])
                                                                            : (double)NAN;
    return good;
}

/* Measures the rate of retiring of a kind; the rate `in` of the same sequence without a chain is known. */
static bool measure_out(struct probe *p, const struct area *data, unsigned kind, const struct width_rates *r,
                        double *rate)
{
    const double per_entry = kind == WIDTH_NOPS && width_nops_share(r) ? r->nops_per_entry : 1;
    const double waiting = fmin(isnan(r->entries) ? WAITING : per_entry * r->entries, 8 * WAITING);
    const bool good = measure_slope(p, data, kind, (size_t)probe_smoke(p, 8, waiting / STEPS), true, rate);

    /* instructions that the buffer does not hold come in at the rate `in`: only a higher one is that of retiring */
    if (isnan(r->entries) && !width_is_higher(*rate, r->in[kind]))
        *rate = NAN;
    return good;
}

/*
 * Measures `lone` kinds where NOPs share entries, else the others; the rate `in` of all that write registers; and the
 * rate of retiring of all kinds where the number of entries is known.
 */
static bool measure_rates(struct probe *p, struct width_rates *r)
{
    const unsigned count = (unsigned)probe_smoke(p, 2, WIDTH_KINDS);
    struct area data;
    bool good = probe_map(p, &data, DATA_BYTES, 0);

    r->entries = facts_number(&p->run->facts, "backend.rob.entries", "", NAN);
    r->nops_per_entry = facts_number(&p->run->facts, "backend.rob.instructions", "filler=nop", NAN) / r->entries;
    const bool lone = width_nops_share(r);
    for (unsigned i = 0; i < WIDTH_KINDS; i++)
        r->in[i] = r->out[i] = r->renamed[i] = r->retired[i] = NAN;
    for (unsigned i = 0; i < count && good; i++) {
        const bool used = width_kinds[i].lone == lone || probe_is_smoke(p);
        double in = NAN;
        if (used || width_kinds[i].writes)
            good = measure_slope(p, &data, i, LENGTH, false, &in);
        r->renamed[i] = width_kinds[i].writes ? in : (double)NAN;
        r->in[i] = used ? in : (double)NAN;
        if (good && !width_kinds[i].in_only && !(r->entries < 1) && (used || r->entries > 0)) /* 0: begun in order */
            good = measure_out(p, &data, i, r, &r->retired[i]);
        r->out[i] = used ? r->retired[i] : (double)NAN;
    }
    return good;
}

static void send_rates(struct probe *p, const struct width_rates *rates)
{
    struct record r;

    record_table(p, &r, "rows");
    RECORD_COLUMNS(&r, "row", "in_per_cycle", "out_per_cycle", "renamed_per_cycle");
    for (unsigned i = 0; i < WIDTH_KINDS; i++) {
        if (isnan(rates->in[i]) && isnan(rates->retired[i]) && isnan(rates->renamed[i]))
            continue;
        record_array(&r, NULL);
        record_text(&r, NULL, width_kinds[i].name);
        record_number(&r, NULL, rounded(rates->in[i]));
        record_number(&r, NULL, rounded(rates->retired[i]));
        record_number(&r, NULL, rounded(rates->renamed[i]));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void run(struct probe *p)
{
    struct width_rates r;

    if (!measure_rates(p, &r))
        return;
    send_rates(p, &r);
    width_rates_report(p, &r);
}

PROBE(widths, .title = "Widths", .family = "backend", .after = "rob", .run = run,
      .findings = FINDINGS({"backend.rename.per_cycle", "operations/cycle",
                            "operations renamed in one cycle; renames: those that write a register"},
                           {"backend.retire.per_cycle", "operations/cycle",
                            "operations retired in one cycle; entries: of the reorder buffer, which may hold several; "
                            "renames: operations that write a register"}));
