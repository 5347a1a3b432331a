/*
 * Branch history: how many branches does the history span by which conditional branches are predicted, and which
 * kinds of branch enter it at all?
 *
 * A bit is drawn at random. It steers the bearer; then come k dummies, branches that always go the same way; then the
 * probe, a conditional branch that goes by the same bit once more. While the history still holds the bearer, the
 * probe is predicted from it; when k dummies have pushed that out, half of the probes are mispredicted. Bearers are
 *
 *   direction   a conditional branch, taken or not
 *   target      an indirect jump to one of two neighbouring instructions, whose addresses differ in their lowest
 *               bit: some cores keep a history of targets, some of branches, some of both in one
 *   source      two conditional branches to one place, of which one or the other is taken: it is asked where targets
 *               tell nothing. As many are taken either way, so that no count of them tells the bit, but where they lie
 *
 * Whose bit is seen farther away shows more of the history; `reach` tells all. What the probe goes by has to pass a
 * chain of multiplications that begins right before it, so that on a core that executes out of order a misprediction
 * costs many times what the dummies' own time varies by. Two controls: a probe that goes by another bit of the draw, and
 * is never predicted, and one that always goes the same way. All three lie in the same place, one after the other.
 *
 * Curve: mispredictions in an iteration over k, told from time by the controls. Half of one is the bearer's. Their number
 * is 0.5 while the probe is predicted, and 1 when the bearer is out of sight: less than 0.6 below the step and more than
 * 0.9 above, else it is no end of the history. Answer: the last k before it, and the bearer itself.
 *
 * Dummies that do not enter the history never push the bearer out, and neither would those that a longer history than
 * was tried still spans. So each kind is tried in a mixture, too: a fixed number of it, and k taken conditional
 * branches. If the step is then where it is without them, they do not enter. Branches that are not taken lie where no
 * other code of ours has been: where taken ones were, what the branch target buffer still knows of those enters instead (on
 * Zen 4 up to 20 entries for 134 branches, by the place of the code).
 *
 * Method: Yavarzadeh and others 2023 (Half&Half), jia.je 2024 (bearer, dummies, probe, with counters of mispredictions);
 * chain, mixture and calibrated time are our addition.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernels/chance.h"
#include "lib/find.h"
#include "lib/probe.h"
#include "lib/proof.h"

enum kind { TAKEN, NOT_TAKEN, UNCONDITIONAL, INDIRECT, CALL_RETURN, KINDS };
enum bearer { DIRECTION, TARGET, SOURCE, BEARERS };
enum dummies { PURE, MIXED };
enum probe_goes { BY_THE_BIT, BY_ANOTHER, ALWAYS_ALIKE, PROBE_GOES };

enum {
    SLOT_BYTES = 64,       /* a dummy's: a line, so that no branch target buffer holds fewer of them for being dense; */
    CLOSE_SLOT_BYTES = 32, /* half of it where so many would fill the first instruction cache; */
    NOT_TAKEN_BYTES = 16,  /* these need none of its entries */
    SPARSE_BYTES =
        24576,   /* of dummies on lines of their own, at most: no first instruction cache holds fewer than 32 KiB */
    PLACES = 64, /* where code begins: what predictors have learnt of the code before it is no help, and no harm */
    ENTRY_BYTES = 4096 + (1 + PLACES) * SLOT_BYTES,
    CHAIN = 48,         /* multiplications, … */
    SMOKE_CHAIN = 6,    /* … and where each instruction counts */
    DUMMIES = 896,      /* at most: more of them no longer fit the first instruction cache, close as they are */
    MIXED_AT_LEAST = 4, /* dummies, so that none and all of them make a difference */
    BEARER = 1,         /* branches that the bearer is */
    FIRST = 8,          /* dummies to begin with */
    LOOKS = 3,          /* samples of which most count, where a look tells roughly, */
    CLOSE = 4,          /* to so many dummies, */
    CLOSE_PART = 16,    /* or such a part of them; */
    MARGIN = 4,         /* so many times as far to either side the curve goes then */
    BRACKETS = 3,       /* ranges tried, at most */
    ANOTHER_BIT = 9,    /* of the draw */
    FAR_BYTES =
        1 << 17, /* from where all other code begins to where branches lie that are not taken, in a mixture, … */
    THERE_AND_BACK = 2, /* … and so many taken conditional branches lead there and back */
};

/* The share of mispredicted probes: foreseen ones have less than the first, unforeseen ones more than the second. */
static const double FORESEEN = 0.1, UNFORESEEN = 0.4;

static const char *const kind_names[KINDS] = {"conditional-taken", "conditional-not-taken", "unconditional", "indirect",
                                              "call-return"};
static const unsigned branches_of[KINDS] = {1, 1, 1, 1, 2};
static const char *const bearer_names[BEARERS] = {"direction", "target", "source"};
/* What a bearer cannot show, and what it says may be mistaken for. */
static const char *const fooled_by[BEARERS] = {"history of targets", "history of directions", "history of addresses"};

/* Cycles that half of a misprediction costs at least, on any core; on one that executes out of order the chain adds to it. */
static const double LEAST = 1.5;

/* How many times as many dummies are tried, of a kind that may not enter, as others need. */
static const double BEYOND = 1.5;
static const char METHOD[] = "last number of dummies before the probe is mispredicted, and the bearer";

static const char *const COUNTED[] = {"conditional_mispredicts", "mispredicts", NULL};

/* One experiment. */
struct row {
    enum kind kind;
    enum bearer bearer;
    unsigned mixed;  /* so many dummies of the kind always, and x taken conditional branches; 0: x of the kind */
    unsigned first;  /* and so many taken conditional branches before them */
    uint64_t state;  /* where chance goes on */
    size_t place;    /* in lines, where the code of a sample begins */
    bool close;      /* dummies are half a line apart */
    double expected; /* dummies at the end, if it is where the others have it: looked at first; 0: no idea */
    char name[48];
};

/* One dummy in a slot of its own; the function called lies at offset 0. */
static void emit_dummy(struct code *c, enum kind kind, size_t slot_bytes)
{
    const size_t next = c->used + (kind == NOT_TAKEN ? NOT_TAKEN_BYTES : slot_bytes);
    struct fixup branch;

    switch (kind) {
    case NOT_TAKEN:
        emit_land(c, emit_branch_if_not_zero_ahead(c, REG_T6));
        emit_nops(c, next - c->used);
        return;
    case CALL_RETURN:
        emit_call(c, 0);
        emit_nops(c, next - c->used);
        return;
    case INDIRECT:
        emit_address(c, REG_T4, next);
        emit_branch_register(c, REG_T4);
        emit_place(c, next);
        return;
    default:
        branch = kind == TAKEN ? emit_branch_if_zero_ahead(c, REG_T6) : emit_branch_ahead(c);
        emit_place(c, next);
        emit_land(c, branch);
    }
}

/* Goes by the bit in REG_T1. */
static void emit_bearer(struct code *c, enum bearer bearer)
{
    if (bearer == DIRECTION) {
        emit_align(c, SLOT_BYTES);
        struct fixup over = emit_branch_if_zero_ahead(c, REG_T1);
        emit_nop(c, emit_nop_lengths[0]);
        emit_land(c, over);
        return;
    }
    if (bearer == SOURCE) {
        emit_align(c, SLOT_BYTES);
        const struct fixup one = emit_branch_if_zero_ahead(c, REG_T1), other = emit_branch_if_not_zero_ahead(c, REG_T1);
        emit_align(c, SLOT_BYTES);
        emit_land(c, one);
        emit_land(c, other);
        return;
    }
    const size_t target = (c->used / SLOT_BYTES + 2) * SLOT_BYTES;
    emit_constant(c, REG_T4, emit_nop_lengths[0]);
    emit_multiply(c, REG_T1, REG_T4);
    emit_address(c, REG_T4, target);
    emit_add(c, REG_T1, REG_T4);
    emit_branch_register(c, REG_T1);
    emit_place(c, target);
    emit_nop(c, emit_nop_lengths[0]);
}

static bool build_row(struct probe *p, const struct row *s, size_t x, enum probe_goes goes, struct kernel *k)
{
    const size_t of_kind = s->mixed ? s->mixed : x, taken = s->first + (s->mixed ? x : 0);
    const size_t slot_bytes = s->close ? CLOSE_SLOT_BYTES : SLOT_BYTES;
    const bool far = s->mixed && s->kind == NOT_TAKEN && taken >= THERE_AND_BACK;
    struct code c = probe_code(p, (size_t)(far ? FAR_BYTES : 0) + ENTRY_BYTES + (of_kind + taken) * SLOT_BYTES);

    emit_return(&c);
    emit_place(&c, (1 + s->place) * SLOT_BYTES);
    const size_t entry = c.used;
    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    chance_draw(&c);
    chance_bits(&c, goes == BY_ANOTHER ? ANOTHER_BIT : 0, 1);
    emit_move(&c, REG_T5, goes == ALWAYS_ALIKE ? REG_T6 : REG_T1);
    chance_bits(&c, 0, 1);
    emit_bearer(&c, s->bearer);
    emit_align(&c, SLOT_BYTES);
    const struct fixup there = far ? emit_branch_if_zero_ahead(&c, REG_T6) : (struct fixup){0};
    emit_align(&c, SLOT_BYTES);
    const size_t back = c.used;
    for (size_t i = far ? THERE_AND_BACK : 0; i < taken; i++)
        emit_dummy(&c, TAKEN, slot_bytes);
    for (size_t i = 0; i < of_kind && !far; i++)
        emit_dummy(&c, s->kind, slot_bytes);
    for (size_t i = 0; i < probe_smoke(p, SMOKE_CHAIN, CHAIN); i++)
        emit_multiply(&c, REG_T5, REG_T2); /* an odd number: nothing but zero becomes zero */
    struct fixup over = emit_branch_if_zero_ahead(&c, REG_T5);
    emit_nop(&c, emit_nop_lengths[0]);
    emit_land(&c, over);
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    if (far) {
        emit_place(&c, FAR_BYTES);
        emit_land(&c, there);
        for (size_t i = 0; i < of_kind; i++)
            emit_dummy(&c, s->kind, slot_bytes);
        emit_branch_if_zero(&c, REG_T6, back);
    }
    *k = (struct kernel){.data = s->state,
                         .units = 1,
                         .warm_iterations = probe_scale(p, 10, 500, 1000, 4000),
                         .stretch = probe_scale(p, 1, 4, 8, 16) * branches_of[s->kind]};
    return probe_kernel(p, &c, entry, k);
}

/*
 * Mispredictions in an iteration at x, the bearer's among them, which is mispredicted half of the times. NaN where what
 * calibrates them is not as far apart as it must be. All kernels of a sample lie in one place: what that does to the
 * dummies' time they have in common.
 */
static bool measure(struct probe *p, double x, void *context, struct point *out)
{
    const double chain = CHAIN * facts_number(&p->run->facts, "system.clock.multiply_cycles", "", 3);
    struct point pt[PROBE_GOES];
    struct row *s = context;

    s->place = random_below(&p->random, PLACES);
    for (enum probe_goes goes = 0; goes < PROBE_GOES; goes++) {
        struct kernel k;
        pt[goes] = (struct point){.x = x};
        if (!build_row(p, s, (size_t)x, goes, &k) || !probe_measure(p, &k, &pt[goes]))
            return false;
    }
    const double foreseen = pt[ALWAYS_ALIKE].q20, half = pt[BY_ANOTHER].q20 - foreseen;
    *out = pt[BY_THE_BIT];
    out->rejected += pt[BY_ANOTHER].rejected + pt[ALWAYS_ALIKE].rejected;
    out->q20 = half > LEAST && half < chain ? 0.5 + 0.5 * (out->q20 - foreseen) / half : (double)NAN;
    out->median = out->q20;
    return true;
}

/* For counters: they tell the probe's mispredictions from the bearer's by their number. */
static bool build(struct probe *p, double x, void *context, struct kernel *k)
{
    return build_row(p, context, (size_t)x, BY_THE_BIT, k);
}

/* Which knee is the end of the history: where the probe is predicted below and not above; v->count for none. */
static size_t find_end(struct verdict *v)
{
    size_t i = 0;

    while (i < v->count && !(v->levels[i].height < 0.5 + FORESEEN && v->levels[i + 1].height > 0.5 + UNFORESEEN))
        i++;
    if (v->count && i == v->count)
        v->reason = "partly-predicted";
    return i;
}

/* Whether the probe is mispredicted after x dummies: what most samples say. From then on they lie so that x of them fit. */
static bool is_out(struct probe *p, struct row *s, double x)
{
    const double lines = x * (s->mixed || s->kind != NOT_TAKEN) + s->mixed * (s->kind != NOT_TAKEN);
    size_t in = 0, out = 0;

    s->close |= lines * SLOT_BYTES > SPARSE_BYTES;
    for (size_t i = 0; i < LOOKS && in <= LOOKS / 2 && out <= LOOKS / 2; i++) {
        struct point pt;
        if (!measure(p, x, s, &pt))
            return true;
        out += pt.q20 > 0.5 + (FORESEEN + UNFORESEEN) / 2;
        in += pt.q20 <= 0.5 + (FORESEEN + UNFORESEEN) / 2;
    }
    return out > in;
}

/* Where the end is roughly, by doubling and halving: between *good and *bad dummies, `limit` at most. */
static void bracket(struct probe *p, struct row *s, double limit, double *good, double *bad)
{
    *good = s->expected - CLOSE;
    *bad = fmin(s->expected + CLOSE, limit);
    if (*good >= 1 && *good < *bad && is_out(p, s, *bad) && !is_out(p, s, *good))
        return;
    *good = 1;
    for (*bad = FIRST; *bad < limit && !is_out(p, s, *bad); *bad = fmin(2 * *bad, limit))
        *good = *bad;
    while (*bad - *good > fmax(CLOSE, *good / CLOSE_PART)) {
        const double middle = floor((*good + *bad) / 2);
        *(is_out(p, s, middle) ? bad : good) = middle;
    }
}

/* The range of the curve. A look may be wrong: where the ends of the range are not what they should be, once more. */
static void choose_range(struct probe *p, struct row *s, double limit, double *from, double *to)
{
    for (unsigned i = 0; i < BRACKETS && p->outcome == OUTCOME_OK; i++) {
        double good = FIRST, bad = FIRST + 1;
        if (p->run->config.profile != PROFILE_SMOKE)
            bracket(p, s, limit, &good, &bad);
        *from = fmax(1, good - MARGIN * (bad - good));
        *to = bad < limit ? bad + MARGIN * (bad - good) : bad;
        if (p->run->config.profile == PROFILE_SMOKE || (!is_out(p, s, *from) && (bad >= limit || is_out(p, s, *to))))
            return;
    }
}

/* Searches the end of the history, at most at `limit` dummies: roughly, and then around that with many points. */
static bool search_end(struct probe *p, struct row *s, double limit, struct sweep *out, struct find_experiment *e)
{
    double from = 1, to = 1;

    snprintf(s->name, sizeof s->name, "%s%s, %s", s->mixed ? "mixed with " : "", kind_names[s->kind],
             bearer_names[s->bearer]);
    choose_range(p, s, limit, &from, &to);
    *out = (struct sweep){.name = s->name,
                          .fooled_by = fooled_by[s->bearer],
                          .axis = s->mixed ? "conditional_taken" : "dummies",
                          .unit = "mispredictions/iteration",
                          .measure = measure,
                          .build = build,
                          .context = s,
                          .seconds = probe_scale(p, 1, 0.5, 2, 10),
                          .search = {.kind = KNEE_STEP,
                                     .from = from,
                                     .to = to,
                                     .limit = to,
                                     .grain = 1,
                                     .resolution = 0.1,
                                     .coarse = 3 * MARGIN,
                                     .budget = (unsigned)probe_scale(p, 2, 150, 300, 1000)}};
    if (p->outcome != OUTCOME_OK || !sweep_search(p, out))
        return false;
    find_experiments(out, 1, e);
    e->knee = find_end(&out->search.verdict);
    e->holds = BEARER;
    return true;
}

/* The verdict on taken conditional branches: the others are held against it. */
struct span {
    struct row row[BEARERS];
    struct sweep sweep[BEARERS];
    struct find_result result;
    enum bearer bearer; /* whose bit is seen farther away; DIRECTION where they do not differ */
    enum bearer other;  /* another one that sees as far, or the same */
};

/* Whether its step is the end of the history. */
static bool sees_end(const struct find_experiment *e)
{
    return !e->verdict->reason && e->knee < e->verdict->count;
}

/* What `count` bearers say. Where a target's bit is seen farther away than a direction's, that shows how long the history is. */
static void judge_taken(struct span *taken, const struct find_experiment *e, size_t count)
{
    const struct find_result alone[2] = {find_decide(&e[DIRECTION], 1, 1), find_decide(&e[TARGET], 1, 1)};

    taken->result = find_decide(e, count, 1);
    if (isnan(alone[DIRECTION].value) || alone[TARGET].value > alone[DIRECTION].value + 1)
        taken->bearer = TARGET;
    if (taken->result.grade == 'U' && !isnan(alone[taken->bearer].value))
        taken->result = alone[taken->bearer];
}

static bool find_taken(struct probe *p, uint64_t state, struct span *taken)
{
    struct find_experiment e[BEARERS];
    char proof[PROOF_TEXT] = "", reach[PROOF_TEXT] = "";
    size_t count = 0;

    while (count < BEARERS && (count != SOURCE || (sees_end(&e[DIRECTION]) && !sees_end(&e[TARGET])))) {
        const enum bearer b = (enum bearer)count++;
        taken->row[b] = (struct row){.kind = TAKEN, .bearer = b, .state = state};
        if (!search_end(p, &taken->row[b], DUMMIES, &taken->sweep[b], &e[b]))
            return false;
        if (sees_end(&e[b]))
            snprintf(reach + strlen(reach), sizeof reach - strlen(reach), "%s%s %.0f", reach[0] ? ", " : "",
                     bearer_names[b], e[b].verdict->knees[e[b].knee].value + BEARER);
    }
    judge_taken(taken, e, count);
    taken->other = taken->result.grade < 'C' && taken->bearer == DIRECTION && sees_end(&e[TARGET]) ? TARGET
                                                                                                   : taken->bearer;
    if (taken->result.grade != 'U' &&
        !proof_of_knee(p, &taken->sweep[taken->bearer], e[taken->bearer].knee, COUNTED, proof))
        return false;
    report(p, &(struct finding){.name = "frontend.history.branches",
                                .variants = {{"kind", kind_names[TAKEN]}},
                                .value = taken->result.value,
                                .low = taken->result.low,
                                .high = taken->result.high,
                                .grade = taken->result.grade,
                                .reason = taken->result.reason,
                                .method = METHOD,
                                .curves = {taken->row[DIRECTION].name, taken->row[TARGET].name,
                                           count > SOURCE ? taken->row[SOURCE].name : NULL},
                                .holds = BEARER,
                                .agreement = taken->result.agreement,
                                .remarks = {{"proof", proof}, {"reach", reach}}});
    return true;
}

/*
 * By how many entries of the history each of a mixture's dummies pushes the bearer out, by the step: 0, 1 or 2, or
 * less than 0 where none of these, or more than one, would put it into its interval. `reach`: taken conditional dummies
 * before the step without the others.
 */
static int entries_of_dummy(const struct row *mixed, const struct knee *k, double reach)
{
    int found = -1, matches = 0;

    for (int entries = 0; entries <= (int)branches_of[mixed->kind]; entries++) {
        const double of_taken = reach - entries * (double)mixed->mixed;
        if (k->low - 1 <= of_taken && of_taken <= k->high) {
            found = entries;
            matches++;
        }
    }
    return matches == 1 ? found : -1;
}

/*
 * A kind that does not enter: the step of the mixture is where it is without the kind, and dummies of the kind alone,
 * half as many more as that, push nothing out.
 */
static void report_outside(struct probe *p, const struct span *taken, enum kind kind, const struct sweep s[2],
                           const struct knee *step, double reach)
{
    const struct verdict *pure = &s[PURE].search.verdict;
    const bool goes = !pure->reason;
    const bool stays = pure->reason && !strcmp(pure->reason, "no-knee") && pure->level_count == 1 &&
                       pure->levels[0].height < 0.5 + FORESEEN;
    const bool exact = step->agreed && fabs(step->value - reach) < 0.5;

    report(p, &(struct finding){.name = "frontend.history.branches",
                                .variants = {{"kind", kind_names[kind]}},
                                .value = goes ? (double)NAN : 0,
                                .low = NAN,
                                .high = NAN,
                                .reason = goes ? "experiments-disagree" : NULL,
                                .grade = goes     ? 'U'
                                         : !stays ? 'C'
                                         : exact  ? taken->result.grade
                                                  : (char)fmax('B', taken->result.grade),
                                .method = "the history reaches as far with dummies of this kind as without them",
                                .curves = {s[PURE].name, s[MIXED].name}});
}

static bool find_kind(struct probe *p, uint64_t state, enum kind kind, const struct span *taken)
{
    const unsigned branches = branches_of[kind];
    const bool known = taken->result.grade != 'U';
    const double reach = known ? taken->result.value - BEARER : 4 * FIRST, limit = fmin(floor(BEYOND * reach), DUMMIES);
    struct row rows[] = {
        [PURE] = {.kind = kind,
                  .bearer = taken->bearer,
                  .first = branches - 1,
                  .state = state,
                  .expected = floor(reach / branches)},
        [MIXED] = {.kind = kind, .bearer = taken->other, .mixed = (unsigned)(reach / 4 / branches), .state = state}};
    struct sweep s[2] = {{.name = NULL}};
    struct find_experiment e[2];
    int entries = -1;

    if (rows[MIXED].mixed < MIXED_AT_LEAST)
        rows[MIXED].mixed = MIXED_AT_LEAST;
    bool good = search_end(p, &rows[PURE], limit, &s[PURE], &e[PURE]);
    if (good) {
        const bool enters = !e[PURE].verdict->reason && e[PURE].knee < e[PURE].verdict->count;
        rows[MIXED].expected = reach - (enters ? rows[MIXED].mixed * branches : 0);
        good = search_end(p, &rows[MIXED], limit, &s[MIXED], &e[MIXED]);
    }
    if (good) {
        const struct verdict *v = e[MIXED].verdict;
        if (known && !v->reason && e[MIXED].knee < v->count)
            entries = entries_of_dummy(&rows[MIXED], &v->knees[e[MIXED].knee], reach);
        else
            e[MIXED].knee = v->count;
        if (entries < 0 && (e[PURE].verdict->reason || e[PURE].knee >= e[PURE].verdict->count))
            e[MIXED].knee = v->count; /* alone it tells nothing of the kind; beside the other it may contradict */
        e[PURE].scale = branches;
        e[PURE].holds = branches; /* the bearer, and the taken one before a pair, which makes any span an even number */
        e[MIXED].scale = entries > 0 ? (double)branches / entries : 1;
        e[MIXED].holds = BEARER + rows[MIXED].mixed * branches;
        if (entries == 0)
            report_outside(p, taken, kind, s, &v->knees[e[MIXED].knee], reach);
        else
            find_capacity(p,
                          &(struct finding){.name = "frontend.history.branches",
                                            .variants = {{"kind", kind_names[kind]}},
                                            .method = METHOD},
                          e, 2, branches);
    }
    sweeps_free(s, 2);
    return good;
}

static void run(struct probe *p)
{
    struct area state;
    struct span taken = {.result = {.grade = 'U'}};

    if (!probe_map(p, &state, sizeof(uint64_t), 0))
        return;
    bool good = find_taken(p, state.at, &taken);
    for (enum kind kind = NOT_TAKEN; kind < KINDS && good; kind++)
        good = find_kind(p, state.at, kind, &taken);
    sweeps_free(taken.sweep, BEARERS);
}

PROBE(history, .title = "Branch history", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.history.branches", "branches",
                            "branches of that kind that the history of the conditional predictor spans"}));
