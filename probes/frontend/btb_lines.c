/*
 * Question: how many taken branches do instruction and operation cache have room for, at each distance of the branches?
 *
 * Articles plot the cost of a branch over the number of branches, and where such a curve bends, either a branch target
 * buffer or the instruction cache may be full (16,384 and 49,152 branches 4 bytes apart are 64 and 192 KiB).
 *
 * Experiment: the same chain of unconditional branches (lib/kernels/branch_chain.h) twice. In one the pages have frames
 * of their own, in the other all of them show one frame. Both have the same branches at addresses that are equal but
 * for the highest bits, so that branch target buffers and instruction TLBs are asked for the same. Caches that go by
 * frames have to hold the whole chain in the first, and a page or two of it in the second. The frames are in the order
 * of the pages, or shuffled.
 *
 * Curve: cycles of a branch over the bytes that the chain spans, with frames of its own less with one frame. It is flat
 * while the cache holds all lines.
 *
 * Inference: the first rise (lib/structure/code_rise.h), as a number of branches. What rises behind it is of no interest:
 * where branches are fetched ahead of their execution, the curve falls again (Zen 4: from twice the capacity on).
 *
 *   instruction cache  capacity over stride; the same bytes at strides that have several branches in a line
 *   operation cache    what it supplies is not asked for in the instruction cache: where it holds more, the number is its
 *                      lines'. Of branches 64 bytes apart each takes one (Zen 4: 768)
 *
 * Some frames displace each other wherever they are mapped (Zen 4: a third page of a chain cost as much as if none
 * fitted, in one of four runs). So several rooms with other frames are asked, and the largest number counts.
 *
 * Each number is that of one pattern, and has grade C.
 *
 * Sources: plots of jia.je 2024 and 2025; the comparison is ours. docs/METHODS.md, 5.20.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/branch_cost.h"
#include "lib/structure/btb_levels.h"
#include "lib/structure/code_rise.h"

enum {
    LINE = BRANCH_CHAIN_LINE_BYTES,
    GRAIN = 1024,   /* bytes */
    FROM = 4096,    /* bytes: half of the smallest instruction cache */
    SPAN = 1 << 18, /* the largest known instruction cache has 192 KiB */
    FULL_SPAN = 1 << 19,
    SMOKE_SPAN = 1 << 14,
    ROOMS = 3 /* with frames of their own, of each kind */
};

static const char FINDING[] = "frontend.btb.cached_branches";
/* Of frames, by kind. */
static const char *const orders[] = {[BRANCH_CHAIN_IN_ORDER] = "in-order", [BRANCH_CHAIN_SHUFFLED] = "shuffled"};

/* A chain with frames of its own, and with one frame. */
struct both {
    struct branch_curve own, one;
};

/* Chosen frames, or those that the platform gave, some of which displace each other. */
struct rooms {
    struct branch_chain_room one, own[ROOMS];
    enum branch_chain_frames kind; /* of their own ones */
    size_t count, span;
};

static double branches_of(const struct both *b, double bytes)
{
    return bytes / (double)b->own.chain.stride;
}

static bool build_own(struct probe *p, double bytes, void *context, struct kernel *k)
{
    struct both *b = context;

    return branch_curve_build(p, branches_of(b, bytes), &b->own, k);
}

static bool build_one(struct probe *p, double bytes, void *context, struct kernel *k)
{
    struct both *b = context;

    return branch_curve_build(p, branches_of(b, bytes), &b->one, k);
}

/* What the first rise of a finished sweep says, in *f: its value, or the reason why there is none. */
static void read_rise(const struct search *s, double stride, struct finding *f)
{
    struct code_rise rise;
    const bool good = code_rise_find(s->points, s->count, &rise);

    *f = (struct finding){.name = FINDING,
                          .value = good ? rise.value / stride : (double)NAN,
                          .low = good ? rise.low / stride : (double)NAN,
                          .high = good ? rise.high / stride : (double)NAN,
                          .grade = good ? 'C' : 'U',
                          .reason = good ? REASON_NONE : REASON_NO_RISE};
}

static bool search(struct probe *p, struct both *b, double span, const char *name, struct finding *f)
{
    struct sweep s = {.name = name,
                      .confounder = "fetching ahead",
                      .axis = "footprint_bytes",
                      .unit = "cycles/branch",
                      .build = build_own,
                      .control = build_one,
                      .context = b,
                      .seconds = probe_scale(p, 0.1, 0.2, 0.2, 2),
                      .search = {.kind = KNEE_STEP,
                                 .budget = (unsigned)probe_scale(p, 12, 120, 120, 600),
                                 .from = FROM,
                                 .to = span,
                                 .step = GRAIN,
                                 .resolution = 0.02,
                                 .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)}};
    const bool good = sweep_search(p, &s);

    if (good)
        read_rise(&s.search, (double)b->own.chain.stride, f);
    sweep_free(&s);
    return good;
}

/* Reports the largest number that any of the rooms shows; where one shows none at all, none. */
static bool ask(struct probe *p, const struct rooms *r, size_t stride)
{
    const struct branch_chain chain = {.stride = stride};
    struct finding most = {.name = FINDING};
    char names[ROOMS][64];

    for (size_t i = 0; i < r->count; i++) {
        struct both b = {.own = {.chain = chain, .room = &r->own[i]}, .one = {.chain = chain, .room = &r->one}};
        struct finding f;
        snprintf(names[i], sizeof names[i], "uncond %zu, own frames less one frame, %s, %zu", stride, orders[r->kind],
                 i + 1);
        if (!search(p, &b, (double)r->span, names[i], &f))
            return false;
        if (i == 0 || (most.grade != 'U' && (f.grade == 'U' || f.value > most.value)))
            most = f;
    }
    for (size_t i = 0; i < r->count; i++)
        most.curves[i] = names[i];
    if (r->count < ROOMS && most.grade != 'U')
        most = (struct finding){.name = FINDING,
                                .value = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .grade = 'U',
                                .reason = REASON_TOO_FEW_POINTS};
    most.variants[0].key = "stride";
    most.variants[0].number = (double)stride;
    most.variants[1].key = "frames";
    most.variants[1].text = orders[r->kind];
    most.method = "where frames of their own begin to cost more than one frame for all pages, of the best frames";
    report(p, &most);
    return true;
}

static bool ask_all(struct probe *p, struct rooms *r, enum branch_chain_frames kind)
{
    const size_t page = machine_info()->page_bytes[0], most = (size_t)probe_scale(p, 1, 1, ROOMS, ROOMS);
    const size_t from = (size_t)probe_scale(p, LINE, LINE, LINE / 4.0, (double)btb_least_stride());
    size_t mapped = 0;
    bool good = true;

    r->kind = kind;
    r->count = most;
    while (good && mapped < most)
        good = branch_chain_map(p, &r->own[mapped++], r->span, page, kind);
    for (size_t stride = LINE; good && stride >= from; stride /= (size_t)probe_scale(p, 4, 4, 4, 2))
        good = ask(p, r, stride);
    while (mapped > 0)
        branch_chain_unmap(p, &r->own[--mapped]);
    return good;
}

/* Several rooms take too long for the profiles quick and simulated. */
static void run(struct probe *p)
{
    struct rooms r = {.span = (size_t)probe_scale(p, SMOKE_SPAN, SPAN, SPAN, FULL_SPAN)};

    if (!probe_is_smoke(p) && probe_scale(p, 0, 0, 1, 1) == 0)
        return;
    if (branch_chain_map(p, &r.one, r.span, machine_info()->page_bytes[0], BRANCH_CHAIN_ONE_FRAME) &&
        ask_all(p, &r, BRANCH_CHAIN_IN_ORDER) && probe_scale(p, 0, 0, 0, 1) > 0)
        ask_all(p, &r, BRANCH_CHAIN_SHUFFLED);
    branch_chain_unmap(p, &r.one);
}

PROBE(btb_lines, .title = "Branches in the instruction cache", .family = "frontend", .after = "itlb", .run = run,
      .findings = FINDINGS({"frontend.btb.cached_branches", "branches",
                            "taken branches at that distance that instruction or operation cache hold"}));
