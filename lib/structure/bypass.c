#include "lib/structure/bypass.h"

#include <math.h>

#include "lib/base/statistics.h"

/*
 * A round is a whole number of cycles within this part of it, but for WHOLE_LEAST cycles at least and WHOLE_MOST at most.
 * WHOLE_PART is chosen: twice what latencies of a form may be off by (instruction_cost.c), since a drifting clock is off by
 * another part in each chain. WHOLE_MOST, chosen: half of what lies between a whole number and the middle between two.
 */
static const double WHOLE_PART = 0.02;
/* Chosen: what latencies of a form may be off by, and half as much again. */
static const double WHOLE_LEAST = 0.06;
/* Chosen, see WHOLE_PART. */
static const double WHOLE_MOST = 0.25;
/* A clock is trusted when loads and multiplications are whole numbers of cycles within this part (lib/measure). */
static const double CLOCK_PART = 0.03;
/* Chains that show the clock's part: fewer might all be no whole numbers by themselves. Chosen. */
enum { SCALED_LEAST = 4, SCALED_MOST = 32 };

double bypass_scale(const double *alone, size_t count)
{
    double parts[SCALED_MOST];
    size_t used = 0;

    for (size_t i = 0; i < count && used < SCALED_MOST; i++) {
        const double part = alone[i] / fmax(1, floor(alone[i] + 0.5)); /* NaN stays NaN, and is near nothing */
        if (fabs(part - 1) <= CLOCK_PART)
            parts[used++] = part;
    }
    sort_numbers(parts, used);
    return used < SCALED_LEAST ? 1 : quantile(parts, used, 0.5);
}

bool bypass_is_whole(double cycles, double *whole)
{
    *whole = floor(cycles + 0.5);
    return *whole > 0 && fabs(cycles - *whole) <= fmin(fmax(WHOLE_LEAST, WHOLE_PART * cycles), WHOLE_MOST);
}

static struct bypass_verdict undecided(enum reason reason)
{
    return (struct bypass_verdict){.extra = (double)NAN, .reason = reason};
}

struct bypass_verdict bypass_decide(const struct bypass *b)
{
    double one, other, alternating, in_pairs;

    if (isnan(b->one) || isnan(b->other) || isnan(b->alternating) || isnan(b->in_pairs))
        return undecided(REASON_NO_READINGS);
    if (!bypass_is_whole(b->one, &one) || !bypass_is_whole(b->other, &other) ||
        !bypass_is_whole(b->alternating, &alternating) || !bypass_is_whole(b->in_pairs, &in_pairs))
        return undecided(REASON_NO_WHOLE_CYCLES);
    if (alternating - one - other != in_pairs - 2 * (one + other))
        return undecided(REASON_EXPERIMENTS_DISAGREE);
    return (struct bypass_verdict){.extra = alternating - one - other, .reason = REASON_NONE};
}
