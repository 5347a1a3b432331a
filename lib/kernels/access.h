/*
 * Which of the loads and stores that an ISA has (arch/emit_access.h) a probe tries, and which it tells of.
 */
#ifndef FATHOM_LIB_KERNELS_ACCESS_H
#define FATHOM_LIB_KERNELS_ACCESS_H

#include "arch/emit_access.h"

/* The core has vectors so wide. */
bool access_can_run(const struct emit_access *a);
/* Clears the registers from r on that such accesses move, in vector code that emit_wide_end ends; general ones are left. */
void access_clear(struct code *c, const struct emit_access *a, unsigned r, unsigned count);
/*
 * It stands for its width in findings: where general and vector registers, or one register and two, move as many bits,
 * general ones do up to 64, and vectors above. Those that stream are among themselves, and so are scalable ones.
 */
bool access_stands_for_width(const struct emit_access *a);
/*
 * What tells it from the one that stands for its width: `vectors`, "sve", of scalable ones, and `registers`, "pair", of two
 * general ones that do not stream, key and text. The key is NULL of all others.
 */
const char *access_variant(const struct emit_access *a);
const char *access_variant_text(const struct emit_access *a);

#endif
