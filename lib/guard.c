#include "lib/guard.h"

/*
 * The finalizer of SplitMix64 (Steele et al. 2014), and of it the highest byte. Multiplying alone would not do: it repeats
 * itself, nearly, at distances that are Fibonacci numbers (TAOCP vol. 3, 6.4).
 */
static uint8_t pattern(const uint8_t *at)
{
    uint64_t x = (uintptr_t)at;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint8_t)((x ^ (x >> 31)) >> 56);
}

void guard_set(uint8_t *guard, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        guard[i] = pattern(guard + i);
}

const uint8_t *guard_broken(const uint8_t *guard, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (guard[i] != pattern(guard + i))
            return guard + i;
    return NULL;
}
