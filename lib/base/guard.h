/*
 * Guards: the memory before and after each area that is measured holds a pattern, so that a write outside of the area
 * shows.
 */
#ifndef FATHOM_LIB_BASE_GUARD_H
#define FATHOM_LIB_BASE_GUARD_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a guard: the smallest page of both instruction sets, so that areas stay aligned. */
enum { GUARD_BYTES = 4096 };

/* Writes the pattern to the `bytes` bytes at `guard`. Each byte depends only on its address, so guards may overlap. */
void guard_set(uint8_t *guard, size_t bytes);
/*
 * The first of the `bytes` bytes at `guard` that no longer has the pattern; NULL: all have it. A stray byte equals the
 * pattern in one case of 256, and then it is not seen.
 */
const uint8_t *guard_broken(const uint8_t *guard, size_t bytes);

#endif
