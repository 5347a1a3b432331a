/*
 * What CLIDR_EL1 and CCSIDR_EL1 say of the caches, from any source of their values, so that tests can hand in those of
 * other cores.
 */
#ifndef FATHOM_ARCH_AARCH64_CACHES_H
#define FATHOM_ARCH_AARCH64_CACHES_H

#include "arch/identify.h"

/* Returns CCSIDR_EL1 after setting CSSELR_EL1 to `selector`. */
typedef uint64_t ccsidr_source(uint64_t selector);

/*
 * Writes the caches that `clidr`, a CLIDR_EL1, lists to `out`, with what `ask` returns for each. `wide`:
 * ID_AA64MMFR2_EL1.CCIDX says that CCSIDR_EL1 has its 64-bit format. Returns how many, at most `room`.
 */
size_t caches_from(uint64_t clidr, bool wide, ccsidr_source *ask, struct identity_cache *out, size_t room);
/*
 * Writes to `out` two caches of level 1 without a size, of data and of instructions, with the line sizes in `ctr`, a
 * CTR_EL0, which holds the smallest of all levels. Returns how many, at most `room`.
 */
size_t lines_from(uint64_t ctr, struct identity_cache *out, size_t room);

#endif
