#include "tests/model/curves/question.h"

#include <math.h>

#include "lib/engine/statistics.h"

enum { FOOLERS = 3, TRIES = 100, APART = 2 /* grains */ };

/* How a thing fools the experiments that fall for it. */
enum trick {
    TRICK_NONE,
    TRICK_DOUBLE, /* a chase by whole pages that uses half of the sets, or twice: the double, the half */
    TRICK_HALF,
    TRICK_MASK,  /* another structure is left first */
    TRICK_HELD,  /* something holds one to three entries that nobody counts */
    TRICK_NEAR,  /* a few per cent off */
    TRICK_BLIND, /* nothing to be seen */
    TRICKS,
};

static double tricked(enum trick trick, double truth, const struct search *p, uint64_t *random)
{
    double x = truth;

    switch (trick) {
    case TRICK_DOUBLE: x = 2 * truth; break;
    case TRICK_HALF: x = truth / 2; break;
    case TRICK_MASK: x = between(random, p->from, p->to); break;
    case TRICK_HELD: x = truth - p->grain * (double)(1 + random_below(random, 3)); break;
    case TRICK_NEAR: x = truth * (1 + (random_below(random, 2) ? 1 : -1) * between(random, 0.005, 0.04)); break;
    case TRICK_BLIND: return NAN;
    default: break;
    }
    return floor(x / p->grain + 0.5) * p->grain;
}

/*
 * Far enough from both ends of the range, and not what another thing shows already: nor, where that one fools too, so near
 * that an interval may hold both.
 */
static bool fits(double x, double truth, const struct search *p, const double *shown, size_t count)
{
    double room = (p->to - p->from) / 16;

    if (isnan(x))
        return true;
    if (x < p->from + room || x > p->to - room)
        return false;
    for (size_t i = 0; i < count; i++)
        if (fabs(shown[i] - x) < (fabs(shown[i] - truth) < p->grain / 2 ? 0.5 : APART) * p->grain)
            return false;
    return true;
}

void question_draw(struct question *q, uint64_t seed, uint64_t number)
{
    static const char *const foolers[FOOLERS] = {"prefetchers", "pages", "fillers"};
    uint64_t state = seed ^ (number + 1) * 0x9fb21c651e98df25, *random = &state;
    struct search plan = {.kind = (enum knee_kind)random_below(random, KNEE_STAIRS), .grain = 1};
    double shown[FOOLERS];

    *q = (struct question){.sound = true};
    plan.from = (double)(1 + random_below(random, 16));
    plan.to = plan.from + floor(plan.kind == KNEE_SLOPE ? between(random, 64, 256) : between(random, 200, 1500));
    plan.coarse = 16u << random_below(random, 3);
    q->there = between(random, 0, 1) < 0.85;
    q->truth = floor(between(random, plan.from + (plan.to - plan.from) / 5, plan.to - (plan.to - plan.from) / 5));

    size_t things = 1 + random_below(random, FOOLERS);
    for (size_t i = 0; i < things; i++) {
        enum trick trick = between(random, 0, 1) < 0.7 ? TRICK_NONE
                                                       : (enum trick)(1 + random_below(random, TRICKS - 1));
        if (!q->there && trick == TRICK_NONE)
            trick = TRICK_BLIND;
        double shows = tricked(trick, q->truth, &plan, random);
        for (int t = 0; t < TRIES && trick != TRICK_NONE && !fits(shows, q->truth, &plan, shown, i); t++)
            shows = tricked(t < TRIES / 2 ? trick : TRICK_MASK, q->truth, &plan, random);
        shown[i] = shows;
        q->sound &= trick == TRICK_NONE;
        for (size_t layouts = 1 + (between(random, 0, 1) < 0.3); layouts > 0; layouts--) {
            struct experiment *e = &q->experiments[q->count++];
            *e = (struct experiment){.fooled_by = foolers[i], .trial.plan = plan, .fooled = trick != TRICK_NONE};
            e->holds = random_below(random, 2) ? (double)random_below(random, 4) : 0;
            e->shows = isnan(shows) ? shows : shows - e->holds;
            trial_ask(&e->trial, e->shows, random);
            q->sound &= e->trial.curve.count && e->trial.searched[0].standing == IDENTIFIABLE;
        }
    }
    q->sound &= q->there && things > 1;
}

void question_free(struct question *q)
{
    for (size_t i = 0; i < q->count; i++)
        trial_free(&q->experiments[i].trial);
}
