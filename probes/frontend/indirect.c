/*
 * Indirect branches: how many targets can the core predict, and what does a predicted one cost?
 *
 * n indirect jumps, each with t targets of its own, which it takes in an order drawn at random, all of them once in a
 * pass, and pass after pass in the same order. The next target is loaded long before it is needed, from a list in order.
 * From each target a taken conditional branch leads to the next of the n. So each target follows from those before it: a
 * predictor with a history knows it as long as it holds all n * t. Conditional branches, since those enter every history
 * in scope: that of Zen 4 has neither unconditional nor indirect ones in it (probes/frontend/history.c), and shows a fifth
 * of its targets where it has to do without. Each target lies at random in a slot of its own, since some cores see only
 * some bits of an address in their history: at even distances, Zen 4 shows a third of its targets, or all, by the distance.
 *
 * Curve: cycles per indirect jump over t, less what direct jumps from target to target cost, the mean over several
 * orders. A level, and a ramp: tables are chosen from by a hash of the history, and where chance puts too many targets
 * into one set they evict each other, long before all entries are used. With as many targets as entries about half are
 * in sets that hold theirs. Both ends of the ramp are known: few targets are predicted, and targets drawn at random all
 * the time are not. Answer: where half of the jumps are mispredicted, from one end of the ramp and from the other; the
 * interval is the whole ramp.
 *
 * What a predicted jump costs more than a direct one is the level. A matrix shows that for all n and t.
 *
 * Method: jia.je 2024 and clamchowder 2021 (branches by targets); order and control are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/find.h"
#include "lib/half.h"
#include "lib/matrix.h"
#include "lib/probe.h"
#include "lib/proof.h"

enum spacing { DENSE, SPARSE, SPACINGS };
enum jumps { IN_ORDER, DIRECT, AT_RANDOM };

enum {
    TARGETS = 4096,     /* of all branches together, at most */
    LEVEL_TARGETS = 64, /* where curves begin: every indirect predictor in scope holds more than these */
    STEPS = 16384,      /* of a pass at random: more than any predictor learns */
    HEAD_BYTES = 64,    /* of a branch and what it needs */
    PLACE_BYTES = 20,   /* of a target and what it needs, on either ISA */
    ENTRY_BYTES = 64,
    PASSES = 100,             /* before it counts */
    MATRIX_BRANCHES_BITS = 8, /* at most */
    MATRIX_TARGETS_BITS = 12,
    NAME_BYTES = 48
};
static const size_t slack_bytes[SPACINGS] = {16, 32}; /* of a slot, in which its target begins */
static const char *const spacing_names[SPACINGS] = {"dense", "sparse"};
static const char *const COUNTED[] = {"indirect_mispredicts", "mispredicts", NULL};

/* The targets of all branches in the order of a pass, as places: place number t * branches + b is b's t-th target. */
struct walk {
    size_t branches, slack_bytes;
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
    uint64_t chance = place; /* the same for a place each time it is asked for */
    const size_t at = random_below(&chance, w->slack_bytes / emit_alignment) * emit_alignment;

    return head_at(w->branches) + place * (PLACE_BYTES + w->slack_bytes) + at;
}

/* Loads the next target. */
static void emit_next(struct code *c)
{
    emit_load_indexed(c, REG_T1, REG_DATA, REG_T0);
    emit_add_constant(c, REG_T0, 1);
}

/* Puts the addresses of a pass into the list, the last one `out`; how many they are. */
static size_t list_at_random(struct probe *p, struct walk *w, size_t targets, const struct code *c, size_t out)
{
    const size_t steps = (size_t)probe_smoke(p, LEVEL_TARGETS, STEPS);
    uint64_t *list = (uint64_t *)w->list.write;

    for (size_t i = 0; i < steps; i++)
        list[i] = c->at + place_at(w, random_below(&p->random, targets) * w->branches + i % w->branches);
    list[steps - 1] = c->at + out;
    return steps;
}

static size_t list_in_order(struct probe *p, struct walk *w, size_t targets, const struct code *c)
{
    const size_t steps = targets * w->branches;

    draw_order(p, w, targets);
    for (size_t i = 0; i < steps; i++)
        ((uint64_t *)w->list.write)[i] = c->at + place_at(w, w->places[i]);
    return steps;
}

/*
 * A pass is an iteration. Direct branches go from place to place, where the next target is loaded as it is at a branch.
 * The way out of a pass is the last place in its order, or one more place where there is no order.
 */
static bool build_jumps(struct probe *p, struct walk *w, size_t targets, enum jumps jumps, struct kernel *k)
{
    const size_t all = targets * w->branches, out = place_at(w, all);
    struct code c = probe_code(p, out + PLACE_BYTES + w->slack_bytes);
    const size_t steps = jumps == AT_RANDOM ? list_at_random(p, w, targets, &c, out) : list_in_order(p, w, targets, &c);

    emit_constant(&c, REG_T0, 0);
    emit_constant(&c, REG_T2, 0);
    const struct fixup begin = emit_branch_ahead(&c);
    const size_t end = c.used;
    emit_loop(&c, 0);
    emit_return(&c);
    emit_land_at(&c, begin, jumps == DIRECT ? place_at(w, w->places[0]) : head_at(0));
    for (size_t b = 0; b < w->branches && jumps != DIRECT; b++) {
        emit_place(&c, head_at(b));
        emit_next(&c);
        emit_branch_register(&c, REG_T1);
    }
    for (size_t t = 0; t < targets; t++)
        for (size_t b = 0; b < w->branches; b++) {
            const size_t place = t * w->branches + b;
            emit_place(&c, place_at(w, place));
            if (jumps == DIRECT)
                emit_next(&c);
            const bool last = jumps != AT_RANDOM && place == w->places[all - 1];
            const size_t on = jumps == DIRECT ? place_at(w, w->next[place]) : head_at(b + 1 < w->branches ? b + 1 : 0);
            emit_land_at(&c, emit_branch_if_zero_ahead(&c, REG_T2), last ? end : on);
        }
    emit_place(&c, out);
    emit_branch(&c, end);
    *k = (struct kernel){.data = w->list.at,
                         .units = (double)steps,
                         .warm_iterations = jumps == AT_RANDOM ? 1 : probe_smoke(p, 1, PASSES),
                         .stretch = probe_smoke(p, 1, 4)};
    return probe_kernel(p, &c, 0, k);
}

/* What is counted on both sides of the knee. */
static bool build(struct probe *p, double targets, void *context, struct kernel *k)
{
    return build_jumps(p, context, (size_t)targets, IN_ORDER, k);
}

/* What an indirect jump costs more than a direct one, the mean over several orders: it is chance which targets fit. */
static bool measure(struct probe *p, double x, void *context, struct point *out)
{
    const unsigned orders = (unsigned)probe_scale(p, 1, 3, 5, 9);
    struct walk *w = context;
    double sum = 0;
    unsigned rejected = 0;

    for (unsigned i = 0; i < orders; i++)
        for (enum jumps j = IN_ORDER; j <= DIRECT; j++) {
            struct kernel k;
            if (!build_jumps(p, w, (size_t)x, j, &k) || !probe_measure(p, &k, out))
                return false;
            sum += j == IN_ORDER ? out->q20 : -out->q20;
            rejected += out->rejected;
        }
    out->q20 = out->median = sum / orders;
    out->rejected = rejected;
    return true;
}

/* The same of a jump that is never predicted: one of few targets, so that no cache is short of room. */
static bool measure_random(struct probe *p, struct walk *w, double *cycles)
{
    const size_t targets = LEVEL_TARGETS / w->branches;
    struct point pt[] = {[DIRECT] = {.x = (double)targets}, [AT_RANDOM] = {.x = (double)targets}};

    for (enum jumps j = DIRECT; j <= AT_RANDOM; j++) {
        struct kernel k;
        if (!build_jumps(p, w, targets, j, &k) || !probe_measure(p, &k, &pt[j]))
            return false;
    }
    /* by chance one in so many is right */
    *cycles = (pt[AT_RANDOM].q20 - pt[DIRECT].q20) / (1 - 1 / (double)targets);
    return true;
}

/* Whether most jumps are mispredicted at the end of the curve: else a hump of it, or its noise, may be taken for the half. */
static bool is_past(const struct search *s, double random)
{
    static const double MOST = 0.75;
    const double level = s->points[0].y;

    return s->points[s->count - 1].y >= level + MOST * (random - level);
}

static bool find_targets(struct probe *p, struct walk *w, size_t branches)
{
    const size_t from = LEVEL_TARGETS / branches;
    const double n = (double)branches;
    struct find_experiment e[SPACINGS];
    struct sweep s[SPACINGS];
    char proof[PROOF_TEXT] = "";
    double random;

    for (enum spacing i = DENSE; i < SPACINGS; i++) {
        w[i].branches = branches;
        snprintf(w[i].name, sizeof w[i].name, "%zu branches, %s", branches, spacing_names[i]);
        s[i] = (struct sweep){.name = w[i].name,
                              .fooled_by = i == DENSE ? "branch target buffer" : "instruction cache",
                              .axis = "targets",
                              .unit = "cycles/jump",
                              .measure = measure,
                              .build = build,
                              .context = &w[i],
                              .seconds = probe_scale(p, 1, 1, 2, 10),
                              .search = {.kind = KNEE_STEP,
                                         .from = from < 2 ? 2 : (double)from,
                                         .to = probe_smoke(p, 2 * LEVEL_TARGETS, TARGETS) / n,
                                         .limit = probe_smoke(p, 2 * LEVEL_TARGETS, TARGETS) / n,
                                         .grain = 1,
                                         .resolution = 0.1,
                                         .halves = true,
                                         .per_octave = (unsigned)probe_scale(p, 1, 2, 4, 8),
                                         .budget = (unsigned)probe_scale(p, 2, 120, 240, 2000)}};
    }
    bool good = sweeps_search(p, s, SPACINGS) && measure_random(p, &w[DENSE], &random);
    if (good) {
        find_experiments(s, SPACINGS, e);
        for (enum spacing i = DENSE; i < SPACINGS; i++) {
            e[i].half = true;
            half_decide(&s[i].search, random);
            if (!s[i].search.verdict.reason && !is_past(&s[i].search, random))
                s[i].search.verdict.reason = "not-left";
        }
        good = proof_of_knee(p, &s[DENSE], 0, COUNTED, proof);
    }
    if (good)
        find_capacity(p,
                      &(struct finding){.name = "frontend.indirect.targets",
                                        .variants = {{"branches", .number = n}},
                                        .remarks = {{"proof", proof}}},
                      e, SPACINGS, 1);
    sweeps_free(s, SPACINGS);
    return good;
}

/* What a predicted jump takes: the median over numbers of targets that any predictor in scope holds. */
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

/* Cycles of an indirect jump more than of a direct one, by branches and targets of each. */
static bool measure_matrix(struct probe *p, struct walk *w)
{
    const unsigned step = (unsigned)probe_scale(p, 4, 2, 2, 1);
    const double most = probe_smoke(p, LEVEL_TARGETS, TARGETS);
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
        w->branches = (size_t)1 << b;
        m.rows[m.row_count] = (double)w->branches;
        m.column_count = 0;
        for (unsigned t = 1; t <= MATRIX_TARGETS_BITS; t += step) {
            const size_t targets = (size_t)1 << t;
            struct point pt[] = {[IN_ORDER] = {.q20 = (double)NAN}, [DIRECT] = {.q20 = (double)NAN}};
            for (enum jumps j = IN_ORDER; j <= DIRECT && (double)(targets * w->branches) <= most; j++) {
                struct kernel k;
                if (!build_jumps(p, w, targets, j, &k) || !probe_measure(p, &k, &pt[j]))
                    return false;
            }
            m.columns[m.column_count] = (double)targets;
            *matrix_cell(&m, m.row_count, m.column_count++) = pt[IN_ORDER].q20 - pt[DIRECT].q20;
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
    struct walk *w = calloc(SPACINGS, sizeof *w);

    if (!w)
        probe_skip(p, "out of memory");
    else if (probe_map(p, &list, STEPS * sizeof(uint64_t), 0)) {
        for (enum spacing i = DENSE; i < SPACINGS; i++) {
            w[i].slack_bytes = slack_bytes[i];
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
