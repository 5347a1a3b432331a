/*
 * Curves as people bring them: a table that another program measured of a core that is unknown here, few or many
 * points, at even or uneven x, in one pass or in several, row by row or pass by pass. And the same shapes searched.
 *
 * The shapes are those of real curves that lines and levels describe badly: what follows the last x that fits is not
 * one straight rise.
 */
#ifndef FATHOM_TESTS_MODEL_CURVES_FOREIGN_H
#define FATHOM_TESTS_MODEL_CURVES_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum foreign_kind {
    FOREIGN_CLIMB,   /* a step, a slow climb to several times that, a jump to far more */
    FOREIGN_CREEP,   /* a small step, a few points that creep up, a large step */
    FOREIGN_FOOT,    /* a rise over a few points that begins gently */
    FOREIGN_RETURN,  /* two points that rise, one that is back, and then a rise for good */
    FOREIGN_FEW,     /* two or three points behind the step, each measured repeatedly */
    FOREIGN_STAIRS,  /* three to six levels, steps from 5 % to 1,000 % */
    FOREIGN_SCATTER, /* a small step, then levels that scatter, the same in every pass */
    FOREIGN_NONE,    /* no structure: a level, a line, a bend, a ripple of a period that is short */
    FOREIGN_KINDS,
};

/* How often which kind was decided, and how well. A knee counts as decided if a finding would have a number. */
struct foreign_score {
    size_t curves;
    size_t truths, inside, outside; /* knees that must be found; the rest of them is undecided */
    size_t extra;                   /* numbers where no structure ends */
    size_t right_a, wrong_a;        /* findings of two experiments at grade A */
};

struct foreign_scores {
    struct foreign_score given[FOREIGN_KINDS + 1], searched[FOREIGN_KINDS + 1]; /* the last is all of them */
    size_t shown;
};

/* Measures, decides and scores the curve of that seed and number; mistakes are printed with both. */
void run_foreign(struct foreign_scores *s, uint64_t seed, uint64_t number, bool show);
void print_foreign(const struct foreign_scores *s);

#endif
