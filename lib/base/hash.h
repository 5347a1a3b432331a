/* FNV-1a, 64 bits (Fowler, Noll, Vo): distinguishes machines by their descriptions of themselves. */
#ifndef FATHOM_LIB_BASE_HASH_H
#define FATHOM_LIB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes, with which a hash begins. */
#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Returns `hash`, the hash of the bytes before (at first HASH_START), continued with `count` more bytes. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

#endif
