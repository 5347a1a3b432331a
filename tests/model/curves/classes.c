#include "tests/model/curves/classes.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "tests/model/curves/axis.h"

enum { CACHE_LINE_BYTES = 64, PAGE_BYTES = 4096 };

/* ---- What the classes share --------------------------------------------------------------------- */

/*
 * Draws capacities, ascending, with at least `apart` intervals of the coarse grid between them and to the ends of the
 * axis. Fewer of them, or closer, where the axis is too short.
 */
static void place_steps(struct trial *c, size_t count, double apart, uint64_t *random)
{
    struct search *p = &c->plan;
    double whole = coarse_between(p, p->from, p->to), from = p->from;

    if ((double)(count + 1) * apart > whole)
        count = whole > 2 * apart ? (size_t)(whole / apart) - 1 : 1;
    apart = fmin(apart, whole / (double)(count + 1));
    /* the rest of the axis is cut at random */
    double room = whole - (double)(count + 1) * apart, cut[STRUCTURES], u = 0;
    for (size_t i = 0; i < count; i++)
        cut[i] = between(random, 0, room);
    sort_numbers(cut, count);
    for (size_t i = 0; i < count; i++) {
        u = (cut[i] + apart * (double)(i + 1)) / whole;
        double x = fmax(along(p, u), from + p->step);
        c->curve.structures[i].capacity = from = x;
    }
    c->curve.count = count;
}

/* Heights so that each level is higher than the one before by a part of that between `from` and `to`. */
static void draw_heights(struct curve *c, double from, double to, uint64_t *random)
{
    double level = c->base;

    for (size_t i = 0; i < c->count; i++) {
        c->structures[i].height = level * (magnitude(random, from, to));
        level += c->structures[i].height;
    }
}

static void draw_axis(struct search *p, uint64_t *random)
{
    static const double steps[] = {1, 1, 64, 4096};

    if (chance(random, 0.6)) {
        double step = steps[pick(random, 0, 3)], from = step * (double)pick(random, 4, 64);
        log_axis(p, step, from, from * magnitude(random, 32, 8192), random);
    } else {
        double step = chance(random, 0.7) ? 1 : (double)pick(random, 2, 16);
        linear_axis(p, step, step * (double)pick(random, 1, 64), step * magnitude(random, 192, 4096), random);
    }
}

/* Sometimes a ground that is not flat, as real curves have it: an overhead that all accesses share, or alignment. */
static void draw_ground(struct trial *c, uint64_t *random)
{
    if (chance(random, 0.15))
        c->curve.ground = GROUND_FALL, c->curve.amount = between(random, 0.005, 0.1), c->curve.scale = c->plan.from;
    else if (chance(random, 0.06))
        c->curve.ground = GROUND_WAVE, c->curve.amount = between(random, 0.0005, 0.004),
        c->curve.scale = c->plan.step * between(random, 2.2, 30);
}

/* ---- Classes ------------------------------------------------------------------------------------ */

static void draw_steps(struct trial *c, uint64_t *random)
{
    draw_axis(&c->plan, random);
    place_steps(c, pick(random, 1, 4), chance(random, 0.1) ? 1.5 : 5.5, random);
    draw_heights(&c->curve, c->class == CLASS_CLOSE ? 0.04 : 0.1, c->class == CLASS_CLOSE ? 0.06 : 3, random);
    draw_ground(c, random);
}

static void draw_ramps(struct trial *c, uint64_t *random)
{
    draw_axis(&c->plan, random);
    place_steps(c, pick(random, 1, 3), 8, random);
    for (size_t i = 0; i < c->curve.count; i++) {
        struct structure *s = &c->curve.structures[i];
        double next = i + 1 < c->curve.count ? s[1].capacity : c->plan.to;
        s->shape = SHAPE_RAMP;
        s->width = c->plan.step * ceil(magnitude(random, 2, fmax(2.1, (next - s->capacity) / 2 / c->plan.step)));
    }
    draw_heights(&c->curve, 0.1, 3, random);
    for (size_t i = 0; i < c->curve.count; i++)
        if (chance(random, 0.5)) { /* the first entries that do not fit cost less */
            c->curve.structures[i].toe = between(random, 0.03, 0.3);
            c->curve.structures[i].toe_share = c->curve.structures[i].toe * between(random, 0.05, 0.5);
        }
    draw_ground(c, random);
}

/* A power of two, so that the capacity lies between these bounds, which are more than a factor of two apart. */
static size_t set_count(const struct structure *s, double least, double most, uint64_t *random)
{
    size_t sets = 1;

    while ((double)(s->ways * sets) * s->line < least)
        sets *= 2;
    while ((double)(s->ways * sets * 2) * s->line <= most && chance(random, 0.5))
        sets *= 2;
    return sets;
}

/* One to three levels of cache whose sets fill evenly: their frames are contiguous, or they are indexed virtually. */
static void draw_caches(struct trial *c, enum shape shape, uint64_t *random)
{
    struct curve *k = &c->curve;
    double capacity = 0;
    size_t levels = pick(random, 1, 3);

    for (k->count = 0; k->count < levels; k->count++) {
        struct structure *s = &k->structures[k->count];
        *s = (struct structure){.shape = shape, .line = CACHE_LINE_BYTES, .ways = pick(random, 2, 16)};
        /* the first level has 2 to 64 KiB, each further one several times as much */
        double least = k->count ? 3.5 * capacity : 2048, most = k->count ? 30 * capacity : 65536;
        s->sets = set_count(s, least, most, random);
        capacity = s->capacity = (double)(s->ways * s->sets) * s->line;
    }
    double way = (double)k->structures[0].sets * CACHE_LINE_BYTES;
    log_axis(&c->plan, chance(random, 0.5) ? CACHE_LINE_BYTES : fmin(way, PAGE_BYTES), k->structures[0].capacity / 16,
             capacity * magnitude(random, 2.5, 6), random);
    draw_heights(k, 0.3, 3, random);
    draw_ground(c, random);
}

/* One level whose sets are a hash of the address, or a large one whose frames are scattered. */
static void draw_hashed(struct trial *c, uint64_t *random)
{
    struct structure *s = &c->curve.structures[0];
    bool scattered = chance(random, 0.5);

    s->shape = SHAPE_HASHED;
    s->line = CACHE_LINE_BYTES;
    s->ways = scattered ? pick(random, 4, 10) : pick(random, 2, 12);
    s->sets = scattered ? (size_t)2048 << pick(random, 0, 1) : (size_t)64 << pick(random, 0, 3);
    s->height = c->curve.base * magnitude(random, 0.3, 3);
    double bytes = (double)(s->ways * s->sets) * s->line;
    log_axis(&c->plan, scattered ? PAGE_BYTES : CACHE_LINE_BYTES, bytes / 16, bytes * magnitude(random, 4, 6), random);
    structure_hash(s, (size_t)(c->plan.to / s->line) + 1, scattered, random);
    c->curve.count = 1;
}

/* One large level that is indexed physically, and new frames for every sample. */
static void draw_frames(struct trial *c, uint64_t *random)
{
    struct structure *s = &c->curve.structures[0];

    s->shape = SHAPE_FRAMES;
    s->line = CACHE_LINE_BYTES;
    s->ways = pick(random, 4, 16);
    s->sets = (size_t)2048 << pick(random, 0, 2);
    s->capacity = (double)(s->ways * s->sets) * s->line;
    s->height = c->curve.base * magnitude(random, 0.5, 4);
    log_axis(&c->plan, PAGE_BYTES, s->capacity / 16, s->capacity * magnitude(random, 4, 6), random);
    c->plan.narrow_half_rise = true;
    c->curve.count = 1;
}

/* One or two levels of TLB; x is in pages. */
static void draw_tlb(struct trial *c, uint64_t *random)
{
    struct curve *k = &c->curve;
    double capacity = 0;

    for (size_t levels = pick(random, 1, 2); k->count < levels; k->count++) {
        struct structure *s = &k->structures[k->count];
        double least = k->count ? 4 * capacity : 16, most = k->count ? 30 * capacity : 160;
        *s = (struct structure){.line = 1, .ways = pick(random, 2, 12), .sets = 1};
        s->shape = chance(random, 0.4) ? SHAPE_SETS : chance(random, 0.3) ? SHAPE_RANDOM : SHAPE_STEP;
        if (s->shape == SHAPE_STEP)
            s->ways = (size_t)magnitude(random, least, most);
        else
            s->sets = set_count(s, least, most, random);
        capacity = s->capacity = (double)(s->ways * s->sets);
    }
    if (capacity < 400 && chance(random, 0.6))
        linear_axis(&c->plan, 1, (double)pick(random, 1, 4), capacity * between(random, 1.5, 3) + 16, random);
    else
        log_axis(&c->plan, 1, k->structures[0].capacity / 8, capacity * magnitude(random, 2, 6), random);
    draw_heights(k, 0.2, 3, random);
    draw_ground(c, random);
}

/* Branches at some counts conflict in part: the curve rises, falls again, and rises for good. */
static void draw_btb(struct trial *c, uint64_t *random)
{
    struct curve *k = &c->curve;
    if (chance(random, 0.7))
        log_axis(&c->plan, 1, (double)pick(random, 8, 64), (double)pick(random, 1000, 30000), random);
    else
        linear_axis(&c->plan, 1, (double)pick(random, 1, 16), (double)pick(random, 300, 3000), random);
    place_steps(c, pick(random, 2, 3), 11, random);
    draw_heights(k, 0.3, 2, random);
    size_t bump = pick(random, 0, k->count - 1);
    double from = k->structures[bump].capacity;
    double room = (bump + 1 < k->count ? k->structures[bump + 1].capacity : c->plan.to) - from;
    k->structures[bump].shape = SHAPE_BUMP;
    k->structures[bump].width = floor(room * between(random, 0.3, 0.6));
    if (chance(random, 0.3)) { /* a part of them still conflicts: it falls to a level in between */
        k->structures[bump].height *= 0.6;
        k->base *= 1.3;
    }
}

/* A limit of the instruction window. */
static void draw_in_flight(struct trial *c, uint64_t *random)
{
    struct curve *k = &c->curve;

    linear_axis(&c->plan, 1, (double)pick(random, 4, 32), (double)pick(random, 160, 1024), random);
    place_steps(c, 1, 5, random);
    if (chance(random, 0.7)) {
        k->structures[0].shape = SHAPE_RAMP;
        k->structures[0].width = fmax(
            2, floor(fmin(magnitude(random, 2, 100), (c->plan.to - k->structures[0].capacity) / 1.5)));
    }
    draw_heights(k, 0.2, 1.2, random);
    if (chance(random, 0.7)) {
        k->ground = GROUND_LINE;
        k->amount = between(random, 0, 0.3);
        k->scale = c->plan.to;
    }
}

/* Each return beyond the return stack is mispredicted: the curve becomes steeper. */
static void draw_returns(struct trial *c, uint64_t *random)
{
    struct curve *k = &c->curve;

    linear_axis(&c->plan, 1, (double)pick(random, 1, 4), (double)pick(random, 64, 256), random);
    place_steps(c, 1, 4.5, random);
    k->structures[0].shape = SHAPE_SLOPE_CHANGE;
    k->ground = GROUND_LINE;
    k->amount = between(random, 0, 4);
    k->scale = c->plan.to;
    /* steeper by once to twenty times the slope of the line */
    k->structures[0].height = k->base * (fmax(k->amount, 0.2) / k->scale) * magnitude(random, 1, 20);
}

/* Each `capacity` instructions more take another fetch. */
static void draw_staircase(struct trial *c, uint64_t *random)
{
    struct structure *s = &c->curve.structures[0];

    s->shape = SHAPE_STAIRCASE;
    s->capacity = (double)pick(random, 3, 16);
    s->width = -(double)pick(random, 0, (size_t)s->capacity - 1);
    s->height = c->curve.base * magnitude(random, 0.1, 1);
    c->curve.count = 1;
    linear_axis(&c->plan, 1, (double)pick(random, 1, 4), s->capacity * between(random, 5, 10), random);
}

/* A curve without any structure, of any kind of knee and with any ground. */
static void draw_nothing(struct trial *c, uint64_t *random)
{
    struct curve *k = &c->curve;
    struct search *p = &c->plan;

    p->kind = (enum knee_kind)pick(random, 0, 3);
    if (p->kind == KNEE_STEP)
        draw_axis(p, random);
    else
        linear_axis(p, 1, (double)pick(random, 1, 32), (double)pick(random, 64, 600), random);
    k->ground = (enum ground)pick(random, 0, GROUNDS - 1);
    k->scale = p->to;
    k->amount = magnitude(random, 0.02, 2);
    switch (k->ground) {
    case GROUND_LOG: k->scale = p->from; break;
    case GROUND_FALL: k->scale = p->from, k->amount /= 2; break;
    case GROUND_WAVE: k->scale = p->step * between(random, 2.2, 30), k->amount = between(random, 0.0005, 0.01); break;
    case GROUND_DROP: k->scale = along(p, between(random, 0.2, 0.8)); break;
    case GROUND_SPIKES: k->scale = p->step, k->amount = fmin(k->amount, 0.5); break;
    default: break;
    }
}

void class_draw(struct trial *c, uint64_t *random)
{
    switch (c->class) {
    case CLASS_STEPS:
    case CLASS_CLOSE: draw_steps(c, random); break;
    case CLASS_RAMPS: draw_ramps(c, random); break;
    case CLASS_CACHE: draw_caches(c, SHAPE_SETS, random); break;
    case CLASS_RANDOM: draw_caches(c, SHAPE_RANDOM, random); break;
    case CLASS_HASHED: draw_hashed(c, random); break;
    case CLASS_FRAMES: draw_frames(c, random); break;
    case CLASS_TLB: draw_tlb(c, random); break;
    case CLASS_BTB: draw_btb(c, random); break;
    case CLASS_IN_FLIGHT: c->plan.kind = KNEE_JUMP, draw_in_flight(c, random); break;
    case CLASS_RETURNS: c->plan.kind = KNEE_SLOPE, draw_returns(c, random); break;
    case CLASS_STAIRCASE: c->plan.kind = KNEE_STAIRCASE, draw_staircase(c, random); break;
    default: draw_nothing(c, random); break;
    }
}
