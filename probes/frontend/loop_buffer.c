/*
 * Loop buffer: how many operations of a loop does the core replay without fetching them again?
 *
 * Loops of additions to registers in turn, longer and longer. While a loop is replayed, neither the operation cache nor the
 * decoders deliver anything.
 *
 *   counted   operations that the operation cache delivers, or where there is none the decoders: none of a loop that is
 *             replayed, one for each of one that is not. Needs counters that know both and a loop buffer
 *   time      cycles an operation. Shows a loop buffer only where what it replays goes faster than what is fetched
 *
 * Not NOPs: loops of those are replayed up to 39 or 40 only on cores that replay 144 or 191 of others (jia.je 2024, Golden
 * Cove and Redwood Cove). The end of a loop counts as one operation: decrement and branch are fused on x86-64, and at worst
 * the loop is one operation longer than is told.
 *
 * Curve: level, then a step where the loop is too long. Answer: the last loop on the level. A step in time that another
 * structure could make, the operation cache, is told as its. Where the counters know of a loop buffer and it delivers
 * nothing, there is none, or it is switched off, as microcode does on Skylake (Intel, erratum SKL150).
 * Method: jia.je 2024 with counters; over time our own.
 */
#include <math.h>

#include "lib/find.h"
#include "lib/probe.h"
#include "lib/proof.h"

enum {
    REGISTERS = 4,
    LOOP_OPS = 1,      /* of the loop's end */
    OPS_FROM = 16,     /* shorter loops pay for their own end */
    OPS_TO = 256,      /* the largest known: 192 (Intel, Redwood Cove) */
    SHORT_LOOP = 20,   /* any loop buffer holds it: Intel's first one had 18 instructions (2006) */
    ITERATIONS = 1000, /* before it is noticed that it is a loop */
    ROOM_BYTES = 16384
};

/* A loop buffer delivers more than this part of what a short loop executes, or there is none. */
static const double DELIVERS = 0.5;
/* The step of operation cache and loop buffer are the same where they are no farther apart. */
static const double SAME_STEP = 1.1;

static bool build(struct probe *p, double ops, void *context, struct kernel *k)
{
    const size_t *at = context;
    struct code c = probe_code(p, ROOM_BYTES);

    emit_nops(&c, *at);
    for (unsigned i = 0; i + LOOP_OPS < (unsigned)ops; i++)
        emit_add_constant(&c, (enum reg)(REG_T0 + i % REGISTERS), 1);
    emit_loop(&c, *at);
    emit_return(&c);
    *k = (struct kernel){.units = ops, .warm_iterations = probe_smoke(p, 10, ITERATIONS)};
    return probe_kernel(p, &c, 0, k);
}

static struct sweep sweep_of(struct probe *p, const char *name, const char *unit, size_t *at)
{
    return (struct sweep){.name = name,
                          .fooled_by = "alignment",
                          .axis = "operations",
                          .unit = unit,
                          .build = build,
                          .context = at,
                          .search = {.kind = KNEE_STEP,
                                     .from = OPS_FROM,
                                     .to = probe_smoke(p, 64, OPS_TO),
                                     .limit = probe_smoke(p, 64, 4 * OPS_TO),
                                     .grain = 1,
                                     .coarse = (unsigned)probe_scale(p, 4, 24, 48, 96),
                                     .resolution = 0.02}};
}

static struct finding finding_of(double value, char grade, const char *reason, const char *method)
{
    return (struct finding){.name = "frontend.loop_buffer.ops",
                            .value = value,
                            .low = NAN,
                            .high = NAN,
                            .grade = grade,
                            .reason = reason,
                            .method = method};
}

/* What delivers where the loop buffer does not; NULL where it cannot be counted. */
static bool choose_need(struct probe *p, const struct kernel *k, const char **need)
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

/* Counts with what the core has for it. */
static bool find_counted(struct probe *p, const char *need, size_t at[2])
{
    struct sweep s[2] = {sweep_of(p, "counted", "operations", &at[0]),
                         sweep_of(p, "counted, other place", "operations", &at[1])};
    struct find_experiment e[2];

    s[0].need = s[1].need = need;
    bool good = sweeps_search(p, s, 2);
    if (good) {
        struct finding f = finding_of(NAN, 'U', NULL,
                                      "counted: the last loop of which nothing else delivers operations");
        find_experiments(s, 2, e);
        find_capacity(p, &f, e, 2, 1);
    }
    sweeps_free(s, 2);
    return good;
}

/* Is it the operation cache's step? */
static bool is_op_cache(struct probe *p, const struct verdict *v)
{
    double ops = facts_number(&p->run->facts, "frontend.op_cache.ops", "", 0);

    return v->count && ops > 0 && v->knees[0].value < SAME_STEP * ops && v->knees[0].value > ops / SAME_STEP;
}

static bool find_timed(struct probe *p, size_t at[2])
{
    struct sweep s[2] = {sweep_of(p, "time", "cycles/operation", &at[0]),
                         sweep_of(p, "time, other place", "cycles/operation", &at[1])};
    struct find_experiment e[2];

    bool good = sweeps_search(p, s, 2);
    if (good) {
        struct finding f = finding_of(NAN, 'U', NULL, "time: the last loop before operations take longer");
        find_experiments(s, 2, e);
        if (is_op_cache(p, &s[0].search.verdict) || is_op_cache(p, &s[1].search.verdict))
            s[0].search.verdict.reason = s[1].search.verdict.reason = "masked-by:frontend.op_cache.ops";
        find_capacity(p, &f, e, 2, 1);
    }
    sweeps_free(s, 2);
    return good;
}

static void run(struct probe *p)
{
    size_t at[2] = {0, 48}; /* where on its line the loop begins: two layouts */
    double delivered = NAN, twenty = SHORT_LOOP;
    struct kernel k = {.units = 1};
    const char *need = NULL;

    if (!build(p, twenty, &at[0], &k) || !probe_count(p, &k, "loop_buffer_ops", &delivered) ||
        !choose_need(p, &k, &need))
        return;
    if (delivered < DELIVERS) {
        struct finding f = finding_of(NAN, 'U', NULL, "counted: a loop buffer delivers nothing of a short loop");
        report_number(p, &f, 0);
    } else if (delivered >= DELIVERS && need) {
        find_counted(p, need, at);
    } else {
        find_timed(p, at);
    }
}

PROBE(loop_buffer, .title = "Loop buffer", .family = "frontend", .after = "op_cache", .run = run,
      .findings = FINDINGS({"frontend.loop_buffer.ops", "operations",
                            "the longest loop that is replayed; 0: none is"}));
