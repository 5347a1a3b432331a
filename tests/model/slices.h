/*
 * Slices of a modelled cache: in which one a line lies, by its physical address, and how much farther each of them is
 * from each core than the nearest could be. They share sets and ways, as if they were one cache.
 */
#ifndef FATHOM_TESTS_MODEL_SLICES_H
#define FATHOM_TESTS_MODEL_SLICES_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_SLICES = 64, SLICE_CORES = 8, SLICE_PERIOD_BITS = 8 };

/* In McCalpin's form (TR-2021-03), which linear functions have, too. */
struct slice_design {
    unsigned slices, period_bits;
    uint64_t moves[SLICE_PERIOD_BITS]; /* masks of line numbers, each for a bit of the place in the period */
    uint8_t base[1 << SLICE_PERIOD_BITS];
    double farther[SLICE_CORES][MODEL_SLICES]; /* cycles of a hit */
};

unsigned slice_of_line(const struct slice_design *d, uint64_t line);
/* Cycles that a hit at this address takes longer; 0 for NULL. */
double slice_farther(const struct slice_design *d, unsigned core, uint64_t address);

#endif
