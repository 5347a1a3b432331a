/*
 * Load prediction: does the core guess where a load goes, or what it brings, before its address is known?
 *
 * A chain of loads in which each address takes what the load before it brought: that is shifted until nothing is left
 * of it, and added. So the chain goes at the latency of a load, a shift and an addition, unless loads are predicted:
 * then the next one does not wait. All of it lies in the first-level cache; no prefetcher makes a hit faster.
 *
 *                       address           value
 *   random              at random         at random     the control: nothing to predict
 *   address-constant    always the same   so is this
 *   address-stride      a word on         at random
 *   value               at random         always the same
 *
 * Predictors know loads by where they stand in the code. n loads follow each other in a loop, each at a distance of its
 * own from where the pass begins, and that is always the same place, a word on, or drawn at random
 * (lib/kernels/chance.h). There is no other load in the loop, and before it one at most.
 *
 * Whether there is prediction: the chain is at least one cycle faster, at each load, than the control, cycles being
 * whole. A constant address has a constant value; where values are predicted nothing is told of constant addresses.
 * How many loads are predicted at once: curve of cycles per load over n, level, then a rise to the control. Twice: loads
 * packed, and NOPs between them.
 *
 * Training, where there is prediction: m passes, and then as many other loads as are needed for all of these to be forgotten,
 * and again. Curve: cycles a block takes with nothing to predict, less what it takes with what is predicted: level while m
 * are too few, then a slope. Answer: the last m on the level. Nothing is ever predicted wrong on the way, so that no penalty
 * hides the bend; where nothing is forgotten, there is none, and nothing is told.
 *
 * Stores to what is loaded would let it be forwarded, or renamed (Intel's Golden Cove, AMD's Zen 2): there are
 * none, and no load is relative to the stack pointer.
 *
 * Method: Kim et al. 2025, SLAP and FLOP, for Apple's cores since M2; control and unpredictable values as jia.je 2025, M4.
 */
#include <math.h>
#include <stdio.h>

#include "lib/kernels/chance.h"
#include "lib/find.h"
#include "lib/probe.h"

enum {
    PLACES_BITS = 10, /* words where a pass may begin */
    WORD = sizeof(uint64_t),
    PASSES = 2048, /* before anything is timed */
    MANY_LOADS = 64,
    MOST_LOADS = 256,
    TRAINING_TO = 32, /* passes, at first; … */
    TRAINING_LIMIT = 1024,
    FEW_LOADS = 4,
    LINE_BYTES = 64,
    SPREAD_BYTES = 32, /* farther, and narrow cores would wait for the NOPs between them */
    ROUNDS = 5,
    CODE_BYTES = 32768
};
/* How many words on; what was loaded last; where this pass begins; the first of all words; passes left of a block. */
static const enum reg STEPS = REG_T4, CHAIN = REG_T5, PASS = REG_T6, WORDS = REG_T7, LEFT = REG_T8;
enum kind { RANDOM, ADDRESS_CONSTANT, ADDRESS_STRIDE, VALUE, KINDS };
static const char *const names[KINDS] = {"random", "address-constant", "address-stride", "value"};
enum layout { PACKED, SPREAD, LAYOUTS };
static const char *const layout_names[LAYOUTS] = {"packed", "spread"};

/* Cycles are whole: what is predicted saves one at least, and what is not saves none. */
static const double SAVES = 1, NOTHING = 0.5;

struct chain {
    struct area words; /* what is loaded */
    struct area state; /* how many words on the last pass began */
};

/* An experiment: a chain of one kind in one layout. */
struct experiment {
    const struct chain *chain;
    enum kind kind;
    enum layout layout;
};

static bool map(struct probe *p, struct chain *c)
{
    return probe_map(p, &c->words, ((1 << PLACES_BITS) + MOST_LOADS) * WORD, 0) && probe_map(p, &c->state, WORD, 0);
}

/* Values have their highest bit clear: shifted by all others, nothing is left of them. */
static void fill(struct probe *p, const struct experiment *e)
{
    const uint64_t always = random_next(&p->random) >> 1;
    uint64_t *words = (uint64_t *)e->chain->words.write;

    for (size_t i = 0; i < (1 << PLACES_BITS) + MOST_LOADS; i++)
        words[i] = e->kind == VALUE ? always : random_next(&p->random) >> 1;
}

/* As many instructions of each sort, whatever the kind: chance is drawn even where it is not used. */
static void emit_pass(struct code *c, enum kind kind)
{
    chance_draw(c);
    chance_bits(c, 0, PLACES_BITS);
    emit_add_constant(c, STEPS, kind == ADDRESS_STRIDE ? 1 : 0);
    emit_and_constant(c, STEPS, PLACES_BITS);
    emit_move(c, PASS, kind == RANDOM || kind == VALUE ? REG_T1 : STEPS);
    for (size_t bytes = 1; bytes < WORD; bytes *= 2)
        emit_add(c, PASS, PASS);
    emit_add(c, PASS, WORDS);
}

static void emit_begin(struct probe *p, struct code *c, const struct experiment *e)
{
    fill(p, e);
    chance_begin_from(c, random_next(&p->random));
    emit_constant(c, CHAIN, 0);
    emit_constant(c, WORDS, e->chain->words.at);
    if (e->kind == ADDRESS_STRIDE)
        emit_load(c, STEPS, REG_DATA, 0);
    else
        emit_constant(c, STEPS, 0);
    emit_align(c, LINE_BYTES);
}

/* A pass over so many loads; each at a distance of its own. */
static void emit_loads(struct code *c, const struct experiment *e, const uint32_t *order, size_t loads)
{
    emit_pass(c, e->kind);
    for (size_t i = 0; i < loads; i++) {
        if (e->layout == SPREAD)
            emit_align(c, SPREAD_BYTES);
        emit_shift_right(c, CHAIN, 63);
        emit_add(c, CHAIN, PASS);
        emit_load(c, CHAIN, CHAIN, (int32_t)(order[i] * WORD));
    }
}

static void emit_end(struct code *c, const struct experiment *e, size_t loop)
{
    emit_loop(c, loop);
    if (e->kind == ADDRESS_STRIDE)
        emit_store(c, STEPS, REG_DATA, 0);
    emit_return(c);
}

static bool build(struct probe *p, double count, void *context, struct kernel *k)
{
    const struct experiment *e = context;
    const size_t loads = (size_t)count;
    uint32_t order[MOST_LOADS];
    struct code c = probe_code(p, CODE_BYTES);

    random_cycle(order, (uint32_t)loads, &p->random);
    emit_begin(p, &c, e);
    const size_t loop = c.used;
    emit_loads(&c, e, order, loads);
    emit_end(&c, e, loop);
    *k = (struct kernel){
        .data = e->chain->state.at, .units = count, .warm_iterations = probe_smoke(p, 16, PASSES), .stretch = 8};
    return probe_kernel(p, &c, 0, k);
}

/* ---- Is there any? ------------------------------------------------------------------------------ */

/* Cycles that each kind saves of the control, the middle of several rounds; NaN where there is none. */
static bool measure_savings(struct probe *p, const struct chain *chain, enum layout layout, double saved[KINDS])
{
    const size_t rounds = (size_t)probe_smoke(p, 1, ROUNDS);
    double all[KINDS][ROUNDS];
    size_t count[KINDS] = {0};

    for (size_t round = 0; round < rounds; round++) {
        double control = NAN;
        for (enum kind kind = RANDOM; kind < KINDS; kind++) {
            struct experiment e = {chain, kind, layout};
            struct kernel k;
            struct point pt;
            if (!build(p, FEW_LOADS, &e, &k) || !probe_measure(p, &k, &pt))
                return false;
            if (kind == RANDOM)
                control = pt.q20;
            else if (!isnan(control - pt.q20))
                all[kind][count[kind]++] = control - pt.q20;
        }
    }
    for (enum kind kind = RANDOM + 1; kind < KINDS; kind++)
        saved[kind] = count[kind] ? median(all[kind], count[kind]) : NAN;
    return true;
}

static bool present(const double saved[LAYOUTS][KINDS], enum kind kind)
{
    return saved[PACKED][kind] >= SAVES && saved[SPREAD][kind] >= SAVES;
}

static bool absent(const double saved[LAYOUTS][KINDS], enum kind kind)
{
    return fabs(saved[PACKED][kind]) < NOTHING && fabs(saved[SPREAD][kind]) < NOTHING;
}

/* ---- How many loads? ---------------------------------------------------------------------------- */

static bool find_reach(struct probe *p, const struct chain *chain, enum kind kind, const struct finding *f)
{
    struct experiment context[LAYOUTS];
    struct find_experiment e[LAYOUTS];
    struct sweep s[LAYOUTS];
    char curve[LAYOUTS][40];

    for (enum layout layout = PACKED; layout < LAYOUTS; layout++) {
        context[layout] = (struct experiment){chain, kind, layout};
        snprintf(curve[layout], sizeof curve[layout], "%s %s", names[kind], layout_names[layout]);
        s[layout] = (struct sweep){.name = curve[layout],
                                   .fooled_by = "places of loads",
                                   .axis = "loads",
                                   .unit = "cycles/load",
                                   .build = build,
                                   .context = &context[layout],
                                   .area = &chain->words,
                                   .seconds = probe_scale(p, 1, 0.3, 1, 10),
                                   .search = {.kind = KNEE_STEP,
                                              .from = FEW_LOADS,
                                              .to = MANY_LOADS,
                                              .limit = MOST_LOADS,
                                              .grain = 1,
                                              .resolution = 0.02,
                                              .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)}};
    }
    const bool good = sweeps_search(p, s, LAYOUTS);
    if (good) {
        find_experiments(s, LAYOUTS, e);
        find_capacity(p, f, e, LAYOUTS, 1);
    }
    sweeps_free(s, LAYOUTS);
    return good;
}

/* ---- How often? --------------------------------------------------------------------------------- */

static bool build_block(struct probe *p, double passes, const struct experiment *e, struct kernel *k)
{
    uint32_t order[FEW_LOADS];
    struct code c = probe_code(p, CODE_BYTES);

    random_cycle(order, FEW_LOADS, &p->random);
    emit_begin(p, &c, e);
    const size_t loop = c.used;
    emit_constant(&c, LEFT, (uint64_t)passes);
    const size_t pass = c.used;
    emit_loads(&c, e, order, FEW_LOADS);
    emit_add_constant(&c, LEFT, -1);
    emit_branch_if_not_zero(&c, LEFT, pass);
    for (size_t i = 0; i < MOST_LOADS; i++)
        emit_load(&c, REG_T1, WORDS, (int32_t)(i * WORD));
    emit_end(&c, e, loop);
    *k = (struct kernel){.data = e->chain->state.at, .units = 1, .warm_iterations = probe_smoke(p, 1, 4), .stretch = 2};
    return probe_kernel(p, &c, 0, k);
}

static bool build_unpredicted(struct probe *p, double passes, void *context, struct kernel *k)
{
    struct experiment e = *(const struct experiment *)context;

    e.kind = RANDOM;
    return build_block(p, passes, &e, k);
}

static bool build_predicted(struct probe *p, double passes, void *context, struct kernel *k)
{
    return build_block(p, passes, context, k);
}

static bool find_training(struct probe *p, const struct chain *chain, enum kind kind)
{
    struct experiment context[LAYOUTS];
    struct find_experiment e[LAYOUTS];
    struct sweep s[LAYOUTS];
    char curve[LAYOUTS][48];

    for (enum layout layout = PACKED; layout < LAYOUTS; layout++) {
        context[layout] = (struct experiment){chain, kind, layout};
        snprintf(curve[layout], sizeof curve[layout], "training, %s %s", names[kind], layout_names[layout]);
        s[layout] = (struct sweep){.name = curve[layout],
                                   .fooled_by = "places of loads",
                                   .axis = "passes",
                                   .unit = "cycles/block",
                                   .build = build_unpredicted,
                                   .control = build_predicted,
                                   .context = &context[layout],
                                   .area = &chain->words,
                                   .seconds = probe_scale(p, 1, 0.15, 1, 10),
                                   .search = {.kind = KNEE_SLOPE,
                                              .from = 1,
                                              .to = TRAINING_TO,
                                              .limit = TRAINING_LIMIT,
                                              .grain = 1,
                                              .budget = (unsigned)probe_scale(p, 12, 160, 600, 3000),
                                              .per_octave = (unsigned)probe_scale(p, 1, 2, 4, 8)}};
    }
    const bool good = sweeps_search(p, s, LAYOUTS);
    if (good) {
        find_experiments(s, LAYOUTS, e);
        find_capacity(p,
                      &(struct finding){.name = "memory.load_prediction.training",
                                        .variants = {{"kind", names[kind]}},
                                        .method = "last number of passes before any is faster"},
                      e, LAYOUTS, 1);
    }
    sweeps_free(s, LAYOUTS);
    return good;
}

static bool report_kind(struct probe *p, const struct chain *chain, enum kind kind, const double saved[LAYOUTS][KINDS])
{
    char text[80];
    const bool hidden = kind == ADDRESS_CONSTANT && present(saved, kind) && !absent(saved, VALUE);
    struct finding f = {.name = "memory.load_prediction.reach",
                        .variants = {{"kind", names[kind]}},
                        .value = NAN,
                        .grade = 'U',
                        .remarks = {{"saved_cycles", text}}};

    snprintf(text, sizeof text, "packed %.2f, spread %.2f", saved[PACKED][kind], saved[SPREAD][kind]);
    if (hidden || (!present(saved, kind) && !absent(saved, kind))) {
        f.reason = hidden ? "a constant address has a constant value, and values may be predicted"
                          : "layouts disagree, or less than a cycle is saved";
        report(p, &f);
        return true;
    }
    if (present(saved, kind)) {
        f.method = "last number of loads before the rise";
        return find_reach(p, chain, kind, &f) && find_training(p, chain, kind);
    }
    const struct find_value none[LAYOUTS] = {{"packed", "training", 0}, {"spread", "training", 0}};
    f.method = "nothing is saved of a chain that cannot be predicted";
    find_number(p, &f, none, LAYOUTS);
    return true;
}

static void run(struct probe *p)
{
    double saved[LAYOUTS][KINDS];
    struct chain chain;
    bool good = map(p, &chain);

    for (enum layout layout = PACKED; good && layout < LAYOUTS; layout++)
        good = measure_savings(p, &chain, layout, saved[layout]);
    for (enum kind kind = RANDOM + 1; good && kind < KINDS; kind++)
        good = report_kind(p, &chain, kind, saved);
}

PROBE(load_prediction, .title = "Load prediction", .family = "memory", .run = run,
      .findings = FINDINGS(
          {"memory.load_prediction.reach", "loads", "loads whose address or value is predicted at once; 0: none"},
          {"memory.load_prediction.training", "passes", "times that a load has to do the same until it is predicted"}));
