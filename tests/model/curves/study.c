#include "tests/model/curves/study.h"

#include <math.h>

#include "lib/base/random.h"

enum { CONFOUNDERS = 3, TRIES = 100, APART = 2 /* steps */ };

/* What the curves of misled experiments show. */
enum trick {
    TRICK_NONE,
    TRICK_DOUBLE, /* twice the truth, as a pointer chase in steps of whole pages that uses half of the sets */
    TRICK_HALF,
    TRICK_MASK,  /* the capacity of another structure, which is full first */
    TRICK_TAKEN, /* one to three entries less, which something else occupies */
    TRICK_NEAR,  /* a few per cent more or less */
    TRICK_BLIND, /* nothing */
    TRICKS,
};

static double tricked(enum trick trick, double truth, const struct search *p, uint64_t *random)
{
    double x = truth;

    switch (trick) {
    case TRICK_DOUBLE: x = 2 * truth; break;
    case TRICK_HALF: x = truth / 2; break;
    case TRICK_MASK: x = between(random, p->from, p->to); break;
    case TRICK_TAKEN: x = truth - p->step * (double)(1 + random_below(random, 3)); break;
    case TRICK_NEAR: x = truth * (1 + (random_below(random, 2) ? 1 : -1) * between(random, 0.005, 0.04)); break;
    case TRICK_BLIND: return NAN;
    default: break;
    }
    return floor(x / p->step + 0.5) * p->step;
}

/*
 * Whether x lies far enough from both ends of the range, and from what other confounders show: where those mislead,
 * too, far enough that no interval holds both.
 */
static bool fits(double x, double truth, const struct search *p, const double *shown, size_t count)
{
    double room = (p->to - p->from) / 16;

    if (isnan(x))
        return true;
    if (x < p->from + room || x > p->to - room)
        return false;
    for (size_t i = 0; i < count; i++)
        if (fabs(shown[i] - x) < (fabs(shown[i] - truth) < p->step / 2 ? 0.5 : APART) * p->step)
            return false;
    return true;
}

void study_draw(struct study *s, uint64_t seed, uint64_t number)
{
    static const char *const confounders[CONFOUNDERS] = {"prefetchers", "pages", "fillers"};
    uint64_t state = seed ^ (number + 1) * 0x9fb21c651e98df25, *random = &state;
    struct search plan = {.kind = (enum knee_kind)random_below(random, KNEE_STAIRCASE), .step = 1};
    double shown[CONFOUNDERS];

    *s = (struct study){.sound = true};
    plan.from = (double)(1 + random_below(random, 16));
    plan.to = plan.from + floor(plan.kind == KNEE_SLOPE ? between(random, 64, 256) : between(random, 200, 1500));
    plan.coarse = 16u << random_below(random, 3);
    s->exists = between(random, 0, 1) < 0.85;
    s->truth = floor(between(random, plan.from + (plan.to - plan.from) / 5, plan.to - (plan.to - plan.from) / 5));

    size_t count = 1 + random_below(random, CONFOUNDERS);
    for (size_t i = 0; i < count; i++) {
        enum trick trick = between(random, 0, 1) < 0.7 ? TRICK_NONE
                                                       : (enum trick)(1 + random_below(random, TRICKS - 1));
        if (!s->exists && trick == TRICK_NONE)
            trick = TRICK_BLIND;
        double shows = tricked(trick, s->truth, &plan, random);
        for (int t = 0; t < TRIES && trick != TRICK_NONE && !fits(shows, s->truth, &plan, shown, i); t++)
            shows = tricked(t < TRIES / 2 ? trick : TRICK_MASK, s->truth, &plan, random);
        shown[i] = shows;
        s->sound &= trick == TRICK_NONE;
        for (size_t layouts = 1 + (between(random, 0, 1) < 0.3); layouts > 0; layouts--) {
            struct drawn_experiment *e = &s->experiments[s->count++];
            *e = (struct drawn_experiment){
                .confounder = confounders[i], .trial.plan = plan, .misled = trick != TRICK_NONE};
            e->occupied = random_below(random, 2) ? (double)random_below(random, 4) : 0;
            e->shows = isnan(shows) ? shows : shows - e->occupied;
            trial_of_experiment(&e->trial, e->shows, random);
            s->sound &= e->trial.curve.count && e->trial.searched[0].standing == IDENTIFIABLE;
        }
    }
    s->sound &= s->exists && count > 1;
}

void study_free(struct study *s)
{
    for (size_t i = 0; i < s->count; i++)
        trial_free(&s->experiments[i].trial);
}
