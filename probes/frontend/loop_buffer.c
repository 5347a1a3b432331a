/*
 * Question: how many operations of a loop does the core replay without fetching them again?
 *
 * Experiment: loops of additions to registers in turn, longer and longer. While a loop is replayed, neither the
 * operation cache nor the decoders deliver anything.
 *
 *   counted  operations that the operation cache delivers, or where they are not counted the decoders: 0 for each
 *            operation of a loop that is replayed, 1 of any other. Needs such a counter, and one of what the loop
 *            buffer delivers
 *   time     cycles per operation. Shows a loop buffer only where replaying is faster than fetching
 *
 * Loops of NOPs are a finding of their own: cores that replay 144 or 191 other operations replay loops of NOPs only up
 * to 39 or 40 (jia.je 2024, Golden Cove and Redwood Cove). The end of a loop counts as one operation: decrement and
 * branch are fused on x86-64. At worst the loop is one operation longer than reported.
 *
 *   taken    loops of four and of eight jumps, each over a few bytes to the next one: what one more of them costs. Only
 *            where what the loop buffer delivers is counted, since nothing else tells that such a loop is replayed
 *
 * Curve: a level, then a step where the loop is too long. Inference: the last loop on the level. A step in time that
 * may be the operation cache's is reported as masked by it. Where the core counts what its loop buffer delivers, and
 * that is nothing, there is none, or it is switched off, as by microcode on Skylake (Intel, erratum SKL150). The same of
 * loops with jumps: 0 taken branches a cycle.
 *
 * Sources: jia.je 2024 for counters; the experiment on time is ours. docs/METHODS.md, 5.12.
 */
#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/count.h"
#include "lib/probe/probe.h"
#include "lib/probe/proof.h"
#include "lib/probe/sample.h"
#include "lib/probe/sweep.h"

enum {
    REGISTERS = 4,
    LOOP_OPS = 1,      /* of the loop's end */
    OPS_FROM = 16,     /* in shorter loops the end of the loop costs too much */
    OPS_TO = 256,      /* the largest known: 192 (Intel, Redwood Cove) */
    SHORT_LOOP = 20,   /* any loop buffer holds it: Intel's first one had 18 instructions (2006) */
    ITERATIONS = 1000, /* before measuring: the core has recognised the loop then */
    LINE_BYTES = 64,
    ROOM_BYTES = 16384
};

/* Part of a short loop's operations that a loop buffer delivers, at least. Chosen: half. */
static const double DELIVERS = 0.5;
/* Ratio of a step and of the operation cache's capacity up to which they may be the same. Chosen. */
static const double SAME_STEP = 1.1;

struct op_loop {
    size_t at; /* where on its line the loop begins */
    bool nops; /* it is made of them; else of additions */
};

static bool build(struct probe *p, double ops, void *context, struct kernel *k)
{
    const struct op_loop *l = context;
    struct code c = probe_code(p, ROOM_BYTES);

    emit_nops(&c, l->at);
    for (unsigned i = 0; i + LOOP_OPS < (unsigned)ops; i++)
        if (l->nops)
            emit_nop(&c, emit_nop_lengths[0]);
        else
            emit_add_constant(&c, (enum reg)(REG_T0 + i % REGISTERS), 1);
    emit_loop(&c, l->at);
    emit_return(&c);
    *k = (struct kernel){.units = ops, .warm_iterations = probe_smoke(p, 10, ITERATIONS)};
    return probe_kernel(p, &c, 0, k);
}

static struct sweep sweep_of(struct probe *p, const char *name, const char *unit, struct op_loop *l)
{
    return (struct sweep){.name = name,
                          .confounder = "alignment",
                          .axis = "operations",
                          .unit = unit,
                          .build = build,
                          .context = l,
                          .search = {.kind = KNEE_STEP,
                                     .from = OPS_FROM,
                                     .to = probe_smoke(p, 64, OPS_TO),
                                     .limit = probe_smoke(p, 64, 4 * OPS_TO),
                                     .step = 1,
                                     .coarse = (unsigned)probe_scale(p, 4, 24, 48, 96),
                                     .resolution = 0.02}};
}

static struct finding finding_of(const struct op_loop *l, const char *method)
{
    return (struct finding){.name = l->nops ? "frontend.loop_buffer.nops" : "frontend.loop_buffer.ops",
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .method = method};
}

/* Chooses the event for operations that come from elsewhere than the loop buffer; NULL where none can be counted. */
static bool choose_event(struct probe *p, const struct kernel *k, const char **need)
{
    static const char *const needs[] = {"op_cache_ops", "decoder_ops"};
    double per_unit;

    *need = NULL;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0] && !*need; i++) {
        if (!probe_count(p, k, needs[i], &per_unit))
            return false;
        if (!isnan(per_unit))
            *need = needs[i];
    }
    return true;
}

/* Searches the step in counted operations. */
static bool find_counted(struct probe *p, const char *need, struct op_loop l[2])
{
    struct sweep s[2] = {
        sweep_of(p, l->nops ? "NOPs, counted" : "counted", "operations", &l[0]),
        sweep_of(p, l->nops ? "NOPs, counted, other place" : "counted, other place", "operations", &l[1])};
    struct experiment e[2];

    s[0].need = s[1].need = need;
    bool good = sweeps_search(p, s, 2);
    if (good) {
        struct finding f = finding_of(l, "counted: the last loop of which nothing else delivers operations");
        experiments_of_sweeps(s, 2, e);
        report_capacity(p, &f, e, 2, 1);
    }
    sweeps_free(s, 2);
    return good;
}

/* Whether the step may be the operation cache's. */
static bool is_op_cache(struct probe *p, const struct verdict *v)
{
    double ops = facts_number(&p->run->facts, "frontend.op_cache.ops", "", 0);

    return v->count && ops > 0 && v->knees[0].value < SAME_STEP * ops && v->knees[0].value > ops / SAME_STEP;
}

/* Searches the step in time. */
static bool find_timed(struct probe *p, struct op_loop l[2])
{
    struct sweep s[2] = {
        sweep_of(p, l->nops ? "NOPs, time" : "time", "cycles/operation", &l[0]),
        sweep_of(p, l->nops ? "NOPs, time, other place" : "time, other place", "cycles/operation", &l[1])};
    struct experiment e[2];

    bool good = sweeps_search(p, s, 2);
    if (good) {
        struct finding f = finding_of(l, "time: the last loop before operations take longer");
        experiments_of_sweeps(s, 2, e);
        if (is_op_cache(p, &s[0].search.verdict) || is_op_cache(p, &s[1].search.verdict))
            s[0].search.verdict.reason = s[1].search.verdict.reason = REASON_MASKED_BY_OP_CACHE;
        report_capacity(p, &f, e, 2, 1);
    }
    sweeps_free(s, 2);
    return good;
}

/* ---- Taken branches ----------------------------------------------------------------------------- */

enum { TAKEN_FEW = 4, TAKEN_MORE = 8, TAKEN_SLOT = 16 /* bytes from one jump to the next */ };

struct jumps {
    size_t at; /* where on its line the loop begins */
    unsigned count;
};

static bool build_jumps(struct probe *p, void *context, struct kernel *k)
{
    const struct jumps *j = context;
    const unsigned bytes = emit_jump_bytes(TAKEN_SLOT, false);
    struct code c = probe_code(p, ROOM_BYTES);

    emit_nops(&c, j->at);
    for (unsigned i = 0; i < j->count; i++) {
        emit_jump(&c, j->at + (i + 1) * TAKEN_SLOT, bytes);
        emit_nops(&c, TAKEN_SLOT - bytes); /* are jumped over */
    }
    emit_loop(&c, j->at);
    emit_return(&c);
    *k = (struct kernel){.units = 1, .warm_iterations = probe_smoke(p, 10, ITERATIONS)};
    return probe_kernel(p, &c, 0, k);
}

/* Sets *part to the part of the loop's operations that the loop buffer delivers; NaN: it is not counted. */
static bool count_jumps(struct probe *p, struct jumps *j, double *part)
{
    struct kernel k = {.units = 1};

    if (!build_jumps(p, j, &k) || !probe_count(p, &k, "loop_buffer_ops", part))
        return false;
    *part /= j->count + LOOP_OPS;
    return true;
}

/* How many taken branches go in a cycle in a loop that is replayed, at two places. */
static bool find_taken(struct probe *p)
{
    enum { PLACES = 2, SAMPLES = 3 };
    static const char *const names[PLACES] = {"taken", "taken, other place"};
    struct finding f = {.name = "frontend.loop_buffer.taken_per_cycle",
                        .reason = REASON_PLATFORM,
                        .detail = "what the loop buffer delivers is not counted",
                        .method = "counted: jumps in loops that are replayed, and what one more of them costs"};
    struct experiment_value v[PLACES];
    unsigned none = 0;

    for (size_t i = 0; i < PLACES; i++) {
        struct jumps few = {LINE_BYTES / 2 * i, TAKEN_FEW}, more = {LINE_BYTES / 2 * i, TAKEN_MORE};
        double delivered, also, cycles, longer;
        if (!count_jumps(p, &few, &delivered) || !count_jumps(p, &more, &also) ||
            !sample_cycles(p, SAMPLES, build_jumps, &few, &cycles) ||
            !sample_cycles(p, SAMPLES, build_jumps, &more, &longer))
            return false;
        const bool counted = !isnan(delivered) && !isnan(also);
        v[i] = (struct experiment_value){names[i], "alignment", NAN};
        none += delivered < DELIVERS && also < DELIVERS;
        f.reason = counted ? REASON_NOT_STEADY : f.reason;
        f.detail = counted ? NULL : f.detail;
        if (delivered >= DELIVERS && also >= DELIVERS && longer > cycles)
            v[i].value = (TAKEN_MORE - TAKEN_FEW) / (longer - cycles);
    }
    if (none == PLACES)
        report_number(p, &f, 0);
    else
        report_graded_number(p, &f, v, PLACES);
    return true;
}

/* Loops of additions, and loops of NOPs, each at two places on a line. */
static void run(struct probe *p)
{
    struct op_loop loops[2][2] = {{{0, false}, {48, false}}, {{0, true}, {48, true}}};
    double delivered = NAN, short_loop = SHORT_LOOP;
    struct kernel k = {.units = 1};
    const char *need = NULL;

    if (!build(p, short_loop, &loops[0][0], &k) || !probe_count(p, &k, "loop_buffer_ops", &delivered) ||
        !choose_event(p, &k, &need))
        return;
    bool good = true;
    for (size_t i = 0; i < 2 && good; i++) {
        if (delivered < DELIVERS) {
            struct finding f = finding_of(loops[i], "counted: a loop buffer delivers nothing of a short loop");
            report_number(p, &f, 0);
        } else if (delivered >= DELIVERS && need) {
            good = find_counted(p, need, loops[i]);
        } else {
            good = find_timed(p, loops[i]);
        }
    }
    if (good)
        find_taken(p);
}

PROBE(loop_buffer, .title = "Loop buffer", .family = "frontend", .after = "op_cache", .run = run,
      .findings = FINDINGS({"frontend.loop_buffer.ops", "operations", "the longest loop that is replayed; 0: none is"},
                           {"frontend.loop_buffer.nops", "NOPs",
                            "the longest loop of NOPs that is replayed; 0: none is"},
                           {"frontend.loop_buffer.taken_per_cycle", "branches",
                            "taken branches in a cycle in loops that are replayed; 0: loops with such are not"}));
