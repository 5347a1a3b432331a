/*
 * Question: how many branches does the longest history contain by which indirect branches are predicted, and how many do
 * shorter ones that tables look at? Which kinds of branches enter?
 *
 * Experiment: a bearer, a conditional branch taken or not by a bit drawn at random, leaves that bit in the history; k
 * branches that are always taken follow; an indirect jump goes to one of two places by the bit
 * (lib/kernels/table_trial.h). Two controls calibrate time, as in the probe `history`: a jump by another bit, and one
 * that always goes to the same place.
 *
 * Inference: the last k at which the jump is predicted, and the bearer itself, are the longest history. With 48 branches in
 * directions drawn at random before the bearer, tables that see these learn little, so that the jump is predicted only where
 * the history of a table ends right behind the bearer, as in the probe `cond`: each k after which that stops is the length of
 * a table. Others may be missed: their number is not reported.
 *
 * Other kinds of branches (unconditional, indirect, call and return): with some of these between bearer and dummies, fewer
 * taken branches push the bearer out, one or two for each, or as many as before where the kind does not enter the history.
 *
 * What could mislead: a predictor of indirect branches that does not look at conditional branches shows nothing, and
 * is left undecided. Where the jump is predicted from k = 0 on, several short histories may be alike, and none is reported.
 *
 * Sources: Li et al. 2024 (Indirector) find by counters that Intel's indirect predictor looks at the same history as the
 * conditional one; time, and the search, are ours. docs/METHODS.md, 5.24.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/history_end.h"
#include "lib/structure/table_search.h"
#include "lib/structure/table_time.h"

enum {
    SMOKE_LIMIT = 2, /* in the profile smoke */
    LOST_OF = 100,   /* samples one may be lost, as in `cond` */
    MIXED_PART = 3,  /* one of so many places of the history is for dummies of another kind */
    MIXED_LEAST = 2  /* of these: whether one more or less is seen would be an error of one */
};

/* Why nothing follows from the samples. */
static enum reason undecided(const struct table_time *t, unsigned longest, bool ends)
{
    return probe_is_smoke(t->p)             ? REASON_TOO_SHORT
           : t->lost * LOST_OF > t->samples ? REASON_NOISE
           : ends                           ? REASON_NONE
           : longest                        ? REASON_NOT_LEFT
                                            : REASON_NO_KNEE;
}

static void report_history(struct probe *p, enum history_kind kind, double branches, enum reason reason)
{
    const struct finding f = {
        .name = "frontend.indirect.history",
        .variants = {{"kind", history_kind_names[kind]}},
        .value = branches,
        .low = branches,
        .high = branches,
        .grade = 'C',
        .reason = reason,
        .method = "the last number of branches behind a bit of chance at which an indirect jump is "
                  "predicted, and the one that the bit steers"};
    if (reason)
        report_number(p, &f, NAN);
    else
        report(p, &f);
}

/*
 * Branches of this kind that the history spans, 0 where they do not enter it. With some dummies of the kind, the jump is
 * predicted up to as many taken branches fewer as these take places of the history. False: the probe is over.
 */
static bool find_kind(struct table_time *t, const struct table_search *s, enum history_kind kind, unsigned longest,
                      double *branches, enum reason *reason)
{
    const unsigned each = history_branches(kind);
    unsigned places = 0; /* of a dummy */
    bool seen = false, beyond = true;

    t->trial.kind = kind;
    t->trial.mixed = longest / MIXED_PART / each;
    const unsigned mixed = t->trial.mixed;
    for (; !seen && places <= each; places++)
        if (!table_sees(s, longest - mixed * places, &seen))
            return false;
    places--;
    if (seen && !table_sees(s, longest - mixed * places + 1, &beyond))
        return false;
    t->trial.mixed = 0;
    *reason = undecided(t, longest, true);
    if (!*reason && (mixed < MIXED_LEAST || beyond))
        *reason = REASON_EXPERIMENTS_DISAGREE;
    *branches = places ? (longest + 1.0) * each / places : 0;
    return true;
}

/* The lengths at which windows end, the longest first; one that begins at no dummies at all shows no single table. */
static void report_all(struct probe *p, const struct table_window *found, unsigned count, unsigned longest,
                       enum reason reason)
{
    char text[8 * TABLES_MOST] = "";

    for (unsigned i = 0; i < count; i++)
        if (found[i].first)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", text[0] ? " " : "", found[i].last + 1);
    if (!reason && (!text[0] || found[0].last != longest))
        reason = text[0] ? REASON_EXPERIMENTS_DISAGREE : REASON_LENGTHS_TOO_CLOSE;
    const struct finding f = {
        .name = "frontend.indirect.histories",
        .value = NAN,
        .low = NAN,
        .high = NAN,
        .text = reason ? NULL : text,
        .grade = 'C',
        .reason = reason,
        .method = "the last numbers of branches behind a bit of chance, with more chance before it, at "
                  "which an indirect jump is predicted"};
    if (reason)
        report_number(p, &f, NAN);
    else
        report(p, &f);
}

static void run(struct probe *p)
{
    struct area state;
    struct table_window found[TABLES_MOST];
    unsigned longest = 0, count = 0;
    bool ends = false;

    if (!probe_map(p, &state, sizeof(uint64_t), 0))
        return;
    struct table_time t = {.p = p, .trial = {.state = state.at, .jump = true}};
    const struct table_search search = {.limit = (unsigned)probe_smoke(p, SMOKE_LIMIT, TABLE_DUMMIES),
                                        .narrow = true,
                                        .random = &p->random,
                                        .sample = table_time_sample,
                                        .context = &t};
    if (!table_reach(&search, &longest, &ends))
        return;
    enum reason reason = undecided(&t, longest, ends);
    report_history(p, HISTORY_TAKEN, longest + 1, reason);
    if (!reason && probe_scale(p, 0, 0, 1, 1) < 1)
        reason = REASON_TOO_SHORT;
    for (enum history_kind kind = HISTORY_UNCONDITIONAL; kind < HISTORY_KINDS; kind++) {
        double branches = NAN;
        enum reason of_kind = reason;
        if (!reason && !find_kind(&t, &search, kind, longest, &branches, &of_kind))
            return;
        report_history(p, kind, branches, of_kind);
    }
    if (!reason) {
        if (!table_lengths(&search, longest, found, &count))
            return;
        reason = undecided(&t, longest, ends);
    }
    report_all(p, found, count, longest, reason);
}

PROBE(indirect_history, .title = "Indirect predictor history", .family = "frontend", .run = run, .after = "history",
      .findings =
          FINDINGS({"frontend.indirect.history", "branches",
                    "branches of that kind that the longest history of the indirect predictor spans"},
                   {"frontend.indirect.histories", "branches",
                    "taken branches in histories that tables of the indirect predictor look at, as far as known"}));
