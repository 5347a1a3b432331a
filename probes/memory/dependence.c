/*
 * Memory dependence prediction: how many loads does the core remember that must wait for an older store, after how long
 * does a load speculate past stores again, what does a wrong speculation cost, and which address bits identify a load?
 *
 * Loads tracked. The code has a growing number of pairs, each a store and a load of what it wrote, all at one address,
 * linked through the data or through the next store's address (lib/kernels/store_load.h). While the predictor remembers
 * a load, the load waits for its store. A load that it does not remember executes too early and has to be executed
 * again. Curve: cycles per pair over the number of pairs, level and then a rise; the answer is the last point before
 * the rise. The loads are so narrow that they are not renamed. If nothing rises, the predictor has counters without
 * tags, by which a load waits unless it has been free of stores for long.
 *
 * Memory of one load. Steps with an older store whose address is known late (lib/kernels/dependence.h): the load of a
 * step D needs that store, the load of a step N does not. The sequence D, N^k, D and many N is measured, k from large
 * to small. Curve: waits saved (lib/structure/store_speculation.h), a level and then a line; the last point on the
 * level has the smallest number of N after which the load speculates again. Multiplications or loads delay stores.
 *
 * Cost of a wrong speculation. D N^k is repeated, k so large that each D is speculated wrongly; what the waits explain
 * is subtracted. Some cores let no load speculate while that is frequent: then values of different k disagree.
 *
 * Address bits. A step that is always D and one that is always N: where their loads, 2^n bytes apart in the code, are
 * the same to the predictor, N waits too.
 *
 * Method: docs/METHODS.md, 7.17. Wong 2014, Store-to-Load Forwarding and Memory Disambiguation in x86 Processors: the
 * two patterns; Ragab et al. 2021, Rage Against the Machine Clear: steps. Whole sequences and the second D are ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/access.h"
#include "lib/kernels/store_load.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/forwarding_reference.h"
#include "lib/structure/store_speculation.h"

enum {
    PAIRS_MAXIMUM = 1024, /* in the code */
    SPREAD_BYTES = 16,    /* of NOPs between two pairs of the spread code */
    CODES = 2,            /* packed and spread */
    TEXT = 48
};

static const struct {
    const char *name, *confounder;
} delays[DELAYS] = {{"multiplications", "arithmetic"}, {"loads", "cache"}};

static bool loads_speculate(const struct dependence_steps s[DELAYS])
{
    return speculation_present(&s[DELAY_MULTIPLY]) && speculation_present(&s[DELAY_LOADS]);
}

/* ---- How many loads are tracked ------------------------------------------------------------------- */

struct pairs {
    const struct area *area;
    struct store_load pair;
};

static bool build_pairs(struct probe *p, double count, void *context, struct kernel *k)
{
    struct pairs *pairs = context;

    pairs->pair.pairs = (unsigned)count;
    return store_load_kernel(p, &pairs->pair, pairs->area->at, k);
}

/* Reports the number of loads and, unless find_cost measures it, the cost; returns whether no number was too many. */
static bool report_loads(struct probe *p, const struct sweep s[CODES], enum dependency_through chain,
                         const char *dependence)
{
    const struct verdict *v = &s[0].search.verdict;
    const enum reason no_knee = v->reason ? v->reason : REASON_NO_KNEE;
    const bool endless = v->reason == REASON_NO_KNEE && s[1].search.verdict.reason == REASON_NO_KNEE;
    struct finding f = {.name = "memory.dependence.loads",
                        .variants = {{"dependence", dependence}},
                        .reason = endless ? REASON_NEVER_TOO_MANY : REASON_EXPERIMENTS_DISAGREE,
                        .method = "last point before the rise"};
    struct experiment e[CODES];

    experiments_of_sweeps(s, CODES, e);
    if (endless || experiments_contradict(e, CODES))
        report_number(p, &f, (double)NAN);
    else
        report_capacity(p, &f, e, CODES, 1);
    if (!(endless && chain == THROUGH_STORE))
        report_number(p,
                      &(struct finding){.name = "memory.dependence.blocked_cycles",
                                        .variants = {{"dependence", dependence}},
                                        .curves = {s[0].name},
                                        .reason = endless ? REASON_NEVER_TOO_MANY : no_knee,
                                        .method = "how much higher the curve is behind the last load tracked"},
                      v->reason || !v->count ? (double)NAN : v->knees[0].after - v->knees[0].before);
    return endless;
}

/* *endless: however many loads there are, none costs more. */
static bool find_loads(struct probe *p, const struct area *area, const struct emit_access *load,
                       enum dependency_through chain, const char *dependence, bool *endless)
{
    struct pairs pairs[CODES];
    struct sweep s[CODES];
    char names[CODES][TEXT];

    for (size_t i = 0; i < CODES; i++) {
        pairs[i] = (struct pairs){area,
                                  {.store = access_general(64),
                                   .load = load,
                                   .chain = chain,
                                   .base = BASE_OTHER,
                                   .nop_bytes = i ? SPREAD_BYTES : 0}};
        snprintf(names[i], TEXT, "%s %s", dependence, i ? "spread" : "packed");
        s[i] = (struct sweep){.name = names[i],
                              .confounder = i ? "instruction supply" : "address bits",
                              .axis = "pairs",
                              .unit = "cycles/pair",
                              .build = build_pairs,
                              .context = &pairs[i],
                              .seconds = probe_scale(p, 1, 0.2, 1, 10),
                              .search = {.kind = KNEE_STEP,
                                         .from = 4,
                                         .to = probe_smoke(p, 8, PAIRS_MAXIMUM),
                                         .limit = probe_smoke(p, 8, PAIRS_MAXIMUM),
                                         .step = 1,
                                         .resolution = 0.01,
                                         .per_octave = (unsigned)probe_scale(p, 1, 2, 4, 8)}};
    }
    const bool good = sweeps_search(p, s, CODES);
    if (good)
        *endless = report_loads(p, s, chain, dependence);
    sweeps_free(s, CODES);
    return good;
}

/* ---- What one load remembers ---------------------------------------------------------------------- */

/* Reports the number of loads by the last point on the level: the axis counts down. Returns NaN where undecided. */
static double report_memory(struct probe *p, const struct experiment *e)
{
    const struct graded r = grade_capacity(e, DELAYS, 1);
    const struct finding f = {.name = "memory.dependence.free_after",
                              .value = SPECULATION_MOST_FREE - r.value,
                              .low = SPECULATION_MOST_FREE - r.high + 1,
                              .high = SPECULATION_MOST_FREE - r.low + 1,
                              .grade = r.grade,
                              .reason = r.reason,
                              .agreement = r.agreement[0] ? r.agreement : NULL,
                              .method = "first number of free loads behind which no more of them wait",
                              .curves = {e[0].name, e[1].name}};

    report(p, &f);
    return r.grade == 'U' ? (double)NAN : f.value;
}

static bool find_memory(struct probe *p, struct dependence_steps s[DELAYS], double *free_after)
{
    const double most = probe_smoke(p, 4, SPECULATION_MOST_FREE - 1);
    struct sweep sweeps[DELAYS];
    struct experiment e[DELAYS];

    if (!loads_speculate(s) && !probe_is_smoke(p)) {
        report_number(p,
                      &(struct finding){.name = "memory.dependence.free_after",
                                        .reason = REASON_NO_SPECULATION,
                                        .method = "steps that all depend on their store, against steps that do not"},
                      (double)NAN);
        return true;
    }
    for (size_t i = 0; i < DELAYS; i++)
        sweeps[i] = (struct sweep){
            .name = delays[i].name,
            .confounder = delays[i].confounder,
            .axis = "fewer_loads",
            .unit = "waits saved",
            .measure = speculation_saved,
            .context = &s[i],
            .seconds = probe_scale(p, 1, 0.45, 2, 10),
            .search = {.kind = KNEE_STEP, .from = 1, .to = most, .step = 1, .coarse = (unsigned)most}};
    const bool good = sweeps_search(p, sweeps, DELAYS);
    if (good) {
        experiments_of_sweeps(sweeps, DELAYS, e);
        *free_after = report_memory(p, e);
    }
    sweeps_free(sweeps, DELAYS);
    return good;
}

/* ---- What a wrong speculation costs --------------------------------------------------------------- */

static bool find_cost(struct probe *p, const struct dependence_steps s[DELAYS], double free_after)
{
    static const unsigned free[] = {96, 120}; /* the smallest k, far beyond what any core in scope remembers */
    enum { VALUES = DELAYS * sizeof free / sizeof free[0] };
    const bool smoke = probe_is_smoke(p);
    struct experiment_value v[VALUES];
    struct finding f = {.name = "memory.dependence.blocked_cycles",
                        .variants = {{"dependence", "address"}},
                        .reason = free_after <= 1 ? REASON_FREE_AT_ONCE : REASON_NEVER_TOO_MANY,
                        .method = "sequences with one wrong speculation, against sequences with none"};
    bool known = true;

    if (!(free_after > 1) && !smoke) {
        report_number(p, &f, (double)NAN);
        return true;
    }
    for (size_t i = 0; i < VALUES; i++) {
        v[i] = (struct experiment_value){delays[i % DELAYS].name, "other instructions", (double)NAN};
        if (!speculation_cost(p, &s[i % DELAYS], smoke ? 2 : (unsigned)free_after, smoke ? 3 : free[i / DELAYS],
                              &v[i].value))
            return false;
        known &= !isnan(v[i].value);
    }
    f.reason = REASON_NOT_STEADY;
    known ? report_graded_number(p, &f, v, VALUES) : report_number(p, &f, (double)NAN);
    return true;
}

/* ---- Which bits identify a load ------------------------------------------------------------------- */

/* `endless`: no number of loads was too many. */
static bool find_bits(struct probe *p, const struct dependence_steps s[DELAYS], bool endless)
{
    const bool speculate = loads_speculate(s);
    struct speculation_index x[DELAYS] = {{.steady = false}};
    struct experiment_value v[DELAYS];
    char text[TEXT];

    for (size_t i = 0; i < DELAYS && (speculate || probe_is_smoke(p)); i++)
        if (!speculation_index_bits(p, &s[i], &x[i]))
            return false;
    struct finding f = {.name = "memory.dependence.index_bits",
                        .method = "a load that needs no store waits where one that does is the same to the predictor",
                        .reason = speculate ? speculation_index_undecided(&x[0], &x[1]) : REASON_NO_SPECULATION};
    if (f.reason) {
        report_number(p, &f, (double)NAN);
        return true;
    }
    speculation_index_text(x[0].mask, text, sizeof text);
    f.remarks[0].key = "bits";
    f.remarks[0].text = text;
    for (size_t i = 0; i < DELAYS; i++)
        v[i] = (struct experiment_value){delays[i].name, delays[i].confounder, __builtin_popcountll(x[i].mask)};
    report_graded_number(p, &f, v, DELAYS);
    /* Two loads can share a counter, and no number of loads is too many: each value of the bits has one counter. */
    f.name = "memory.dependence.counters";
    f.method = "as many as the address bits have values, where no number of loads is too large";
    f.reason = REASON_TAGS;
    for (size_t i = 0; i < DELAYS; i++)
        v[i].value = (double)((uint64_t)1 << (unsigned)v[i].value);
    endless ? report_graded_number(p, &f, v, DELAYS) : report_number(p, &f, (double)NAN);
    return true;
}

static void report_not_steady(struct probe *p)
{
    static const char *const dependences[] = {"data", "address"}; /* the variant of the first two findings */

    for (size_t i = 0; p->definition->findings[i].name; i++)
        for (size_t d = 0; d < (i < 2 ? 2 : 1); d++)
            report_number(p,
                          &(struct finding){.name = p->definition->findings[i].name,
                                            .variants = {{i < 2 ? "dependence" : NULL, dependences[d]}},
                                            .reason = REASON_NOT_STEADY},
                          (double)NAN);
}

static void run(struct probe *p)
{
    struct dependence_steps s[DELAYS];
    const struct emit_access *load = NULL;
    bool data_endless = false, address_endless = false;
    double free_after = (double)NAN;
    struct area area;

    if (!probe_map(p, &area, DEPENDENCE_AREA_BYTES, 0) || !forwarding_not_renamed(p, area.at, &load))
        return;
    if (!load)
        report_not_steady(p);
    if (!load || !find_loads(p, &area, load, THROUGH_DATA, "data", &data_endless) ||
        !find_loads(p, &area, load, THROUGH_STORE, "address", &address_endless))
        return;
    for (size_t i = 0; i < DELAYS; i++) {
        s[i] = dependence_steps(&area, load, (enum dependence_delay)i);
        if (!speculation_measure_steps(p, &s[i]))
            return;
    }
    if (!find_memory(p, s, &free_after) || (address_endless && !find_cost(p, s, free_after)))
        return;
    find_bits(p, s, data_endless && address_endless);
}

PROBE(dependence, .title = "Memory dependence prediction", .family = "memory", .after = "renaming", .run = run,
      .findings = FINDINGS(
          {"memory.dependence.loads", "loads", "loads that are remembered to depend on a store"},
          {"memory.dependence.blocked_cycles", "cycles", "what a load costs that is not remembered"},
          {"memory.dependence.free_after", "loads", "times a load must be free of stores until it speculates again"},
          {"memory.dependence.index_bits", "bits", "address bits that distinguish loads"},
          {"memory.dependence.counters", "counters", "counters that decide whether a load may speculate"}));
