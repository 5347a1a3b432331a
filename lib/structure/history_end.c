#include "lib/structure/history_end.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/plan/facts.h"
#include "lib/structure/rough_range.h"

enum {
    FIRST = 8,  /* dummies that the search of the range begins with */
    SAMPLES = 3 /* whose majority decides whether the probe branch is mispredicted */
};

const char *const history_kind_names[HISTORY_KINDS] = {"conditional-taken", "conditional-not-taken", "unconditional",
                                                       "indirect", "call-return"};
const char *const history_bearer_names[HISTORY_BEARERS] = {"direction", "target", "source"};
/* What could show instead of the bearer. */
static const char *const confounder[HISTORY_BEARERS] = {"history of targets", "history of directions",
                                                        "history of addresses"};
const char *const history_counted[] = {"conditional_mispredicts", "mispredicts", NULL};

/*
 * Mispredictions in an iteration at x. NaN where the controls are not as far apart as a misprediction costs. All
 * kernels of a sample are in one place, drawn anew for each sample, so that what the place costs cancels.
 */
static bool measure(struct probe *p, double x, void *context, struct point *out)
{
    const double chain = HISTORY_MULTIPLICATIONS * facts_number(&p->run->facts, "system.clock.multiply_cycles", "", 3);
    struct point pt[HISTORY_PROBES];
    struct history_curve *c = context;

    c->code.place = random_below(&p->random, HISTORY_PLACES);
    for (enum history_probe goes = 0; goes < HISTORY_PROBES; goes++) {
        struct kernel k;
        pt[goes] = (struct point){.x = x};
        if (!history_build(p, &c->code, (size_t)x, goes, &k) || !probe_measure(p, &k, &pt[goes]))
            return false;
    }
    const double predicted = pt[HISTORY_CONSTANT].q20, half = pt[HISTORY_OTHER_BIT].q20 - predicted;
    *out = pt[HISTORY_SAME_BIT];
    out->rejected += pt[HISTORY_OTHER_BIT].rejected + pt[HISTORY_CONSTANT].rejected;
    out->q20 = half > HISTORY_HALF_LEAST && half < chain ? 0.5 + 0.5 * (out->q20 - predicted) / half : (double)NAN;
    out->median = out->q20;
    return true;
}

/* What is counted: counters show mispredictions of the bearer and of the probe branch by their number. */
static bool build(struct probe *p, double x, void *context, struct kernel *k)
{
    const struct history_curve *c = context;

    return history_build(p, &c->code, (size_t)x, HISTORY_SAME_BIT, k);
}

/* The knee that is the end of the history; v->count where none is. */
static size_t end_of_history(struct verdict *v)
{
    size_t i = 0;

    while (i < v->count &&
           !(v->levels[i].height < 0.5 + HISTORY_PREDICTED && v->levels[i + 1].height > 0.5 + HISTORY_UNPREDICTED))
        i++;
    if (v->count && i == v->count)
        v->reason = REASON_PARTLY_PREDICTED;
    return i;
}

/*
 * Whether the probe branch is mispredicted after x dummies, by the majority of samples. From then on dummies are close
 * together if x of them would not fit the instruction cache otherwise. True where the probe is over.
 */
static bool is_mispredicted(struct probe *p, double x, void *context)
{
    struct history_curve *c = context;
    size_t in = 0, out = 0;

    c->code.close |= history_fills_cache(&c->code, x);
    for (size_t i = 0; i < SAMPLES && in <= SAMPLES / 2 && out <= SAMPLES / 2; i++) {
        struct point pt;
        if (!measure(p, x, c, &pt))
            return true;
        out += pt.q20 > 0.5 + (HISTORY_PREDICTED + HISTORY_UNPREDICTED) / 2;
        in += pt.q20 <= 0.5 + (HISTORY_PREDICTED + HISTORY_UNPREDICTED) / 2;
    }
    return out > in;
}

bool history_end_search(struct probe *p, struct history_curve *c, double limit, struct sweep *out, struct experiment *e)
{
    const struct rough_range range = {
        .is_beyond = is_mispredicted, .context = c, .first = FIRST, .limit = limit, .expected = c->expected};
    double from = 1, to = 1;

    snprintf(c->name, sizeof c->name, "%s%s, %s", c->code.mixed ? "mixed with " : "", history_kind_names[c->code.kind],
             history_bearer_names[c->code.bearer]);
    rough_range_find(p, &range, &from, &to);
    *out = (struct sweep){.name = c->name,
                          .confounder = confounder[c->code.bearer],
                          .axis = c->code.mixed ? "conditional_taken" : "dummies",
                          .unit = "mispredictions/iteration",
                          .measure = measure,
                          .build = build,
                          .context = c,
                          .seconds = probe_scale(p, 1, 0.5, 2, 10),
                          .search = {.kind = KNEE_STEP,
                                     .from = from,
                                     .to = to,
                                     .limit = to,
                                     .step = 1,
                                     .resolution = 0.1,
                                     .coarse = 3 * ROUGH_RANGE_MARGIN,
                                     .budget = (unsigned)probe_scale(p, 2, 150, 300, 1000)}};
    if (p->outcome != OUTCOME_OK || !sweep_search(p, out))
        return false;
    experiments_of_sweeps(out, 1, e);
    e->knee = end_of_history(&out->search.verdict);
    e->holds = HISTORY_BEARER_BRANCHES;
    return true;
}

bool history_end_shown(const struct experiment *e)
{
    return !e->verdict->reason && e->knee < e->verdict->count;
}
