#include "tests/model/curves/judge.h"

#include <math.h>

#include "tests/model/curves/axis.h"

static size_t up_to(const struct points *p, double x)
{
    size_t n = 0;

    while (n < p->count && p->x[n] <= x)
        n++;
    return n;
}

/* How many points have from < x <= to. */
static double points_between(const struct points *p, double from, double to)
{
    if (p->x)
        return (double)(up_to(p, to) - up_to(p, from));
    return coarse_between(p->plan, from, to);
}

/* The x of the point that many steps beyond x; x itself where a given grid ends before. */
static double steps_past(const struct points *p, double x, size_t steps)
{
    size_t n;

    if (!p->x)
        return x + (double)steps * p->plan->step;
    n = up_to(p, x) + steps - 1;
    return n < p->count ? p->x[n] : x;
}

struct truth trial_judge(const struct trial *c, size_t i, const struct points *p)
{
    const struct curve *k = &c->curve;
    const struct structure *s = &k->structures[i];
    struct truth t = {.last_good = s->capacity, .by_half = c->plan.narrow_half_rise};
    double before = i ? structure_end(s - 1) : p->x ? -INFINITY : p->plan->from;
    double next = i + 1 < k->count ? s[1].capacity : p->to, end = fmin(structure_end(s), next);
    if (s->shape == SHAPE_BUMP)
        next = end;
    double past = steps_past(p, s->capacity, 4), rise;

    if (s->shape == SHAPE_STAIRCASE) {
        /* every step shows the same: there must be four of them, of four points each */
        t.step = s->height;
        t.sigma = curve_sigma(k, p->to);
        t.standing = t.step < 4 * t.sigma                                         ? WEAK
                     : s->capacity < 4 || p->to - p->plan->from < 4 * s->capacity ? TIGHT
                                                                                  : IDENTIFIABLE;
        return t;
    }
    if (t.by_half) {
        structure_half(s, &t.first, &t.last);
        rise = t.step = curve_mean(k, p->to, NULL) - curve_mean(k, p->plan->from, NULL);
        t.sigma = fmax(curve_sigma(k, t.first), curve_sigma(k, p->to));
        end = structure_end(s);
    } else {
        /* what the ground rises by is not the structure's */
        struct curve bare = *k;
        bare.count = 0;
        double own = curve_mean(&bare, past, NULL) - curve_mean(&bare, s->capacity, NULL);
        t.step = s->shape == SHAPE_SLOPE_CHANGE ? INFINITY
                                                : curve_mean(k, end, NULL) - curve_mean(k, s->capacity, NULL);
        if (s->shape == SHAPE_STEP || s->shape == SHAPE_BUMP)
            t.step = s->height;
        rise = curve_mean(k, past, NULL) - curve_mean(k, s->capacity, NULL) - own;
        t.sigma = fmax(curve_sigma(k, s->capacity), curve_sigma(k, past));
    }
    t.sigma = fmax(t.sigma, k->noise.quantum / 2);
    if (t.step < 4 * t.sigma || !(t.step > 0))
        t.standing = WEAK;
    else if (points_between(p, before, s->capacity) < 4 || points_between(p, t.by_half ? end : s->capacity, next) < 4 ||
             (p->x && past <= s->capacity) || next - s->capacity < 4 * p->plan->step ||
             s->capacity - before < 4 * p->plan->step)
        t.standing = TIGHT;
    else
        t.standing = rise < 4 * t.sigma || past > next ? GRADUAL : IDENTIFIABLE;
    return t;
}
