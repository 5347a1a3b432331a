#include "lib/kernels/places.h"

#include <math.h>
#include <stdio.h>

enum { LAYOUTS = 2, TO = 640, LIMIT = 2560, BLOCKERS_HOLD = 2, LEAST_HELD = 3 };

/* Times that NOPs fill an entry. */
static const unsigned fills[LAYOUTS] = {2, 3};
/* Of what lies between full entries and others: so near to one of them is it. */
static const double NEAR = 0.25;

/* Whether entries are full, as all layouts have it. */
enum full { FULL_UNKNOWN, FULL_YES, FULL_NO };

/* Fillers in turn, and which of them have the NOPs behind them. */
struct pattern {
    const char *name;
    const char *fillers[LOOKAHEAD_MIX];
    bool before[LOOKAHEAD_MIX];
    unsigned inside; /* fillers among what fills an entry; 0: they come on top */
};

static const struct pattern
    accesses = {"accesses", {"load-64", "store-64"}, {true, true}, 0},
    branches = {"branches", {"branch"}, {true}, 0},
    around = {"accesses, NOPs, branches", {"load-64", "branch", "store-64", "branch"}, {true, false, true, false}, 2},
    behind = {"accesses, branches, NOPs", {"load-64", "branch", "store-64", "branch"}, {false, true, false, true}, 2};

static bool count(struct probe *p, const struct lookahead *with, const struct pattern *pattern, unsigned nops,
                  double *most)
{
    struct lookahead_row r = {.with = with, .blocker = BLOCKER_MISS, .second = BLOCKER_MISS};
    char name[48];

    *most = (double)NAN;
    if (with->unfit[BLOCKER_MISS] || !lookahead_choose(&r, pattern->fillers))
        return true;
    for (size_t i = 0; i < LOOKAHEAD_MIX; i++)
        r.nops[i] = pattern->before[i] ? nops : 0;
    snprintf(name, sizeof name, "%s, %u", pattern->name, nops);
    struct sweep s = lookahead_sweep(p, &r, name, TO, LIMIT);
    const bool good = lookahead_row_search(p, &r, &s);
    const struct verdict *v = &s.search.verdict;
    if (good && !v->reason && v->count)
        *most = v->knees[0].value;
    sweep_free(&s);
    return good;
}

/* In full entries there are `held` each. Else the last of them is behind or before one that does not begin or end it. */
static bool are_full(struct probe *p, const struct lookahead *with, const struct pattern *pattern, double entries,
                     unsigned held, enum full *full)
{
    enum full said[LAYOUTS];

    for (size_t i = 0; i < LAYOUTS; i++) {
        const unsigned instructions = fills[i] * held + !pattern->inside;
        const double all = (entries - BLOCKERS_HOLD) * held,
                     fewer = (entries - BLOCKERS_HOLD) * instructions / (fills[i] + 1);
        double most;
        if (!count(p, with, pattern, fills[i] * held - pattern->inside, &most))
            return false;
        said[i] = fabs(most - all) <= NEAR * (all - fewer)     ? FULL_YES
                  : fabs(most - fewer) <= NEAR * (all - fewer) ? FULL_NO
                                                               : FULL_UNKNOWN;
    }
    *full = said[0] == said[1] ? said[0] : FULL_UNKNOWN;
    return true;
}

bool places_find(struct probe *p, const struct lookahead *with, double entries, unsigned per_entry, struct places *out)
{
    static const char *const texts[] = {NULL, "anywhere", "first or last"};
    enum full one = FULL_UNKNOWN, other = FULL_UNKNOWN;

    *out = (struct places){NULL, NULL};
    if (per_entry < LEAST_HELD)
        return true;
    if (!are_full(p, with, &accesses, entries, per_entry, &one) ||
        !are_full(p, with, &branches, entries, per_entry, &other))
        return false;
    out->accesses = texts[one];
    out->branches = texts[other];
    if (one != FULL_NO || other != FULL_NO)
        return true;
    if (!are_full(p, with, &around, entries, per_entry, &one) ||
        !are_full(p, with, &behind, entries, per_entry, &other))
        return false;
    if (one == FULL_YES && other == FULL_NO)
        *out = (struct places){"first", "last"};
    else if (one == FULL_NO && other == FULL_YES)
        *out = (struct places){"last", "first"};
    return true;
}
