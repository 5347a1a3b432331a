/*
 * Curves with known truth: structures of known size, what an access costs at x, and the noise of each sample.
 *
 * y(x) = ground(x) + sum over the structures of height * share(x), where share is the part of the accesses that miss
 * in the structure.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_CURVE_H
#define FATHOM_TESTS_MODEL_CURVES_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/knee/knee.h"
#include "tests/model/curves/noise.h"

enum shape {
    SHAPE_STEP,   /* all at once */
    SHAPE_RAMP,   /* a straight line over `width` of x */
    SHAPE_SETS,   /* LRU sets of `ways`, lines used in a circle: every access to a set with too many lines misses */
    SHAPE_HASHED, /* the same, with lines spread over the sets by a hash, which decides the capacity */
    SHAPE_RANDOM, /* sets with random replacement: some accesses to a set with too many lines still hit */
    SHAPE_FRAMES, /* indexed physically; each sample has other frames, at random */
    SHAPE_BUMP,   /* a step that falls back after `width`: branches in a BTB that conflict in part */
    SHAPE_SLOPE_CHANGE, /* grows with every x past the capacity: return stack */
    SHAPE_STAIRCASE,    /* one step more with every `capacity` of x, counted from `width`: fetch */
};

struct structure {
    enum shape shape;
    double capacity; /* the last x that fits; of a staircase the width of a step */
    double width;
    double toe, toe_share; /* a ramp's first part of x that is flatter, and the share of the rise at its end; 0: none */
    double height;
    double line; /* x per line of a set-associative structure */
    size_t sets, ways;
    double *shares; /* of SHAPE_HASHED, by lines */
    size_t lines;
};

/* What y would be if all accesses hit. Nothing of it is a knee that may be reported. */
enum ground {
    GROUND_FLAT,
    GROUND_LINE,   /* grows by `amount`, relative to the base, from x = 0 to `scale` */
    GROUND_LOG,    /* by `amount` with each octave beyond `scale` */
    GROUND_ROOT,   /* by `amount` from 0 to `scale` */
    GROUND_SQUARE, /* the same */
    GROUND_FALL,   /* an overhead that x accesses share: amount * scale / x */
    GROUND_WAVE,   /* alignment: up and down by `amount` with a period of `scale` */
    GROUND_DROP,   /* higher by `amount` up to `scale`: a fall is no capacity */
    GROUND_SPIKES, /* higher by `amount` where x is `scale` times a power of two: addresses that collide */
    GROUNDS,
};
extern const char *const ground_names[GROUNDS];

enum { STRUCTURES = 5 };

struct curve {
    enum ground ground;
    double base, amount, scale;
    struct structure structures[STRUCTURES]; /* ascending in capacity */
    size_t count;
    struct noise noise;
    double louder; /* misses cost more at some times than at others: standard deviation, relative to what they cost */
    uint64_t random;
    double time; /* about the number of samples so far; each takes a little more or less than 1 */
};

/* The mean of all samples at x, without noise. With `random`, that of one sample, whose frames are drawn from it. */
double curve_mean(const struct curve *c, double x, uint64_t *random);
/* The share of accesses that miss in a structure. */
double structure_share(const struct structure *s, double x, uint64_t *random);
/* One sample with its noise; time advances. */
double curve_sample(struct curve *c, double x);
/*
 * The standard deviation of one sample at x, all noise included, and robust against outliers: half of the distance
 * between the 15.9 % and the 84.1 % quantile of many samples over a long time.
 */
double curve_sigma(const struct curve *c, double x);
/*
 * The first x at which more than half of the accesses miss, and the one from which on that is always so, in whole
 * lines or pages.
 */
void structure_half(const struct structure *s, double *first, double *last);
/* The x at which its rise is over, nearly. */
double structure_end(const struct structure *s);
/* Draws the hash of SHAPE_HASHED: folded address bits, or with `scattered` any frame for each page of 64 lines. */
void structure_hash(struct structure *s, size_t lines, bool scattered, uint64_t *random);
void curve_free(struct curve *c);

#endif
