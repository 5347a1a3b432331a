/*
 * Branch patterns: n conditional branches, each with a random pattern of its own of m outcomes, over and over. For
 * comparison, patterns of zeros, which any predictor learns, and patterns that are XORed with random bits while the
 * kernel runs, which no predictor learns.
 *
 * Method: docs/METHODS.md, 5.6.
 */
#ifndef FATHOM_LIB_KERNELS_BRANCH_PATTERNS_H
#define FATHOM_LIB_KERNELS_BRANCH_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/probe/probe.h"

enum pattern_outcomes { PATTERN_FIXED, PATTERN_ZEROS, PATTERN_RANDOM };

enum { BRANCH_PATTERNS_LENGTH_BITS = 14 /* at most */ };

/*
 * 2^branches_bits branches with patterns of 2^length_bits outcomes. A word holds one outcome of up to 48 branches; the
 * memory has room for 2^BRANCH_PATTERNS_LENGTH_BITS words.
 */
struct branch_patterns {
    unsigned branches_bits, length_bits;
};

/* Maps memory for the patterns. False: the probe has ended. */
bool branch_patterns_map(struct probe *p, struct area *area);
/* Draws patterns and makes the kernel; its unit is a branch. False: the probe has ended. */
bool branch_patterns_build(struct probe *p, const struct branch_patterns *s, enum pattern_outcomes outcomes,
                           const struct area *area, struct kernel *k);

#endif
