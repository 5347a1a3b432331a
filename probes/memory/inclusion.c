/*
 * Inclusion: does the second level of cache hold the lines that the first data cache holds, just others, or does each
 * replace its own? And those of the instruction cache?
 *
 * Experiment: lines are loaded into the first level, and then the second level is filled with something else that
 * hardly touches the first level (lib/kernels/kept_lines.h): by code, a chain of jumps that goes through the
 * instruction cache, or by data. Either comes in pieces, and after each piece the lines are loaded again: the first
 * level has no reason to replace them, while the second does not see these loads. The time of each such look shows how
 * many lines the first level has lost.
 *
 * Inference: an inclusive second level takes what it replaces from the first level as well. Where lines stay, they are
 * displaced from the first level by others, and looked at: an exclusive second level gets what the first one gives up,
 * another has replaced them long ago. How long a look takes at lines that are in the first level, in the second, and in
 * neither is measured beside. The control has as many pieces that use few lines, which the second level has room for.
 *
 * A ring of lines that only both levels together can hold confirms exclusion (lib/structure/capacity_sum.h). Lines of
 * code are kept, and looked at by jumps, beside data that fills.
 *
 * There is no curve: the table `looks` has what was measured.
 *
 * What could mislead: of code, page walks for it that go through the first data cache; of data, that the first level
 * replaces lines in another order than that of use. An inclusive level that never replaces a line of the first level
 * looks like an exclusive one.
 *
 * Sources: Jaleel et al. 2010, Achieving Non-Inclusive Cache Performance with Inclusive Caches (back-invalidation);
 * filling by code is ours. docs/METHODS.md, 7.24.
 */
#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/base/statistics.h"
#include "lib/finding/report.h"
#include "lib/kernels/kept_lines.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/capacity_sum.h"
#include "lib/structure/inclusion.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    SAMPLES = 25,          /* looks at lines of each state, of which the median counts, … */
    QUICK_SAMPLES = 15,    /* … in profile quick; median_bounds needs eleven */
    ATTEMPTS = 4,          /* at a look that was interrupted */
    SIMULATED_SAMPLES = 2, /* readings there repeat */
    SMOKE_FIRST = 2048,    /* bytes that the levels are taken for in profile smoke */
    SMOKE_SECOND = 8192
};
static const char *const level_names[KEPT_SIDES] = {[KEPT_IN_DATA] = "1d-2", [KEPT_IN_CODE] = "1i-2"};
static const char *const filler_names[KEPT_FILLERS] = {[KEPT_CODE] = "code", [KEPT_DATA] = "data"};

/* Where the lines of a look are, but for the last one: that is to be found out. */
enum state { NEAR, SECOND, GONE, GIVEN_UP };

/* Lines of code are not kept beside code that fills: predictors of branches would lose the jumps through them, too. */
static enum kept_filler first_filler(const struct kept_lines *k)
{
    return k->side == KEPT_IN_CODE ? KEPT_DATA : KEPT_CODE;
}

static size_t samples_of(const struct probe *p)
{
    return (size_t)probe_simulated(p, SIMULATED_SAMPLES, probe_scale(p, 1, QUICK_SAMPLES, SAMPLES, SAMPLES));
}

/* Brings the lines into that state and looks at them. */
static bool look(struct kept_lines *k, enum kept_filler filler, enum state state, double *ticks)
{
    double looks;

    if (state == NEAR) /* as the looks between pieces are taken, which it is compared with */
        return kept_lines_load(k, false) && kept_lines_fill(k, KEPT_NOTHING, false, INFINITY, ticks);
    return kept_lines_load(k, state == SECOND || state == GONE) &&
           (state < GONE || kept_lines_fill(k, filler, true, INFINITY, state == GIVEN_UP ? &looks : NULL)) &&
           kept_lines_look(k, state == GIVEN_UP, ticks);
}

static bool median_look(struct kept_lines *k, enum kept_filler filler, enum state state, double *ticks)
{
    const size_t samples = samples_of(k->p);
    double all[SAMPLES];
    size_t count = 0;

    for (size_t i = 0; i < samples * ATTEMPTS && count < samples; i++) {
        if (!look(k, filler, state, &all[count]))
            return false;
        count += isnan(all[count]) ? 0 : 1;
    }
    *ticks = median(all, count);
    return true;
}

/*
 * Lines lost each time that the second level is filled, by looks between the pieces that fill it. The first fill only
 * replaces what was there before, and does not count.
 */
static bool measure_lost(struct kept_lines *k, enum kept_filler filler, struct inclusion_view *v)
{
    const double pieces = (double)k->fill_count / (double)k->piece[filler] / KEPT_FILLS;
    const size_t samples = samples_of(k->p);
    /* none can be farther than gone: what takes longer was interrupted */
    const double most = (1 + LEVEL_RISES) * v->gone, a_line = (v->gone - v->near) / pieces;
    double more[SAMPLES], dropped[SAMPLES];
    size_t count = 0;

    for (size_t i = 0; i < samples * ATTEMPTS && count < samples; i++) {
        double few, all;
        for (int part = 0; part < 2; part++)
            if (!kept_lines_load(k, false) || !kept_lines_fill(k, filler, part, most, &all) ||
                !kept_lines_fill(k, filler, part, most, part ? &all : &few))
                return false;
        more[count] = (all - few) / a_line;
        dropped[count] = (few - v->near) / (v->second - v->near) * pieces;
        count += isnan(more[count]) ? 0 : 1;
    }
    sort_numbers(more, count);
    v->dropped = median(dropped, count);
    v->lost = quantile(more, count, 0.5);
    median_bounds(more, count, &v->lost_low, &v->lost_high);
    if (probe_is_simulated(k->p) && count > 0) {
        v->lost_low = more[0];
        v->lost_high = more[count - 1];
    }
    return true;
}

static bool measure_view(struct kept_lines *k, enum kept_filler filler, struct inclusion_view *v)
{
    *v = (struct inclusion_view){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    return median_look(k, filler, NEAR, &v->near) && median_look(k, filler, SECOND, &v->second) &&
           median_look(k, filler, GONE, &v->gone) && median_look(k, filler, GIVEN_UP, &v->given_up) &&
           measure_lost(k, filler, v);
}

static void send_table(struct probe *p, const struct kept_lines *k, const struct inclusion_view *views,
                       const struct capacity_rings *rings)
{
    struct record r;

    record_table(p, &r, "looks");
    record_text(&r, "levels", level_names[k->side]);
    record_number(&r, "fits", rounded(rings->fits));
    record_number(&r, "more", rounded(rings->more));
    record_number(&r, "beyond", rounded(rings->beyond));
    RECORD_COLUMNS(&r, "filler", "near", "second", "gone", "lost", "lost_low", "lost_high", "dropped", "given_up");
    for (enum kept_filler i = first_filler(k); i < KEPT_FILLERS; i++) {
        record_array(&r, NULL);
        record_text(&r, NULL, filler_names[i]);
        record_number(&r, NULL, rounded(views[i].near));
        record_number(&r, NULL, rounded(views[i].second));
        record_number(&r, NULL, rounded(views[i].gone));
        record_number(&r, NULL, rounded(views[i].lost));
        record_number(&r, NULL, rounded(views[i].lost_low));
        record_number(&r, NULL, rounded(views[i].lost_high));
        record_number(&r, NULL, rounded(views[i].dropped));
        record_number(&r, NULL, rounded(views[i].given_up));
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static bool report_side(struct probe *p, struct kept_lines *k, const struct capacity_rings *rings, struct finding f)
{
    const enum capacity_sum sum = capacity_sum_of(rings);
    struct inclusion_view views[KEPT_FILLERS];
    enum inclusion what[KEPT_FILLERS] = {INCLUSION_UNKNOWN};
    enum reason why[KEPT_FILLERS] = {REASON_NONE};

    for (enum kept_filler filler = first_filler(k); filler < KEPT_FILLERS; filler++) {
        if (!measure_view(k, filler, &views[filler]))
            return false;
        what[filler] = inclusion_of_view(&views[filler], &why[filler]);
    }
    send_table(p, k, views, rings);
    const struct inclusion_verdict v = inclusion_decide(what, why, KEPT_FILLERS, sum);
    f.text = inclusion_names[v.what];
    f.grade = v.grade;
    f.reason = v.reason;
    f.agreement = v.grade == 'U' || v.grade == 'C' ? NULL
                  : sum == SUM_UNKNOWN             ? "code with data"
                                                   : "code with data and capacity";
    report(p, &f);
    return true;
}

static void run(struct probe *p)
{
    const struct facts *facts = &p->run->facts;
    const double first = probe_smoke(p, SMOKE_FIRST, facts_number(facts, "memory.cache.bytes", "level=1", NAN)),
                 second = probe_smoke(p, SMOKE_SECOND, facts_number(facts, "memory.cache.bytes", "level=2", NAN)),
                 code = probe_smoke(p, SMOKE_FIRST, facts_number(facts, "frontend.l1i.bytes", "", first));
    const struct capacity_rings none = {NAN, NAN, NAN};
    struct capacity_rings rings;
    struct kept_lines k;
    enum reason reason;

    if (!capacity_sum_measure(p, second, facts_number(facts, "memory.cache.ways", "level=1", NAN), &rings) ||
        !kept_lines_start(p, &k, first, code, second, &reason))
        return;
    for (k.side = KEPT_IN_DATA; k.side < KEPT_SIDES; k.side++) {
        const struct finding f = {.name = "memory.cache.inclusion",
                                  .variants = {{"levels", level_names[k.side]}},
                                  .value = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .grade = 'U',
                                  .reason = reason,
                                  .method = "lines kept in the first level while the second is filled"};
        if (reason)
            report(p, &f);
        else if (!report_side(p, &k, k.side == KEPT_IN_DATA ? &rings : &none, f))
            return;
    }
}

PROBE(inclusion, .title = "Inclusion of caches", .family = "memory", .after = "cache_sets", .run = run,
      .needs = NEEDS("memory.cache.bytes level=1", "memory.cache.bytes level=2"),
      .findings = FINDINGS({"memory.cache.inclusion", "relation",
                            "whether a cache holds the lines of the level before it, just others, or neither"}));
