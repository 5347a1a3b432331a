/*
 * Question: how many taken branches does each level of the branch target buffer hold, what does a branch cost there,
 * and how are its sets organised?
 *
 * Experiment: chains of taken branches (lib/kernels/branch_chain.h), longer and longer. All pages of a chain show one
 * frame, so that the instruction cache holds a page or two of it however long it is. The remaining knees are those of
 * the branch target buffer, of the instruction TLB, whose reach is known, and of the operation cache, whose steps are
 * small. One chain with a frame for each page shows what the instruction cache would change.
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
#include "lib/structure/btb_fallback.h"
#include "lib/structure/btb_fit.h"
#include "lib/structure/btb_levels.h"
#include "lib/structure/btb_near.h"
#include "lib/structure/btb_report.h"
#include "lib/structure/tlb.h"

/* Relative difference from 2, at most, of the ratio of counts without and with a line border before each branch. */
static const double SHARED_ALIKE = 0.1;
/* The count at which chains without that border rise, by the first level's capacity, at most. */
static const double SHARED_PAST = 1.5;

enum { LINE = BRANCH_CHAIN_LINE_BYTES, NOP_BYTES = 8 };

struct setup {
    struct branch_chain_room room;
    size_t span;         /* bytes */
    struct btb_fit *fit; /* NULL in the profile smoke */
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

    if (!btb_fallback_measure(p, pattern, &s->room, s->span, &fallback))
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

/* ---- Organisation ------------------------------------------------------------------------------- */

/* Bytes from a target, at the beginning of a slot, to the end of its branch, just behind the border of that line. */
static size_t across_bytes(void)
{
    return LINE + (emit_longest / 2 + emit_alignment - 1) / emit_alignment * emit_alignment;
}

/* Whether two branches share an entry of the first level, which holds `entries` branches; reports it where they do. */
static bool find_shared(struct probe *p, const struct setup *s, double entries, bool *shared)
{
    enum { BRANCHES = 2 };
    const struct branch_chain in_line = {.stride = 2 * LINE, .branch_end = LINE / 2, .nop_bytes = NOP_BYTES};
    const struct branch_chain across = {.stride = 2 * LINE, .branch_end = across_bytes(), .nop_bytes = NOP_BYTES};
    const struct branch_curve curves[] = {{.room = &s->room, .chain = in_line}, {.room = &s->room, .chain = across}};
    double together, apart;

    *shared = false; /* and stays so where that is not clear: branches may share an entry by other rules */
    if (!(entries > 0))
        return true;
    if (!branch_cost_rises(p, &curves[0], &together) || !branch_cost_rises(p, &curves[1], &apart))
        return false;
    *shared = together >= entries && together <= SHARED_PAST * entries &&
              fabs(together / apart / BRANCHES - 1) <= SHARED_ALIKE;
    if (*shared)
        report_number(p,
                      &(struct finding){.name = "frontend.btb.branches_per_entry",
                                        .variants = {{"level", .number = 1}},
                                        .method = "branches held without the border of a line between target and "
                                                  "branch, relative to those held with one"},
                      BRANCHES);
    return true;
}

static const struct btb_report_names names = {"frontend.btb.ways", "frontend.btb.sets", "frontend.btb.index_bits",
                                              "frontend.btb.branches_per_entry"};
/* Of a level whose branches per entry were reported already. */
static const struct btb_report_names rest = {"frontend.btb.ways", "frontend.btb.sets", "frontend.btb.index_bits", NULL};

/* The number of the first level of a fit, since it counts from another first one than the curves; 0: not known. */
static unsigned first_level(struct probe *p, const struct btb_fit_result *r, const struct btb_levels *levels)
{
    for (unsigned i = 0; i < r->level_count; i++) {
        const unsigned number = btb_report_number(p, "frontend.btb.entries", &r->levels[i], levels->levels);
        if (number > i)
            return number - i;
    }
    return 0;
}

/*
 * The first of the levels that hold few branches; a second level of the fit only explains what the first does not. What
 * the first one holds need not be known by a curve: few branches are in it. Sets *number to its number.
 */
static bool find_near(struct probe *p, const struct setup *s, const struct btb_levels *levels, bool shared,
                      unsigned *number)
{
    struct btb_fit_result r;

    if (!btb_near_fit(p, s->near, &s->limits, &s->room, probe_scale(p, 0, 1, 4, 20), &r))
        return false;
    /* a level that curves do not show is the first one of the fit only if it costs as little */
    if (s->near->levels == 0 && !(r.levels[0].cycles[BRANCH_CHAIN_UNCOND] < levels->hidden_below))
        return true;
    const unsigned known = first_level(p, &r, levels);
    *number = known && known <= s->near->levels ? known : 1;
    btb_report(p, &r, 0, *number, *number == 1 && shared ? &rest : &names);
    return true;
}

static bool find_organisation(struct probe *p, const struct setup *s, const struct btb_levels *levels)
{
    struct btb_fit_result r = {.reason = REASON_LEVEL_NOT_KNOWN};
    unsigned near = 0; /* the level that was fitted by itself */
    bool shared;

    if (!find_shared(p, s, facts_number(&p->run->facts, "frontend.btb.entries", "level=1 branch=uncond", NAN),
                     &shared) ||
        ((s->near->levels > 0 || levels->hidden_below > 0) && !find_near(p, s, levels, shared, &near)))
        return false;
    /* without a known capacity no organisation can be assigned to a level: only longer profiles list them */
    if (!levels->measured && probe_scale(p, 1, 1, 0, 0) > 0) {
        btb_report(p, &r, 0, 0, &names);
        return true;
    }
    if (!branch_cost_fit(p, &s->room, s->fit, probe_scale(p, 0, 0.2, 2, 20), 1, &r))
        return false;
    const unsigned first = first_level(p, &r, levels);
    for (unsigned i = 0; i == 0 || i < r.level_count; i++)
        if (!first || first + i != near)
            btb_report(p, &r, i, first ? first + i : 0, first + i == 1 && shared ? &rest : &names);
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

static void find_all(struct probe *p, const struct setup *s)
{
    const size_t patterns = (size_t)probe_scale(p, 1, 2, BRANCH_CHAIN_PATTERNS, BRANCH_CHAIN_PATTERNS);
    struct btb_levels levels[BRANCH_CHAIN_PATTERNS] = {{.levels = 0}};

    for (enum branch_chain_pattern i = 0; i < patterns; i++) {
        if (!find_levels(p, i, s, &levels[i]) || (s->fit && !find_fallback(p, i, s, &levels[i])))
            return;
    }
    report_level_count(p, levels, patterns);
    if (s->fit && find_organisation(p, s, &levels[BRANCH_CHAIN_UNCOND]) && probe_scale(p, 0, 0, 1, 1) > 0)
        show_frames(p, s->span);
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
    struct setup s = {.span = (size_t)probe_smoke(p, 1 << 13, 1 << 21),
                      .limits = limits,
                      .near = calloc(1, sizeof *s.near),
                      .fit = !probe_is_smoke(p) ? btb_fit_start(&limits) : NULL};

    if (!s.near || (!s.fit && !probe_is_smoke(p)))
        probe_skip(p, "out of memory for organisations of branch target buffers");
    else {
        if (branch_chain_map(p, &s.room, s.span, page_bytes(), BRANCH_CHAIN_ONE_FRAME))
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
