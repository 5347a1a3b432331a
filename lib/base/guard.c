#include "lib/base/guard.h"

#include <string.h>

enum { WORD_BYTES = 8 };

/*
 * Pattern of the eight bytes at address 8 * number: the finalizer of SplitMix64 (Steele et al. 2014). A
 * multiplication alone nearly repeats itself at distances that are Fibonacci numbers (TAOCP vol. 3, 6.4).
 */
static uint64_t pattern(uint64_t number)
{
    number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
    return number ^ (number >> 31);
}

/* Pattern of the bytes from `at` up to the next multiple of eight. Returns their number, at most `bytes`. */
static size_t piece(const uint8_t *at, size_t bytes, uint8_t out[WORD_BYTES])
{
    const size_t skip = (uintptr_t)at % WORD_BYTES, left = WORD_BYTES - skip;
    const uint64_t word = pattern((uintptr_t)at / WORD_BYTES) >> (skip * 8);

    memcpy(out, &word, WORD_BYTES);
    return left < bytes ? left : bytes;
}

void guard_set(uint8_t *guard, size_t bytes)
{
    uint8_t right[WORD_BYTES];

    for (size_t i = 0, n; i < bytes; i += n) {
        n = piece(guard + i, bytes - i, right);
        memcpy(guard + i, right, n);
    }
}

const uint8_t *guard_broken(const uint8_t *guard, size_t bytes)
{
    uint8_t right[WORD_BYTES];

    for (size_t i = 0, n; i < bytes; i += n) {
        n = piece(guard + i, bytes - i, right);
        for (size_t k = 0; memcmp(guard + i, right, n) != 0 && k < n; k++)
            if (guard[i + k] != right[k])
                return guard + i + k;
    }
    return NULL;
}
