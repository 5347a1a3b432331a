/*
 * The footprint of a taken branch in the history of a branch predictor: which bits of its address B and of its target T
 * enter the history, which of them are XORed, how far the history is shifted for each branch, and how long it is.
 *
 * The model (Yavarzadeh et al. 2023; jia.je 2024): every branch that enters shifts the history by s bits and XORs its
 * footprint into it; each bit of the footprint is an XOR of bits of B and T. So two paths whose branches differ in
 * chosen bits leave equal histories if, and only if, these differences cancel. An experiment that shows whether two
 * paths can be distinguished is enough:
 *
 *     one bit inverted              it enters, if the paths can be distinguished
 *     two bits of one branch        they cancel if they enter the same bit of the footprint: a group
 *     a bit in each of two branches that follow each other: they cancel if the second bit's place is s bits above the
 *                                   first one's, so that groups form chains, one for each bit of the shift
 *     branches after it             the last number of them at which the first group of a chain still shows is the
 *                                   length of the chain
 *
 * What this cannot show: which of the chains of equal length holds which of the s bits that are shifted in together,
 * since no experiment distinguishes them. They are numbered in the order in which bits of their first groups are tried:
 * from the lowest on, of sources before targets.
 *
 * Experiments err in one direction: paths are rarely distinguished by chance, but a predictor may miss a difference. So
 * negative results are repeated, and one positive result counts; but whether a bit enters the history, and where that
 * ends, is decided by several.
 *
 * Method: docs/METHODS.md, 5.13.
 */
#ifndef FATHOM_LIB_STRUCTURE_FOOTPRINT_H
#define FATHOM_LIB_STRUCTURE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/reason.h"
#include "lib/kernels/footprint_trial.h"

enum { FOOTPRINT_GROUPS = 64, FOOTPRINT_ADDRESS_BITS = 64, FOOTPRINT_TEXT = 160 };

struct footprint_request {
    uint64_t sources, targets; /* bits that can be inverted */
    /*
     * From this bit on, inverting a bit of a branch's target also inverts that bit of the address of a later branch
     * that enters the history, unless the trial asks for a carry. 64: it never does.
     */
    unsigned joint;
    unsigned added;         /* branches of every trial that enter after those that differ, besides t->behind */
    unsigned limit;         /* of t->behind */
    unsigned least_between; /* of t->between, unless that is 0 */
    unsigned checks;        /* random trials that the result is verified with */
    uint64_t *random;
    /* Whether paths can be distinguished; `attempt` says which layout to use. False: the probe is over. */
    bool (*distinguish)(void *context, const struct footprint_trial *t, unsigned attempt, bool *apart);
    void *context;
};

struct footprint_group {
    struct footprint_bits bits; /* that are XORed in one bit of the footprint */
    size_t chain, place;        /* place 0: shifted in first; place + 1: one branch older */
};

struct footprint {
    /*
     * REASON_NONE: the result was verified, if checks were asked for. NOISE: equal paths are distinguished;
     * NO_ADDRESS_BIT: no bit enters; EXPERIMENTS_DISAGREE: cancellations contradict each other; NOT_LINEAR: the
     * verification failed; NOT_LEFT: the history does not end before the limit; TOO_MANY_MASKS: more groups than
     * FOOTPRINT_GROUPS.
     */
    enum reason reason;
    struct footprint_group groups[FOOTPRINT_GROUPS];
    size_t group_count, chain_count;
    unsigned branches[FOOTPRINT_GROUPS]; /* of each chain: the length of the history in branches */
    struct footprint_bits open;          /* bits that were seen in some layouts only, or not apart from others */
    unsigned calls, checked, missed;
};

/* A register: chains whose lengths differ from that of the first of them by at most one branch. */
struct footprint_register {
    size_t chains[FOOTPRINT_GROUPS], count; /* one for each bit of the shift */
    const char *name;                       /* "path", "target", "source" */
};

/*
 * Finds the footprint by the trials of q->distinguish and stores it in *out, or the reason why it is not known;
 * verifies it unless q->checks is 0. False: the probe is over.
 */
bool footprint_find(const struct footprint_request *q, struct footprint *out);
/*
 * Verifies a footprint by q->checks random trials: adds to `checked` and `missed`, and sets the reason NOT_LINEAR if
 * more than the part FOOTPRINT_MISSED of all trials contradict it. False: the probe is over.
 */
bool footprint_verify(const struct footprint_request *q, struct footprint *f);
/* Whether, by this footprint, the two paths of the trial leave different histories. */
bool footprint_differs(const struct footprint *f, const struct footprint_request *q, const struct footprint_trial *t);
/* Stores in r[] the registers that the chains make up, each of chains of about equal length; returns how many. */
size_t footprint_registers(const struct footprint *f, struct footprint_register r[FOOTPRINT_GROUPS]);
/* Writes the bits as a function, such as "B[6] ^ B[12] ^ T[11]": B are bits of the address, T of the target. */
void footprint_text(const struct footprint_bits *b, char out[FOOTPRINT_TEXT]);
/* Writes the bits as a list, such as "B[6] B[12] T[11]": B are bits of the address, T of the target. */
void footprint_list(const struct footprint_bits *b, char out[FOOTPRINT_TEXT]);

#endif
