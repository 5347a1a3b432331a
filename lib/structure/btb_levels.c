#include "lib/structure/btb_levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/probe/proof.h"
#include "lib/structure/slope_change.h"
#include "lib/structure/stride_family.h"
#include "lib/structure/tlb.h"
#include "lib/structure/tolerances_btb.h"

enum {
    STRIDES = 6,
    SIMULATED_STRIDES = 4, /* two that hold as much, and two halvings */
    FEW = 16,              /* branches, for the least cost */
    SIMULATED_TO = 8192,   /* branches, where each of them counts */
    SIMULATED_SECONDS = 1  /* a million instructions: 20 points, and 13 to narrow one knee, of 5,000 to 40,000 each */
};
enum range { SHORT, LONG, WHOLE };
static const struct {
    const char *name;
    double from, to; /* counts that are searched */
} ranges[] = {{"short", 8, 2048}, {"long", 256, BTB_LONG_TO}, {"whole", 8, SIMULATED_TO}};

/* The curves of all strides in one range. */
struct curves {
    struct branch_curve curve[STRIDES];
    struct sweep sweep[STRIDES];
    struct stride_member member[STRIDES];
    size_t count;
    struct stride_family family;
    struct stride_verdict verdict;
};

size_t btb_least_stride(void)
{
    return emit_alignment > 1 ? emit_alignment : 8;
}

/*
 * Points of one level may differ by 2 %; on a simulated core, whose readings are short, by 5 %: a turn in which a set
 * misses because of the loop's and the reader's branches is a hundredth of a reading for each five branches of eight
 * cycles (lib/kernels/branch_chain.c), and sets may have eight ways and misses 20 cycles.
 */
static struct sweep sweep_of(struct probe *p, struct branch_curve *curve, enum knee_kind kind, double from, double to)
{
    return (struct sweep){
        .name = curve->name,
        .confounder = curve->name,
        .axis = "branches",
        .unit = "cycles/branch",
        .build = branch_curve_build,
        .context = curve,
        .seconds = probe_simulated(p, SIMULATED_SECONDS,
                                   probe_scale(p, 1, 0.2, curve->chain.pattern == BRANCH_CHAIN_UNCOND ? 0.7 : 0.34, 4)),
        .search = {.kind = kind,
                   .from = from,
                   .to = to,
                   .step = 1,
                   .resolution = probe_simulated(p, 0.05, 0.02),
                   .per_octave = (unsigned)probe_simulated(p, 1, probe_scale(p, 1, 4, 4, 8))}};
}

static struct sweep sweep_of_range(struct probe *p, struct branch_curve *curve, enum range range, size_t span)
{
    const double fits = floor((double)span / (double)curve->chain.stride);

    return sweep_of(p, curve, KNEE_STEP, ranges[range].from, fmin(probe_smoke(p, 64, ranges[range].to), fits));
}

struct sweep btb_long_sweep(struct probe *p, struct branch_curve *curve, size_t span)
{
    return sweep_of_range(p, curve, LONG, span);
}

static struct stride_family family_of(struct probe *p, const struct btb_levels_request *q, const struct curves *c)
{
    struct stride_family f = {.members = c->member, .count = c->count, .step = 1, .smallest = emit_jump_bytes(0, true)};
    size_t known = 0;

    if (q->lines > 0)
        f.footprints[known++] = q->lines;
    f.footprints[known] = tlb_code_reach(p, 1);
    return f;
}

static void name_curve(struct branch_curve *curve, const char *part)
{
    snprintf(curve->name, sizeof curve->name, "%s %zu, %s", branch_chain_pattern_names[curve->chain.pattern],
             curve->chain.stride, part);
}

/* ---- Ramps -------------------------------------------------------------------------------------- */

/*
 * The median cost shortly before x. Points close to x are left out: loop and page borders make curves rise a bit early.
 */
static double cost_before(const struct sweep *sweep, double x)
{
    const struct search *s = &sweep->search;
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].x >= BTB_RAMP_FROM * x && s->points[i].x <= BTB_RAMP_TO * x && s->points[i].kept)
            sweep->scratch[count++] = s->points[i].y;
    return count ? median(sweep->scratch, count) : (double)NAN;
}

/* The least cost of all counts from half of x to x. */
static double least_before(const struct search *s, double x)
{
    double least = INFINITY;

    for (size_t i = 0; i < s->count && s->points[i].x <= x; i++)
        if (s->points[i].x >= x / 2)
            least = fmin(least, s->points[i].y); /* fmin ignores NaN */
    return least;
}

/* The last count up to x with which a branch costs at most `most`; NaN where there is none. */
static double last_below(const struct search *s, double x, double most)
{
    double last = NAN;

    for (size_t i = 0; i < s->count && s->points[i].x <= x; i++)
        if (s->points[i].y <= most)
            last = s->points[i].x;
    return last;
}

/* Moves a value and the lower end of its interval, of that knee of the sweep, back to where a ramp begins. */
static void correct_ramp(const struct sweep *sweep, size_t knee, double *value, double *low)
{
    const struct search *s = &sweep->search;
    const struct knee *k = &s->verdict.knees[knee];

    if (!k->ramp)
        return;
    *value = fmin(*value, last_below(s, *value, BTB_RAMP_COST * cost_before(sweep, k->value)));
    *low = fmin(*low, last_below(s, *value, BTB_RAMP_COST_CERTAIN * least_before(s, *value)));
}

static void correct_ramps(struct curves *c)
{
    for (size_t i = 0; i < c->verdict.level_count; i++) {
        struct stride_level *l = &c->verdict.levels[i];
        if (!isnan(l->value) && l->at[l->lead].level < c->member[l->lead].verdict->count)
            correct_ramp(&c->sweep[l->lead], l->at[l->lead].level, &l->value, &l->low);
    }
}

/* ---- Curves ------------------------------------------------------------------------------------- */

/*
 * Whether some odd number of branches costs clearly more than a larger even one: where two branches share an entry, a
 * chain of an odd number has each branch in an entry of its own (btb_sequence.h).
 */
static bool odd_costs_more(const struct search *s)
{
    double even = INFINITY; /* the least cost of an even number so far */

    for (size_t i = s->count; i-- > 0;) {
        const struct search_point *pt = &s->points[i];
        if (!pt->kept || isnan(pt->y))
            continue;
        if ((unsigned)pt->x % 2 == 0)
            even = fmin(even, pt->y);
        else if (pt->y > BRANCH_COST_RISES * even)
            return true;
    }
    return false;
}

/* Searches a curve; where odd numbers of branches cost more, once more with even ones alone. */
static bool search_curve(struct probe *p, struct branch_curve *curve, enum range range, size_t span, struct sweep *out)
{
    name_curve(curve, ranges[range].name);
    *out = sweep_of_range(p, curve, range, span);
    if (!sweep_search(p, out))
        return false;
    if (range != SHORT || !odd_costs_more(&out->search))
        return true;
    sweep_free(out);
    name_curve(curve, "short, even");
    *out = sweep_of_range(p, curve, range, span);
    out->search.step = 2;
    return sweep_search(p, out);
}

static bool search_curves(struct probe *p, const struct btb_levels_request *q, enum range range, struct curves *c)
{
    for (c->count = 0;
         c->count < (size_t)probe_simulated(p, SIMULATED_STRIDES, probe_scale(p, 2, 5, STRIDES, STRIDES));) {
        const size_t i = c->count++, stride = btb_least_stride() << i;
        struct branch_curve *curve = &c->curve[i];
        *curve = (struct branch_curve){.chain = {.pattern = q->pattern, .stride = stride}, .room = q->room};
        c->member[i] = (struct stride_member){curve->name, (double)stride, &c->sweep[i].search.verdict};
        if (!search_curve(p, curve, range, q->span, &c->sweep[i]))
            return false;
    }
    c->family = family_of(p, q, c);
    stride_family_decide(&c->family, &c->verdict);
    correct_ramps(c);
    return true;
}

/* Searches the last rise of each curve once more, for a slope change: a level may hide in it (slope_change.h). */
static bool search_slopes(struct probe *p, const struct btb_levels_request *q, const struct curves *c,
                          struct curves *slopes)
{
    static const double SECONDS = 0.3; /* confirming a slope change takes so long, in the profile quick as well */
    const struct verdict *whole[STRIDES];

    for (slopes->count = 0; slopes->count < c->count;) {
        const size_t i = slopes->count++;
        struct branch_curve *curve = &slopes->curve[i];
        struct sweep *s = &slopes->sweep[i];
        double from = 0, to = 0;
        *curve = c->curve[i];
        name_curve(curve, "slope change");
        const bool rises = slope_change_range(&c->sweep[i].search, BTB_STEP_CYCLES, &from, &to);
        *s = sweep_of(p, curve, KNEE_SLOPE, from, to);
        s->seconds = fmax(s->seconds, probe_smoke(p, 0, SECONDS));
        s->search.verdict.reason = REASON_NO_RISE;
        if (rises && !sweep_search(p, s))
            return false;
        slope_change_verdict(&s->search.verdict, c->sweep[i].search.reached, &s->search.verdict);
        slopes->member[i] = (struct stride_member){curve->name, (double)curve->chain.stride, &s->search.verdict};
        whole[i] = &c->sweep[i].search.verdict;
    }
    slopes->family = family_of(p, q, slopes);
    slope_change_decide(&slopes->family, whole, &slopes->verdict);
    return true;
}

/* ---- Which levels are reported ------------------------------------------------------------------ */

/* The largest count that any stride holds on this level. */
static double largest_count(const struct curves *c, const struct stride_level *l)
{
    double most = 0;

    for (size_t i = 0; i < c->count; i++)
        most = fmax(most, l->at[i].count); /* fmax ignores NaN */
    return most;
}

/* By how much the cost rises where this level is left, at the stride where it rises most. */
static double rise_behind(const struct curves *c, const struct stride_level *l)
{
    double most = 0;

    for (size_t i = 0; i < c->count; i++) {
        const struct verdict *v = c->member[i].verdict;
        if (l->at[i].level < v->count)
            most = fmax(most, v->knees[l->at[i].level].after - v->knees[l->at[i].level].before);
    }
    return most;
}

/*
 * Whether a level is reported from this range. Not the last one, if its end is not known: curves end on it. A level
 * whose unreached sets alone show in the short range is left to the long one.
 */
static bool belongs(const struct curves *c, enum range range, size_t level)
{
    const struct stride_level *l = &c->verdict.levels[level];
    const double border = BTB_LONG_FROM * BTB_BORDER_PART;
    const double most = fmax(largest_count(c, l), isnan(l->value) ? 0 : l->value);

    if ((level + 1 == c->verdict.level_count && isnan(l->value)) || rise_behind(c, l) < BTB_STEP_CYCLES)
        return false;
    return range == WHOLE || (range == SHORT ? most < border : most >= border);
}

/* The least cost of all strides with few branches. */
static double least_cycles(const struct curves *c)
{
    double least = INFINITY;

    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->sweep[i].search.count && c->sweep[i].search.points[j].x <= FEW; j++)
            least = fmin(least, c->sweep[i].search.points[j].y); /* fmin ignores NaN */
    return least;
}

/* Reports a level whose capacity is not known. */
static void report_open(struct probe *p, const struct btb_levels_request *q, enum reason reason, struct btb_levels *out)
{
    out->open = true;
    report_number(p,
                  &(struct finding){.name = q->entries,
                                    .variants = {{"level", .number = ++out->levels},
                                                 {"branch", branch_chain_pattern_names[q->pattern]}},
                                    .reason = reason},
                  NAN);
}

/* Where few branches cost much less than the first level that shows, there is a level before it: reports that. */
static void report_hidden(struct probe *p, const struct btb_levels_request *q, double height, struct btb_levels *out)
{
    if (out->levels == 0 && out->least < BTB_HIDDEN_PART * height) {
        report_open(p, q, REASON_NO_EDGE, out);
        out->hidden_below = BTB_HIDDEN_PART * height;
    }
}

/* Reports a capacity. */
static bool report_level(struct probe *p, const struct btb_levels_request *q, const struct curves *c, size_t level,
                         struct btb_levels *out)
{
    const struct stride_level *l = &c->verdict.levels[level];
    char proof[PROOF_TEXT] = "";

    if (!isnan(l->value) && !proof_of_knee(p, &c->sweep[l->lead], l->at[l->lead].level, q->counted, proof))
        return false;
    struct finding f = {
        .name = q->entries,
        .variants = {{"level", .number = ++out->levels}, {"branch", branch_chain_pattern_names[q->pattern]}}};
    f.limits[0] = (struct finding_limit){q->limits[0], "", 1};
    f.limits[1] = (struct finding_limit){
        q->limits[1], "level=1", (double)c->curve[l->lead].chain.stride / (double)machine_info()->page_bytes[0]};
    if (proof[0]) {
        f.remarks[0].key = "proof";
        f.remarks[0].text = proof;
    }
    out->open |= isnan(l->value);
    report_stride_family(p, &f, &c->family, &c->verdict, level);
    return true;
}

/*
 * Cycles a branch that the loop's instructions may add on a level of a curve: those at the point in the middle of it,
 * since curves have as many points in each octave.
 */
static double loop_part(const struct verdict *v, size_t level)
{
    return BTB_LOOP_CYCLES / sqrt(v->levels[level].from * v->levels[level].to);
}

/* The cost of a branch on a level: the least of all strides. */
static double height_of(const struct curves *c, const struct stride_level *l)
{
    double least = INFINITY;

    for (size_t i = 0; i < c->count; i++)
        if (l->at[i].level < c->member[i].verdict->level_count)
            least = fmin(least, c->member[i].verdict->levels[l->at[i].level].height);
    return least;
}

/*
 * Reports what each stride shows of a level: what it holds at that distance of branches, and what one costs, which is
 * no whole number of cycles where the core takes two branches a cycle, or one in two, only for a part of them. A stride
 * whose curve does not leave the level, or does where another structure is full, says nothing of its entries.
 */
static void report_strides(struct probe *p, const struct btb_levels_request *q, const struct curves *c, size_t level,
                           unsigned number)
{
    const struct stride_level *l = &c->verdict.levels[level];

    for (size_t i = 0; i < c->count && c->curve[i].chain.stride <= BRANCH_CHAIN_LINE_BYTES; i++) {
        const struct verdict *v = c->member[i].verdict;
        const size_t at = l->at[i].level;
        struct finding f = {.name = q->at_stride[0],
                            .variants = {{"level", .number = number},
                                         {"branch", branch_chain_pattern_names[q->pattern]},
                                         {"stride", .number = (double)c->curve[i].chain.stride}},
                            .grade = 'C',
                            .curves = {c->curve[i].name},
                            .method = "where the curve of that stride leaves the level"};
        if (at < v->count && l->at[i].role != STRIDE_MASKED) {
            f.value = v->knees[at].value;
            f.low = v->knees[at].low;
            f.high = v->knees[at].high;
            correct_ramp(&c->sweep[i], at, &f.value, &f.low);
            report(p, &f);
        }
        f.name = q->at_stride[1];
        f.method = "the height of the level in the curve of that stride, and how points differ from it";
        if (at < v->level_count) {
            const double off = fmax(v->levels[at].spread, BTB_CALIBRATION);
            f.value = v->levels[at].height;
            f.low = f.value * (1 - off) - loop_part(v, at);
            f.high = f.value * (1 + off);
            report(p, &f);
        }
    }
}

/*
 * Reports what a branch costs on a level. Of few branches the loop's instructions may be a part of that, at all strides
 * alike: then it is an interval, which no agreement narrows.
 */
static void report_cost(struct probe *p, const struct btb_levels_request *q, const struct curves *c, size_t level,
                        unsigned number)
{
    const struct stride_level *l = &c->verdict.levels[level];
    const double height = height_of(c, l);
    struct finding f = {.name = q->cycles,
                        .variants = {{"level", .number = number}, {"branch", branch_chain_pattern_names[q->pattern]}}};
    double loop = 0;

    for (size_t i = 0; i < c->count; i++)
        if (l->at[i].level < c->member[i].verdict->level_count)
            loop = fmax(loop, loop_part(c->member[i].verdict, l->at[i].level));
    if (loop <= BTB_CALIBRATION * height) {
        report_stride_family_height(p, &f, &c->family, &c->verdict, level);
        return;
    }
    f.value = height;
    f.low = height - loop;
    f.high = height * (1 + BTB_CALIBRATION);
    f.grade = 'C';
    f.curves[0] = c->curve[l->lead].name;
    f.method = "least height of the level at any stride; the interval allows for the loop's instructions";
    report(p, &f);
}

static bool report_levels(struct probe *p, const struct btb_levels_request *q, const struct curves *c, enum range range,
                          struct btb_levels *out)
{
    out->open |= c->verdict.lone_heights > 0;
    for (size_t i = 0; i < c->verdict.level_count; i++) {
        const struct stride_level *l = &c->verdict.levels[i];
        const double height = height_of(c, l);
        /* a level of unknown end that costs what the last reported one does is that level, seen at other strides */
        if (!belongs(c, range, i) || (isnan(l->value) && out->levels && height < out->height + BTB_STEP_CYCLES))
            continue;
        report_hidden(p, q, height, out);
        out->height = height;
        if (!report_level(p, q, c, i, out))
            return false;
        report_strides(p, q, c, i, out->levels);
        if (isnan(l->value))
            continue; /* without a capacity it may be no level: its cost is not reported */
        out->measured++;
        report_cost(p, q, c, i, out->levels);
    }
    return true;
}

/*
 * Reports the level that ends at a slope change. If the level that this rise leaves was not reported, it exists all the
 * same and comes first. If the last level that was reported costs what branches do at the slope change, it is that
 * level. The cost is not reported, since part of the branches are found on the level before.
 */
static bool report_slope_change(struct probe *p, const struct btb_levels_request *q, const struct curves *c,
                                const struct curves *slopes, struct btb_levels *out)
{
    const struct stride_level *l = &slopes->verdict.levels[0];

    if (slopes->verdict.level_count == 0 || isnan(l->value))
        return true;
    const struct verdict *whole = c->member[l->lead].verdict, *slope = slopes->member[l->lead].verdict;
    const double before = whole->levels[whole->count - 1].height, at = slope->knees[0].before;
    if (out->levels > 0 && at < out->height + BTB_STEP_CYCLES)
        return true;
    if (out->levels == 0 || before >= out->height + BTB_STEP_CYCLES) {
        report_hidden(p, q, before, out);
        report_open(p, q, REASON_NO_EDGE, out);
    }
    return report_level(p, q, slopes, 0, out);
}

/* ---- The fit ------------------------------------------------------------------------------------ */

/* The standard error of a point's median by its samples, but not below that of calibrated time. */
static double error_of(const struct search_point *pt)
{
    const struct spread s = spread_of(pt->sample, pt->kept);

    return fmax(BTB_CALIBRATION * pt->y, s.count > 1 ? s.sigma / sqrt((double)s.count) : 0);
}

static struct btb_point point_of(const struct curves *c, size_t i, const struct search_point *pt)
{
    return (struct btb_point){.sequence = {.pattern = c->curve[i].chain.pattern,
                                           .stride = (unsigned)c->curve[i].chain.stride,
                                           .count = (unsigned)pt->x},
                              .cycles = pt->y,
                              .error = error_of(pt)};
}

/*
 * Adds the points of the long range to the fit, which counts those for which it has no room; those with even numbers of
 * branches are enough. Small counts are left out: the fit knows two levels, and those that hold many branches are asked
 * for.
 */
static void add_points(const struct curves *c, struct btb_fit *fit)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct search *s = &c->sweep[i].search;
        for (size_t j = 0; j < s->count; j++)
            if (s->points[j].kept && s->points[j].x >= BTB_LONG_FROM && (unsigned)s->points[j].x % 2 == 0) {
                const struct btb_point pt = point_of(c, i, &s->points[j]);
                btb_fit_add(fit, &pt.sequence, pt.cycles, pt.error);
            }
    }
}

/* Keeps the points of the short range, and notes what the levels found there hold. */
static void keep_near(const struct curves *c, const struct btb_levels *out, struct btb_near *near)
{
    near->levels = out->levels > near->levels ? out->levels : near->levels;
    for (size_t i = 0; i < c->verdict.level_count; i++)
        if (belongs(c, SHORT, i) && !isnan(c->verdict.levels[i].value))
            near->entries = fmax(near->entries, c->verdict.levels[i].value);
    for (size_t i = 0; i < c->count; i++) {
        const struct search *s = &c->sweep[i].search;
        for (size_t j = 0; j < s->count && near->point_count < BTB_NEAR_POINTS; j++)
            if (s->points[j].kept)
                near->points[near->point_count++] = point_of(c, i, &s->points[j]).sequence;
    }
}

/* ---- Both ranges -------------------------------------------------------------------------------- */

static bool find_in_range(struct probe *p, const struct btb_levels_request *q, enum range range, struct curves *c,
                          struct curves *slopes, struct btb_levels *out)
{
    bool good = search_curves(p, q, range, c);

    if (good && range != LONG)
        out->least = least_cycles(c);
    good = good && report_levels(p, q, c, range, out);
    /* mixed chains do not begin with the branch that the sequences of the fit begin with */
    if (good && range != SHORT && q->fit && q->pattern <= BRANCH_CHAIN_COND)
        add_points(c, q->fit);
    if (good && range == SHORT && q->near && q->pattern <= BRANCH_CHAIN_COND)
        keep_near(c, out, q->near);
    good = good && (range == SHORT || (search_slopes(p, q, c, slopes) && report_slope_change(p, q, c, slopes, out)));
    sweeps_free(slopes->sweep, slopes->count);
    sweeps_free(c->sweep, c->count);
    c->count = slopes->count = 0;
    return good;
}

bool btb_levels_find(struct probe *p, const struct btb_levels_request *q, struct btb_levels *out)
{
    struct curves *c = calloc(1, sizeof *c), *slopes = calloc(1, sizeof *slopes);
    const enum range first = probe_is_simulated(p) ? WHOLE : SHORT;
    const enum range last = probe_is_simulated(p) ? WHOLE : probe_is_smoke(p) ? SHORT : LONG;
    bool good = c && slopes;

    *out = (struct btb_levels){.levels = 0};
    if (!good)
        probe_skip(p, "out of memory for curves");
    for (enum range i = first; i <= last && good; i++)
        good = find_in_range(p, q, i, c, slopes, out);
    free(c);
    free(slopes);
    return good;
}
