/*
 * Siblings: is another processor a thread of the same core as this one?
 *
 * Experiment: two kernels that only the core's width limits, NOPs and independent loads of one line, are timed while the
 * other processor is idle, and while it loads a few lines of its own first-level cache as fast as it can. In turn, many
 * times; each kernel in units of a chain of additions beside it, so that it does not matter that clocks may fall when
 * more cores are busy, and chains leave most of the core to a sibling.
 *
 * Inference: threads of one core take turns in its front end, and share its ports: each kernel takes up to twice as long.
 * Processors that are cores of their own take as long as before. The interval of the median over all rounds has to lie
 * beyond one of two thresholds (lib/structure/core_siblings.h), and both kernels must agree: NOPs need the front end and
 * no port, loads need ports. Then grade B.
 *
 * There is no curve. Under a hypervisor a processor may be moved to another core at any time, and other guests may be
 * siblings of either. A thread that is busy all the time because of somebody else hides that it is one.
 *
 * Method: docs/METHODS.md, 9.3. SMTcheck (CISA, 2023) compares runs beside a busy sibling with runs alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/traffic.h"
#include "lib/probe/beside.h"
#include "lib/probe/probe.h"
#include "lib/structure/core_siblings.h"

enum {
    NOPS = 1024,
    LOADS = 512,
    CHAIN = 256,
    KERNELS = 1 + SIBLING_KERNELS, /* the chain, and those that are compared with it */
    LISTED = 2 * KERNELS,          /* all once to warm up, and once that counts */
    ATTEMPTS = 3,
    BUFFER_BYTES = 1024,
    CODE_BYTES = 16384
};

struct siblings {
    struct traffic traffic;
    struct area data;
    struct kernel kernels[KERNELS];
    uint64_t iterations;
    size_t rounds;
    bool undecided; /* some processor may be a sibling, and may be none */
};

static void emit_body(struct code *c, size_t which)
{
    for (unsigned i = 0; i < CHAIN && which == 0; i++)
        emit_add(c, REG_T0, REG_T1);
    for (unsigned i = 0; i < NOPS && which == 1; i++)
        emit_nop(c, emit_nop_lengths[0]);
    for (unsigned i = 0; i < LOADS && which == 2; i++)
        emit_load(c, REG_T0 + i % (REGS - REG_T0), REG_DATA, 0);
}

static bool build(struct probe *p, struct siblings *s)
{
    struct code c = probe_code(p, CODE_BYTES);
    size_t entries[KERNELS];

    traffic_emit_request(p, &c);
    for (size_t i = 0; i < KERNELS; i++) {
        emit_align(&c, 64);
        entries[i] = c.used;
        emit_constant(&c, REG_T1, 0);
        const size_t loop = c.used;
        emit_body(&c, i);
        emit_loop(&c, loop);
        emit_return(&c);
    }
    s->traffic.request.units = 1;
    bool good = probe_kernel(p, &c, 0, &s->traffic.request);
    for (size_t i = 0; i < KERNELS && good; i++) {
        s->kernels[i].units = 1;
        s->kernels[i].data = s->data.at;
        good = probe_kernel(p, &c, entries[i], &s->kernels[i]);
    }
    return good;
}

/*
 * Measures each kernel in units of the chain, beside the other processor or, with `others` 0, alone; NaN where the window
 * was disturbed. Returns NULL, or why the other one cannot be used. *good: the probe is not over.
 */
static const char *measure(struct probe *p, struct siblings *s, size_t others, double times[SIBLING_KERNELS],
                           bool *good)
{
    const struct traffic_kind busy = {.duty = RESPONDER_STREAMS};
    struct reading list[BESIDE_CORES + LISTED];
    double ticks[KERNELS];
    bool quiet = false;

    s->traffic.count = others;
    for (size_t i = 0; i < SIBLING_KERNELS; i++)
        times[i] = (double)NAN;
    for (unsigned attempt = 0; attempt < ATTEMPTS && !quiet; attempt++) {
        const size_t first = traffic_list(&s->traffic, list);
        for (size_t i = 0; i < LISTED; i++)
            list[first + i] = (struct reading){.kernel = s->kernels[i % KERNELS].entry,
                                               .argument = {s->iterations, s->data.at}};
        const char *why = traffic_window(p, &s->traffic, &busy, list, first + LISTED, &quiet, good);
        if (why || !*good)
            return why;
    }
    for (size_t i = 0; i < KERNELS; i++) {
        const struct reading *r = &list[s->traffic.count + KERNELS + i];
        ticks[i] = (double)(r->end_ticks - r->begin_ticks);
        p->run->meter.kernel_seconds += ticks[i] / machine_info()->tick_hz;
    }
    for (size_t i = 0; i < SIBLING_KERNELS && quiet; i++)
        times[i] = ticks[1 + i] / ticks[0];
    return NULL;
}

static void report_pair(struct probe *p, unsigned other, enum reason reason, const char *why,
                        const struct sibling_verdict *v)
{
    char pair[32], condition[64];

    snprintf(pair, sizeof pair, "%u and %u", machine_info()->core, other);
    snprintf(condition, sizeof condition, "NOPs take %.2f times as long, loads %.2f", v->times[0], v->times[1]);
    report(p, &(struct finding){.name = "system.smt.siblings",
                                .variants = {{"pair", pair}},
                                .value = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .text = reason        ? NULL
                                        : v->siblings ? "siblings"
                                                      : "separate",
                                .grade = reason ? 'U' : 'B',
                                .reason = reason,
                                .detail = why,
                                .remarks = {{"condition", v->times[0] > 0 ? condition : NULL}},
                                .method = "what only the core's width limits, alone and beside the other processor"});
}

/* False: the probe is over. */
static bool measure_pair(struct probe *p, struct siblings *s, unsigned other)
{
    double times[SIBLING_KERNELS][SIBLING_ROUNDS];
    struct sibling_verdict v = {.reason = REASON_NO_READINGS};
    const char *why = NULL;
    size_t count = 0;
    bool good = true;

    s->traffic.cores[0] = other;
    for (size_t i = 0; i < s->rounds && !why && good; i++) {
        double alone[SIBLING_KERNELS] = {NAN}, beside[SIBLING_KERNELS] = {NAN};
        why = measure(p, s, 0, alone, &good);
        if (!why && good)
            why = measure(p, s, 1, beside, &good);
        if (why || !good || isnan(alone[0]) || isnan(beside[0]))
            continue;
        for (size_t k = 0; k < SIBLING_KERNELS; k++)
            times[k][count] = beside[k] / alone[k];
        count++;
    }
    if (good && !why)
        core_siblings_decide(times, count, &v);
    const enum reason reason = why ? REASON_PLATFORM : v.reason;
    if (good)
        report_pair(p, other, reason, why, &v);
    s->undecided |= reason != REASON_NONE;
    if (good && !reason && v.siblings)
        p->run->facts.sibling = (struct fact_sibling){SIBLING_KNOWN, other};
    return good;
}

static void run(struct probe *p)
{
    struct siblings *s = probe_calloc(p, 1, sizeof *s);
    unsigned others[BESIDE_CORES];
    const size_t count = cores_beside(others);

    if (!s)
        return;
    s->iterations = (uint64_t)probe_smoke(p, 1, 16);
    s->rounds = (size_t)probe_smoke(p, 1, SIBLING_ROUNDS);
    s->traffic.count = 1;
    s->traffic.bytes = BUFFER_BYTES;
    bool good = traffic_map(p, &s->traffic) && probe_map(p, &s->data, BUFFER_BYTES, 0) && build(p, s);
    for (size_t i = 0; i < count && good; i++)
        good = measure_pair(p, s, others[i]);
    if (!count && good)
        report(p, &(struct finding){.name = "system.smt.siblings",
                                    .value = (double)NAN,
                                    .low = (double)NAN,
                                    .high = (double)NAN,
                                    .grade = 'U',
                                    .reason = REASON_ONE_CORE});
    if (good && !s->undecided && p->run->facts.sibling.state == SIBLING_UNKNOWN)
        p->run->facts.sibling.state = SIBLING_NONE;
    free(s);
}

PROBE(siblings, .title = "Siblings", .family = "system", .run = run,
      .findings = FINDINGS({"system.smt.siblings", "relation",
                            "whether two processors are threads of one core, or cores of their own"}));
