/*
 * Which of the loads and stores that an ISA has (arch/emit_access.h) a probe can run, and which it reports.
 */
#ifndef FATHOM_LIB_KERNELS_ACCESS_H
#define FATHOM_LIB_KERNELS_ACCESS_H

#include "arch/emit_access.h"

/* The load and store of one general register of that many bits, which every ISA must have: 8, 16, 32 or 64. */
const struct emit_access *access_general(unsigned bits);
/* Whether the core has vectors of the width that this access needs. */
bool access_can_run(const struct emit_access *a);
/*
 * Emits code that clears `count` vector registers from register `r` on, as this access names them. It begins vector
 * code, which the caller ends with emit_wide_end. Emits nothing for general registers.
 */
void access_clear(struct code *c, const struct emit_access *a, unsigned r, unsigned count);
/*
 * Whether findings report this access by its width alone. Several accesses may move the same number of bits (general or
 * vector registers, one register or two). Only one of them is reported by its width alone: the single general register
 * up to 64 bits, the vectors above. Streaming stores are always reported by their width, as only they are compared with
 * each other.
 */
bool access_represents_width(const struct emit_access *a);
/*
 * Key and text of the variant that distinguishes, in findings, an access from the one that represents its width:
 * `vectors` = "sve" for scalable vectors, `registers` = "pair" for two general registers that do not stream. The key is
 * NULL for all others, and the text has no meaning then.
 */
const char *access_variant(const struct emit_access *a);
const char *access_variant_text(const struct emit_access *a);

#endif
