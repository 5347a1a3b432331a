/*
 * Slices: by which parities of address bits the part of a cache is chosen that a line lies in.
 *
 * Whatever differs from slice to slice, as the time of a hit does, is a function of the line's number. Published
 * functions, linear or not, are functions of a few parities of address bits alone. So there are differences by which
 * all lines can be moved (XOR) without a change, and these are the vectors that have even parity with all of the masks:
 * the masks follow from them by linear algebra. The difference of each pair of lines, averaged over all pairs that are
 * equally far apart, comes for all distances together from Walsh-Hadamard transforms.
 *
 * Each line is measured twice. What is averaged is the difference of a pair in the first measurement times that in the
 * second, which is zero on average for pairs that do not differ, however noisy the measurements are.
 *
 * Where lines are numbered from an aligned start, the same is McCalpin's form (TR-2021-03): a base sequence of a period
 * of lines, which each further block of lines repeats with its places moved by an XOR. The bits of that are the
 * parities of the masks above the period. In a linear function each combination of parities is a slice of its own.
 *
 * Method: docs/METHODS.md, 9.6. Autocorrelation over XOR instead of comparing blocks is ours.
 */
#ifndef FATHOM_LIB_STRUCTURE_SLICES_H
#define FATHOM_LIB_STRUCTURE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/reason.h"

enum { SLICE_LINE_BITS = 16 /* at most */, SLICE_LINEAR_MASKS = 6 /* more than 64 slices have not been published */ };

/* What all measurements show together. */
struct slice_sums {
    unsigned line_bits;
    double *apart;        /* by the difference of two numbers: half of the mean square by which such lines differ */
    double repeats;       /* variance of what is repeated in both measurements */
    double error_squared; /* of `apart`, where lines do not differ */
    double noise_squared; /* the same of `repeats` where nothing is repeated */
    double *scratch;
};

/* Prepares sums for 2^line_bits lines. False: there is no memory. slice_sums_free must follow in either case. */
bool slice_sums_start(struct slice_sums *s, unsigned line_bits);
void slice_sums_free(struct slice_sums *s);
/*
 * Adds two measurements of each line, in the order of the lines' numbers, which must be from an aligned start; NaN: not
 * measured. The more of such views, from several cores, the better: each sees other slices as equally far.
 */
void slice_sums_add(struct slice_sums *s, const double *first, const double *second);

struct slice_function {
    /*
     * REASON_NONE: it is known. NO_DIFFERENCE: nothing that differs is repeated. NOISE: it differs by too little.
     * AMBIGUOUS: some differences change hardly anything. NO_PERIOD: lines repeat less than four times, or not at all.
     */
    enum reason reason;
    unsigned line_bits;
    size_t count;                    /* of masks */
    uint64_t masks[SLICE_LINE_BITS]; /* of the bits of a line's number, of which each has a bit that no other has */
    unsigned period_bits; /* binary logarithm of the period; all masks have bits below it, and what is above moves it */
};

void slice_function_find(const struct slice_sums *s, struct slice_function *out);
/* Whether both have the same masks. */
bool slice_functions_equal(const struct slice_function *a, const struct slice_function *b);
/* The parities of a line, a bit for each mask. */
size_t slice_parities(const struct slice_function *f, uint64_t line);
/*
 * Writes the masks as address bits, for lines of so many bytes: "6^9 7^10" by the fewest bits; where there are more
 * than SLICE_LINEAR_MASKS, "512 lines by 6^15 7^16 …", one for each bit of the place in a period. Cut to `room`, 32 at
 * least.
 */
void slice_function_text(const struct slice_function *f, size_t line_bytes, char *text, size_t room);

#endif
