#include "tests/model/curves/trial.h"

#include <math.h>
#include <stdlib.h>

#include "lib/engine/statistics.h"

enum { BUDGET = 4000, GRID_MAXIMUM = 1600, GRID_PER_OCTAVE = 24, CACHE_LINE_BYTES = 64, PAGE_BYTES = 4096 };

const char *const class_names[CLASSES] = {"steps", "close", "ramps",  "cache",        "hashed", "random", "frames",
                                          "tlb",   "btb",   "window", "return stack", "stairs", "nothing"};
const char *const standing_names[STANDINGS] = {"identifiable", "gradual", "tight", "weak", "hurried"};

static uint64_t *dice;

static size_t pick(size_t from, size_t to)
{
    return from + random_below(dice, to - from + 1);
}

static bool chance(double probability)
{
    return between(dice, 0, 1) < probability;
}

/* Uniform in the logarithm. */
static double magnitude(double from, double to)
{
    return exp(between(dice, log(from), log(to)));
}

/* ---- Axes --------------------------------------------------------------------------------------- */

/* A multiple of the grain. */
static double grained(const struct search *p, double x)
{
    return fmax(1, floor(x / p->grain + 0.5)) * p->grain;
}

static void log_axis(struct search *p, double grain, double from, double to)
{
    p->grain = grain;
    p->per_octave = 4u << pick(0, 2);
    /* so far from zero that coarse points differ */
    p->from = grained(p, fmax(from, 2 * p->per_octave * grain));
    p->to = grained(p, fmax(to, 4 * p->from));
}

static void linear_axis(struct search *p, double grain, double from, double to)
{
    p->grain = grain;
    p->from = grained(p, from);
    p->to = grained(p, to);
    p->coarse = (unsigned)fmin(16u << pick(0, 2), (p->to - p->from) / grain + 1);
}

/* How many points of the coarse grid lie between two x. */
static double coarse_between(const struct search *p, double from, double to)
{
    if (p->per_octave)
        return log2(to / from) * p->per_octave;
    return (to - from) / (p->to - p->from) * (p->coarse - 1);
}

/* The axis at u in 0 … 1. */
static double along(const struct search *p, double u)
{
    return grained(p, p->per_octave ? p->from * pow(p->to / p->from, u) : p->from + u * (p->to - p->from));
}

/* ---- Noise -------------------------------------------------------------------------------------- */

static void draw_noise(struct noise *n)
{
    static const char *const names[] = {"exact",  "white",  "tails", "drift", "states",
                                        "bursts", "stolen", "ticks", "all"};
    size_t kind = pick(0, 8);

    *n = (struct noise){.name = names[kind], .seed = random_next(dice)};
    if (kind > 0)
        n->white = 1;
    if (kind == 2 || kind == 8) {
        n->tail_share = between(dice, 0.05, 0.5);
        n->tail = between(dice, 0.5, 5);
    }
    if (kind == 3 || kind == 8) {
        n->drift = between(dice, 0.5, 6);
        for (int i = 0; i < 3; i++) {
            n->period[i] = magnitude(50, 20000);
            n->phase[i] = between(dice, 0, 1);
        }
        if (chance(0.3)) {
            n->settle = between(dice, 1, 10);
            n->settle_time = magnitude(10, 300);
        }
    }
    if (kind == 4) {
        n->states = between(dice, 1, 4);
        n->dwell = magnitude(20, 1000);
    }
    if (kind == 5 || kind == 8) {
        n->burst_share = between(dice, 0.01, 0.08);
        n->burst = magnitude(0.03, 2);
        n->burst_time = magnitude(2, 40);
    }
    if (kind == 6 || kind == 8) {
        n->stolen_share = between(dice, 0.005, 0.08);
        n->stolen = magnitude(0.1, 10);
    }
    if (chance(0.1))
        n->missing_share = between(dice, 0.01, 0.3);
    if (chance(0.05))
        n->missing_run_share = between(dice, 0.01, 0.2);
    if (kind == 7)
        n->quantum = -between(dice, 0.5, 2.5); /* of sigma, until fit_noise knows that */
}

static double structure_end(const struct structure *s);

/*
 * Scales the noise so that the least step is `quality` times as large as sigma of the level that it leads to; of
 * a ramp with `by_onset` what it rises in four steps, else the whole.
 */
static void fit_noise(struct curve *c, const struct search *p, double quality, bool by_onset)
{
    double relative = INFINITY;
    struct curve unit = {.base = 1, .noise = c->noise, .random = random_next(dice)};

    for (size_t i = 0; i < c->count; i++) {
        const struct structure *s = &c->structures[i];
        bool ramp = s->shape != SHAPE_STEP && s->shape != SHAPE_BUMP && s->shape != SHAPE_BEND;
        double past = ramp && !by_onset ? structure_end(s) : s->capacity + 4 * p->grain;
        double above = curve_mean(c, past, NULL), rise = above - curve_mean(c, s->capacity, NULL);

        if (s->shape == SHAPE_STAIRS) {
            above = curve_mean(c, p->to, NULL);
            rise = s->height;
        }
        relative = fmin(relative, fmax(rise, 0) / above);
    }
    unit.noise.quantum = 0;
    double sigma = curve_sigma(&unit, 1);
    double factor = sigma > 0 && isfinite(relative) ? fmin(relative / quality / sigma, 0.2 / sigma) : 0.02;
    c->noise.quantum *= -sigma * c->base;
    noise_scale(&c->noise, factor);
}

/* ---- Structures --------------------------------------------------------------------------------- */

/* Where its rise is over, nearly. */
static double structure_end(const struct structure *s)
{
    double ways = (double)s->ways;

    switch (s->shape) {
    case SHAPE_RAMP: return s->capacity + s->width;
    case SHAPE_SETS: return s->capacity * (1 + 1 / ways);
    case SHAPE_HASHED:
    case SHAPE_RANDOM:
    case SHAPE_FRAMES: return s->capacity * 2.5;
    case SHAPE_BUMP: return s->capacity + s->width;
    case SHAPE_BEND: return s->capacity + 1;
    default: return s->capacity;
    }
}

/* Capacities as the axis allows, apart from each other by some points of the coarse grid; ascending. */
static void place_steps(struct trial *c, size_t count, double apart)
{
    struct search *p = &c->plan;
    double whole = coarse_between(p, p->from, p->to), from = p->from;

    if ((double)(count + 1) * apart > whole)
        count = whole > 2 * apart ? (size_t)(whole / apart) - 1 : 1;
    apart = fmin(apart, whole / (double)(count + 1));
    /* the free room, cut at random */
    double room = whole - (double)(count + 1) * apart, cut[STRUCTURES], u = 0;
    for (size_t i = 0; i < count; i++)
        cut[i] = between(dice, 0, room);
    sort_numbers(cut, count);
    for (size_t i = 0; i < count; i++) {
        u = (cut[i] + apart * (double)(i + 1)) / whole;
        double x = fmax(along(p, u), from + p->grain);
        c->curve.structures[i].capacity = from = x;
    }
    c->curve.count = count;
}

/* Heights so that each level is so much higher than the one before. */
static void draw_heights(struct curve *c, double from, double to)
{
    double level = c->base;

    for (size_t i = 0; i < c->count; i++) {
        c->structures[i].height = level * (magnitude(from, to));
        level += c->structures[i].height;
    }
}

static void draw_axis(struct search *p)
{
    static const double grains[] = {1, 1, 64, 4096};

    if (chance(0.6)) {
        double grain = grains[pick(0, 3)], from = grain * (double)pick(4, 64);
        log_axis(p, grain, from, from * magnitude(32, 8192));
    } else {
        double grain = chance(0.7) ? 1 : (double)pick(2, 16);
        linear_axis(p, grain, grain * (double)pick(1, 64), grain * magnitude(192, 4096));
    }
}

/* Half of the grounds that real curves have besides flat: an overhead that is shared out, a little alignment. */
static void draw_ground(struct trial *c)
{
    if (chance(0.15))
        c->curve.ground = GROUND_FALL, c->curve.bend = between(dice, 0.005, 0.1), c->curve.scale = c->plan.from;
    else if (chance(0.06))
        c->curve.ground = GROUND_WAVE, c->curve.bend = between(dice, 0.0005, 0.004),
        c->curve.scale = c->plan.grain * between(dice, 2.2, 30);
}

static void draw_steps(struct trial *c)
{
    draw_axis(&c->plan);
    place_steps(c, pick(1, 4), chance(0.1) ? 1.5 : 5.5);
    draw_heights(&c->curve, c->class == CLASS_CLOSE ? 0.04 : 0.1, c->class == CLASS_CLOSE ? 0.06 : 3);
    draw_ground(c);
}

static void draw_ramps(struct trial *c)
{
    draw_axis(&c->plan);
    place_steps(c, pick(1, 3), 8);
    for (size_t i = 0; i < c->curve.count; i++) {
        struct structure *s = &c->curve.structures[i];
        double next = i + 1 < c->curve.count ? s[1].capacity : c->plan.to;
        s->shape = SHAPE_RAMP;
        s->width = c->plan.grain * ceil(magnitude(2, fmax(2.1, (next - s->capacity) / 2 / c->plan.grain)));
    }
    draw_heights(&c->curve, 0.1, 3);
    draw_ground(c);
}

/* A power of two of sets, so that the capacity is in the range that is wanted, which spans more than a factor of 2. */
static size_t set_count(const struct structure *s, double least, double most)
{
    size_t sets = 1;

    while ((double)(s->ways * sets) * s->line < least)
        sets *= 2;
    while ((double)(s->ways * sets * 2) * s->line <= most && chance(0.5))
        sets *= 2;
    return sets;
}

/* One to three levels of cache, filled with contiguous frames or virtually indexed. */
static void draw_caches(struct trial *c, enum shape shape)
{
    struct curve *k = &c->curve;
    double capacity = 0;
    size_t levels = pick(1, 3);

    for (k->count = 0; k->count < levels; k->count++) {
        struct structure *s = &k->structures[k->count];
        *s = (struct structure){.shape = shape, .line = CACHE_LINE_BYTES, .ways = pick(2, 16)};
        /* the first between 2 and 64 KiB, each next several times as large */
        double least = k->count ? 3.5 * capacity : 2048, most = k->count ? 30 * capacity : 65536;
        s->sets = set_count(s, least, most);
        capacity = s->capacity = (double)(s->ways * s->sets) * s->line;
    }
    double way = (double)k->structures[0].sets * CACHE_LINE_BYTES;
    log_axis(&c->plan, chance(0.5) ? CACHE_LINE_BYTES : fmin(way, PAGE_BYTES), k->structures[0].capacity / 16,
             capacity * magnitude(2.5, 6));
    draw_heights(k, 0.3, 3);
    draw_ground(c);
}

static void draw_hashed(struct trial *c)
{
    struct structure *s = &c->curve.structures[0];
    bool scattered = chance(0.5);

    s->shape = SHAPE_HASHED;
    s->line = CACHE_LINE_BYTES;
    s->ways = scattered ? pick(4, 10) : pick(2, 12);
    s->sets = scattered ? (size_t)2048 << pick(0, 1) : (size_t)64 << pick(0, 3);
    s->height = c->curve.base * magnitude(0.3, 3);
    double bytes = (double)(s->ways * s->sets) * s->line;
    log_axis(&c->plan, scattered ? PAGE_BYTES : CACHE_LINE_BYTES, bytes / 16, bytes * magnitude(4, 6));
    structure_hash(s, (size_t)(c->plan.to / s->line) + 1, scattered, dice);
    c->curve.count = 1;
}

static void draw_frames(struct trial *c)
{
    struct structure *s = &c->curve.structures[0];

    s->shape = SHAPE_FRAMES;
    s->line = CACHE_LINE_BYTES;
    s->ways = pick(4, 16);
    s->sets = (size_t)2048 << pick(0, 2);
    s->capacity = (double)(s->ways * s->sets) * s->line;
    s->height = c->curve.base * magnitude(0.5, 4);
    log_axis(&c->plan, PAGE_BYTES, s->capacity / 16, s->capacity * magnitude(4, 6));
    c->plan.halves = true;
    c->curve.count = 1;
}

/* x in pages. */
static void draw_tlb(struct trial *c)
{
    struct curve *k = &c->curve;
    double capacity = 0;

    for (size_t levels = pick(1, 2); k->count < levels; k->count++) {
        struct structure *s = &k->structures[k->count];
        double least = k->count ? 4 * capacity : 16, most = k->count ? 30 * capacity : 160;
        *s = (struct structure){.line = 1, .ways = pick(2, 12), .sets = 1};
        s->shape = chance(0.4) ? SHAPE_SETS : chance(0.3) ? SHAPE_RANDOM : SHAPE_STEP;
        if (s->shape == SHAPE_STEP)
            s->ways = (size_t)magnitude(least, most);
        else
            s->sets = set_count(s, least, most);
        capacity = s->capacity = (double)(s->ways * s->sets);
    }
    if (capacity < 400 && chance(0.6))
        linear_axis(&c->plan, 1, (double)pick(1, 4), capacity * between(dice, 1.5, 3) + 16);
    else
        log_axis(&c->plan, 1, k->structures[0].capacity / 8, capacity * magnitude(2, 6));
    draw_heights(k, 0.2, 3);
    draw_ground(c);
}

/* Some spacings conflict in part: the curve rises, falls again, and rises for good. */
static void draw_btb(struct trial *c)
{
    struct curve *k = &c->curve;
    double grain = 1;

    if (chance(0.7))
        log_axis(&c->plan, grain, (double)pick(8, 64), (double)pick(1000, 30000));
    else
        linear_axis(&c->plan, grain, (double)pick(1, 16), (double)pick(300, 3000));
    place_steps(c, pick(2, 3), 11);
    draw_heights(k, 0.3, 2);
    size_t bump = pick(0, k->count - 1);
    double from = k->structures[bump].capacity;
    double room = (bump + 1 < k->count ? k->structures[bump + 1].capacity : c->plan.to) - from;
    k->structures[bump].shape = SHAPE_BUMP;
    k->structures[bump].width = floor(room * between(dice, 0.3, 0.6));
    if (chance(0.3)) { /* held in part: it falls to a level between */
        k->structures[bump].height *= 0.6;
        k->base *= 1.3;
    }
}

static void draw_window(struct trial *c)
{
    struct curve *k = &c->curve;

    linear_axis(&c->plan, 1, (double)pick(4, 32), (double)pick(160, 1024));
    place_steps(c, 1, 5);
    if (chance(0.7)) {
        k->structures[0].shape = SHAPE_RAMP;
        k->structures[0].width = fmax(2,
                                      floor(fmin(magnitude(2, 100), (c->plan.to - k->structures[0].capacity) / 1.5)));
    }
    draw_heights(k, 0.2, 1.2);
    if (chance(0.7)) {
        k->ground = GROUND_LINE;
        k->bend = between(dice, 0, 0.3);
        k->scale = c->plan.to;
    }
}

static void draw_returns(struct trial *c)
{
    struct curve *k = &c->curve;

    linear_axis(&c->plan, 1, (double)pick(1, 4), (double)pick(64, 256));
    place_steps(c, 1, 4.5);
    k->structures[0].shape = SHAPE_BEND;
    k->ground = GROUND_LINE;
    k->bend = between(dice, 0, 4);
    k->scale = c->plan.to;
    /* from as steep again as the line to twenty times */
    k->structures[0].height = k->base * (fmax(k->bend, 0.2) / k->scale) * magnitude(1, 20);
}

static void draw_stairs(struct trial *c)
{
    struct structure *s = &c->curve.structures[0];

    s->shape = SHAPE_STAIRS;
    s->capacity = (double)pick(3, 16);
    s->width = -(double)pick(0, (size_t)s->capacity - 1);
    s->height = c->curve.base * magnitude(0.1, 1);
    c->curve.count = 1;
    linear_axis(&c->plan, 1, (double)pick(1, 4), s->capacity * between(dice, 5, 10));
}

static void draw_nothing(struct trial *c)
{
    struct curve *k = &c->curve;
    struct search *p = &c->plan;

    p->kind = (enum knee_kind)pick(0, 3);
    if (p->kind == KNEE_STEP)
        draw_axis(p);
    else
        linear_axis(p, 1, (double)pick(1, 32), (double)pick(64, 600));
    k->ground = (enum ground)pick(0, GROUNDS - 1);
    k->scale = p->to;
    k->bend = magnitude(0.02, 2);
    switch (k->ground) {
    case GROUND_LOG: k->scale = p->from; break;
    case GROUND_FALL: k->scale = p->from, k->bend /= 2; break;
    case GROUND_WAVE: k->scale = p->grain * between(dice, 2.2, 30), k->bend = between(dice, 0.0005, 0.01); break;
    case GROUND_DROP: k->scale = along(p, between(dice, 0.2, 0.8)); break;
    case GROUND_SPIKES: k->scale = p->grain, k->bend = fmin(k->bend, 0.5); break;
    default: break;
    }
}

/* ---- What can be found -------------------------------------------------------------------------- */

/* A grid that is walked whole, or, with x NULL, the plan's coarse one. */
struct points {
    const struct search *plan;
    const double *x;
    size_t count;
    double to; /* last x that will be looked at */
};

static size_t up_to(const struct points *p, double x)
{
    size_t n = 0;

    while (n < p->count && p->x[n] <= x)
        n++;
    return n;
}

/* Points in from < x <= to; both grids are known to have one at the ends of the range. */
static double points_between(const struct points *p, double from, double to)
{
    if (p->x)
        return (double)(up_to(p, to) - up_to(p, from));
    return coarse_between(p->plan, from, to);
}

static double steps_past(const struct points *p, double x, size_t steps)
{
    size_t n;

    if (!p->x)
        return x + (double)steps * p->plan->grain;
    n = up_to(p, x) + steps - 1;
    return n < p->count ? p->x[n] : x;
}

static struct truth judge(const struct trial *c, size_t i, const struct points *p)
{
    const struct curve *k = &c->curve;
    const struct structure *s = &k->structures[i];
    struct truth t = {.last_good = s->capacity, .by_half = c->plan.halves};
    double before = i ? structure_end(s - 1) : p->x ? -INFINITY : p->plan->from;
    double next = i + 1 < k->count ? s[1].capacity : p->to, end = fmin(structure_end(s), next);
    if (s->shape == SHAPE_BUMP)
        next = end;
    double past = steps_past(p, s->capacity, 4), rise;

    if (s->shape == SHAPE_STAIRS) {
        /* every stair tells the same: four of them must be there, of four points each */
        t.step = s->height;
        t.sigma = curve_sigma(k, p->to);
        t.standing = t.step < 4 * t.sigma                                         ? WEAK
                     : s->capacity < 4 || p->to - p->plan->from < 4 * s->capacity ? TIGHT
                                                                                  : IDENTIFIABLE;
        return t;
    }
    if (t.by_half) {
        structure_half(s, &t.first, &t.last);
        rise = t.step = curve_mean(k, p->to, NULL) - curve_mean(k, p->plan->from, NULL);
        t.sigma = fmax(curve_sigma(k, t.first), curve_sigma(k, p->to));
        end = structure_end(s);
    } else {
        /* of a straight line that goes on, nothing is the structure's */
        struct curve bare = *k;
        bare.count = 0;
        double own = curve_mean(&bare, past, NULL) - curve_mean(&bare, s->capacity, NULL);
        t.step = s->shape == SHAPE_BEND ? INFINITY : curve_mean(k, end, NULL) - curve_mean(k, s->capacity, NULL);
        if (s->shape == SHAPE_STEP || s->shape == SHAPE_BUMP)
            t.step = s->height;
        rise = curve_mean(k, past, NULL) - curve_mean(k, s->capacity, NULL) - own;
        t.sigma = fmax(curve_sigma(k, s->capacity), curve_sigma(k, past));
    }
    t.sigma = fmax(t.sigma, k->noise.quantum / 2);
    if (t.step < 4 * t.sigma || !(t.step > 0))
        t.standing = WEAK;
    else if (points_between(p, before, s->capacity) < 4 || points_between(p, t.by_half ? end : s->capacity, next) < 4 ||
             (p->x && past <= s->capacity) || next - s->capacity < 4 * p->plan->grain ||
             s->capacity - before < 4 * p->plan->grain)
        t.standing = TIGHT;
    else
        t.standing = rise < 4 * t.sigma || past > next ? GRADUAL : IDENTIFIABLE;
    return t;
}

/* What somebody else would have measured: every x where they are not too many, else so many an octave. */
static void draw_grid(struct trial *c)
{
    const struct search *p = &c->plan;
    double all = (p->to - p->from) / p->grain + 1;
    double factor = exp2(1.0 / GRID_PER_OCTAVE);

    c->x = malloc(GRID_MAXIMUM * sizeof c->x[0]);
    if (!c->x)
        abort();
    if (all <= GRID_MAXIMUM)
        for (c->count = 0; c->count < (size_t)all; c->count++)
            c->x[c->count] = p->from + (double)c->count * p->grain;
    else if (p->per_octave)
        for (double x = p->from; x <= p->to && c->count < GRID_MAXIMUM; x *= factor) {
            double at = grained(p, x);
            if (!c->count || at > c->x[c->count - 1])
                c->x[c->count++] = at;
        }
    else
        for (c->count = 0; c->count < GRID_MAXIMUM; c->count++)
            c->x[c->count] = grained(p, p->from + (p->to - p->from) * (double)c->count / (GRID_MAXIMUM - 1));
    /* What lives in time must not look as if it lived in x: nobody can tell those apart from one pass along the axis. */
    const struct noise *n = &c->curve.noise;
    bool in_time = n->drift > 0 || n->states > 0 || n->burst_share > 0 || n->stolen_share > 0;
    c->passes = in_time || chance(0.5) ? 3 : 1;
    c->shuffled = p->random >> 7 & 1;
    if (c->shuffled && p->random >> 8 & 1)
        c->passes = 1;
}

/* A knee past the range that grows far enough to find it. */
static void cut_range(struct trial *c)
{
    struct search *p = &c->plan;

    p->limit = p->to;
    if (p->kind != KNEE_STEP && p->kind != KNEE_WINDOW)
        return;
    double to = p->per_octave ? p->to / 4 : p->from + (p->to - p->from) / 3;
    if (chance(0.1) && p->to > 8 * p->from && c->curve.count <= 1) {
        if (!p->per_octave)
            p->coarse = p->coarse > 24 ? p->coarse / 3 : 8;
        p->to = grained(p, to);
    }
}

void trial_draw(struct trial *c, uint64_t seed, uint64_t number)
{
    static const unsigned char weights[CLASSES] = {16, 8, 9, 9, 5, 4, 4, 8, 7, 10, 7, 5, 16};
    uint64_t state = seed ^ number * 0xd1342543de82ef95;
    size_t drawn = 0, all = 0;

    *c = (struct trial){0};
    dice = &state;
    random_next(dice);
    for (size_t i = 0; i < CLASSES; i++)
        all += weights[i];
    for (drawn = pick(0, all - 1); drawn >= weights[c->class]; c->class ++)
        drawn -= weights[c->class];

    struct curve *k = &c->curve;
    k->base = magnitude(0.5, 50);
    draw_noise(&k->noise);
    c->plan.budget = BUDGET;
    c->plan.random = random_next(dice);
    switch (c->class) {
    case CLASS_STEPS:
    case CLASS_CLOSE: draw_steps(c); break;
    case CLASS_RAMPS: draw_ramps(c); break;
    case CLASS_CACHE: draw_caches(c, SHAPE_SETS); break;
    case CLASS_RANDOM: draw_caches(c, SHAPE_RANDOM); break;
    case CLASS_HASHED: draw_hashed(c); break;
    case CLASS_FRAMES: draw_frames(c); break;
    case CLASS_TLB: draw_tlb(c); break;
    case CLASS_BTB: draw_btb(c); break;
    case CLASS_WINDOW: c->plan.kind = KNEE_WINDOW, draw_window(c); break;
    case CLASS_RETURNS: c->plan.kind = KNEE_SLOPE, draw_returns(c); break;
    case CLASS_STAIRS: c->plan.kind = KNEE_STAIRS, draw_stairs(c); break;
    default: draw_nothing(c); break;
    }
    k->random = random_next(dice);
    double quality = chance(0.06) ? between(dice, 1.5, 4) : magnitude(4.2, 200);
    fit_noise(k, &c->plan, quality, chance(0.6) && !c->plan.halves);
    if (c->plan.kind == KNEE_STEP && k->noise.white > 0 && chance(0.15))
        k->louder = magnitude(0.005, 0.15);
    if (!k->count) /* nothing to be fitted to */
        noise_scale(&k->noise, magnitude(0.05, 10));
    if ((c->grid = chance(0.5)))
        draw_grid(c);
    cut_range(c);
    if (chance(0.04))
        c->plan.budget = (unsigned)magnitude(30, 300);

    struct points coarse = {.plan = &c->plan, .to = c->plan.limit};
    struct points given = {.plan = &c->plan, .x = c->x, .count = c->count, .to = c->count ? c->x[c->count - 1] : 0};
    for (size_t i = 0; i < k->count; i++) {
        c->searched[i] = judge(c, i, &coarse);
        if (c->plan.budget < BUDGET && c->searched[i].standing == IDENTIFIABLE)
            c->searched[i].standing = HURRIED;
        if (c->grid)
            c->given[i] = judge(c, i, &given);
    }
}

void trial_ask(struct trial *c, double capacity, uint64_t *random)
{
    struct curve *k = &c->curve;
    struct structure *s = &k->structures[0];
    struct search *p = &c->plan;

    dice = random;
    p->budget = BUDGET;
    p->random = random_next(dice);
    k->base = magnitude(0.5, 50);
    draw_noise(&k->noise);
    if (p->kind != KNEE_STEP && chance(0.6)) {
        k->ground = GROUND_LINE;
        k->bend = between(dice, 0, 0.3);
        k->scale = p->to;
    }
    if (!isnan(capacity)) {
        k->count = 1;
        *s = (struct structure){.capacity = capacity, .height = k->base * magnitude(0.1, 2)};
        if (p->kind == KNEE_SLOPE) {
            s->shape = SHAPE_BEND;
            s->height = k->base / p->to * magnitude(0.3, 10);
        } else if (chance(p->kind == KNEE_WINDOW ? 0.7 : 0.2)) {
            s->shape = SHAPE_RAMP;
            s->width = p->grain * ceil(magnitude(2, 60));
        }
    }
    k->random = random_next(dice);
    fit_noise(k, p, chance(0.06) ? between(dice, 1.5, 4) : magnitude(4.2, 200), chance(0.7));
    if (!k->count)
        noise_scale(&k->noise, magnitude(0.05, 10));
    p->limit = p->to;
    if (k->count)
        c->searched[0] = judge(c, 0, &(struct points){.plan = p, .to = p->to});
}

void trial_free(struct trial *c)
{
    curve_free(&c->curve);
    free(c->x);
    c->x = NULL;
}
