#include "lib/base/random.h"

#include <string.h>

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014, figure 17. */
uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Lemire: Fast random integer generation in an interval, ACM TOMACS 29(1), 2019, without the rejection. */
uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)random_next(state) * bound) >> 64);
}

/* Sattolo: An algorithm to generate a random cyclic permutation, Inf. Process. Lett. 22(6), 1986. */
void random_cycle(uint32_t *next, uint32_t count, uint64_t *state)
{
    for (uint32_t i = 0; i < count; i++)
        next[i] = i;
    /* Exchanging each element with one below, never with itself, leaves one single cycle. */
    for (uint32_t i = count; i-- > 1;) {
        uint32_t j = (uint32_t)random_below(state, i);
        uint32_t swapped = next[i];

        next[i] = next[j];
        next[j] = swapped;
    }
}

/* Exchanges two elements, word by word, since shuffles are long and elements are small; what is left byte by byte. */
static void exchange(uint8_t *one, uint8_t *other, size_t bytes)
{
    uint32_t a, b;
    size_t k = 0;

    for (; k + sizeof a <= bytes; k += sizeof a) {
        memcpy(&a, one + k, sizeof a);
        memcpy(&b, other + k, sizeof b);
        memcpy(one + k, &b, sizeof b);
        memcpy(other + k, &a, sizeof a);
    }
    for (; k < bytes; k++) {
        const uint8_t kept = one[k];

        one[k] = other[k];
        other[k] = kept;
    }
}

/* Fisher and Yates, in the form of Durstenfeld: Algorithm 235, Communications of the ACM 7(7), 1964. */
void random_shuffle(void *elements, size_t count, size_t bytes, uint64_t *state)
{
    uint8_t *const all = elements;

    for (size_t i = count; i-- > 1;)
        exchange(all + i * bytes, all + random_below(state, i + 1) * bytes, bytes);
}
