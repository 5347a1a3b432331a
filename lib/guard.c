#include "lib/guard.h"

/* Multiplicative hashing: the golden ratio of 2^64, and of the product the highest byte (TAOCP vol. 3, 6.4). */
static uint8_t pattern(const uint8_t *at)
{
    return (uint8_t)((uint64_t)(uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15) >> 56);
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
