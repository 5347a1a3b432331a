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

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/table_sample.h"

enum {
    ATTEMPTS = 4,     /* layouts that are tried at most */
    SAMPLES = 400,    /* in a layout, at most; modelled cores with 512 sets of 5 ways take 100 */
    SMOKE_LENGTH = 4, /* in the profile smoke: of two bearers */
    LOST_OF = 10      /* of so many samples one may have no result */
};

static const char WAYS[] = "frontend.cond.ways";

/* The ways, in layouts that agree; NaN, and why not, where they are not decided. False: the probe is over. */
static bool find(struct table_sample *w, struct table_lengths l, double *ways, enum reason *reason)
{
    const unsigned room = table_sample_room(l), layouts = (unsigned)probe_scale(w->p, 1, 2, 3, 3);
    const struct table_ways search = {.bits = room < TABLE_BITS_MOST ? room : TABLE_BITS_MOST,
                                      .samples = (unsigned)probe_scale(w->p, 1, SAMPLES, SAMPLES, SAMPLES),
                                      .random = &w->p->random,
                                      .sample = table_sample_take,
                                      .context = w};
    unsigned decided = 0;

    *ways = NAN;
    for (unsigned i = 0; i < probe_smoke(w->p, 1, ATTEMPTS) && decided < layouts; i++) {
        struct table_overflow set = {.dimensions = 0};
        double found;
        const double before = *ways;
        table_sample_draw(w, l, search.bits);
        if (!table_ways(&search, &found, reason, &set))
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
    const struct table_lengths l = table_lengths_known(p);
    enum reason reason = REASON_LENGTHS_UNKNOWN;
    double ways = NAN;
    struct table_sample w;

    if (!table_sample_start(p, &w))
        return;
    if (probe_is_smoke(p) && !find(&w, (struct table_lengths){SMOKE_LENGTH, 0}, &ways, &reason))
        return;
    if (l.longest && !probe_is_smoke(p) && !probe_is_simulated(p) && !find(&w, l, &ways, &reason))
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
