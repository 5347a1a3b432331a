/*
 * A round trip: the kernel writes an odd number to a line and reads the line until it holds the next even number, which
 * another core writes there (lib/measure/responder.h). The line changes hands twice. Once a call has read the line in
 * vain some millions of times, or in a smoke run some ten thousands, it gives up.
 */
#ifndef FATHOM_LIB_KERNELS_ROUND_TRIP_H
#define FATHOM_LIB_KERNELS_ROUND_TRIP_H

#include "lib/probe/probe.h"

enum {
    ROUND_TRIP_LINE = 256, /* bytes: at least a line of any core in scope, pairs that are fetched together included */
    ROUND_TRIP_CODE = 1024 /* bytes that emitting it takes at most */
};

/* What lies at the beginning of the line. */
struct round_trip_line {
    uint64_t word;  /* the number that both cores write */
    uint64_t state; /* the address of the state, as windows see it */
};

/* What the kernel keeps from one call to the next, on another line. */
struct round_trip_state {
    uint64_t last; /* the last number of the other core, or the one it was waited for; even, and at first the line's */
    uint64_t left; /* rounds that were not made: 0 unless the kernel gave up */
};

/* Emits the kernel: its argument is the line, and an iteration is a round. */
void round_trip_emit(struct probe *p, struct code *c);

#endif
