/*
 * Sharing: do two classes of fillers take places in one structure of the core, or does each have its own?
 *
 *   alone    how many fit of each (lookahead_most)
 *   behind   half as many of one as fit, and then the other: as many of that as fit alone, where it has a structure of its
 *            own; half as many, where both have one, since half of that is left. So it is, too, where two of one class
 *            share what one of the other takes whole
 *
 * Both are asked, each behind the other, by every pair of blockers that fits. No edge is looked for: what is told is
 * one of two numbers far from each other, so that what blurs edges does not matter. All that is told must be the same.
 */
#ifndef FATHOM_LIB_KERNELS_SHARING_H
#define FATHOM_LIB_KERNELS_SHARING_H

#include "lib/kernels/lookahead.h"

enum { SHARING_WAYS = BLOCKERS };

/* By one pair of blockers; numbers are NaN where they are not told. */
struct sharing_way {
    enum blocker first, second;
    double alone[2];  /* so many of each fit; … */
    double behind[2]; /* … and behind half as many of the other one */
    bool held;        /* either ends for something else that both hold */
};

struct sharing {
    const char *a, *b; /* names of fillers */
    bool waits;        /* for what the first blocker brings */
    double about[2];   /* how many fit alone, at most: where one begins to look */
    double group;      /* so many are taken in together, or not at all; 0 or NaN: not known */
    struct sharing_way ways[SHARING_WAYS];
    size_t count;
    const char *text;   /* "shared", "separate"; "overlapping": something between, by all alike; NULL: not told, … */
    const char *reason; /* … since */
    char grade;
    double seen; /* so many of both were in flight at once, by every pair of blockers; 0: not told */
};

/* The reason where all that tells was masked by something else that both hold: a control that waits for nothing ends, too. */
extern const char sharing_held[];

/*
 * Measures that one by those of its ways whose blockers fit, drops the others and decides; what those before it have found
 * alone is not measured again. False: the probe is over.
 */
bool sharing_find(struct probe *p, const struct lookahead *l, struct sharing *all, size_t index);
/*
 * Measures it once more and takes the larger of each two numbers: another hardware thread of the core, awake for a while,
 * can make them only smaller. For those whose ways disagree, when others have been asked meanwhile.
 */
bool sharing_find_again(struct probe *p, const struct lookahead *l, struct sharing *all, size_t index);
/* The most of these fillers that fitted alone, by that blocker, for whatever pair they were asked; NaN: not told. */
double sharing_alone(const struct sharing *all, size_t count, const char *filler, enum blocker b);
/* Whether it is as many that fit elsewhere as fit alone, half way up; `group` as above. */
bool sharing_fits_all(double group, double alone, double elsewhere);
/* Sends what was measured as a table. */
void sharing_send(struct probe *p, const struct sharing *all, size_t count);

#endif
