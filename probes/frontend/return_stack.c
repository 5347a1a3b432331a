/*
 * Question: how many return addresses does the core predict?
 *
 * Experiment: n nested calls, then n returns. While n fits, every return is predicted. With one more the oldest return
 * address is lost: the last return of the nest is mispredicted, unless something else predicts it. The nest is called
 * from one of several sites, so that this return has as many targets. The site is
 *
 *   fixed     always the same: an indirect predictor may stand in for the return stack past its depth
 *   changing  alternates between two
 *   random    drawn anew each time, after random jumps in one experiment and after random conditional branches in the
 *             other, since some predictors keep a history of targets and others of directions. No history repeats,
 *             so that nothing but a return stack can know the site. What is mispredicted on purpose is mispredicted
 *             before the nest begins, when the return stack holds nothing that a wrong path could spoil
 *
 * Control: as many calls and returns of the same code in nests that fit. What each of them costs by itself is
 * subtracted, and what the depth costs is left.
 *
 * Curve: cycles per nest over depth, less the control's growth: a level while all returns are predicted, then a step of
 * one misprediction, and a slope. Inference: the last depth on the level. An indirect predictor that knows some of the
 * returns smooths the step: then nothing is decided.
 *
 * Overflow: behind the depth only the first call's site is random, the other returns are always the same. If each
 * further level costs one misprediction more, the oldest address has been overwritten, and what is popped in its place
 * is stale or missing. If it costs much less, something else predicts returns that the stack has lost. If all returns
 * are mispredicted at once, the first level too many has cost the stack all that it held. The remark `overflow` says
 * how many mispredictions that first level costs, and how many each further one (slope by Theil 1950 and Sen 1968, the
 * median over all pairs of points).
 *
 * Sources: Wong 2018; jia.je 2025, variant with two call sites; random history and control are ours. docs/METHODS.md,
 * 5.10.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/chance.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"

enum {
    DEPTH_MAXIMUM = 128,
    DEPTH_QUICK = 80,  /* the deepest return stack that is known has about 60 entries */
    CONTROL_DEPTH = 2, /* of nests that fit: a return stack of one entry is not found */

    ENTRY_BYTES = 4096,
    SIMULATED_NESTS = 64, /* of a reading on a simulated core, at least */
    EXPERIMENTS = 2,
    OVERFLOW_TEXT = 96,
    DEEP = 3 /* times the depth: up to there the slope behind it is measured */
};

/* Mispredictions that a further level costs: more than MOST is one, less than FEW is none. Chosen. */
static const double MOST = 0.6;
static const double FEW = 0.3;

enum site { SITE_FIXED, SITE_CHANGING, SITE_AFTER_JUMPS, SITE_AFTER_BRANCHES };

struct nest {
    const char *name, *confounder;
    enum site site;
    size_t level_bytes; /* from one level's code to the next one's: another layout for all that depends on addresses */
    uint64_t state;     /* address where chance continues, lib/kernels/chance.h */
    bool learnt;        /* predictors have seen the site: it is at the same place, whatever the depth */
};

static size_t level_at(const struct nest *n, size_t level)
{
    return ENTRY_BYTES + level * n->level_bytes;
}

/* Emits the call of level 1 from one of two sites in turn. A conditional branch selects it, which predictors know. */
static void emit_alternating_call(struct code *c, const struct nest *n)
{
    emit_move(c, REG_T1, REG_COUNT);
    emit_and_constant(c, REG_T1, 1);
    const struct fixup other = emit_branch_if_zero_ahead(c, REG_T1);
    emit_call(c, level_at(n, 1));
    const struct fixup join = emit_branch_ahead(c);
    emit_land(c, other);
    emit_call(c, level_at(n, 1));
    emit_land(c, join);
}

/* Emits the call of level 1 from the site of this iteration. */
static void emit_nest_call(struct code *c, const struct nest *n)
{
    chance_draw(c);
    switch (n->site) {
    case SITE_FIXED: emit_constant(c, REG_T1, 0); break;
    case SITE_CHANGING: emit_alternating_call(c, n); return;
    case SITE_AFTER_JUMPS:
        for (unsigned i = 0; i < 2; i++) {
            chance_bits(c, i * CHANCE_TARGETS_BITS, CHANCE_TARGETS_BITS);
            chance_jump(c, 0);
        }
        chance_bits(c, CHANCE_BITS - CHANCE_TARGETS_BITS, CHANCE_TARGETS_BITS);
        break;
    case SITE_AFTER_BRANCHES:
        chance_branches(c, 0, 8);
        chance_bits(c, CHANCE_BITS - CHANCE_TARGETS_BITS, CHANCE_TARGETS_BITS);
        break;
    }
    chance_jump(c, level_at(n, 1));
}

/* `depth` calls and returns in nests of `nest` levels; each level is a function on lines of its own. */
static bool build_nests(struct probe *p, struct nest *n, size_t depth, size_t nest, struct kernel *k)
{
    const double warm = probe_simulated(p, n->learnt ? 4 : 300, 300);

    struct code c = probe_code(p, level_at(n, DEPTH_MAXIMUM + 1));

    emit_enter(&c);
    chance_begin(&c);
    size_t loop = c.used;
    emit_nest_call(&c, n);
    for (size_t level = 1 + nest; level <= depth; level += nest)
        emit_call(&c, level_at(n, level));
    emit_loop(&c, loop);
    chance_end(&c);
    /*
     * Nests that fill the return stack push out the address to which the kernel returns. That misprediction is once a
     * reading, not once a nest. So the kernel's return is mispredicted in every nest and control.
     */
    const struct fixup over = emit_call_ahead(&c);
    emit_branch(&c, c.used); /* an endless loop: where the return stack leads the front end */
    emit_land(&c, over);
    emit_drop_call(&c);
    emit_leave(&c);
    for (size_t level = 1; level <= depth; level++) {
        emit_place(&c, level_at(n, level));
        emit_enter(&c);
        if (level < depth && level % nest != 0)
            emit_call(&c, level_at(n, level + 1));
        emit_leave(&c);
    }
    /* readings are long: what is random in them, and a misprediction when a reading ends, become small */
    *k = (struct kernel){.data = n->state,
                         .units = 1,
                         .round = probe_simulated(p, SIMULATED_NESTS, 0),
                         .warm_iterations = probe_smoke(p, 10, warm),
                         .length_factor = probe_smoke(p, 1, n->site < SITE_AFTER_JUMPS ? 2 : 4)};
    n->learnt = true;
    return probe_kernel(p, &c, 0, k);
}

static bool build(struct probe *p, double depth, void *context, struct kernel *k)
{
    return build_nests(p, context, (size_t)depth, DEPTH_MAXIMUM, k);
}

static bool build_control(struct probe *p, double depth, void *context, struct kernel *k)
{
    return build_nests(p, context, (size_t)depth, CONTROL_DEPTH, k);
}

/* Whether the end is known to one level. */
static bool has_edge(const struct sweep *s)
{
    const struct verdict *v = &s->search.verdict;

    return !v->reason && v->count && v->knees[0].high - v->knees[0].low <= 1;
}

/*
 * Searches layouts of returns that other predictors may know. If one of them has no sharp end, all get no-edge and the
 * others are not measured: *count becomes the number of those that were.
 */
static bool search_edges(struct probe *p, struct sweep *s, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        if (!sweep_search(p, &s[i]))
            return false;
        if (has_edge(&s[i]))
            continue;
        for (size_t j = 0; j <= i; j++)
            s[j].search.verdict.reason = REASON_NO_EDGE;
        *count = i + 1;
    }
    return true;
}

/* The median slope over all pairs of points from x = `from` to `to`. NaN where there are none, or memory is short. */
static double slope_of(const struct search *s, double from, double to)
{
    double *slopes = malloc((s->count * s->count + 1) * sizeof *slopes), slope = (double)NAN;
    size_t n = 0;

    for (size_t i = 0; slopes && i < s->count; i++)
        for (size_t j = 0; j < i; j++)
            if (s->points[j].x >= from && s->points[i].x <= to && !isnan(s->points[i].y - s->points[j].y))
                slopes[n++] = (s->points[i].y - s->points[j].y) / (s->points[i].x - s->points[j].x);
    if (slopes) {
        sort_numbers(slopes, n);
        slope = quantile(slopes, n, 0.5);
    }
    free(slopes);
    return slope;
}

/* Describes what happens behind the depth; empty where that is not known. */
static void describe_overflow(struct probe *p, const struct sweep *s, char text[OVERFLOW_TEXT])
{
    const struct verdict *v = &s->search.verdict;
    const double penalty = facts_number(&p->run->facts, "frontend.mispredict.cycles", "branch=return", (double)NAN);
    double first = (double)NAN;

    text[0] = 0;
    if (v->reason || !v->count)
        return;
    const struct knee *k = &v->knees[0];
    for (size_t i = s->search.count; i-- > 0;)
        if (s->search.points[i].x >= k->high)
            first = s->search.points[i].y - k->before;
    const double unit = isnan(penalty) ? first : penalty, step = first / unit,
                 each = slope_of(&s->search, k->high, DEEP * k->value) / unit;
    if (!(step > 0) || isnan(each))
        return;
    snprintf(text, OVERFLOW_TEXT, "%s: %.1f mispredictions at first, then %.2f a level",
             step > k->value * MOST ? "all are lost"
             : each > MOST          ? "the oldest are lost"
             : each < FEW           ? "other predictors stand in"
                                    : "unclear",
             step, each);
}

static bool find_depth(struct probe *p, const char *target, struct nest nests[EXPERIMENTS])
{
    /* on simulated cores, where instructions are few, one layout of returns that other predictors may know */
    const double layouts = nests->site < SITE_AFTER_JUMPS ? probe_simulated(p, 1, EXPERIMENTS) : EXPERIMENTS;
    const size_t most = (size_t)probe_smoke(p, 1, layouts);
    size_t count = most;
    static const char *const counted[] = {"return_mispredicts", "mispredicts", NULL};
    char overflow[OVERFLOW_TEXT] = "", proof[PROOF_TEXT] = "";
    struct experiment e[EXPERIMENTS];
    struct sweep s[EXPERIMENTS];

    for (size_t i = 0; i < most; i++)
        s[i] = (struct sweep){.name = nests[i].name,
                              .confounder = nests[i].confounder,
                              .axis = "depth",
                              .unit = "cycles/nest",
                              .build = build,
                              .control = build_control,
                              .context = &nests[i],
                              .search = {.kind = KNEE_STEP,
                                         .from = 1,
                                         .to = probe_smoke(p, 40, probe_simulated(p, 40, 48)),
                                         .limit = probe_scale(p, 40, DEPTH_QUICK, DEPTH_MAXIMUM, DEPTH_MAXIMUM),
                                         .step = 1,
                                         .resolution = 0.01,
                                         .coarse = (unsigned)probe_smoke(p, 6, 16),
                                         .budget = (unsigned)probe_smoke(p, 8, 0)}}; /* with the control twice that */
    bool good = true;
    if (nests->site < SITE_AFTER_JUMPS)
        good = search_edges(p, s, &count);
    else
        good = sweeps_search(p, s, count);
    if (good) {
        experiments_of_sweeps(s, count, e);
        if (nests->site >= SITE_AFTER_JUMPS) {
            describe_overflow(p, &s[0], overflow);
            good = proof_of_knee(p, &s[0], 0, counted, proof);
        }
    }
    if (good)
        report_capacity(p,
                        &(struct finding){.name = "frontend.return_stack.entries",
                                          .variants = {{"target", target}},
                                          .method = "last depth before returns cost more",
                                          .remarks = {{"overflow", overflow}, {"proof", proof}}},
                        e, count, 1);
    sweeps_free(s, most);
    return good;
}

static void run(struct probe *p)
{
    struct area state;

    if (!probe_map(p, &state, sizeof(uint64_t), 0))
        return;
    struct nest fixed[] = {{"fixed", "other predictors", SITE_FIXED, 128, state.at, false},
                           {"fixed, other layout", "other predictors", SITE_FIXED, 192, state.at, false}},
                changing[] = {{"changing", "other predictors", SITE_CHANGING, 128, state.at, false},
                              {"changing, other layout", "other predictors", SITE_CHANGING, 192, state.at, false}},
                random[] = {{"random jumps", "history of directions", SITE_AFTER_JUMPS, 128, state.at, false},
                            {"random branches", "history of targets", SITE_AFTER_BRANCHES, 192, state.at, false}};
    if (find_depth(p, "fixed", fixed) && find_depth(p, "changing", changing))
        find_depth(p, "random", random);
}

PROBE(return_stack, .title = "Return stack", .family = "frontend", .after = "mispredict", .run = run,
      .findings = FINDINGS({"frontend.return_stack.entries", "entries", "nested calls whose returns are predicted"}));
