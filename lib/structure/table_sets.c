#include "lib/structure/table_sets.h"

#include "lib/base/random.h"
#include "lib/structure/tolerances_tables.h"

/* The histories of a sample, and those of one set. */
static uint32_t list[TABLE_HISTORIES], of_set[TABLE_HISTORIES];

static uint32_t sum(const uint32_t *basis, unsigned count, uint32_t chosen)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < count; i++)
        all ^= chosen >> i & 1 ? basis[i] : 0;
    return all;
}

/*
 * Histories of one set, one more in either direction than there are ways, in turn and in random order: before alike[] is
 * known those of table_ways, of which only one direction shares a set.
 */
static void draw(const struct table_sets *s, uint32_t *out)
{
    const bool both = s->alike_count > 0;
    const unsigned each = s->set->ways + 1, count = 1u << (both ? s->alike_count : s->set->dimensions - 1);
    static uint32_t order[TABLE_HISTORIES];

    for (uint32_t direction = 0; direction < 2; direction++) {
        for (unsigned i = 0; i < count && (!both || !direction); i++)
            order[i] = i;
        for (unsigned i = both && direction ? each : 0, n = 0; n < each; i++, n++) {
            const unsigned j = i + (unsigned)random_below(s->ways->random, count - i);
            const uint32_t one = order[j];
            order[j] = order[i];
            order[i] = one;
            out[2 * n + direction] = both ? sum(s->alike, s->alike_count, one) | (direction ? TABLE_AGAINST : 0)
                                          : sum(s->set->basis, s->set->dimensions, 2 * one | direction);
        }
    }
}

/*
 * In each of the sets that sums of the first `sets` of apart[] lead to, one history more than there are ways, of either
 * direction; half of them are changed. Whether they overflow, if all samples say the same. False: the probe is over.
 */
static bool overflow(const struct table_sets *s, unsigned sets, uint32_t change, bool *result, bool *clear)
{
    const unsigned each = s->set->ways + 1;
    unsigned overflows = 0, fits = 0;

    for (unsigned n = 0;
         n < TABLE_SET_SAMPLES && overflows < TABLE_SET_OVERFLOWS && fits < TABLE_SET_FITS && !(overflows && fits);
         n++) {
        unsigned count = 0;
        enum table_fit fit;
        draw(s, of_set);
        for (uint32_t chosen = 0; chosen >> sets == 0; chosen++)
            for (unsigned i = 0; i < 2 * each; i++)
                list[count++] = of_set[i] ^ sum(s->apart, sets, chosen) ^ (i / 2 % 2 ? change : 0);
        if (!s->ways->sample(s->ways->context, list, count, &fit))
            return false;
        overflows += fit == TABLE_OVERFLOWS;
        fits += fit == TABLE_FITS;
    }
    *result = overflows > 0;
    *clear = (overflows >= TABLE_SET_OVERFLOWS && !fits) || (fits >= TABLE_SET_FITS && !overflows);
    return true;
}

bool table_sets_keep(struct table_sets *s, uint32_t change, bool *keep, bool *clear)
{
    return overflow(s, 0, change, keep, clear);
}

/*
 * The bits among which the set was found, but that of the direction and those that histories of one set depend on: sums of
 * the others lie in different sets.
 */
static void find_apart(struct table_sets *s)
{
    const struct table_overflow *set = s->set;
    uint32_t rows[TABLE_BITS_MOST], pivots = 1;

    for (unsigned i = 1; i < set->dimensions; i++) {
        uint32_t row = set->basis[i];
        for (unsigned j = 1; j < i; j++)
            row ^= row & rows[j] & -rows[j] ? rows[j] : 0;
        rows[i] = row;
        pivots |= row & -row;
    }
    s->apart_count = 0;
    for (unsigned bit = 0; bit < set->used; bit++)
        if (!(pivots >> bit & 1))
            s->apart[s->apart_count++] = UINT32_C(1) << bit;
}

/*
 * Whether the table distinguishes histories that go opposite ways: as many of the set as there are ways, in all sets that
 * apart[] leads to, go by whether apart[which] is in the sum. With `which` as apart_count, in one set only, by whether
 * `change` is in it.
 */
static bool distinguishes(const struct table_sets *s, unsigned which, uint32_t change, bool *result)
{
    const bool one = which == s->apart_count;
    const unsigned sets = one ? 1 : s->apart_count;
    unsigned fits = 0;
    bool differ = false;

    for (unsigned n = 0; n < TABLE_SET_SAMPLES && fits < TABLE_SET_FITS && !differ; n++) {
        unsigned count = 0;
        enum table_fit fit;
        draw(s, of_set);
        for (uint32_t chosen = 0; chosen >> sets == 0; chosen++) {
            const bool against = one ? chosen : chosen >> which & 1;
            for (unsigned i = 0; i < s->set->ways; i++)
                list[count++] = of_set[2 * i] ^ (one ? chosen * change : sum(s->apart, sets, chosen)) ^
                                (against ? TABLE_AGAINST : 0);
        }
        if (!s->ways->sample(s->ways->context, list, count, &fit))
            return false;
        fits += fit == TABLE_FITS;
        differ = fit == TABLE_OVERFLOWS;
    }
    *result = fits >= TABLE_SET_FITS;
    return true;
}

/* Whether there is room for the histories of all sets that are known. */
static bool has_room(const struct table_sets *s)
{
    return (2 * (s->set->ways + 1)) << s->apart_count <= TABLE_HISTORIES;
}

/*
 * Takes bits of the history that have not been used, until `most` in a row lead to sets that are known; others lead to
 * further sets. False: the probe is over.
 */
static bool extend(struct table_sets *s, unsigned most, enum reason *reason)
{
    unsigned in_vain = 0;

    for (; s->next < s->bits && in_vain < most && !*reason; s->next++) {
        const uint32_t bit = UINT32_C(1) << s->next;
        bool known, clear;
        if (!has_room(s)) {
            *reason = REASON_FIXED_RANGE_ENDS;
            return true;
        }
        if (!overflow(s, s->apart_count, bit, &known, &clear))
            return false;
        if (!clear)
            *reason = REASON_AMBIGUOUS;
        in_vain = known ? in_vain + 1 : 0;
        if (!known && clear)
            s->apart[s->apart_count++] = bit;
    }
    if (in_vain < most && !*reason)
        *reason = REASON_NOT_LEFT;
    return true;
}

bool table_sets_start(struct table_sets *s, enum reason *reason)
{
    bool known, clear = true;

    s->alike_count = 0;
    s->next = s->set->used;
    *reason = REASON_NONE;
    find_apart(s);
    for (unsigned i = 0; i < s->apart_count && !*reason; i++) {
        if (!distinguishes(s, i, 0, &known))
            return false;
        *reason = known ? REASON_NONE : REASON_HISTORIES_ALIKE;
    }
    if (*reason)
        return true;
    if (!extend(s, 1, reason))
        return false;
    /* the bit leads to a known set: which one, by halves */
    uint32_t change = UINT32_C(1) << (s->next - 1);
    for (unsigned i = s->apart_count; i-- > 0 && !*reason;) {
        if (!overflow(s, i, change, &known, &clear))
            return false;
        *reason = clear ? REASON_NONE : REASON_AMBIGUOUS;
        change ^= known ? 0 : s->apart[i];
    }
    if (*reason)
        return true;
    if (!overflow(s, 0, change, &known, &clear))
        return false;
    *reason = known && clear ? REASON_NONE : REASON_AMBIGUOUS;
    if (!*reason && !distinguishes(s, s->apart_count, change, &known))
        return false;
    *reason = *reason ? *reason : known ? REASON_NONE : REASON_HISTORIES_ALIKE;
    for (unsigned i = 1; i < s->set->dimensions; i++)
        s->alike[i - 1] = s->set->basis[i];
    s->alike[s->set->dimensions - 1] = change;
    s->alike_count = s->set->dimensions;
    return true;
}

bool table_sets_count(struct table_sets *s, const uint64_t *addresses, unsigned count, unsigned *bits,
                      enum reason *reason)
{
    unsigned reached = 1; /* changes of the address that lead to sets of the history: that of nothing does */

    *reason = count > TABLE_ADDRESSES ? REASON_TOO_MANY_MASKS : REASON_NONE;
    if (!*reason && !extend(s, TABLE_SATURATED, reason))
        return false;
    for (uint32_t chosen = 1; chosen >> count == 0 && !*reason; chosen++) {
        uint64_t difference = 0;
        bool known, clear;
        for (unsigned i = 0; i < count; i++)
            difference ^= chosen >> i & 1 ? addresses[i] : 0;
        s->choose(s->ways->context, difference);
        if (!overflow(s, s->apart_count, TABLE_OTHER, &known, &clear))
            return false;
        *reason = clear ? *reason : REASON_AMBIGUOUS;
        reached += known;
    }
    /* these changes form a subspace: 2^n of them, of 2^count */
    if (!*reason && (reached & (reached - 1)))
        *reason = REASON_NOT_LINEAR;
    *bits = s->apart_count + count - (*reason ? 0 : (unsigned)__builtin_ctz(reached));
    return true;
}
