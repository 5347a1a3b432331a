/*
 * Question: how many taken branches does each level of the branch target buffer hold, what does a branch cost there,
 * and how are its sets organised?
 *
 * Experiment: chains of taken branches (lib/kernels/branch_chain.h), longer and longer. All pages of a chain show one
 * frame, so that the instruction cache holds a page or two of it however long it is. The remaining knees are those of
 * the branch target buffer, of the instruction TLB, whose reach is known, and of the operation cache, whose steps are
 * small. One chain with a frame for each page shows what the instruction cache would change. Where pages of a simulated
 * core cannot share a frame, chains are so short that they fit into the instruction cache, which is measured first
 * (lib/structure/branch_lines.h) and is a limit of the family as the TLB is.
 *
 * Curve: cycles per branch over branches, a staircase: while a level holds all branches, each costs what that level
 * takes; past the last level, what it takes until the branch has been fetched and decoded.
 *
 * Inference, for unconditional, always-taken conditional and alternating branches:
 *
 *   levels        the last count on each level, from the family of strides 4 (AArch64), 8, 16 … bytes, and what
 *                 each of them holds up to 64; no single one shows a capacity (lib/structure/btb_levels.h)
 *   fallback      the cost far past the last level; NOPs before each branch show which part of the front end supplies
 *                 the target then (lib/structure/btb_fallback.h)
 *   shared        where two branches share an entry if the second is in the line that the first leads to (AMD,
 *                 optimisation guide of Zen 4), chains with a border of a line between a target and its branch leave
 *                 the first level with half as many branches as chains without
 *   organisation  which organisations explain the cost of unconditional and conditional branch sequences, with the
 *                 sequences that would distinguish them measured as well (lib/structure/btb_fit.h); levels that hold few
 *                 branches are fitted by themselves (lib/structure/btb_near.h)
 *
 * Sources: Matt Godbolt 2016; jia.je 2024 and 2025 (also the mixed patterns). Many pages on one frame, and NOPs that
 * show where a redirect comes from, are ours. docs/METHODS.md, 5.1.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/branch_chain.h"
#include "lib/plan/facts.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/branch_cost.h"
#include "lib/structure/branch_lines.h"
#include "lib/structure/btb_fallback.h"
#include "lib/structure/btb_fit.h"
#include "lib/structure/btb_levels.h"
#include "lib/structure/btb_near.h"
#include "lib/structure/btb_organisation.h"
#include "lib/structure/btb_report.h"
#include "lib/structure/tlb.h"

enum {
    LINE = BRANCH_CHAIN_LINE_BYTES,
    SPAN = 1 << 21,           /* bytes of the longest chain */
    SIMULATED_SPAN = 1 << 19, /* on simulated cores */
    SIMULATED_FAR = 1 << 18,  /* of that far past the last level, 256 bytes apart */
    OWN_SPAN = 1 << 17        /* on those whose pages have frames of their own: first instruction caches hold less */
};

struct setup {
    struct branch_chain_room room;
    size_t span;          /* bytes */
    const char *unshared; /* why pages have frames of their own; NULL: they share one */
    double lines;         /* bytes of the instruction cache, where it may be full; else 0 */
    struct btb_fit *fit;  /* NULL in the profiles smoke and simulated */
    struct btb_limits limits;
    struct btb_near *near;
};

static size_t page_bytes(void)
{
    return machine_info()->page_bytes[0]; /* the smallest: the most pages that share one frame */
}

static bool find_levels(struct probe *p, enum branch_chain_pattern pattern, const struct setup *s,
                        struct btb_levels *levels)
{
    static const char *const counted[] = {"btb_redirects", "l1i_misses", "itlb_misses", NULL};
    const struct btb_levels_request request = {
        .pattern = pattern,
        .room = &s->room,
        .span = s->span,
        .lines = s->lines,
        .entries = "frontend.btb.entries",
        .cycles = "frontend.btb.cycles",
        .at_stride = {"frontend.btb.entries_at_stride", "frontend.btb.cycles_at_stride"},
        .limits = {"frontend.op_cache.entries", "frontend.itlb.entries"},
        .counted = counted,
        .fit = s->fit,
        .near = s->near};

    return btb_levels_find(p, &request, levels);
}

/* Never better than C: no pattern shows a level that holds too few branches, or costs what the next one does. */
static void report_level_count(struct probe *p, const struct btb_levels *levels, size_t patterns)
{
    struct finding f = {.name = "frontend.btb.levels", .method = "levels whose ends are known"};

    for (size_t i = 0; i < patterns && !f.reason; i++) {
        if (levels[i].open || levels[i].levels == 0)
            f.reason = REASON_LEVEL_MAY_BE_MISSING;
        else if (levels[i].levels != levels[0].levels)
            f.reason = REASON_EXPERIMENTS_DISAGREE;
    }
    report_number(p, &f, f.reason ? (double)NAN : levels[0].levels);
}

static bool find_fallback(struct probe *p, enum branch_chain_pattern pattern, const struct setup *s,
                          const struct btb_levels *levels)
{
    struct btb_fallback fallback;
    struct finding unknown = {.name = "frontend.btb.fallback_cycles",
                              .variants = {{"branch", branch_chain_pattern_names[pattern]}},
                              .reason = REASON_PLATFORM,
                              .detail = s->unshared};

    if (s->unshared) { /* so many branches fill the instruction cache, too */
        report_number(p, &unknown, (double)NAN);
        return true;
    }
    if (!btb_fallback_measure(p, pattern, &s->room, (size_t)probe_simulated(p, SIMULATED_FAR, (double)s->span),
                              &fallback))
        return false;
    struct finding f = {
        .name = "frontend.btb.fallback_cycles",
        .variants = {{"branch", branch_chain_pattern_names[pattern]}},
        .method = "far past the last level; NOPs before each branch show where the redirect comes from"};
    enum btb_origin origin = btb_fallback_origin(&fallback, &f.reason);
    if (origin == BTB_ORIGIN_L1I && !levels->levels) { /* a level that holds all branches looks the same */
        origin = BTB_ORIGIN_UNKNOWN;
        f.reason = REASON_NO_LEVEL;
    }
    if (origin != BTB_ORIGIN_UNKNOWN) {
        f.variants[1].key = "cause";
        f.variants[1].text = btb_origin_names[origin];
    }
    report_number(p, &f, origin != BTB_ORIGIN_UNKNOWN ? fallback.bare : (double)NAN);
    return true;
}

/* ---- The run ------------------------------------------------------------------------------------ */

/* One branch in each line with a frame for each page: a curve for comparison, by which nothing is decided. */
static bool show_frames(struct probe *p, size_t span)
{
    struct branch_chain_room room;
    struct branch_curve curve = {
        .chain = {.stride = LINE}, .room = &room, .name = "uncond 64, long, each page its own frame"};
    bool good = branch_chain_map(p, &room, span, page_bytes(), BRANCH_CHAIN_IN_ORDER);

    if (good) {
        struct sweep s = btb_long_sweep(p, &curve, span);
        good = sweep_search(p, &s);
        sweep_free(&s);
    }
    branch_chain_unmap(p, &room);
    return good;
}

/* Comparing all organisations takes more than 200 million instructions: on simulated cores it is left out. */
static bool find_organisation(struct probe *p, const struct setup *s, const struct btb_levels *levels)
{
    const struct btb_organisation_request request = {.room = &s->room,
                                                     .fit = s->fit,
                                                     .near = s->near,
                                                     .limits = &s->limits,
                                                     .entries = "frontend.btb.entries",
                                                     .names = {"frontend.btb.ways", "frontend.btb.sets",
                                                               "frontend.btb.index_bits",
                                                               "frontend.btb.branches_per_entry"}};
    const struct btb_fit_result none = {.reason = REASON_TOO_LONG_TO_SIMULATE};

    if (!probe_is_simulated(p))
        return btb_organisation_find(p, &request, levels);
    btb_report(p, &none, 0, 0, &request.names);
    return true;
}

static void find_all(struct probe *p, const struct setup *s)
{
    const size_t patterns = (size_t)probe_simulated(p, 1,
                                                    probe_scale(p, 1, 2, BRANCH_CHAIN_PATTERNS, BRANCH_CHAIN_PATTERNS));
    struct btb_levels levels[BRANCH_CHAIN_PATTERNS] = {{.levels = 0}};

    for (enum branch_chain_pattern i = 0; i < patterns; i++) {
        if (!find_levels(p, i, s, &levels[i]) || (!probe_is_smoke(p) && !find_fallback(p, i, s, &levels[i])))
            return;
    }
    report_level_count(p, levels, patterns);
    if (!probe_is_smoke(p) && find_organisation(p, s, &levels[BRANCH_CHAIN_UNCOND]) && probe_scale(p, 0, 0, 1, 1) > 0)
        show_frames(p, s->span);
}

/*
 * Maps pages that share a frame; on a simulated core that has none such, pages with frames of their own, and finds how
 * long chains may be there: half as long again as the instruction cache.
 */
static bool map_room(struct probe *p, struct setup *s)
{
    s->unshared = branch_chain_try_map(p, &s->room, s->span, page_bytes(), BRANCH_CHAIN_ONE_FRAME);
    if (!s->unshared || !probe_is_simulated(p))
        return !s->unshared || probe_skip(p, s->unshared);
    branch_chain_unmap(p, &s->room);
    s->span = OWN_SPAN;
    if (!branch_chain_map(p, &s->room, s->span, page_bytes(), BRANCH_CHAIN_IN_ORDER) ||
        !branch_lines_find(p, &s->room, s->span, &s->lines))
        return false;
    if (s->lines > 0)
        s->span = (size_t)fmin(OWN_SPAN, 1.5 * s->lines);
    return true;
}

static void run(struct probe *p)
{
    const struct btb_limits limits = {.patterns = 1u << BRANCH_CHAIN_UNCOND | 1u << BRANCH_CHAIN_COND,
                                      .stride_from = (unsigned)btb_least_stride(),
                                      .stride_to = BTB_FALLBACK_STRIDE,
                                      .count_from = BTB_LONG_FROM,
                                      .count_to = BTB_LONG_TO,
                                      .last_at = branch_chain_last_at,
                                      .alignment = emit_alignment,
                                      .footprints = {tlb_code_reach(p, 1)}};
    const bool fits = !probe_is_smoke(p) && !probe_is_simulated(p);
    struct setup s = {.span = (size_t)probe_smoke(p, 1 << 13, probe_simulated(p, SIMULATED_SPAN, SPAN)),
                      .limits = limits,
                      .near = calloc(1, sizeof *s.near),
                      .fit = fits ? btb_fit_start(&limits) : NULL};

    if (!s.near || (!s.fit && fits))
        probe_skip(p, "out of memory for organisations of branch target buffers");
    else {
        if (map_room(p, &s))
            find_all(p, &s);
        branch_chain_unmap(p, &s.room);
    }
    btb_fit_free(s.fit);
    free(s.near);
}

PROBE(btb, .title = "Branch target buffers", .family = "frontend", .run = run, .after = "itlb",
      .findings = FINDINGS({"frontend.btb.levels", "levels", "levels of branch target buffers"},
                           {"frontend.btb.entries", "branches", "taken branches whose targets a level holds"},
                           {"frontend.btb.cycles", "cycles", "a taken branch whose target that level holds"},
                           {"frontend.btb.entries_at_stride", "branches", "such branches, that far apart"},
                           {"frontend.btb.cycles_at_stride", "cycles", "such a branch, that far apart"},
                           {"frontend.btb.fallback_cycles", "cycles", "a taken branch whose target no level holds"},
                           {"frontend.btb.ways", "ways", "entries of a set"},
                           {"frontend.btb.sets", "sets", "sets of a level"},
                           {"frontend.btb.index_bits", "bits", "address bits that choose the set"},
                           {"frontend.btb.branches_per_entry", "branches", "branches that share an entry"}));
