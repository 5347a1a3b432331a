/*
 * Curves with known truth: structures of known size, what an access to them costs at x, and what noise makes of
 * it in each sample.
 *
 * y(x) = ground(x) + sum over the structures of height * share(x), where share is the part of the accesses that
 * the structure does not hold.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_CURVE_H
#define FATHOM_TESTS_MODEL_CURVES_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/engine/knee.h"
#include "tests/model/curves/noise.h"

enum shape {
    SHAPE_STEP,   /* all at once */
    SHAPE_RAMP,   /* a straight line over `width` of x */
    SHAPE_SETS,   /* sets of `ways`, least recently used, walked in a circle: a set that is overfull misses always */
    SHAPE_HASHED, /* the same, lines spread over the sets by a hash; the capacity follows from the hash */
    SHAPE_RANDOM, /* sets with random replacement: an overfull set still hits now and then */
    SHAPE_FRAMES, /* physically indexed; each sample has other frames, at random */
    SHAPE_BUMP,   /* a step that falls back at `width` past it: partly conflicting spacings in a BTB */
    SHAPE_BEND,   /* grows with every x past the capacity: return stack */
    SHAPE_STAIRS, /* one more with every `capacity` of x, begun at `width`: fetch */
};

struct structure {
    enum shape shape;
    double capacity; /* the last x that is good; the width of a stair */
    double width;
    double height;
    double line; /* x per line of a set-associative structure */
    size_t sets, ways;
    double *shares; /* of SHAPE_HASHED, by lines */
    size_t lines;
};

/* What y would be if every structure were large enough: nothing here is a level that is left. */
enum ground {
    GROUND_FLAT,
    GROUND_LINE,   /* bend: growth from x = 0 to scale, relative */
    GROUND_LOG,    /* bend: growth over each octave */
    GROUND_ROOT,   /* bend: growth from 0 to scale */
    GROUND_SQUARE, /* the same */
    GROUND_FALL,   /* an overhead shared by x: bend * scale / x */
    GROUND_WAVE,   /* alignment: up and down by bend with a period of scale */
    GROUND_DROP,   /* higher by bend up to scale: what becomes better is no capacity */
    GROUND_SPIKES, /* higher by bend where x is scale times a power of two: addresses that collide */
    GROUNDS,
};
extern const char *const ground_names[GROUNDS];

enum { STRUCTURES = 5 };

struct curve {
    enum ground ground;
    double base, bend, scale;
    struct structure structures[STRUCTURES]; /* ascending in capacity */
    size_t count;
    struct noise noise;
    double louder; /* what misses costs now more, now less: standard deviation relative to what they cost */
    uint64_t random;
    double time; /* samples so far, more or less: advances with each */
};

/* The mean of all samples at x without noise; with `random`, one sample's, which differs where frames are drawn. */
double curve_mean(const struct curve *c, double x, uint64_t *random);
/* The share of accesses that a structure does not hold. */
double structure_share(const struct structure *s, double x, uint64_t *random);
/* One sample; time goes on. */
double curve_sample(struct curve *c, double x);
/*
 * The standard deviation of one sample at x, everything included, and robust: half of what lies between the
 * 15.9 % and the 84.1 % quantile of many samples over much time.
 */
double curve_sigma(const struct curve *c, double x);
/* Where is the share first more than half, and from where on always; by whole lines or pages. */
void structure_half(const struct structure *s, double *first, double *last);
/* Makes the hash of SHAPE_HASHED: folded address bits, or, scattered, any frame for any page of 64 lines. */
void structure_hash(struct structure *s, size_t lines, bool scattered, uint64_t *random);
void curve_free(struct curve *c);

#endif
