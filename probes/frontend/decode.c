/*
 * Question: how many instructions are decoded in a cycle, and how many NOPs at best?
 *
 * Experiment: runs of NOPs of one length, and of additions to several registers in turn, over and over. A short run is
 * kept decoded by cores that have an operation cache or a loop buffer: its rate is the most of these instructions that
 * the core can take in a cycle. A run nearly as long as the instruction cache, of short instructions, is far too long
 * for that and comes through the decoders. An operation cache may pack NOPs and keep part of such a run, but nothing of
 * a run of three times that length, which may still come fast enough from the second level, since short instructions
 * have few bytes.
 *
 * There is no curve. Inference: where the long run is slower than the short one, its limit is the decoders, or fetching
 * for lengths of NOPs that are bound by their bytes; the runs that are not show the width. Where the long run is as
 * fast, the width may be that rate or more, since what follows the decoders takes no more. Decoders that stop at the
 * ends of blocks of code reach no whole number: then the next whole number above is reported, by one experiment only.
 *
 * Sources: NOP loops beyond the operation cache as in clamchowder's suite and jia.je 2024; short against long is ours.
 * docs/METHODS.md, 5.2.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/probe/table.h"
#include "lib/structure/tolerances_frontend.h"

enum {
    SHORT_RUN = 192,
    KINDS = 17, /* NOP lengths, at most 15, and additions */
    ADDED = 8,  /* registers */
    ROOM_BYTES = 64,
    SAMPLES = 5,
    LONG_OPS = 8192, /* more than any operation cache holds: 6912 (AMD, Zen 4), but it packs NOPs */
    LONGER = 3
};

/* Part by which a run that the decoders limit is slower than short runs, at least. Chosen: above the noise of rates. */
static const double SLOWER = 0.015;
/* Part by which the bytes per cycle of a run are below the most of any run, at most, if its bytes limit it. Chosen. */
static const double BOUND_BY_BYTES = 0.15;
/* Part of a rate by which it may differ from a whole number. Chosen: the accuracy of calibrated time. */
static const double WHOLE = 0.02;

/* Runs of one instruction. */
struct instruction_run {
    unsigned bytes;       /* of an instruction */
    bool add;             /* additions; else NOPs */
    bool fits;            /* the instruction cache holds a long run of them */
    double kept, decoded; /* instructions per cycle of a short and of a long run; NaN: not measured */
};

struct repeated {
    const struct instruction_run *run;
    size_t count;
};

static void emit_run(struct code *c, const void *context)
{
    const struct repeated *r = context;

    if (!r->run->add)
        emit_nop_sequence(c, r->run->bytes, r->count);
    for (size_t i = 0; r->run->add && i < r->count && code_good(c); i++)
        emit_add_constant(c, (enum reg)(REG_T0 + i % ADDED), 1);
}

/* Cycles per iteration. */
static bool measure_run(struct probe *p, const struct instruction_run *run, size_t count, double *cycles)
{
    const struct loop l = {.body = emit_run, .context = &(struct repeated){run, count}, .instructions = count};

    return sample_loop(p, SAMPLES, &l, cycles);
}

/* Instructions per cycle, from what a run of twice the length takes longer, so that the loop's end cancels. */
static bool measure_rate(struct probe *p, const struct instruction_run *run, size_t count, double *rate)
{
    double once = NAN, twice = NAN;

    if (!measure_run(p, run, count, &once) || !measure_run(p, run, 2 * count, &twice))
        return false;
    *rate = (double)count / (twice - once);
    return true;
}

static double nearest_whole(double rate)
{
    return floor(rate + 0.5);
}

static bool is_whole(double rate)
{
    return fabs(rate - nearest_whole(rate)) <= WHOLE * rate;
}

/*
 * An operation cache may keep part of a run as long as the instruction cache, and a longer run may wait for its bytes.
 * The longer one counts where its rate is a whole number, unless that of the other is another whole number. Else both
 * must agree.
 */
static double choose_rate(double rate, double longer)
{
    if (is_whole(longer) && (!is_whole(rate) || nearest_whole(longer) == nearest_whole(rate)))
        return longer;
    return fabs(longer - rate) <= WHOLE * rate ? rate : (double)NAN;
}

static bool measure_runs(struct probe *p, struct instruction_run *runs, size_t count)
{
    double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", 0);

    for (size_t i = 0; i < count; i++) {
        struct instruction_run *run = &runs[i];
        size_t longest = (size_t)(L1I_AVAILABLE * l1i / run->bytes);
        double cycles = NAN;
        if (!measure_rate(p, run, SHORT_RUN, &run->kept))
            return false;
        run->decoded = NAN;
        run->fits = longest >= LONG_OPS;
        if (run->fits || probe_is_smoke(p)) {
            longest = (size_t)probe_smoke(p, SHORT_RUN, (double)longest);
            if (!measure_run(p, run, longest, &cycles))
                return false;
            run->decoded = (double)longest / cycles;
            if (probe_is_smoke(p) || emit_longest == emit_alignment)
                continue; /* there are no short instructions */
            if (!measure_run(p, run, LONGER * longest, &cycles))
                return false;
            run->decoded = choose_rate(run->decoded, (double)(LONGER * longest) / cycles);
        }
    }
    return true;
}

/* ---- Reports ------------------------------------------------------------------------------------ */

static double best_kept(const struct instruction_run *runs, size_t count, bool add)
{
    double best = 0;

    for (size_t i = 0; i < count; i++)
        if (runs[i].add == add)
            best = fmax(best, runs[i].kept);
    return best;
}

static double best_decoded(const struct instruction_run *runs, size_t count)
{
    double best = 0;

    for (size_t i = 0; i < count; i++)
        best = fmax(best, runs[i].decoded);
    return best;
}

/* Why the width is undecided where no run is slower than short ones. */
static enum reason why_undecided(const struct probe *p, const struct instruction_run *runs, size_t count)
{
    bool fit = false;

    if (best_decoded(runs, count) > 0)
        return REASON_MASKED_BY_NOP_RATE;
    if (!facts_find(&p->run->facts, "frontend.l1i.bytes", ""))
        return REASON_CAPACITY_UNKNOWN;
    for (size_t i = 0; i < count; i++)
        fit |= runs[i].fits;
    return fit ? REASON_NOT_STEADY : REASON_NO_LONG_INSTRUCTION_CACHE;
}

/* Whether its bytes limit a run: it is slower than others in instructions and as fast as any in bytes. */
static bool is_bound_by_bytes(const struct instruction_run *run, const struct instruction_run *runs, size_t count)
{
    double bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes = fmax(bytes, runs[i].decoded * runs[i].bytes);
    return run->decoded < (1 - WHOLE) * best_decoded(runs, count) &&
           run->decoded * run->bytes > (1 - BOUND_BY_BYTES) * bytes;
}

static void report_width(struct probe *p, const struct instruction_run *runs, size_t count)
{
    struct experiment_value whole[EXPERIMENTS_MAXIMUM];
    double best = best_decoded(runs, count), limited = 0;
    char at_least[24];
    size_t used = 0;
    struct finding f = {.name = "frontend.decode.width",
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = why_undecided(p, runs, count),
                        .method = "long runs that are slower than short ones",
                        .limits = {{"frontend.fetch.instructions", "", 1}}};

    for (size_t i = 0; i < count; i++) {
        const struct instruction_run *r = &runs[i];
        if (isnan(r->decoded) || r->decoded > (1 - SLOWER) * best_kept(runs, count, r->add) ||
            is_bound_by_bytes(r, runs, count))
            continue;
        limited = fmax(limited, r->decoded);
        if (is_whole(r->decoded) && used < EXPERIMENTS_MAXIMUM)
            whole[used++] = (struct experiment_value){r->add ? "additions" : "NOPs", r->add ? "units" : "NOPs",
                                                      nearest_whole(r->decoded)};
    }
    if (used) {
        report_graded_number(p, &f, whole, used);
        return;
    }
    snprintf(at_least, sizeof at_least, "%.2f", best);
    f.remarks[0].key = "at_least";
    f.remarks[0].text = at_least;
    f.method = "the whole number above the rate of a long run";
    report_number(p, &f, limited > 0 ? ceil(limited) : (double)NAN);
}

static void report_nops(struct probe *p, const struct instruction_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!runs[i].add)
            report_number(p,
                          &(struct finding){.name = "frontend.nop.per_cycle",
                                            .variants = {{"bytes", .number = runs[i].bytes}},
                                            .reason = REASON_NOT_STEADY,
                                            .method = "a short run of them, against one of half the length"},
                          runs[i].kept);
}

static void send_runs(struct probe *p, const struct instruction_run *runs, size_t count)
{
    struct record r;

    record_table(p, &r, "rows");
    RECORD_COLUMNS(&r, "instruction", "bytes", "kept_per_cycle", "decoded_per_cycle");
    for (size_t i = 0; i < count; i++) {
        record_array(&r, NULL);
        record_text(&r, NULL, runs[i].add ? "add" : "nop");
        record_number(&r, NULL, runs[i].bytes);
        record_number(&r, NULL, rounded(runs[i].kept));
        record_number(&r, NULL, rounded(runs[i].decoded));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void run(struct probe *p)
{
    struct instruction_run runs[KINDS];
    struct code c = probe_code(p, ROOM_BYTES);
    size_t count = 1;

    emit_add_constant(&c, REG_T0, 1);
    runs[0] = (struct instruction_run){.bytes = (unsigned)c.used, .add = true};
    for (const unsigned *n = emit_nop_lengths; *n && count < (size_t)probe_smoke(p, 2, KINDS); n++)
        runs[count++] = (struct instruction_run){.bytes = *n};
    if (p->outcome != OUTCOME_OK || !measure_runs(p, runs, count))
        return;
    send_runs(p, runs, count);
    report_nops(p, runs, count);
    report_width(p, runs, count);
}

PROBE(decode, .title = "Decoders", .family = "frontend", .after = "op_cache", .run = run,
      .wants = NEEDS("frontend.l1i.bytes"),
      .findings = FINDINGS({"frontend.decode.width", "instructions/cycle", "instructions decoded in one cycle"},
                           {"frontend.nop.per_cycle", "instructions/cycle",
                            "NOPs of one length that go through the core in one cycle"}));
