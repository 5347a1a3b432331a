#include "lib/structure/eviction_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    GROUP = 32,            /* pages that are added, or removed, together */
    CONFIRM_REJECTION = 2, /* measurements that reject a page: one that is rejected by mistake does no harm */
    CONFIRM_MEMBER = 6,    /* measurements that a page is of a set: each one is counted once */
    PAIRS = 3,             /* measurements with and without a page, of which the median counts */
    ROUNDS = 4,            /* in a reading, at least, … */
    LOAD_CYCLES = 16,      /* … if a load takes about so many cycles */
    WARM_ROUNDS = 6,
    UNROLL = 8
};

bool eviction_sets_map(struct probe *p, struct eviction_sets *e, size_t pool, size_t page_bytes)
{
    *e = (struct eviction_sets){.p = p, .page_bytes = page_bytes, .pool = pool};
    if (!pointer_chase_map(p, &e->chase, pool * page_bytes))
        return false;
    e->collected = malloc((4 + EVICTION_LINES) * (pool + 1) * sizeof *e->collected);
    if (!e->collected)
        return probe_skip(p, "out of memory");
    e->rejected = e->collected + pool; /* and two more lists as long behind it */
    e->offsets = e->collected + 4 * pool;
    return true;
}

void eviction_sets_free(struct eviction_sets *e)
{
    free(e->collected);
}

/* ---- Misses ------------------------------------------------------------------------------------- */

/*
 * Cycles of a round over `lines` lines of each page; NaN where no reading was accepted. All pages have them at the same
 * places, drawn anew for each call; as a control, half of the pages have them at other places.
 */
static bool measure_round(struct eviction_sets *e, const size_t *pages, size_t count, bool control, double *cycles)
{
    const size_t apart = e->page_bytes / POINTER_CHASE_LINE_BYTES / e->lines, other = apart / EVICTION_PLACES,
                 loads = count * e->lines;
    const size_t place = 1 + random_below(&e->p->random, other - 1);
    const size_t rounds = e->lines > 1 ? 1
                                       : ROUNDS; /* of several lines a round is long; a longer reading is disturbed */
    const double span_cycles = (double)(e->p->run->meter.chain_iterations * READER_CHAIN);
    struct kernel k = {.warm_iterations = (double)(WARM_ROUNDS * loads) / UNROLL,
                       .length_factor = fmax(1, (double)(rounds * loads * LOAD_CYCLES) / span_cycles)};
    struct point pt;

    for (size_t i = 0, left = count / EVICTION_PLACES; i < count; i++) {
        /* a random half, since every second page may well be of one set */
        size_t moved = control && random_below(&e->p->random, count - i) < left;
        left -= moved;
        for (size_t line = 0; line < e->lines; line++)
            e->offsets[i * e->lines + line] = pages[i] * e->page_bytes +
                                              (line * apart + place + moved * other) * POINTER_CHASE_LINE_BYTES;
    }
    pointer_chase_scatter(e->p, &e->chase, e->offsets, loads);
    if (!pointer_chase_kernel(e->p, &e->chase, pointer_chase_unroll(loads, UNROLL), &k) ||
        !probe_measure(e->p, &k, &pt))
        return false;
    *cycles = pt.q20 * (double)loads;
    return true;
}

/* Misses of a round over these pages more than in the control, which costs the TLBs as much. */
static bool misses_above_control(struct eviction_sets *e, const size_t *pages, size_t count, double *misses)
{
    double cycles, again;

    if (count != e->control_count) { /* the faster of two: whatever else uses the cache only adds to it */
        if (!measure_round(e, pages, count, true, &e->control_cycles) || !measure_round(e, pages, count, true, &again))
            return false;
        e->control_cycles = fmin(e->control_cycles, again);
        e->control_count = isnan(e->control_cycles) ? 0 : count;
    }
    if (!measure_round(e, pages, count, false, &cycles))
        return false;
    *misses = (cycles - e->control_cycles) / e->miss_cycles;
    return true;
}

/*
 * Whether these pages overfill a set. All of so many measurements have to show it, each at another place in the pages,
 * since at some places something else, page tables for example, occupies a way. One without a reading excludes nothing.
 */
static bool find_conflict(struct eviction_sets *e, const size_t *pages, size_t count, unsigned measurements,
                          bool *conflict)
{
    *conflict = true;
    for (unsigned i = 0; i < measurements && *conflict; i++) {
        double misses;
        if (!misses_above_control(e, pages, count, &misses))
            return false;
        *conflict = isnan(misses) || misses > EVICTION_MISS * (double)e->lines;
    }
    return true;
}

/*
 * Misses that the last of these pages adds, by one measurement with it and one without. With several lines of each
 * page a round has thousands of loads, and what other programs evict meanwhile costs more than one overfilled set
 * does: so the page itself is left out instead of using the control.
 */
static bool sample_misses_of_last(struct eviction_sets *e, const size_t *pages, size_t count, double *misses)
{
    double without, with;

    if (!measure_round(e, pages, count - 1, false, &without) || !measure_round(e, pages, count, false, &with))
        return false;
    *misses = (with - without * (double)count / (double)(count - 1)) / e->miss_cycles;
    return true;
}

/* The median of several such samples; NaN where most had no reading. */
static bool median_misses_of_last(struct eviction_sets *e, const size_t *pages, size_t count, double *misses)
{
    double more[PAIRS];
    size_t known = 0;

    for (size_t i = 0; i < PAIRS; i++) {
        if (!sample_misses_of_last(e, pages, count, &more[known]))
            return false;
        if (!isnan(more[known]))
            known++;
    }
    sort_numbers(more, known);
    *misses = 2 * known > PAIRS ? quantile(more, known, 0.5) : (double)NAN;
    return true;
}

/*
 * Whether the last `added` of these pages have to be rejected. A page that is rejected by mistake does no harm, but one
 * that is collected by mistake hides the next one of its set: so a single page must bring no misses in any measurement.
 */
static bool find_rejection(struct eviction_sets *e, const size_t *pages, size_t count, size_t added, bool *reject)
{
    if (e->lines == 1 || added > 1)
        return find_conflict(e, pages, count, CONFIRM_REJECTION, reject);
    *reject = false;
    for (size_t i = 0; i < PAIRS && !*reject; i++) {
        double misses;
        if (!sample_misses_of_last(e, pages, count, &misses))
            return false;
        *reject = !(misses <= EVICTION_MISS * (double)e->lines);
    }
    return true;
}

/* Whether to go on: false once there is a reason; sets REASON_BUDGET when no time is left. */
static bool goes_on(struct eviction_sets *e)
{
    if (meter_seconds(&e->p->run->meter) > e->deadline)
        e->reason = REASON_BUDGET;
    return !e->reason;
}

/*
 * By how much a miss takes longer than a hit: nearly all of the pool misses, a small part of it hits. With several
 * lines of each page all of the pool might miss the next level, too; twice what the cache holds is enough.
 */
static bool measure_miss(struct eviction_sets *e)
{
    const size_t resident = e->pool / (2 * EVICTION_POOL_FACTOR), all = e->lines > 1 ? 4 * resident : e->pool;
    double few, many;

    for (size_t i = 0; i < e->pool; i++)
        e->rejected[i] = i;
    do /* again where no reading was accepted: the core may be less disturbed later */
        if (!measure_round(e, e->rejected, resident, false, &few) || !measure_round(e, e->rejected, all, false, &many))
            return false;
    while (isnan(few + many) && goes_on(e));
    few /= (double)(resident * e->lines);
    e->miss_cycles = many / (double)(all * e->lines) - few;
    if (!e->reason && !(e->miss_cycles > LEVEL_RISES * few))
        e->reason = REASON_NO_CONTRAST;
    return true;
}

/* ---- The collection ----------------------------------------------------------------------------- */

/*
 * Adds pages in groups, which are halved where they bring misses. Done when the last additions, one page each, were all
 * rejected and are more than rejected_part of the collection. *rejected_count of them are listed in e->rejected.
 */
static bool collect_pages(struct eviction_sets *e, double rejected_part, size_t *rejected_count)
{
    /* half of the first group misses the first level, too */
    size_t size = 2 * EVICTION_FIRST_LEVEL_WAYS + GROUP / 2, rejected = 0, next = 0;

    while (next < e->pool && goes_on(e)) {
        size_t count = size < e->pool - next ? size : e->pool - next;
        bool reject;
        for (size_t i = 0; i < count; i++)
            e->collected[e->collected_count + i] = next + i;
        if (!find_rejection(e, e->collected, e->collected_count + count, count, &reject))
            return false;
        if (!reject) {
            e->collected_count += count;
            rejected = 0;
            size = 2 * size < GROUP ? 2 * size : GROUP;
        } else if (count > 1) {
            size = count / 2;
            continue;
        } else {
            rejected++;
            e->rejected[rejected - 1] = next;
        }
        next += count;
        *rejected_count = rejected;
        if (rejected > EVICTION_SETS && (double)rejected > rejected_part * (double)e->collected_count)
            return true;
    }
    e->reason = e->reason ? e->reason : REASON_NOT_LEFT;
    return true;
}

/* ---- The ways of a set -------------------------------------------------------------------------- */

/*
 * Counts the pages of the collection from number `from` to `to` - 1 that lie in the set of page `extra`: without one of
 * them its misses disappear. For one line of each page.
 */
static bool count_by_halving(struct eviction_sets *e, size_t extra, size_t from, size_t to, size_t *count)
{
    size_t *rest = e->rejected + e->pool, n = 0;
    bool conflict;

    if (!goes_on(e))
        return true;
    for (size_t i = 0; i < e->collected_count; i++)
        if (i < from || i >= to)
            rest[n++] = e->collected[i];
    rest[n++] = extra;
    if (!find_conflict(e, rest, n, CONFIRM_MEMBER, &conflict))
        return false;
    if (conflict)
        return true;
    if (to - from == 1) {
        ++*count;
        return true;
    }
    size_t middle = from + (to - from) / 2;
    return count_by_halving(e, extra, from, middle, count) && count_by_halving(e, extra, middle, to, count);
}

/*
 * The same for several lines of each page: groups are removed for good as long as the misses of `extra` stay, until
 * as few pages are left as just miss the first level, and then one page at a time is left out. NaN: the misses
 * disappeared before.
 */
static bool count_by_removal(struct eviction_sets *e, size_t extra, double *ways)
{
    size_t *rest = e->rejected + e->pool, *trial = rest + e->pool, n = e->collected_count, of_set = 0;
    double first, misses;

    memcpy(rest, e->collected, n * sizeof *rest);
    rest[n] = extra;
    *ways = NAN;
    if (!median_misses_of_last(e, rest, n + 1, &first))
        return false;
    if (!(first > EVICTION_MISS * (double)e->lines))
        return true;
    for (size_t size = GROUP; size > 0; size /= 2)
        for (size_t from = 0; from + size <= n && n >= 2 * EVICTION_FIRST_LEVEL_WAYS + size && goes_on(e);) {
            memcpy(trial, rest, from * sizeof *rest);
            memcpy(trial + from, rest + from + size, (n + 1 - from - size) * sizeof *rest);
            if (!median_misses_of_last(e, trial, n + 1 - size, &misses))
                return false;
            if (misses > first / 2) {
                n -= size;
                memcpy(rest, trial, (n + 1) * sizeof *rest);
            } else {
                from += size;
            }
        }
    if (!median_misses_of_last(e, rest, n + 1, &misses))
        return false;
    const bool still = misses > first / 2;
    for (size_t i = 0; i < n && still && goes_on(e); i++) {
        memcpy(trial, rest, i * sizeof *rest);
        memcpy(trial + i, rest + i + 1, (n - i) * sizeof *rest);
        if (!median_misses_of_last(e, trial, n, &misses))
            return false;
        of_set += misses <= first / 2 ? 1 : 0;
    }
    if (still && !e->reason)
        *ways = (double)of_set;
    return true;
}

/* Counts the ways of the sets of rejected pages. Pages rejected by mistake bring no misses, and are passed over. */
static bool count_ways(struct eviction_sets *e, size_t rejected, double ways[EVICTION_SETS])
{
    for (size_t set = 0, i = 0; set < EVICTION_SETS && i < rejected && goes_on(e); i++) {
        size_t count = 0;
        bool conflict;
        if (e->lines > 1) {
            if (!count_by_removal(e, e->rejected[i], &ways[set]))
                return false;
            set += isnan(ways[set]) ? 0 : 1;
            continue;
        }
        e->collected[e->collected_count] = e->rejected[i];
        if (!find_conflict(e, e->collected, e->collected_count + 1, CONFIRM_MEMBER, &conflict))
            return false;
        if (!conflict)
            continue;
        for (size_t from = 0; from < e->collected_count; from += GROUP) {
            size_t to = from + GROUP < e->collected_count ? from + GROUP : e->collected_count;
            if (!count_by_halving(e, e->rejected[i], from, to, &count))
                return false;
        }
        ways[set++] = count > 0 && !e->reason ? (double)count : (double)NAN;
    }
    return true;
}

bool eviction_sets_find(struct eviction_sets *e, size_t lines, double seconds, double ways[EVICTION_SETS])
{
    const double rejected_part = lines > 1 ? EVICTION_REJECTED_LINES : EVICTION_REJECTED;
    size_t rejected = 0;

    for (size_t i = 0; i < EVICTION_SETS; i++)
        ways[i] = NAN;
    e->lines = lines;
    e->collected_count = e->control_count = 0;
    e->reason = REASON_NONE;
    e->deadline = meter_seconds(&e->p->run->meter) + seconds;
    return measure_miss(e) && (e->reason || collect_pages(e, probe_smoke(e->p, 0, rejected_part), &rejected)) &&
           (e->reason || count_ways(e, rejected, ways));
}
