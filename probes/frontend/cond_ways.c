/*
 * Question: how many ways has the table of the conditional predictor that looks at the longest history?
 *
 * Experiment: a branch goes one way or the other by which of several histories it is executed with. Histories differ in
 * branches that lie farther back than the second longest table sees (lib/kernels/table_set.h): to the other tables they
 * are all alike. One of these predicts one direction, always the same, so that each history of the other direction needs
 * an entry of the longest table. Two controls calibrate time, as in the probe `history`.
 *
 * Inference: histories are selected until all lie in one set of the table (lib/structure/table_ways.h). How many of
 * either direction are predicted together are the ways.
 *
 * What could mislead: a table whose length differs by less than cond distinguishes adds its ways. Layouts of the code,
 * in which other bits of the index differ, must agree.
 *
 * Sources: Chen 2024 counts the ways of Apple's and Qualcomm's tables by branches at chosen addresses, and with
 * counters; sets found by histories alone, and time, are ours. docs/METHODS.md, 5.19.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/table_set.h"
#include "lib/plan/facts.h"
#include "lib/probe/probe.h"
#include "lib/structure/history_end.h"
#include "lib/structure/table_ways.h"
#include "lib/structure/tolerances_tables.h"

enum {
    ATTEMPTS = 4,  /* layouts that are tried at most */
    SAMPLES = 400, /* in a layout, at most; modelled cores with 512 sets of 5 ways take 100 */
    READINGS = 5,  /* of a sample; their median counts */
    LOST = 20,     /* readings of a sample that may be disturbed */
    OCCURS = 12,   /* times that each history occurs before a reading counts: tables learn at each misprediction */
    SETTLED = 500, /* iterations before a reading counts, besides */
    WARM_AT_ONCE = 2000, /* iterations without a reading in one window, so that few are disturbed */
    LOST_OF = 10,        /* of so many samples one may have no result */
    BEARER_BRANCHES = 2  /* in the history for each bearer, at most */
};

static const char WAYS[] = "frontend.cond.ways";

struct ways {
    struct probe *p;
    struct table_set set;
    uint64_t *list;
    uint64_t iterations[HISTORY_PROBES]; /* of a reading */
    unsigned samples, unmeasured;
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Cycles of an iteration; NaN where too many readings are disturbed. False: the probe is over. */
static bool measure(struct ways *w, enum history_probe goes, double *cycles)
{
    /* of the branch that goes by another bit nothing can be learned */
    const double settled = goes == HISTORY_OTHER_BIT ? 0 : SETTLED + (double)OCCURS * w->set.entries;
    double readings[READINGS], done = 0;
    unsigned count = 0;
    struct kernel k;

    *cycles = NAN;
    if (!table_set_build(w->p, &w->set, goes, &k))
        return false;
    for (unsigned lost = 0; count < READINGS && lost < LOST;) {
        const bool counts = done >= settled;
        double reading;
        k.warm_iterations = probe_smoke(w->p, 1, fmax(1, fmin(settled - done, WARM_AT_ONCE)));
        if (!probe_quick_sample(w->p, &k, &w->iterations[goes], &reading))
            return false;
        done += probe_smoke(w->p, settled, k.warm_iterations + (double)w->iterations[goes]);
        lost += counts && isnan(reading) ? 1 : 0;
        if (counts && !isnan(reading))
            readings[count++] = reading;
    }
    if (count == READINGS) {
        qsort(readings, READINGS, sizeof *readings, by_value);
        *cycles = readings[READINGS / 2];
    }
    return true;
}

static bool sample(void *context, const uint32_t *histories, unsigned count, enum table_fit *fit)
{
    struct ways *w = context;
    double cycles[HISTORY_PROBES];

    for (unsigned i = 0; i < count; i++)
        w->list[i] = histories[i] | ((histories[i] & TABLE_DIRECTION) ? TABLE_TAKEN : 0);
    w->set.entries = count;
    for (enum history_probe goes = 0; goes < HISTORY_PROBES; goes++)
        if (!measure(w, goes, &cycles[goes]))
            return false;
    const double zero = cycles[HISTORY_CONSTANT], half = cycles[HISTORY_OTHER_BIT] - zero;
    const double missed = half > HISTORY_HALF_LEAST ? (cycles[HISTORY_SAME_BIT] - zero) / half : (double)NAN;
    w->samples++;
    w->unmeasured += isnan(missed) ? 1 : 0;
    *fit = missed < TABLE_FITS_BELOW ? TABLE_FITS : missed > TABLE_OVERFLOWS_ABOVE ? TABLE_OVERFLOWS : TABLE_PARTLY;
    return true;
}

/* The ways, in layouts that agree; NaN, and why not, where they are not decided. False: the probe is over. */
static bool find(struct ways *w, unsigned longest, unsigned second, double *ways, enum reason *reason)
{
    const unsigned room = (longest - second) / BEARER_BRANCHES, layouts = (unsigned)probe_scale(w->p, 1, 2, 3, 3);
    const struct table_ways search = {.bits = room < TABLE_BITS_MOST ? room : TABLE_BITS_MOST,
                                      .samples = (unsigned)probe_scale(w->p, 1, SAMPLES, SAMPLES, SAMPLES),
                                      .random = &w->p->random,
                                      .sample = sample,
                                      .context = w};
    unsigned decided = 0;

    *ways = NAN;
    for (unsigned i = 0; i < probe_smoke(w->p, 1, ATTEMPTS) && decided < layouts; i++) {
        double found;
        const double before = *ways;
        w->set.layout = random_next(&w->p->random);
        w->set.bearers = search.bits;
        w->set.dummies = second +
                         (unsigned)random_below(&w->p->random, longest - second - BEARER_BRANCHES * search.bits + 1);
        w->set.reset = longest - w->set.dummies;
        if (!table_ways(&search, &found, reason))
            return false;
        decided += isnan(found) ? 0 : 1;
        *ways = isnan(found) ? before : found;
        if (!isnan(found) && !isnan(before) && found != before) {
            *reason = REASON_LAYOUTS_DISAGREE;
            return true;
        }
    }
    if (decided == layouts)
        *reason = REASON_NONE;
    else if (*reason == REASON_AMBIGUOUS && w->unmeasured * LOST_OF > w->samples)
        *reason = REASON_NOISE;
    return true;
}

static void run(struct probe *p)
{
    const double longest = facts_number(&p->run->facts, "frontend.cond.history", "table=1", 0);
    const double alone = facts_number(&p->run->facts, "frontend.cond.tables", "", 0) == 1 ? 0 : NAN;
    const double second = facts_number(&p->run->facts, "frontend.cond.history", "table=2", alone);
    const bool known = longest > 0 && longest > second;
    enum reason reason = REASON_LENGTHS_UNKNOWN;
    double ways = NAN;
    struct area state;

    if (!probe_map(p, &state, (1 + TABLE_HISTORIES) * sizeof(uint64_t), 0))
        return;
    struct ways w = {.p = p,
                     .list = (uint64_t *)(void *)state.write + 1,
                     .set = {.state = state.at, .list = state.at + sizeof(uint64_t)}};
    if (probe_is_smoke(p) && !find(&w, 2 * BEARER_BRANCHES, 0, &ways, &reason))
        return;
    if (known && !probe_is_smoke(p) && !probe_is_simulated(p) &&
        !find(&w, (unsigned)longest, (unsigned)second, &ways, &reason))
        return;
    if (probe_is_smoke(p) || probe_is_simulated(p))
        reason = REASON_TOO_SHORT;
    const struct finding f = {.name = WAYS,
                              .variants = {{"table", NULL, 1}},
                              .reason = reason,
                              .value = ways,
                              .low = ways,
                              .high = ways,
                              .grade = 'C',
                              .method = "histories of one set that are predicted together"};
    if (reason)
        report_number(p, &f, NAN);
    else
        report(p, &f);
}

PROBE(cond_ways, .title = "Conditional predictor ways", .family = "frontend", .run = run, .after = "cond",
      .findings = FINDINGS({"frontend.cond.ways", "ways",
                            "entries in a set of that table of the conditional predictor"}));
