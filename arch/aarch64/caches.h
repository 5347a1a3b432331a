/* What CLIDR_EL1 and CCSIDR_EL1 say, from any source of their values, so that tests can hand in those of other cores. */
#ifndef FATHOM_ARCH_AARCH64_CACHES_H
#define FATHOM_ARCH_AARCH64_CACHES_H

#include "arch/identify.h"

/* CCSIDR_EL1 after CSSELR_EL1 was set to `selector`. */
typedef uint64_t ccsidr_source(uint64_t selector);

/* `wide`: ID_AA64MMFR2_EL1.CCIDX says that CCSIDR_EL1 has its 64-bit format. Returns how many; at most room. */
size_t caches_from(uint64_t clidr, bool wide, ccsidr_source *ask, struct identity_cache *out, size_t room);
/* The smallest lines of any level, which are those of the first, from CTR_EL0: two entries without size. */
size_t lines_from(uint64_t ctr, struct identity_cache *out, size_t room);

#endif
