#include "lib/knee.h"

#include <math.h>
#include <stdlib.h>

#include "lib/statistics.h"

static double median_of_three(double a, double b, double c)
{
    double low = fmin(a, b), high = fmax(a, b);
    return fmax(low, fmin(high, c));
}

/* Single outliers, up or down, are taken for their neighbours. */
static double smooth(const double *y, size_t count, size_t i)
{
    return i == 0 || i + 1 == count ? y[i] : median_of_three(y[i - 1], y[i], y[i + 1]);
}

static double median_between(const double *y, size_t first, size_t last, double *scratch)
{
    size_t n = 0;
    for (size_t i = first; i <= last; i++)
        if (!isnan(y[i]))
            scratch[n++] = y[i];
    sort_numbers(scratch, n);
    return quantile(scratch, n, 0.5);
}

/* The last point of the flat stretch that begins at `first`. */
static size_t extend(const double *y, size_t count, size_t first, double tolerance, double *scratch)
{
    size_t last = first;

    for (size_t i = first + 1; i < count; i++) {
        double height = median_between(y, first, i, scratch);
        double value = smooth(y, count, i);
        if (isnan(y[i])) /* neither breaks a level nor ends one: nobody was there */
            continue;
        if (isnan(height) || fabs(value - height) > tolerance * height)
            break;
        last = i;
    }
    return last;
}

size_t knee_levels(const double *x, const double *y, size_t count, double tolerance, double span, struct level *out,
                   size_t room)
{
    double *scratch = malloc((count + 1) * sizeof *scratch);
    size_t found = 0;

    for (size_t i = 0; scratch && i < count;) {
        size_t last = isnan(y[i]) ? i : extend(y, count, i, tolerance, scratch);
        if (x[last] < x[i] * span) {
            i++;
            continue;
        }
        double height = median_between(y, i, last, scratch);
        struct level *before = found ? &out[found - 1] : NULL;
        if (before && height < before->height * (1 + 2 * tolerance)) {
            if (height > before->height * (1 - 2 * tolerance))
                before->last = last;
        } else if (found < room) {
            out[found++] = (struct level){i, last, height};
        }
        i = last + 1;
    }
    free(scratch);
    return found;
}

struct crossing knee_crossing(const double *x, const double *y, size_t first, size_t last, double height)
{
    struct crossing c = {.from = x[first], .to = x[first], .above = x[last]};
    size_t i, below = first;

    for (i = first; i <= last && !(smooth(y, last + 1, i) > height); i++)
        c.from = x[i];
    for (i = first; i <= last; i++)
        if (y[i] <= height)
            below = i;
    c.to = x[below];
    for (i = last; i > below; i--)
        if (!isnan(y[i]))
            c.above = x[i];
    if (c.from > c.to)
        c.from = c.to;
    return c;
}

enum { LINE_POINTS_AT_LEAST = 4, LINE_POINTS_LEFT = 3 };

struct line {
    double slope, at_zero;
};

/* Theil 1950, Sen 1968: the median of all pairs' slopes, then the median of what remains. */
static struct line fit_line(const double *x, const double *y, size_t count, double *scratch)
{
    struct line l;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (!isnan(y[i]) && !isnan(y[j]))
                scratch[n++] = (y[j] - y[i]) / (x[j] - x[i]);
    sort_numbers(scratch, n);
    l.slope = quantile(scratch, n, 0.5);
    n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(y[i]))
            scratch[n++] = y[i] - l.slope * x[i];
    sort_numbers(scratch, n);
    l.at_zero = quantile(scratch, n, 0.5);
    return l;
}

/* Whether all points first … end - 1 lie above the line by more than `excess`; NaN points say nothing. */
static bool above_line(struct line l, const double *x, const double *y, size_t first, size_t end, double excess)
{
    bool above = false;

    for (size_t i = first; i < end; i++) {
        if (isnan(y[i]))
            continue;
        above = y[i] - (l.at_zero + l.slope * x[i]) > excess;
        if (!above)
            return false;
    }
    return above;
}

bool knee_line_left(const double *x, const double *y, size_t count, double excess, size_t *last_good)
{
    double *scratch = malloc((count * count / 2 + count + 1) * sizeof *scratch);
    bool left = false;

    for (size_t i = LINE_POINTS_AT_LEAST; scratch && i + LINE_POINTS_LEFT <= count && !left; i++) {
        struct line l = fit_line(x, y, i, scratch);
        *last_good = i - 1;
        left = above_line(l, x, y, i, i + LINE_POINTS_LEFT, excess);
    }
    free(scratch);
    return left;
}
