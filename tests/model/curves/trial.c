#include "tests/model/curves/trial.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "tests/model/curves/axis.h"
#include "tests/model/curves/classes.h"
#include "tests/model/curves/judge.h"

enum { BUDGET = 4000, GRID_MAXIMUM = 1600, GRID_PER_OCTAVE = 24 };

const char *const class_names[CLASSES] = {"steps",        "close",     "ramps",  "cache", "hashed",
                                          "random",       "frames",    "tlb",    "btb",   "in flight",
                                          "return stack", "staircase", "nothing"};
const char *const standing_names[STANDINGS] = {"identifiable", "gradual", "tight", "weak", "hurried"};

/* ---- Noise -------------------------------------------------------------------------------------- */

static void draw_noise(struct noise *n, uint64_t *random)
{
    static const char *const names[] = {"exact",  "white",  "tails", "drift", "states",
                                        "bursts", "stolen", "ticks", "all"};
    size_t kind = pick(random, 0, 8);

    *n = (struct noise){.name = names[kind], .seed = random_next(random)};
    if (kind > 0)
        n->white = 1;
    if (kind == 2 || kind == 8) {
        n->tail_share = between(random, 0.05, 0.5);
        n->tail = between(random, 0.5, 5);
    }
    if (kind == 3 || kind == 8) {
        n->drift = between(random, 0.5, 6);
        for (int i = 0; i < 3; i++) {
            n->period[i] = magnitude(random, 50, 20000);
            n->phase[i] = between(random, 0, 1);
        }
        if (chance(random, 0.3)) {
            n->settle = between(random, 1, 10);
            n->settle_time = magnitude(random, 10, 300);
        }
    }
    if (kind == 4) {
        n->states = between(random, 1, 4);
        n->dwell = magnitude(random, 20, 1000);
    }
    if (kind == 5 || kind == 8) {
        n->burst_share = between(random, 0.01, 0.08);
        n->burst = magnitude(random, 0.03, 2);
        n->burst_time = magnitude(random, 2, 40);
    }
    if (kind == 6 || kind == 8) {
        n->stolen_share = between(random, 0.005, 0.08);
        n->stolen = magnitude(random, 0.1, 10);
    }
    if (chance(random, 0.1))
        n->missing_share = between(random, 0.01, 0.3);
    if (chance(random, 0.05))
        n->missing_run_share = between(random, 0.01, 0.2);
    if (kind == 7)
        n->quantum = -between(random, 0.5, 2.5); /* in sigmas, until fit_noise knows sigma */
}

/*
 * Scales the noise so that the smallest rise is `quality` times as large as sigma at the level that it leads to. Of a
 * ramp that is the whole rise, or with `by_onset` what it rises in the first four steps.
 */
static void fit_noise(struct curve *c, const struct search *p, double quality, bool by_onset, uint64_t *random)
{
    double relative = INFINITY;
    struct curve unit = {.base = 1, .noise = c->noise, .random = random_next(random)};

    for (size_t i = 0; i < c->count; i++) {
        const struct structure *s = &c->structures[i];
        bool ramp = s->shape != SHAPE_STEP && s->shape != SHAPE_BUMP && s->shape != SHAPE_SLOPE_CHANGE;
        double past = ramp && !by_onset ? structure_end(s) : s->capacity + 4 * p->step;
        double above = curve_mean(c, past, NULL), rise = above - curve_mean(c, s->capacity, NULL);

        if (s->shape == SHAPE_STAIRCASE) {
            above = curve_mean(c, p->to, NULL);
            rise = s->height;
        }
        relative = fmin(relative, fmax(rise, 0) / above);
    }
    unit.noise.quantum = 0;
    double sigma = curve_sigma(&unit, 1);
    double factor = sigma > 0 && isfinite(relative) ? fmin(relative / quality / sigma, 0.2 / sigma) : 0.02;
    c->noise.quantum *= -sigma * c->base;
    noise_scale(&c->noise, factor);
}

/* ---- Tables ------------------------------------------------------------------------------------- */

/*
 * The x of a table that another program might have measured: all of the axis where there are at most GRID_MAXIMUM, else
 * GRID_PER_OCTAVE an octave, or GRID_MAXIMUM evenly spaced.
 */
static void draw_grid(struct trial *c, uint64_t *random)
{
    const struct search *p = &c->plan;
    double all = (p->to - p->from) / p->step + 1;
    double factor = exp2(1.0 / GRID_PER_OCTAVE);

    c->x = malloc(GRID_MAXIMUM * sizeof c->x[0]);
    if (!c->x)
        abort();
    if (all <= GRID_MAXIMUM)
        for (c->count = 0; c->count < (size_t)all; c->count++)
            c->x[c->count] = p->from + (double)c->count * p->step;
    else if (p->per_octave)
        for (double x = p->from; x <= p->to && c->count < GRID_MAXIMUM; x *= factor) {
            double at = on_axis(p, x);
            if (!c->count || at > c->x[c->count - 1])
                c->x[c->count++] = at;
        }
    else
        for (c->count = 0; c->count < GRID_MAXIMUM; c->count++)
            c->x[c->count] = on_axis(p, p->from + (p->to - p->from) * (double)c->count / (GRID_MAXIMUM - 1));
    /* one pass along the axis cannot distinguish what changes with time from what changes with x */
    const struct noise *n = &c->curve.noise;
    bool in_time = n->drift > 0 || n->states > 0 || n->burst_share > 0 || n->stolen_share > 0;
    c->passes = in_time || chance(random, 0.5) ? 3 : 1;
    c->shuffled = p->random >> 7 & 1;
    if (c->shuffled && p->random >> 8 & 1)
        c->passes = 1;
}

/* Sometimes the range ends before the knee, and may grow far enough to find it. */
static void cut_range(struct trial *c, uint64_t *random)
{
    struct search *p = &c->plan;

    p->limit = p->to;
    if (p->kind != KNEE_STEP && p->kind != KNEE_JUMP)
        return;
    double to = p->per_octave ? p->to / 4 : p->from + (p->to - p->from) / 3;
    if (chance(random, 0.1) && p->to > 8 * p->from && c->curve.count <= 1) {
        if (!p->per_octave)
            p->coarse = p->coarse > 24 ? p->coarse / 3 : 8;
        p->to = on_axis(p, to);
    }
}

/* ---- Trials ------------------------------------------------------------------------------------- */

void trial_draw(struct trial *c, uint64_t seed, uint64_t number)
{
    static const unsigned char weights[CLASSES] = {16, 8, 9, 9, 5, 4, 4, 8, 7, 10, 7, 5, 16};
    uint64_t state = seed ^ number * 0xd1342543de82ef95, *random = &state;
    size_t drawn = 0, all = 0;

    *c = (struct trial){0};
    random_next(random);
    for (size_t i = 0; i < CLASSES; i++)
        all += weights[i];
    for (drawn = pick(random, 0, all - 1); drawn >= weights[c->class]; c->class ++)
        drawn -= weights[c->class];

    struct curve *k = &c->curve;
    k->base = magnitude(random, 0.5, 50);
    draw_noise(&k->noise, random);
    c->plan.budget = BUDGET;
    c->plan.random = random_next(random);
    class_draw(c, random);
    k->random = random_next(random);
    double quality = chance(random, 0.06) ? between(random, 1.5, 4) : magnitude(random, 4.2, 200);
    fit_noise(k, &c->plan, quality, chance(random, 0.6) && !c->plan.narrow_half_rise, random);
    if (c->plan.kind == KNEE_STEP && k->noise.white > 0 && chance(random, 0.15))
        k->louder = magnitude(random, 0.005, 0.15);
    if (!k->count) /* there is no rise to fit it to */
        noise_scale(&k->noise, magnitude(random, 0.05, 10));
    if ((c->grid = chance(random, 0.5)))
        draw_grid(c, random);
    cut_range(c, random);
    if (chance(random, 0.04))
        c->plan.budget = (unsigned)magnitude(random, 30, 300);

    struct points coarse = {.plan = &c->plan, .to = c->plan.limit};
    struct points given = {.plan = &c->plan, .x = c->x, .count = c->count, .to = c->count ? c->x[c->count - 1] : 0};
    for (size_t i = 0; i < k->count; i++) {
        c->searched[i] = trial_judge(c, i, &coarse);
        if (c->plan.budget < BUDGET && c->searched[i].standing == IDENTIFIABLE)
            c->searched[i].standing = HURRIED;
        if (c->grid)
            c->given[i] = trial_judge(c, i, &given);
    }
}

void trial_of_experiment(struct trial *c, double capacity, uint64_t *random)
{
    struct curve *k = &c->curve;
    struct structure *s = &k->structures[0];
    struct search *p = &c->plan;

    p->budget = BUDGET;
    p->random = random_next(random);
    k->base = magnitude(random, 0.5, 50);
    draw_noise(&k->noise, random);
    if (p->kind != KNEE_STEP && chance(random, 0.6)) {
        k->ground = GROUND_LINE;
        k->amount = between(random, 0, 0.3);
        k->scale = p->to;
    }
    if (!isnan(capacity)) {
        k->count = 1;
        *s = (struct structure){.capacity = capacity, .height = k->base * magnitude(random, 0.1, 2)};
        if (p->kind == KNEE_SLOPE) {
            s->shape = SHAPE_SLOPE_CHANGE;
            s->height = k->base / p->to * magnitude(random, 0.3, 10);
        } else if (chance(random, p->kind == KNEE_JUMP ? 0.7 : 0.2)) {
            s->shape = SHAPE_RAMP;
            s->width = p->step * ceil(magnitude(random, 2, 60));
        }
    }
    k->random = random_next(random);
    fit_noise(k, p, chance(random, 0.06) ? between(random, 1.5, 4) : magnitude(random, 4.2, 200), chance(random, 0.7),
              random);
    if (!k->count)
        noise_scale(&k->noise, magnitude(random, 0.05, 10));
    p->limit = p->to;
    if (k->count)
        c->searched[0] = trial_judge(c, 0, &(struct points){.plan = p, .to = p->to});
}

void trial_free(struct trial *c)
{
    curve_free(&c->curve);
    free(c->x);
    c->x = NULL;
}

bool trial_sample(void *context, double x, double *y)
{
    struct sampled *s = context;

    s->calls++;
    s->off |= !(x >= s->plan->from && x <= fmax(s->plan->to, s->plan->limit)) || fmod(x, s->plan->step) != 0;
    *y = curve_sample(s->curve, x);
    return true;
}
