/*
 * Straight code: a loop over lines of code without branches, full of NOPs or of additions. Where NOPs have many
 * lengths, the number of NOPs to a line is a free choice. That distinguishes structures that hold bytes from those that
 * hold operations.
 */
#ifndef FATHOM_LIB_KERNELS_STRAIGHT_H
#define FATHOM_LIB_KERNELS_STRAIGHT_H

#include "lib/probe/probe.h"

enum {
    STRAIGHT_LINE_BYTES = 64, /* the unit here and of every front end in scope; lines of caches may be longer */
    STRAIGHT_ADDITIONS = 16   /* to a line, in straight_build_additions */
};

/* Whether a line can be filled with this many NOPs, evenly spread, with lengths that differ by at most one byte. */
bool straight_fits(unsigned per_line);
/* How many NOPs begin in the first `bytes` bytes of a line of per_line NOPs that are evenly spread (straight_fits). */
unsigned straight_begin(unsigned per_line, unsigned bytes);
/*
 * Makes the kernel of a loop over `lines` lines of code, at least two, with per_line NOPs each (straight_fits); the
 * last line has fewer NOPs and the end of the loop. Its unit is a NOP. False: the probe has ended (probe_kernel).
 */
bool straight_build(struct probe *p, size_t lines, unsigned per_line, struct kernel *k);
/*
 * Makes the kernel of a loop over `lines` lines of code, at least two, full of additions of four bytes, alternately to
 * general and to vector registers: no core is known to merge these into fewer operations. Its unit is an addition.
 * False: the probe has ended.
 */
bool straight_build_additions(struct probe *p, size_t lines, struct kernel *k);

#endif
