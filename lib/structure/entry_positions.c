#include "lib/structure/entry_positions.h"

#include <math.h>
#include <stdio.h>

#include "lib/probe/sweep.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/tolerances_inflight.h"

enum {
    LAYOUTS = 2,
    TO = 640,          /* fillers: range of a curve … */
    LIMIT = 2560,      /* … and how far it may grow */
    LONG_OPS_HOLD = 2, /* entries of both misses */
    PER_ENTRY_LEAST = 3
};

/* How many entries NOPs fill between two of the others. */
static const unsigned fills[LAYOUTS] = {2, 3};

/* Whether all entries are full; FULL_UNKNOWN where the layouts differ. */
enum full { FULL_UNKNOWN, FULL_YES, FULL_NO };

/* Fillers in turn, and which of them have the NOPs behind them. */
struct pattern {
    const char *name;
    const char *fillers[INFLIGHT_KINDS];
    bool nops_behind[INFLIGHT_KINDS];
    /* Fillers that make up whole entries together with the NOPs; 0: the NOPs alone do, and one filler is added. */
    unsigned inside;
};

static const struct pattern accesses = {"accesses", {"load-64", "store-64"}, {true, true}, 0},
                            branches = {"branches", {"branch"}, {true}, 0},
                            access_first = {"accesses, NOPs, branches",
                                            {"load-64", "branch", "store-64", "branch"},
                                            {true, false, true, false},
                                            2},
                            branch_first = {"accesses, branches, NOPs",
                                            {"load-64", "branch", "store-64", "branch"},
                                            {false, true, false, true},
                                            2};

static bool count_fitting(struct probe *p, const struct inflight *l, const struct pattern *pattern, unsigned nops,
                          double *count)
{
    struct inflight_experiment e = {.inflight = l, .first = LONG_OP_MISS, .second = LONG_OP_MISS};
    char name[48];

    *count = (double)NAN;
    if (l->unusable[LONG_OP_MISS] || !inflight_choose_fillers(&e, pattern->fillers))
        return true;
    for (size_t i = 0; i < INFLIGHT_KINDS; i++)
        e.nops[i] = pattern->nops_behind[i] ? nops : 0;
    snprintf(name, sizeof name, "%s, %u", pattern->name, nops);
    struct sweep s = inflight_sweep(p, &e, name, TO, LIMIT);
    const bool good = inflight_search(p, &e, &s);
    const struct verdict *v = &s.search.verdict;
    if (good && !v->reason && v->count)
        *count = v->knees[0].value;
    sweep_free(&s);
    return good;
}

/*
 * Decides by how many instructions fit. If all entries are full, each holds `per_entry`. If not, each repetition of the
 * pattern takes one entry more, for a NOP that is left over.
 */
static bool are_entries_full(struct probe *p, const struct inflight *l, const struct pattern *pattern, double entries,
                             unsigned per_entry, enum full *full)
{
    enum full by_layout[LAYOUTS];

    for (size_t i = 0; i < LAYOUTS; i++) {
        const unsigned instructions = fills[i] * per_entry + !pattern->inside;
        const double all = (entries - LONG_OPS_HOLD) * per_entry,
                     fewer = (entries - LONG_OPS_HOLD) * instructions / (fills[i] + 1);
        double count;
        if (!count_fitting(p, l, pattern, fills[i] * per_entry - pattern->inside, &count))
            return false;
        by_layout[i] = fabs(count - all) <= FULL_OR_NOT * (all - fewer)     ? FULL_YES
                       : fabs(count - fewer) <= FULL_OR_NOT * (all - fewer) ? FULL_NO
                                                                            : FULL_UNKNOWN;
    }
    *full = by_layout[0] == by_layout[1] ? by_layout[0] : FULL_UNKNOWN;
    return true;
}

bool entry_positions_find(struct probe *p, const struct inflight *l, double entries, unsigned per_entry,
                          struct entry_positions *out)
{
    static const char *const texts[] = {NULL, "anywhere", "first or last"}; /* by enum full */
    enum full one = FULL_UNKNOWN, other = FULL_UNKNOWN;

    *out = (struct entry_positions){NULL, NULL};
    if (per_entry < PER_ENTRY_LEAST)
        return true;
    if (!are_entries_full(p, l, &accesses, entries, per_entry, &one) ||
        !are_entries_full(p, l, &branches, entries, per_entry, &other))
        return false;
    out->accesses = texts[one];
    out->branches = texts[other];
    if (one != FULL_NO || other != FULL_NO)
        return true;
    if (!are_entries_full(p, l, &access_first, entries, per_entry, &one) ||
        !are_entries_full(p, l, &branch_first, entries, per_entry, &other))
        return false;
    if (one == FULL_YES && other == FULL_NO)
        *out = (struct entry_positions){"first", "last"};
    else if (one == FULL_NO && other == FULL_YES)
        *out = (struct entry_positions){"last", "first"};
    return true;
}
