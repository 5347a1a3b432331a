/*
 * Levels: how many branches of one pattern each level of the branch target buffer holds, and what a branch costs there.
 *
 * Curves of branch chains at up to six strides are a stride family (lib/structure/stride_family.h). They are searched
 * in two ranges of counts, short and long, because a curve over a dozen octaves has more knees than can be
 * distinguished. The ranges overlap; a level belongs to the range in which its end is far from both borders. In the
 * long range the last rise of each curve is searched once more for a slope change (lib/structure/slope_change.h). On a
 * simulated core, whose points repeat exactly, one shorter range has both.
 *
 * Where replacement is random, a level is left so slowly at first that the rise seems to begin at a larger count. The
 * value is therefore taken back to the last count that costs no more than those before it, and the lower end of the
 * interval to the last one that costs no more than the least of them (tolerances_btb.h, BTB_RAMP_COST).
 *
 * Method: docs/METHODS.md, 5.1.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_LEVELS_H
#define FATHOM_LIB_STRUCTURE_BTB_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/branch_cost.h"
#include "lib/structure/btb_fit.h"

enum {
    BTB_LONG_FROM = 1024,  /* branches: capacities from here on are taken from the long range */
    BTB_LONG_TO = 32768,   /* branches: where the long range ends */
    BTB_NEAR_POINTS = 1024 /* of the short range, in two patterns */
};

/* Levels that hold few branches, and what a fit of their organisation begins with. */
struct btb_near {
    unsigned levels; /* that were reported from the short range, of the pattern with the most of them */
    double entries;  /* branches that the largest of these holds; 0: not known */
    size_t point_count;
    struct btb_sequence points[BTB_NEAR_POINTS]; /* that were measured */
};

struct btb_levels_request {
    enum branch_chain_pattern pattern;
    const struct branch_chain_room *room;
    size_t span;              /* bytes that chains may span in it */
    double lines;             /* bytes of the instruction cache that chains fill as well; 0: they do not, or unknown */
    const char *entries;      /* finding: branches that a level holds; variants level and branch */
    const char *cycles;       /* finding: what a branch costs on that level */
    const char *at_stride[2]; /* findings: what the curve of one stride shows of both; variant stride as well */
    const char *limits[2];    /* findings that may mask: operations of the op cache, entries of the first ITLB */
    const char *const *counted; /* events for the proof of a knee, ended by NULL */
    struct btb_fit *fit;        /* gets points from BTB_LONG_FROM on of patterns that are not mixed; NULL: none */
    struct btb_near *near;      /* gets those of the short range; NULL: none */
};

/* What btb_levels_find reported, in short. */
struct btb_levels {
    double least;      /* cycles of a branch at best, with at most 16 branches; INFINITY: not known */
    double height;     /* cycles of a branch on the last level that was reported, not from a slope change; 0: none */
    unsigned levels;   /* reported, in both ranges */
    unsigned measured; /* of them, those with a capacity that no slope change was needed for */
    /* Cycles: a branch of the first level, which shows by the cost of few branches alone, costs less; 0: it does not. */
    double hidden_below;
    bool open; /* the capacity of some level is not known, or one stride shows a level that no other does */
};

/*
 * Measures chains of q->pattern at the strides of this profile and reports the entries and the cycles of each level
 * found; a short account is stored in *out. A smoke run has the short range only. False where the probe is over; *out
 * is then incomplete.
 */
bool btb_levels_find(struct probe *p, const struct btb_levels_request *q, struct btb_levels *out);

/* The smallest stride in bytes: the alignment of instructions, or 8 where they need none. */
size_t btb_least_stride(void);
/*
 * Returns a sweep of *curve over the long range: 256 to BTB_LONG_TO branches, or up to as many as `span` bytes have
 * room for.
 */
struct sweep btb_long_sweep(struct probe *p, struct branch_curve *curve, size_t span);

#endif
