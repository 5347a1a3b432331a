/*
 * Question: how many decoded operations does the core keep, and how do they share entries?
 *
 * Experiment: lines of NOPs, straight through and over again, with several numbers of NOPs to a line. While all their
 * operations are kept, the core takes as many of them in a cycle as it can. Once they are not, lines are fetched and
 * decoded anew, which is slower where the bytes of a line or its operations are too many for that.
 *
 * Curve: cycles per NOP over lines, for each density: a level, then a rise long before the instruction cache is full.
 *
 * Inference: all layouts of entries are compared with the rises of all curves (lib/structure/op_cache_layout.h); what
 * those that fit have in common is the result. What could mislead one curve differs with the density: bytes, lines or
 * operations that something else holds, or a cache that delivers more than the core can take, so that the first misses
 * are hidden. Where the core has a switch for its operation cache (AMD Zen 4 and Zen 5), code that was kept has to
 * become as slow as code that was not when it is switched off. Where no layout fits, as where NOPs are packed, lines in
 * random order count the entries, and the operations of one (lib/structure/op_cache_lines.h).
 *
 * There is no operation cache where code with few NOPs to a line, which is bound by its bytes, is slow however short it
 * is: several densities have the same bytes per cycle then, and more NOPs to a line come faster. Time cannot show its
 * absence where nothing is slower from the instruction cache, or where a line a cycle is reached, which is the most
 * that a core's operation cache delivers (Zen 4).
 *
 * Sources: jia.je 2024, Golden Cove (jumps, one to a line or more, replaced here by NOPs of chosen lengths, which
 * branch target buffers have no part in); the fit is ours. docs/METHODS.md, 5.11.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/straight.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"
#include "lib/structure/op_cache_layout.h"
#include "lib/structure/op_cache_lines.h"
#include "lib/structure/op_cache_switch.h"

enum {
    DENSITIES = 16,
    LINES_MINIMUM = 8,
    LINES_OF_32_KIB = 512,
    RISES = 5,       /* one more than a layout has unknowns: window, operations of an entry, sets, ways */
    SHARP_LINES = 2, /* interval of a rise that allows grade A */
    NAME_BYTES = 32
};

/* Part of the instruction cache up to which a rise is not its own. Chosen: the loop is in it as well. */
static const double NEAR_L1I = 0.9;
/* Time of code, relative to the fastest, from which on its bytes limit it, or it is not kept. Chosen: above noise. */
static const double SLOWER = 1.1;

struct density {
    unsigned per_line;
    bool additions; /* else NOPs */
    char name[NAME_BYTES];
    struct sweep sweep;
};

static bool build(struct probe *p, double lines, void *context, struct kernel *k)
{
    const struct density *d = context;
    return d->additions ? straight_build_additions(p, (size_t)lines, k)
                        : straight_build(p, (size_t)lines, d->per_line, k);
}

/* ---- Reports ------------------------------------------------------------------------------------ */

static const char *const names[OP_CACHE_QUANTITIES] = {"frontend.op_cache.entries", "frontend.op_cache.ops",
                                                       "frontend.op_cache.ops_per_entry"};

static struct finding undecided(enum op_cache_quantity q, enum reason reason)
{
    return (struct finding){.name = names[q], .value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = reason};
}

/*
 * Different densities have different confounders. A: all rises are within a step or two of what the layout predicts,
 * and both views of each curve agree. B: they agree but are less sharp.
 */
static char grade_of(const struct density *d, size_t count)
{
    bool agreed = true, sharp = true;

    for (size_t i = 0; i < count; i++) {
        const struct verdict *v = &d[i].sweep.search.verdict;
        agreed &= !v->count || v->knees[0].agreed;
        sharp &= !v->count || v->knees[0].high - v->knees[0].low <= SHARP_LINES;
    }
    return agreed && sharp ? 'A' : agreed ? 'B' : 'C';
}

/* Lists the lines held at each density, for people. */
static void list_held(const struct density *d, size_t count, char text[AGREEMENT_TEXT])
{
    size_t used = 0;

    text[0] = 0;
    for (size_t i = 0; i < count && used < AGREEMENT_TEXT; i++)
        if (d[i].sweep.search.verdict.count)
            used += (size_t)snprintf(text + used, AGREEMENT_TEXT - used, "%s%.0f lines of %u", used ? ", " : "",
                                     d[i].sweep.search.verdict.knees[0].value, d[i].per_line);
}

/*
 * Where instructions have one length, lines have one density and entries do not show. Only the number of operations is
 * reported, by additions, which nothing is known to merge: NOPs may share an operation (Neoverse V2, jia.je 2025).
 */
static void report_additions(struct probe *p, const struct density *d, size_t count)
{
    struct experiment e[] = {{.confounder = "merging"}};
    struct finding f = {.name = names[OP_CACHE_OPS],
                        .method = "additions of both kinds in turn: the last line before the rise"};

    for (size_t i = 0; i < count; i++)
        if (d[i].additions)
            e[0] = (struct experiment){.name = d[i].name,
                                       .confounder = "merging",
                                       .verdict = &d[i].sweep.search.verdict,
                                       .scale = STRAIGHT_ADDITIONS};
    if (e[0].verdict)
        report_capacity(p, &f, e, 1, STRAIGHT_ADDITIONS);
}

static struct op_cache_fit fit_layouts(const struct density *d, size_t count)
{
    struct op_cache_rise rises[DENSITIES];
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct verdict *v = &d[i].sweep.search.verdict;
        if (v->count)
            rises[n++] = (struct op_cache_rise){d[i].per_line, v->knees[0].low, v->knees[0].high};
    }
    return op_cache_fit(rises, n);
}

/* Few rises fit many layouts, and may be due to anything: RISES are needed. */
static void report_layout(struct probe *p, const struct density *d, size_t count, size_t rises, const char *proof,
                          const struct op_cache_switched *switched, const struct knee *first)
{
    const double half_way = (first->before + first->after) / 2;
    const bool stays = !isnan(switched->off) && switched->off < half_way;
    const struct op_cache_fit fit = fit_layouts(d, count);
    struct finding lines[OP_CACHE_QUANTITIES] = {{.name = NULL}};
    char held[AGREEMENT_TEXT];

    list_held(d, count, held);
    for (enum op_cache_quantity q = 0; q < OP_CACHE_QUANTITIES; q++) {
        if (q == OP_CACHE_OPS && emit_longest == emit_alignment) {
            report_additions(p, d, count);
            continue;
        }
        struct finding f = undecided(q, stays              ? REASON_STAYS_WHEN_OFF
                                        : fit.layouts == 0 ? REASON_NO_LAYOUT_FITS
                                        : rises < RISES    ? REASON_TOO_FEW_RISES
                                                           : REASON_SEVERAL_LAYOUTS_FIT);
        f.method = "the layout of entries that explains each rise";
        f.remarks[0].key = "held";
        f.remarks[0].text = held;
        f.remarks[1].key = "proof"; /* an empty text is not sent; the remark behind it is */
        f.remarks[1].text = proof;
        if (!isnan(switched->off)) {
            f.remarks[2].key = "switched_off";
            f.remarks[2].text = stays ? "no slower" : "as slow as past the rise";
        }
        if (!stays && rises >= RISES && fit.layouts && fit.least[q] == fit.most[q]) {
            f.value = f.low = fit.least[q];
            f.high = f.low + 1;
            f.grade = grade_of(d, count);
        }
        for (size_t i = 0; i < count && i < FINDING_CURVES; i++)
            f.curves[i] = d[i].name;
        if (f.grade == 'U' && !stays)
            lines[q] = f;
        else
            report(p, &f);
    }
    op_cache_lines_report(p, lines);
}

/* Cycles per NOP of few lines, the median. */
static double few_lines(const struct search *s)
{
    double y[LINES_MINIMUM];
    size_t count = 0;

    for (; count < s->count && count < LINES_MINIMUM; count++)
        y[count] = s->points[count].y;
    return median(y, count);
}

/* Why a rise may have been missed in some curve; REASON_NONE: in none. */
static enum reason missed_rise(const struct density *d, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum reason reason = d[i].sweep.search.verdict.reason;
        if (reason && reason != REASON_NO_KNEE)
            return reason;
    }
    return REASON_NONE;
}

/* Reports where no curve rises: 0 if there is no operation cache. `exists`: a switch shows that there is one. */
static void report_none(struct probe *p, const struct density *d, size_t count, bool exists)
{
    struct op_cache_rate rates[DENSITIES];
    size_t n = 0;
    enum reason reason = missed_rise(d, count);

    for (size_t i = 0; i < count; i++)
        if (!d[i].additions)
            rates[n++] = (struct op_cache_rate){d[i].per_line, few_lines(&d[i].sweep.search)};
    const bool none = op_cache_absent(rates, n);
    for (enum op_cache_quantity q = 0; q < OP_CACHE_QUANTITIES; q++) {
        struct finding f = undecided(q, reason ? reason : REASON_NO_KNEE);
        f.method = "code of long NOPs is bound by its bytes, however short it is";
        report_number(p, &f, !reason && !exists && none ? 0 : (double)NAN);
    }
}

/* ---- The run ------------------------------------------------------------------------------------ */

/* Drops rises that do not end before the number of lines at which the instruction cache may be full. */
static void drop_l1i_rises(struct verdict *v, double lines)
{
    while (v->count && v->knees[v->count - 1].high > lines)
        v->count--;
}

static size_t choose_densities(struct probe *p, double lines, struct density d[DENSITIES])
{
    static const uint8_t all[] = {STRAIGHT_ADDITIONS /* the first one */, 16, 8, 10, 20, 6, 9, 12, 18, 24};
    const struct search search = {.kind = KNEE_STEP,
                                  .from = LINES_MINIMUM,
                                  .to = floor(lines),
                                  .step = 1,
                                  .resolution = 0.01,
                                  .per_octave = (unsigned)probe_smoke(p, 1, 8)};
    size_t wanted = (size_t)probe_scale(p, 1, 7, sizeof all, sizeof all), count = 0;

    for (size_t i = 0; i < sizeof all && count < wanted; i++) {
        if (!straight_fits(all[i]))
            continue;
        d[count] = (struct density){.per_line = all[i], .additions = i == 0};
        snprintf(d[count].name, NAME_BYTES, "%u to a line%s", d[count].per_line,
                 d[count].additions ? ", additions" : "");
        d[count].sweep = (struct sweep){.name = d[count].name,
                                        .axis = "lines",
                                        .unit = "cycles/nop",
                                        .build = build,
                                        .context = &d[count],
                                        .seconds = probe_scale(p, 1, 0.14, 0.6, 6),
                                        .search = search};
        count++;
    }
    return count;
}

static void run(struct probe *p)
{
    static const char *const needs[] = {"op_cache_ops", "op_cache_misses", "decoder_ops", NULL};
    double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", NAN);
    double lines = isnan(l1i) ? LINES_OF_32_KIB : NEAR_L1I * l1i / STRAIGHT_LINE_BYTES;
    struct density d[DENSITIES];
    char proof[PROOF_TEXT] = "";
    size_t count = choose_densities(p, probe_smoke(p, 64, lines), d), rises = 0, first = 0;
    struct op_cache_switched switched = {NAN, NAN};
    bool good = true, exists = false;

    for (size_t i = 0; i < count && good; i++) {
        good = sweep_search(p, &d[i].sweep);
        drop_l1i_rises(&d[i].sweep.search.verdict, lines);
        if (good && d[i].sweep.search.verdict.count && rises++ == 0) {
            first = i;
            good = proof_of_knee(p, &d[i].sweep, 0, needs, proof) &&
                   op_cache_measure_switched(p, build, d[i].sweep.search.verdict.knees[0].low, &d[i], &switched);
        }
    }
    for (size_t i = 0; i < count && good && !rises && !exists; i++) {
        good = op_cache_measure_switched(p, build, LINES_MINIMUM, &d[i], &switched);
        exists = switched.off > SLOWER * switched.found;
    }
    if (good && isnan(l1i)) /* any rise may be the instruction cache's */
        for (enum op_cache_quantity q = 0; q < OP_CACHE_QUANTITIES; q++)
            report(p, (struct finding[]){undecided(q, REASON_CAPACITY_UNKNOWN)});
    else if (good && rises)
        report_layout(p, d, count, rises, proof, &switched, &d[first].sweep.search.verdict.knees[0]);
    else if (good)
        report_none(p, d, count, exists);
    for (size_t i = 0; i < count; i++)
        sweep_free(&d[i].sweep);
}

PROBE(op_cache, .title = "Operation cache", .family = "frontend", .after = "l1i", .run = run,
      .findings = FINDINGS({"frontend.op_cache.ops", "operations", "decoded operations that are kept; 0: none are"},
                           {"frontend.op_cache.entries", "entries", "entries that they share"},
                           {"frontend.op_cache.ops_per_entry", "operations", "the most that an entry holds"}));
