/*
 * Which of the loads and stores that an ISA has (arch/emit_access.h) a probe can run, and which it reports.
 */
#ifndef FATHOM_LIB_KERNELS_ACCESS_H
#define FATHOM_LIB_KERNELS_ACCESS_H

#include "arch/emit_access.h"
#include "arch/emit_block.h"

/* The load and store of one general register of that many bits, which every ISA must have: 8, 16, 32 or 64. */
const struct emit_access *access_general(unsigned bits);
/* Whether the core has vectors of the width that this access needs: of scalable ones exactly that, else at least. */
bool access_can_run(const struct emit_access *a);
/*
 * Emits code that clears `count` vector registers of the width of this access, from number `r` on. The caller must end
 * the vector code that begins here with emit_wide_end. Emits nothing for an access of general registers.
 */
void access_clear(struct code *c, const struct emit_access *a, unsigned r, unsigned count);
/*
 * Whether this is one of the accesses that findings name by the variant `width`: a single general register, vector
 * registers of more than 64 bits together (one, a pair, or a scalable one), and whatever streams, which has findings of
 * its own. A scalable vector may be as wide as others: access_variant distinguishes it.
 */
bool access_represents_width(const struct emit_access *a);
/*
 * Returns the key of the variant that identifies this access in findings besides its width; the next function returns
 * the text of that variant. `vectors` with "sve" for scalable vectors, `registers` with "pair" for two general
 * registers that do not stream. NULL for all others, of which access_variant_text must not be used.
 */
const char *access_variant(const struct emit_access *a);
const char *access_variant_text(const struct emit_access *a);

#endif
