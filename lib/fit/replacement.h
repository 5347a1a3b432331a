/*
 * Replacement: which line of a full set has to go? Simulated sets with the policies that cores are known to have, and
 * which of them explain what was measured.
 *
 *   LRU, FIFO         the line that was used, or came, the longest time ago
 *   PLRU              a tree of bits over a power of two of ways, each pointing away from the last access below it
 *   LRU3PLRU4 …       such trees of a few ways each, the trees themselves by LRU (Ice Lake's 12 ways: 3 of 4)
 *   MRU               a bit for each way, cleared by an access; when the last one is cleared, all others are set. The
 *                     first that is set goes ("bit-PLRU"; Abel and Reineke 2020: Nehalem)
 *   NRU               the same, but all are set when a line has to go and none is (Jaleel et al. 2010)
 *   QLRU_Hxy_Mm_Rr_Uu ages of two bits, named as Abel and Reineke 2020 do (nanoBench, VI-B2): a hit makes of age 3 age x,
 *                     of 2 y, of others 0; a new line has age m; the first of age 3 goes (R1: the first of all, where
 *                     there is none). When none of age 3 is left after an access, all grow: U0 until one is 3, U1 so,
 *                     but for the line at hand; U2 by 1, U3 so but for the line at hand. UMO: only before a line goes
 *   SRRIP             QLRU_H00_M2_R0_U0_UMO; SRRIP_FP: QLRU_H21_M2_R0_U0_UMO (Jaleel et al. 2010)
 *   RANDOM            any
 *
 * Sets are always full here. Then R2 is R0; R1 is R0 where one of age 3 is always there; under UMO, U1 is U0 and U3 is
 * U2; and MRU_N is MRU: each is here once, under the first of these names. M3 is not here: what comes goes next, and what
 * else the set holds stays for ever, so that sequences which are walked again and again say little of it.
 */
#ifndef FATHOM_LIB_FIT_REPLACEMENT_H
#define FATHOM_LIB_FIT_REPLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REPLACEMENT_WAYS = 32,
    REPLACEMENT_NAME = 40,
    REPLACEMENT_POLICIES = 160,
    REPLACEMENT_BLOCKS = 80,
    REPLACEMENT_LENGTH = 272
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
    unsigned trees;        /* PLRU: how many */
    uint8_t hit[4];        /* QLRU: what a hit makes of each age, … */
    uint8_t insert;        /* … the age of a new line, … */
    uint8_t update;        /* … U0 … U3, … */
    bool first, miss_only; /* … R1, and UMO */
};

/* A set, and what it knows of its lines. */
struct replacement_set {
    const struct replacement_policy *policy;
    unsigned ways;
    uint64_t block[REPLACEMENT_WAYS]; /* LRU, FIFO: the latest first */
    uint8_t age[REPLACEMENT_WAYS];    /* QLRU; MRU, NRU: the bit; PLRU: of each tree a heap of bits, from 1 on */
    uint8_t order[REPLACEMENT_WAYS];  /* trees, the latest first */
    uint64_t random;
};

/* All policies that sets of so many ways can have; returns how many, REPLACEMENT_POLICIES at most. */
size_t replacement_policies(unsigned ways, struct replacement_policy *out);
/* A set of lines that nobody asks for: their numbers are above all others. */
void replacement_start(struct replacement_set *s, const struct replacement_policy *policy, unsigned ways,
                       uint64_t random);
/* An access; true where the block was there. */
bool replacement_touch(struct replacement_set *s, uint64_t block);

/*
 * A sequence of blocks, below REPLACEMENT_BLOCKS, that is walked again and again, and what a round of it was measured
 * to take.
 */
struct replacement_trial {
    const uint8_t *blocks;
    size_t length;
    double cycles; /* of a round, less what it takes when all are hits; NaN: not measured */
};

/* Misses of a round once it has been walked for long: least and most, since it may depend on what was there before. */
struct replacement_misses {
    double least, most;
};
struct replacement_misses replacement_misses(const struct replacement_policy *policy, unsigned ways,
                                             const uint8_t *blocks, size_t length);
/* To half a miss; and half as far again as least and most are apart, which some states that a set began in show. */
bool replacement_explains(const struct replacement_misses *m, double misses);

/* The policies that explain all trials but one in ten, which may be noise. */
struct replacement_fit {
    size_t survivors[REPLACEMENT_POLICIES]; /* indices of policies */
    size_t count;
    double miss_cycles[REPLACEMENT_POLICIES]; /* of each survivor: what a miss takes more than a hit */
    size_t trials;                            /* that were measured */
};
/*
 * A trial is explained where it takes as long as so many misses do, to half a miss; how long a miss takes follows from
 * all trials together (least squares). No policy explains trials in which nothing misses, or too few: none is told.
 */
void replacement_fit(const struct replacement_policy *policies, size_t count, unsigned ways,
                     const struct replacement_trial *trials, size_t trial_count, struct replacement_fit *out);

/*
 * A random sequence that tells policies apart: first as many blocks as ways that are asked for once, so that little is
 * left of what was before, then others, a little more than ways, some of them again soon; none more than `uses` times.
 * Returns its length, at most `room`; blocks are below replacement_blocks.
 */
size_t replacement_sequence(uint8_t *out, size_t room, unsigned ways, unsigned uses, uint64_t *random);
size_t replacement_blocks(unsigned ways);

#endif
