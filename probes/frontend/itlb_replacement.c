/*
 * Question: which entry of a full set does the first instruction TLB replace?
 *
 * Experiment: a chain of jumps (lib/kernels/branch_chain.h), one on each page, all pages on one frame, as in the probe
 * itlb; with every number of pages from the capacity of the level on, up to twice as many, or four times as many from
 * profile standard on. Twice, with jumps that rotate over lines in other steps, so that branch predictors are used
 * otherwise. Control: as many jumps, one to a line, packed onto a 64th of the pages.
 *
 * Curve: cycles per jump over pages, less those of the control, from the level on. Where entries are replaced in order
 * of use it rises until each set has a page too many, and stays. Where it falls at pages that are equally far apart,
 * that is a saw-tooth: sets share what they know of the use of their entries, and as many as there are sets are a tooth
 * (lib/structure/overflow.h). The table `overflow` has the curve.
 *
 * Inference: falls that both layouts show. Where they are equally far apart, NRU_SHARED is simulated on as many sets,
 * and is the policy if it misses as much. Policies whose sets share nothing show no such falls.
 *
 * What could mislead: a branch target buffer that overflows at the same pages. Its misses depend on the lines of the
 * jumps, and fit no policy. Two layouts by lines are one experiment in two layouts: grade B for the teeth, C for what
 * explains them, since more policies may exist than are known.
 *
 * Sources: jia.je 2025, Redwood Cove (the saw-tooth, unexplained there); that NRU with bits that all sets share has it
 * is ours. docs/METHODS.md, 5.21.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/overflow.h"
#include "lib/structure/replacement.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    LAYOUTS = 2,
    LEVEL_POINTS = 5,  /* numbers of pages below the capacity that show the level */
    WARM_ROUNDS = 16,  /* until what is held no longer depends on what ran before: as many as are simulated */
    LENGTH_FACTOR = 4, /* readings of many rounds */
    POINTS = 4096      /* numbers that are measured, at most */
};

static const size_t lines_apart[LAYOUTS] = {1, 3};

struct walk {
    struct branch_chain_room room;
    size_t page_bytes;
};

/* A fact about that level for the smallest pages. */
static double known_of(const struct probe *p, const char *name, unsigned level, double otherwise)
{
    char variants[32];

    snprintf(variants, sizeof variants, "level=%u page=%s", level, page_name(machine_info()->page_bytes[0]));
    return facts_number(&p->run->facts, name, variants, otherwise);
}

/* Cycles of a jump in this chain; NaN: no reading was accepted. */
static bool measure(struct probe *p, const struct walk *w, const struct branch_chain *chain, double *cycles)
{
    struct kernel k = {.length_factor = LENGTH_FACTOR, .warm_iterations = probe_smoke(p, 1, WARM_ROUNDS)};
    struct point pt;

    if (!branch_chain_kernel(p, chain, &w->room, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}

/* Cycles of a jump beyond those of the control, on both layouts. */
static bool measure_pages(struct probe *p, const struct walk *w, struct overflow_point *pt)
{
    /* the loop is one more jump, on the page that would be next */
    const size_t count = pt->count - BRANCH_CHAIN_LOOP_BRANCHES;
    const struct branch_chain packed = {.count = count, .stride = BRANCH_CHAIN_LINE_BYTES};
    double control;
    bool good = measure(p, w, &packed, &control);

    for (size_t i = 0; i < LAYOUTS && good; i++) {
        const struct branch_chain chain = {
            .count = count, .stride = w->page_bytes, .page_bytes = w->page_bytes, .lines_apart = lines_apart[i]};
        good = measure(p, w, &chain, &pt->cycles[i]);
        pt->cycles[i] -= control;
    }
    return good;
}

/* Cycles while the level holds all pages: the mean over numbers from half of the capacity on. */
static bool measure_level(struct probe *p, const struct walk *w, double entries, double *level)
{
    double sum = 0;

    for (unsigned i = 0; i < LEVEL_POINTS; i++) {
        struct overflow_point pt = {.count = (unsigned)(entries * (LEVEL_POINTS + i) / (2 * LEVEL_POINTS))};
        if (!measure_pages(p, w, &pt))
            return false;
        sum += (pt.cycles[0] + pt.cycles[1]) / 2;
    }
    *level = sum / LEVEL_POINTS;
    return true;
}

/* Measures every number of pages from `entries` on; *count becomes how many there was time for. */
static bool measure_all(struct probe *p, const struct walk *w, double entries, double most,
                        struct overflow_point *points, size_t *count)
{
    const double end = meter_seconds(&p->run->meter) + probe_scale(p, 1, 1.5, 10, 60);

    for (*count = 0; entries + (double)*count <= most && meter_seconds(&p->run->meter) < end; ++*count) {
        points[*count].count = (unsigned)(entries + (double)*count);
        if (!measure_pages(p, w, &points[*count]))
            return false;
    }
    return true;
}

static void send_table(struct probe *p, const struct overflow_point *points, size_t count, double level)
{
    struct record r;

    record_table(p, &r, "overflow");
    record_number(&r, "level_cycles", rounded(level));
    RECORD_COLUMNS(&r, "pages", "cycles", "other_lines");
    for (size_t i = 0; i < count; i++) {
        record_array(&r, NULL);
        record_integer(&r, NULL, points[i].count);
        record_number(&r, NULL, rounded(points[i].cycles[0]));
        record_number(&r, NULL, rounded(points[i].cycles[1]));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* ---- Findings ----------------------------------------------------------------------------------- */

static struct finding finding_of(const struct walk *w, const char *name, enum reason reason, const char *method)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = 1}, {"page", page_name(w->page_bytes)}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason,
                            .method = method};
}

static void report_falls(struct probe *p, const struct walk *w, const struct overflow_falls *falls, enum reason reason)
{
    struct finding f = finding_of(w, "frontend.itlb.sawtooth", reason,
                                  "falls at every number of pages behind the capacity");

    if (!reason && falls->count == 0 && falls->doubtful == 0)
        f.value = 0;
    else if (!reason && falls->period)
        f.value = falls->period;
    else if (!reason)
        f.reason = falls->count == 0 ? REASON_NOT_STEADY : falls->count < 3 ? REASON_RANGE_ENDS : REASON_NO_FIT;
    f.grade = isnan(f.value) ? 'U' : 'B'; /* two layouts */
    if (falls->count) {
        f.remarks[0].key = "falls";
        f.remarks[0].text = falls->numbers;
    }
    report(p, &f);
}

/*
 * A tooth has as many pages as there are sets. Without teeth nothing follows: in order, most policies miss either all
 * or nothing of a set.
 */
static void report_policy(struct probe *p, const struct walk *w, const struct overflow_falls *falls,
                          const struct overflow_point *points, size_t count, enum reason reason, double level)
{
    struct finding f = finding_of(w, "frontend.itlb.replacement", reason, "a saw-tooth against a simulated one");
    const double ways = known_of(p, "frontend.itlb.ways", 1, 0);
    const unsigned sets = falls->period, first = count ? points[0].count : 0, each = sets ? first / sets : 0;
    char table[32];

    if (!reason && !falls->period)
        f.reason = falls->count || falls->doubtful ? REASON_NO_POLICY_FITS : REASON_TOO_MANY_POLICIES;
    else if (!reason && (each * sets != first || (ways > 0 && fabs(ways - each) > 0)))
        f.reason = REASON_EXPERIMENTS_DISAGREE;
    else if (!reason && (each < 2 || each > REPLACEMENT_WAYS))
        f.reason = REASON_WAYS_NOT_SIMULATED;
    else if (!reason && !overflow_is_shared(sets, each, points, count, level))
        f.reason = REASON_NO_POLICY_FITS;
    if (!f.reason) {
        f.text = "NRU_SHARED";
        f.grade = 'C';
        snprintf(table, sizeof table, "%u sets of %u", sets, each);
        f.remarks[0].key = "simulated";
        f.remarks[0].text = table;
    }
    report(p, &f);
}

static bool find_behind(struct probe *p, struct walk *w, double entries, double most)
{
    struct overflow_point *points = probe_calloc(p, POINTS, sizeof *points);
    double level = NAN;
    size_t count = 0;

    if (!points)
        return false;
    bool good = branch_chain_map(p, &w->room, ((size_t)most + 1) * w->page_bytes, w->page_bytes,
                                 BRANCH_CHAIN_ONE_FRAME) &&
                measure_level(p, w, entries, &level) && measure_all(p, w, entries, most, points, &count);
    if (good) {
        const struct overflow_falls falls = overflow_falls(points, count, level);
        const enum reason reason = isnan(level)                                           ? REASON_NO_READINGS
                                   : count < (size_t)entries                              ? REASON_RANGE_ENDS
                                   : !(overflow_rise(points, count, level) >= MISS_LEAST) ? REASON_NO_KNEE
                                                                                          : REASON_NONE;
        send_table(p, points, count, level);
        report_falls(p, w, &falls, reason);
        report_policy(p, w, &falls, points, count, reason, level);
    }
    branch_chain_unmap(p, &w->room);
    free(points);
    return good;
}

static void run(struct probe *p)
{
    struct walk w = {.page_bytes = machine_info()->page_bytes[0]};
    const double known = known_of(p, "frontend.itlb.entries", 1, 0),
                 next = known_of(p, "frontend.itlb.entries", 2, INFINITY), entries = probe_smoke(p, 8, known),
                 most = fmin(probe_smoke(p, 16, probe_scale(p, 2, 2, 4, 4) * entries), fmax(next, entries));
    const enum reason reason = probe_is_simulated(p)         ? REASON_TOO_LONG_TO_SIMULATE
                               : !(entries > 0)              ? REASON_TLB_UNKNOWN
                               : most - entries > POINTS - 1 ? REASON_FIXED_RANGE_ENDS
                               : most < 2 * entries          ? REASON_HARDLY_LARGER
                                                             : REASON_NONE;

    if (!reason) {
        find_behind(p, &w, entries, most);
        return;
    }
    report_falls(p, &w, &(struct overflow_falls){.count = 0}, reason);
    report_policy(p, &w, &(struct overflow_falls){.count = 0}, NULL, 0, reason, NAN);
}

PROBE(itlb_replacement, .title = "Instruction TLB: replacement", .family = "frontend", .after = "itlb", .run = run,
      .findings = FINDINGS({"frontend.itlb.replacement", "policy",
                            "policy by which the first instruction TLB replaces entries, where a saw-tooth shows it"},
                           {"frontend.itlb.sawtooth", "pages",
                            "pages from one fall of the cost to the next, behind the capacity; 0: it does not fall"}));
