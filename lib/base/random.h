/* Pseudorandom numbers: the same sequence in every build, so that runs can be repeated. */
#ifndef FATHOM_LIB_BASE_RANDOM_H
#define FATHOM_LIB_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014): small, and the same sequence everywhere. */
uint64_t random_next(uint64_t *state);
/* Uniform in 0 … bound - 1, bound > 0, almost without bias: at most bound / 2^64 (Lemire 2019, multiply-shift). */
uint64_t random_below(uint64_t *state, uint64_t bound);
/* One cycle through all `count` elements: next[i] is visited after i (Sattolo 1986). */
void random_cycle(uint32_t *next, uint32_t count, uint64_t *state);
/* Puts `count` elements of `bytes` bytes each into random order, each order equally likely. */
void random_shuffle(void *elements, size_t count, size_t bytes, uint64_t *state);

#endif
