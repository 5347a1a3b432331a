#include "lib/structure/op_cache_layout.h"

#include <math.h>

/* Time of code, relative to the fastest, from which on it is bound by its bytes. Chosen: above all noise. */
static const double BOUND_BY_BYTES = 1.1;
/* Relative difference of rates in bytes per cycle that are the same. Chosen. */
static const double ALIKE = 0.03;
/* Lines per cycle up to which a rate is not the most that an operation cache delivers. Chosen. */
static const double LESS_THAN_A_LINE = 0.95;

/*
 * The ratio of two numbers of lines is taken for a whole number if it differs from that by no more than this. Chosen:
 * a quarter, so that half of all ratios are refused; the first number is known to some percent only.
 */
static const double WHOLE_OFF = 0.25;
/* A number of lines may be where the instruction cache ends if it differs from that by no more than this part. */
static const double AT_L1I = 0.1;

/* The layouts in question. */
enum {
    OPS_MINIMUM = 4, /* of an entry; the least and the most that are known: 6 (Intel 2011) and 9 (AMD 2022) */
    OPS_MAXIMUM = 12,
    SETS_MINIMUM = 8, /* powers of two; Intel 2011 and 2022: 32 and 64 */
    SETS_MAXIMUM = 512,
    WAYS_MINIMUM = 2, /* AMD 2022: 12 */
    WAYS_MAXIMUM = 16
};

static unsigned quantity_of(const struct op_cache_layout *l, enum op_cache_quantity q)
{
    return q == OP_CACHE_OPS_PER_ENTRY ? l->ops : l->sets * l->ways * (q == OP_CACHE_OPS ? l->ops : 1);
}

/* The number of consecutive lines that a layout holds whole. */
static unsigned lines_held(const struct op_cache_layout *l, unsigned per_line)
{
    unsigned entries = 0;

    for (unsigned from = 0; from < STRAIGHT_LINE_BYTES; from += l->window_bytes) {
        unsigned ops = straight_begin(per_line, from + l->window_bytes) - straight_begin(per_line, from);
        entries += (ops + l->ops - 1) / l->ops;
    }
    return l->sets * (l->ways / entries);
}

/*
 * Whether it explains all rises. The last line of the code has fewer operations, and may fit where a whole one would
 * not.
 */
static bool explains(const struct op_cache_layout *l, const struct op_cache_rise *rises, size_t count)
{
    bool fits = true;

    for (size_t i = 0; i < count && fits; i++) {
        double lines = lines_held(l, rises[i].per_line);
        fits = lines >= rises[i].low - 1 && lines < rises[i].high;
    }
    return fits;
}

static void add_layout(struct op_cache_fit *f, const struct op_cache_layout *l)
{
    for (enum op_cache_quantity q = 0; q < OP_CACHE_QUANTITIES; q++) {
        unsigned value = quantity_of(l, q);
        if (f->layouts == 0 || value < f->least[q])
            f->least[q] = value;
        if (f->layouts == 0 || value > f->most[q])
            f->most[q] = value;
    }
    f->layouts++;
}

struct op_cache_fit op_cache_fit(const struct op_cache_rise *rises, size_t count)
{
    struct op_cache_fit f = {.layouts = 0};
    struct op_cache_layout l;

    for (l.window_bytes = STRAIGHT_LINE_BYTES; l.window_bytes >= STRAIGHT_LINE_BYTES / 2; l.window_bytes /= 2)
        for (l.ops = OPS_MINIMUM; l.ops <= OPS_MAXIMUM; l.ops++)
            for (l.sets = SETS_MINIMUM; l.sets <= SETS_MAXIMUM; l.sets *= 2)
                for (l.ways = WAYS_MINIMUM; l.ways <= WAYS_MAXIMUM; l.ways++)
                    if (explains(&l, rises, count))
                        add_layout(&f, &l);
    return f;
}

static double bytes_per_cycle(const struct op_cache_rate *r)
{
    return STRAIGHT_LINE_BYTES / (r->per_line * r->cycles);
}

bool op_cache_absent(const struct op_cache_rate *rates, size_t count)
{
    double slowest = 0, fastest = INFINITY, bytes = 0;
    size_t as_many_bytes = 0;

    for (size_t i = 0; i < count; i++) {
        slowest = fmax(slowest, rates[i].cycles);
        fastest = fmin(fastest, rates[i].cycles);
        bytes = fmax(bytes, bytes_per_cycle(&rates[i]));
    }
    for (size_t i = 0; i < count; i++)
        as_many_bytes += bytes_per_cycle(&rates[i]) > (1 - ALIKE) * bytes;
    return slowest > BOUND_BY_BYTES * fastest && as_many_bytes > 1 && bytes < LESS_THAN_A_LINE * STRAIGHT_LINE_BYTES;
}

enum reason op_cache_entries_of_lines(const double lines[], size_t count, double l1i_lines, double entries[])
{
    size_t several = 0;

    if (isnan(lines[0]))
        return REASON_NO_KNEE;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(lines[i] - l1i_lines) > AT_L1I * l1i_lines))
            return REASON_AMBIGUOUS;
        const double ratio = lines[0] / lines[i];
        entries[i] = floor(ratio + 0.5);
        if (!(fabs(ratio - entries[i]) <= WHOLE_OFF))
            return REASON_EXPERIMENTS_DISAGREE;
        several += entries[i] > 1;
    }
    return several + 1 < count ? REASON_TOO_FEW_RISES : REASON_NONE;
}

enum reason op_cache_ops_of_lines(double one, double two)
{
    if (isnan(one) || isnan(two))
        return REASON_TOO_FEW_RISES;
    return fabs(two - 2 * one) > 0 ? REASON_EXPERIMENTS_DISAGREE : REASON_NONE;
}
