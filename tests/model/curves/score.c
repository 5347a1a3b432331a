#include "tests/model/curves/score.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/statistics.h"

void numbers_add(struct numbers *n, double value)
{
    if (n->count == n->room) {
        n->room = 2 * n->room + 16;
        n->all = realloc(n->all, n->room * sizeof n->all[0]);
        if (!n->all)
            abort();
    }
    n->all[n->count++] = value;
}

double numbers_quantile(struct numbers *n, double q)
{
    sort_numbers(n->all, n->count);
    return quantile(n->all, n->count, q);
}

void tally_free(struct tally *t)
{
    free(t->width.all);
    free(t->miss.all);
    free(t->share.all);
    free(t->samples.all);
    *t = (struct tally){0};
}

static bool holds(const struct knee *k, const struct truth *t)
{
    return t->by_half ? k->half_rise_low <= t->last && k->half_rise_high >= t->first
                      : k->low - k->unseen <= t->last_good && t->last_good < k->high;
}

static double place(const struct truth *t)
{
    return t->by_half ? t->first : t->last_good;
}

/* From one x to another in steps of the search, or in points of the table. */
static double steps(const struct trial *c, const struct search *taken, double from, double to)
{
    size_t n = 0;

    if (taken)
        return (to - from) / c->plan.step;
    for (size_t i = 0; i < c->count; i++)
        n += c->x[i] > from && c->x[i] <= to;
    return (double)n;
}

/* The truth nearest to x; `count` for none, or where that one is `taken` by another knee. */
static size_t nearest(const struct truth *truths, const bool *taken, size_t count, double x)
{
    size_t best = count;

    for (size_t i = 0; i < count; i++)
        if (best == count || fabs(place(&truths[i]) - x) < fabs(place(&truths[best]) - x))
            best = i;
    return best < count && taken[best] ? count : best;
}

/* Where a hash spreads the pages, there is one wide rise of many small steps: knees at any of those are right, too. */
static bool within_rise(const struct curve *c, double x)
{
    return c->structures[0].shape == SHAPE_HASHED && x >= c->structures[0].capacity;
}

/* Whether the true curve falls by more than four sigma somewhere. Only bumps do. */
static bool falls(const struct trial *c, const struct truth *truths)
{
    for (size_t i = 0; i < c->curve.count; i++)
        if (c->curve.structures[i].shape == SHAPE_BUMP && truths[i].standing == IDENTIFIABLE)
            return true;
    return false;
}

/* Counts levels and wrong heights, where the truth has levels and every end of one was found. */
static void add_levels(struct tally *t, const struct trial *c, const struct truth *truths, const struct verdict *v)
{
    double height = c->curve.base;

    if (c->plan.kind != KNEE_STEP || c->curve.ground != GROUND_FLAT || !v->count || v->count != c->curve.count)
        return;
    for (size_t i = 0; i < v->count; i++)
        if (truths[i].standing != IDENTIFIABLE || !holds(&v->knees[i], &truths[i]) ||
            c->curve.structures[i].shape != SHAPE_STEP)
            return;
    for (size_t i = 0; i <= v->count; i++) {
        /* a calibrated clock is right to half a per cent */
        double sigma = truths[i ? i - 1 : 0].sigma;
        t->levels++;
        t->off += !(fabs(v->levels[i].height - height) <= fmax(2 * sigma, 0.005 * height));
        height += i < v->count ? c->curve.structures[i].height : 0;
    }
}

struct marks tally_add(struct tally *t, const struct trial *c, const struct truth *truths, const struct verdict *v,
                       const struct search *taken)
{
    struct marks m = {0};
    bool matched[STRUCTURES] = {false}, used[KNEES_MAXIMUM] = {false};
    size_t count = c->curve.count;

    t->trials++;
    for (size_t i = 0; i < count; i++) {
        const struct truth *own = &truths[i];
        t->truths[own->standing]++;
        for (size_t j = 0; j < v->count && !matched[i]; j++) {
            const struct knee *k = &v->knees[j];
            if (used[j] || !holds(k, own))
                continue;
            matched[i] = used[j] = true;
            t->inside[own->standing]++;
            t->agreed += k->agreed;
            if (own->standing == GRADUAL)
                numbers_add(&t->miss, 0);
            if (own->standing == IDENTIFIABLE)
                numbers_add(&t->width, own->by_half ? steps(c, taken, k->half_rise_low, k->half_rise_high)
                                                    : steps(c, taken, k->low - k->unseen, k->high));
        }
    }
    for (size_t j = 0; j < v->count; j++) {
        const struct knee *k = &v->knees[j];
        if (used[j])
            continue;
        size_t i = nearest(truths, matched, count, count && truths[0].by_half ? k->half_rise : k->value);
        if (i == count && within_rise(&c->curve, k->value))
            continue;
        t->agreed += k->agreed;
        t->misagreed += k->agreed && (i == count || truths[i].standing == IDENTIFIABLE);
        if (i == count) {
            t->extra++;
            m.extra++;
            continue;
        }
        const struct truth *own = &truths[i];
        matched[i] = true;
        t->outside[own->standing]++;
        if (own->standing == GRADUAL && !own->by_half)
            numbers_add(&t->miss, own->last_good < k->low - k->unseen
                                      ? steps(c, taken, own->last_good, k->low - k->unseen)
                                      : steps(c, taken, k->high, own->last_good) + 1);
        if (own->standing == IDENTIFIABLE) {
            m.outside++;
            numbers_add(&t->width, own->by_half ? steps(c, taken, k->half_rise_low, k->half_rise_high)
                                                : steps(c, taken, k->low - k->unseen, k->high));
        }
    }
    for (size_t i = 0; i < count; i++)
        m.undecided += truths[i].standing == IDENTIFIABLE && !matched[i];
    if (c->plan.kind == KNEE_STEP && c->curve.ground == GROUND_FLAT && count && !m.undecided)
        t->ragged += v->monotone == falls(c, truths);
    add_levels(t, c, truths, v);
    if (taken) {
        numbers_add(&t->share, (double)taken->count / taken->grid);
        numbers_add(&t->samples, taken->taken);
    }
    return m;
}
