/*
 * Indirect branches: how many targets can the core predict, and what does a predicted one cost?
 *
 * n indirect jumps, each with t targets of its own, which it takes in an order drawn at random, all of them once in a
 * pass, and pass after pass in the same order. The next target is loaded long before it is needed, from a list in order.
 * From each target a direct jump leads to the next of the n. So each target follows from those before it: a predictor
 * with a history knows it as long as it holds all n * t. Targets lie some multiple of 4 and not of 16 bytes apart,
 * since some cores see only low bits of a target in their history.
 *
 * Control: the same targets in the same order, by direct jumps from one to the next. What instruction cache and branch
 * target buffer cost goes off with it.
 *
 * Curve: cycles per indirect jump over t, less the control's growth. A level, and a ramp: the tables are chosen from by
 * a hash of the history, and where chance puts too many targets into one set they no longer fit, in one order sooner
 * than in another. Answer: half way up the ramp, by several n; its interval is the whole ramp. Predicted jumps take what
 * the level is above the control's. A matrix shows all n and t.
 *
 * Method: jia.je 2024 and clamchowder 2021 (branches by targets); order and control are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/find.h"
#include "lib/matrix.h"
#include "lib/probe.h"
#include "lib/proof.h"

enum spacing { DENSE, SPARSE, SPACINGS };

enum {
    TARGETS = 4096,       /* of all branches together, at most */
    LEVEL_TARGETS = 64,   /* where curves begin: every indirect predictor in scope holds more than these, … */
    CURVE_TARGETS = 2048, /* … and where they end, unless that is still held */
    HEAD_BYTES = 64,      /* of a branch and what it needs */
    ENTRY_BYTES = 64,
    PASSES = 100,             /* before it counts */
    MATRIX_BRANCHES_BITS = 8, /* at most */
    MATRIX_TARGETS_BITS = 12,
    NAME_BYTES = 48
};
static const size_t spacing_bytes[SPACINGS] = {20, 36};
static const char *const spacing_names[SPACINGS] = {"dense", "sparse"};
static const char *const COUNTED[] = {"indirect_mispredicts", "mispredicts", NULL};

/* The targets of all branches in the order of a pass, as places: place number t * branches + b is b's t-th target. */
struct walk {
    size_t branches, spacing_bytes;
    struct area list;             /* of their addresses */
    uint32_t places[TARGETS + 1]; /* the first one again at the end */
    uint32_t next[TARGETS];       /* by place: which comes next */
    char name[NAME_BYTES];
};

/* Each branch takes its targets in an order of its own (Fisher and Yates; Durstenfeld 1964). */
static void draw_order(struct probe *p, struct walk *w, size_t targets)
{
    const size_t branches = w->branches, all = targets * branches;

    for (size_t b = 0; b < branches; b++)
        for (size_t i = 0; i < targets; i++) {
            const size_t j = random_below(&p->random, i + 1);
            w->places[i * branches + b] = w->places[j * branches + b];
            w->places[j * branches + b] = (uint32_t)(i * branches + b);
        }
    w->places[all] = w->places[0];
    for (size_t i = 0; i < all; i++)
        w->next[w->places[i]] = w->places[i + 1];
}

static size_t head_at(size_t branch)
{
    return ENTRY_BYTES + branch * HEAD_BYTES;
}

static size_t place_at(const struct walk *w, size_t place)
{
    return head_at(w->branches) + place * w->spacing_bytes;
}

/* Loads the next target. */
static void emit_next(struct code *c)
{
    emit_load_indexed(c, REG_T1, REG_DATA, REG_T0);
    emit_add_constant(c, REG_T0, 1);
}

/* A pass is an iteration. Of the control, each place loads as a branch does, and jumps on directly. */
static bool build_either(struct probe *p, struct walk *w, size_t targets, bool direct, struct kernel *k)
{
    const size_t all = targets * w->branches;
    struct code c = probe_code(p, place_at(w, all));

    draw_order(p, w, targets);
    for (size_t i = 0; i < all; i++)
        ((uint64_t *)w->list.write)[i] = c.at + place_at(w, w->places[i]);
    emit_constant(&c, REG_T0, 0);
    const struct fixup begin = emit_branch_ahead(&c);
    const size_t end = c.used;
    emit_loop(&c, 0);
    emit_return(&c);
    emit_land_at(&c, begin, direct ? place_at(w, w->places[0]) : head_at(0));
    for (size_t b = 0; b < w->branches && !direct; b++) {
        emit_place(&c, head_at(b));
        emit_next(&c);
        emit_branch_register(&c, REG_T1);
    }
    for (size_t t = 0; t < targets; t++)
        for (size_t b = 0; b < w->branches; b++) {
            const size_t place = t * w->branches + b;
            emit_place(&c, place_at(w, place));
            if (direct)
                emit_next(&c);
            const size_t on = direct ? place_at(w, w->next[place]) : head_at(b + 1 < w->branches ? b + 1 : 0);
            emit_land_at(&c, emit_branch_ahead(&c), place == w->places[all - 1] ? end : on);
        }
    *k = (struct kernel){.data = w->list.at,
                         .units = (double)all,
                         .warm_iterations = probe_smoke(p, 1, PASSES),
                         .stretch = probe_smoke(p, 1, 4)};
    return probe_kernel(p, &c, 0, k);
}

static bool build(struct probe *p, double x, void *context, struct kernel *k)
{
    return build_either(p, context, (size_t)x, false, k);
}

static bool build_control(struct probe *p, double x, void *context, struct kernel *k)
{
    return build_either(p, context, (size_t)x, true, k);
}

static bool find_targets(struct probe *p, struct walk *w, size_t branches)
{
    const size_t from = LEVEL_TARGETS / branches;
    const double n = (double)branches;
    struct find_experiment e[SPACINGS];
    struct sweep s[SPACINGS];
    char proof[PROOF_TEXT] = "";

    for (enum spacing i = DENSE; i < SPACINGS; i++) {
        w[i].branches = branches;
        snprintf(w[i].name, sizeof w[i].name, "%zu branches, %s", branches, spacing_names[i]);
        s[i] = (struct sweep){.name = w[i].name,
                              .fooled_by = i == DENSE ? "branch target buffer" : "instruction cache",
                              .axis = "targets",
                              .unit = "cycles/jump",
                              .build = build,
                              .control = build_control,
                              .context = &w[i],
                              .seconds = probe_scale(p, 1, 0.25, 0.8, 10),
                              .search = {.kind = KNEE_STEP,
                                         .from = from < 2 ? 2 : (double)from,
                                         .to = probe_smoke(p, 2 * LEVEL_TARGETS, CURVE_TARGETS) / n,
                                         .limit = probe_smoke(p, 2 * LEVEL_TARGETS, TARGETS) / n,
                                         .grain = 1,
                                         .resolution = 0.1,
                                         .halves = true,
                                         .per_octave = (unsigned)probe_scale(p, 1, 2, 4, 8),
                                         .budget = (unsigned)probe_scale(p, 2, 120, 240, 2000)}};
    }
    bool good = sweeps_search(p, s, SPACINGS);
    if (good) {
        find_experiments(s, SPACINGS, e);
        for (enum spacing i = DENSE; i < SPACINGS; i++)
            e[i].half = true;
        good = proof_of_knee(p, &s[DENSE], 0, COUNTED, proof);
    }
    if (good) {
        find_capacity(p,
                      &(struct finding){.name = "frontend.indirect.targets",
                                        .variants = {{"branches", .number = n}},
                                        .remarks = {{"proof", proof}}},
                      e, SPACINGS, 1);
        report_number(p,
                      &(struct finding){.name = "frontend.indirect.cycles",
                                        .variants = {{"branches", .number = n}},
                                        .curves = {s[DENSE].name},
                                        .method = "level of the indirect jumps above direct ones'",
                                        .reason = "not-steady"},
                      find_height(e[DENSE].verdict, 0) - s[DENSE].control_first);
    }
    sweeps_free(s, SPACINGS);
    return good;
}

/* Cycles of an indirect jump more than of a direct one, by branches and targets of each. */
static bool measure_matrix(struct probe *p, struct walk *w)
{
    const unsigned step = (unsigned)probe_scale(p, 4, 2, 2, 1);
    struct matrix m = {.name = "targets", .row_axis = "branches", .column_axis = "targets", .unit = "cycles/jump"};

    for (unsigned b = 0; b <= probe_smoke(p, 0, MATRIX_BRANCHES_BITS); b += step, m.row_count++) {
        w->branches = (size_t)1 << b;
        m.rows[m.row_count] = (double)w->branches;
        for (unsigned t = 1; t <= MATRIX_TARGETS_BITS; t += step) {
            const size_t targets = (size_t)1 << t, column = (t - 1) / step;
            struct point pt[2] = {{.q20 = NAN}, {.q20 = NAN}};
            for (int direct = 0; direct < 2 && targets * w->branches <= probe_smoke(p, LEVEL_TARGETS, TARGETS);
                 direct++) {
                struct kernel k;
                if (!build_either(p, w, targets, direct, &k) || !probe_measure(p, &k, &pt[direct]))
                    return false;
            }
            m.columns[column] = (double)targets;
            m.column_count = column + 1;
            m.cells[m.row_count][column] = pt[0].q20 - pt[1].q20;
        }
    }
    matrix_send(p, &m);
    return true;
}

static void run(struct probe *p)
{
    static const size_t branches[] = {1, 4, 16};
    const size_t step = (size_t)probe_scale(p, 3, 2, 1, 1);
    struct area list;
    struct walk *w = calloc(SPACINGS, sizeof *w);

    if (!w)
        probe_skip(p, "out of memory");
    else if (probe_map(p, &list, TARGETS * sizeof(uint64_t), 0)) {
        for (enum spacing i = DENSE; i < SPACINGS; i++) {
            w[i].spacing_bytes = spacing_bytes[i];
            w[i].list = list;
        }
        for (size_t i = 0; i < sizeof branches / sizeof *branches && p->outcome == OUTCOME_OK; i += step)
            find_targets(p, w, branches[i]);
        if (p->outcome == OUTCOME_OK)
            measure_matrix(p, w);
    }
    free(w);
}

PROBE(indirect, .title = "Indirect branches", .family = "frontend", .run = run,
      .findings =
          FINDINGS({"frontend.indirect.targets", "targets", "targets of each of so many branches that are predicted"},
                   {"frontend.indirect.cycles", "cycles", "a predicted indirect jump takes longer than a direct one"}));
