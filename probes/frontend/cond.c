/*
 * Question: at how many lengths of the branch history do the tables look by which conditional branches are predicted,
 * and at which?
 *
 * Experiment: a bearer, a branch taken or not by a bit drawn at random, leaves that bit in the history; k branches that
 * are always taken follow; a probe branch goes by the bit (lib/kernels/table_trial.h). Two controls calibrate time, as
 * in the probe `history`: a branch by another bit, and one that always goes the same way.
 *
 * Inference: the last k at which the probe branch is predicted is the longest history. With jumps to random places
 * before the bearer, tables that see these learn nothing, so that the branch is predicted only where the history of a
 * table ends right behind the bearer: each k after which that stops is the length of a table.
 *
 * What could mislead: lengths that are close together show as one wide window, so that lengths below a window that is
 * wider than others are not reported.
 *
 * Sources: Yavarzadeh et al. 2023 (Half&Half) and Chen 2024 for Apple's and Qualcomm's cores: longest table first,
 * shorter ones under randomness; time instead of counters, and steps under randomness, are ours. docs/METHODS.md, 5.14.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/plan/facts.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/table_search.h"
#include "lib/structure/table_time.h"

enum {
    SMOKE_LIMIT = 2, /* in the profile smoke */
    LOST_OF = 100    /* samples one may be lost: the sequential test allows for 7 in 100 on the wrong side */
};

static const char TABLES[] = "frontend.cond.tables", HISTORY[] = "frontend.cond.history";

static void report_undecided(struct probe *p, const char *name, enum reason reason)
{
    report_number(p, &(struct finding){.name = name, .reason = reason}, NAN);
}

static void report_lengths(struct probe *p, const struct table_window *found, unsigned count, unsigned longest)
{
    const double branches = facts_number(&p->run->facts, "frontend.history.branches", "kind=conditional-taken", 0);
    const bool whole = count && found[0].last == longest;
    const unsigned distinct = table_distinct(found, count);

    for (unsigned i = 0; i < (distinct < count ? distinct + 1 : count) && whole; i++)
        report(p, &(struct finding){.name = HISTORY,
                                    .variants = {{"table", NULL, i + 1}},
                                    .value = found[i].last + 1,
                                    .low = found[i].last + 1,
                                    .high = found[i].last + 1,
                                    .grade = !i && fabs(branches - found[i].last - 1) < 0.5 ? 'B' : 'C',
                                    .method = "the last number of branches behind a bit of chance, with more chance "
                                              "before it, at which it predicts a branch"});
    if (!whole)
        report_undecided(p, HISTORY, REASON_EXPERIMENTS_DISAGREE);
    if (!whole || distinct < count)
        report_undecided(p, TABLES, whole ? REASON_LENGTHS_TOO_CLOSE : REASON_EXPERIMENTS_DISAGREE);
    else
        report(p, &(struct finding){.name = TABLES,
                                    .value = count,
                                    .low = count,
                                    .high = count,
                                    .grade = 'C',
                                    .method = "steps of prediction with chance before the bit"});
}

/* One row for each window: what the findings were made from. */
static void send_windows(const struct probe *p, const struct table_time *e, const struct table_window *found,
                         unsigned count)
{
    struct record r;

    record_table(p, &r, "windows");
    record_number(&r, "samples", e->samples);
    record_number(&r, "unmeasured", e->unmeasured);
    RECORD_COLUMNS(&r, "first", "last");
    for (unsigned i = 0; i < count; i++) {
        record_array(&r, NULL);
        record_number(&r, NULL, found[i].first);
        record_number(&r, NULL, found[i].last);
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

static void run(struct probe *p)
{
    struct area state;
    struct table_window found[TABLES_MOST];
    unsigned longest = 0, count = 0;
    bool ends = false;

    if (!probe_map(p, &state, sizeof(uint64_t), 0))
        return;
    struct table_time e = {.p = p, .trial = {.state = state.at}};
    const struct table_search search = {.limit = (unsigned)probe_smoke(p, SMOKE_LIMIT, TABLE_DUMMIES),
                                        .random = &p->random,
                                        .sample = table_time_sample,
                                        .context = &e};
    if (!table_reach(&search, &longest, &ends) || (ends && !table_lengths(&search, longest, found, &count)))
        return;
    const enum reason reason = probe_is_smoke(p)              ? REASON_TOO_SHORT
                               : e.lost * LOST_OF > e.samples ? REASON_NOISE
                               : ends                         ? REASON_NONE
                               : longest                      ? REASON_NOT_LEFT
                                                              : REASON_NO_KNEE;
    if (reason) {
        report_undecided(p, TABLES, reason);
        report_undecided(p, HISTORY, reason);
    } else {
        report_lengths(p, found, count, longest);
    }
    send_windows(p, &e, found, count);
}

PROBE(cond, .title = "Conditional predictor tables", .family = "frontend", .run = run, .after = "history",
      .findings = FINDINGS({"frontend.cond.tables", "lengths",
                            "different lengths of history that tables of the conditional predictor look at"},
                           {"frontend.cond.history", "branches",
                            "taken branches in the history of that table of the conditional predictor"}));
