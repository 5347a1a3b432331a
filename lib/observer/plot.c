#include "lib/observer/plot.h"

#include <math.h>

/* An axis whose ends differ by at least this factor is in octaves. */
static const double WIDE = 16;

static struct plot_axis axis(double low, double high, bool from_zero)
{
    if (low > 0 && high >= WIDE * low)
        return (struct plot_axis){low, high, true};
    return (struct plot_axis){from_zero && low > 0 ? 0 : low, high, false};
}

struct plot plot_axes(const struct search_point *points, size_t count)
{
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points[i].x) || !isfinite(points[i].y))
            continue;
        left = fmin(left, points[i].x);
        right = fmax(right, points[i].x);
        low = fmin(low, points[i].y);
        high = fmax(high, points[i].y);
    }
    if (left > right)
        return (struct plot){.empty = true};
    return (struct plot){.x = axis(left, right, false), .y = axis(low, high, true)};
}

/* Octaves from 1/2 to a value, linear within each: monotone, and exact at powers of two. */
static double octaves(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent); /* 1/2 … 1 */

    return exponent + 2 * fraction - 1;
}

/* Where a value lies on an axis, from 0 to 1; values outside lie at its ends. */
static double along(const struct plot_axis *a, double value)
{
    double from = a->from, to = a->to;

    if (a->octaves) {
        from = octaves(from);
        to = octaves(to);
        value = value > 0 ? octaves(value) : from;
    }
    return to > from ? fmin(fmax((value - from) / (to - from), 0), 1) : 0.5;
}

unsigned plot_place(const struct plot_axis *a, double value, unsigned dots)
{
    return dots ? (unsigned)(along(a, value) * (dots - 1) + 0.5) : 0;
}

static void mark(struct plot_span *s, unsigned row)
{
    if (s->from > s->to) {
        s->from = s->to = row;
        return;
    }
    if (row < s->from)
        s->from = row;
    if (row > s->to)
        s->to = row;
}

void plot_columns(const struct plot *p, const struct search_point *points, size_t count, unsigned columns,
                  unsigned rows, struct plot_span *spans)
{
    unsigned last_column = 0, last_row = 0;
    bool begun = false;

    for (unsigned i = 0; i < columns; i++)
        spans[i] = (struct plot_span){.from = 1, .to = 0};
    for (size_t i = 0; i < count && !p->empty && columns && rows; i++) {
        if (!isfinite(points[i].x) || !isfinite(points[i].y))
            continue;
        const unsigned column = plot_place(&p->x, points[i].x, columns), row = plot_place(&p->y, points[i].y, rows);
        mark(&spans[column], row);
        /* Each column of the line begins where the one before ended, so that steep lines have no holes. */
        for (unsigned c = last_column; begun && c < column; c++) {
            double left = (double)(c - last_column) / (column - last_column);
            double right = (double)(c + 1 - last_column) / (column - last_column);
            mark(&spans[c], (unsigned)(last_row + ((double)row - last_row) * left + 0.5));
            mark(&spans[c + 1], (unsigned)(last_row + ((double)row - last_row) * left + 0.5));
            mark(&spans[c + 1], (unsigned)(last_row + ((double)row - last_row) * right + 0.5));
        }
        if (begun && column == last_column)
            mark(&spans[column], last_row);
        begun = true;
        last_column = column;
        last_row = row;
    }
}
