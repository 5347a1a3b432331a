/* Pairs of neighbours that a modelled core fuses, by their bytes. */
#ifndef FATHOM_TESTS_MODEL_FUSED_H
#define FATHOM_TESTS_MODEL_FUSED_H

#include <stdbool.h>

#include "tests/model/decode.h"

enum { FUSED_PAIRS = 64 };

struct fused_pairs {
    unsigned count;
    struct {
        uint64_t first, second; /* decoded.key of each */
    } of[FUSED_PAIRS];
};

/* Whether the core fuses these neighbours. `first` may be NULL. */
bool fused_has(const struct fused_pairs *f, const struct decoded *first, const struct decoded *second);

#endif
