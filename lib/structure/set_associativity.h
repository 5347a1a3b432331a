/*
 * Set associativity: how many lines a set has, and which address bits choose the set, from the number of places a power
 * of two bytes apart that a cache holds (docs/METHODS.md, 4.3; Saavedra and Smith 1995).
 *
 * Places that are as far apart as all sets of a way span, or farther, all lie in one set: the count is the ways,
 * whatever the distance. Each halving of the distance below that doubles the count, since one index bit more differs.
 *
 * At a single distance another table whose sets are chosen by the same bits may hold less. So two neighbouring
 * distances at least must have the same count, half the first of them twice that count, and the count times the first
 * of them must be the capacity.
 */
#ifndef FATHOM_LIB_STRUCTURE_SET_ASSOCIATIVITY_H
#define FATHOM_LIB_STRUCTURE_SET_ASSOCIATIVITY_H

#include "lib/finding/grade.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"

struct set_associativity {
    const char *ways, *index_bits; /* names of the findings */
    unsigned level;                /* their variant `level`; 0: none */
    double capacity, line_bytes;   /* bytes, by other probes; NaN: not known */
    double known_bytes;            /* distances up to this are those of frames, too; see frame_known_bytes */
};

/* Bytes up to which distances of addresses are distances of frames: INFINITY where frames follow each other. */
double frame_known_bytes(size_t page_bytes);
/* The whole number n for which x is 2^n within this relative difference, x at least 1; NaN: there is none. */
double exponent_of_two(double x, double tolerance);
/* Whether the count a is `factor` times b, within what steps may be off (WAYS_ALIKE). */
bool set_associativity_alike(double a, double b, double factor);
/*
 * Whether a further distance may decide what these do not: 1, one beyond the last, since no two of them fall into one
 * set; -1, one before the first, since all do; 0, none. Arguments as below.
 */
int set_associativity_further(const struct set_associativity *a, const struct sweep *s, const size_t *distances,
                              size_t count);
/*
 * Reports the findings a->ways and a->index_bits from `count` searched sweeps over the number of places, of which those
 * of s[i] are distances[i] bytes apart, each distance twice the one before. What cannot be decided is reported as
 * undecided, with the reason.
 */
void set_associativity_report(struct probe *p, const struct set_associativity *a, const struct sweep *s,
                              const size_t *distances, size_t count);

#endif
