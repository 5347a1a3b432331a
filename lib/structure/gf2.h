/*
 * Linear hashes of addresses: which address bits does a structure XOR together to choose a set, a slice or a way?
 *
 * Such a hash is a set of masks; each mask gives the parity of the address bits in it. Two addresses collide if all
 * their parities are equal. That depends on their difference (XOR) alone, which must have even parity with every mask.
 * An experiment that shows whether two addresses collide is enough to find the masks. Masks that are XORs of others
 * describe the same hash, so those with the fewest bits are reported.
 *
 * Address bits are taken one after the other. A bit that collides together with some of the independent bits before it
 * depends on those; one that collides alone is in no mask; any other bit is independent. Combinations are tried in the
 * order of their size, because hashes fold addresses: a bit is mostly XORed with one or two others. A dependent bit
 * costs a few questions, an independent one as many as there are combinations of the bits before it: 2^masks in all.
 *
 * Experiments err. A question is repeated until one result leads by so much that, by Wald's sequential test (1945), the
 * masks are wrong in no more than two of 100,000 searches (twice GF2_WRONG_RESULTS), provided that the rate of errors
 * is not above the one given.
 *
 * The masks are then verified with differences and addresses drawn at random; half of the differences collide if the
 * masks are right. A hash that is not linear, or a mixture of two, fails there.
 *
 * Method: docs/METHODS.md, 4.8. Sources: XOR masks as the kernel of collisions as in Lipp et al. 2020, Take A Way, and
 * Maurice et al. 2015; the tests by collisions alone and the order of combinations are ours.
 */
#ifndef FATHOM_LIB_STRUCTURE_GF2_H
#define FATHOM_LIB_STRUCTURE_GF2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/reason.h"

enum { GF2_BITS = 64, GF2_MASKS = 16, GF2_TOGETHER = 3 };

struct gf2_request {
    uint64_t bits;   /* address bits that may be in masks and can be chosen freely */
    unsigned most;   /* masks that are searched for, at most GF2_MASKS */
    unsigned checks; /* differences that the masks are verified with */
    double error;    /* rate of wrong results of the experiment, at most; below one half */
    /*
     * The experiment: do `base` and `base ^ difference` collide? Both contain only bits of `bits`. False: nothing can
     * be measured any more, the probe is over.
     */
    bool (*collide)(void *context, uint64_t base, uint64_t difference, bool *result);
    void *context;
    uint64_t *random; /* state of lib/base/random.h, advanced */
};

struct gf2_result {
    /*
     * REASON_NONE: these are the masks. NO_COLLISION: no two addresses were found to collide; TOO_MANY_MASKS: more than
     * `most`; NOT_LINEAR: the verification failed; NOISE: more results are wrong than `error`.
     */
    enum reason reason;
    size_t count;
    uint64_t masks[GF2_MASKS]; /* those with the fewest bits, in the order of their lowest bits */
    /* Address bits by what they were found to be: independent, combined with independent ones, or in no mask (null). */
    uint64_t independent, dependent, null;
    unsigned calls;           /* of the experiment */
    unsigned checked, missed; /* differences; those of them whose result contradicts the masks */
};

/*
 * Finds the masks and verifies them; out->reason says why they are not known or failed. False where the experiment
 * ended the probe.
 */
bool gf2_find(const struct gf2_request *q, struct gf2_result *out);
/*
 * Verifies the masks in *out only, with q->checks more differences and an experiment that may be another one. Adds to
 * calls, checked and missed; sets the reason where they fail or a question stays open. False where the experiment ended
 * the probe.
 */
bool gf2_check(const struct gf2_request *q, struct gf2_result *out);
/*
 * Whether, of all differences of one or two bits, any does not collide at two bases in a row. False where the experiment
 * ended the probe.
 */
bool gf2_few_apart(const struct gf2_request *q, bool *apart);
/*
 * Finds which further bits belong to known masks: *out is the result of a search over q->bits, whose bits are
 * independent, dependent or null. Each bit of `further`, from the lowest on, is tried by itself and together with one to
 * GF2_TOGETHER independent bits, and the masks that it collides with get it. It ends before a bit that collides with
 * none of these, which belongs to a mask of its own or to more masks, or where there is too much noise (out->reason).
 * *reached becomes the bits before that. False where the experiment ended the probe.
 */
bool gf2_extend(const struct gf2_request *q, uint64_t further, struct gf2_result *out, uint64_t *reached);
/*
 * Writes the differences that gf2_extend may ask for to `list`, of which no more than `room`, and returns how many there
 * are.
 */
size_t gf2_extend_differences(const struct gf2_result *known, uint64_t further, uint64_t *list, size_t room);
/*
 * Replaces a->masks by combinations of them that describe the same hash with the fewest bits, in the order of their
 * lowest bits.
 */
void gf2_shorten(struct gf2_result *a);
/* Masks as text: "12^27 13^26", cut to `room`. */
void gf2_text(const struct gf2_result *a, char *out, size_t room);

#endif
