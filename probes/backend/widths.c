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
 * short NOPs share entries of the reorder buffer (6.1), only kinds that share none with their own kind are used. An
 * operation cache or the fence may have a part in the rates: never better than grade B.
 *
 * Method: sequences limited by renaming alone, Fog, Microarchitecture; the chain is Wong 2013; retiring behind it is
 * ours.
 */
#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/probe/table.h"
#include "lib/structure/inflight.h"

enum {
    PERIOD = 4,    /* instructions of a pattern */
    LENGTH = 192,  /* instructions of the shortest sequence that comes in */
    CHAIN = 40,    /* multiplications; three cycles each at least */
    WAITING = 256, /* instructions that wait behind the chain at most, where the reorder buffer is not known */
    STEPS = 4,     /* into which those are divided: one, two and three of them are used */
    REGISTERS = 8, /* that additions take in turn */
    SAMPLES = 25,
    STORED = 2048 + 8 * REGISTERS, /* offset of stores: no load has the same low bits */
    DATA_BYTES = 4096
};

/* A rate is a whole number of instructions a cycle if it is this near to one. */
static const double WHOLE = 0.2;
/* Two rates are alike within the part ALIKE; both halves of a slope may differ by the part STRAIGHT of all of it. */
static const double ALIKE = 0.03;
static const double STRAIGHT = 0.1;
/* One rate is higher than another by this part: less than the tenth that one instruction makes of ten a cycle. */
static const double HIGHER = 0.07;
/*
 * NOPs share entries where SHARED times as many fit as there are entries (two to an entry would be 2), and may share
 * them where they are NOPS_FASTER times as fast as sequences without them.
 */
static const double SHARED = 1.5;
static const double NOPS_FASTER = 1.2;

enum { KINDS = 7, NOPS_ALONE = 0, WITHOUT_NOPS = 3 /* the first without NOPs; later ones have none */, STORES = 4 };

/*
 * Patterns: n NOP, a addition, v vector addition, l load, s store, z a register cleared, m a move. `lone`: no
 * instruction shares an entry. `writes`: each writes a register. `in_only`: stores leave later than they retire.
 */
static const struct {
    const char *name, *pattern;
    bool lone, writes, in_only;
} kinds[KINDS] = {{"NOPs", "nnnn", .lone = false},
                  {"additions", "anan", .lone = false},
                  {"vectors", "avan", .lone = false},
                  {"loads", "alav", .writes = true},
                  {"stores", "alsv", .in_only = true},
                  {"zeros", "zzzz", .lone = true, .writes = true},
                  {"moves", "mmmm", .lone = true, .writes = true}};

/* Instructions a cycle, by kind; NaN: not known. */
struct rates {
    double entries; /* of the reorder buffer; NaN: not known */
    double in[KINDS], out[KINDS];
    double renamed[KINDS]; /* as `in`, of kinds that write, whether their instructions share entries or not */
};

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
        switch (kinds[s->kind].pattern[i % PERIOD]) {
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

/* Measures the rate of retiring of a kind; the rate of the same sequence without a chain is known. */
static bool measure_out(struct probe *p, const struct area *data, unsigned kind, struct rates *r)
{
    const double waiting = fmin(isnan(r->entries) ? WAITING : r->entries, 8 * WAITING);
    const bool good = measure_slope(p, data, kind, (size_t)probe_smoke(p, 8, waiting / STEPS), true, &r->out[kind]);

    /* instructions that the buffer does not hold come in at the rate `in`: only a higher one is that of retiring */
    if (isnan(r->entries) && !(r->out[kind] > (1 + HIGHER) * r->in[kind]))
        r->out[kind] = NAN;
    return good;
}

/* Measures `lone` kinds where NOPs share entries, else the others; and the rate `in` of all that write registers. */
static bool measure_rates(struct probe *p, struct rates *r)
{
    const unsigned count = (unsigned)probe_smoke(p, 2, KINDS);
    struct area data;
    bool good = probe_map(p, &data, DATA_BYTES, 0);

    r->entries = facts_number(&p->run->facts, "backend.rob.entries", "", NAN);
    const bool lone = facts_number(&p->run->facts, "backend.rob.instructions", "filler=nop", NAN) > SHARED * r->entries;
    for (unsigned i = 0; i < KINDS; i++)
        r->in[i] = r->out[i] = r->renamed[i] = NAN;
    for (unsigned i = 0; i < count && good; i++) {
        const bool used = kinds[i].lone == lone || probe_is_smoke(p);
        double in = NAN;
        if (used || kinds[i].writes)
            good = measure_slope(p, &data, i, LENGTH, false, &in);
        r->renamed[i] = kinds[i].writes ? in : (double)NAN;
        if (good && used) {
            r->in[i] = in;
            good = kinds[i].in_only || r->entries < 1 || measure_out(p, &data, i, r); /* 0: begun in order */
        }
    }
    return good;
}

/* ---- Inference and reports ------------------------------------------------------------------------ */

static double highest(const double *rates)
{
    double most = 0;

    for (unsigned i = 0; i < KINDS; i++)
        most = fmax(most, rates[i]);
    return most;
}

static bool may_share_entries(const struct rates *r)
{
    return isnan(r->entries) && !(r->in[NOPS_ALONE] <= NOPS_FASTER * fmax(r->in[WITHOUT_NOPS], r->in[STORES]));
}

static bool is_retiring_no_limit(const struct rates *r)
{
    return r->entries < 1 || highest(r->out) > (1 + HIGHER) * highest(r->in); /* 0: nothing waits to retire */
}

/* All kinds have one confounder: they are layouts of one experiment. Those below `least` have other limits. */
static void report_rate(struct probe *p, const struct finding *f, const double *rates, double least,
                        const char *confounder)
{
    struct experiment_value v[KINDS];
    size_t used = 0;

    for (unsigned i = 0; i < KINDS; i++) {
        const double nearest = floor(rates[i] + 0.5), whole = fabs(rates[i] - nearest) <= WHOLE ? nearest : (double)NAN;
        if (rates[i] >= least)
            v[used++] = (struct experiment_value){kinds[i].name, confounder, whole};
    }
    report_graded_number(p, f, v, used);
}

/* Reports the rate of the fastest kinds, or the reason why it is undecided. */
static void report_renaming(struct probe *p, const char *counted, const double *rates, enum reason reason,
                            const char *method)
{
    const bool cached = facts_number(&p->run->facts, "frontend.op_cache.ops", "", 0) > 0;
    struct finding f = {.name = "backend.rename.per_cycle",
                        .variants = {{"counted", counted}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = reason,
                        .method = method};

    if (!cached) /* then all instructions come through the decoders */
        f.limits[0] = (struct finding_limit){"frontend.decode.width", "", 1};
    if (reason)
        report(p, &f);
    else
        report_rate(p, &f, rates, (1 - ALIKE) * highest(rates), "front end");
}

/* Why the rate of writers is not that of renaming: it is lower and only one kind has it, or retiring limits it. */
static enum reason limit_of_writers(const struct rates *r)
{
    const double most = highest(r->renamed);
    unsigned alike = 0;

    for (unsigned i = 0; i < KINDS; i++)
        alike += r->renamed[i] >= (1 - ALIKE) * most ? 1 : 0;
    if (most < (1 - HIGHER) * highest(r->in))
        return alike < 2 ? REASON_ONE_KIND_AS_FAST : REASON_NONE;
    return is_retiring_no_limit(r) ? REASON_NONE : REASON_MASKED_BY_RETIRE;
}

static void send_rates(struct probe *p, const struct rates *rates)
{
    struct record r;

    record_table(p, &r, "rows");
    RECORD_COLUMNS(&r, "row", "in_per_cycle", "out_per_cycle", "renamed_per_cycle");
    for (unsigned i = 0; i < KINDS; i++) {
        if (isnan(rates->in[i]) && isnan(rates->out[i]) && isnan(rates->renamed[i]))
            continue;
        record_array(&r, NULL);
        record_text(&r, NULL, kinds[i].name);
        record_number(&r, NULL, rounded(rates->in[i]));
        record_number(&r, NULL, rounded(rates->out[i]));
        record_number(&r, NULL, rounded(rates->renamed[i]));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void run(struct probe *p)
{
    struct rates r;

    if (!measure_rates(p, &r))
        return;
    send_rates(p, &r);
    if (may_share_entries(&r)) {
        for (size_t i = 0; i < 3; i++)
            report_number(p,
                          &(struct finding){.name = i ? "backend.rename.per_cycle" : "backend.retire.per_cycle",
                                            .variants = {{"counted", i < 2 ? "operations" : "renames"}},
                                            .reason = REASON_ROB_ENTRIES_UNKNOWN},
                          NAN);
        return;
    }
    report_rate(p,
                &(struct finding){.name = "backend.retire.per_cycle",
                                  .variants = {{"counted", "operations"}},
                                  .reason = r.entries < 1 ? REASON_IN_ORDER : REASON_NONE,
                                  .method = "the time of instructions that wait behind a chain"},
                r.out, 0, "fence");
    report_renaming(p, "operations", r.in, is_retiring_no_limit(&r) ? REASON_NONE : REASON_MASKED_BY_RETIRE,
                    "the fastest sequences of mixed instructions");
    report_renaming(p, "renames", r.renamed, limit_of_writers(&r),
                    "the fastest sequences of instructions that write a register each");
}

PROBE(widths, .title = "Widths", .family = "backend", .after = "rob", .run = run,
      .findings = FINDINGS({"backend.rename.per_cycle", "operations/cycle",
                            "operations renamed in one cycle; renames: those that write a register"},
                           {"backend.retire.per_cycle", "operations/cycle", "operations retired in one cycle"}));
