/*
 * Siblings: are two processors threads of one core? What one executes takes longer while the other one is busy only if
 * both use the same front end and the same ports (docs/METHODS.md, 9.3).
 */
#ifndef FATHOM_LIB_STRUCTURE_CORE_SIBLINGS_H
#define FATHOM_LIB_STRUCTURE_CORE_SIBLINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/reason.h"

enum { SIBLING_KERNELS = 2, SIBLING_ROUNDS = 32 };

struct sibling_verdict {
    enum reason reason; /* why nothing is decided; REASON_NONE: it is */
    bool siblings;
    double times[SIBLING_KERNELS]; /* how many times as long each kernel takes: the median */
};

/*
 * Decides from `count` rounds, SIBLING_ROUNDS at most: times[k][i] is how many times as long kernel k took in round i
 * while the other processor was busy. Each kernel has to say the same.
 */
void core_siblings_decide(double times[SIBLING_KERNELS][SIBLING_ROUNDS], size_t count, struct sibling_verdict *out);

#endif
