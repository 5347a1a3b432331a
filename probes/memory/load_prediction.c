/*
 * Load prediction: does the core predict the address of a load, or the value that it brings, before its address is
 * known?
 *
 * Chains of loads in which each address depends on the value loaded before, with random and with predictable addresses
 * and values (lib/kernels/load_chain.h). A chain takes the latency of a load, a shift and an addition per load, unless
 * loads are predicted: then the next one does not wait.
 *
 * Whether there is prediction: each load is at least one cycle faster than in the control, as cycles are whole. A
 * constant address implies a constant value: where values are predicted, constant addresses stay undecided. How many
 * loads are predicted at the same time: curve of cycles per load over the number of loads, level, then a rise to the
 * control. Two layouts: loads packed, and NOPs between them.
 *
 * Training, where there is prediction: a block of m passes and of as many other loads as it takes to make the core
 * forget, repeated. Curve: cycles of a block with nothing to predict, less cycles of a block that can be predicted:
 * level while m is too small, then a slope; the answer is the last m on the level. Nothing is ever predicted wrongly on
 * the way, so that no penalty hides the slope change. If the core forgets nothing there is no slope change, and the
 * number is undecided.
 *
 * No store writes what is loaded: else it could be forwarded, or renamed (Intel Golden Cove, AMD Zen 2).
 *
 * Method: docs/METHODS.md, 7.18. Kim et al. 2025, SLAP and FLOP, for Apple's cores since M2; control and unpredictable
 * values as jia.je 2025, M4.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/load_chain.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

enum {
    FEW_LOADS = LOAD_CHAIN_BLOCK_LOADS, /* so few loads that all are predicted where any are */
    MANY_LOADS = 64,                    /* how many loads are tried at first */
    TRAINING_TO = 32,                   /* how many passes are tried at first, */
    TRAINING_LIMIT = 1024,              /* and at most */
    ROUNDS = 5
};

/*
 * Cycles per load that a prediction SAVES, at least, and NOTHING saves, at most. One is whole; the other is half way.
 */
static const double SAVES = 1;
static const double NOTHING = 0.5;

/* ---- Whether loads are predicted ---------------------------------------------------------------- */

/*
 * Cycles per load that each kind takes less than the control: the median of several rounds; NaN where none gave a
 * result.
 */
static bool measure_savings(struct probe *p, const struct load_chain_memory *memory, enum load_chain_layout layout,
                            double saved[LOAD_CHAIN_KINDS])
{
    const size_t rounds = (size_t)probe_smoke(p, 1, ROUNDS);
    double all[LOAD_CHAIN_KINDS][ROUNDS];
    size_t count[LOAD_CHAIN_KINDS] = {0};

    for (size_t round = 0; round < rounds; round++) {
        double control = NAN;
        for (enum load_chain_kind kind = RANDOM; kind < LOAD_CHAIN_KINDS; kind++) {
            struct load_chain e = {memory, kind, layout};
            struct kernel k;
            struct point pt;
            if (!load_chain_build(p, FEW_LOADS, &e, &k) || !probe_measure(p, &k, &pt))
                return false;
            if (kind == RANDOM)
                control = pt.q20;
            else if (!isnan(control - pt.q20))
                all[kind][count[kind]++] = control - pt.q20;
        }
    }
    for (enum load_chain_kind kind = RANDOM + 1; kind < LOAD_CHAIN_KINDS; kind++)
        saved[kind] = count[kind] ? median(all[kind], count[kind]) : NAN;
    return true;
}

static bool present(const double saved[LOAD_CHAIN_LAYOUTS][LOAD_CHAIN_KINDS], enum load_chain_kind kind)
{
    return saved[PACKED][kind] >= SAVES && saved[SPREAD][kind] >= SAVES;
}

static bool absent(const double saved[LOAD_CHAIN_LAYOUTS][LOAD_CHAIN_KINDS], enum load_chain_kind kind)
{
    return fabs(saved[PACKED][kind]) < NOTHING && fabs(saved[SPREAD][kind]) < NOTHING;
}

/* ---- How many loads are predicted --------------------------------------------------------------- */

static bool find_reach(struct probe *p, const struct load_chain_memory *memory, enum load_chain_kind kind,
                       const struct finding *f)
{
    struct load_chain context[LOAD_CHAIN_LAYOUTS];
    struct experiment e[LOAD_CHAIN_LAYOUTS];
    struct sweep s[LOAD_CHAIN_LAYOUTS];
    char curve[LOAD_CHAIN_LAYOUTS][40];

    for (enum load_chain_layout layout = PACKED; layout < LOAD_CHAIN_LAYOUTS; layout++) {
        context[layout] = (struct load_chain){memory, kind, layout};
        snprintf(curve[layout], sizeof curve[layout], "%s %s", load_chain_names[kind], load_chain_layout_names[layout]);
        s[layout] = (struct sweep){.name = curve[layout],
                                   .confounder = "places of loads",
                                   .axis = "loads",
                                   .unit = "cycles/load",
                                   .build = load_chain_build,
                                   .context = &context[layout],
                                   .area = &memory->words,
                                   .seconds = probe_scale(p, 1, 0.3, 1, 10),
                                   .search = {.kind = KNEE_STEP,
                                              .from = FEW_LOADS,
                                              .to = MANY_LOADS,
                                              .limit = LOAD_CHAIN_MOST,
                                              .step = 1,
                                              .resolution = 0.02,
                                              .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)}};
    }
    const bool good = sweeps_search(p, s, LOAD_CHAIN_LAYOUTS);
    if (good) {
        experiments_of_sweeps(s, LOAD_CHAIN_LAYOUTS, e);
        report_capacity(p, f, e, LOAD_CHAIN_LAYOUTS, 1);
    }
    sweeps_free(s, LOAD_CHAIN_LAYOUTS);
    return good;
}

/* ---- Training ----------------------------------------------------------------------------------- */

static bool find_training(struct probe *p, const struct load_chain_memory *memory, enum load_chain_kind kind)
{
    struct load_chain context[LOAD_CHAIN_LAYOUTS];
    struct experiment e[LOAD_CHAIN_LAYOUTS];
    struct sweep s[LOAD_CHAIN_LAYOUTS];
    char curve[LOAD_CHAIN_LAYOUTS][48];

    for (enum load_chain_layout layout = PACKED; layout < LOAD_CHAIN_LAYOUTS; layout++) {
        context[layout] = (struct load_chain){memory, kind, layout};
        snprintf(curve[layout], sizeof curve[layout], "training, %s %s", load_chain_names[kind],
                 load_chain_layout_names[layout]);
        s[layout] = (struct sweep){.name = curve[layout],
                                   .confounder = "places of loads",
                                   .axis = "passes",
                                   .unit = "cycles/block",
                                   .build = load_chain_build_random_block,
                                   .control = load_chain_build_block,
                                   .context = &context[layout],
                                   .area = &memory->words,
                                   .seconds = probe_scale(p, 1, 0.15, 1, 10),
                                   .search = {.kind = KNEE_SLOPE,
                                              .from = 1,
                                              .to = TRAINING_TO,
                                              .limit = TRAINING_LIMIT,
                                              .step = 1,
                                              .budget = (unsigned)probe_scale(p, 12, 160, 600, 3000),
                                              .per_octave = (unsigned)probe_scale(p, 1, 2, 4, 8)}};
    }
    const bool good = sweeps_search(p, s, LOAD_CHAIN_LAYOUTS);
    if (good) {
        experiments_of_sweeps(s, LOAD_CHAIN_LAYOUTS, e);
        report_capacity(p,
                        &(struct finding){.name = "memory.load_prediction.training",
                                          .variants = {{"kind", load_chain_names[kind]}},
                                          .method = "last number of passes before any is faster"},
                        e, LOAD_CHAIN_LAYOUTS, 1);
    }
    sweeps_free(s, LOAD_CHAIN_LAYOUTS);
    return good;
}

static bool report_kind(struct probe *p, const struct load_chain_memory *memory, enum load_chain_kind kind,
                        const double saved[LOAD_CHAIN_LAYOUTS][LOAD_CHAIN_KINDS])
{
    char text[80];
    const bool hidden = kind == ADDRESS_CONSTANT && present(saved, kind) && !absent(saved, VALUE);
    struct finding f = {.name = "memory.load_prediction.reach",
                        .variants = {{"kind", load_chain_names[kind]}},
                        .value = NAN,
                        .grade = 'U',
                        .remarks = {{"saved_cycles", text}}};

    snprintf(text, sizeof text, "packed %.2f, spread %.2f", saved[PACKED][kind], saved[SPREAD][kind]);
    if (hidden || (!present(saved, kind) && !absent(saved, kind))) {
        f.reason = hidden                                             ? REASON_VALUES_PREDICTED
                   : isnan(saved[PACKED][kind] + saved[SPREAD][kind]) ? REASON_NO_READINGS
                                                                      : REASON_LESS_THAN_A_CYCLE;
        report(p, &f);
        return true;
    }
    if (present(saved, kind)) {
        f.method = "last number of loads before the rise";
        return find_reach(p, memory, kind, &f) && find_training(p, memory, kind);
    }
    const struct experiment_value none[LOAD_CHAIN_LAYOUTS] = {{"packed", "training", 0}, {"spread", "training", 0}};
    f.method = "nothing is saved of a chain that cannot be predicted";
    report_graded_number(p, &f, none, LOAD_CHAIN_LAYOUTS);
    return true;
}

static void run(struct probe *p)
{
    double saved[LOAD_CHAIN_LAYOUTS][LOAD_CHAIN_KINDS];
    struct load_chain_memory memory;
    bool good = load_chain_map(p, &memory);

    for (enum load_chain_layout layout = PACKED; good && layout < LOAD_CHAIN_LAYOUTS; layout++)
        good = measure_savings(p, &memory, layout, saved[layout]);
    for (enum load_chain_kind kind = RANDOM + 1; good && kind < LOAD_CHAIN_KINDS; kind++)
        good = report_kind(p, &memory, kind, saved);
}

PROBE(load_prediction, .title = "Load prediction", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.load_prediction.reach", "loads",
                            "loads whose address or value the core can predict at the same time; 0: none"},
                           {"memory.load_prediction.training", "passes",
                            "number of executions after which a load is predicted"}));
