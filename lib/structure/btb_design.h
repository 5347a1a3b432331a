/*
 * Design: which branch sequence to measure next, so that the surviving organisations of a fit are distinguished, or the
 * last survivor is put to a test.
 *
 * Method: docs/METHODS.md, 4.7.
 */
#ifndef FATHOM_LIB_STRUCTURE_BTB_DESIGN_H
#define FATHOM_LIB_STRUCTURE_BTB_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/structure/btb_search.h"

enum { BTB_FOOTPRINTS = 4 };

/* What can be measured. */
struct btb_limits {
    unsigned patterns;               /* 1 << enum branch_chain_pattern, or-ed */
    unsigned stride_from, stride_to; /* bytes, powers of two */
    unsigned count_from, count_to;   /* branches */
    unsigned alignment;              /* of an instruction in bytes, a power of two: no index bit is below it */
    /*
     * What other structures hold, in bytes of code: the instruction cache, the reach of the ITLB. Ended by 0; INFINITY
     * alone: it is known that there is no such limit; 0 alone: nothing is known.
     */
    double footprints[BTB_FOOTPRINTS];
};

/* Whether the sequence fills a footprint, so that its cost is not the branch target buffer's alone. */
bool btb_limits_exceeded(const struct btb_limits *limits, const struct btb_sequence *sequence);

enum btb_design {
    BTB_DESIGN_NONE,     /* no sequence was found, or memory is short */
    BTB_DESIGN_SEPARATE, /* survivors disagree most about it */
    BTB_DESIGN_CHALLENGE /* drawn where a survivor predicts a change with length, which may refute it */
};
/*
 * Finds a sequence within the limits that was not measured yet: one that separates survivors, else, if `may_challenge`,
 * a challenge. To be called after a btb_search_run that found survivors, and after btb_search_refresh. `random`: state
 * of lib/base/random.h, advanced.
 */
enum btb_design btb_design_next(const struct btb_search *s, const struct btb_limits *limits, bool may_challenge,
                                uint64_t *random, struct btb_sequence *out);

#endif
