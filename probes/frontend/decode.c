/*
 * Decoders: how many instructions a cycle, and how many NOPs a cycle at best?
 *
 * Rows of NOPs of one length, and of additions to registers in turn, over and over. A short row is kept, decoded, by cores
 * that have an operation cache or a loop buffer: what it takes is what the core can take of these instructions at best. A
 * row nearly as long as the instruction cache, of short instructions, is far too long for that and comes through the
 * decoders.
 *
 * Where the long row is slower than the short one, it is the decoders that hold it up, or fetching where all instructions
 * of some length are bound by their bytes; rows of lengths that are not tell the width. Where it is as fast, the width may be
 * anything from there on: what takes the instructions behind the decoders is no wider.
 *
 * An operation cache may pack NOPs, and keep part of such a row. Rows of three times the length are kept by none, and may
 * come fast enough from the second level, since short instructions are not many bytes.
 *
 * Decoders that stop at the ends of blocks of code do not come to a whole number. The next one above is then the width at
 * least, and by one experiment only.
 *
 * Method: NOP loops beyond the operation cache, clamchowder's suite and jia.je 2024; short against long is ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/find.h"
#include "lib/probe.h"
#include "lib/sample.h"
#include "lib/table.h"

enum {
    SHORT_ROW = 192,
    KINDS = 17, /* NOP lengths, at most 15, and additions */
    ADDED = 8,  /* registers */
    ROOM_BYTES = 64,
    SAMPLES = 5,
    LONG_OPS = 8192, /* more than any operation cache holds: 6912 (AMD, Zen 4), but it packs NOPs */
    LONGER = 3
};

/* So much of the instruction cache is surely to be had. */
static const double PART_OF_L1I = 0.9;
/* A row is held up when it is slower by more than this, in parts of the time. */
static const double SLOWER = 0.015;
/* As many bytes a cycle as the most that any row has, but for so much: it is bound by them. */
static const double BOUND_BY_BYTES = 0.15;
/* A rate this near to a whole number is one. */
static const double WHOLE = 0.02;

struct row {
    unsigned bytes;       /* of an instruction */
    bool add;             /* additions; else NOPs */
    double kept, decoded; /* instructions a cycle; NaN: not measured */
};

struct repeated {
    const struct row *row;
    size_t count;
};

static void emit_row(struct code *c, const void *context)
{
    const struct repeated *r = context;

    if (!r->row->add)
        emit_nop_row(c, r->row->bytes, r->count);
    for (size_t i = 0; r->row->add && i < r->count && code_good(c); i++)
        emit_add_constant(c, (enum reg)(REG_T0 + i % ADDED), 1);
}

/* Cycles an iteration. */
static bool measure_row(struct probe *p, const struct row *row, size_t count, double *cycles)
{
    const struct loop l = {.body = emit_row, .context = &(struct repeated){row, count}, .instructions = count};

    return sample_loop(p, SAMPLES, &l, cycles);
}

/* Instructions a cycle: what a row of twice the length takes more than this one, so that the loop's end is in neither. */
static bool measure_rate(struct probe *p, const struct row *row, size_t count, double *rate)
{
    double once = NAN, twice = NAN;

    if (!measure_row(p, row, count, &once) || !measure_row(p, row, 2 * count, &twice))
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
 * A row as long as the instruction cache may be kept in part, and one that is longer may wait for its bytes. The longer
 * one counts where it comes to a whole number, unless the other one does to another; else both count where they agree.
 */
static double choose_rate(double rate, double longer)
{
    if (is_whole(longer) && (!is_whole(rate) || nearest_whole(longer) == nearest_whole(rate)))
        return longer;
    return fabs(longer - rate) <= WHOLE * rate ? rate : (double)NAN;
}

static bool measure_rows(struct probe *p, struct row *rows, size_t count)
{
    double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", 0);

    for (size_t i = 0; i < count; i++) {
        struct row *row = &rows[i];
        size_t longest = (size_t)(PART_OF_L1I * l1i / row->bytes);
        double cycles = NAN;
        if (!measure_rate(p, row, SHORT_ROW, &row->kept))
            return false;
        row->decoded = NAN;
        if (longest >= LONG_OPS || p->run->config.profile == PROFILE_SMOKE) {
            longest = (size_t)probe_smoke(p, SHORT_ROW, (double)longest);
            if (!measure_row(p, row, longest, &cycles))
                return false;
            row->decoded = (double)longest / cycles;
            if (p->run->config.profile == PROFILE_SMOKE || emit_longest == emit_alignment)
                continue; /* no short ones */
            if (!measure_row(p, row, LONGER * longest, &cycles))
                return false;
            row->decoded = choose_rate(row->decoded, (double)(LONGER * longest) / cycles);
        }
    }
    return true;
}

/* ---- What is told ------------------------------------------------------------------------------- */

static double best_kept(const struct row *rows, size_t count, bool add)
{
    double best = 0;

    for (size_t i = 0; i < count; i++)
        if (rows[i].add == add)
            best = fmax(best, rows[i].kept);
    return best;
}

static double best_decoded(const struct row *rows, size_t count)
{
    double best = 0;

    for (size_t i = 0; i < count; i++)
        best = fmax(best, rows[i].decoded);
    return best;
}

/* Slower than others in instructions, and as fast as any in bytes. */
static bool is_bound_by_bytes(const struct row *row, const struct row *rows, size_t count)
{
    double bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes = fmax(bytes, rows[i].decoded * rows[i].bytes);
    return row->decoded < (1 - WHOLE) * best_decoded(rows, count) &&
           row->decoded * row->bytes > (1 - BOUND_BY_BYTES) * bytes;
}

static void report_width(struct probe *p, const struct row *rows, size_t count)
{
    struct find_value whole[FIND_EXPERIMENTS];
    double best = best_decoded(rows, count), cut = 0;
    char at_least[24];
    size_t used = 0;
    struct finding f = {.name = "frontend.decode.width",
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = best > 0 ? "masked-by:frontend.nop.per_cycle" : "no-instruction-cache-long-enough",
                        .method = "long rows that are slower than short ones",
                        .limits = {{"frontend.fetch.instructions", "", 1}}};

    for (size_t i = 0; i < count; i++) {
        const struct row *r = &rows[i];
        if (isnan(r->decoded) || r->decoded > (1 - SLOWER) * best_kept(rows, count, r->add) ||
            is_bound_by_bytes(r, rows, count))
            continue;
        cut = fmax(cut, r->decoded);
        if (is_whole(r->decoded) && used < FIND_EXPERIMENTS)
            whole[used++] = (struct find_value){r->add ? "additions" : "NOPs", r->add ? "units" : "NOPs",
                                                nearest_whole(r->decoded)};
    }
    if (used) {
        find_number(p, &f, whole, used);
        return;
    }
    snprintf(at_least, sizeof at_least, "%.2f", best);
    f.remarks[0].key = "at_least";
    f.remarks[0].text = at_least;
    f.method = "the whole number above the rate of a long row";
    report_number(p, &f, cut > 0 ? ceil(cut) : (double)NAN);
}

static void report_nops(struct probe *p, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!rows[i].add)
            report_number(p,
                          &(struct finding){.name = "frontend.nop.per_cycle",
                                            .variants = {{"bytes", .number = rows[i].bytes}},
                                            .reason = "not-steady",
                                            .method = "a row of them that is kept, against one of half the length"},
                          rows[i].kept);
}

static void send_rows(struct probe *p, const struct row *rows, size_t count)
{
    struct record r;

    record_table(p, &r, "rows");
    RECORD_COLUMNS(&r, "instruction", "bytes", "kept_per_cycle", "decoded_per_cycle");
    for (size_t i = 0; i < count; i++) {
        record_array(&r, NULL);
        record_text(&r, NULL, rows[i].add ? "add" : "nop");
        record_number(&r, NULL, rows[i].bytes);
        record_number(&r, NULL, rounded(rows[i].kept));
        record_number(&r, NULL, rounded(rows[i].decoded));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void run(struct probe *p)
{
    struct row rows[KINDS];
    struct code c = probe_code(p, ROOM_BYTES);
    size_t count = 1;

    emit_add_constant(&c, REG_T0, 1);
    rows[0] = (struct row){.bytes = (unsigned)c.used, .add = true};
    for (const unsigned *n = emit_nop_lengths; *n && count < (size_t)probe_smoke(p, 2, KINDS); n++)
        rows[count++] = (struct row){.bytes = *n};
    if (p->outcome != OUTCOME_OK || !measure_rows(p, rows, count))
        return;
    send_rows(p, rows, count);
    report_nops(p, rows, count);
    report_width(p, rows, count);
}

PROBE(decode, .title = "Decoders", .family = "frontend", .after = "op_cache", .run = run,
      .findings = FINDINGS({"frontend.decode.width", "instructions/cycle", "instructions decoded in one cycle"},
                           {"frontend.nop.per_cycle", "instructions/cycle",
                            "NOPs of one length that go through the core in one cycle"}));
