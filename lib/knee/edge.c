#include "lib/knee/edge.h"

#include <math.h>
#include <string.h>

#include "lib/base/statistics.h"
#include "lib/knee/tolerances.h"

enum { ROOM = 128 }; /* above LEVEL_REACH */

/* The last points of a level, and the line through them. */
struct followed {
    size_t count, next; /* points, and the place of the next one */
    double x[ROOM], y[ROOM], variance[ROOM];
    double middle, at, slope; /* mean of x; the line there; its slope */
    double deviation;         /* of a point: by the distances from the line, and by the points' own variances */
    double sum_xx;            /* sum of (x - middle)^2, of a line that slopes; 0: a flat one */
};

/*
 * The most that a point of the level deviates by, from the sum of squares of the distances from its line: few points
 * may be near it by chance, and equal readings hide the least difference that there is.
 */
static double most_deviation(const struct followed *f, double squares, double least)
{
    const double free = (double)f->count - (f->sum_xx > 0 ? 2 : 1);

    return fmax(least, sqrt(squares / free) * few_points(free));
}

static void fit_line(struct followed *f, bool sloped, double least)
{
    double away[ROOM], sum_xy = 0, sum_xx = 0, squares = 0;

    f->middle = f->at = f->slope = f->sum_xx = 0;
    for (size_t i = 0; i < f->count; i++)
        f->middle += f->x[i] / (double)f->count;
    for (size_t i = 0; i < f->count; i++)
        f->at += f->y[i] / (double)f->count;
    for (size_t i = 0; i < f->count; i++) {
        sum_xx += (f->x[i] - f->middle) * (f->x[i] - f->middle);
        sum_xy += (f->x[i] - f->middle) * (f->y[i] - f->at);
    }
    if (sloped && f->count > 3) {
        f->slope = sum_xy / sum_xx;
        f->sum_xx = sum_xx;
    }
    for (size_t i = 0; i < f->count; i++)
        away[i] = fabs(f->y[i] - f->at - f->slope * (f->x[i] - f->middle));
    f->deviation = 0;
    for (size_t i = 0; i < f->count; i++) { /* not all noise is normal */
        f->deviation = fmax(f->deviation, away[i] / SURE);
        squares += away[i] * away[i];
    }
    if (f->count > 3)
        f->deviation = fmax(f->deviation, MAD_TO_SIGMA * median(away, f->count));
    memcpy(away, f->variance, f->count * sizeof *away);
    /* what points were given as their variance may be that of other levels */
    double given = sqrt(median(away, f->count));
    f->deviation = fmax(f->deviation, f->count > 3 ? fmin(given, most_deviation(f, squares, least)) : given);
}

/* Point i belongs to the level. */
static void follow(struct followed *f, const struct curve *c, size_t i, bool sloped)
{
    const struct series *s = &c->s;

    f->x[f->next] = s->x[i];
    f->y[f->next] = s->y[i];
    f->variance[f->next] = s->variance[i];
    f->next = (f->next + 1) % LEVEL_REACH;
    f->count += f->count < LEVEL_REACH;
    fit_line(f, sloped, c->least_difference);
}

/* How the level predicts a point: the standard deviation of that, and how far above the level the point lies. */
static void predict(const struct followed *f, const struct curve *c, size_t i, double *deviation, double *sure,
                    double *above)
{
    const double lever = c->s.x[i] - f->middle, own = isnan(c->error[i]) ? 0 : c->error[i];

    *deviation = fmax(fmax(f->deviation, own), c->common * fabs(f->at));
    *sure = *deviation * sqrt(1 + 1 / (double)f->count + (f->sum_xx > 0 ? lever * lever / f->sum_xx : 0));
    *above = c->s.y[i] - f->at - f->slope * lever;
}

bool edge_find(const struct curve *c, size_t first, size_t known, size_t end, bool sloped, double least, double half,
               struct edge *out)
{
    const struct series *s = &c->s;
    /* Points that are neither on the level nor surely off it would hide those behind them: `strict` has them only once
     * more points in a row than these (`doubts`) are on the level behind them (`again`), or it goes on like them. */
    struct followed level = {0}, strict = {0};
    size_t off = 0, back = 0, low = 0, doubts = 0, again = 0;
    double highest = 0; /* how far above the level y has been since it was left */
    bool left = false, doubtful = false;

    for (size_t i = known - first >= LEVEL_REACH ? known + 1 - LEVEL_REACH : first; i < end; i++) {
        if (i <= known || (sloped && level.count < LINE_POINTS)) {
            follow(&level, c, i, sloped);
            follow(&strict, c, i, sloped);
            continue;
        }
        double deviation, sure, above;
        if (!left) {
            predict(&strict, c, i, &deviation, &sure, &above);
            const bool on = above < SURE * sure;
            if (!on && !doubtful) {
                low = i - 1;
                doubts = 0;
            }
            doubts += !on;
            again = on ? again + 1 : 0;
            const bool cleared = on && (!doubtful || again > doubts);
            for (size_t k = doubtful ? low + 1 : i; cleared && k <= i; k++)
                follow(&strict, c, k, sloped);
            doubtful = !cleared;
        }
        predict(&level, c, i, &deviation, &sure, &above);
        bool is_off = above > fmax(OUTLIER * sure, fmax(least, TICKS_OF_RISE * c->tick)), is_on = above < SURE * sure;
        if (!left && is_off) {
            *out = (struct edge){.low = doubtful ? low : i - 1,
                                 .good = i - 1,
                                 .bad = i,
                                 .deviation = deviation,
                                 .height = level.at + level.slope * (s->x[i - 1] - level.middle)};
            left = true;
            off = back = 0;
            out->first = highest = above;
        }
        if (left) {
            off += is_off;
            back = is_on ? back + 1 : 0;
            if (is_on || above < BACK_PART * fmin(highest, half - out->height))
                out->bad = i + 1;
            highest = fmax(highest, above);
            left = back <= off;
            doubtful = doubtful && left;
            continue;
        }
        follow(&level, c, i, sloped);
        if (doubtful && i - low >= DOUBTFUL_POINTS) { /* this is how the level goes on */
            strict = level;
            doubtful = false;
        }
    }
    return left && out->bad < end;
}
