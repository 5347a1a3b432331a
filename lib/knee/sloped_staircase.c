#include "lib/knee/sloped_staircase.h"

#include <math.h>
#include <stdbool.h>

#include "lib/knee/tolerances.h"

/* Terms of the model, and points that it needs at least: with fewer it explains anything. */
enum { TERMS = 4, POINTS_LEAST = 8 };

/* Term number `which` at n; the last one is the number of the round, or for width 0 the cube. */
static double term(size_t which, size_t n, size_t width)
{
    const double x = (double)n;
    const size_t rounds = width ? (n - 1) / width : 0;

    if (which < 2)
        return which ? x : 1;
    if (which == 2)
        return x * x;
    return width ? (double)rounds : x * x * x;
}

/*
 * Sum of squares that the model leaves; width 0: the cubic. Each term is made orthogonal to those before it, twice,
 * which is as exact as doubles are (Gram and Schmidt; Giraud, Langou, Rozložník 2005), and what it explains is
 * subtracted. *rise is the coefficient of the last term.
 */
static double residual_squares(const double *y, size_t count, size_t width, double *rise)
{
    double q[TERMS][SLOPED_STAIRCASE_POINTS], left[SLOPED_STAIRCASE_POINTS], sum = 0;

    for (size_t i = 0; i < count; i++)
        left[i] = y[i];
    for (size_t t = 0; t < TERMS; t++) {
        for (size_t i = 0; i < count; i++)
            q[t][i] = term(t, i + 1, width);
        for (size_t again = 0; again < 2; again++)
            for (size_t before = 0; before < t; before++) {
                double along = 0, length = 0;
                for (size_t i = 0; i < count; i++) {
                    along += q[t][i] * q[before][i];
                    length += q[before][i] * q[before][i];
                }
                for (size_t i = 0; i < count; i++)
                    q[t][i] -= along / length * q[before][i];
            }
        double along = 0, length = 0;
        for (size_t i = 0; i < count; i++) {
            along += left[i] * q[t][i];
            length += q[t][i] * q[t][i];
        }
        *rise = along / length;
        for (size_t i = 0; i < count; i++)
            left[i] -= *rise * q[t][i];
    }
    for (size_t i = 0; i < count; i++)
        sum += left[i] * left[i];
    return sum;
}

/* Whether a model that leaves `better` squares is LIKELIER times as likely as one that leaves `worse`. */
static bool is_likelier(double better, double worse, size_t count)
{
    double odds = 1;

    for (size_t i = 0; i < count; i++)
        odds *= fmin(worse / better, LIKELIER * LIKELIER);
    return odds > LIKELIER * LIKELIER;
}

/* Whether each of the first two risers is more than HIGHER times as high as any other change up to the second. */
static bool risers_show(const double *y, size_t width)
{
    const double least = fmin(y[width] - y[width - 1], y[2 * width] - y[2 * width - 1]);
    bool show = least > 0;

    for (size_t n = 1; n <= 2 * width; n++)
        if (n != width && n != 2 * width)
            show = show && HIGHER * fabs(y[n] - y[n - 1]) < least;
    return show;
}

double sloped_staircase_width(const double *y, size_t count)
{
    double rise, best = INFINITY, best_rise = 0;
    size_t width = 0;

    if (count < POINTS_LEAST || count > SLOPED_STAIRCASE_POINTS)
        return (double)NAN;
    for (size_t i = 0; i < count; i++)
        if (isnan(y[i]))
            return (double)NAN;
    for (size_t w = 2; 2 * w < count; w++) {
        const double left = residual_squares(y, count, w, &rise);
        if (left < best) {
            best = left;
            best_rise = rise;
            width = w;
        }
    }
    double other = residual_squares(y, count, 0, &rise);
    for (size_t w = 2; 2 * w < count; w++)
        if (w != width)
            other = fmin(other, residual_squares(y, count, w, &rise));
    return best_rise > 0 && is_likelier(best, other, count) && risers_show(y, width) ? (double)width : (double)NAN;
}
