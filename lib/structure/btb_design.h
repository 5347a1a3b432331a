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

/* What sequences can be measured, and what else in the core is filled by them. */
struct btb_limits {
    unsigned patterns;               /* 1 << enum branch_chain_pattern, or-ed */
    unsigned stride_from, stride_to; /* bytes, powers of two */
    unsigned count_from, count_to;   /* branches */
    /* last_at of the sequences with this pattern and stride; NULL: 0 */
    int (*last_at)(enum branch_chain_pattern pattern, unsigned stride);
    unsigned alignment; /* of an instruction in bytes, a power of two: no index bit is below it */
    /*
     * Bytes of code that other structures hold, for example the instruction cache or, as its entries times the page
     * size, the ITLB. Ended by 0. INFINITY alone: it is known that there is no such limit. 0 alone: none is known.
     */
    double footprints[BTB_FOOTPRINTS];
};

/* That sequence, with the last_at that the limits give it. */
struct btb_sequence btb_limits_sequence(const struct btb_limits *limits, enum branch_chain_pattern pattern,
                                        unsigned stride, unsigned count);
/*
 * Whether the sequence fills one of limits->footprints to more than the part BTB_FOOTPRINT_FULL, so that its cost is
 * not the branch target buffer's alone.
 */
bool btb_limits_exceeded(const struct btb_limits *limits, const struct btb_sequence *sequence);

enum btb_design {
    BTB_DESIGN_NONE,     /* no sequence was found, or memory is short */
    BTB_DESIGN_SEPARATE, /* survivors disagree most about it */
    BTB_DESIGN_CHALLENGE /* where a survivor's level ends farthest from what was measured, which may refute it */
};
/*
 * Finds the sequence to measure next, within the limits and not measured yet: the one about whose cost the surviving
 * organisations disagree most (four counts an octave are tried at each stride, and up to 32 survivors of a level, drawn
 * at random); else, if `may_challenge`, one at the end of a level of a survivor, at the stride where that end lies
 * farthest from the sequences that were measured. Stores it in *out and returns which it is; leaves *out as it is for
 * BTB_DESIGN_NONE. To be called after a btb_search_run that found survivors, or after btb_search_refresh. *random:
 * state of lib/base/random.h, advanced.
 */
enum btb_design btb_design_next(const struct btb_search *s, const struct btb_limits *limits, bool may_challenge,
                                uint64_t *random, struct btb_sequence *out);

#endif
