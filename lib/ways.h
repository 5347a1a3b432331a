/*
 * Ways: how many lines a set holds, and which address bits choose the set, from places a power of two bytes apart.
 *
 * So many places are held at one distance. Each halving of the distance doubles them while one bit more chooses between
 * sets; from the distance on that all sets of a way span, only the ways are held, however far apart the places are.
 *
 * At any one distance some other table may hold less, its sets being chosen by the same bits: so several distances must
 * agree, half the first of them hold twice as much, and the ways make up the capacity.
 */
#ifndef FATHOM_LIB_WAYS_H
#define FATHOM_LIB_WAYS_H

#include "lib/find.h"

struct ways {
    const char *ways, *index_bits; /* names of the findings */
    unsigned level;                /* variant; 0: none */
    double capacity, line_bytes;   /* NaN where they are not known */
    /* Address bits of so many bytes are those of the frame, too; see ways_known_bytes. */
    double known_bytes;
};

/* How far addresses of pages of that size say where the frame is: without end where frames follow each other. */
double ways_known_bytes(size_t page_bytes);
/* Sweeps over the number of places, and how many bytes they are apart: each twice what the one before has. */
void ways_report(struct probe *p, const struct ways *q, const struct sweep *s, const size_t *apart, size_t count);

#endif
