/*
 * Operation cache: how many decoded operations does the core keep, and how do they share its entries?
 *
 * Lines of NOPs, straight through and over again, with so many NOPs to a line. While all their operations are kept, the
 * core takes as many of them in a cycle as it can; once they are not, lines are fetched and decoded anew, which is slower
 * where either the bytes of a line or its operations are too many for that.
 *
 * Curves over lines, one for each number of NOPs to a line: level, then a rise long before the instruction cache is full.
 * An entry holds so many operations at most, all from one line or from one half of it; so a line of m NOPs takes a number
 * of entries that depends on m alone, and where the rises are tells it:
 *
 *     lines held * entries a line = entries of the cache, for every m
 *
 * Every layout that may be, from 4 to 12 operations an entry, is held against all curves. Answer: what the one layout says
 * that fits; where several do, what they have in common. What hides the first misses, a cache that delivers more than the
 * core can take, differs with m, and so does what could fool one curve: bytes, lines or operations that something else holds.
 *
 * There is none where code with few NOPs to a line, which is bound by its bytes, is slow however short it is. Where it is
 * as fast as other code, and nothing is slower from the instruction cache, time cannot tell.
 *
 * Method: the jumps of jia.je 2024, Golden Cove, one to a line or more, replaced by NOPs of chosen lengths, which branch
 * target buffers have no part in; his limit of operations to a line; the fit is ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/find.h"
#include "lib/proof.h"
#include "lib/straight.h"

enum {
    DENSITIES = 16,
    LINES_MINIMUM = 8,
    LINES_OF_32_KIB = 512,
    OPS_MINIMUM = 4, /* an entry holds; smallest and largest of all that are known: 6 (Intel 2011) and 9 (AMD 2022) */
    OPS_MAXIMUM = 12,
    LAYOUTS = 2 * (OPS_MAXIMUM - OPS_MINIMUM + 1),
    NAME = 24
};

/* Behind this part of the instruction cache a rise may be its. */
static const double NEAR_L1I = 0.9;
/* Code that is slower by more than this from the first line on is bound by its bytes. */
static const double BOUND_BY_BYTES = 1.1;

/* Straight code of one density. */
struct density {
    unsigned per_line;
    char name[NAME];
    struct sweep sweep;
};

static bool build(struct probe *p, double lines, void *context, struct kernel *k)
{
    const struct density *d = context;
    return straight_build(p, (size_t)lines, d->per_line, k);
}

/* ---- Layouts ------------------------------------------------------------------------------------ */

/* Entries hold up to `ops` operations that begin in the same so many bytes. */
struct layout {
    unsigned window_bytes, ops;
    double entries_low, entries_high; /* by all curves together */
};

static unsigned entries_of_line(const struct layout *l, unsigned per_line)
{
    unsigned entries = 0;

    for (unsigned from = 0; from < STRAIGHT_LINE_BYTES; from += l->window_bytes) {
        unsigned ops = straight_begin(per_line, from + l->window_bytes) - straight_begin(per_line, from);
        entries += (ops + l->ops - 1) / l->ops;
    }
    return entries;
}

/* Does one number of entries explain where each curve rises? */
static bool layout_fits(struct layout *l, const struct density *d, size_t count)
{
    l->entries_low = 0;
    l->entries_high = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const struct verdict *v = &d[i].sweep.search.verdict;
        unsigned entries = entries_of_line(l, d[i].per_line);
        if (v->count == 0)
            continue;
        l->entries_low = fmax(l->entries_low, v->knees[0].low * entries);
        l->entries_high = fmin(l->entries_high, v->knees[0].high * entries);
    }
    return l->entries_low < l->entries_high;
}

static size_t fitting_layouts(const struct density *d, size_t count, struct layout out[LAYOUTS])
{
    size_t fitting = 0;

    for (unsigned window = STRAIGHT_LINE_BYTES; window >= STRAIGHT_LINE_BYTES / 2; window /= 2)
        for (unsigned ops = OPS_MINIMUM; ops <= OPS_MAXIMUM; ops++) {
            out[fitting] = (struct layout){.window_bytes = window, .ops = ops};
            fitting += layout_fits(&out[fitting], d, count);
        }
    return fitting;
}

/* ---- What is told ------------------------------------------------------------------------------- */

enum quantity { ENTRIES, OPS, OPS_PER_ENTRY, QUANTITIES };
static const char *const names[QUANTITIES] = {"frontend.op_cache.entries", "frontend.op_cache.ops",
                                              "frontend.op_cache.ops_per_entry"};

/* By how much the lines that one density shows are to be multiplied. */
static double scale_of(enum quantity q, const struct layout *l, unsigned per_line)
{
    return entries_of_line(l, per_line) * (q == OPS ? (double)l->ops : 1);
}

/* Whether all layouts that fit say the same about each curve. */
static bool same_for_all(enum quantity q, const struct layout *l, size_t layouts, const struct density *d, size_t count)
{
    bool same = true;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 1; j < layouts; j++)
            same = same && fabs(scale_of(q, &l[j], d[i].per_line) - scale_of(q, l, d[i].per_line)) < 0.5;
    return same;
}

static struct finding undecided(enum quantity q, const char *reason)
{
    return (struct finding){.name = names[q], .value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = reason};
}

static void report_capacity(struct probe *p, enum quantity q, const struct layout *l, const struct density *d,
                            size_t count, const char *proof)
{
    struct find_experiment e[DENSITIES];
    double coarsest = 1;
    size_t used = 0;

    for (size_t i = 0; i < count && used < FIND_EXPERIMENTS; i++) {
        double scale = scale_of(q, l, d[i].per_line);
        if (d[i].sweep.search.verdict.count == 0)
            continue;
        coarsest = fmax(coarsest, scale);
        e[used++] = (struct find_experiment){
            .name = d[i].name, .fooled_by = d[i].name, .verdict = &d[i].sweep.search.verdict, .scale = scale};
    }
    struct finding f = {.name = names[q],
                        .method = "the layout of entries that explains each rise",
                        .remarks = {{proof[0] ? "proof" : NULL, proof}}};
    find_capacity(p, &f, e, used, 2 * coarsest); /* a line more or less, of the coarsest one */
}

/* What each density held, for people to think about where no layout fits. */
static void say_what_was_held(const struct density *d, size_t count, char text[FIND_WHICH])
{
    size_t used = 0;

    text[0] = 0;
    for (size_t i = 0; i < count && used < FIND_WHICH; i++)
        if (d[i].sweep.search.verdict.count)
            used += (size_t)snprintf(text + used, FIND_WHICH - used, "%s%.0f lines of %u", used ? ", " : "",
                                     d[i].sweep.search.verdict.knees[0].value, d[i].per_line);
}

/* One rise alone fits any layout, and may be due to anything. */
static void report_layout(struct probe *p, const struct density *d, size_t count, size_t rises, const char *proof)
{
    struct layout l[LAYOUTS];
    size_t layouts = rises > 1 ? fitting_layouts(d, count, l) : 0;
    const char *reason = rises < 2 ? "one-rise-alone" : layouts ? "several-layouts-fit" : "no-layout-fits";
    char held[FIND_WHICH];

    say_what_was_held(d, count, held);
    for (enum quantity q = 0; q < OPS_PER_ENTRY; q++) {
        struct finding f = undecided(q, reason);
        f.remarks[0].key = "held";
        f.remarks[0].text = held;
        if (layouts && same_for_all(q, l, layouts, d, count))
            report_capacity(p, q, l, d, count, proof);
        else
            report(p, &f);
    }
    struct finding f = undecided(OPS_PER_ENTRY, reason);
    f.method = "the layout of entries that explains each rise";
    report_number(p, &f, layouts == 1 ? (double)l->ops : NAN);
}

/* Cycles a NOP of few lines. */
static double few_lines(const struct density *d)
{
    const struct search *s = &d->sweep.search;
    double y[LINES_MINIMUM];
    size_t count = 0;

    while (count < s->count && count < LINES_MINIMUM) {
        y[count] = s->points[count].y;
        count++;
    }
    sort_numbers(y, count);
    return median(y, count);
}

/* No curve rises: is there none, or could none be seen? */
static void report_none(struct probe *p, const struct density *d, size_t count)
{
    double slowest = 0, fastest = INFINITY;

    for (size_t i = 0; i < count; i++) {
        slowest = fmax(slowest, few_lines(&d[i]));
        fastest = fmin(fastest, few_lines(&d[i]));
    }
    for (enum quantity q = 0; q < QUANTITIES; q++) {
        struct finding f = undecided(q, "no-knee");
        f.method = "code of long NOPs is bound by its bytes, however short it is";
        report_number(p, &f, slowest > BOUND_BY_BYTES * fastest ? 0 : (double)NAN);
    }
}

/* ---- The run ------------------------------------------------------------------------------------ */

/* Rises close to where the instruction cache is full are not counted: they may be its. */
static void forget_l1i(struct verdict *v, double lines)
{
    while (v->count && v->knees[v->count - 1].high > lines)
        v->count--;
}

static size_t choose_densities(struct probe *p, double lines, struct density d[DENSITIES])
{
    static const uint8_t all[] = {16, 8, 10, 20, 6, 9, 12, 18, 24};
    size_t wanted = (size_t)probe_scale(p, 1, 4, sizeof all, sizeof all), count = 0;

    for (size_t i = 0; i < sizeof all && count < wanted; i++) {
        if (!straight_fits(all[i]))
            continue;
        d[count] = (struct density){.per_line = all[i]};
        snprintf(d[count].name, NAME, "%u a line", all[i]);
        d[count].sweep = (struct sweep){.name = d[count].name,
                                        .axis = "lines",
                                        .unit = "cycles/nop",
                                        .build = build,
                                        .context = &d[count],
                                        .search = {.kind = KNEE_STEP,
                                                   .from = LINES_MINIMUM,
                                                   .to = floor(lines),
                                                   .grain = 1,
                                                   .resolution = 0.01,
                                                   .per_octave = (unsigned)probe_smoke(p, 1, 8)}};
        count++;
    }
    return count;
}

static void run(struct probe *p)
{
    static const char *const needs[] = {"op_cache_ops", "op_cache_misses", "decoder_ops", NULL};
    double lines = NEAR_L1I *
                   facts_number(&p->run->facts, "frontend.l1i.bytes", "", LINES_OF_32_KIB * STRAIGHT_LINE_BYTES) /
                   STRAIGHT_LINE_BYTES;
    struct density d[DENSITIES];
    char proof[PROOF_TEXT] = "";
    size_t count = choose_densities(p, probe_smoke(p, 64, lines), d), rises = 0;
    bool good = true;

    for (size_t i = 0; i < count && good; i++) {
        good = sweep_search(p, &d[i].sweep);
        forget_l1i(&d[i].sweep.search.verdict, lines);
        if (good && d[i].sweep.search.verdict.count && rises++ == 0)
            good = proof_of_knee(p, &d[i].sweep, 0, needs, proof);
    }
    if (good && rises)
        report_layout(p, d, count, rises, proof);
    else if (good)
        report_none(p, d, count);
    for (size_t i = 0; i < count; i++)
        sweep_free(&d[i].sweep);
}

PROBE(op_cache, .title = "Operation cache", .family = "frontend", .after = "l1i", .run = run,
      .findings = FINDINGS({"frontend.op_cache.ops", "operations", "decoded operations that are kept; 0: none are"},
                           {"frontend.op_cache.entries", "entries", "entries that they share"},
                           {"frontend.op_cache.ops_per_entry", "operations", "the most that an entry holds"}));
