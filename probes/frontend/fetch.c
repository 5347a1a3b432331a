/*
 * Question: how many instructions, or bytes where instructions differ in length, are fetched in one cycle?
 *
 * Experiment 1, crossing: a loop that begins with the last instruction of a page (lib/kernels/page_crossing.h). A fetch
 * that cannot span two pages takes one more cycle. In that cycle the stages behind it, which may be narrower, catch up,
 * so that their width does not show. The control is the same loop within one page: where it takes as long, no crossing
 * is split, and nothing can be determined. A narrow back end becomes the limit after few steps; so the loop is also
 * measured with three more split crossings before it (`led`), which show more steps. jia.je asks for such a way on the
 * efficiency cores of Apple's M4. All of it is repeated on pages whose frames do not follow each other: if only these
 * are split, the border is physical.
 *
 * Curve over the instructions of the loop: a staircase whose steps are as wide as a fetch. Only the part that is above
 * the control counts.
 *
 * Experiment 2, dense, for instructions of many lengths: long runs of NOPs from the instruction cache, with more and
 * more NOPs to a line. If a line with more NOPs takes no longer, its bytes are the limit. What an operation cache keeps
 * of a run makes it faster; it keeps least of the densest run. Runs of three quarters of that length must show the
 * same: where a sibling thread occupies part of the instruction cache, the longer runs lose more of their lines.
 *
 * Sources: the crossing is JamesAslan's (2024), with a control by jia.je 2025, Apple M4; leads, frames and runs are
 * ours. docs/METHODS.md, 5.3.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/page_crossing.h"
#include "lib/kernels/straight.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/fetch_width.h"
#include "lib/structure/tolerances_frontend.h"

enum {
    CROSSING_FROM = PAGE_CROSSING_OTHERS, /* instructions of the loop */
    CROSSING_TO = FETCH_INSTRUCTIONS_MOST,
    SAMPLES = 5, /* that decide whether a crossing is split */
    LAYOUTS = 2,
    EXPERIMENTS = 2 * LAYOUTS,
    SHORT_LINES = 8,
    LENGTHS = 2,         /* of runs that are fetched */
    L1I_BYTES = 32 << 10 /* where nothing is known of it */
};

/* Cycles that a split crossing costs more than its control: one, with room for noise. */
static const double SPLIT = 0.9;
/* Part of the instruction cache that shorter runs fill, for comparison. Chosen: clearly less than L1I_AVAILABLE. */
static const double SHORTER_PART = 0.75;

/* ---- Crossing ----------------------------------------------------------------------------------- */

static bool build_crossing(struct probe *p, double n, void *context, struct kernel *k)
{
    return page_crossing_build(p, context, (size_t)n, k);
}

/* A crossing and its control. */
struct pair {
    struct page_crossing how[2];
    struct sweep s[2];
    char name[2][32];
};

static void plan_curves(struct probe *p, struct pair *c, unsigned leads, const char *layout, size_t page_bytes)
{
    for (int aligned = 0; aligned < 2; aligned++) {
        snprintf(c->name[aligned], sizeof c->name[aligned], "%s%s%s", layout, leads ? ", led" : "",
                 aligned ? ", aligned" : "");
        c->how[aligned] = (struct page_crossing){.leads = leads, .aligned = aligned, .page_bytes = page_bytes};
        c->s[aligned] = (struct sweep){.name = c->name[aligned],
                                       .confounder = leads ? "leads" : "back end",
                                       .axis = "instructions",
                                       .unit = "cycles/iteration",
                                       .build = build_crossing,
                                       .context = &c->how[aligned],
                                       .search = {.kind = KNEE_STAIRCASE,
                                                  .from = CROSSING_FROM,
                                                  .to = probe_smoke(p, 8, CROSSING_TO),
                                                  .step = 1,
                                                  .coarse = (unsigned)probe_smoke(p, 4, CROSSING_TO)}};
    }
}

static bool decide_pair(struct probe *p, struct pair *c, bool *split)
{
    return fetch_width_decide(&c->s[0].search, &c->s[1].search, split) || probe_skip(p, "out of memory");
}

/* Whether a loop of few instructions is slower across a border than within a page, by the median of several samples. */
static bool is_split(struct probe *p, struct pair *c, bool *split)
{
    const size_t samples = (size_t)probe_smoke(p, 1, SAMPLES);
    double more[SAMPLES];

    for (size_t i = 0; i < samples; i++) {
        struct point pt[2];
        for (int aligned = 0; aligned < 2; aligned++) {
            struct kernel k = {.units = 1};
            if (!build_crossing(p, CROSSING_FROM, &c->how[aligned], &k) || !probe_measure(p, &k, &pt[aligned]))
                return false;
        }
        more[i] = pt[0].q20 - pt[1].q20;
    }
    sort_numbers(more, samples);
    *split = median(more, samples) >= SPLIT;
    return true;
}

static void report_crossing(struct probe *p, struct pair *pairs, size_t count, enum reason reason)
{
    struct experiment e[EXPERIMENTS];
    char at_least[16];
    struct finding f = {.name = "frontend.fetch.instructions",
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = reason,
                        .method = "width of the steps above the control"};
    double least = 0;

    for (size_t i = 0; i < count; i++) {
        experiments_of_sweeps(pairs[i].s, 1, &e[i]);
        least = fmax(least, pairs[i].how[0].leads ? 0 : fetch_width_least(&pairs[i].s[0].search));
    }
    snprintf(at_least, sizeof at_least, "%.0f", least);
    if (least > 0) {
        f.remarks[0].key = "at_least";
        f.remarks[0].text = at_least;
    }
    if (!count) {
        report(p, &f);
        return;
    }
    report_capacity(p, &f, e, count, 1);
    if (emit_longest == emit_alignment) {
        f.name = "frontend.fetch.bytes";
        for (size_t i = 0; i < count; i++)
            e[i].scale = emit_longest;
        report_capacity(p, &f, e, count, emit_longest);
    }
}

/* Measures crossings without and with leads, on frames that follow each other, if the platform has any, and others. */
static bool find_crossing(struct probe *p)
{
    static const size_t in_order[PAGE_CROSSING_PAGES] = {0, 1, 2, 3, 4, 5, 6, 7},
                        reversed[PAGE_CROSSING_PAGES] = {7, 6, 5, 4, 3, 2, 1, 0};
    const struct {
        const char *name;
        const size_t *frames;
    } layouts[LAYOUTS] = {{"crossing", in_order}, {"crossing, scattered", reversed}};
    const size_t page_bytes = machine_info()->page_bytes[0];
    struct pair pairs[EXPERIMENTS];
    struct code_frames code[LAYOUTS];
    size_t count = 0;
    bool good = true;

    for (size_t layout = 0; layout < LAYOUTS && good; layout++) {
        bool split = false;
        good = probe_map_code(p, &code[layout], layouts[layout].frames, PAGE_CROSSING_PAGES, page_bytes);
        if (!good)
            break;
        probe_use_code(p, &code[layout]);
        plan_curves(p, &pairs[count], 0, layouts[layout].name, page_bytes);
        good = is_split(p, &pairs[count], &split);
        split |= probe_is_smoke(p) && layout == 0; /* everything runs in the profile smoke */
        for (unsigned leads = 0; good && split && leads <= PAGE_CROSSING_LEADS; leads += PAGE_CROSSING_LEADS) {
            plan_curves(p, &pairs[count], leads, layouts[layout].name, page_bytes);
            good = sweeps_search(p, pairs[count].s, 2) && decide_pair(p, &pairs[count], &split);
            if (good && split)
                count++;
            else
                sweeps_free(pairs[count].s, 2);
        }
    }
    probe_use_code(p, NULL);
    if (good)
        report_crossing(p, pairs, count, REASON_NOT_SPLIT);
    for (size_t i = 0; i < count; i++)
        sweeps_free(pairs[i].s, 2);
    return good;
}

/* ---- Dense runs --------------------------------------------------------------------------------- */

static bool build_dense(struct probe *p, double per_line, void *context, struct kernel *k)
{
    return straight_build(p, *(const size_t *)context, (unsigned)per_line, k);
}

static struct sweep dense_sweep(const char *name, size_t *lines)
{
    return (struct sweep){.name = name,
                          .axis = "nops_per_line",
                          .unit = "cycles/nop",
                          .build = build_dense,
                          .context = lines,
                          .search = {.kind = KNEE_STEP,
                                     .from = FETCH_DENSITY_FROM,
                                     .to = FETCH_DENSITY_TO,
                                     .step = 1,
                                     .coarse = FETCH_DENSITY_TO - FETCH_DENSITY_FROM + 1}};
}

static bool find_dense(struct probe *p)
{
    double l1i = facts_number(&p->run->facts, "frontend.l1i.bytes", "", L1I_BYTES) / STRAIGHT_LINE_BYTES;
    size_t lines[] = {SHORT_LINES, (size_t)probe_smoke(p, SHORT_LINES, L1I_AVAILABLE * l1i),
                      (size_t)probe_smoke(p, SHORT_LINES, SHORTER_PART * l1i)};
    struct sweep s[] = {dense_sweep("short runs", &lines[0]), dense_sweep("dense", &lines[1]),
                        dense_sweep("shorter", &lines[2])};
    struct experiment_value v[LENGTHS];
    size_t decided = 0;
    struct finding f = {.name = "frontend.fetch.bytes",
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .reason = REASON_MASKED_BY_DECODE,
                        .curves = {"short runs", "dense", "shorter"},
                        .method = "bytes of dense runs that take as long with one NOP more"};

    bool good = sweeps_search(p, s, 1 + LENGTHS), known = facts_find(&p->run->facts, "frontend.l1i.bytes", "");
    const double decoded = facts_number(&p->run->facts, "frontend.decode.width", "", NAN);
    if (!known)
        f.reason = REASON_CAPACITY_UNKNOWN;
    else if (isnan(decoded))
        f.reason = REASON_DECODE_UNKNOWN;
    for (size_t i = 0; good && known && i < LENGTHS; i++) {
        v[i] = (struct experiment_value){s[1 + i].name, "operation cache", NAN};
        decided += fetch_width_bytes(&s[0].search, &s[1 + i].search, decoded, &v[i].value);
    }
    if (decided && decided < LENGTHS)
        f.reason = REASON_EXPERIMENTS_DISAGREE;
    if (decided == LENGTHS)
        report_graded_number(p, &f, v, LENGTHS);
    else if (good)
        report(p, &f);
    sweeps_free(s, 1 + LENGTHS);
    return good;
}

static void run(struct probe *p)
{
    if (find_crossing(p) && straight_fits(FETCH_DENSITY_FROM))
        find_dense(p);
}

PROBE(fetch, .title = "Fetching", .family = "frontend", .after = "decode", .run = run,
      .findings = FINDINGS({"frontend.fetch.instructions", "instructions/cycle", "instructions fetched in one cycle"},
                           {"frontend.fetch.bytes", "bytes/cycle", "bytes of code fetched in one cycle"}));
