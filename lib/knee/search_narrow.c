#include "lib/knee/search_narrow.h"

#include <limits.h>
#include <math.h>

#include "lib/knee/search_samples.h"
#include "lib/knee/search_verdict.h"
#include "lib/knee/tolerances.h"

enum {
    ROUNDS_MAXIMUM = 200, /* each narrows every knee once: a range of 2^200 steps is not reached */
    ROUNDS_EXACT = 1,     /* where gaps were narrowed before, and samples repeat */
    /* gaps of the coarse grid that the ramp of a jump may take. Chosen: an octave at four points each */
    PARTS_OF_JUMP = 4,
    SHARE_AT_LEAST = 16, /* samples that a knee may take in a round, whatever is left of the budget */
};

/*
 * Sequential test at x: does it lie on the level before the knee, or has that been left? Samples are taken, at least
 * two, until the likelihood ratio of their median under both assumptions decides, SAMPLES_AT_ONE_X at most.
 */
static bool test_side(struct search *s, double x, const struct knee *k)
{
    double sigma = s->verdict.sigma, rise = k->after - k->before, delta = fmin(rise, APART * sigma);

    if (!search_wait_for_quiet(s))
        return false;
    for (unsigned n = 0; n < SAMPLES_AT_ONE_X; n++) {
        if (!search_take(s, x))
            return false;
        const struct search_point *p = search_point_at(s, x);
        if (p->kept < 2 || (p->kept == 2 && fabs(p->sample[1] - p->sample[0]) > APART * sigma))
            continue;
        if (!(sigma > 0) || fabs(p->kept * delta / sigma / sigma * (p->y - k->before - delta / 2)) > LN_WRONG_SIDE)
            return true;
    }
    return true;
}

/* The middle of the widest gap between points of low … high; NaN where no gap is wider than `least`. */
static double widest_gap(const struct search *s, double low, double high, double least)
{
    double x = (double)NAN;

    for (size_t i = 0; i + 1 < s->count; i++) {
        double gap = s->points[i + 1].x - s->points[i].x;
        if (s->points[i].x >= low && s->points[i + 1].x <= high && gap > least) {
            least = gap;
            x = s->points[i].x + floor(gap / s->step / 2) * s->step;
        }
    }
    return x;
}

/*
 * Doubles the samples at the points of low … high and at one neighbour on each side where there are fewer than
 * AGAIN_SAMPLES. Sets *any if that took samples.
 */
static bool sample_again(struct search *s, double low, double high, bool *any)
{
    for (size_t i = 0; i < s->count; i++) {
        if ((i + 1 < s->count && s->points[i + 1].x < low) || (i > 0 && s->points[i - 1].x > high))
            continue;
        unsigned more = s->points[i].samples < AGAIN_SAMPLES ? s->points[i].samples : 0;
        for (; more > 0; more--) {
            *any = true;
            if (!search_take(s, s->points[i].x))
                return false;
        }
    }
    return true;
}

/*
 * Narrows an interval down to one step at once, for samples that repeat exactly: what is more than LEFT_LEVEL of the
 * rise above the level before it, and more than points of a level differ by, is not on the level any more. Sets *any if
 * that took samples at a new x.
 */
static bool bisect(struct search *s, const struct knee *k, double low, double high, bool *any)
{
    const double part = s->kind == KNEE_STEP ? LEFT_LEVEL : 0.5;
    const double left = k->before + fmax(part * (k->after - k->before), s->resolution * fabs(k->before));

    for (unsigned n = 0; n < ROUNDS_MAXIMUM && high - low > ONE_STEP * s->step; n++) {
        const double x = low + floor((high - low) / s->step / 2) * s->step;
        const size_t before = s->count;
        for (unsigned i = 0; i < 2; i++)
            if (!search_take(s, x))
                return false;
        *any = *any || s->count > before;
        *(search_point_at(s, x)->y > left ? &high : &low) = x;
    }
    return true;
}

/* Tests a new x in the widest gap of an interval; where it has enough points, samples those again. Sets *any when it
 * did either. */
static bool narrow_interval(struct search *s, const struct knee *k, double low, double high, bool *any)
{
    double x = widest_gap(s, low, high, ONE_STEP * s->step);

    if (!(high - low > ONE_STEP * s->step))
        return true;
    if (s->repeats && s->kind != KNEE_SLOPE && s->kind != KNEE_STAIRCASE) {
        bool new = false;
        if (!bisect(s, k, low, high, &new))
            return false;
        *any = *any || new;
        if (new)
            return true;
    }
    if (!isnan(x) && search_points_within(s, low, high) < INSIDE_MAXIMUM) {
        *any = true;
        return test_side(s, x, k);
    }
    return s->verdict.sigma > 0 ? sample_again(s, low, high, any) : true;
}

/* Tests a new x before the end of the rise, where the gap there is wider than an eighth of the rise. */
static bool narrow_end(struct search *s, const struct knee *k, bool *any)
{
    double x = (double)NAN;

    for (size_t i = 1; i < s->count && s->points[i].x <= k->end; i++)
        if (s->points[i - 1].x >= k->high && s->points[i].x >= k->end &&
            s->points[i].x - s->points[i - 1].x > fmax(ONE_STEP * s->step, (k->end - k->value) / 8))
            x = s->points[i - 1].x + floor((s->points[i].x - s->points[i - 1].x) / s->step / 2) * s->step;
    if (isnan(x))
        return true;
    *any = true;
    return test_side(s, x, k);
}

/*
 * Whether a rise takes several steps: its first bad point lies below the level behind, or below a point a few steps
 * farther, since that level may have been cut so that it begins within the rise.
 */
static bool takes_several(const struct search *s, const struct knee *k)
{
    const double sure = SURE * s->verdict.sigma;
    double bad = k->after;

    for (size_t i = 0; i < s->count && s->points[i].x <= k->high + STEPS_BESIDE * s->step; i++) {
        if (s->points[i].x < k->high)
            continue;
        if (s->points[i].x <= k->high)
            bad = s->points[i].y;
        else if (s->points[i].y > bad + sure)
            return true;
    }
    return k->end > k->high || bad < k->after - sure;
}

/*
 * Tests the steps on both sides of the knee of a rise that takes several: y may come back to the level among the first
 * of them, and then the level may have been left before.
 */
static bool look_beside(struct search *s, const struct knee *k, bool *any)
{
    const bool several = takes_several(s, k);

    for (int n = -STEPS_BESIDE; n <= STEPS_BESIDE && several; n++) {
        const double x = (n < 0 ? k->low : k->high) + n * s->step;
        if (x < s->from || x > s->reached || search_points_within(s, x - s->step / 2, x + s->step / 2))
            continue;
        *any = true;
        if (!test_side(s, x, k))
            return false;
    }
    return true;
}

static bool narrow_knee(struct search *s, const struct knee *k, bool *any)
{
    if (s->narrow_half_rise && k->ramp && k->end - k->low > EDGE * k->low)
        return narrow_interval(s, k, k->half_rise_low, k->half_rise_high, any);
    if (!narrow_interval(s, k, k->low, k->high, any) || !narrow_end(s, k, any))
        return false;
    return k->high - k->low > ONE_STEP * s->step || look_beside(s, k, any);
}

bool search_narrow_knees(struct search *s, bool *any)
{
    const struct verdict v = s->verdict;
    bool good = true;

    *any = false;
    for (size_t i = 0; good && i < v.count; i++) {
        unsigned share = (s->budget - s->taken) / (unsigned)(v.count + 1);
        s->share = s->taken + (share < SHARE_AT_LEAST ? SHARE_AT_LEAST : share);
        good = narrow_knee(s, &v.knees[i], any) || (!s->spent && s->taken >= s->share);
        s->share = UINT_MAX;
    }
    return good;
}

bool search_narrow(struct search *s)
{
    const unsigned rounds = s->repeats ? ROUNDS_EXACT : ROUNDS_MAXIMUM;

    for (unsigned round = 0; round < rounds; round++) {
        bool any;
        if (!search_find_candidates(s) || !search_narrow_knees(s, &any))
            return false;
        if (!any)
            break;
    }
    return true;
}

/*
 * Whether y rises from point i to the next by more than points of a level differ by, and by more than it rose before,
 * or would have risen if that gap had been as wide: then a level may end there. A level may rise slowly with x.
 */
static bool begins_to_rise(const struct search *s, size_t i)
{
    const struct search_point *p = &s->points[i];
    const double wider = i > 0 ? fmax(1, (p[1].x - p[0].x) / (p[0].x - p[-1].x)) : 1;
    const double rise = p[1].y - p[0].y, before = i > 0 ? (p[0].y - p[-1].y) * wider : 0;

    return rise > fmax(s->resolution, LEFT_RISE) * fabs(p[0].y) && rise > STEEPER_RISE * before;
}

/* Whether all points behind point i are higher than all others by JUMP_RISE: those of a level may wobble by less. */
static bool stays_risen(const struct search *s, size_t i)
{
    double before = -INFINITY, after = INFINITY;

    for (size_t k = 0; k < s->count; k++)
        if (k <= i)
            before = fmax(before, s->points[k].y);
        else
            after = fmin(after, s->points[k].y);
    return after > (1 + JUMP_RISE) * before;
}

size_t search_points_risen(const struct search *s)
{
    for (size_t i = 0; i + 1 < s->count; i++)
        if (begins_to_rise(s, i) && (s->kind != KNEE_JUMP || stays_risen(s, i)))
            return s->count - i - 1;
    return 0;
}

/*
 * The least rise between neighbours that is looked into: of a jump one that could be part of it, since what is lower
 * than 1 / DOMINANCE of it is no other jump, and that may be a ramp of PARTS_OF_JUMP gaps.
 */
static double least_rise(const struct search *s)
{
    double greatest = 0;

    for (size_t i = 0; i + 1 < s->count; i++)
        greatest = fmax(greatest, s->points[i + 1].y - s->points[i].y);
    return s->kind == KNEE_JUMP ? greatest / (DOMINANCE * PARTS_OF_JUMP) : 0;
}

bool search_narrow_gaps(struct search *s)
{
    const double least = least_rise(s);
    bool any = false;

    if (s->kind == KNEE_SLOPE || s->kind == KNEE_STAIRCASE)
        return true;
    /* from the last one on: points that are added lie behind the gaps that are still to come */
    for (size_t i = s->count; i-- > 1;) {
        const struct search_point *p = &s->points[i - 1];
        const struct knee k = {.before = p[0].y, .after = p[1].y};
        if (p[1].x - p[0].x > ONE_STEP * s->step && p[1].y - p[0].y > least && begins_to_rise(s, i - 1) &&
            !bisect(s, &k, p[0].x, p[1].x, &any))
            return false;
    }
    return true;
}
