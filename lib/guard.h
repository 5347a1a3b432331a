/*
 * Guards: what lies around measuring memory holds a pattern, so that a write beside it shows.
 */
#ifndef FATHOM_LIB_GUARD_H
#define FATHOM_LIB_GUARD_H

#include <stddef.h>
#include <stdint.h>

/* Before and behind each area; as much as the smallest page of both instruction sets, so that areas stay aligned. */
enum { GUARD_BYTES = 4096 };

/* Fills it. Each byte depends on its address alone: guards may overlap. */
void guard_set(uint8_t *guard, size_t bytes);
/* The first byte that is not as it was filled; NULL: it is intact. One stray byte in 256 looks like the pattern. */
const uint8_t *guard_broken(const uint8_t *guard, size_t bytes);

#endif
