/* Pseudorandom numbers: the same sequence in every build, so that runs can be repeated. */
#ifndef FATHOM_LIB_BASE_RANDOM_H
#define FATHOM_LIB_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the next 64 random bits and advances *state, which begins as any seed: SplitMix64 (Steele, Lea, Flood 2014).
 */
uint64_t random_next(uint64_t *state);
/*
 * Returns a random number from 0 to bound - 1, where bound > 0, and advances *state. The probabilities of two numbers
 * differ by 2^-64 at most (Lemire 2019, multiply-shift).
 */
uint64_t random_below(uint64_t *state, uint64_t bound);
/*
 * Fills `next` with a random permutation that is a single cycle through all `count` elements: from element i one goes
 * to next[i], and after `count` steps is back (Sattolo 1986). Advances *state.
 */
void random_cycle(uint32_t *next, uint32_t count, uint64_t *state);
/* Puts `count` elements of `bytes` bytes each into random order (Durstenfeld 1964). Advances *state. */
void random_shuffle(void *elements, size_t count, size_t bytes, uint64_t *state);

#endif
