/* Measurements that paths of forwarding are judged by (lib/structure/forwarding_paths.h). */
#ifndef FATHOM_LIB_STRUCTURE_FORWARDING_REFERENCE_H
#define FATHOM_LIB_STRUCTURE_FORWARDING_REFERENCE_H

#include "lib/kernels/store_load.h"
#include "lib/probe/probe.h"
#include "lib/structure/forwarding_paths.h"

/* Bytes from a store to a load that is to read nothing that it wrote, nor from its line. */
enum { SEPARATE_BYTES = 128 };
/*
 * Sets w->extra and w->load for the chain of `s`, by the arithmetic alone and by a chain of loads of bytes that none of
 * its stores wrote. NaN where no reading was accepted; but for a chain through data, `extra` is not measured: it is 1
 * with s->changing, else 0. Uses 2 * SEPARATE_BYTES bytes from `data` on. False when the probe is over.
 */
bool forwarding_references(struct probe *p, const struct store_load *s, uint64_t data, struct forwarding_paths *w);
/*
 * Sets *load to the widest load of a general register that does get its value from memory or a store buffer, and not in
 * a register (memory renaming), when it follows a store of 64 bits at the same address; to the narrowest load where
 * none does; to NULL where a measurement had no accepted reading, except in a smoke run. False when the probe is over.
 */
bool forwarding_not_renamed(struct probe *p, uint64_t data, const struct emit_access **load);

#endif
