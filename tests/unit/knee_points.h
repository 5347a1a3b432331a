/* Curves point by point, for the tests of lib/knee. */
#ifndef FATHOM_TESTS_UNIT_KNEE_POINTS_H
#define FATHOM_TESTS_UNIT_KNEE_POINTS_H

/* What cmocka.h needs stands before it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/knee/knee.h"

enum { POINTS_MAXIMUM = 1000 };

/* Points at x = 1, 2, 3 …, each measured once. */
struct points {
    struct knee_point p[POINTS_MAXIMUM];
    size_t count;
};

static inline void add(struct points *r, double y, size_t times)
{
    for (; times > 0; times--) {
        r->p[r->count] = (struct knee_point){(double)(r->count + 1), y, (double)NAN};
        r->count++;
    }
}

/* Points that rise by `slope` each, from the last one on. */
static inline void climb(struct points *r, double slope, size_t times)
{
    for (; times > 0; times--)
        add(r, r->p[r->count - 1].y + slope, 1);
}

/* Uniform noise from `first` on, of the given deviation. */
static inline void disturb(struct points *r, size_t first, size_t end, double deviation, uint64_t seed)
{
    for (size_t i = first; i < end; i++)
        r->p[i].y += deviation * sqrt(12) * ((double)(random_next(&seed) >> 11) / 9007199254740992.0 - 0.5);
}

static inline struct verdict decide(enum knee_kind kind, const struct points *r)
{
    struct verdict v;

    assert_true(knee_decide(kind, r->p, r->count, 1, &v));
    return v;
}

#endif
