/* Sinks that keep what a writer gives them, and random text. */
#ifndef FATHOM_TESTS_STORES_H
#define FATHOM_TESTS_STORES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/record.h"

extern double seconds; /* the clock */

/*
 * A sink that keeps what it is given; `stable` is how much of it a power cut would leave. A sink with `after` announces
 * records: it fails the test when it is given a line that `after` could still lose.
 */
struct store {
    char text[400000];
    size_t used, stable;
    const struct store *after;
    uint64_t *random; /* decides which calls fail; NULL: none fails */
    unsigned fail_one_in;
    bool broken, flushes;
    unsigned calls_after_failure;
};

extern struct store stores[3];

/* A writer with the first `sinks` of three: a volume with a flush, a serial line without one, a file with one. */
void start(struct writer *w, size_t sinks);

unsigned lines_in(const char *text, size_t bytes);

/* Sends a record of that kind without further fields. */
void send_empty(struct writer *w, const char *kind);

/* Text of whole, cut, overlong, surrogate and out-of-range UTF-8 sequences among plain bytes. */
void random_text(char *out, size_t room, uint64_t *random);

#endif
