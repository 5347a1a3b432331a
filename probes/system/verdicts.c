/*
 * Debug probe: does this build decide as every other build does?
 *
 * Curves of every shape, made of integers and random_next alone, are decided by knee_decide as each kind of knee, and
 * are searched for the kind that they have. Each verdict is sent in full digits, with a hash over every bit of it and
 * of each point that was sampled, and last a hash over all of them. Before that, the functions of the mathematical
 * library that deciding calls, which the image has from elsewhere than the Linux program, are checked in the same way.
 * Nothing is measured: the records of the program and of the image, on either instruction set, hold the same rows. It
 * runs only when it is named.
 *
 * Method: docs/METHODS.md, 8.7.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/base/record.h"
#include "lib/knee/search.h"
#include "lib/probe/probe.h"

enum {
    NUMBERS = 4096,
    CURVES = 144,
    POINTS_LEAST = 3,
    POINTS_MOST = 72,
    SEARCH_TO = 512,
    SEARCH_BUDGET = 600,
    KINDS = KNEE_STAIRCASE + 1
};

enum shape {
    SHAPE_STEP,
    SHAPE_STEPS, /* three levels */
    SHAPE_RAMP,
    SHAPE_WINDOW, /* two levels that slope, a ramp between them */
    SHAPE_SLOPE,
    SHAPE_STAIRS,
    SHAPE_DIP, /* a step, and some points behind it that are as low as those before */
    SHAPE_FLAT,
    SHAPES
};
static const char *const shape_names[SHAPES] = {"step", "steps", "ramp", "window", "slope", "stairs", "dip", "flat"};
static const enum knee_kind kind_of[SHAPES] = {
    [SHAPE_STEP] = KNEE_STEP,   [SHAPE_STEPS] = KNEE_STEP,       [SHAPE_RAMP] = KNEE_STEP, [SHAPE_WINDOW] = KNEE_JUMP,
    [SHAPE_SLOPE] = KNEE_SLOPE, [SHAPE_STAIRS] = KNEE_STAIRCASE, [SHAPE_DIP] = KNEE_STEP,  [SHAPE_FLAT] = KNEE_STEP};

/* Noise, as part of the rise: none, a twentieth, less than half, and more than the rise. */
enum { NOISES = 4 };

struct curve {
    enum shape shape;
    double capacity, second; /* where the level is left, and the next one */
    double base, rise;       /* heights */
    double width;            /* of a ramp or stair */
    double slope;
    double noise;
    bool holes;      /* some points have no result */
    unsigned choice; /* bits that vary how it is decided and searched */
    uint64_t random; /* state, of the noise */
};

/* A random number of sevenths, so that nothing is exact in binary. */
static double sevenths(uint64_t *random, uint64_t least, uint64_t most)
{
    return (double)(least + random_below(random, most - least)) / 7;
}

static struct curve make_curve(unsigned number, uint64_t *random)
{
    static const double noises[NOISES] = {0, 0.05, 0.4, 4};
    struct curve c = {.shape = (enum shape)(number % SHAPES)};

    c.capacity = (double)(8 + random_below(random, 40));
    c.second = c.capacity + (double)(8 + random_below(random, 200));
    c.base = sevenths(random, 7, 70);
    c.rise = sevenths(random, 3, 70);
    c.width = (double)(2 + random_below(random, 16));
    c.slope = sevenths(random, 1, 70) / 100;
    c.noise = noises[number / SHAPES % NOISES] * c.rise;
    c.holes = random_below(random, 3) == 0;
    c.choice = (unsigned)random_below(random, 16);
    c.random = random_next(random);
    return c;
}

static double height(const struct curve *c, double x)
{
    double past = x - c->capacity;

    switch (c->shape) {
    case SHAPE_STEP: return c->base + (past > 0 ? c->rise : 0);
    case SHAPE_STEPS: return c->base + (past > 0 ? c->rise : 0) + (x > c->second ? 2 * c->rise : 0);
    case SHAPE_RAMP: return c->base + (past > 0 ? c->rise * fmin(1, past / c->width) : 0);
    case SHAPE_WINDOW: return c->base + c->slope * x + (past > 0 ? c->rise * fmin(1, past / c->width) : 0);
    case SHAPE_SLOPE: return c->base + c->slope * x + (past > 0 ? past * c->rise / 7 : 0);
    case SHAPE_STAIRS: return c->base + c->rise * floor(x / c->width);
    case SHAPE_DIP: return c->base + (past > 0 && !(past > 4 && past <= 8) ? c->rise : 0);
    default: return c->base;
    }
}

/* About normal, deviation 1: four uniform numbers have a variance of 4 / 12. */
static double normal(uint64_t *random)
{
    double sum = 0;

    for (unsigned i = 0; i < 4; i++)
        sum += (double)(random_next(random) >> 11) / 9007199254740992.0;
    return (sum - 2) * 1.7320508075688772;
}

/* One sample of the curve at x, with its noise; also the `sample` of struct search. */
static bool sample(void *context, double x, double *y)
{
    struct curve *c = context;
    double noise = c->noise > 0 ? c->noise * normal(&c->random) : 0;

    *y = c->holes && random_below(&c->random, 8) == 0 ? (double)NAN : height(c, x) + noise;
    return true;
}

/* ---- Records and hashes ------------------------------------------------------------------------- */

/* A NaN is a NaN, whatever its sign: instruction sets differ in that (Intel SDM vol. 1, 4.8.3.7; Arm ARM, A1.5.5). */
static void hash_number(uint64_t *hash, double value)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);

    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    *hash = hash_bytes(*hash, &bits, sizeof bits);
}

static uint64_t hash_verdict(const struct verdict *v)
{
    uint64_t hash = HASH_START;

    if (v->reason)
        hash = hash_bytes(hash, reasons[v->reason].token, strlen(reasons[v->reason].token));
    hash_number(&hash, v->sigma);
    hash_number(&hash, v->monotone);
    for (size_t i = 0; i < v->count; i++) {
        const struct knee *k = &v->knees[i];
        const double numbers[] = {k->value, k->low,    k->high,      k->foot,          k->before,
                                  k->after, k->end,    k->half_rise, k->half_rise_low, k->half_rise_high,
                                  k->ramp,  k->agreed, k->fuzzy};
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            hash_number(&hash, numbers[n]);
    }
    for (size_t i = 0; i < v->level_count; i++) {
        const struct knee_level *l = &v->levels[i];
        const double numbers[] = {l->from, l->to, l->height, l->spread, l->slope};
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            hash_number(&hash, numbers[n]);
    }
    return hash;
}

static uint64_t hash_points(const struct search *s)
{
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < s->count; i++) {
        hash_number(&hash, s->points[i].x);
        hash_number(&hash, s->points[i].y);
        hash_number(&hash, s->points[i].samples);
    }
    return hash;
}

/* Begins a row; the caller may add to it, and sends it. */
static void start_row(struct probe *p, struct record *r, unsigned number, const char *shape, const char *by,
                      enum knee_kind kind, const struct verdict *v)
{
    record_start(r, &p->run->writer, "table");
    record_text(r, "probe", p->definition->name);
    record_text(r, "name", "verdict");
    record_integer(r, "curve", number);
    record_text(r, "shape", shape);
    record_text(r, "by", by);
    record_text(r, "kind", knee_kind_names[kind]);
    if (v->reason)
        record_text(r, "reason", reasons[v->reason].token);
    record_number(r, "sigma", v->sigma);
    record_array(r, "knees");
    for (size_t i = 0; i < v->count; i++) {
        record_array(r, NULL);
        record_number(r, NULL, v->knees[i].value);
        record_number(r, NULL, v->knees[i].low);
        record_number(r, NULL, v->knees[i].high);
        record_close(r);
    }
    record_close(r);
    record_hex(r, "hash", hash_verdict(v));
}

/* Decides the points of a curve as each kind of knee. */
static bool decide_kinds(struct probe *p, unsigned number, struct curve c, uint64_t *all)
{
    struct knee_point points[POINTS_MOST];
    size_t count = POINTS_LEAST + random_below(&c.random, POINTS_MOST - POINTS_LEAST + 1);
    for (size_t i = 0; i < count; i++) {
        points[i] = (struct knee_point){.x = (double)(i + 1), .error = c.choice & 1 ? c.noise : (double)NAN};
        sample(&c, points[i].x, &points[i].y);
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct verdict v;
        struct record r;
        if (!knee_decide((enum knee_kind)kind, points, count, c.choice & 2 ? 1 : 0, &v))
            return probe_skip(p, "out of memory");
        start_row(p, &r, number, shape_names[c.shape], "points", (enum knee_kind)kind, &v);
        record_send(&r);
        uint64_t hash = hash_verdict(&v);
        *all = hash_bytes(*all, &hash, sizeof hash);
    }
    return true;
}

/* Searches a curve for the kind of knee that it has. */
static bool search_curve(struct probe *p, unsigned number, struct curve c, uint64_t *all)
{
    struct search s = {.kind = kind_of[c.shape],
                       .from = 1,
                       .to = c.choice & 1 ? SEARCH_TO : SEARCH_TO / 8,
                       .limit = SEARCH_TO,
                       .step = 1,
                       .per_octave = c.choice & 2 ? 4 : 0,
                       .coarse = 32,
                       .narrow_half_rise = c.choice & 4,
                       .budget = SEARCH_BUDGET,
                       .random = random_next(&c.random),
                       .sample = sample,
                       .context = &c};
    bool good = search_run(&s);

    if (good) {
        struct record r;
        start_row(p, &r, number, shape_names[c.shape], "search", s.kind, &s.verdict);
        record_integer(&r, "taken", s.taken);
        record_integer(&r, "points", s.count);
        record_hex(&r, "points_hash", hash_points(&s));
        record_send(&r);
        uint64_t hash[2] = {hash_verdict(&s.verdict), hash_points(&s)};
        *all = hash_bytes(*all, hash, sizeof hash);
    }
    search_free(&s);
    return good || probe_skip(p, "out of memory");
}

/* Hashes of what the mathematical functions return for numbers of all magnitudes. */
static void send_functions(struct probe *p)
{
    uint64_t roots = HASH_START, others = HASH_START;
    struct record r;

    for (unsigned i = 0; i < NUMBERS; i++) {
        double x = sevenths(&p->random, 1, UINT64_C(1) << 50), y = sevenths(&p->random, 1, UINT64_C(2) << (i % 50));
        double ratio = i < NUMBERS / 2 ? x / y : y / x;
        int exponent;
        hash_number(&roots, sqrt(ratio));
        hash_number(&others, floor(ratio));
        hash_number(&others, fmin(x, y));
        hash_number(&others, fmax(x, y));
        hash_number(&others, fabs(y - x));
        hash_number(&others, frexp(ratio, &exponent));
        hash_number(&others, exponent);
    }
    record_start(&r, &p->run->writer, "table");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", "functions");
    record_hex(&r, "roots", roots);
    record_hex(&r, "others", others);
    record_send(&r);
}

static void run(struct probe *p)
{
    uint64_t all = HASH_START;
    struct record r;

    send_functions(p);
    for (unsigned number = 0; number < CURVES; number++) {
        struct curve c = make_curve(number, &p->random);
        if (!decide_kinds(p, number, c, &all) || !search_curve(p, number, c, &all))
            return;
    }
    record_start(&r, &p->run->writer, "table");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", "verdicts");
    record_integer(&r, "curves", CURVES);
    record_hex(&r, "hash", all);
    record_send(&r);
}

PROBE(debug_verdicts, .title = "Decides about curves that are the same everywhere", .family = "system",
      .only_named = true, .run = run);
