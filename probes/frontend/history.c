/*
 * Question: how many branches does the history contain by which conditional branches are predicted, and which kinds of
 * branch enter it at all?
 *
 * Experiment: a bit is drawn at random. It steers the bearer; k dummies follow, branches that always go the same way;
 * then the probe branch goes by the same bit (lib/kernels/branch_history.h). While the history still contains the
 * bearer, the probe branch is predicted from it; when k dummies have pushed it out, half of the probe branches are
 * mispredicted. The bearer is a conditional branch (direction) or an indirect jump to one of two neighbouring
 * instructions (target), since some cores keep a history of targets, some of branches, some of both in one. Where
 * targets show nothing it is also one of two conditional branches to one place (source): as many are taken either way,
 * so that only their addresses carry the bit. The bearer that is seen farthest shows most of the history; the remark
 * `reach` lists all.
 *
 * Two controls calibrate time: a probe branch by another bit of the draw, never predicted, and one that always goes the
 * same way. All three kernels are in the same place.
 *
 * Curve: mispredictions in an iteration over k: half of one is the bearer's own. 0.5 while the probe branch is
 * predicted, then a step to 1. A step is the end of the history only if it leads from below 0.6 to above 0.9.
 *
 * Inference: the last k before the step, plus the bearer itself. Dummies that do not enter the history never push the
 * bearer out; nor do dummies that enter if the history spans more of them than are tried. So each kind is also mixed: a
 * fixed number of its dummies, and k taken conditional branches. If the step is where it is without the dummies, they
 * do not enter.
 *
 * Sources: Yavarzadeh et al. 2023 (Half&Half); jia.je 2024 (bearer, dummies, probe branch, with counters of
 * mispredictions). Chain, mixture and calibrated time are ours. docs/METHODS.md, 5.4.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/branch_history.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"
#include "lib/structure/history_end.h"

/* The two experiments on a kind: dummies of the kind alone, or a fixed number of them and taken conditional ones. */
enum composition { PURE, MIXED, COMPOSITIONS };

enum {
    MIXED_AT_LEAST = 4, /* dummies of the kind: enough to see whether none or all of them enter */
    FEW = 32            /* dummies, where it is not known how many the history spans */
};

/* Dummies of a kind that are tried, at most, relative to the taken conditional ones that push the bearer out. */
static const double BEYOND = 1.5;

static const char NAME[] = "frontend.history.branches";
static const char METHOD[] = "last number of dummies before the probe branch is mispredicted, and the bearer";

/* ---- Taken conditional branches: the other kinds are compared with them --------------------------- */

struct span {
    struct history_curve curve[HISTORY_BEARERS];
    struct sweep sweep[HISTORY_BEARERS];
    struct graded result;
    enum history_bearer bearer; /* the one that is seen farthest; HISTORY_DIRECTION where they do not differ */
    enum history_bearer other;  /* another one that is seen as far; `bearer` where there is none */
};

/* Grades what `count` bearers show. Where they disagree, the one that is seen farthest counts alone. */
static void grade_taken(struct span *taken, const struct experiment *e, size_t count)
{
    const struct graded alone[2] = {grade_capacity(&e[HISTORY_DIRECTION], 1, 1),
                                    grade_capacity(&e[HISTORY_TARGET], 1, 1)};

    taken->result = grade_capacity(e, count, 1);
    if (isnan(alone[HISTORY_DIRECTION].value) || alone[HISTORY_TARGET].value > alone[HISTORY_DIRECTION].value + 1)
        taken->bearer = HISTORY_TARGET;
    if (taken->result.grade == 'U' && !isnan(alone[taken->bearer].value))
        taken->result = alone[taken->bearer];
}

static bool find_taken(struct probe *p, uint64_t state, struct span *taken)
{
    struct experiment e[HISTORY_BEARERS];
    char proof[PROOF_TEXT] = "", reach[PROOF_TEXT] = "";
    size_t count = 0;

    while (count < HISTORY_BEARERS && (count != HISTORY_SOURCE || (history_end_shown(&e[HISTORY_DIRECTION]) &&
                                                                   !history_end_shown(&e[HISTORY_TARGET])))) {
        const enum history_bearer b = (enum history_bearer)count++;
        taken->curve[b].code = (struct branch_history){.kind = HISTORY_TAKEN, .bearer = b, .state = state};
        if (!history_end_search(p, &taken->curve[b], HISTORY_DUMMIES, &taken->sweep[b], &e[b]))
            return false;
        if (history_end_shown(&e[b]))
            snprintf(reach + strlen(reach), sizeof reach - strlen(reach), "%s%s %.0f", reach[0] ? ", " : "",
                     history_bearer_names[b], e[b].verdict->knees[e[b].knee].value + HISTORY_BEARER_BRANCHES);
    }
    grade_taken(taken, e, count);
    const struct graded *r = &taken->result;
    const bool agree = r->grade < 'C' && taken->bearer == HISTORY_DIRECTION && history_end_shown(&e[HISTORY_TARGET]);
    taken->other = agree ? HISTORY_TARGET : taken->bearer;
    if (r->grade != 'U' &&
        !proof_of_knee(p, &taken->sweep[taken->bearer], e[taken->bearer].knee, history_counted, proof))
        return false;
    report(p, &(struct finding){.name = NAME,
                                .variants = {{"kind", history_kind_names[HISTORY_TAKEN]}},
                                .value = r->value,
                                .low = r->low,
                                .high = r->high,
                                .grade = r->grade,
                                .reason = r->reason,
                                .method = METHOD,
                                .curves = {taken->curve[HISTORY_DIRECTION].name, taken->curve[HISTORY_TARGET].name,
                                           count > HISTORY_SOURCE ? taken->curve[HISTORY_SOURCE].name : NULL},
                                .holds = HISTORY_BEARER_BRANCHES,
                                .agreement = r->agreement,
                                .remarks = {{"proof", proof}, {"reach", reach}}});
    return true;
}

/* ---- Other kinds -------------------------------------------------------------------------------- */

/*
 * How many entries of the history each dummy of a mixture takes: 0, 1 or 2; -1 where none of these numbers, or more
 * than one, puts the step into its interval. `reach`: the last number of taken conditional dummies before the step,
 * without the kind.
 */
static int entries_of_dummy(const struct branch_history *mixed, const struct knee *k, double reach)
{
    int found = -1, matches = 0;

    for (int entries = 0; entries <= (int)history_branches(mixed->kind); entries++) {
        const double of_taken = reach - entries * (double)mixed->mixed;
        if (k->low - 1 <= of_taken && of_taken <= k->high) {
            found = entries;
            matches++;
        }
    }
    return matches == 1 ? found : -1;
}

/*
 * Reports a kind that does not enter: the step of the mixture is where it is without the kind, and even BEYOND times as
 * many dummies of the kind alone do not push the bearer out.
 */
static void report_outside(struct probe *p, const struct span *taken, enum history_kind kind, const struct sweep s[2],
                           const struct knee *step, double reach)
{
    const struct verdict *pure = &s[PURE].search.verdict;
    const bool enters = !pure->reason;
    const bool stays = pure->reason == REASON_NO_KNEE && pure->level_count == 1 &&
                       pure->levels[0].height < 0.5 + HISTORY_PREDICTED;
    const bool exact = step->agreed && fabs(step->value - reach) < 0.5;

    report(p, &(struct finding){.name = NAME,
                                .variants = {{"kind", history_kind_names[kind]}},
                                .value = enters ? (double)NAN : 0,
                                .low = NAN,
                                .high = NAN,
                                .reason = enters ? REASON_EXPERIMENTS_DISAGREE : REASON_NONE,
                                .grade = enters   ? 'U'
                                         : !stays ? 'C'
                                         : exact  ? taken->result.grade
                                                  : (char)fmax('B', taken->result.grade),
                                .method = "the history reaches as far with dummies of this kind as without them",
                                .curves = {s[PURE].name, s[MIXED].name}});
}

static bool find_kind(struct probe *p, uint64_t state, enum history_kind kind, const struct span *taken)
{
    const unsigned branches = history_branches(kind);
    const bool known = taken->result.grade != 'U';
    const double reach = known ? taken->result.value - HISTORY_BEARER_BRANCHES : FEW;
    const double limit = fmin(floor(BEYOND * reach), HISTORY_DUMMIES);
    const unsigned quarter = (unsigned)(reach / 4 / branches),
                   mixed = quarter < MIXED_AT_LEAST ? MIXED_AT_LEAST : quarter;
    struct history_curve curves[] = {
        [PURE] = {.code = {.kind = kind, .bearer = taken->bearer, .first = branches - 1, .state = state},
                  .expected = floor(reach / branches)},
        [MIXED] = {.code = {.kind = kind, .bearer = taken->other, .mixed = mixed, .state = state}}};
    struct sweep s[COMPOSITIONS] = {{.name = NULL}};
    struct experiment e[COMPOSITIONS];
    int entries = -1;

    bool good = history_end_search(p, &curves[PURE], limit, &s[PURE], &e[PURE]);
    if (good) {
        curves[MIXED].expected = reach - (history_end_shown(&e[PURE]) ? mixed * branches : 0);
        good = history_end_search(p, &curves[MIXED], limit, &s[MIXED], &e[MIXED]);
    }
    if (good) {
        const struct verdict *v = e[MIXED].verdict;
        if (known && history_end_shown(&e[MIXED]))
            entries = entries_of_dummy(&curves[MIXED].code, &v->knees[e[MIXED].knee], reach);
        else
            e[MIXED].knee = v->count;
        if (entries < 0 && !history_end_shown(&e[PURE]))
            e[MIXED].knee = v->count; /* a mixture by itself shows nothing of the kind */
        e[PURE].scale = branches;
        e[PURE].holds = branches; /* the bearer, and the taken branch before calls, which makes the span even */
        e[MIXED].scale = entries > 0 ? (double)branches / entries : 1;
        e[MIXED].holds = HISTORY_BEARER_BRANCHES + mixed * branches;
        const struct finding f = {.name = NAME, .variants = {{"kind", history_kind_names[kind]}}, .method = METHOD};
        if (entries == 0)
            report_outside(p, taken, kind, s, &v->knees[e[MIXED].knee], reach);
        else
            report_capacity(p, &f, e, COMPOSITIONS, branches);
    }
    sweeps_free(s, COMPOSITIONS);
    return good;
}

static void run(struct probe *p)
{
    struct area state;
    struct span taken = {.result = {.grade = 'U'}};

    if (!probe_map(p, &state, sizeof(uint64_t), 0))
        return;
    bool good = find_taken(p, state.at, &taken);
    for (enum history_kind kind = HISTORY_NOT_TAKEN; kind < HISTORY_KINDS && good; kind++)
        good = find_kind(p, state.at, kind, &taken);
    sweeps_free(taken.sweep, HISTORY_BEARERS);
}

PROBE(history, .title = "Branch history", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.history.branches", "branches",
                            "branches of that kind that the history of the conditional predictor spans"}));
