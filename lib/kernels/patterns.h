/*
 * Patterns of lines for prefetchers: pointer chases of one load in a loop, each load bringing the address of the next
 * line. All patterns visit the same number of lines of the same memory, and differ in order. Some can be followed by a
 * prefetcher, and each of these has a control of as many lines that no prefetcher can follow. It is on as many pages;
 * but forward and backward are on an eighth of the pages of theirs, stride on five eighths.
 *
 *   forward, backward   line after line
 *   stride              every fifth line
 *   adjacent            random pairs of lines of the same 128 bytes: the second one is the other half of the first
 *   next                random pairs across such halves: the second one is just the next line
 *   next-page           the last eight lines of a page and the first eight of the next page
 *   region              pages in random order, the same eight lines of each, but for where in the page they begin
 *
 *   scattered           control: one random line of each 512 bytes, in random order
 *   other-page          control: the last eight lines of a page, and the first eight of another page
 *   any-lines           control: eight random lines of each page
 *
 * Random order is random within groups of 512 lines, so that the TLB sees one group after the other in all patterns.
 *
 * Method: docs/METHODS.md, 7.20.
 */
#ifndef FATHOM_LIB_KERNELS_PATTERNS_H
#define FATHOM_LIB_KERNELS_PATTERNS_H

#include "lib/probe/probe.h"

enum {
    PATTERN_LINE_BYTES = 64,
    PATTERN_SPREAD = 8, /* a pattern of n lines lies in memory of n times so many lines */
    PATTERN_GROUP = 512 /* the number of lines of a pattern must be a multiple of this */
};

enum pattern {
    PATTERN_SCATTERED,
    PATTERN_FORWARD,
    PATTERN_BACKWARD,
    PATTERN_STRIDE,
    PATTERN_ADJACENT,
    PATTERN_NEXT,
    PATTERN_OTHER_PAGE,
    PATTERN_NEXT_PAGE,
    PATTERN_ANY_LINES,
    PATTERN_REGION,
    PATTERNS
};

/* Name, as above, and control of each pattern; a control is its own. */
extern const struct pattern_description {
    const char *name;
    enum pattern control;
} patterns[PATTERNS];

struct pattern_lines {
    struct area memory; /* the lines */
    struct area start;  /* where the chase goes on in the next call; a page of its own, outside the pattern */
    uint32_t *line;     /* the lines of the pattern made last, in order */
    uint32_t *shuffled; /* scratch */
};

/*
 * Maps memory for patterns of at most `lines` cache lines and allocates their order, w->line, which the caller frees
 * (w->shuffled is a part of it). False when memory is short: the probe has then been ended as skipped, and the caller
 * should return.
 */
bool pattern_map(struct probe *p, struct pattern_lines *w, uint32_t lines);
/* Chooses the lines of a pattern and their order; `random` is the state of random_next that all choices come from. */
void pattern_order(struct pattern_lines *w, enum pattern pattern, uint32_t lines, uint64_t *random);
/* Links the lines in that order and makes the chase; its unit is a load. False when the probe is over. */
bool pattern_kernel(struct probe *p, const struct pattern_lines *w, uint32_t lines, struct kernel *k);

#endif
