/*
 * Question: how many targets of indirect branches does the core predict, and what does a predicted one cost?
 *
 * Experiment: n indirect jumps with t targets each, in an order that is drawn once and repeated
 * (lib/kernels/indirect_jumps.h). Each target follows from those before it: a predictor with a history knows it as long
 * as it holds all n * t of them. Direct jumps from target to target in the same order are the control. Two layouts of
 * targets are the two experiments: dense ones could show the branch target buffer, sparse ones the instruction cache.
 *
 * Curve over t: cycles by which an indirect jump takes longer than a direct one, the mean over several orders: a level,
 * and a ramp. Tables are indexed by a hash of the history, and where too many targets fall into one set they evict each
 * other, long before all entries are used. With as many targets as entries, about half of the targets are in sets that
 * hold all of theirs.
 *
 * Inference: the heights at both ends of the ramp are known, since few targets are predicted, and targets drawn at
 * random all the time are not. The capacity is the half-rise between these heights; its interval is the whole ramp. The
 * level is what a predicted jump costs more than a direct one; a matrix shows that for all n and t.
 *
 * Sources: jia.je 2024 and clamchowder 2021 (branches by targets); order and control are ours. docs/METHODS.md, 5.5.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/indirect_jumps.h"
#include "lib/knee/half_rise.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sweep.h"

enum layout { DENSE, SPARSE, LAYOUTS };

enum {
    LEVEL_TARGETS = 64,       /* where curves begin: every indirect predictor in scope holds more than these */
    MATRIX_BRANCHES_BITS = 8, /* at most */
    MATRIX_TARGETS_BITS = 12,
    NAME_BYTES = 48
};
static const size_t slack_bytes[LAYOUTS] = {16, 32};
static const char *const layout_names[LAYOUTS] = {"dense", "sparse"};
static const char *const COUNTED[] = {"indirect_mispredicts", "mispredicts", NULL};

struct curve {
    struct indirect_jumps jumps;
    char name[NAME_BYTES];
};

/* The kernel whose events are counted on both sides of the knee. */
static bool build(struct probe *p, double targets, void *context, struct kernel *k)
{
    struct curve *curve = context;

    return indirect_jumps_build(p, &curve->jumps, (size_t)targets, INDIRECT_IN_ORDER, k);
}

/*
 * Cycles by which an indirect jump takes longer than a direct one: the mean over several orders, since chance decides
 * which targets fit.
 */
static bool measure(struct probe *p, double x, void *context, struct point *out)
{
    const unsigned orders = (unsigned)probe_scale(p, 1, 3, 5, 9);
    struct curve *c = context;
    double sum = 0;
    unsigned rejected = 0;

    for (unsigned i = 0; i < orders; i++)
        for (enum indirect_kind j = INDIRECT_IN_ORDER; j <= INDIRECT_DIRECT; j++) {
            struct kernel k;
            if (!indirect_jumps_build(p, &c->jumps, (size_t)x, j, &k) || !probe_measure(p, &k, out))
                return false;
            sum += j == INDIRECT_IN_ORDER ? out->q20 : -out->q20;
            rejected += out->rejected;
        }
    out->q20 = out->median = sum / orders;
    out->rejected = rejected;
    return true;
}

/* The same of a jump that is never predicted, with few targets, so that all code is in the first caches. */
static bool measure_random(struct probe *p, struct curve *c, double *cycles)
{
    const size_t targets = LEVEL_TARGETS / c->jumps.branches;
    struct point pt[] = {[INDIRECT_DIRECT] = {.x = (double)targets}, [INDIRECT_AT_RANDOM] = {.x = (double)targets}};

    for (enum indirect_kind j = INDIRECT_DIRECT; j <= INDIRECT_AT_RANDOM; j++) {
        struct kernel k;
        if (!indirect_jumps_build(p, &c->jumps, targets, j, &k) || !probe_measure(p, &k, &pt[j]))
            return false;
    }
    /* one in `targets` is predicted by chance */
    *cycles = (pt[INDIRECT_AT_RANDOM].q20 - pt[INDIRECT_DIRECT].q20) / (1 - 1 / (double)targets);
    return true;
}

static bool find_targets(struct probe *p, struct curve *c, size_t branches)
{
    const size_t from = LEVEL_TARGETS / branches;
    const double n = (double)branches;
    struct experiment e[LAYOUTS];
    struct sweep s[LAYOUTS];
    char proof[PROOF_TEXT] = "";
    double random;

    for (enum layout i = DENSE; i < LAYOUTS; i++) {
        c[i].jumps.branches = branches;
        snprintf(c[i].name, sizeof c[i].name, "%zu branches, %s", branches, layout_names[i]);
        s[i] = (struct sweep){.name = c[i].name,
                              .confounder = i == DENSE ? "branch target buffer" : "instruction cache",
                              .axis = "targets",
                              .unit = "cycles/jump",
                              .measure = measure,
                              .build = build,
                              .context = &c[i],
                              .seconds = probe_scale(p, 1, 1, 2, 10),
                              .search = {.kind = KNEE_STEP,
                                         .from = from < 2 ? 2 : (double)from,
                                         .to = probe_smoke(p, 2 * LEVEL_TARGETS, INDIRECT_TARGETS) / n,
                                         .limit = probe_smoke(p, 2 * LEVEL_TARGETS, INDIRECT_TARGETS) / n,
                                         .step = 1,
                                         .resolution = 0.1,
                                         .narrow_half_rise = true,
                                         .per_octave = (unsigned)probe_scale(p, 1, 2, 4, 8),
                                         .budget = (unsigned)probe_scale(p, 2, 120, 240, 2000)}};
    }
    bool good = sweeps_search(p, s, LAYOUTS) && measure_random(p, &c[DENSE], &random);
    if (good) {
        experiments_of_sweeps(s, LAYOUTS, e);
        for (enum layout i = DENSE; i < LAYOUTS; i++) {
            e[i].half = true;
            half_rise_decide(&s[i].search, random);
        }
        good = proof_of_knee(p, &s[DENSE], 0, COUNTED, proof);
    }
    if (good)
        report_capacity(p,
                        &(struct finding){.name = "frontend.indirect.targets",
                                          .variants = {{"branches", .number = n}},
                                          .remarks = {{"proof", proof}}},
                        e, LAYOUTS, 1);
    sweeps_free(s, LAYOUTS);
    return good;
}

/* Reports the extra cycles of a predicted jump: the median over numbers of targets that every predictor holds. */
static void report_cycles(struct probe *p, const struct matrix *m, size_t row)
{
    double predicted[MATRIX_TARGETS_BITS];
    size_t count = 0;

    for (size_t column = 0; column < m->column_count; column++)
        if (m->rows[row] * m->columns[column] <= LEVEL_TARGETS && !isnan(*matrix_cell(m, row, column)))
            predicted[count++] = *matrix_cell(m, row, column);
    if (!count)
        return;
    sort_numbers(predicted, count);
    report_number(p,
                  &(struct finding){.name = "frontend.indirect.cycles",
                                    .variants = {{"branches", .number = m->rows[row]}},
                                    .curves = {m->name},
                                    .method = "indirect jumps less direct ones in the same order"},
                  quantile(predicted, count, 0.5));
}

/* Cycles by which an indirect jump takes longer than a direct one, by branches and by targets of each. */
static bool measure_matrix(struct probe *p, struct curve *c)
{
    const unsigned step = (unsigned)probe_scale(p, 4, 2, 2, 1);
    const double most = probe_smoke(p, LEVEL_TARGETS, INDIRECT_TARGETS);
    double rows[MATRIX_BRANCHES_BITS + 1], columns[MATRIX_TARGETS_BITS];
    double cells[(MATRIX_BRANCHES_BITS + 1) * MATRIX_TARGETS_BITS];
    struct matrix m = {.name = "targets",
                       .row_axis = "branches",
                       .column_axis = "targets",
                       .unit = "cycles/jump",
                       .rows = rows,
                       .columns = columns,
                       .cells = cells,
                       .pitch = MATRIX_TARGETS_BITS};

    for (unsigned b = 0; b <= probe_smoke(p, 0, MATRIX_BRANCHES_BITS); b += step, m.row_count++) {
        c->jumps.branches = (size_t)1 << b;
        m.rows[m.row_count] = (double)c->jumps.branches;
        m.column_count = 0;
        for (unsigned t = 1; t <= MATRIX_TARGETS_BITS; t += step) {
            const size_t targets = (size_t)1 << t;
            struct point pt[] = {[INDIRECT_IN_ORDER] = {.q20 = (double)NAN}, [INDIRECT_DIRECT] = {.q20 = (double)NAN}};
            for (enum indirect_kind j = INDIRECT_IN_ORDER;
                 j <= INDIRECT_DIRECT && (double)(targets * c->jumps.branches) <= most; j++) {
                struct kernel k;
                if (!indirect_jumps_build(p, &c->jumps, targets, j, &k) || !probe_measure(p, &k, &pt[j]))
                    return false;
            }
            m.columns[m.column_count] = (double)targets;
            *matrix_cell(&m, m.row_count, m.column_count++) = pt[INDIRECT_IN_ORDER].q20 - pt[INDIRECT_DIRECT].q20;
        }
    }
    matrix_send(p, &m);
    for (size_t row = 0; row < m.row_count; row++)
        report_cycles(p, &m, row);
    return true;
}

static void run(struct probe *p)
{
    static const size_t branches[] = {1, 4, 16};
    const size_t step = (size_t)probe_scale(p, 3, 3, 1, 1);
    struct area list;
    struct curve *c = calloc(LAYOUTS, sizeof *c);

    if (!c)
        probe_skip(p, "out of memory");
    else if (probe_map(p, &list, INDIRECT_STEPS * sizeof(uint64_t), 0)) {
        for (enum layout i = DENSE; i < LAYOUTS; i++) {
            c[i].jumps.slack_bytes = slack_bytes[i];
            c[i].jumps.list = list;
        }
        for (size_t i = 0; i < sizeof branches / sizeof *branches && p->outcome == OUTCOME_OK; i += step)
            find_targets(p, c, branches[i]);
        if (p->outcome == OUTCOME_OK)
            measure_matrix(p, c);
    }
    free(c);
}

PROBE(indirect, .title = "Indirect branches", .family = "frontend", .run = run,
      .findings =
          FINDINGS({"frontend.indirect.targets", "targets", "targets of each of so many branches that are predicted"},
                   {"frontend.indirect.cycles", "cycles", "a predicted indirect jump takes longer than a direct one"}));
