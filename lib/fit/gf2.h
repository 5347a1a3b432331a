/*
 * Linear hashes of addresses: which address bits does a structure XOR together to choose a set, a slice or a way?
 *
 * Such a hash is a handful of masks; each gives the parity of the address bits in it. Two addresses collide when all
 * parities are alike, and that depends on their difference alone: it must have even parity with every mask. An
 * experiment that tells whether two addresses collide is enough to find the masks, up to how they are combined:
 * masks that are XORs of others say nothing new, so those with the fewest bits are told.
 *
 * Bits are taken one after the other. One that collides, together with some of the independent bits before it, depends
 * on those; one that collides alone takes no part; any other is independent. Combinations are tried from the smallest
 * on, since hashes fold addresses: a bit mostly stands beside one or two others. What is dependent costs a few
 * questions, each independent bit as many as there are combinations of those before it: 2^masks in all.
 *
 * Experiments err. A question is asked until one answer leads by so much that Wald's sequential test (1945) lets no
 * more than one in 100,000 results be wrong, if no more answers are wrong than was said.
 *
 * What comes out is tested with differences drawn at random, at addresses drawn at random: half of them are such that
 * they collide if the masks are right. A hash that is not linear, or two that are mixed, fails there.
 *
 * Method: XOR masks as the kernel of collisions, as in Lipp et al. 2020, Take A Way, and Maurice et al. 2015; tests
 * from collisions alone and the order of combinations are ours.
 */
#ifndef FATHOM_LIB_FIT_GF2_H
#define FATHOM_LIB_FIT_GF2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GF2_BITS = 64, GF2_MASKS = 16 };

struct gf2_question {
    uint64_t bits;   /* that may take part, and can be chosen */
    unsigned most;   /* masks that are looked for, at most GF2_MASKS */
    unsigned checks; /* differences that the result is tested with */
    double error;    /* part of the answers that may be wrong, below one half */
    /* Do `base` and `base ^ difference` collide? Both have only bits of `bits`. False: the probe is over. */
    bool (*collide)(void *context, uint64_t base, uint64_t difference, bool *answer);
    void *context;
    uint64_t *random;
};

struct gf2_answer {
    /*
     * NULL: these are the masks. "no-collision": no two addresses collide, so that there is nothing to go by;
     * "too-many" masks; "not-linear"; "noise": more answers are wrong than was said.
     */
    const char *reason;
    size_t count;
    uint64_t masks[GF2_MASKS]; /* those with the fewest bits, by their lowest bit */
    uint64_t independent, dependent, null;
    unsigned calls;           /* single answers */
    unsigned checked, missed; /* differences, and how many did not do what the masks say */
};

/* False where an answer could not be had: the probe is over. */
bool gf2_find(const struct gf2_question *q, struct gf2_answer *out);
/*
 * Only the test, of masks that are known, by an experiment that may be another one: `checks` differences more. Sets
 * the reason when they are not what it sees.
 */
bool gf2_check(const struct gf2_question *q, struct gf2_answer *out);
/* "12^27 13^26", cut where it is too long. */
void gf2_text(const struct gf2_answer *a, char *out, size_t room);

#endif
