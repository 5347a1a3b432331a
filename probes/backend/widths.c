/*
 * Widths: how many operations a cycle does the core take in, and how many does it retire?
 *
 * In: rows of NOPs, and mixtures of NOPs, additions, additions of vectors and loads, over and over, each instruction of
 * them independent of those around it. No unit and no register file is asked for by all mixtures alike, so those that are
 * as fast as any are held up by what all instructions go through: the front end, renaming, retiring.
 *
 * Out: a fence, a chain of multiplications, n instructions, and again. While the chain is under way the instructions are
 * taken in and done, and wait for it, since they may retire only behind it. From then on they retire at full width, and
 * the fence lets nothing begin before they have. Each n more takes n / width cycles,
 * as long as the reorder buffer holds them all; what it does not hold comes in no faster than without the chain.
 *
 * Renames: of those rows the ones whose instructions write a register each. Where they are as fast as any row, all that is
 * taken in can be given a register; where they are slower, and rows of kinds that have little in common are as slow as each
 * other, no more can be. Where one kind alone is the fastest of them, it may be a unit that the others wait for.
 *
 * Where short NOPs are known to share entries of the reorder buffer with their neighbours, so many instructions are no
 * operations: then rows of kinds are asked that share none with their like, registers that are cleared and moves. Where
 * the reorder buffer is not known, and rows with NOPs are faster than those without, nothing is told.
 *
 * Answers: the rate of the rows; the slope over n. Where the slope says that no more retire than the rows had, retiring
 * may be all that held the rows up, and renaming is not told. Where they are as fast as the front end is known to be, it
 * is not told either. What the front end delivers from an operation cache is not known, and neither is whether the
 * fence has a hand in the slope: no answer is better than grade B.
 *
 * Method: rows of what is held up by renaming alone, Fog, Microarchitecture; the blocker is that of Wong 2013; that
 * retiring shows behind it is ours.
 */
#include <math.h>

#include "lib/kernels/lookahead.h"
#include "lib/find.h"
#include "lib/probe.h"
#include "lib/sample.h"
#include "lib/table.h"

enum {
    PERIOD = 4,
    ROW = 192,
    CHAIN = 40,    /* multiplications; three cycles each at least */
    WAITING = 256, /* instructions that wait behind it at most, where the reorder buffer is not known */
    STEPS = 4,     /* into which those are divided: one, two and three of them are tried */
    KINDS = 7,     /* of rows, … */
    NOPS_ALONE = 0,
    WITHOUT_NOPS = 3, /* … these among them, and those behind it */
    STORES = 4,
    REGISTERS = 8, /* that additions take in turn */
    SAMPLES = 25,
    STORED = 2048 + 8 * REGISTERS, /* where no load has the same low bits */
    DATA_BYTES = 4096
};

/* A number this near to a whole one is it. */
static const double WHOLE = 0.2;
/* Both halves of a slope are as steep as each other. */
static const double STRAIGHT = 0.1;
/* Rates are alike. */
static const double ALIKE = 0.03;
/* One is the higher: one instruction more than ten is. */
static const double MORE = 0.07;
/* So many times as many NOPs as entries share them; and may, where other rows are slower by so much. */
static const double SHARE = 1.5, SLOWER = 1.2;

/*
 * n: NOP, a: addition, v: addition of vectors, l: load, s: store, z: a register cleared, m: a move. `lone`: none shares an
 * entry. `writes`: each writes a register. `in`: only how it comes in is asked, since stores leave later than they retire.
 */
static const struct {
    const char *name, *pattern;
    bool lone, writes, in;
} kinds[KINDS] = {{"NOPs", "nnnn", .lone = false},
                  {"additions", "anan", .lone = false},
                  {"vectors", "avan", .lone = false},
                  {"loads", "alav", .writes = true},
                  {"stores", "alsv", .in = true},
                  {"zeros", "zzzz", .lone = true, .writes = true},
                  {"moves", "mmmm", .lone = true, .writes = true}};

struct rates {
    double in[KINDS], out[KINDS]; /* instructions a cycle; NaN: not told */
    double renamed[KINDS]; /* the same as `in`, of rows that write, whether their instructions share entries or not */
};

struct row {
    unsigned kind;
    size_t count; /* of instructions */
    bool behind;  /* a chain, between fences */
};

static void emit_row(struct code *c, const void *context)
{
    const struct row *r = context;
    unsigned adds = 0, vectors = 0, loads = 0, stores = 0;

    if (r->behind)
        emit_fence(c, FENCE_INSTRUCTIONS);
    for (unsigned link = 0; r->behind && link < CHAIN; link++)
        emit_multiply(c, REG_T8, REG_T8);
    for (size_t i = 0; i < r->count && code_good(c); i++)
        switch (kinds[r->kind].pattern[i % PERIOD]) {
        case 'a': emit_add_constant(c, (enum reg)(REG_T0 + adds++ % REGISTERS), 1); break;
        case 'v':
            emit_vector_add(c, (enum vreg)(vectors % VREGS), (enum vreg)(vectors % VREGS));
            vectors++;
            break;
        case 'l': /* into what no addition waits for */
            emit_load(c, REG_T8, REG_DATA, (int32_t)(8 * (loads++ % REGISTERS)));
            break;
        case 's': emit_store(c, REG_T8, REG_DATA, (int32_t)(STORED + 8 * (stores++ % REGISTERS))); break;
        case 'z': emit_filler(c, emit_filler_named("zero"), i); break;
        case 'm': emit_filler(c, emit_filler_named("move"), i); break;
        default: emit_nop(c, emit_nop_lengths[0]);
        }
}

/* Cycles an iteration. */
static bool measure_row(struct probe *p, const struct area *data, const struct row *r, double *cycles)
{
    const struct loop l = {.body = emit_row, .context = r, .instructions = r->count + CHAIN + 1, .data = data->at};

    return sample_loop(p, (unsigned)probe_scale(p, 1, 9, SAMPLES, SAMPLES), &l, cycles);
}

/*
 * Rows of `step` instructions, of twice and of three times as many: instructions a cycle by what the longer ones take
 * more, so that what comes before and behind them is in none. NAN: the second step costs another time than the first.
 */
static bool measure_slope(struct probe *p, const struct area *data, unsigned kind, size_t step, bool behind,
                          double *rate)
{
    double y[] = {NAN, NAN, NAN};
    bool good = true;

    for (size_t i = 0; i < 3 && good; i++)
        good = measure_row(p, data, &(struct row){kind, (i + 1) * step, behind}, &y[i]);
    *rate = fabs((y[2] - y[1]) - (y[1] - y[0])) <= STRAIGHT * (y[2] - y[0]) ? 2 * (double)step / (y[2] - y[0])
                                                                            : (double)NAN;
    return good;
}

/* `in`: what rows have that wait for nothing. */
static bool measure_out(struct probe *p, const struct area *data, unsigned kind, double in, double *rate)
{
    const double entries = facts_number(&p->run->facts, "backend.rob.entries", "", NAN);
    const double waiting = fmin(isnan(entries) ? WAITING : entries, 8 * WAITING);
    const bool good = measure_slope(p, data, kind, (size_t)probe_smoke(p, 8, waiting / STEPS), true, rate);

    /* what the buffer does not hold comes in no faster than that */
    if (isnan(entries) && !(*rate > (1 + MORE) * in))
        *rate = NAN;
    return good;
}

/* ---- What is told ------------------------------------------------------------------------------- */

static double whole(double rate)
{
    const double nearest = floor(rate + 0.5);

    return fabs(rate - nearest) <= WHOLE ? nearest : (double)NAN;
}

/* By the reorder buffer, which holds more short NOPs than it has entries. */
static bool shares_entries(const struct probe *p)
{
    const double entries = facts_number(&p->run->facts, "backend.rob.entries", "", NAN),
                 nops = facts_number(&p->run->facts, "backend.rob.instructions", "filler=nop", NAN);

    return nops > SHARE * entries;
}

static bool may_share_entries(const struct probe *p, const struct rates *r)
{
    return isnan(facts_number(&p->run->facts, "backend.rob.entries", "", NAN)) &&
           !(r->in[NOPS_ALONE] <= SLOWER * fmax(r->in[WITHOUT_NOPS], r->in[STORES]));
}

static double best(const double *rates)
{
    double most = 0;

    for (unsigned i = 0; i < KINDS; i++)
        most = fmax(most, rates[i]);
    return most;
}

/* One thing could fool all rows, so that they are layouts of one experiment. Those below `least` have other limits. */
static void report_rate(struct probe *p, const struct finding *f, const double *rates, double least,
                        const char *fooled_by)
{
    struct find_value v[KINDS];
    size_t used = 0;

    for (unsigned i = 0; i < KINDS; i++)
        if (rates[i] >= least)
            v[used++] = (struct find_value){kinds[i].name, fooled_by, whole(rates[i])};
    find_number(p, f, v, used);
}

static struct finding rename_finding(const struct probe *p, const char *counted, const char *reason, const char *method)
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

    if (!cached) { /* then all come through the decoders */
        f.limits[0].name = "frontend.decode.width";
        f.limits[0].variants = "";
        f.limits[0].per_unit = 1;
    }
    return f;
}

/* Some slope tells that more can retire than come in. */
static bool retires_more(const struct rates *r)
{
    return best(r->out) > (1 + MORE) * best(r->in);
}

static void report_rename(struct probe *p, const struct rates *r)
{
    const struct finding f = rename_finding(p, "operations", "masked-by:backend.retire.per_cycle",
                                            "the fastest rows of mixed instructions");

    if (!retires_more(r))
        report(p, &f);
    else
        report_rate(p, &f, r->in, (1 - ALIKE) * best(r->in), "front end");
}

static void report_renames(struct probe *p, const struct rates *r)
{
    const double most = best(r->renamed);
    const bool fewer = most < (1 - MORE) * best(r->in);
    const struct finding f = rename_finding(
        p, "renames", fewer ? "one kind of row alone is as fast" : "masked-by:backend.retire.per_cycle",
        "the fastest rows of instructions that write a register each");
    unsigned alike = 0;

    for (unsigned i = 0; i < KINDS; i++)
        alike += r->renamed[i] >= (1 - ALIKE) * most ? 1 : 0;
    if (fewer ? alike < 2 : !retires_more(r))
        report(p, &f);
    else
        report_rate(p, &f, r->renamed, (1 - ALIKE) * most, "front end");
}

static void send_rows(struct probe *p, const struct rates *rates)
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

static void report_nothing(struct probe *p, const char *reason)
{
    static const struct {
        const char *name, *counted;
    } all[] = {{"backend.retire.per_cycle", "operations"},
               {"backend.rename.per_cycle", "operations"},
               {"backend.rename.per_cycle", "renames"}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        report_number(
            p, &(struct finding){.name = all[i].name, .variants = {{"counted", all[i].counted}}, .reason = reason},
            NAN);
}

/* Rows of kinds that share entries, or of those that do not; of all that write how fast they come in. */
static bool measure_rows(struct probe *p, struct rates *r)
{
    const unsigned count = (unsigned)probe_smoke(p, 2, KINDS);
    const bool lone = shares_entries(p);
    struct area data;
    bool good = probe_map(p, &data, DATA_BYTES, 0);

    for (unsigned i = 0; i < KINDS; i++)
        r->in[i] = r->out[i] = r->renamed[i] = NAN;
    for (unsigned i = 0; i < count && good; i++) {
        const bool asked = kinds[i].lone == lone || probe_smoke(p, 1, 0) > 0;
        double in = NAN;
        if (asked || kinds[i].writes)
            good = measure_slope(p, &data, i, ROW, false, &in);
        if (kinds[i].writes)
            r->renamed[i] = in;
        if (good && asked) {
            r->in[i] = in;
            good = kinds[i].in || measure_out(p, &data, i, in, &r->out[i]);
        }
    }
    return good;
}

static void run(struct probe *p)
{
    struct rates r;

    if (!measure_rows(p, &r))
        return;
    send_rows(p, &r);
    if (may_share_entries(p, &r)) {
        report_nothing(p, "packing-unknown");
        return;
    }
    report_rate(p,
                &(struct finding){.name = "backend.retire.per_cycle",
                                  .variants = {{"counted", "operations"}},
                                  .method = "what instructions cost that wait behind a chain"},
                r.out, 0, "fence");
    report_rename(p, &r);
    report_renames(p, &r);
}

PROBE(widths, .title = "Widths", .family = "backend", .after = "rob", .run = run,
      .findings = FINDINGS({"backend.rename.per_cycle", "operations/cycle",
                            "operations renamed in one cycle; renames: those that write a register"},
                           {"backend.retire.per_cycle", "operations/cycle", "operations retired in one cycle"}));
