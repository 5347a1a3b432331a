/*
 * Question: how many taken branches does the core follow in a cycle, and how far may these be from each other?
 *
 * Experiment: chains of 8 to 64 taken branches (lib/kernels/branch_chain.h), which any first level of branch target
 * buffer holds, all pages on one frame. What one more branch costs is known by seven differences of lengths, in which
 * the loop cancels.
 *
 *   placements  both branches in one line, lines apart, 8 bytes of NOPs behind the target, and behind the end of the
 *               target's line
 *   strides     4 (AArch64), 8 … 64 bytes from one branch to the next, each the target of the one before it
 *   bytes       more and more NOPs between a target and its branch, with both in one line, and with the end of the line
 *               between them
 *
 * Curve: one cycle, or half a cycle where two branches go at once. Inference: the rate is one by the cost, an interval;
 * the distance is the last number of bytes with which one more branch costs no more than three quarters of a cycle.
 * What could mislead: NOPs have to be delivered, too. What more of them cost between branches far apart shows how long
 * that takes, and where it is more than half a cycle nothing follows about branches.
 *
 * Apple's M4 takes two only if both are in one line, 0.55 cycles each on the mean, and Neoverse V1 two from strides of
 * 8 bytes on and not at 4 (jia.je 2025). Bytes between a target and its branch, and the check of delivery, are ours.
 * docs/METHODS.md, 5.17.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/structure/branch_cost.h"
#include "lib/structure/btb_levels.h"

/*
 * A placement of branches is as fast as the fastest one if one more branch costs at most this part more. Chosen: five
 * times the scatter of points, one percent.
 */
static const double TAKEN_RATE_ALIKE = 0.05;
/*
 * Cycles in which instructions between a target and its branch have to be delivered where two branches go in a cycle.
 */
static const double TAKEN_TWO_CYCLES = 0.5;
/*
 * Two branches go in a cycle where one more costs at most this many cycles: halfway between half a cycle and one.
 * Apple's M4 takes 0.55 on the mean, as one branch stays alone now and then (jia.je 2025).
 */
static const double TAKEN_TWO_MOST = 0.75;

enum {
    LINE = BRANCH_CHAIN_LINE_BYTES,
    FEW = 8,      /* branches: every first level holds them and some more */
    NOP_BYTES = 8 /* in a single instruction where instructions are that long */
};

/* Bytes from a target, at the beginning of a line, to the end of its branch, just behind the end of that line. */
static size_t across_bytes(void)
{
    return LINE + (emit_longest / 2 + emit_alignment - 1) / emit_alignment * emit_alignment;
}

struct chains {
    enum branch_chain_pattern pattern;
    const struct branch_chain_room *room;
};

static bool one_more(struct probe *p, const struct chains *c, struct branch_chain chain, struct branch_more *more)
{
    struct branch_curve curve = {.chain = chain, .room = c->room};

    curve.chain.pattern = c->pattern;
    return branch_cost_of_one_more(p, &curve, FEW, more);
}

/* A finding of the branches in a cycle that this cost is; of nothing but the name and the pattern where it is NaN. */
static struct finding rate(const char *name, enum branch_chain_pattern pattern, const struct branch_more *more)
{
    const bool known = !isnan(more->cycles);

    return (struct finding){.name = name,
                            .variants = {{"branch", branch_chain_pattern_names[pattern]}},
                            .value = 1 / more->cycles,
                            .low = 1 / more->high,
                            .high = 1 / more->low,
                            .grade = known ? 'C' : 'U',
                            .reason = known ? REASON_NONE : REASON_NOT_STEADY,
                            .method = "cost of one more branch while all are held, at several lengths"};
}

/* ---- The best rate ------------------------------------------------------------------------------ */

static bool find_best(struct probe *p, const struct chains *c, const char *name, struct branch_more *best)
{
    enum { CONDITIONS = 4 };
    const struct {
        const char *name;
        struct branch_chain chain;
    } conditions[CONDITIONS] = {
        {"both in one line", {.stride = LINE / 4}},
        {"lines apart", {.stride = LINE}},
        {"8 bytes behind the target", {.stride = 2 * LINE, .branch_end = LINE / 2, .nop_bytes = NOP_BYTES}},
        {"in the line behind the target's",
         {.stride = 2 * LINE, .branch_end = across_bytes(), .nop_bytes = NOP_BYTES}}};
    const size_t count = (size_t)probe_smoke(p, 1, CONDITIONS);
    struct branch_more more[CONDITIONS];
    char when[96] = "";
    size_t used = 0, measured = 0;

    *best = (struct branch_more){.cycles = INFINITY};
    for (; measured < count && !isnan(best->cycles); measured++) {
        const struct branch_more *now = &more[measured];
        if (!one_more(p, c, conditions[measured].chain, &more[measured]))
            return false;
        *best = isnan(now->cycles) || now->cycles < best->cycles ? *now : *best;
    }
    struct finding f = rate(name, c->pattern, best);
    for (size_t i = 0; i < measured && !f.reason; i++)
        if (more[i].cycles <= best->cycles * (1 + TAKEN_RATE_ALIKE) && used < sizeof when)
            used += (size_t)snprintf(when + used, sizeof when - used, "%s%s", used ? ", " : "", conditions[i].name);
    f.remarks[0].key = used ? "condition" : NULL;
    f.remarks[0].text = when;
    report(p, &f);
    return true;
}

static bool find_at_strides(struct probe *p, const struct chains *c, const char *name)
{
    const size_t least = btb_least_stride(), most = (size_t)probe_smoke(p, (double)least, LINE);

    for (size_t stride = least; stride <= most; stride *= 2) {
        struct branch_more more;
        if (!one_more(p, c, (struct branch_chain){.stride = stride}, &more))
            return false;
        struct finding f = rate(name, c->pattern, &more);
        f.variants[1].key = "stride";
        f.variants[1].number = (double)stride;
        report(p, &f);
    }
    return true;
}

/* ---- Bytes between a target and its branch ------------------------------------------------------ */

/* The longest NOP of at most NOP_BYTES: few instructions for many bytes. */
static size_t step_bytes(void)
{
    size_t longest = 1;

    for (const unsigned *length = emit_nop_lengths; *length && *length <= NOP_BYTES; length++)
        longest = *length;
    return longest;
}

/* Cycles that delivering a byte of NOPs takes, by what more of them add to branches far apart; NaN: no readings. */
static bool time_nops(struct probe *p, const struct chains *c, double *cycles)
{
    enum { SOME = 96, MORE = 192, BRANCHES = 16, APART = 256 };
    struct branch_curve curve = {.room = c->room,
                                 .chain = {.pattern = c->pattern, .stride = APART, .branch_end = APART - LINE / 2}};
    double some, more;

    curve.chain.nop_bytes = SOME;
    if (!branch_cost(p, &curve, BRANCHES, &some))
        return false;
    curve.chain.nop_bytes = MORE;
    if (!branch_cost(p, &curve, BRANCHES, &more))
        return false;
    *cycles = (more - some) / (MORE - SOME);
    return true;
}

/* The chain with that many bytes between targets and branches, in one line or with the end of the line between them. */
static struct branch_chain apart(const struct chains *c, bool crossing, size_t bytes)
{
    const size_t branch = emit_jump_bytes(INT16_MAX + 1, c->pattern != BRANCH_CHAIN_UNCOND);

    return (struct branch_chain){
        .stride = 2 * LINE, .branch_end = crossing ? across_bytes() : bytes + branch, .nop_bytes = bytes};
}

/* Finds how many bytes may be between them. `nop_cycles`: see time_nops. */
static bool find_bytes(struct probe *p, const struct chains *c, const char *name, bool crossing, double nop_cycles)
{
    const size_t step = step_bytes(), from = crossing ? (across_bytes() - LINE + step - 1) / step * step : 0;
    struct branch_more more = {.cycles = 0};
    size_t bytes = from;
    char at_least[24];
    struct finding f = {
        .name = name,
        .variants = {{"branch", branch_chain_pattern_names[c->pattern]}, {"crossing", crossing ? "64" : "none"}},
        .value = NAN,
        .low = NAN,
        .high = NAN,
        .grade = 'U',
        .method = "bytes of NOPs between a target and its branch up to which one more branch costs half a cycle"};

    for (;; bytes += step) {
        /* NOPs and their branch have to be delivered in half a cycle */
        f.reason = !(nop_cycles * (double)(bytes + step) <= TAKEN_TWO_CYCLES * (1 + TAKEN_RATE_ALIKE))
                       ? REASON_MASKED_BY_DECODE
                   : bytes + NOP_BYTES > LINE ? REASON_FIXED_RANGE_ENDS
                                              : REASON_NONE;
        if (f.reason)
            break;
        if (!one_more(p, c, apart(c, crossing, bytes), &more))
            return false;
        if (!(more.cycles <= TAKEN_TWO_MOST))
            break;
    }
    if (!f.reason && isnan(more.cycles))
        f.reason = REASON_NOT_STEADY;
    else if (!f.reason && bytes == from)
        f.reason = REASON_NO_TWO_TAKEN;
    else if (!f.reason) {
        f.value = f.low = (double)(bytes - step);
        f.high = (double)bytes;
        f.grade = 'C';
    } else if (bytes > from) {
        snprintf(at_least, sizeof at_least, "%zu", bytes - step);
        f.remarks[0].key = "at_least";
        f.remarks[0].text = at_least;
    }
    report(p, &f);
    return true;
}

static bool find_two(struct probe *p, const struct chains *c, const char *name, const struct branch_more *best)
{
    double nop_cycles = NAN;

    if (!(best->cycles <= TAKEN_TWO_MOST)) {
        report_number(p,
                      &(struct finding){.name = name,
                                        .variants = {{"branch", branch_chain_pattern_names[c->pattern]}},
                                        .reason = isnan(best->cycles) ? REASON_NOT_STEADY : REASON_NO_TWO_TAKEN},
                      NAN);
        return true;
    }
    return time_nops(p, c, &nop_cycles) && find_bytes(p, c, name, false, nop_cycles) &&
           find_bytes(p, c, name, true, nop_cycles);
}

static bool find_all(struct probe *p, const struct chains *c)
{
    struct branch_more best;

    return find_best(p, c, "frontend.btb.taken_per_cycle", &best) &&
           find_at_strides(p, c, "frontend.btb.taken_at_stride") &&
           find_two(p, c, "frontend.btb.two_taken_bytes", &best);
}

static void run(struct probe *p)
{
    static const enum branch_chain_pattern patterns[] = {BRANCH_CHAIN_UNCOND, BRANCH_CHAIN_COND,
                                                         BRANCH_CHAIN_COND_UNCOND, BRANCH_CHAIN_UNCOND_COND};
    const size_t count = (size_t)probe_scale(p, 1, 2, BRANCH_CHAIN_PATTERNS, BRANCH_CHAIN_PATTERNS);
    struct branch_chain_room room;

    if (branch_chain_map(p, &room, 1 << 14, machine_info()->page_bytes[0], BRANCH_CHAIN_ONE_FRAME))
        for (size_t i = 0; i < count; i++)
            if (!find_all(p, &(struct chains){.pattern = patterns[i], .room = &room}))
                break;
    branch_chain_unmap(p, &room);
}

PROBE(taken_branches, .title = "Taken branches", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.btb.taken_per_cycle", "branches",
                            "taken branches in a cycle at best, which may be a fraction"},
                           {"frontend.btb.taken_at_stride", "branches",
                            "taken branches in a cycle, that far apart, each the target of the one before it"},
                           {"frontend.btb.two_taken_bytes", "bytes",
                            "bytes between a target and its branch up to which two branches are taken in a cycle"}));
