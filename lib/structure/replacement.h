/*
 * Replacement: which line of a full set is replaced? Sets are simulated with the policies that cores are known to have,
 * to find out which policies explain measured times.
 *
 *   LRU, FIFO         the line that was used, or was brought in, the longest time ago
 *   PLRU              a tree of bits over a power of two of ways, each pointing away from the last access below it
 *   LRU3PLRU4 …       several such trees, each over a few ways; the trees themselves are replaced by LRU (Ice Lake's 12
 *                     ways: 3 trees of 4)
 *   MRU               one bit for each way, cleared by an access; when the last one is cleared, all others are set. The
 *                     first way whose bit is set is replaced ("bit-PLRU"; Abel and Reineke 2020: Nehalem)
 *   NRU               as MRU, but all bits are set only when a line has to be replaced and none is (Jaleel et al. 2010)
 *   QLRU_Hxy_Mm_Rr_Uu ages of two bits, named as in Abel and Reineke 2020 (nanoBench, VI-B2): a hit changes age 3 to x,
 *                     age 2 to y and others to 0; a new line gets age m; the first line of age 3 is replaced (R1: the
 *                     first line of all where there is none). When no line of age 3 is left after an access, ages grow:
 *                     U0, all until one is 3; U1, the same without the line that was accessed; U2, all by 1; U3, by 1
 *                     without that line. UMO: ages grow only before a line is replaced
 *   SRRIP             QLRU_H00_M2_R0_U0_UMO; SRRIP_FP: QLRU_H21_M2_R0_U0_UMO (Jaleel et al. 2010)
 *   RANDOM            any line
 *
 * NRU_SHARED is NRU whose bits are set again in all sets at once, whichever of them has none left (lib/structure/
 * overflow.h): sets do not know each other here, so that it is not on the list.
 *
 * Bimodal insertion, by which a part of the lines stays where more are used in turn than a set has ways:
 *
 *   BIP               as LRU, but a new line is the next to be replaced, except once in 32 times, at random, when it is
 *                     the latest one (Qureshi et al. 2007)
 *   BRRIP             as SRRIP, but a new line gets age 3, except once in 32 times, at random (Jaleel et al. 2010)
 *   QLRU_Hxy_MRna_…   a new line gets age a once in n times, at random, and age 3 else: MR161, age 1 once in 16 times
 *                     (Abel and Reineke 2020: one of both policies of some last levels of Intel's)
 *
 * Sequences that are repeated hardly distinguish these from each other, since chance decides which lines stay: they are
 * not among the policies that measurements are compared with. What distinguishes them from all others is in
 * lib/structure/set_dueling.h.
 *
 * Sets are always full here. Some of the names above then mean the same: R2 is R0; R1 is R0 where a line of age 3
 * always exists; under UMO, U1 is U0 and U3 is U2; and MRU_N is MRU. Each policy is in the list once, under the first
 * of its names. M3 is left out: a new line is replaced next and the others stay for ever, so that repeated sequences
 * show little of it.
 *
 * Method: docs/METHODS.md, 4.11.
 */
#ifndef FATHOM_LIB_STRUCTURE_REPLACEMENT_H
#define FATHOM_LIB_STRUCTURE_REPLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REPLACEMENT_WAYS = 32,
    REPLACEMENT_NAME = 40,
    REPLACEMENT_POLICIES = 160,
    REPLACEMENT_BLOCKS = 80,
    REPLACEMENT_LENGTH = 272,
    REPLACEMENT_TRIALS = 128 /* that policies are compared with, at most */
};

enum replacement_kind {
    REPLACEMENT_LRU,
    REPLACEMENT_FIFO,
    REPLACEMENT_PLRU,
    REPLACEMENT_MRU,
    REPLACEMENT_NRU,
    REPLACEMENT_RANDOM,
    REPLACEMENT_QLRU
};

struct replacement_policy {
    char name[REPLACEMENT_NAME];
    enum replacement_kind kind;
    unsigned trees; /* PLRU: their number */
    uint8_t hit[4]; /* QLRU: the new age of a line of each age after a hit */
    uint8_t insert; /* QLRU: the age of a new line */
    uint8_t update; /* QLRU: 0 to 3 for U0 to U3 */
    uint8_t one_in; /* QLRU, LRU: of so many new lines all but one are the next to be replaced; 0: none is */
    bool first;     /* QLRU: R1 */
    bool miss_only; /* QLRU: UMO */
};

/* A set and its replacement state. */
struct replacement_set {
    const struct replacement_policy *policy;
    unsigned ways;
    uint64_t block[REPLACEMENT_WAYS]; /* LRU, FIFO: the latest first */
    uint8_t age[REPLACEMENT_WAYS];    /* QLRU: age; MRU, NRU: bit; PLRU: the bits of each tree as a heap, from 1 on */
    uint8_t order[REPLACEMENT_WAYS];  /* PLRU: trees, the latest first */
    uint64_t random;
};

/*
 * Stores the policies above that sets of this number of ways can have in out, which has room for REPLACEMENT_POLICIES.
 * Returns their number; 0 where `ways` is not 2 to REPLACEMENT_WAYS.
 */
size_t replacement_policies(unsigned ways, struct replacement_policy *out);
/* Looks up one of these, or one with bimodal insertion, by its name. False: sets of this many ways have none. */
bool replacement_named(unsigned ways, const char *name, struct replacement_policy *out);
/* Starts a set that is full of blocks no sequence contains: their numbers are from 2^63 on. */
void replacement_start(struct replacement_set *s, const struct replacement_policy *policy, unsigned ways,
                       uint64_t random);
/* An access to a block. True: a hit. */
bool replacement_touch(struct replacement_set *s, uint64_t block);
/* Whether an access to the block would have to set all bits of the set again: NRU. */
bool replacement_exhausts(const struct replacement_set *s, uint64_t block);
/* Sets all bits of a set again: NRU. */
void replacement_renew(struct replacement_set *s);

/* A sequence of blocks, below REPLACEMENT_BLOCKS, that is accessed again and again, and what a round of it takes. */
struct replacement_trial {
    const uint8_t *blocks;
    size_t length;
    double cycles; /* of a round, less those of a round of hits; NaN: not measured */
};

/* Misses of a round in the long run: least and most, since it may depend on the state that the set began in. */
struct replacement_misses {
    double least, most;
};
/* Simulates the policy on a set of `ways` and a sequence of `length` blocks that is repeated. */
struct replacement_misses replacement_misses(const struct replacement_policy *policy, unsigned ways,
                                             const uint8_t *blocks, size_t length);
/*
 * Whether a measured number of misses in a round is within the simulated range *m, extended on either side by half a
 * miss (REPLACEMENT_HALF_A_MISS) and by half of the range, since not all states that the set may begin in are
 * simulated.
 */
bool replacement_explains(const struct replacement_misses *m, double misses);

/* The policies that explain all trials except one in ten, which may be disturbed. */
struct replacement_fit {
    size_t survivors[REPLACEMENT_POLICIES]; /* indices of policies */
    size_t count;
    double miss_cycles[REPLACEMENT_POLICIES]; /* of each survivor: cycles of a miss more than of a hit */
    size_t trials;                            /* that were compared: measured, and among the first REPLACEMENT_TRIALS */
    size_t left_out;                          /* trials after those first ones */
};
/*
 * Compares each of `count` policies with the first REPLACEMENT_TRIALS trials and stores those that explain them in
 * *out. A trial is explained if its cycles are those of the simulated misses, where the cycles of one miss are fitted
 * to all trials by least squares, for each policy; one trial in REPLACEMENT_NOISY_ONE_IN need not be, but of the first
 * few half must. No policy survives where fewer than REPLACEMENT_TRIALS_LEAST trials were measured, nothing misses, or
 * `ways` is not 2 to REPLACEMENT_WAYS.
 */
void replacement_fit(const struct replacement_policy *policies, size_t count, unsigned ways,
                     const struct replacement_trial *trials, size_t trial_count, struct replacement_fit *out);

/*
 * Draws a sequence of blocks that distinguishes policies and stores it in out: first `ways` blocks, each once, to
 * remove what was in the set; then other blocks, somewhat more than ways, each at most `uses` times, some of them again
 * soon. Blocks are numbers below replacement_blocks(ways). *random: state of lib/base/random.h, advanced. Returns the
 * length, at most `room`.
 */
size_t replacement_sequence(uint8_t *out, size_t room, unsigned ways, unsigned uses, uint64_t *random);
/* How many different blocks such a sequence may have. */
size_t replacement_blocks(unsigned ways);

#endif
