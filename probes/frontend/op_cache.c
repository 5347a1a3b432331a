/*
 * Operation cache: how many decoded operations does the core keep, and how do they share its entries?
 *
 * Lines of NOPs, straight through and over again, with so many NOPs to a line. While all their operations are kept, the
 * core takes as many of them in a cycle as it can; once they are not, lines are fetched and decoded anew, which is slower
 * where either the bytes of a line or its operations are too many for that.
 *
 * Curves over lines, one for each number of NOPs to a line: level, then a rise long before the instruction cache is full.
 * An entry holds so many operations at most, all from one line or from one half of it, and the line's address chooses the
 * set; so a line of m NOPs takes a number of entries of its set that depends on m alone, and the core keeps
 *
 *     sets * floor(ways / entries a line takes)      lines of it, whole
 *
 * Every layout that may be is held against all curves. Answer: what those that fit have in common. What hides the first
 * misses, a cache that delivers more than the core can take, differs with m, and so does what could fool one curve: bytes,
 * lines or operations that something else holds.
 *
 * Where the core has a switch for it (AMD's Zen 4 and Zen 5), code that the curves have as kept is measured with the switch
 * turned: it then has to take as long as code that is not.
 *
 * There is none where code with few NOPs to a line, which is bound by its bytes, is slow however short it is: several
 * numbers of NOPs to a line come to the same bytes a cycle then, and more NOPs to one come faster. Where nothing is slower
 * from the instruction cache, or a line a cycle is reached, which is what a core's operation cache delivers at most (Zen 4),
 * time cannot tell.
 *
 * Method: the jumps of jia.je 2024, Golden Cove, one to a line or more, replaced by NOPs of chosen lengths, which branch
 * target buffers have no part in; his limit of operations to a line; the fit is ours.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/find.h"
#include "lib/proof.h"
#include "lib/kernels/straight.h"

enum {
    DENSITIES = 16,
    LINES_MINIMUM = 8,
    LINES_OF_32_KIB = 512,
    OPS_MINIMUM = 4, /* an entry holds; smallest and largest of all that are known: 6 (Intel 2011) and 9 (AMD 2022) */
    OPS_MAXIMUM = 12,
    SETS_MINIMUM = 8, /* powers of two; Intel 2011 and 2022: 32 and 64 */
    SETS_MAXIMUM = 512,
    WAYS_MINIMUM = 2, /* AMD 2022: 12 */
    WAYS_MAXIMUM = 16,
    MIXED_PER_LINE = 16,
    MIXED_BYTES = STRAIGHT_LINE_BYTES / MIXED_PER_LINE, /* of each addition */
    MIXED_REGISTERS = 8,
    RISES = 5, /* one more than a layout has unknowns: window, operations of an entry, sets, ways. Fewer prove no fit */
    SHARP_LINES = 2,
    NAME = 24
};

/* Behind this part of the instruction cache a rise may be its. */
static const double NEAR_L1I = 0.9;
/* Code that is slower by more than this from the first line on is bound by its bytes. */
static const double BOUND_BY_BYTES = 1.1;

/* Rates are alike; and lines do not come one a cycle. */
static const double ALIKE = 0.03, LESS_THAN_A_LINE = 0.95;

/* Straight code of one density. */
struct density {
    unsigned per_line;
    bool mixed; /* additions to general and to vector registers take turns; else NOPs */
    char name[NAME];
    struct sweep sweep;
};

/*
 * The last line is as full as what ends the loop leaves it: one of fewer operations may be kept where no whole one would
 * be, in the entries that those of a set leave over.
 */
static bool build_mixed(struct probe *p, size_t lines, struct kernel *k)
{
    const size_t room = (lines + 1) * STRAIGHT_LINE_BYTES;
    struct code c = probe_code(p, room);

    emit_loop(&c, 0); /* for its length */
    const size_t count = (lines * STRAIGHT_LINE_BYTES - c.used) / MIXED_BYTES;
    c = probe_code(p, room);
    for (size_t i = 0; i < count && code_good(&c); i++) {
        if (i % 2)
            emit_vector_add(&c, (enum vreg)(i / 2 % VREGS), (enum vreg)(i / 2 % VREGS));
        else
            emit_add_constant(&c, (enum reg)(REG_T0 + i / 2 % MIXED_REGISTERS), 1);
    }
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){.units = (double)count, .warm_iterations = 4};
    return probe_kernel(p, &c, 0, k);
}

static bool build(struct probe *p, double lines, void *context, struct kernel *k)
{
    const struct density *d = context;
    return d->mixed ? build_mixed(p, (size_t)lines, k) : straight_build(p, (size_t)lines, d->per_line, k);
}

/* ---- The switch --------------------------------------------------------------------------------- */

/* Cycles a NOP with the cache of operations as found, and switched off; NaN where this core or place has no switch. */
struct switched {
    double found, off;
};

static bool measure_lines(struct probe *p, struct density *d, double lines, double *cycles)
{
    struct kernel k;
    struct point pt;

    if (!build(p, lines, d, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}

static bool measure_switched(struct probe *p, struct density *d, double lines, struct switched *s)
{
    const char *why_not;
    struct control *control = machine_control(&why_not);

    *s = (struct switched){NAN, NAN};
    if (!control || !control_op_cache(control->changes.access))
        return true;
    const size_t mark = control->changes.count;
    bool good = measure_lines(p, d, lines, &s->found);
    if (good && !control_switch_op_cache(control, true))
        good = measure_lines(p, d, lines, &s->off);
    if (!changes_restore(&control->changes, mark))
        good = probe_skip(p, "the switch of the operation cache does not go back to what it was");
    return good;
}

/* ---- Layouts ------------------------------------------------------------------------------------ */

/* Entries hold up to `ops` operations that begin in the same so many bytes; those of a line share a set. */
struct layout {
    unsigned window_bytes, ops, sets, ways;
};

enum quantity { ENTRIES, OPS, OPS_PER_ENTRY, QUANTITIES };
static const char *const names[QUANTITIES] = {"frontend.op_cache.entries", "frontend.op_cache.ops",
                                              "frontend.op_cache.ops_per_entry"};

static unsigned quantity_of(const struct layout *l, enum quantity q)
{
    return q == OPS_PER_ENTRY ? l->ops : l->sets * l->ways * (q == OPS ? l->ops : 1);
}

/* How many lines in a row it holds whole. */
static unsigned lines_held(const struct layout *l, unsigned per_line)
{
    unsigned entries = 0;

    for (unsigned from = 0; from < STRAIGHT_LINE_BYTES; from += l->window_bytes) {
        unsigned ops = straight_begin(per_line, from + l->window_bytes) - straight_begin(per_line, from);
        entries += (ops + l->ops - 1) / l->ops;
    }
    return l->sets * (l->ways / entries);
}

/* Does it explain where each curve rises? The last line has fewer operations, and may fit where a whole one would not. */
static bool layout_fits(const struct layout *l, const struct density *d, size_t count)
{
    bool fits = true;

    for (size_t i = 0; i < count && fits; i++) {
        const struct verdict *v = &d[i].sweep.search.verdict;
        double lines = lines_held(l, d[i].per_line);
        fits = v->count == 0 || (lines >= v->knees[0].low - 1 && lines < v->knees[0].high);
    }
    return fits;
}

/* What those that fit have in common. */
struct fit {
    size_t layouts;
    unsigned least[QUANTITIES], most[QUANTITIES];
};

static void add_layout(struct fit *f, const struct layout *l)
{
    for (enum quantity q = 0; q < QUANTITIES; q++) {
        unsigned value = quantity_of(l, q);
        if (f->layouts == 0 || value < f->least[q])
            f->least[q] = value;
        if (f->layouts == 0 || value > f->most[q])
            f->most[q] = value;
    }
    f->layouts++;
}

static struct fit fit_layouts(const struct density *d, size_t count)
{
    struct fit f = {.layouts = 0};
    struct layout l;

    for (l.window_bytes = STRAIGHT_LINE_BYTES; l.window_bytes >= STRAIGHT_LINE_BYTES / 2; l.window_bytes /= 2)
        for (l.ops = OPS_MINIMUM; l.ops <= OPS_MAXIMUM; l.ops++)
            for (l.sets = SETS_MINIMUM; l.sets <= SETS_MAXIMUM; l.sets *= 2)
                for (l.ways = WAYS_MINIMUM; l.ways <= WAYS_MAXIMUM; l.ways++)
                    if (layout_fits(&l, d, count))
                        add_layout(&f, &l);
    return f;
}

/* ---- What is told ------------------------------------------------------------------------------- */

static struct finding undecided(enum quantity q, const char *reason)
{
    return (struct finding){.name = names[q], .value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = reason};
}

static void report_all(struct probe *p, const char *reason)
{
    for (enum quantity q = 0; q < QUANTITIES; q++) {
        const struct finding f = undecided(q, reason);
        report(p, &f);
    }
}

/*
 * Curves of different density are fooled by different things. A: at least three rise within a step or two of where the
 * layout wants it, and both views of each say so. B: at least three, less sharp.
 */
static char grade_of(const struct density *d, size_t count)
{
    bool agreed = true, sharp = true;

    for (size_t i = 0; i < count; i++) {
        const struct verdict *v = &d[i].sweep.search.verdict;
        if (v->count == 0)
            continue;
        agreed = agreed && v->knees[0].agreed;
        sharp = sharp && v->knees[0].high - v->knees[0].low <= SHARP_LINES;
    }
    return agreed && sharp ? 'A' : agreed ? 'B' : 'C';
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

/*
 * Where instructions have one length, lines have one density, and entries are not to be seen: only how many instructions
 * are held, by those that nothing is known to merge. NOPs may share an operation (Neoverse V2, jia.je 2025).
 */
static void report_held(struct probe *p, const struct density *d, size_t count)
{
    struct find_experiment e[] = {{.fooled_by = "merging"}};
    struct finding f = {.name = names[OPS], .method = "additions of both kinds in turn: the last line before the rise"};

    for (size_t i = 0; i < count; i++)
        if (d[i].mixed)
            e[0] = (struct find_experiment){.name = d[i].name,
                                            .fooled_by = "merging",
                                            .verdict = &d[i].sweep.search.verdict,
                                            .scale = MIXED_PER_LINE};
    if (e[0].verdict)
        find_capacity(p, &f, e, 1, MIXED_PER_LINE);
}

/* One rise alone fits many layouts, and may be due to anything. */
static void report_layout(struct probe *p, const struct density *d, size_t count, size_t rises, const char *proof,
                          const struct switched *switched, const struct knee *first)
{
    const double half_way = (first->before + first->after) / 2;
    const bool stays = !isnan(switched->off) && switched->off < half_way;
    const struct fit fit = fit_layouts(d, count);
    char held[FIND_WHICH];

    say_what_was_held(d, count, held);
    for (enum quantity q = 0; q < QUANTITIES; q++) {
        if (q == OPS && emit_longest == emit_alignment) {
            report_held(p, d, count);
            continue;
        }
        struct finding f = undecided(q, stays              ? "stays-when-switched-off"
                                        : fit.layouts == 0 ? "no-layout-fits"
                                        : rises < RISES    ? "too-few-rises"
                                                           : "several-layouts-fit");
        f.method = "the layout of entries that explains each rise";
        f.remarks[0].key = "held";
        f.remarks[0].text = held;
        if (proof[0]) {
            f.remarks[1].key = "proof";
            f.remarks[1].text = proof;
        }
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
        report(p, &f);
    }
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

static double bytes_a_cycle(const struct density *d)
{
    return STRAIGHT_LINE_BYTES / (d->per_line * few_lines(d));
}

/* Why a curve without a rise may have one that nobody saw; NULL: none may. */
static const char *unseen(const struct density *d, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *reason = d[i].sweep.search.verdict.reason;
        if (reason && strcmp(reason, "no-knee") != 0)
            return reason;
    }
    return NULL;
}

/* No curve rises: is there none, or could none be seen? `there`: a switch shows that there is one. */
static void report_none(struct probe *p, const struct density *d, size_t count, bool there)
{
    double slowest = 0, fastest = INFINITY, bytes = 0;
    size_t as_many_bytes = 0;
    const char *reason = unseen(d, count);

    for (size_t i = 0; i < count; i++) {
        if (d[i].mixed)
            continue;
        slowest = fmax(slowest, few_lines(&d[i]));
        fastest = fmin(fastest, few_lines(&d[i]));
        bytes = fmax(bytes, bytes_a_cycle(&d[i]));
    }
    for (size_t i = 0; i < count; i++)
        as_many_bytes += !d[i].mixed && bytes_a_cycle(&d[i]) > (1 - ALIKE) * bytes;
    const bool none = slowest > BOUND_BY_BYTES * fastest && as_many_bytes > 1 &&
                      bytes < LESS_THAN_A_LINE * STRAIGHT_LINE_BYTES;
    for (enum quantity q = 0; q < QUANTITIES; q++) {
        struct finding f = undecided(q, reason ? reason : "no-knee");
        f.method = "code of long NOPs is bound by its bytes, however short it is";
        report_number(p, &f, !reason && !there && none ? 0 : (double)NAN);
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
    /* the first one is mixed */
    static const uint8_t all[] = {MIXED_PER_LINE, 16, 8, 10, 20, 6, 9, 12, 18, 24};
    enum { ALL = sizeof all };
    size_t wanted = (size_t)probe_scale(p, 1, 7, ALL, ALL), count = 0;

    for (size_t i = 0; i < ALL && count < wanted; i++) {
        if (!straight_fits(all[i]))
            continue;
        d[count] = (struct density){.per_line = all[i], .mixed = i == 0};
        snprintf(d[count].name, NAME, "%u a line%s", d[count].per_line, d[count].mixed ? ", mixed" : "");
        d[count].sweep = (struct sweep){.name = d[count].name,
                                        .axis = "lines",
                                        .unit = "cycles/nop",
                                        .build = build,
                                        .context = &d[count],
                                        .seconds = probe_scale(p, 1, 0.14, 0.6, 6),
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
    double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", NAN);
    double lines = isnan(l1i) ? LINES_OF_32_KIB : NEAR_L1I * l1i / STRAIGHT_LINE_BYTES;
    struct density d[DENSITIES];
    char proof[PROOF_TEXT] = "";
    size_t count = choose_densities(p, probe_smoke(p, 64, lines), d), rises = 0, first = 0;
    struct switched switched = {NAN, NAN};
    bool good = true, there = false;

    for (size_t i = 0; i < count && good; i++) {
        good = sweep_search(p, &d[i].sweep);
        forget_l1i(&d[i].sweep.search.verdict, lines);
        if (good && d[i].sweep.search.verdict.count && rises++ == 0) {
            first = i;
            good = proof_of_knee(p, &d[i].sweep, 0, needs, proof) &&
                   measure_switched(p, &d[i], d[i].sweep.search.verdict.knees[0].low, &switched);
        }
    }
    for (size_t i = 0; i < count && good && !rises && !there; i++) {
        good = measure_switched(p, &d[i], LINES_MINIMUM, &switched);
        there = switched.off > BOUND_BY_BYTES * switched.found;
    }
    if (good && isnan(l1i)) /* then a rise may be its */
        report_all(p, "capacity-unknown");
    else if (good && rises)
        report_layout(p, d, count, rises, proof, &switched, &d[first].sweep.search.verdict.knees[0]);
    else if (good)
        report_none(p, d, count, there);
    for (size_t i = 0; i < count; i++)
        sweep_free(&d[i].sweep);
}

PROBE(op_cache, .title = "Operation cache", .family = "frontend", .after = "l1i", .run = run,
      .findings = FINDINGS({"frontend.op_cache.ops", "operations", "decoded operations that are kept; 0: none are"},
                           {"frontend.op_cache.entries", "entries", "entries that they share"},
                           {"frontend.op_cache.ops_per_entry", "operations", "the most that an entry holds"}));
