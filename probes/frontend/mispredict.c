/*
 * Question: what does a misprediction cost, and how many outcomes of branches can the core learn?
 *
 * Penalty. A random bit chooses one of two ways for a branch (lib/kernels/random_branch.h): taken or not, one of two
 * targets of an indirect jump, or one of two addresses that a function returns to. Half of these are mispredicted. The
 * control is the same code with a branch that always goes the same way. Inference: the difference, divided by one half.
 *
 * The penalty differs by a cycle or so with the place of the code, so it is the median over layouts; each layout is
 * measured for all kinds before the next one, so that a disturbance spoils few values of each. Two experiments differ
 * in what has to be recovered: before the branch are long NOPs, which need nothing behind the front end, or NOPs and
 * moves. Behind it are long NOPs. What stands there is part of the cost: long NOPs are delivered one by one, so that a
 * front end that restarts with gaps catches up unnoticed. Where the front end is the bottleneck there, its gaps cost
 * time (measured on Zen 4: 3 to 4 cycles more with NOPs of 11 and 15 bytes or with a mixture, whatever is before the
 * branch). A third filling has the mixture on both sides: the remark `mixed_behind`. Where its penalty is more than a
 * cycle off, no grade is above B. The interval is a confidence interval for the median of all layouts, of which a run
 * draws some: where half of them cost a stage more, another run may find a cycle more or less. If it is wide, no grade
 * is above B.
 *
 * Capacity. n branches, each with a random pattern of m outcomes, over and over (lib/kernels/branch_patterns.h). While
 * the predictor holds all n * m outcomes, or derives them from its history, nothing is mispredicted. Two controls bound
 * each n: patterns of zeros, and patterns mixed with random bits. The matrix is the share of mispredicted branches by n
 * and m. Inference: the largest product n * m with less than a tenth mispredicted; its interval ends at the next longer
 * pattern. A tenth, because a quick predictor that is overruled by a slower one costs something as well (measured on
 * Zen 4: a share of 0.05 from a thousand outcomes up to 65536 without any misprediction, and 0.45 at twice as many).
 *
 * Sources: Fog 2023 (Microarchitecture, 3, penalties by random branches); jia.je 2024 and clamchowder 2021 (branches by
 * pattern length); controls and layouts are ours. docs/METHODS.md, 5.6.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/finding/tolerances.h"
#include "lib/kernels/branch_patterns.h"
#include "lib/kernels/random_branch.h"
#include "lib/probe/count.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"

/* The share of random branches that is mispredicted. */
static const double HALF = 0.5;
/* Cycles by which the place of code may change a penalty: a pipeline has whole stages. */
static const double STAGE = 1;
/* Share of mispredicted branches up to which a pattern is held. */
static const double HELD = 0.1;

enum {
    LAYOUTS = 75,       /* at most */
    BRANCHES_BITS = 10, /* at most */
    OUTCOMES_BITS = 18,
    PRODUCTS = 3 /* numbers of branches with the same product, for grade B */
};

/* ---- Penalty ------------------------------------------------------------------------------------ */

static const char *const branch_names[RANDOM_BRANCH_KINDS] = {"cond", "indirect", "return"};
static const char *const counted[RANDOM_BRANCH_KINDS] = {"conditional_mispredicts", "indirect_mispredicts",
                                                         "return_mispredicts"};

struct penalties {
    double of[RANDOM_BRANCH_KINDS][RANDOM_BRANCH_FILLINGS][LAYOUTS];
    size_t count[RANDOM_BRANCH_KINDS][RANDOM_BRANCH_FILLINGS];
};

/* The penalty of one layout; NaN where it could not be measured. */
static bool measure_penalty(struct probe *p, enum random_branch_kind kind, enum random_branch_filling filling,
                            const struct random_branch_layout *l, uint64_t state, double *cycles)
{
    struct point pt[2];

    for (int random = 0; random < 2; random++) {
        struct kernel k;
        if (!random_branch_build(p, kind, filling, l, random, state, &k) || !probe_measure(p, &k, &pt[random]))
            return false;
    }
    *cycles = (pt[1].q20 - pt[0].q20) / HALF;
    return true;
}

static bool measure_penalties(struct probe *p, uint64_t state, struct penalties *all)
{
    const size_t layouts = (size_t)probe_scale(p, 1, 15, 25, LAYOUTS);

    for (size_t i = 0; i < layouts; i++) {
        const struct random_branch_layout l = random_branch_layout(p);
        for (enum random_branch_kind kind = 0; kind < RANDOM_BRANCH_KINDS; kind++)
            for (enum random_branch_filling filling = 0; filling < RANDOM_BRANCH_FILLINGS; filling++) {
                double cycles;
                if (!measure_penalty(p, kind, filling, &l, state, &cycles))
                    return false;
                if (!isnan(cycles))
                    all->of[kind][filling][all->count[kind][filling]++] = cycles;
            }
    }
    return true;
}

/* The counted share of mispredictions without and with chance, as text; empty where the core does not count them. */
static bool prove(struct probe *p, enum random_branch_kind kind, uint64_t state, char text[PROOF_TEXT])
{
    const struct random_branch_layout l = random_branch_layout(p);
    double of[2];

    for (int random = 0; random < 2; random++) {
        struct kernel k;
        if (!random_branch_build(p, kind, RANDOM_BRANCH_NOPS, &l, random, state, &k) ||
            !probe_count(p, &k, counted[kind], &of[random]))
            return false;
    }
    text[0] = 0;
    if (!isnan(of[0]) && !isnan(of[1]))
        snprintf(text, PROOF_TEXT, "%s %.2f always alike, %.2f at random", counted[kind], of[0], of[1]);
    return true;
}

static bool report_penalty(struct probe *p, enum random_branch_kind kind, uint64_t state, struct penalties *all)
{
    char proof[PROOF_TEXT], behind[32] = "";
    double v[RANDOM_BRANCH_FILLINGS], least[RANDOM_BRANCH_FILLINGS], most[RANDOM_BRANCH_FILLINGS];

    for (enum random_branch_filling filling = 0; filling < RANDOM_BRANCH_FILLINGS; filling++) {
        const size_t count = all->count[kind][filling];
        sort_numbers(all->of[kind][filling], count);
        v[filling] = quantile(all->of[kind][filling], count, 0.5);
        median_bounds(all->of[kind][filling], count, &least[filling], &most[filling]);
    }
    if (!prove(p, kind, state, proof))
        return false;
    const double nops = v[RANDOM_BRANCH_NOPS], mixed = v[RANDOM_BRANCH_MIXED_BEFORE];
    const double mixed_behind = v[RANDOM_BRANCH_MIXED_BEHIND];
    const double middle = (nops + mixed) / 2, apart = fabs(mixed - nops);
    const bool bounded = !isnan(least[RANDOM_BRANCH_NOPS] + least[RANDOM_BRANCH_MIXED_BEFORE]);
    const double low = bounded ? fmin(least[RANDOM_BRANCH_NOPS], least[RANDOM_BRANCH_MIXED_BEFORE]) : (double)NAN;
    const double high = bounded ? fmax(most[RANDOM_BRANCH_NOPS], most[RANDOM_BRANCH_MIXED_BEFORE]) : (double)NAN;
    const bool alike = middle - low <= AGREE * middle && high - middle <= AGREE * middle;
    if (!isnan(mixed_behind))
        snprintf(behind, sizeof behind, "%.1f cycles", mixed_behind);
    struct finding f = {.name = "frontend.mispredict.cycles",
                        .variants = {{"branch", branch_names[kind]}},
                        .value = middle,
                        .low = low,
                        .high = high,
                        .grade = alike && fabs(mixed_behind - middle) <= STAGE ? 'A'
                                 : apart <= STAGE && bounded                   ? 'B'
                                                                               : 'C',
                        .method = "random less predicted, by the half that is mispredicted; median over layouts",
                        .remarks = {{"proof", proof}, {"mixed_behind", behind}}};
    if (!(middle > 0 && apart <= 2 * STAGE)) { /* or NaN */
        f.value = f.low = f.high = (double)NAN;
        f.grade = 'U';
        f.reason = isnan(middle) ? REASON_NOISE : REASON_EXPERIMENTS_DISAGREE;
    }
    report(p, &f);
    return true;
}

/* ---- Capacity ----------------------------------------------------------------------------------- */

static bool measure_pattern(struct probe *p, const struct branch_patterns *s, enum pattern_outcomes outcomes,
                            const struct area *area, double *cycles)
{
    struct kernel k;
    struct point pt;

    if (!branch_patterns_build(p, s, outcomes, area, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}

/* A row ends with the first pattern that is not held: longer ones are not held either, and take longest to measure. */
static bool measure_matrix(struct probe *p, const struct area *area, struct matrix *m)
{
    const unsigned step = (unsigned)probe_scale(p, 4, 2, 1, 1);

    for (unsigned n = 0; n <= probe_smoke(p, 4, BRANCHES_BITS); n += step, m->row_count++) {
        double zeros, random;
        bool held = true;
        const struct branch_patterns least = {n, 1};
        if (!measure_pattern(p, &least, PATTERN_ZEROS, area, &zeros) ||
            !measure_pattern(p, &least, PATTERN_RANDOM, area, &random))
            return false;
        m->rows[m->row_count] = (double)((size_t)1 << n);
        for (unsigned l = 2; l <= BRANCH_PATTERNS_LENGTH_BITS; l += step) {
            const struct branch_patterns s = {n, l};
            double cycles = (double)NAN;
            const size_t column = (l - 2) / step;
            if (held && n + l <= probe_smoke(p, 6, OUTCOMES_BITS) &&
                !measure_pattern(p, &s, PATTERN_FIXED, area, &cycles))
                return false;
            m->columns[column] = (double)((size_t)1 << l);
            m->column_count = column + 1;
            const double share = HALF * (cycles - zeros) / (random - zeros);
            *matrix_cell(m, m->row_count, column) = share;
            held &= share < HELD;
        }
    }
    return true;
}

/*
 * Each number of branches has its longest pattern that is held; the largest product counts, if a longer pattern fails.
 */
static struct finding outcomes_of(const struct matrix *m)
{
    struct finding f = {.name = "frontend.mispredict.outcomes",
                        .value = 0,
                        .method = "largest product of branches and pattern length of which under 0.1 is mispredicted",
                        .curves = {m->name}};
    unsigned agree = 0;

    for (size_t i = 0; i < m->row_count; i++) {
        size_t held = 0;
        while (held < m->column_count && *matrix_cell(m, i, held) < HELD)
            held++;
        if (!held || held == m->column_count || isnan(*matrix_cell(m, i, held)))
            continue; /* none, or all that were tried */
        const double product = m->rows[i] * m->columns[held - 1];
        agree = product > f.value ? 1 : agree + !(product < f.value);
        if (product > f.value) {
            f.value = product;
            f.high = m->rows[i] * m->columns[held];
        }
    }
    f.low = f.value;
    f.grade = agree >= PRODUCTS ? 'B' : 'C';
    if (!agree) {
        f.value = f.low = f.high = (double)NAN;
        f.grade = 'U';
        f.reason = REASON_NO_KNEE;
    }
    return f;
}

static void find_outcomes(struct probe *p, const struct area *area)
{
    double rows[BRANCHES_BITS + 1], columns[BRANCH_PATTERNS_LENGTH_BITS];
    double cells[(BRANCHES_BITS + 1) * BRANCH_PATTERNS_LENGTH_BITS];
    struct matrix m = {.name = "patterns",
                       .row_axis = "branches",
                       .column_axis = "pattern_length",
                       .unit = "mispredicted",
                       .rows = rows,
                       .columns = columns,
                       .cells = cells,
                       .pitch = BRANCH_PATTERNS_LENGTH_BITS};

    if (!measure_matrix(p, area, &m))
        return;
    matrix_send(p, &m);
    const struct finding f = outcomes_of(&m);
    report(p, &f);
}

static void run(struct probe *p)
{
    struct penalties *penalties = probe_calloc(p, 1, sizeof *penalties);
    struct area area;
    bool good = penalties && branch_patterns_map(p, &area) && measure_penalties(p, area.at, penalties);

    for (enum random_branch_kind kind = 0; kind < RANDOM_BRANCH_KINDS && good; kind++)
        good = report_penalty(p, kind, area.at, penalties);
    if (good)
        find_outcomes(p, &area);
    free(penalties);
}

PROBE(mispredict, .title = "Misprediction", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.mispredict.cycles", "cycles", "lost by a mispredicted branch of that kind"},
                           {"frontend.mispredict.outcomes", "outcomes",
                            "of branches with patterns of their own, branches times length, that are predicted"}));
