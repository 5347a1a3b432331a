/*
 * SMT sharing: what becomes of a structure when a second thread of the core is awake? (docs/METHODS.md, 9.4)
 *
 * Experiment: the curve by which the structure's own probe finds its capacity, while the sibling thread sleeps, waits
 * (PAUSE, YIELD), and fills that structure.
 *
 *   rob           NOPs between two misses; beside a chain of divisions with NOPs behind them
 *   load_queue    loads between two misses; beside divisions with prefetches
 *   store_queue   stores between two misses; beside divisions with stores
 *   l1d           a chase over lines; beside loads of as many lines as the cache has, again and again
 *   dtlb          a chase over pages; beside loads from as many pages as the TLB holds
 *
 * In each of these states half of the curve's rise, by bisection (lib/structure/beside_capacity.h), in turn, many times.
 *
 * Inference: lib/structure/smt_sharing.h. What is found beside the sleeping sibling has to be what the structure's probe
 * has found. A queue that holds no less than the reorder buffer does in the same state may hold more: undecided. That a
 * structure is not shared, or by demand, is believed only where another one shows that the sibling sleeps when it should.
 *
 * Method: SMTcheck (CISA, 2023) compares capacities alone with those beside the same test on the sibling.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/pages.h"
#include "lib/probe/beside.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/beside_capacity.h"
#include "lib/structure/caches.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/inflight_start.h"
#include "lib/structure/page_chase.h"
#include "lib/structure/tolerances_smt.h"

enum { LINE = TRAFFIC_LINE, SMOKE_BYTES = 65536, FEW_PAGES = 4, FEW_LINES = 32, PARTS = 100 };
enum structure { SHARED_DTLB, SHARED_L1D, SHARED_ROB, SHARED_LOADS, SHARED_STORES, STRUCTURES };

static const struct shared {
    const char *name, *unit, *fact, *variants; /* of its capacity; dtlb: and the page */
    const char *filler;                        /* NULL: it is filled by a chase */
    enum responder_duty duty;                  /* of a sibling that fills it */
    enum reason unknown;                       /* why nothing is known of its capacity */
} structures[STRUCTURES] = {
    {"dtlb", "pages", "memory.dtlb.entries", "level=1 access=load", NULL, RESPONDER_STREAMS, REASON_TLB_UNKNOWN},
    {"l1d", "bytes", "memory.cache.bytes", "level=1", NULL, RESPONDER_STREAMS, REASON_CAPACITY_UNKNOWN},
    {"rob", "NOPs", "backend.rob.instructions", "filler=nop", "nop", RESPONDER_FILLS_ENTRIES, REASON_ROB_UNKNOWN},
    {"load_queue", "loads", "backend.load_queue.entries", "width=64", "load-64", RESPONDER_FILLS_LOADS,
     REASON_QUEUE_UNKNOWN},
    {"store_queue", "stores", "backend.store_queue.entries", "width=64", "store-64", RESPONDER_FILLS_STORES,
     REASON_QUEUE_UNKNOWN},
};

struct found {
    double known, high; /* by the structure's probe, and the first bad one; NaN: nothing is */
    enum reason reason;
    const char *detail;
    struct smt_rounds rounds;
    struct smt_verdict verdict;
};

struct sharing {
    unsigned sibling;
    double per_entry; /* NOPs that share an entry of the reorder buffer */
    struct found all[STRUCTURES];
};

/* ---- Experiments -------------------------------------------------------------------------------- */

/* All rounds of one structure. False: the probe is over. */
static bool measure(struct probe *p, const struct sharing *s, enum structure what, const struct beside_curve *c,
                    struct found *f)
{
    const double end = machine_seconds() + probe_scale(p, 1, 2, 24, 60); /* where windows are long, it is undecided */
    const size_t rounds = (size_t)probe_smoke(p, 1, SMT_ROUNDS);
    const size_t pitch = what == SHARED_DTLB ? machine_info()->page_bytes[0] + LINE : LINE;
    const struct traffic_kind fills = {structures[what].duty, 0, 0, pitch};
    const double lines = what == SHARED_DTLB ? f->known : what == SHARED_L1D ? f->known / LINE : RESPONDER_BLOCK;
    const size_t mark = machine_map_mark();
    struct beside b;
    const char *why = NULL;
    bool good = beside_start(p, &b, s->sibling, &fills, (size_t)lines * pitch);

    while (good && !why && f->rounds.count < rounds && !smt_rounds_are_enough(&f->rounds) && machine_seconds() < end) {
        bool decided = true;
        for (enum smt_state state = 0; state < SMT_STATES && good && !why; state++) {
            double *const to = &f->rounds.capacity[state][f->rounds.count];
            why = beside_capacity(p, &b, state, c, to, &good);
            decided = decided && !isnan(*to);
        }
        f->rounds.count += decided && good && !why;
    }
    if (why)
        f->reason = REASON_PLATFORM, f->detail = why;
    probe_release(p, mark);
    return good;
}

/* The result is known to a hundredth of what is known already, or to one unit. */
static struct beside_curve curve(const struct found *f, double few, double unit)
{
    return (struct beside_curve){.least = few * unit,
                                 .beyond = floor(f->high * 1.5 / unit) * unit,
                                 .step = fmax(floor(f->known / PARTS / unit), 1) * unit};
}

static bool measure_pages(struct probe *p, const struct sharing *s, struct found *f)
{
    struct pages pages;
    struct page_chase chase = {&pages, 1};
    struct beside_curve c = curve(f, FEW_PAGES, 1);

    /* what fills it has the pages of the platform, which the image leaves as the firmware has made them */
    if (machine_info()->privileged && !probe_is_smoke(p))
        f->detail = "the pages of another processor are the firmware's, and large";
    else
        f->detail = pages_map(p, &pages, (size_t)c.beyond + 1, machine_info()->page_bytes[0], PAGES_OWN_LINES);
    f->reason = f->detail ? REASON_PLATFORM : REASON_NONE;
    if (f->detail)
        return true;
    c.build = page_chase_sweep("dtlb", &chase).build, c.context = &chase;
    const bool good = measure(p, s, SHARED_DTLB, &c, f);
    pages_unmap(p, &pages);
    return good;
}

static bool build_lines(struct probe *p, double bytes, void *context, struct kernel *k)
{
    return caches_random_order(p, context, bytes, k);
}

static bool measure_lines(struct probe *p, const struct sharing *s, struct found *f)
{
    struct pointer_chase chase = {.pitch = LINE};
    struct beside_curve c = curve(f, FEW_LINES, LINE);

    c.build = build_lines, c.context = &chase;
    return pointer_chase_map(p, &chase, (size_t)c.beyond + LINE) && measure(p, s, SHARED_L1D, &c, f);
}

static bool measure_fillers(struct probe *p, const struct sharing *s, const struct inflight *l, enum structure what,
                            struct found *f)
{
    const char *const fillers[INFLIGHT_KINDS] = {structures[what].filler};
    struct inflight_experiment e = {.inflight = l, .first = LONG_OP_MISS, .second = LONG_OP_MISS};
    struct beside_curve c = curve(f, INFLIGHT_FEW, 1);

    if (l->unusable[LONG_OP_MISS]) {
        f->reason = l->unusable[LONG_OP_MISS];
        return true;
    }
    c.build = inflight_build, c.context = &e;
    return inflight_choose_fillers(&e, fillers) ? measure(p, s, what, &c, f)
                                                : probe_skip(p, "this core lacks loads or stores of 64 bits");
}

/* Pages first: on AArch64 they choose the granule, before any code is mapped. */
static bool measure_all(struct probe *p, struct sharing *s)
{
    struct found *all = s->all;
    struct inflight l;
    bool good = (all[SHARED_DTLB].reason || measure_pages(p, s, &all[SHARED_DTLB])) &&
                (all[SHARED_L1D].reason || measure_lines(p, s, &all[SHARED_L1D]));
    if (!good || (all[SHARED_ROB].reason && all[SHARED_LOADS].reason && all[SHARED_STORES].reason))
        return good;
    good = inflight_start(p, &l);
    for (enum structure i = SHARED_ROB; i < STRUCTURES && good; i++)
        good = all[i].reason || measure_fillers(p, s, &l, i, &all[i]);
    return good;
}

/* ---- Inference ---------------------------------------------------------------------------------- */

/* Why the end of a queue may be that of the reorder buffer: it holds as many fillers as that has entries, in some state. */
static enum reason may_be_rob(const struct sharing *s, const struct smt_verdict *v)
{
    const struct found *rob = &s->all[SHARED_ROB];

    if (isnan(s->per_entry) || rob->rounds.count == 0 || rob->verdict.reason == REASON_NO_READINGS)
        return REASON_ROB_UNKNOWN;
    for (enum smt_state i = 0; i < SMT_STATES; i++)
        if (!(v->high[i] < rob->verdict.low[i] / s->per_entry * (1 - SHARE_WITHIN)))
            return REASON_MASKED_BY_ROB;
    return REASON_NONE;
}

static void decide(struct sharing *s)
{
    bool sleeps = false;

    for (enum structure i = 0; i < STRUCTURES; i++) {
        struct found *f = &s->all[i];
        if (f->reason)
            continue;
        smt_sharing_decide(&f->rounds, &f->verdict);
        f->reason = f->verdict.reason;
        const double alone = f->verdict.median[SMT_ASLEEP];
        if (!f->reason && !(alone >= f->known * (1 - KNOWN_WITHIN) && alone <= f->high * (1 + KNOWN_WITHIN)))
            f->reason = REASON_EXPERIMENTS_DISAGREE;
        if (!f->reason && i > SHARED_ROB)
            f->reason = may_be_rob(s, &f->verdict);
        sleeps |= !f->reason && (f->verdict.kind == SMT_HALVES || f->verdict.kind == SMT_CAPPED);
    }
    for (enum structure i = 0; i < STRUCTURES; i++)
        if (!s->all[i].reason && !sleeps)
            s->all[i].reason = REASON_SIBLING_AWAKE;
}

/* ---- Reports ------------------------------------------------------------------------------------ */

static void report_one(struct probe *p, const char *name, const struct found *f)
{
    report(p, &(struct finding){.name = "system.smt.sharing",
                                .variants = {{name ? "structure" : NULL, name}},
                                .value = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .text = f->reason ? NULL : smt_kind_names[f->verdict.kind],
                                .grade = f->reason ? 'U' : 'C',
                                .reason = f->reason,
                                .detail = f->detail,
                                .method = "the structure's curve beside a sibling that sleeps, waits, or fills it"});
}

static void report_all(struct probe *p, const struct sharing *s)
{
    struct record r;

    for (enum structure i = 0; i < STRUCTURES; i++)
        report_one(p, structures[i].name, &s->all[i]);
    record_table(p, &r, "smt");
    record_integer(&r, "sibling", s->sibling);
    RECORD_COLUMNS(&r, "structure", "unit", "sharing", "asleep", "asleep_low", "asleep_high", "waiting", "waiting_low",
                   "waiting_high", "filling", "filling_low", "filling_high");
    for (enum structure i = 0; i < STRUCTURES; i++) {
        const struct found *f = &s->all[i];
        if (f->rounds.count == 0)
            continue;
        record_array(&r, NULL);
        record_text(&r, NULL, structures[i].name);
        record_text(&r, NULL, structures[i].unit);
        record_text(&r, NULL, f->reason ? "" : smt_kind_names[f->verdict.kind]);
        for (enum smt_state state = 0; state < SMT_STATES; state++) {
            record_number(&r, NULL, rounded(f->verdict.median[state]));
            record_number(&r, NULL, rounded(f->verdict.low[state]));
            record_number(&r, NULL, rounded(f->verdict.high[state]));
        }
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* Which processor is the sibling; in a smoke run, that decides nothing, any. */
static enum reason find_sibling(const struct probe *p, unsigned *sibling)
{
    static const enum reason why[] = {REASON_SIBLING_UNKNOWN, REASON_NO_SIBLING, REASON_NONE};
    const struct fact_sibling *known = &p->run->facts.sibling;
    unsigned others[BESIDE_CORES];

    if (cores_beside(others) == 0)
        return REASON_ONE_CORE;
    *sibling = probe_is_smoke(p) ? others[0] : known->core;
    return probe_is_smoke(p) ? REASON_NONE : why[known->state];
}

static void run(struct probe *p)
{
    struct sharing *s = probe_calloc(p, 1, sizeof *s);

    if (!s)
        return;
    const struct found none = {.reason = find_sibling(p, &s->sibling)};
    for (enum structure i = 0; i < STRUCTURES && !none.reason; i++) {
        struct found *f = &s->all[i];
        char variants[64];
        snprintf(variants, sizeof variants, "%s%s%s", structures[i].variants, i == SHARED_DTLB ? " page=" : "",
                 i == SHARED_DTLB ? page_name(machine_info()->page_bytes[0]) : "");
        const struct fact *known = facts_find(&p->run->facts, structures[i].fact, variants);
        f->known = known ? known->value : probe_smoke(p, i == SHARED_L1D ? SMOKE_BYTES : 16, NAN);
        f->high = known ? known->high : f->known;
        f->reason = isnan(f->known) ? structures[i].unknown : REASON_NONE;
    }
    s->per_entry = s->all[SHARED_ROB].known / facts_number(&p->run->facts, "backend.rob.entries", "", (double)NAN);
    if (none.reason) {
        report_one(p, NULL, &none);
    } else if (measure_all(p, s)) {
        decide(s);
        report_all(p, s);
    }
    free(s);
}

PROBE(smt_sharing, .title = "What threads of a core share", .family = "system", .after = "queues", .run = run,
      .findings = FINDINGS({"system.smt.sharing", "way",
                            "how a structure is divided between two threads of the core that are awake"}));
