#include "boot/linux/plot.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROWS = 13, COLUMNS = 66, LABEL_COLUMNS = 11, TICKS = 4 };

/* Logarithm to base 2 of v > 0, digit by digit: with additions and products alone every build draws the same plot. */
static double logarithm(double v)
{
    int exponent;
    double rest = 2 * frexp(v, &exponent), digits = exponent - 1;

    for (double digit = 0.5; digit > 1e-6; digit /= 2) {
        rest *= rest;
        if (rest >= 2) {
            rest /= 2;
            digits += digit;
        }
    }
    return digits;
}

/* The column of a point. */
static size_t column_of(size_t index, size_t count)
{
    return count > COLUMNS ? index * COLUMNS / count : index * (COLUMNS - 1) / (count - 1);
}

/* The first point at or after x. */
static size_t index_of(const struct knee_point *points, size_t count, double x)
{
    size_t i = 0;

    while (i + 1 < count && points[i].x < x)
        i++;
    return i;
}

void plot_print(FILE *out, const struct knee_point *points, size_t count, const double *marks, size_t mark_count)
{
    unsigned cells[ROWS][COLUMNS] = {{0}}, columns[COLUMNS] = {0};
    bool marked[COLUMNS] = {false};
    double least = (double)NAN, most = (double)NAN;
    size_t usable = 0;

    for (size_t i = 0; i < count; i++) {
        least = fmin(least, points[i].y);
        most = fmax(most, points[i].y);
        usable += isnan(points[i].y) == 0;
    }
    if (usable < 2)
        return;
    bool logarithmic = least > 0 && most / least > 10;
    double bottom = logarithmic ? logarithm(least) : least / 2, top = logarithmic ? logarithm(most) : most / 2;

    for (size_t i = 0; i < count; i++) {
        if (isnan(points[i].y))
            continue;
        double height = logarithmic ? logarithm(points[i].y)
                                    : points[i].y / 2; /* halved: a difference might overflow */
        double share = top > bottom ? (height - bottom) / (top - bottom) : 0;
        size_t row = (size_t)(share * (ROWS - 1) + 0.5), column = column_of(i, count);
        cells[row][column]++;
        columns[column]++;
    }
    for (size_t i = 0; i < mark_count; i++)
        marked[column_of(index_of(points, count, marks[i]), count)] = true;

    for (int row = ROWS - 1; row >= 0; row--) {
        char line[COLUMNS + 1];
        double label = (double)NAN;

        if (row == 0)
            label = least;
        else if (row == ROWS - 1)
            label = most;
        else if (row == ROWS / 2)
            label = logarithmic ? sqrt(least) * sqrt(most) : least / 2 + most / 2;
        for (int column = 0; column < COLUMNS; column++) {
            unsigned here = cells[row][column];
            line[column] = here == 0 ? (marked[column] ? '|' : ' ') : 8 * here < columns[column] ? '.' : '*';
        }
        line[COLUMNS] = 0;
        for (size_t end = COLUMNS; end > 0 && line[end - 1] == ' '; end--)
            line[end - 1] = 0;
        if (isnan(label))
            fprintf(out, "%*s |%s\n", LABEL_COLUMNS, "", line);
        else
            fprintf(out, "%*.4g |%s\n", LABEL_COLUMNS, label, line);
    }

    char ruler[COLUMNS + 1], ticks[COLUMNS + 1];
    memset(ruler, '-', COLUMNS);
    memset(ticks, ' ', COLUMNS);
    ruler[COLUMNS] = ticks[COLUMNS] = 0;
    for (size_t column = 0; column < COLUMNS; column++)
        if (marked[column])
            ruler[column] = '^';
    for (size_t tick = 0; tick < TICKS; tick++) {
        char label[24];
        size_t index = tick * (count - 1) / (TICKS - 1), column = column_of(index, count);
        size_t length = (size_t)snprintf(label, sizeof label, "%.6g", points[index].x);
        size_t start = column + length > COLUMNS ? COLUMNS - length : column;
        memcpy(ticks + start, label, length);
    }
    fprintf(out, "%*s +%s\n%*s  %s\n", LABEL_COLUMNS, logarithmic ? "(log)" : "", ruler, LABEL_COLUMNS, "", ticks);
}
