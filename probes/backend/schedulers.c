/*
 * Schedulers: how many operations of a class can wait for their operands, and what waits before the scheduler?
 * (docs/METHODS.md, 6.4)
 *
 * Experiment: two long-latency operations, and between them n others that need the result of the first one
 * (lib/structure/waiting.h), and stay in the scheduler until it is there. The second long-latency operation either gets
 * past a full scheduler (`beyond`: the scheduler and the queue before it fill up) or needs an entry of it (`behind`:
 * the scheduler alone).
 *
 * Curve: cycles an iteration over n, a jump. Result: the last n before it rises, plus the entries that the long-latency
 * operations take.
 *
 * Inference: where `beyond` and `behind` are alike there is no queue before the scheduler; where they differ, the
 * difference is the queue. For vectors the first operation of `behind` is a miss and the second a chain of square
 * roots, which wait where vectors do: when only some of several schedulers are full they get in at times, depending on
 * where the fillers have gone, so that half of the rise counts. Two classes share a scheduler if half of one leaves
 * half for the other (lib/structure/sharing.h). Where something else that the operations hold is full first, the number
 * is undecided, but sharing is measured all the same.
 *
 * Method: jiegec/cpu-micro-benchmarks, sched_size; the second operation behind the scheduler instead of many dependent
 * ones, and the half-filled scheduler, are ours.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/inflight_repeat.h"
#include "lib/structure/inflight_start.h"
#include "lib/structure/sharing.h"
#include "lib/structure/tolerances_inflight.h"
#include "lib/structure/waiting.h"

/* Further loads that miss, to see whether such loads hold entries. */
enum { EXTRA_LOADS = 4 };

/* Experiments: first and second operation, gate, whether the second one is behind, further loads. */
static const struct waiting_class classes[] = {
    {"int",
     "int64",
     {{LONG_OP_LOADS, LONG_OP_LOADS, GATE_NONE, false, 0},
      {LONG_OP_MISS, LONG_OP_MISS, GATE_NONE, false, 0},
      {LONG_OP_LOADS, LONG_OP_LOADS, GATE_ADDITION, true, 0}},
     3,
     {"backend.registers.entries", "class=int64", 1},
     REASON_MASKED_BY_REGISTERS,
     false},
    {"multiply",
     "multiply",
     {{LONG_OP_LOADS, LONG_OP_LOADS, GATE_NONE, false, 0},
      {LONG_OP_LOADS, LONG_OP_LOADS, GATE_MULTIPLICATION, true, 0}},
     2,
     {"backend.registers.entries", "class=int64", 1},
     REASON_MASKED_BY_REGISTERS,
     false},
    {"branch",
     "branch",
     {{LONG_OP_LOADS, LONG_OP_LOADS, GATE_NONE, false, 0}},
     1,
     {"backend.branches_in_flight.entries", "branch=not-taken", 1},
     REASON_MASKED_BY_BRANCHES,
     false},
    {"vector",
     "scalar",
     {{LONG_OP_LOADS, LONG_OP_LOADS, GATE_NONE, false, 0},
      {LONG_OP_MISS, LONG_OP_MISS, GATE_NONE, false, 0},
      {LONG_OP_MISS, LONG_OP_ARITHMETIC, GATE_NONE, true, 0}},
     3,
     {"backend.registers.entries", "class=vector width=64", 1},
     REASON_MASKED_BY_REGISTERS,
     true},
    {"vector-int",
     "v128",
     {{LONG_OP_LOADS, LONG_OP_LOADS, GATE_NONE, false, 0},
      {LONG_OP_MISS, LONG_OP_MISS, GATE_NONE, false, 0},
      {LONG_OP_MISS, LONG_OP_ARITHMETIC, GATE_NONE, true, 0}},
     3,
     {"backend.registers.entries", "class=vector width=128", 1},
     REASON_MASKED_BY_REGISTERS,
     true},
    {"load",
     "load-64",
     {{LONG_OP_MISS, LONG_OP_ARITHMETIC, GATE_NONE, false, 0},
      {LONG_OP_MISS, LONG_OP_MISS, GATE_NONE, true, 0},
      {LONG_OP_MISS, LONG_OP_ARITHMETIC, GATE_NONE, false, EXTRA_LOADS}},
     3,
     {"backend.load_queue.entries", "width=64", 1},
     REASON_MASKED_BY_LOAD_QUEUE,
     false},
    {"store-address",
     "store-target",
     {{LONG_OP_MISS, LONG_OP_ARITHMETIC, GATE_NONE, false, 0}, {LONG_OP_MISS, LONG_OP_MISS, GATE_NONE, false, 0}},
     2,
     {"backend.store_queue.entries", "width=64", 1},
     REASON_MASKED_BY_STORE_QUEUE,
     false},
    {"store-data",
     "store-64",
     {{LONG_OP_LOADS, LONG_OP_LOADS, GATE_NONE, false, 0}, {LONG_OP_MISS, LONG_OP_MISS, GATE_NONE, false, 0}},
     2,
     {"backend.store_queue.entries", "width=64", 1},
     REASON_MASKED_BY_STORE_QUEUE,
     false},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

static const struct {
    const char *a, *b;
    enum long_op first, second; /* the second operation waits in the scheduler of neither class */
} pairs[] = {
    {"int", "multiply", LONG_OP_LOADS, LONG_OP_LOADS},
    {"int", "branch", LONG_OP_LOADS, LONG_OP_LOADS},
    {"int", "vector", LONG_OP_LOADS, LONG_OP_LOADS},
    {"vector", "vector-int", LONG_OP_LOADS, LONG_OP_LOADS},
    {"int", "load", LONG_OP_MISS, LONG_OP_ARITHMETIC},
    {"int", "store-data", LONG_OP_LOADS, LONG_OP_LOADS},
    {"load", "store-address", LONG_OP_MISS, LONG_OP_ARITHMETIC},
    {"store-address", "store-data", LONG_OP_LOADS, LONG_OP_LOADS},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static size_t class_index(const char *name)
{
    size_t i = 0;

    while (strcmp(classes[i].name, name) != 0)
        i++;
    return i;
}

/* ---- How many of each class ----------------------------------------------------------------------- */

static struct finding finding_of(const struct waiting_class *c, const char *name)
{
    struct finding f = {.name = name,
                        .variants = {{"class", c->name}},
                        .method = "two long-latency operations, and between them these, which wait for the first"};
    f.limits[0] = c->limit;
    f.limits[1] = (struct finding_limit){"backend.rob.entries", "", 1};
    return f;
}

/* The queue before the scheduler: what fits beyond the scheduler, less what fits in it. */
static void report_queue(struct probe *p, const struct waiting_class *c, const struct graded *beyond,
                         const struct graded *behind, const struct waiting w[WAITING_EXPERIMENTS])
{
    struct finding f = finding_of(c, "backend.dispatch_queue.entries");
    const bool none = inflight_same(beyond->value, behind->value);

    f.limits[0].name = NULL;
    if (beyond->grade == 'U' || behind->grade == 'U') {
        inflight_undecided(p, &f, beyond->grade == 'U' ? beyond->reason : behind->reason);
        return;
    }
    if (!none && beyond->value < behind->value) {
        inflight_undecided(p, &f, REASON_EXPERIMENTS_DISAGREE);
        return;
    }
    f.value = none ? 0 : beyond->value - behind->value;
    /* each may be a step off, as in inflight_report */
    f.low = none ? 0 : fmax(beyond->low - behind->high - WAITING_STEP, 0);
    f.high = none ? fmax(beyond->high - behind->low, 1) : beyond->high - behind->low + WAITING_STEP;
    f.grade = 'C';
    for (size_t i = 0; i < c->count; i++)
        f.curves[i] = w[i].result.runs[0].name;
    report(p, &f);
}

/* The experiments of a class except the one with extra loads: all of them, and by position. */
struct by_position {
    struct experiment all[WAITING_EXPERIMENTS], beyond[WAITING_EXPERIMENTS], behind[WAITING_EXPERIMENTS];
    size_t count, beyond_count, behind_count;
    bool has_behind; /* the class has experiments of that kind */
};

static struct by_position sort_by_position(const struct waiting_class *c, const struct waiting w[WAITING_EXPERIMENTS],
                                           double held)
{
    struct by_position s = {.count = 0};

    for (size_t i = 0; i < c->count; i++) {
        const bool behind = c->experiments[i].behind;
        s.has_behind |= behind;
        if (!w[i].result.count || c->experiments[i].extra_loads)
            continue;
        struct experiment e = w[i].result.experiments[0];
        e.confounder = behind ? "the second operation" : e.confounder;
        e.half = behind && c->experiments[i].second == LONG_OP_ARITHMETIC;
        e.holds = held + behind;
        s.all[s.count++] = e;
        *(behind ? &s.behind[s.behind_count++] : &s.beyond[s.beyond_count++]) = e;
    }
    return s;
}

/*
 * `behind` gives the scheduler alone; where `beyond` gives the same number there is no queue before it. A number by
 * `beyond` only may include a queue. *fits: how many can wait, for sharing.
 */
static void report_class(struct probe *p, const struct inflight *l, const struct waiting_class *c,
                         const struct waiting w[WAITING_EXPERIMENTS], double *fits)
{
    struct finding f = finding_of(c, "backend.scheduler.entries");
    const double held = waiting_held_by_misses(c, w);
    const struct by_position s = sort_by_position(c, w, held);
    struct graded beyond = grade_capacity(s.beyond, s.beyond_count, WAITING_STEP);
    struct graded behind = grade_capacity(s.behind, s.behind_count, WAITING_STEP);

    if (s.beyond_count == 0)
        beyond.reason = waiting_why_none(l, c, false);
    if (s.behind_count == 0)
        behind.reason = waiting_why_none(l, c, true);
    *fits = beyond.grade == 'U' ? waiting_most(c, w) : beyond.value - held;
    if (isnan(held) && beyond.grade != 'U')
        beyond = (struct graded){.grade = 'U', .reason = REASON_LONG_OPS_HOLD_UNKNOWN};
    if (s.has_behind)
        report_queue(p, c, &beyond, &behind, w);
    if (s.count == 0 || isnan(held)) {
        inflight_undecided(p, &f, beyond.reason);
    } else if (behind.grade == 'U' && c->queued) {
        inflight_undecided(p, &f, behind.reason);
    } else if (behind.grade == 'U') {
        f.remarks[1].key = "includes";
        f.remarks[1].text = "the queue before the scheduler, if there is one";
        inflight_report(p, &f, s.beyond, s.beyond_count, WAITING_STEP, 1);
    } else if (beyond.grade == 'U' || inflight_same(beyond.value, behind.value)) {
        inflight_report(p, &f, s.all, s.count, WAITING_STEP, 1);
    } else {
        inflight_report(p, &f, s.behind, s.behind_count, WAITING_STEP, 1);
    }
}

/* ---- Which classes share -------------------------------------------------------------------------- */

/*
 * `occupied`: chains of loads occupy entries of that class, so that only misses can be used; so it is where two chains
 * of loads do not overlap.
 */
static bool report_pair(struct probe *p, const struct inflight *l, struct sharing all[PAIRS], size_t pair,
                        const double fits[CLASSES], const bool occupied[CLASSES])
{
    const size_t a = class_index(pairs[pair].a), b = class_index(pairs[pair].b);
    const bool no_chains = l->unusable[LONG_OP_LOADS] == REASON_NO_OVERLAP;
    const bool misses = (occupied[a] || occupied[b] || no_chains) && pairs[pair].first == LONG_OP_LOADS;
    struct sharing *s = &all[pair];

    *s = (struct sharing){.a = classes[a].filler,
                          .b = classes[b].filler,
                          .waits = true,
                          .about = {fits[a] * BEYOND_FITTING, fits[b] * BEYOND_FITTING},
                          .trials = {{.first = misses ? LONG_OP_MISS : pairs[pair].first,
                                      .second = misses ? LONG_OP_MISS : pairs[pair].second}},
                          .count = 1};
    if (!sharing_find(p, l, all, pair) || (!s->text && !probe_is_smoke(p) && !sharing_find_again(p, l, all, pair)))
        return false;
    if (!s->text && s->reason == REASON_MASKED_BY_COMMON_LIMIT && classes[a].masked == classes[b].masked)
        s->reason = classes[a].masked;
    sharing_report(p, "backend.scheduler.shared", classes[a].name, classes[b].name, s);
    return true;
}

static void run(struct probe *p)
{
    struct sharing *shared = probe_calloc(p, PAIRS, sizeof *shared);
    struct waiting(*w)[WAITING_EXPERIMENTS] = probe_calloc(p, CLASSES, sizeof *w);
    double fits[CLASSES];
    bool occupied[CLASSES] = {false};
    struct inflight l;
    bool good = shared && w && inflight_start(p, &l);

    for (size_t i = 0; i < CLASSES && good; i++)
        good = waiting_measure(p, &l, &classes[i], w[i], &occupied[i]);
    for (size_t n = 0; n < INFLIGHT_REPEATS; n++)
        for (size_t i = 0; i < CLASSES * WAITING_EXPERIMENTS && good; i++)
            good = inflight_repeat(p, &w[i / WAITING_EXPERIMENTS][i % WAITING_EXPERIMENTS].result, 1);
    for (size_t i = 0; i < CLASSES && good; i++)
        report_class(p, &l, &classes[i], w[i], &fits[i]);
    for (size_t i = 0; i < PAIRS && good; i++)
        good = report_pair(p, &l, shared, i, fits, occupied);
    if (good)
        sharing_send(p, shared, PAIRS);
    for (size_t i = 0; i < CLASSES * WAITING_EXPERIMENTS && w; i++)
        inflight_free(&w[i / WAITING_EXPERIMENTS][i % WAITING_EXPERIMENTS].result);
    free(w);
    free(shared);
}

PROBE(schedulers, .title = "Schedulers", .family = "backend", .after = "queues", .run = run,
      .findings = FINDINGS({"backend.scheduler.entries", "entries",
                            "operations of that class that can wait to be picked"},
                           {"backend.dispatch_queue.entries", "entries",
                            "operations of that class that can wait for a place in the scheduler, others passing them"},
                           {"backend.scheduler.shared", "schedulers", "whether two classes wait in the same entries"}));
