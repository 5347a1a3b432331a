/*
 * Finds the policy by which entries of a set are replaced: rounds over random sequences of blocks are measured in two
 * sets, and compared with simulated policies (lib/structure/replacement.h). A policy must explain both sets.
 */
#ifndef FATHOM_LIB_STRUCTURE_REPLACEMENT_ROUNDS_H
#define FATHOM_LIB_STRUCTURE_REPLACEMENT_ROUNDS_H

#include "lib/finding/report.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"
#include "lib/structure/replacement.h"

enum { REPLACEMENT_WARM_ROUNDS = 40 };

#define REPLACEMENT_METHOD "random sequences against simulated policies"

struct replacement_rounds {
    const char *structure; /* for the table: "cache", "dtlb" */
    unsigned level, ways;  /* ways: 2 to REPLACEMENT_WAYS */
    unsigned uses;         /* of a block in a round, at most */
    void *context;
    /* Chooses another set than before, for the next batch of sequences. */
    void (*choose_set)(struct probe *p, void *context);
    /* Sets *cycles to those of a round over `length` blocks of the set. False: the probe has ended. */
    bool (*measure)(struct probe *p, void *context, const uint8_t *blocks, size_t length, double *cycles);
};

/*
 * Measures the cycles of a round over these bytes of the chase's ring, each of which has room for a pointer. False: the
 * probe has ended.
 */
bool replacement_walk(struct probe *p, const struct pointer_chase *c, const size_t *offsets, size_t length,
                      double *cycles);
/*
 * Measures, sends the table `rounds` with all sequences, and reports the finding *f: all policies that fit, or why none
 * does. False: the probe has ended.
 */
bool replacement_rounds_find(struct probe *p, const struct replacement_rounds *r, const struct finding *f);

#endif
