/*
 * Published measurements of branch target buffers by branch sequences, as points: jia.je's articles on Neoverse V1
 * (2025-06-23) and Neoverse N1 (2025-06-05). An article says up to which number of branches a step goes and how many
 * cycles it has. That is entered at the end of the step, and before it at powers of two. Behind the end comes the next
 * step.
 */
#ifndef FATHOM_TESTS_MODEL_BTB_PUBLISHED_H
#define FATHOM_TESTS_MODEL_BTB_PUBLISHED_H

#include "lib/structure/btb_fit.h"

/* Powers of two from `from` on up to `to`, and `to` itself. */
struct published_step {
    enum branch_chain_pattern pattern;
    unsigned stride, from, to;
    double cycles, error; /* error: how far the article, in round numbers, may be off */
};

struct published {
    const char *name;
    double l1i_bytes; /* INFINITY: steps are entered as hit or miss, whatever the L1I adds */
    const struct published_step *steps;
    size_t count;
};

extern const struct published published_v1_nano, published_v1_main, published_v1_decline;
extern const struct published published_n1_small, published_n1_main;

#endif
