/*
 * What has been published about branch target buffers in rows, as points: jia.je's texts on Neoverse V1 (2025-06-23)
 * and Neoverse N1 (2025-06-05). A text says to which count a step goes and how many cycles it has; that is what stands
 * here, at the step's end, and before it at powers of two. Behind its end stands what it says of the next step.
 */
#ifndef FATHOM_TESTS_MODEL_BTB_PUBLISHED_H
#define FATHOM_TESTS_MODEL_BTB_PUBLISHED_H

#include "lib/fit/btb_fit.h"

/* Powers of two from `from` on up to `to`, and `to` itself. */
struct published_step {
    enum btb_pattern pattern;
    unsigned stride, from, to;
    double cycles, error; /* how far the text, in round numbers, may be off */
};

struct published {
    const char *name;
    double l1i_bytes; /* INFINITY: steps are told as held or not, whatever the L1I adds */
    const struct published_step *steps;
    size_t count;
};

extern const struct published published_v1_nano, published_v1_main, published_v1_decline;
extern const struct published published_n1_small, published_n1_main;

#endif
