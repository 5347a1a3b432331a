/*
 * A table from any bytes, in pieces of any size: nothing is read out of bounds, the fields of rows are ended, errors
 * can be printed, and the points that were read are in order.
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "boot/linux/csv.h"
#include "boot/linux/gather.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct seen {
    struct gather gather;
    uint64_t line, rows, numbers;
};

static bool row(void *context, struct csv *c)
{
    struct seen *s = context;
    double x, y = (double)NAN;

    assert(c->count >= 1 && c->count <= c->columns && c->columns <= CSV_COLUMNS);
    assert(c->line > s->line);
    s->line = c->line;
    s->rows++;
    for (size_t i = 0; i < c->count; i++)
        assert(c->field[i] >= c->text && memchr(c->field[i], 0, (size_t)(c->text + sizeof c->text - c->field[i])));
    if (csv_value(c->field[0], &x) == CSV_NUMBER) {
        assert(isfinite(x));
        if (c->count > 1)
            assert((csv_value(c->field[1], &y) == CSV_NUMBER) == (isfinite(y) != 0));
        assert(gather_add(&s->gather, x, y));
        s->numbers += isfinite(y) != 0;
    }
    return true;
}

/* All of it in pieces of so many bytes; returns how many rows there were. */
static uint64_t read_in_pieces(const uint8_t *data, size_t bytes, size_t piece)
{
    static struct csv c;
    struct seen s = {.line = 0};
    struct knee_point *points;
    bool good = true;
    uint64_t seen = 0;

    gather_start(&s.gather);
    csv_start(&c, row, &s);
    for (size_t at = 0; at < bytes && good; at += piece)
        good = csv_feed(&c, (const char *)data + at, bytes - at < piece ? bytes - at : piece);
    good = csv_end(&c);
    assert(good == !c.error[0] && memchr(c.error, 0, sizeof c.error));
    for (const char *at = c.error; *at; at++)
        assert(*at >= ' ' && *at <= '~');

    assert(gather_end(&s.gather) && gather_points(&s.gather, &points));
    for (size_t i = 0; i < s.gather.count; i++) {
        assert(i == 0 || points[i - 1].x < points[i].x);
        assert(isnan(points[i].y) || isfinite(points[i].y));
        seen += s.gather.bins[i].seen;
    }
    assert(seen == s.numbers);
    free(points);
    gather_free(&s.gather);
    return s.rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint64_t rows = read_in_pieces(data, bytes, bytes + 1);

    assert(read_in_pieces(data, bytes, 1 + bytes / 3) == rows);
    return 0;
}
