#include "lib/structure/slices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/structure/gf2.h"
#include "lib/structure/tolerances_slices.h"

enum { ARRAYS = 4 /* of scratch: two measurements, and which of their lines were measured */ };

bool slice_sums_start(struct slice_sums *s, unsigned line_bits)
{
    const size_t lines = (size_t)1 << line_bits;

    *s = (struct slice_sums){.line_bits = line_bits,
                             .apart = calloc(lines, sizeof *s->apart),
                             .scratch = calloc(ARRAYS * lines, sizeof *s->scratch)};
    return s->apart && s->scratch;
}

void slice_sums_free(struct slice_sums *s)
{
    free(s->apart);
    free(s->scratch);
}

/* In place, not scaled (Fino and Algazi 1976). */
static void walsh_hadamard(double *x, size_t count)
{
    for (size_t step = 1; step < count; step *= 2)
        for (size_t i = 0; i < count; i += 2 * step)
            for (size_t j = i; j < i + step; j++) {
                const double a = x[j], b = x[j + step];
                x[j] = a + b;
                x[j + step] = a - b;
            }
}

/* Replaces a[d] by the sum over all n of a[n] * b[n ^ d]. */
static void correlate(double *a, double *b, size_t count)
{
    walsh_hadamard(a, count);
    walsh_hadamard(b, count);
    for (size_t i = 0; i < count; i++)
        a[i] *= b[i] / (double)count;
    walsh_hadamard(a, count);
}

/* Copies a measurement with its mean subtracted, and where there is one. Returns the variance. */
static double copy(const double *values, size_t count, double *to, double *there, size_t *measured)
{
    double sum = 0, squares = 0;

    *measured = 0;
    for (size_t i = 0; i < count; i++) {
        there[i] = isnan(values[i]) ? 0 : 1;
        *measured += isnan(values[i]) ? 0 : 1;
        sum += isnan(values[i]) ? 0 : values[i];
    }
    const double mean = *measured ? sum / (double)*measured : 0;
    for (size_t i = 0; i < count; i++) {
        to[i] = isnan(values[i]) ? 0 : values[i] - mean;
        squares += to[i] * to[i];
    }
    return *measured ? squares / (double)*measured : 0;
}

void slice_sums_add(struct slice_sums *s, const double *first, const double *second)
{
    const size_t lines = (size_t)1 << s->line_bits;
    double *a = s->scratch, *b = a + lines, *in_a = b + lines, *in_b = in_a + lines;
    size_t count_a, count_b;
    const double variance_a = copy(first, lines, a, in_a, &count_a),
                 variance_b = copy(second, lines, b, in_b, &count_b);

    correlate(a, b, lines);
    correlate(in_a, in_b, lines);
    for (size_t d = 0; d < lines; d++) /* less than half of a line: none */
        a[d] = in_a[d] < 0.5 ? 0 : a[d] / in_a[d];
    for (size_t d = 0; d < lines; d++)
        s->apart[d] += a[0] - a[d];
    /*
     * What is repeated cancels for lines that do not differ, so that the rest of both variances remains; but where
     * lines are missing, it does not. Two pairs of lines have each difference, with the same product.
     */
    const double rest = fmax(0, variance_a - a[0]) * fmax(0, variance_b - a[0]), all = variance_a * variance_b;
    const double missing = (double)(2 * lines - count_a - count_b) / (double)(2 * lines);
    s->repeats += a[0];
    s->error_squared += 2 * (rest + missing * all) / (double)lines;
    s->noise_squared += all / (double)lines;
}

/* The highest bit of x, which is not 0. */
static unsigned highest(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

/*
 * Adds a difference to a basis, in which basis[i] is 0 or has i as its highest bit. False where it is a combination of
 * those in it.
 */
static bool add_to_basis(uint64_t basis[SLICE_LINE_BITS], uint64_t x)
{
    while (x && basis[highest(x)])
        x ^= basis[highest(x)];
    if (x)
        basis[highest(x)] = x;
    return x != 0;
}

/*
 * Finds the differences that change nothing: *rank of them are independent. Returns REASON_AMBIGUOUS where others
 * change so little that they might belong to them, or where combinations of them do not.
 */
static enum reason find_unchanged(const struct slice_sums *s, uint64_t basis[SLICE_LINE_BITS], unsigned *rank)
{
    const double error = SLICE_ERRORS * sqrt(s->error_squared), limit = SLICE_UNCHANGED * s->repeats + error;
    const uint64_t lines = UINT64_C(1) << s->line_bits;
    uint64_t unchanged = 0;

    *rank = 0;
    if (!(s->repeats > SLICE_ERRORS * sqrt(s->noise_squared)))
        return REASON_NO_DIFFERENCE;
    if (!(SLICE_CHANGED * limit < s->repeats))
        return REASON_NOISE;
    for (uint64_t d = 0; d < lines; d++) {
        if (s->apart[d] > SLICE_CHANGED * limit)
            continue;
        if (s->apart[d] > limit)
            return REASON_AMBIGUOUS;
        unchanged++;
        *rank += add_to_basis(basis, d);
    }
    return unchanged == UINT64_C(1) << *rank ? REASON_NONE : REASON_AMBIGUOUS;
}

/*
 * The masks that have even parity with all of the basis: one for each bit that is the highest of none, with those
 * highest bits whose differences contain it once the basis is reduced.
 */
static void find_masks(uint64_t basis[SLICE_LINE_BITS], struct slice_function *f)
{
    for (unsigned i = 0; i < f->line_bits; i++)
        for (unsigned j = i + 1; j < f->line_bits; j++)
            if (basis[i] && basis[j] >> i & 1)
                basis[j] ^= basis[i];
    for (unsigned bit = 0; bit < f->line_bits; bit++) {
        if (basis[bit])
            continue;
        uint64_t mask = UINT64_C(1) << bit;
        for (unsigned i = bit + 1; i < f->line_bits; i++)
            mask |= (basis[i] >> bit & 1) << i;
        f->masks[f->count++] = mask;
        f->period_bits = bit + 1;
    }
}

void slice_function_find(const struct slice_sums *s, struct slice_function *out)
{
    uint64_t basis[SLICE_LINE_BITS] = {0};
    unsigned rank;

    *out = (struct slice_function){.line_bits = s->line_bits, .reason = find_unchanged(s, basis, &rank)};
    if (!out->reason && rank < SLICE_REPEATS_BITS)
        out->reason = REASON_NO_PERIOD;
    if (!out->reason)
        find_masks(basis, out);
}

bool slice_functions_equal(const struct slice_function *a, const struct slice_function *b)
{
    return !a->reason && !b->reason && a->count == b->count &&
           memcmp(a->masks, b->masks, a->count * sizeof *a->masks) == 0;
}

size_t slice_parities(const struct slice_function *f, uint64_t line)
{
    size_t parities = 0;

    for (size_t i = 0; i < f->count; i++)
        parities |= (size_t)__builtin_parityll(line & f->masks[i]) << i;
    return parities;
}

void slice_function_text(const struct slice_function *f, size_t line_bytes, char *text, size_t room)
{
    struct gf2_result masks = {.count = f->count};
    int used = 0;

    for (size_t i = 0; i < f->count; i++)
        masks.masks[i] = f->masks[i] * line_bytes;
    if (f->count > SLICE_LINEAR_MASKS)
        used = snprintf(text, room, "%lu lines by ", 1UL << f->period_bits);
    else
        gf2_shorten(&masks);
    gf2_text(&masks, text + used, room - (size_t)used);
}
