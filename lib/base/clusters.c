#include "lib/base/clusters.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/statistics.h"

/* State of the dynamic programme for the first i numbers in k clusters. */
struct part {
    double squares; /* the least sum of squares within clusters */
    uint32_t from;  /* where the last cluster begins */
};

struct sums {
    double *sum, *squares; /* over the first i numbers, the first of all subtracted from each */
};

/* Sum of squares around the mean of numbers from … to - 1. */
static double squares_within(const struct sums *s, size_t from, size_t to)
{
    const double sum = s->sum[to] - s->sum[from], n = (double)(to - from);

    return fmax(0, s->squares[to] - s->squares[from] - sum * sum / n);
}

/* Computes the states of k + 1 clusters from those of k. */
static void add_cluster(const struct sums *s, const struct part *with_one_less, struct part *row, size_t count)
{
    for (size_t to = 1; to <= count; to++) {
        row[to] = (struct part){.squares = INFINITY};
        for (size_t from = 0; from < to; from++) {
            const double squares = with_one_less[from].squares + squares_within(s, from, to);
            if (squares < row[to].squares)
                row[to] = (struct part){squares, (uint32_t)from};
        }
    }
    row[0].squares = INFINITY;
}

/* Reads the best `clusters` clusters back from the states; false where one is too wide. */
static bool read_back(const double *sorted, size_t count, const struct part *rows, size_t clusters, double width,
                      double part, struct clusters *out)
{
    size_t to = count;

    out->count = clusters;
    for (size_t k = clusters; k-- > 0;) {
        const size_t from = rows[(k + 1) * (count + 1) + to].from;
        struct cluster *c = &out->all[k];
        *c = (struct cluster){sorted[from], sorted[to - 1], quantile(sorted + from, to - from, 0.5), to - from};
        if (c->high - c->low > fmax(width, part * fabs(c->middle)))
            return false;
        to = from;
    }
    return true;
}

bool clusters_of(const double *sorted, size_t count, double width, double part, struct clusters *out)
{
    struct part *rows = calloc((CLUSTERS_MAXIMUM + 1) * (count + 1), sizeof *rows);
    struct sums s = {.sum = calloc(count + 1, sizeof *s.sum), .squares = calloc(count + 1, sizeof *s.squares)};
    bool good = rows && s.sum && s.squares && count > 0, fits = false;

    *out = (struct clusters){.count = 0};
    for (size_t i = 0; good && i < count; i++) {
        const double y = sorted[i] - sorted[0]; /* small numbers lose fewer digits */
        s.sum[i + 1] = s.sum[i] + y;
        s.squares[i + 1] = s.squares[i] + y * y;
        rows[i + 1].squares = INFINITY; /* with no clusters at all, no number has a place */
    }
    for (size_t k = 1; good && !fits && k <= CLUSTERS_MAXIMUM && k <= count; k++) {
        add_cluster(&s, rows + (k - 1) * (count + 1), rows + k * (count + 1), count);
        fits = read_back(sorted, count, rows, k, width, part, out);
    }
    free(rows);
    free(s.sum);
    free(s.squares);
    if (!fits)
        out->count = 0;
    return fits;
}

size_t clusters_find(const struct clusters *c, double value)
{
    for (size_t i = 0; i < c->count; i++)
        if (value >= c->all[i].low && value <= c->all[i].high)
            return i;
    return c->count;
}
