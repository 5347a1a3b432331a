#include "tests/model/curves/curve.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"

enum { LINES_PER_PAGE = 64, SIGMA_SAMPLES = 401, SIGMA_TIME = 5000 };

const char *const ground_names[GROUNDS] = {"flat", "line", "logarithm", "root",  "square",
                                           "fall", "wave", "drop",      "spikes"};

/* ---- Misses of structures ----------------------------------------------------------------------- */

/*
 * The share of misses in a set of `ways` with random replacement whose `lines` lines are used in turn. Between two
 * uses of a line there are share * lines misses, each of which evicts it with probability 1 / ways: the share is the
 * fixed point.
 */
static double random_misses(double lines, double ways)
{
    double share = 1;

    if (lines <= ways)
        return 0;
    for (int i = 0; i < 60; i++)
        share = 1 - pow(1 - 1 / ways, share * lines);
    return share;
}

/* Lines are spread evenly over the sets. */
static double even_sets(const struct structure *s, double x)
{
    double n = floor(x / s->line), sets = (double)s->sets, ways = (double)s->ways;
    double each = floor(n / sets), fuller = n - each * sets;

    if (!(n > 0))
        return 0;
    if (s->shape == SHAPE_SETS)
        return (fuller * (each + 1) * (each + 1 > ways) + (sets - fuller) * each * (each > ways)) / n;
    return (fuller * (each + 1) * random_misses(each + 1, ways) + (sets - fuller) * each * random_misses(each, ways)) /
           n;
}

/* The probability that more than `ways` of `pages` pages have the frame colour of a given one, itself included. */
static double conflicting(double pages, double colours, double ways)
{
    double others = pages - 1, term = pow(1 - 1 / colours, others), fitting = 0;

    for (double k = 0; k < ways && k <= others; k++) {
        fitting += term;
        term *= (others - k) / (k + 1) / (colours - 1);
    }
    return pages > ways ? 1 - fmin(fitting, 1) : 0;
}

/* There are as many colours of frames as a way has pages. */
static double framed(const struct structure *s, double x, uint64_t *random)
{
    size_t pages = (size_t)(x / s->line / LINES_PER_PAGE), colours = s->sets / LINES_PER_PAGE, over = 0;
    unsigned used[1024] = {0};

    if (!random)
        return conflicting((double)pages, (double)colours, (double)s->ways);
    if (colours > sizeof used / sizeof used[0])
        abort();
    for (size_t i = 0; i < pages; i++)
        used[random_below(random, colours)]++;
    for (size_t i = 0; i < colours; i++)
        over += used[i] > s->ways ? used[i] : 0;
    return pages ? (double)over / (double)pages : 0;
}

void structure_hash(struct structure *s, size_t lines, bool scattered, uint64_t *random)
{
    unsigned *used = calloc(s->sets, sizeof *used);
    uint64_t base = random_below(random, 1 << 20) * LINES_PER_PAGE, key = random_next(random), misses = 0;
    size_t good = lines;

    s->shares = malloc((lines + 1) * sizeof s->shares[0]);
    if (!used || !s->shares)
        abort();
    s->shares[0] = 0;
    for (size_t i = 0; i < lines; i++) {
        uint64_t line = base + i, set = 0;

        if (scattered) {
            uint64_t state = key ^ (line / LINES_PER_PAGE) * 0x9e3779b97f4a7c15;
            line = random_next(&state) * LINES_PER_PAGE + line % LINES_PER_PAGE;
            set = line % s->sets;
        } else {
            for (uint64_t rest = line; rest; rest /= s->sets)
                set ^= rest % s->sets;
        }
        used[set]++;
        misses += used[set] == s->ways + 1 ? used[set] : used[set] > s->ways;
        s->shares[i + 1] = (double)misses / (double)(i + 1);
        if (misses && good == lines)
            good = i;
    }
    s->lines = lines;
    s->capacity = (double)good * s->line;
    free(used);
}

/* The share of the rise at this part of a ramp's width: two straight lines where it begins with a flatter part. */
static double ramp_share(const struct structure *s, double part)
{
    part = fmin(1, fmax(0, part));
    if (part < s->toe)
        return s->toe_share * part / s->toe;
    return s->toe_share + (1 - s->toe_share) * (part - s->toe) / (1 - s->toe);
}

double structure_share(const struct structure *s, double x, uint64_t *random)
{
    switch (s->shape) {
    case SHAPE_STEP: return x > s->capacity;
    case SHAPE_RAMP: return ramp_share(s, (x - s->capacity) / s->width);
    case SHAPE_SETS:
    case SHAPE_RANDOM: return even_sets(s, x);
    case SHAPE_HASHED: return s->shares[(size_t)fmin(x / s->line, (double)s->lines)];
    case SHAPE_FRAMES: return framed(s, x, random);
    case SHAPE_BUMP: return x > s->capacity && x <= s->capacity + s->width;
    case SHAPE_SLOPE_CHANGE: return fmax(0, x - s->capacity);
    case SHAPE_STAIRCASE: return ceil((x - s->width) / s->capacity);
    }
    abort();
}

void structure_half(const struct structure *s, double *first, double *last)
{
    /* the smallest piece by which such a structure is filled, and a number of pieces that surely does not fit */
    double piece = s->shape == SHAPE_FRAMES ? s->line * LINES_PER_PAGE : s->line;
    size_t many = s->shape == SHAPE_HASHED ? s->lines : (size_t)(4 * s->capacity / piece);

    *first = *last = 0;
    for (size_t i = 1; i <= many; i++) {
        bool above = structure_share(s, (double)i * piece, NULL) > 0.5;

        if (above && !(*first > 0))
            *first = (double)i * piece;
        if (!above)
            *last = (double)(i + 1) * piece;
    }
}

double structure_end(const struct structure *s)
{
    double ways = (double)s->ways;

    switch (s->shape) {
    case SHAPE_RAMP: return s->capacity + s->width;
    case SHAPE_SETS: return s->capacity * (1 + 1 / ways);
    case SHAPE_HASHED:
    case SHAPE_RANDOM:
    case SHAPE_FRAMES: return s->capacity * 2.5;
    case SHAPE_BUMP: return s->capacity + s->width;
    case SHAPE_SLOPE_CHANGE: return s->capacity + 1;
    default: return s->capacity;
    }
}

/* ---- Curves ------------------------------------------------------------------------------------- */

static double ground(const struct curve *c, double x)
{
    int exponent;

    switch (c->ground) {
    case GROUND_FLAT: return c->base;
    case GROUND_LINE: return c->base * (1 + c->amount * x / c->scale);
    case GROUND_LOG: return c->base * (1 + c->amount * log2(1 + x / c->scale));
    case GROUND_ROOT: return c->base * (1 + c->amount * sqrt(x / c->scale));
    case GROUND_SQUARE: return c->base * (1 + c->amount * x / c->scale * x / c->scale);
    case GROUND_FALL: return c->base * (1 + c->amount * c->scale / x);
    case GROUND_WAVE: return c->base * (1 + c->amount * sin(6.283185307179586 * x / c->scale));
    case GROUND_DROP: return c->base * (1 + c->amount * (x <= c->scale));
    case GROUND_SPIKES: return c->base * (1 + c->amount * (frexp(x / c->scale, &exponent) == 0.5));
    default: abort();
    }
}

double curve_mean(const struct curve *c, double x, uint64_t *random)
{
    double y = ground(c, x);

    for (size_t i = 0; i < c->count; i++)
        y += c->structures[i].height * structure_share(&c->structures[i], x, random);
    return y;
}

double curve_sample(struct curve *c, double x)
{
    double y = curve_mean(c, x, &c->random);

    if (c->louder > 0)
        y += c->louder * (y - ground(c, x)) * normal(&c->random);
    y = noise_apply(&c->noise, y, c->time, &c->random);
    c->time += between(&c->random, 0.9, 1.3);
    return y;
}

double curve_sigma(const struct curve *c, double x)
{
    double y[SIGMA_SAMPLES];
    size_t count = 0;
    struct curve other = *c; /* a copy: time and random draws of the curve itself do not advance */

    for (size_t i = 0; i < SIGMA_SAMPLES; i++) {
        other.time = between(&other.random, 0, SIGMA_TIME);
        y[count] = curve_sample(&other, x);
        count += isnan(y[count]) ? 0 : 1;
    }
    sort_numbers(y, count);
    return count ? (quantile(y, count, 0.8413) - quantile(y, count, 0.1587)) / 2 : NAN;
}

void curve_free(struct curve *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->structures[i].shares);
}
