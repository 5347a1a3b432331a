#include "lib/structure/bypass.h"

#include <math.h>
#include <string.h>

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
/* Looks that must be alike where one is not enough. Chosen: the fewest that confirm each other. */
enum { LOOKS_ALIKE = 2 };

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

/* ---- Several moments ------------------------------------------------------------------------------ */

void bypass_look(struct bypass_looks *l, const struct bypass *b)
{
    const struct bypass_verdict v = bypass_decide(b);

    l->all++;
    if (v.reason) {
        l->reason = v.reason;
        l->against += v.reason == REASON_EXPERIMENTS_DISAGREE;
        return;
    }
    if (!l->alike)
        l->extra = v.extra;
    if (v.extra == l->extra)
        l->alike++;
    else
        l->against++;
}

struct bypass_verdict bypass_of_looks(const struct bypass_looks *l, bool is_disturbed)
{
    const unsigned wanted = is_disturbed || l->all > l->alike ? LOOKS_ALIKE : 1;

    if (l->alike >= wanted && l->alike > l->against)
        return (struct bypass_verdict){.extra = l->extra, .reason = REASON_NONE};
    if (l->against)
        return undecided(REASON_EXPERIMENTS_DISAGREE);
    return undecided(l->reason ? l->reason : REASON_NO_READINGS);
}

bool bypass_is_confirmed(const struct bypass_looks *l)
{
    return !bypass_of_looks(l, true).reason;
}

bool bypass_wants_look(const struct bypass_looks *l, bool is_disturbed)
{
    return bypass_of_looks(l, is_disturbed).reason && (is_disturbed || !l->against);
}

/* ---- Pairs ---------------------------------------------------------------------------------------- */

/* Pairs that are findings, where the core has both links. */
static const struct {
    const char *one, *other;
} reported[] = {
    {"add", "multiply"},
    {"add", "shift"},
    {"add", "select"},
    {"add", "load"},
    {"multiply", "load"},
    {"multiply", "multiply-add, sum"},
    {"add", "multiply-add, sum"},
    {"add", "way through vectors"},
    {"fp add", "fp multiply"},
    {"fp add", "fp multiply-add, factor"},
    {"fp add", "fp multiply-add, sum"},
    {"fp multiply", "fp multiply-add, factor"},
    {"fp multiply", "fp multiply-add, sum"},
    {"fp multiply-add, factor", "fp multiply-add, sum"},
    {"fp add", "fp logic"},
    {"fp add", "fp shuffle"},
    {"fp add", "integer add"},
    {"fp multiply", "integer add"},
    {"fp add", "integer logic"},
    {"fp add", "integer shuffle"},
    {"fp add", "conversion"},
    {"fp add", "way through general registers"},
    {"integer add", "fp logic"},
    {"integer add", "fp shuffle"},
    {"integer add", "integer multiply"},
    {"integer add", "integer shuffle"},
    {"integer add", "conversion"},
    {"integer add", "way through general registers"},
    {"integer add", "integer multiply-add, sum"},
    {"integer multiply", "integer multiply-add, sum"},
};

bool bypass_is_reported(const char *one, const char *other)
{
    for (size_t i = 0; i < sizeof reported / sizeof reported[0]; i++)
        if (!strcmp(reported[i].one, one) && !strcmp(reported[i].other, other))
            return true;
    return false;
}
