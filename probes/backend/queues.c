/*
 * Queues: how many loads, stores and branches can be in flight at once? (docs/METHODS.md, 6.3)
 *
 * Experiment: two long-latency operations, and n loads, stores or branches between them (lib/structure/inflight.h).
 * These are executed soon, but may not retire before the first operation.
 *
 *   loads      of general registers and of vectors: results differ where a register file is full before the queue is
 *   stores     of each width
 *   branches   never taken; and always
 *
 * Curve: cycles an iteration over n, a jump. Result: the last n before it rises, plus the long-latency operations
 * themselves where they are loads.
 *
 * Inference: a knee where the reorder buffer, a register file or renames end is theirs, and one that jumps show without
 * long-latency operations, too, that of the branch target buffer. Cores that free the entry of a
 * load when it is done, before it retires, show no knee of the queue, or, behind arithmetic, where no older load misses
 * the caches, one that is too large (Zen 4): there a knee where the register file ends is left out. Where vector loads
 * alone decide nothing, for example because their only knee is a ramp that begins too early, they are measured in turn
 * with loads of general registers: if as many of both together fit as of the latter alone, each takes an entry.
 *
 * Method: Wong 2013; Johnson 2021, Firestorm.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/inflight_repeat.h"
#include "lib/structure/inflight_start.h"
#include "lib/structure/inflight_targets.h"

/* Fillers: range of a curve, and how far it may grow. */
enum { TO = 256, LIMIT = 1024 };

static const struct {
    const char *name, *finding, *key, *text; /* the finding and its variant: key and text, … */
    unsigned width;                          /* … or the width in bits, where `key` is NULL */
    enum filler_class class;
    const char *filler;
    const char *writes; /* the class of registers that a load writes, as variants of backend.registers.entries */
} kinds[] = {
    {"loads of 64 bits", "backend.load_queue.entries", NULL, NULL, 64, FILLER_LOAD, "load-64", "class=int64"},
    {"loads of 128 bits", "backend.load_queue.entries", NULL, NULL, 128, FILLER_LOAD, "load-v128",
     "class=vector width=128"},
    {"loads of 512 bits", "backend.load_queue.entries", NULL, NULL, 512, FILLER_LOAD, "load-v512",
     "class=vector width=512"},
    {"stores of 64 bits", "backend.store_queue.entries", NULL, NULL, 64, FILLER_STORE, "store-64", NULL},
    {"stores of 128 bits", "backend.store_queue.entries", NULL, NULL, 128, FILLER_STORE, "store-v128", NULL},
    {"stores of 512 bits", "backend.store_queue.entries", NULL, NULL, 512, FILLER_STORE, "store-v512", NULL},
    {"branches", "backend.branches_in_flight.entries", "branch", "not-taken", 0, FILLER_BRANCH, "branch", NULL},
    {"jumps", "backend.branches_in_flight.entries", "branch", "taken", 0, FILLER_JUMP, "jump", NULL},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool loads_vectors(size_t kind)
{
    return strncmp(kinds[kind].writes, "class=vector", strlen("class=vector")) == 0;
}

/* ---- Loads that registers end, or that leave the queue early -------------------------------------- */

/*
 * Whether the end of these loads may be that of the register file they write: it is at the same number, or, where that
 * is not known, half of the writers in flight, which write both files in turn, are no more than these loads, and no
 * loads into another file end alike.
 */
static bool may_be_registers(const struct probe *p, const struct inflight_limits *limits, const double fitted[KINDS],
                             size_t kind)
{
    const double registers = facts_number(&p->run->facts, "backend.registers.entries", kinds[kind].writes, (double)NAN);
    const double least = limits->writers_at_least / 2;

    if (!isnan(registers))
        return inflight_same(fitted[kind], registers);
    if (fitted[kind] < least && !inflight_same(fitted[kind], least))
        return false;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].class == FILLER_LOAD && i != kind && loads_vectors(i) != loads_vectors(kind) &&
            inflight_same(fitted[kind], fitted[i]))
            return false;
    return true;
}

/*
 * Behind arithmetic, loads that free their entries early fit until registers end. So where the kinds of long-latency
 * operations disagree, a knee behind arithmetic at the number of registers is left out.
 */
static void leave_out_registers(const struct probe *p, struct inflight_result *a, size_t kind)
{
    const double registers = kinds[kind].class == FILLER_LOAD
                                 ? facts_number(&p->run->facts, "backend.registers.entries", kinds[kind].writes,
                                                (double)NAN)
                                 : (double)NAN;

    if (isnan(registers) || !isnan(inflight_fitted(a, kinds[kind].class)))
        return;
    for (size_t i = 0; i < a->count; i++) {
        struct verdict *v = &a->sweeps[i].search.verdict;
        if (a->runs[i].first == LONG_OP_ARITHMETIC && !v->reason && v->count &&
            fabs(v->knees[0].end - 1 - registers) < INFLIGHT_GROUP)
            v->reason = REASON_MASKED_BY_REGISTERS;
    }
}

/* How many fitted in that experiment, with what its long-latency operations occupy; NaN: it is undecided. */
static double fitted_by(const struct inflight_result *a, size_t i)
{
    const struct verdict *v = a->experiments[i].verdict;

    return v->reason || !v->count ? (double)NAN : v->knees[0].value + a->experiments[i].holds;
}

/*
 * Leaves out all knees of loads where misses show none: loads may free their entries early, and then other long-latency
 * operations may show a knee anywhere.
 */
static void leave_out_early(struct inflight_result *a, size_t kind)
{
    bool misses_decide = kinds[kind].class != FILLER_LOAD;

    for (size_t i = 0; i < a->count; i++)
        misses_decide |= a->runs[i].first == LONG_OP_MISS && !isnan(fitted_by(a, i));
    for (size_t i = 0; i < a->count && !misses_decide; i++)
        if (!a->sweeps[i].search.verdict.reason)
            a->sweeps[i].search.verdict.reason = REASON_LOADS_LEAVE_EARLY;
}

/* ---- Vector loads and loads of general registers in turn ------------------------------------------ */

/* Whether a result is decided by more than a ramp that one experiment alone shows. */
static bool is_decided(const struct inflight_result *a, double fitted)
{
    size_t knees = 0;
    bool ramp = true;

    for (size_t i = 0; i < a->count; i++)
        if (!isnan(fitted_by(a, i))) {
            knees++;
            ramp = ramp && a->experiments[i].verdict->knees[0].ramp;
        }
    return !isnan(fitted) && (knees > 1 || !ramp);
}

/*
 * Measures vector loads in turn with loads of general registers, where the former alone decide nothing and the latter
 * show the queue. Nothing is measured, and the count is 0, where that is not needed. False: the probe is over.
 */
static bool measure_in_turn(struct probe *p, const struct inflight_limits *limits,
                            const struct inflight_result results[KINDS], const double fitted[KINDS], size_t kind,
                            struct inflight_result *in_turn)
{
    struct inflight_request q = {.inflight = limits->inflight,
                                 .fillers = {kinds[kind].filler, kinds[0].filler},
                                 .class = FILLER_LOAD,
                                 .to = TO,
                                 .limit = LIMIT,
                                 .group = limits->group};

    *in_turn = (struct inflight_result){.count = 0};
    if (kinds[kind].class != FILLER_LOAD || !loads_vectors(kind) || isnan(fitted[0]) ||
        !inflight_filler(kinds[kind].filler) || inflight_masked_by_rob(limits, &results[0]) ||
        may_be_registers(p, limits, fitted, 0) || is_decided(&results[kind], fitted[kind]))
        return true;
    snprintf(q.name, sizeof q.name, "%s and 64 in turn", kinds[kind].name);
    return inflight_measure(p, &q, in_turn);
}

/*
 * Reports the queue by the experiments in which as many of both kinds in turn fit as loads of general registers
 * `alone`; false where there are none.
 */
static bool report_in_turn(struct probe *p, const struct finding *f, struct inflight_result *in_turn, double alone)
{
    struct finding out = *f;
    size_t left = 0;

    for (size_t i = 0; i < in_turn->count; i++) /* in the other ones registers may end first */
        if (inflight_same(fitted_by(in_turn, i), alone))
            in_turn->experiments[left++] = in_turn->experiments[i];
    if (left == 0)
        return false;
    out.method = "two long-latency operations, and between them these and loads of 64 bits in turn";
    out.remarks[1].key = "beside";
    out.remarks[1].text = "each takes an entry; alone fewer may fit, for another reason";
    inflight_report(p, &out, in_turn->experiments, left, 1, 1);
    return true;
}

/* ---- Reports -------------------------------------------------------------------------------------- */

static void report_kind(struct probe *p, const struct inflight_limits *limits, const struct inflight_result *a,
                        const double fitted[KINDS], size_t kind, struct inflight_result *in_turn)
{
    enum reason masked = isnan(fitted[kind]) ? REASON_NONE : inflight_masked_by_rob(limits, a);
    struct finding f = {.name = kinds[kind].finding, .method = "two long-latency operations, and these between them"};

    if (kinds[kind].key)
        f.variants[0].key = kinds[kind].key, f.variants[0].text = kinds[kind].text;
    else
        f.variants[0].key = "width", f.variants[0].number = kinds[kind].width;
    if (!masked && !isnan(fitted[kind]) && kinds[kind].class == FILLER_LOAD) {
        masked = inflight_may_be_renames(inflight_total(a, FILLER_LOAD), limits->writers_at_least);
        if (may_be_registers(p, limits, fitted, kind))
            masked = REASON_MASKED_BY_REGISTERS;
    }
    if (in_turn->count && report_in_turn(p, &f, in_turn, fitted[0]))
        return;
    if (masked)
        inflight_undecided(p, &f, masked);
    else
        inflight_report(p, &f, a->experiments, a->count, 1, 1);
}

static bool measure_kinds(struct probe *p, const struct inflight_limits *limits, struct inflight_result results[KINDS])
{
    bool good = true;

    for (size_t i = 0; i < KINDS && good; i++) {
        struct inflight_request q = {.inflight = limits->inflight,
                                     .fillers = {kinds[i].filler},
                                     .class = kinds[i].class,
                                     .to = TO,
                                     .limit = LIMIT,
                                     .group = limits->group,
                                     .control = kinds[i].key ? inflight_targets_reject : NULL};
        snprintf(q.name, sizeof q.name, "%s", kinds[i].name);
        if (kinds[i].key && !inflight_targets_range(p, &q))
            return false;
        good = inflight_measure(p, &q, &results[i]);
    }
    return good && inflight_repeat_all(p, results, KINDS);
}

static void run(struct probe *p)
{
    struct inflight_result *results = probe_calloc(p, KINDS, sizeof *results);
    double fitted[KINDS];
    struct inflight l;
    struct inflight_limits limits;
    bool good = results && inflight_start(p, &l) && inflight_find_limits(p, &l, &limits) &&
                measure_kinds(p, &limits, results);

    for (size_t i = 0; i < KINDS && good; i++) {
        leave_out_registers(p, &results[i], i);
        leave_out_early(&results[i], i);
        fitted[i] = inflight_fitted(&results[i], kinds[i].class);
    }
    for (size_t i = 0; i < KINDS && results; i++) {
        struct inflight_result in_turn = {.count = 0};
        good = good && (probe_is_smoke(p) || measure_in_turn(p, &limits, results, fitted, i, &in_turn));
        if (good && inflight_filler(kinds[i].filler))
            report_kind(p, &limits, &results[i], fitted, i, &in_turn);
        inflight_free(&in_turn);
    }
    for (size_t i = 0; i < KINDS && results; i++)
        inflight_free(&results[i]);
    free(results);
}

PROBE(queues, .title = "Load and store queues, branches in flight", .family = "backend", .after = "registers",
      .run = run,
      .findings = FINDINGS({"backend.load_queue.entries", "entries", "loads that can be in flight"},
                           {"backend.store_queue.entries", "entries", "stores that can be in flight"},
                           {"backend.branches_in_flight.entries", "entries", "branches that can be in flight"}));
