/*
 * Question: how many branches does the longest history contain by which indirect branches are predicted?
 *
 * Experiment: a bearer, a conditional branch taken or not by a bit drawn at random, leaves that bit in the history; k
 * branches that are always taken follow; an indirect jump goes to one of two places by the bit
 * (lib/kernels/table_trial.h). Two controls calibrate time, as in the probe `history`: a jump by another bit, and one
 * that always goes to the same place.
 *
 * Inference: the last k at which the jump is predicted, and the bearer itself, are the longest history.
 *
 * What could mislead: a predictor of indirect branches that does not look at conditional branches shows nothing, and
 * is left undecided.
 *
 * Sources: Li et al. 2024 (Indirector) find by counters that Intel's indirect predictor looks at the same history as the
 * conditional one; time, and the search, are ours. docs/METHODS.md, 5.24.
 */
#include <math.h>

#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/structure/table_search.h"
#include "lib/structure/table_time.h"

enum { SMOKE_LIMIT = 2 /* in the profile smoke */, LOST_OF = 100 /* samples one may be lost, as in `cond` */ };

static void run(struct probe *p)
{
    struct area state;
    unsigned longest = 0;
    bool ends = false;

    if (!probe_map(p, &state, sizeof(uint64_t), 0))
        return;
    struct table_time t = {.p = p, .trial = {.state = state.at, .jump = true}};
    const struct table_search search = {.limit = (unsigned)probe_smoke(p, SMOKE_LIMIT, TABLE_DUMMIES),
                                        .random = &p->random,
                                        .sample = table_time_sample,
                                        .context = &t};
    if (!table_reach(&search, &longest, &ends))
        return;
    const enum reason reason = probe_is_smoke(p)              ? REASON_TOO_SHORT
                               : t.lost * LOST_OF > t.samples ? REASON_NOISE
                               : ends                         ? REASON_NONE
                               : longest                      ? REASON_NOT_LEFT
                                                              : REASON_NO_KNEE;
    const struct finding f = {
        .name = "frontend.indirect.history",
        .value = longest + 1,
        .low = longest + 1,
        .high = longest + 1,
        .grade = 'C',
        .reason = reason,
        .method = "the last number of branches behind a bit of chance at which an indirect jump is "
                  "predicted, and the one that the bit steers"};
    if (reason)
        report_number(p, &f, NAN);
    else
        report(p, &f);
}

PROBE(indirect_history, .title = "Indirect predictor history", .family = "frontend", .run = run, .after = "history",
      .findings = FINDINGS({"frontend.indirect.history", "branches",
                            "taken branches in the longest history of the indirect predictor"}));
