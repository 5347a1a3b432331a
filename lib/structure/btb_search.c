#include "lib/structure/btb_search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/structure/tolerances_btb.h"

enum {
    SEEDS = 6,   /* classes that the search begins with, for each part of the sequences */
    SCANS = 256, /* classes that are combined with all others, at most */
    PAIRS = 4096 /* that are kept */
};

static bool any_replacement(const struct btb_search *s)
{
    return s->classes->space.any_replacement;
}

bool btb_search_start(struct btb_search *s, struct btb_classes *classes)
{
    *s = (struct btb_search){.classes = classes, .pairs = calloc(PAIRS, sizeof *s->pairs)};
    return s->pairs != NULL;
}

void btb_search_free(struct btb_search *s)
{
    free(s->pairs);
}

static void prepare_with(struct btb_search *s, unsigned from, unsigned to, bool any)
{
    const struct btb_spread lru = {BTB_SCATTER, BTB_HIT_SPREAD, BTB_MISS_SPREAD},
                            all = {BTB_SCATTER_ANY, BTB_HIT_SPREAD_ANY, BTB_MISS_SPREAD_ANY};

    btb_mismatch_prepare(&s->points, s->classes->points, s->classes->point_count, from, to, any ? &all : &lru);
}

/* Takes the points of `from` to `to` branches as those to explain. */
static void prepare(struct btb_search *s, unsigned from, unsigned to)
{
    prepare_with(s, from, to, any_replacement(s));
}

static double mismatch(const struct btb_search *s, uint16_t one, uint16_t two, double limit,
                       double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS])
{
    return btb_mismatch(&s->points, btb_classes_resident(s->classes, one), btb_classes_resident(s->classes, two), limit,
                        costs);
}

/* The largest mismatch of a survivor. */
static double survivors_limit(const struct btb_search *s)
{
    return s->best + BTB_SURVIVES;
}

/* Keeps the pair if it may survive; removes those that no longer do when the best changes or there is no room. */
static void keep(struct btb_search *s, uint16_t one, uint16_t two, double chi)
{
    size_t kept = 0;

    if (!(chi < INFINITY) || chi > survivors_limit(s))
        return;
    if (s->pair_count == PAIRS || chi < s->best) {
        s->best = fmin(s->best, chi);
        for (size_t i = 0; i < s->pair_count; i++)
            if (s->pairs[i].mismatch <= survivors_limit(s))
                s->pairs[kept++] = s->pairs[i];
        s->pair_count = kept;
    }
    for (size_t i = 0; i < s->pair_count; i++)
        if (s->pairs[i].level[0] == one && s->pairs[i].level[1] == two)
            return;
    if (s->pair_count < PAIRS)
        s->pairs[s->pair_count++] = (struct btb_pair){{one, two}, chi};
    else
        s->complete = false;
}

/*
 * Whether more pairs survive than are kept, where replacement may be any: so many that no property is the same for all,
 * and trying the others takes long.
 */
static bool full(const struct btb_search *s)
{
    return any_replacement(s) && !s->complete;
}

/* A flag of a class, shifted by a level: it was combined with all others as that level. */
enum { SCANNED = 1, LEFT_OUT = SCANNED << BTB_LEVELS /* has as many ways as another one that a search begins with */ };

/* Combines one class as `level` with all others at the other level. */
static void scan(struct btb_search *s, uint16_t class, size_t level, uint8_t *flags)
{
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS];

    for (size_t other = 0; other < s->classes->count && !full(s); other++) {
        uint16_t one = level == 0 ? class : (uint16_t)other, two = level == 0 ? (uint16_t)other : class;
        if (one != two)
            keep(s, one, two, mismatch(s, one, two, survivors_limit(s), costs));
    }
    flags[class] |= (uint8_t)(SCANNED << level);
}

/* The best pair with a class that was not scanned yet, and at which level that is; NULL where there is none. */
static const struct btb_pair *next_to_scan(const struct btb_search *s, const uint8_t *flags, size_t *level)
{
    const struct btb_pair *best = NULL;

    for (size_t i = 0; i < s->pair_count; i++)
        for (size_t l = 0; l < BTB_LEVELS; l++)
            if (!(flags[s->pairs[i].level[l]] & SCANNED << l) && (!best || s->pairs[i].mismatch < best->mismatch)) {
                best = &s->pairs[i];
                *level = l;
            }
    return best;
}

/*
 * Sets alone[class] to the mismatch of each class as the only level; INFINITY for one that does not survive, where
 * replacement may be any.
 */
static void fit_alone(const struct btb_search *s, double *alone)
{
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS], best = INFINITY;

    for (size_t c = 0; c < s->classes->count; c++) {
        const double limit = any_replacement(s) ? best + BTB_SURVIVES : INFINITY;
        alone[c] = mismatch(s, (uint16_t)c, BTB_NO_CLASS, limit, costs);
        best = fmin(best, alone[c]);
    }
}

/* The number of ways of the first organisation of a class. */
static unsigned ways_of(const struct btb_classes *c, size_t class)
{
    size_t o = 0;

    while (o + 1 < c->space.count && c->class_of[o] != class)
        o++;
    return btb_space_organisation(&c->space, o).ways;
}

/*
 * The class with the least mismatch alone that was not scanned, and whose number of ways is none of these; the number
 * of classes where there is none.
 */
static size_t next_seed(const struct btb_search *s, const double *alone, uint8_t *flags, const unsigned *ways,
                        size_t count)
{
    const size_t none = s->classes->count;

    for (;;) {
        size_t seed = none;
        for (size_t c = 0; c < none; c++)
            if (!flags[c] && alone[c] < INFINITY && (seed == none || alone[c] < alone[seed]))
                seed = c;
        bool other = true;
        for (size_t i = 0; i < count && seed < none; i++)
            other &= ways_of(s->classes, seed) != ways[i];
        if (seed == none || other)
            return seed;
        flags[seed] |= LEFT_OUT;
    }
}

/*
 * Scans the classes with the least mismatch alone, as either level, one of each number of ways: many of the best ones
 * hardly differ, and explain few points equally well. Returns the number of scans.
 */
static size_t scan_seeds(struct btb_search *s, const double *alone, uint8_t *flags)
{
    const size_t none = s->classes->count;
    unsigned ways[SEEDS];
    size_t scans = 0;

    for (size_t i = 0; i < (any_replacement(s) ? 1 : SEEDS); i++) {
        const size_t seed = next_seed(s, alone, flags, ways, i);
        if (seed == none)
            break;
        ways[i] = ways_of(s->classes, seed);
        for (size_t l = 0; l < BTB_LEVELS; l++, scans++)
            scan(s, (uint16_t)seed, l, flags);
    }
    for (size_t c = 0; c < none; c++)
        flags[c] &= (uint8_t)~LEFT_OUT;
    return scans;
}

static void search_pairs(struct btb_search *s, double *alone, uint8_t *flags)
{
    size_t scans = scan_seeds(s, alone, flags);

    for (unsigned count = 32; count < BTB_COUNT_MOST; count *= 4)
        for (size_t longer = 0; longer < 2; longer++) {
            prepare(s, longer ? count : 0, longer ? UINT_MAX : count);
            if (s->points.count < BTB_POINTS_LEAST || s->points.count == s->classes->point_count)
                continue;
            fit_alone(s, alone);
            prepare(s, 0, UINT_MAX);
            scans += scan_seeds(s, alone, flags);
        }
    prepare(s, 0, UINT_MAX);
    for (; scans < SCANS && !full(s); scans++) {
        size_t level;
        const struct btb_pair *p = next_to_scan(s, flags, &level);
        if (!p)
            return;
        scan(s, p->level[level], level, flags);
    }
    s->complete = false;
}

static const struct btb_pair *best_pair(const struct btb_search *s)
{
    const struct btb_pair *best = NULL;

    for (size_t i = 0; i < s->pair_count; i++)
        if (!best || s->pairs[i].mismatch < best->mismatch)
            best = &s->pairs[i];
    return best;
}

/* Whether no single point is off by more than chance explains. Leaves the costs of the pair in s->costs. */
static bool all_points_fit(struct btb_search *s, const struct btb_pair *pair)
{
    double worst = btb_mismatch_worst(&s->points, btb_classes_resident(s->classes, pair->level[0]),
                                      btb_classes_resident(s->classes, pair->level[1]), s->costs);
    return worst <= BTB_SIGMAS * BTB_SIGMAS;
}

/* Adds the classes that survive as the only level to the pairs. */
static void keep_alone(struct btb_search *s, double *alone)
{
    fit_alone(s, alone);
    for (size_t c = 0; c < s->classes->count; c++)
        keep(s, (uint16_t)c, BTB_NO_CLASS, alone[c]);
}

static enum reason find_survivors(struct btb_search *s, double *alone, uint8_t *flags)
{
    double flat = mismatch(s, BTB_NO_CLASS, BTB_NO_CLASS, INFINITY, s->costs), one_level = INFINITY;

    s->expected = btb_mismatch_expected(&s->points);
    fit_alone(s, alone);
    for (size_t c = 0; c < s->classes->count; c++)
        one_level = fmin(one_level, alone[c]);
    s->mismatch = flat;
    if (flat <= s->expected && flat <= one_level + BTB_SURVIVES)
        return REASON_NO_LEVEL;
    search_pairs(s, alone, flags);
    s->mismatch = fmax(0, fmin(one_level, s->best)); /* rounding may make it slightly negative */
    s->level_count = 2;
    if (one_level <= s->expected) {
        s->second_open = one_level > s->best + BTB_SURVIVES;
        if (!s->second_open || btb_search_doubtful(s, BTB_LEVELS)) {
            s->level_count = 1;
            s->complete |= !s->second_open;
            s->pair_count = s->second_open ? s->pair_count : 0;
            s->best = one_level;
            keep_alone(s, alone);
        }
    }
    const struct btb_pair *best = best_pair(s);
    if (s->mismatch > s->expected || !best || !all_points_fit(s, best)) {
        s->level_count = 0;
        return REASON_NO_FIT;
    }
    return REASON_NONE;
}

enum reason btb_search_run(struct btb_search *s)
{
    double *alone = calloc(s->classes->count, sizeof *alone);
    uint8_t *flags = calloc(s->classes->count, sizeof *flags);
    enum reason reason = REASON_NO_MEMORY;

    s->pair_count = 0;
    s->best = INFINITY;
    s->level_count = 0;
    s->mismatch = s->expected = 0;
    s->complete = true;
    s->second_open = false;
    btb_classes_settle(s->classes);
    if (alone && flags) {
        prepare(s, 0, UINT_MAX);
        reason = find_survivors(s, alone, flags);
    }
    free(alone);
    free(flags);
    return reason;
}

/*
 * The part of cyclic accesses to a full set that hit where the entry to be replaced is drawn at random, for sets that
 * have room for 0, 1/20, 2/20 … of them. With many ways it solves hits = exp(-(1 - hits) / room): an entry stays until
 * it is needed again if none of the misses in between hits it. With fewer ways it is less, with one way it is 0.
 */
static const double RANDOM_HITS[] = {0,      0,      0,      0.0013, 0.0070, 0.0198, 0.0409,
                                     0.0702, 0.1074, 0.1519, 0.2032, 0.2608, 0.3242, 0.3931,
                                     0.4670, 0.5456, 0.6286, 0.7158, 0.8069, 0.9017, 1};
enum { ROOMS = sizeof RANDOM_HITS / sizeof RANDOM_HITS[0] - 1 };

/* What a level holds of a sequence between LRU and random replacement; `any`: under any replacement. */
static struct btb_part up_to_random(struct btb_part any)
{
    if (any.least == any.most)
        return any;
    const double full = (double)BTB_WHOLE - any.least, room = ((double)any.most - any.least) / full * ROOMS;
    const size_t below = room < ROOMS ? (size_t)room : ROOMS - 1;
    const double hits = RANDOM_HITS[below] + (room - (double)below) * (RANDOM_HITS[below + 1] - RANDOM_HITS[below]);

    return (struct btb_part){any.least, (uint16_t)(any.least + full * hits)};
}

bool btb_search_one_level(struct btb_search *s)
{
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS], worst = INFINITY;
    struct btb_part parts[BTB_MISMATCH_POINTS];

    s->pair_count = 0;
    s->best = INFINITY;
    btb_classes_settle(s->classes);
    prepare_with(s, 0, UINT_MAX, false);
    s->expected = btb_mismatch_expected(&s->points);
    for (size_t c = 0; c < s->classes->count; c++) {
        const struct btb_part *any = btb_classes_resident(s->classes, (uint16_t)c);
        for (size_t i = 0; i < s->classes->point_count; i++)
            parts[i] = up_to_random(any[i]);
        const double chi = btb_mismatch(&s->points, parts, NULL, fmin(s->expected, s->best + BTB_SURVIVES), costs);
        if (chi < s->best)
            worst = btb_mismatch_worst(&s->points, parts, NULL, costs);
        keep(s, (uint16_t)c, BTB_NO_CLASS, chi);
    }
    return s->best <= s->expected && worst <= BTB_SIGMAS * BTB_SIGMAS;
}

void btb_search_mark(const struct btb_search *s, size_t level, uint8_t *marks)
{
    memset(marks, 0, s->classes->count);
    for (size_t i = 0; i < s->pair_count; i++)
        if (s->pairs[i].mismatch <= survivors_limit(s))
            marks[s->pairs[i].level[level]] = 1;
}

bool btb_search_doubtful(const struct btb_search *s, size_t levels)
{
    const struct btb_classes *c = s->classes;
    const bool one_level = levels == 1;

    const struct btb_pair *best = best_pair(s);
    if (best && !one_level && best->level[1] != BTB_NO_CLASS &&
        btb_mismatch_no_step(&s->points, btb_classes_resident(c, best->level[0]),
                             btb_classes_resident(c, best->level[1])))
        return true;
    for (size_t i = 0; best && i < s->pair_count; i++) {
        const uint16_t one = s->pairs[i].level[0], two = one_level ? BTB_NO_CLASS : s->pairs[i].level[1];
        if (btb_mismatch_one_stride(&s->points, btb_classes_resident(c, one), btb_classes_resident(c, two)) ||
            (two != BTB_NO_CLASS && btb_classes_longest(c, two) < BTB_LEVELS_APART * btb_classes_longest(c, one)))
            return true;
    }
    return false;
}

void btb_search_refresh(struct btb_search *s)
{
    const struct btb_classes *c = s->classes;
    size_t count = s->pair_count;
    struct btb_pair *before = malloc((count + 1) * sizeof *before);
    double costs[BRANCH_CHAIN_PATTERNS][BTB_COSTS];

    if (!before)
        return;
    memcpy(before, s->pairs, count * sizeof *before);
    prepare(s, 0, UINT_MAX);
    s->pair_count = 0;
    s->best = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t one = 0; one < c->count; one++)
            for (size_t two = 0; c->origin[one] == before[i].level[0] && two < c->count; two++)
                if (before[i].level[1] == BTB_NO_CLASS) {
                    keep(s, (uint16_t)one, BTB_NO_CLASS,
                         mismatch(s, (uint16_t)one, BTB_NO_CLASS, survivors_limit(s), costs));
                    break;
                } else if (c->origin[two] == before[i].level[1])
                    keep(s, (uint16_t)one, (uint16_t)two,
                         mismatch(s, (uint16_t)one, (uint16_t)two, survivors_limit(s), costs));
    btb_classes_settle(s->classes);
    free(before);
}
