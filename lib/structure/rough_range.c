#include "lib/structure/rough_range.h"

#include <math.h>

enum {
    TRIES = 3,
    CLOSE = 4, /* bisection stops when the end is known to CLOSE steps of 1, or to 1 / CLOSE_PART of x */
    CLOSE_PART = 16
};

/* Finds the end roughly: *good is not beyond it, *bad is or is the limit. */
static void bracket(struct probe *p, const struct rough_range *r, double *good, double *bad)
{
    *good = r->expected - CLOSE;
    *bad = fmin(r->expected + CLOSE, r->limit);
    if (*good >= 1 && *good < *bad && r->is_beyond(p, *bad, r->context) && !r->is_beyond(p, *good, r->context))
        return;
    *good = 1;
    for (*bad = r->first; *bad < r->limit && !r->is_beyond(p, *bad, r->context); *bad = fmin(2 * *bad, r->limit))
        *good = *bad;
    while (*bad - *good > fmax(CLOSE, *good / CLOSE_PART)) {
        const double middle = floor((*good + *bad) / 2);
        *(r->is_beyond(p, middle, r->context) ? bad : good) = middle;
    }
}

void rough_range_find(struct probe *p, const struct rough_range *r, double *from, double *to)
{
    for (unsigned i = 0; i < TRIES && p->outcome == OUTCOME_OK; i++) {
        double good = r->first, bad = r->first + 1;
        if (!probe_is_smoke(p))
            bracket(p, r, &good, &bad);
        *from = fmax(1, good - ROUGH_RANGE_MARGIN * (bad - good));
        *to = bad < r->limit ? bad + ROUGH_RANGE_MARGIN * (bad - good) : bad;
        if (probe_is_smoke(p) ||
            (!r->is_beyond(p, *from, r->context) && (bad >= r->limit || r->is_beyond(p, *to, r->context))))
            return;
    }
}
