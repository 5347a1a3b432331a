/* FNV-1a, 64 bits (Fowler, Noll, Vo): distinguishes machines by their descriptions of themselves. */
#ifndef FATHOM_LIB_BASE_HASH_H
#define FATHOM_LIB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues a hash, begun at HASH_START, with more bytes. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

#endif
