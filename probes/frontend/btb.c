/*
 * Branch target buffers: how many taken branches does the core foresee, and how fast?
 *
 * Chains of taken branches (lib/kernels/chain.h), ever longer. While a level of the branch target buffer holds all of
 * them each costs what that level takes; past that, what the next level takes; and past the last one what it takes
 * until the branch itself has been fetched and decoded. All pages of a chain lie on one frame, so that the instruction
 * cache holds a page or two of it however long it is: what is left to show as a knee is the predictor, the instruction
 * TLB, which is known, and the cache of operations, which makes small steps. One chain on frames of its own is there to
 * see what the instruction cache would change.
 *
 *   matrix     unconditional, always-taken conditional and alternating branches, at strides 4 (AArch64), 8, 16 … bytes.
 *              No single curve tells a capacity, the family of strides does: lib/family.h
 *   bends      a level that is left before the rise to it has ended: lib/bend.h
 *   fallback   far past the last level, with and without NOPs before each branch. A target that is known with the line
 *              from the instruction cache lets NOPs hide behind the wait for it. One that is known only when the branch
 *              is decoded comes after all of them: what they cost comes on top
 *   pairs      what one more branch costs while all levels hold the chain: half a cycle where two are taken in one.
 *              With and without NOPs between a target and the branch that it leads to, which lies before or behind the
 *              border of a line
 *   apart      chains in which the border of a line lies between a target and the branch that it leads to, and others in
 *              which it does not. Where two branches share an entry if the second one is in the line that the first one
 *              leads to (AMD, optimisation guide of Zen 4), the former leave the first level with half as many
 *   fit        which organisations explain what unconditional and conditional rows cost, whatever they replace, and which
 *              rows would tell them apart: lib/fit/btb_fit.h
 *
 * Curve: cycles per branch over branches, a staircase. Answer: the last count on each level.
 * Method: Matt Godbolt 2016; jia.je 2024 and 2025, who has the mixed patterns, too. Many pages on one frame, and NOPs
 * that tell where a redirect comes from, are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/bend.h"
#include "lib/fit/btb_fit.h"
#include "lib/kernels/chain.h"
#include "lib/facts.h"
#include "lib/family.h"
#include "lib/find.h"
#include "lib/probe.h"
#include "lib/proof.h"
#include "lib/tlb.h"

enum { STRIDES = 6 };

/*
 * Counts are searched in two stretches, since a curve of a dozen octaves has more bends than the engine can tell apart.
 * They overlap; a level belongs to the one in which its end lies far from both of its borders.
 */
enum stretch { NEAR, FAR };
static const struct {
    const char *name;
    double from, to;       /* counts that are searched */
    double holds_at_least; /* capacities that are taken from it */
} stretches[] = {{"short", 8, 2048, 0}, {"long", 256, 32768, 1024}};

/*
 * A level costs at least half a cycle more than the one before it, with room for noise. Where caches of operations are
 * left a branch costs less than that: they know lines by their virtual addresses, so that one frame does not hide them.
 */
static const double STEP_CYCLES = 0.4;
/* Ramps begin a little before what a level holds. */
static const double SHORT_OF = 0.95;

/* The chains of one curve. */
struct row {
    struct chain chain;
    const struct chain_room *room;
    char name[64];
};

static bool build(struct probe *p, double branches, void *context, struct kernel *k)
{
    struct row *row = context;

    row->chain.count = (size_t)branches - CHAIN_LOOP_BRANCHES;
    return chain_kernel(p, &row->chain, row->room, k);
}

/* All strides of one pattern in one stretch. */
struct rows {
    struct row row[STRIDES];
    struct sweep sweep[STRIDES];
    struct family_member member[STRIDES];
    size_t count;
    struct family family;
    struct family_verdict verdict;
};

static size_t least_stride(void)
{
    return emit_alignment > 1 ? emit_alignment : 8;
}

/* The smallest pages: most of them share a frame. */
static size_t page_bytes(void)
{
    return machine_info()->page_bytes[0];
}

static struct sweep sweep_of(struct probe *p, struct row *row, enum knee_kind kind, double from, double to)
{
    return (struct sweep){.name = row->name,
                          .fooled_by = row->name,
                          .axis = "branches",
                          .unit = "cycles/branch",
                          .build = build,
                          .context = row,
                          .seconds = probe_scale(p, 1, 0.2, row->chain.pattern == CHAIN_UNCOND ? 0.7 : 0.34, 4),
                          .search = {.kind = kind,
                                     .from = from,
                                     .to = to,
                                     .grain = 1,
                                     .resolution = 0.02,
                                     .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)}};
}

/* All of a stretch, as far as there is room for it. */
static struct sweep sweep_of_stretch(struct probe *p, struct row *row, enum stretch stretch, size_t span)
{
    const double fits = floor((double)span / (double)row->chain.stride);

    return sweep_of(p, row, KNEE_STEP, stretches[stretch].from, fmin(probe_smoke(p, 64, stretches[stretch].to), fits));
}

static struct family family_of(struct probe *p, const struct rows *r)
{
    return (struct family){.members = r->member,
                           .count = r->count,
                           .step = 1,
                           .closest = emit_jump_bytes(0, true),
                           .footprints = {tlb_code_reach(p, 1)}};
}

static void name_row(struct row *row, const char *part)
{
    snprintf(row->name, sizeof row->name, "%s %zu, %s", chain_pattern_names[row->chain.pattern], row->chain.stride,
             part);
}

/* What a branch costs shortly before the level is left, at x: footprints of its own have a row rise a little before. */
static double cost_before(const struct search *s, double x)
{
    enum { MOST = 16 };
    static const double FROM = 0.75, TO = 0.95;
    double y[MOST];
    size_t count = 0;

    for (size_t i = 0; i < s->count && count < MOST; i++)
        if (s->points[i].x >= FROM * x && s->points[i].x <= TO * x && s->points[i].kept)
            y[count++] = s->points[i].y;
    return count ? median(y, count) : (double)NAN;
}

/* The least of all counts from a half of x to x. */
static double least_before(const struct search *s, double x)
{
    double least = INFINITY;

    for (size_t i = 0; i < s->count && s->points[i].x <= x; i++)
        if (s->points[i].x >= x / 2)
            least = fmin(least, s->points[i].y); /* or NaN, which fmin leaves out */
    return least;
}

/* The last count up to x with which a branch costs `most` at most; NaN where there is none. */
static double last_below(const struct search *s, double x, double most)
{
    double last = NAN;

    for (size_t i = 0; i < s->count && s->points[i].x <= x; i++)
        if (s->points[i].y <= most)
            last = s->points[i].x;
    return last;
}

/*
 * Where chance says what is replaced a level is left little by little, so slowly at first that the rise seems to begin
 * behind the end: on Zen 4 a branch costs 0.5 % more with 3101 of them, and 2 % more with 3170, where 3072 are held. So the
 * value goes back to the last point that costs no more than those before it, and the interval to the last that costs no
 * more than the least of them.
 */
static void begin_ramps(struct rows *r)
{
    static const double NO_MORE = 1.005, SURELY_NO_MORE = 1.002;

    for (size_t i = 0; i < r->verdict.level_count; i++) {
        struct family_level *l = &r->verdict.levels[i];
        if (isnan(l->value) || l->at[l->lead].level >= r->member[l->lead].verdict->count)
            continue;
        const struct search *s = &r->sweep[l->lead].search;
        const struct knee *k = &s->verdict.knees[l->at[l->lead].level];
        if (!k->ramp)
            continue;
        l->value = fmin(l->value, last_below(s, l->value, NO_MORE * cost_before(s, k->value)));
        l->low = fmin(l->low, last_below(s, l->value, SURELY_NO_MORE * least_before(s, l->value)));
    }
}

static bool search_rows(struct probe *p, struct rows *r, enum chain_pattern pattern, enum stretch stretch,
                        const struct chain_room *room, size_t span)
{
    for (r->count = 0; r->count < (size_t)probe_scale(p, 2, 5, STRIDES, STRIDES);) {
        const size_t i = r->count++, stride = least_stride() << i;
        struct row *row = &r->row[i];
        *row = (struct row){.chain = {.pattern = pattern, .stride = stride}, .room = room};
        name_row(row, stretches[stretch].name);
        r->sweep[i] = sweep_of_stretch(p, row, stretch, span);
        r->member[i] = (struct family_member){row->name, (double)stride, &r->sweep[i].search.verdict};
        if (!sweep_search(p, &r->sweep[i]))
            return false;
    }
    r->family = family_of(p, r);
    family_decide(&r->family, &r->verdict);
    begin_ramps(r);
    return true;
}

/* Looks at the last rise of each row once more, for a level that is left before it has ended. */
static bool search_bends(struct probe *p, const struct rows *r, struct rows *bends)
{
    static const double BEND_SECONDS = 0.3; /* to confirm one takes so long, at quick as well */
    const struct verdict *curves[STRIDES];

    for (bends->count = 0; bends->count < r->count;) {
        const size_t i = bends->count++;
        struct row *row = &bends->row[i];
        struct sweep *s = &bends->sweep[i];
        double from = 0, to = 0;
        *row = r->row[i];
        name_row(row, "bend");
        const bool rises = bend_range(&r->sweep[i].search, STEP_CYCLES, &from, &to);
        *s = sweep_of(p, row, KNEE_SLOPE, from, to);
        s->seconds = fmax(s->seconds, probe_smoke(p, 0, BEND_SECONDS));
        s->search.verdict.reason = "no-rise";
        if (rises && !sweep_search(p, s))
            return false;
        bend_verdict(&s->search.verdict, r->sweep[i].search.reached, &s->search.verdict);
        bends->member[i] = (struct family_member){row->name, (double)row->chain.stride, &s->search.verdict};
        curves[i] = &r->sweep[i].search.verdict;
    }
    bends->family = family_of(p, bends);
    bend_decide(&bends->family, curves, &bends->verdict);
    return true;
}

/* The largest count that any stride supports. */
static double most_held(const struct rows *r, const struct family_level *l)
{
    double most = 0;

    for (size_t i = 0; i < r->count; i++)
        most = fmax(most, l->at[i].count); /* or NaN, which fmax leaves out */
    return most;
}

/* By how much more a branch costs where this level is left, at most at any stride. */
static double rise_behind(const struct rows *r, const struct family_level *l)
{
    double most = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct verdict *v = r->member[i].verdict;
        if (l->at[i].level < v->count)
            most = fmax(most, v->knees[l->at[i].level].after - v->knees[l->at[i].level].before);
    }
    return most;
}

/*
 * Whether a level of this stretch is told: it ends here, or nobody knows where. The last one is what the curves end on,
 * and a level of which the shorter stretch only sees what sparse strides leave of it is the longer one's.
 */
static bool belongs(const struct rows *r, enum stretch stretch, size_t level)
{
    const struct family_level *l = &r->verdict.levels[level];
    const double border = stretches[FAR].holds_at_least, most = fmax(most_held(r, l), isnan(l->value) ? 0 : l->value);

    if ((level + 1 == r->verdict.level_count && isnan(l->value)) || rise_behind(r, l) < STEP_CYCLES)
        return false;
    return stretch == NEAR ? most < border * SHORT_OF : most >= border * SHORT_OF;
}

/* What one pattern's chains told. */
struct told {
    double least;    /* cycles of a branch at best, while there are few */
    double height;   /* cycles of a branch on the last one of them */
    unsigned levels; /* that end, in whichever stretch */
    unsigned held;   /* of them, of which it is known how many they hold, without a bend to tell it */
    bool open;       /* one of them, nobody knows where; or one stride shows a level that no other does */
};

/* At best: the least of all strides, of the counts that are few. */
static double least_cycles(const struct rows *r)
{
    enum { FEW = 16 };
    double least = INFINITY;

    for (size_t i = 0; i < r->count; i++)
        for (size_t j = 0; j < r->sweep[i].search.count && r->sweep[i].search.points[j].x <= FEW; j++)
            least = fmin(least, r->sweep[i].search.points[j].y); /* or NaN, which fmin leaves out */
    return least;
}

/* A level of which nobody knows how many branches it holds. */
static void report_open(struct probe *p, const char *reason, enum chain_pattern pattern, struct told *told)
{
    told->open = true;
    report_number(
        p,
        &(struct finding){.name = "frontend.btb.entries",
                          .variants = {{"level", .number = ++told->levels}, {"branch", chain_pattern_names[pattern]}},
                          .reason = reason},
        NAN);
}

/* Where few branches cost much less than the first level that can be told, there is one before it. */
static void report_hidden(struct probe *p, double height, enum chain_pattern pattern, struct told *told)
{
    static const double LESS = 0.75;

    if (told->levels == 0 && told->least < LESS * height)
        report_open(p, "no-edge", pattern, told);
}

/* A capacity. */
static bool report_level(struct probe *p, const struct rows *r, size_t level, enum chain_pattern pattern,
                         struct told *told)
{
    static const char *const needs[] = {"btb_redirects", "l1i_misses", "itlb_misses", NULL};
    const struct family_level *l = &r->verdict.levels[level];
    char proof[PROOF_TEXT] = "";

    if (!isnan(l->value) && !proof_of_knee(p, &r->sweep[l->lead], l->at[l->lead].level, needs, proof))
        return false;
    struct finding f = {.name = "frontend.btb.entries",
                        .variants = {{"level", .number = ++told->levels}, {"branch", chain_pattern_names[pattern]}}};
    f.limits[0] = (struct finding_limit){"frontend.op_cache.entries", "", 1};
    f.limits[1] = (struct finding_limit){"frontend.itlb.entries", "level=1",
                                         (double)r->row[l->lead].chain.stride / (double)page_bytes()};
    if (proof[0]) {
        f.remarks[0].key = "proof";
        f.remarks[0].text = proof;
    }
    told->open |= isnan(l->value);
    find_family(p, &f, &r->family, &r->verdict, level);
    return true;
}

/* Cycles of a branch on a level: the least of all strides. */
static double height_of(const struct rows *r, const struct family_level *l)
{
    double least = INFINITY;

    for (size_t i = 0; i < r->count; i++)
        if (l->at[i].level < r->member[i].verdict->level_count)
            least = fmin(least, r->member[i].verdict->levels[l->at[i].level].height);
    return least;
}

/* Capacities, and what a branch costs on each level. */
static bool report_levels(struct probe *p, const struct rows *r, enum chain_pattern pattern, enum stretch stretch,
                          struct told *told)
{
    told->open |= r->verdict.lone > 0;
    for (size_t i = 0; i < r->verdict.level_count; i++) {
        const struct family_level *l = &r->verdict.levels[i];
        const double height = height_of(r, l);
        /* one that nobody knows the end of, and that costs what the last one does, is that one at other strides */
        if (!belongs(r, stretch, i) || (isnan(l->value) && told->levels && height < told->height + STEP_CYCLES))
            continue;
        report_hidden(p, height, pattern, told);
        told->height = height;
        if (!report_level(p, r, i, pattern, told))
            return false;
        if (isnan(l->value))
            continue; /* what is not known to be a level costs nothing by itself */
        told->held++;
        const struct finding f = {
            .name = "frontend.btb.cycles",
            .variants = {{"level", .number = told->levels}, {"branch", chain_pattern_names[pattern]}}};
        find_family_height(p, &f, &r->family, &r->verdict, i);
    }
    return true;
}

/* The standard error of a point's median, as its samples tell it; calibrated time alone is no better than a percent. */
static double error_of(const struct search_point *pt)
{
    static const double CALIBRATION = 0.01;
    const struct spread s = spread_of(pt->sample, pt->kept);

    return fmax(CALIBRATION * pt->y, s.count > 1 ? s.sigma / sqrt((double)s.count) : 0);
}

/*
 * Points of the longer stretch, for the fit; where it has no more room the others have to do. Few branches are left out:
 * the fit knows two levels, and those that hold many are in question.
 */
static void add_rows(const struct rows *r, enum chain_pattern pattern, struct btb_fit *fit)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct search *s = &r->sweep[i].search;
        for (size_t j = 0; j < s->count; j++)
            if (s->points[j].kept && s->points[j].x >= stretches[FAR].holds_at_least)
                btb_fit_add(fit,
                            &(struct btb_row){.pattern = (enum btb_pattern)pattern,
                                              .stride = (unsigned)r->row[i].chain.stride,
                                              .count = (unsigned)s->points[j].x},
                            s->points[j].y, error_of(&s->points[j]));
    }
}

/*
 * A level that is left in the last rise. Where the one that this rise leaves was not told, it is there all the same; and
 * where the last one told costs what branches do at the bend, the bend's was told already. What a branch costs is not told:
 * part of them are found on the level before.
 */
static bool report_bend(struct probe *p, const struct rows *r, const struct rows *bends, enum chain_pattern pattern,
                        struct told *told)
{
    const struct family_level *l = &bends->verdict.levels[0];

    if (bends->verdict.level_count == 0 || isnan(l->value))
        return true;
    const struct verdict *curve = r->member[l->lead].verdict, *bend = bends->member[l->lead].verdict;
    const double before = curve->levels[curve->count - 1].height, at = bend->knees[0].before;
    if (told->levels > 0 && at < told->height + STEP_CYCLES)
        return true;
    if (told->levels == 0 || before >= told->height + STEP_CYCLES) {
        report_hidden(p, before, pattern, told);
        report_open(p, "largest-alone", pattern, told);
    }
    return report_level(p, bends, 0, pattern, told);
}

static bool find_pattern(struct probe *p, enum chain_pattern pattern, const struct chain_room *room, size_t span,
                         struct told *told, struct btb_fit *fit)
{
    struct rows *r = calloc(1, sizeof *r), *bends = calloc(1, sizeof *bends);
    bool good = true;

    *told = (struct told){.levels = 0};
    if (!r || !bends) {
        free(r);
        free(bends);
        return probe_skip(p, "out of memory for curves");
    }
    for (enum stretch i = NEAR; i <= probe_smoke(p, NEAR, FAR) && good; i++) {
        good = search_rows(p, r, pattern, i, room, span);
        if (good && i == NEAR)
            told->least = least_cycles(r);
        good = good && report_levels(p, r, pattern, i, told);
        if (good && i == FAR && fit && pattern <= CHAIN_COND) /* rows of mixed ones do not begin as the fit has it */
            add_rows(r, pattern, fit);
        good = good && (i != FAR || (search_bends(p, r, bends) && report_bend(p, r, bends, pattern, told)));
        sweeps_free(bends->sweep, bends->count);
        sweeps_free(r->sweep, r->count);
        r->count = bends->count = 0;
    }
    free(r);
    free(bends);
    return good;
}

/*
 * How many levels there are, where all patterns say the same. It is never surer than C: all of them are blind to a level
 * that holds too few to be seen, or costs what the next one does.
 */
static void report_count(struct probe *p, const struct told *told, size_t patterns)
{
    struct finding f = {.name = "frontend.btb.levels", .method = "levels whose ends are told"};

    for (size_t i = 0; i < patterns && !f.reason; i++) {
        if (told[i].open || told[i].levels == 0)
            f.reason = "a level may be missing";
        else if (told[i].levels != told[0].levels)
            f.reason = "experiments-disagree";
    }
    report_number(p, &f, f.reason ? (double)NAN : told[0].levels);
}

/* ---- One point ---------------------------------------------------------------------------------- */

/* Cycles per branch of a chain, the median of a few. */
static bool measure(struct probe *p, const struct row *of, size_t count, double *cycles)
{
    enum { TIMES = 3 };
    struct row row = *of;
    double all[TIMES];

    for (size_t i = 0; i < TIMES; i++) {
        struct kernel k;
        struct point pt;
        if (!build(p, (double)count, &row, &k) || !probe_measure(p, &k, &pt))
            return false;
        all[i] = pt.q20;
    }
    for (size_t i = 0; i < TIMES; i++)
        if (isnan(all[i])) {
            *cycles = NAN;
            return true;
        }
    *cycles = median(all, TIMES);
    return true;
}

/* ---- Past the last level ------------------------------------------------------------------------ */

/* 2^8 bytes apart even the largest level in scope holds a few thousand: a lowest index bit of 2^5 leaves it an eighth. */
enum { SPARSE_BYTES = 256, NOPS_BYTES = 96, FEW = 16 };

/* Cycles per branch far past the last level with no NOPs, some and twice as many; what those add where all is held. */
struct redirects {
    double half; /* without NOPs, of half as many branches */
    double bare, some, more, held;
};

/* Where the redirect comes from, "decode" or "l1i"; NULL, with the reason, where that is not clear. */
static const char *find_cause(const struct redirects *r, const char **why_not)
{
    static const double FLAT = 0.1;                /* half as many cost as much: no level is left in it */
    static const double HIDDEN = 0.3, ADDED = 0.7; /* parts of what would come on top if nothing hid it */
    static const double SEEN = 0.05;
    const double first = r->some - r->bare, second = r->more - r->some;

    *why_not = fabs(r->bare - r->half) <= FLAT * r->bare ? "ambiguous" : "not-left";
    if (!(fabs(r->bare - r->half) <= FLAT * r->bare))
        return NULL;
    if (r->held > SEEN * r->bare && first + second <= HIDDEN * r->held)
        return "l1i";
    /* NOPs that take no longer than the redirect: hidden in it or not, later ones may be seen where the first ones are not */
    if (!(second > SEEN * r->bare && second <= r->bare))
        return NULL;
    if (first <= HIDDEN * second)
        return "l1i";
    return first >= ADDED * second && first + second >= ADDED * r->held ? "decode" : NULL;
}

static bool find_fallback(struct probe *p, enum chain_pattern pattern, const struct chain_room *room, size_t span,
                          const struct told *told)
{
    const size_t far = span / SPARSE_BYTES;
    struct row row = {
        .room = room,
        .chain = {.pattern = pattern, .stride = SPARSE_BYTES, .place = SPARSE_BYTES - CHAIN_LINE_BYTES / 2}};
    struct redirects r;
    double few, few_with_nops;

    if (!measure(p, &row, far, &r.bare) || !measure(p, &row, far / 2, &r.half) || !measure(p, &row, FEW, &few))
        return false;
    row.chain.distance = NOPS_BYTES;
    if (!measure(p, &row, far, &r.some))
        return false;
    row.chain.distance = (size_t)2 * NOPS_BYTES;
    if (!measure(p, &row, far, &r.more) || !measure(p, &row, FEW, &few_with_nops))
        return false;
    r.held = few_with_nops - few;

    struct finding f = {
        .name = "frontend.btb.fallback_cycles",
        .variants = {{"branch", chain_pattern_names[pattern]}},
        .method = "far past the last level; NOPs before each branch tell where the redirect comes from"};
    const char *cause = find_cause(&r, &f.reason);
    if (cause && cause[0] == 'l' && !told->levels) { /* it may be a level that all of them fit */
        cause = NULL;
        f.reason = "no-level";
    }
    if (cause) {
        f.variants[1].key = "cause";
        f.variants[1].text = cause;
    }
    report_number(p, &f, cause ? r.bare : (double)NAN);
    return true;
}

/* ---- Two taken branches a cycle ----------------------------------------------------------------- */

/* So few that every first level holds them; what lengths happen to cost as a whole differs with the first one. */
enum { PAIRS_FEW = 8, PAIRS_FEW_AGAIN = 12, PAIRS_STEP = 8, CONDITIONS = 4 };

/*
 * What one more branch costs: a difference of lengths, in which the loop is the same. NaN where two such differences
 * are not alike.
 */
static bool one_more(struct probe *p, const struct row *row, size_t few, double *cycles)
{
    static const double ALIKE = 0.1;
    const size_t many = few + PAIRS_STEP, most = many + PAIRS_STEP;
    double of_few, of_many, of_most;

    if (!measure(p, row, few, &of_few) || !measure(p, row, many, &of_many) || !measure(p, row, most, &of_most))
        return false;
    const double first = (of_many * (double)many - of_few * (double)few) / PAIRS_STEP;
    const double second = (of_most * (double)most - of_many * (double)many) / PAIRS_STEP;
    *cycles = fabs(first - second) <= ALIKE * second ? (first + second) / 2 : (double)NAN;
    return true;
}

static bool two_a_cycle(double cycles)
{
    static const double LESS = 0.45, MORE = 0.55;
    return cycles >= LESS && cycles <= MORE;
}

/* Where in its slot a branch ends that lies behind the border of a line, its target before it. */
static size_t across_bytes(void)
{
    return CHAIN_LINE_BYTES + (emit_longest / 2 + emit_alignment - 1) / emit_alignment * emit_alignment;
}

static bool find_pairs(struct probe *p, enum chain_pattern pattern, const struct chain_room *room)
{
    enum { LINE = CHAIN_LINE_BYTES, ON = 8 };
    static const double ONE = 0.9; /* cycles a branch */
    const size_t across = across_bytes();
    const struct {
        const char *name;
        struct chain chain;
    } conditions[CONDITIONS] = {
        {"both in one line", {.stride = LINE / 4}},
        {"lines apart", {.stride = LINE}},
        {"8 bytes behind the target", {.stride = 2 * LINE, .place = LINE / 2, .distance = ON}},
        {"in the line behind the target's", {.stride = 2 * LINE, .place = across, .distance = ON}}};
    char when[96] = "";
    size_t used = 0, one = 0;

    for (size_t i = 0; i < CONDITIONS; i++) {
        struct row row = {.chain = conditions[i].chain, .room = room};
        double cycles, again = NAN;
        row.chain.pattern = pattern;
        if (!one_more(p, &row, PAIRS_FEW, &cycles) ||
            (two_a_cycle(cycles) && !one_more(p, &row, PAIRS_FEW_AGAIN, &again)))
            return false;
        one += cycles >= ONE;
        if (two_a_cycle(again) && used < sizeof when)
            used += (size_t)snprintf(when + used, sizeof when - used, "%s%s", used ? ", " : "", conditions[i].name);
    }
    struct finding f = {.name = "frontend.btb.taken_per_cycle",
                        .variants = {{"branch", chain_pattern_names[pattern]}},
                        .reason = "neither-one-nor-two",
                        .method = "what one more branch costs while all are held, at two sets of lengths"};
    if (used) {
        f.remarks[0].key = "condition";
        f.remarks[0].text = when;
    }
    report_number(p, &f, used ? 2 : one == CONDITIONS ? 1 : (double)NAN);
    return true;
}

/* ---- Branches that share an entry --------------------------------------------------------------- */

/*
 * The chain with which a branch costs a quarter more than when there are few: where the first level is left, and little
 * else, found by halving. NaN where it is not left, or not by the largest chain.
 */
static bool find_leave(struct probe *p, const struct row *row, double *count)
{
    enum { LEAST = 32, MOST = 8192 };
    static const double LEFT = 1.25, CLOSE = 1.02;
    double few, cycles, low = LEAST, high = MOST;

    *count = NAN;
    if (!measure(p, row, LEAST, &few) || !measure(p, row, MOST, &cycles))
        return false;
    if (!(cycles > LEFT * few))
        return true;
    while (high - low > 1 && high > CLOSE * low) {
        const double middle = floor((low + high) / 2);
        if (!measure(p, row, (size_t)middle, &cycles))
            return false;
        if (isnan(cycles))
            return true;
        *(cycles > LEFT * few ? &high : &low) = middle;
    }
    *count = low;
    return true;
}

/*
 * Whether two branches share an entry of the first level: chains whose neighbours cannot leave it with half as many. The
 * level is that of `held` branches, which a chain is long past when a branch costs so much more. *shared stays false
 * where that is not so clear: branches may share an entry by other rules.
 */
static bool find_shared(struct probe *p, const struct chain_room *room, double held, bool *shared)
{
    enum { LINE = CHAIN_LINE_BYTES, ON = 8, BRANCHES = 2 };
    static const double ALIKE = 0.1, PAST = 1.5;
    const struct row within = {.room = room, .chain = {.stride = 2 * LINE, .place = LINE / 2, .distance = ON}},
                     across = {.room = room, .chain = {.stride = 2 * LINE, .place = across_bytes(), .distance = ON}};
    double together, apart;

    *shared = false;
    if (!(held > 0))
        return true;
    if (!find_leave(p, &within, &together) || !find_leave(p, &across, &apart))
        return false;
    *shared = together >= held && together <= PAST * held && fabs(together / apart / BRANCHES - 1) <= ALIKE;
    if (*shared)
        report_number(
            p,
            &(struct finding){.name = "frontend.btb.branches_per_entry",
                              .variants = {{"level", .number = 1}},
                              .method = "branches held where a line's border parts them from the target before "
                                        "them, of those held where none does"},
            BRANCHES);
    return true;
}

/* ---- How it is organised ------------------------------------------------------------------------- */

/* Which of the levels that were told holds as many branches as some of what fits; 0: none does. */
static unsigned number_of(struct probe *p, const struct btb_fit_level *l, unsigned levels)
{
    static const double ALIKE = 0.1;

    for (size_t i = 0; i < l->count && i < BTB_FIT_SHOWN; i++) {
        const struct btb_organisation *o = &l->shown[i];
        const double holds = (double)o->ways * (double)((size_t)1 << o->index.set_bits) * o->per_entry;
        for (unsigned number = 1; number <= levels; number++) {
            char variants[40];
            snprintf(variants, sizeof variants, "level=%u branch=%s", number, chain_pattern_names[CHAIN_UNCOND]);
            if (fabs(facts_number(&p->run->facts, "frontend.btb.entries", variants, 0) - holds) <= ALIKE * holds)
                return number;
        }
    }
    return 0;
}

/* Asks for the rows that tell apart what might be, and measures them. */
static bool find_organisation(struct probe *p, struct btb_fit *fit, const struct chain_room *room,
                              const struct told *told)
{
    static const struct btb_fit_names names = {"frontend.btb.ways", "frontend.btb.sets", "frontend.btb.index_bits",
                                               "frontend.btb.branches_per_entry"};
    struct btb_fit_names rest = names; /* of a level of which it is known how many share an entry */
    rest.branches_per_entry = NULL;
    const double deadline = machine_seconds() + probe_scale(p, 0, 0.2, 2, 20);

    /* what fits would have no level to be told of; to list it is worth its while where there is time */
    if (!told->held && probe_scale(p, 1, 1, 0, 0) > 0) {
        const struct btb_fit_result none = {.reason = "level-not-known"};
        btb_fit_report(p, &none, 0, 0, &names);
        return true;
    }
    struct btb_fit_result r = *btb_fit_decide(fit);
    struct btb_row next;
    bool more = false;

    while (machine_seconds() < deadline && btb_fit_next(fit, &next)) {
        struct row row = {.room = room, .chain = {.pattern = (enum chain_pattern)next.pattern, .stride = next.stride}};
        double cycles;
        if (!measure(p, &row, next.count, &cycles))
            return false;
        if (isnan(cycles) || !btb_fit_add(fit, &next, cycles, 0.02 * cycles))
            break;
        more = true;
    }
    if (more)
        r = *btb_fit_decide(fit);
    const double held = facts_number(&p->run->facts, "frontend.btb.entries", "level=1 branch=uncond", NAN);
    bool shared;
    if (!find_shared(p, room, held, &shared))
        return false;
    /* levels follow each other here and there: one that is known tells the numbers of the others */
    unsigned first = 0;
    for (unsigned i = 0; i < r.level_count && !first; i++) {
        const unsigned number = number_of(p, &r.levels[i], told->levels);
        first = number > i ? number - i : 0;
    }
    for (unsigned i = 0; i == 0 || i < r.level_count; i++)
        btb_fit_report(p, &r, i, first ? first + i : 0, first + i == 1 && shared ? &rest : &names);
    return true;
}

/* ---- The instruction cache ----------------------------------------------------------------------- */

/* One branch a line, on as many lines as branches: the curve is there to be compared, nothing is decided by it. */
static bool show_frames(struct probe *p, size_t span)
{
    struct chain_room room;
    struct row row = {
        .chain = {.stride = CHAIN_LINE_BYTES}, .room = &room, .name = "uncond 64, long, each page its own frame"};
    bool good = chain_map(p, &room, span, page_bytes(), CHAIN_IN_ORDER);

    if (good) {
        struct sweep s = sweep_of_stretch(p, &row, FAR, span);
        good = sweep_search(p, &s);
        sweep_free(&s);
    }
    chain_unmap(p, &room);
    return good;
}

/* ---- All of it ---------------------------------------------------------------------------------- */

static bool find_all(struct probe *p, const struct chain_room *room, size_t span, struct btb_fit *fit)
{
    const size_t patterns = (size_t)probe_scale(p, 1, 2, CHAIN_PATTERNS, CHAIN_PATTERNS);
    const bool more = probe_smoke(p, 0, 1) > 0;
    struct told told[CHAIN_PATTERNS] = {{.levels = 0}};

    for (size_t i = 0; i < patterns; i++) {
        const enum chain_pattern pattern = (enum chain_pattern)i;
        if (!find_pattern(p, pattern, room, span, &told[i], fit) ||
            (more && (!find_fallback(p, pattern, room, span, &told[i]) || !find_pairs(p, pattern, room))))
            return false;
    }
    report_count(p, told, patterns);
    return !more || (find_organisation(p, fit, room, &told[CHAIN_UNCOND]) &&
                     (probe_scale(p, 0, 0, 1, 1) < 1 || show_frames(p, span)));
}

static void run(struct probe *p)
{
    const size_t span = (size_t)probe_smoke(p, 1 << 13, 1 << 21);
    const struct btb_fit_question question = {.patterns = 1u << BTB_UNCOND | 1u << BTB_COND,
                                              .stride_from = (unsigned)least_stride(),
                                              .stride_to = SPARSE_BYTES,
                                              .count_from = (unsigned)stretches[FAR].holds_at_least,
                                              .count_to = (unsigned)stretches[FAR].to,
                                              .alignment = emit_alignment,
                                              .footprints = {tlb_code_reach(p, 1)}};
    struct btb_fit *fit = probe_smoke(p, 0, 1) > 0 ? btb_fit_start(&question) : NULL;
    struct chain_room room;

    if (!fit && probe_smoke(p, 0, 1) > 0) {
        probe_skip(p, "out of memory for what a branch target buffer might be");
        return;
    }
    if (chain_map(p, &room, span, page_bytes(), CHAIN_ONE_FRAME))
        find_all(p, &room, span, fit);
    chain_unmap(p, &room);
    btb_fit_free(fit);
}

PROBE(btb, .title = "Branch target buffers", .family = "frontend", .run = run, .after = "itlb",
      .findings = FINDINGS({"frontend.btb.levels", "levels", "levels of branch target buffers"},
                           {"frontend.btb.entries", "branches", "taken branches whose targets a level holds"},
                           {"frontend.btb.cycles", "cycles", "a taken branch whose target that level holds"},
                           {"frontend.btb.fallback_cycles", "cycles", "a taken branch whose target no level holds"},
                           {"frontend.btb.taken_per_cycle", "branches", "taken branches in a cycle at best"},
                           {"frontend.btb.ways", "ways", "entries of a set"},
                           {"frontend.btb.sets", "sets", "sets of a level"},
                           {"frontend.btb.index_bits", "bits", "address bits that choose the set"},
                           {"frontend.btb.branches_per_entry", "branches", "branches that share an entry"}));
