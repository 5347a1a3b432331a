#include "lib/structure/duel_looks.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/base/statistics.h"
#include "lib/measure/list.h"
#include "lib/structure/replacement.h"
#include "lib/structure/set_associativity.h"
#include "lib/structure/tolerances_replacement.h"

enum {
    LOOK_WORD = 4,   /* of a line: the pointer of looks; the first ones are those of walks, and displacers' are 0 */
    LOOK_ROUNDS = 5, /* of the cycle in an iteration, at least */
    /*
     * Before a look. Bimodal insertion keeps one new line in 32, so that a set holds what it can after 32 rounds on
     * average. Chosen on models: after 64 rounds 3 of 16 sets of BRRIP did not yet.
     */
    WARM_ROUNDS = 4 * 32,
    LOOK_READINGS = 3,
    LOOK_ATTEMPTS = 4, /* at a look that was interrupted */
    CALIBRATED = 15,   /* sets in which hits and misses are measured */
    WALK_UNROLL = 8,
    WALK_BYTES = 512, /* of code */
    GROUP = 256,      /* lines of a walk in random order */
    /*
     * Passes over a half before the next one. A policy that loses lines misses half a set's lines in the first pass over
     * each of five halves, 2.5 times the ways. One that keeps lines holds two of the halves, and misses the other three
     * in all four passes, 6 times the ways: 2.4 times as often.
     */
    HALF_PASSES = 4,
    /*
     * By how many misses the leaders of both policies should differ, if one set in LEADERS_ONE_IN leads: twice as many as
     * a counter of ten bits counts (Jaleel et al. 2010). In a set they differ by half of the ways at least, once through
     * a half and once round the cycle.
     */
    MORE_MISSES = 2048,
    LEADERS_ONE_IN = 64
};

/* Bytes from the start of the ring to lines of looks, and to displacers. */
static size_t looks_at(const struct duel_looks *d)
{
    return (size_t)DUEL_HALVES * (d->ways / 2) * d->way_bytes;
}

static size_t displacers_at(const struct duel_looks *d)
{
    return looks_at(d) + (d->ways + 1) * d->way_bytes;
}

/* Links a walk over part of the ring, with a start of its own. */
static bool link_walk(struct duel_looks *d, struct pointer_chase *c, size_t offset, size_t lines)
{
    *c = d->chase;
    if (!probe_map(d->p, &c->start, sizeof(uint64_t), 0))
        return false;
    pointer_chase_link(d->p, c, offset, lines, GROUP);
    return true;
}

/* The cycle's pointers are the first words of its lines, and those of halves the second. */
static bool link_walks(struct duel_looks *d)
{
    const size_t half = d->ways / 2 * d->way_bytes;

    d->half_lines = half / POINTER_CHASE_LINE_BYTES;
    if (!link_walk(d, &d->cycle, 0, DUEL_CYCLE_HALVES * d->half_lines))
        return false;
    for (size_t i = 0; i < DUEL_HALVES; i++)
        if (!link_walk(d, &d->halves[i], i * half + sizeof(uint64_t), d->half_lines))
            return false;
    return true;
}

static bool make_kernels(struct duel_looks *d)
{
    const size_t lines = d->ways + 1;
    const unsigned unroll = pointer_chase_unroll(lines, LOOK_ROUNDS);
    struct code c = probe_code(d->p, WALK_BYTES + displaced_chase_bytes(&d->displacers, unroll));
    const size_t walk_at = c.used;

    emit_load(&c, REG_T0, REG_DATA, 0);
    const size_t loop = c.used;
    for (unsigned i = 0; i < WALK_UNROLL; i++)
        emit_load(&c, REG_T0, REG_T0, 0);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);
    const size_t look_at = emit_displaced_chase(&c, &d->displacers, lines, unroll);
    d->look.units = (double)unroll;
    d->look.data = d->chase.start.at;
    return probe_kernel(d->p, &c, walk_at, &d->walk) && probe_kernel(d->p, &c, look_at, &d->look);
}

/* Runs the list. *quiet: nothing has interrupted it. */
static bool run_list(struct duel_looks *d, struct reading *list, size_t count, bool *quiet)
{
    const struct window_result result = list_run(&d->p->run->meter, list, count);

    d->p->run->meter.taken++;
    *quiet = !result.interrupts && !result.smis;
    return probe_survived(d->p, &result) && probe_goes_on(d->p);
}

/* Walks one part of the ring as often as it takes to come to as many lines. */
static bool walk(struct duel_looks *d, const struct pointer_chase *c, size_t lines)
{
    struct reading r = reading_of(&d->walk, lines / WALK_UNROLL);
    bool quiet;

    r.argument[1] = c->start.at;
    return run_list(d, &r, 1, &quiet);
}

bool duel_favour(struct duel_looks *d, enum duel_favour favour)
{
    for (unsigned time = 0; time < d->walk_times[favour]; time++) {
        if (favour == FAVOURS_KEEPING && !walk(d, &d->cycle, DUEL_CYCLE_HALVES * d->half_lines))
            return false;
        for (size_t i = 0; i < DUEL_HALVES && favour == FAVOURS_LOSING; i++)
            if (!walk(d, &d->halves[i], HALF_PASSES * d->half_lines))
                return false;
    }
    return true;
}

/* Ticks of a reading of a cycle over `lines` lines of a set, from byte `from` of the ring on; NaN: interrupted. */
static bool time_cycle(struct duel_looks *d, size_t set, size_t from, size_t lines, double *ticks)
{
    size_t offsets[4 * REPLACEMENT_WAYS];
    bool quiet = false;

    for (size_t i = 0; i < lines; i++)
        offsets[i] = from + i * d->way_bytes + set * POINTER_CHASE_LINE_BYTES + LOOK_WORD * sizeof(uint64_t);
    random_shuffle(offsets, lines, sizeof *offsets, &d->p->random);
    pointer_chase_follow(&d->chase, offsets, lines);
    ((uint64_t *)d->chase.start.write)[1] = d->chase.ring.at + displacers_at(d) + set * POINTER_CHASE_LINE_BYTES;
    *ticks = NAN;
    for (unsigned attempt = 0; attempt < LOOK_ATTEMPTS && !quiet; attempt++) {
        struct reading list[1 + LOOK_READINGS];
        double all[LOOK_READINGS];
        list[0] = reading_of(&d->look, (uint64_t)ceil(WARM_ROUNDS / d->look.units));
        for (size_t i = 1; i <= LOOK_READINGS; i++)
            list[i] = reading_of(&d->look, 1);
        if (!run_list(d, list, 1 + LOOK_READINGS, &quiet))
            return false;
        for (size_t i = 0; i < LOOK_READINGS; i++)
            all[i] = reading_ticks(&list[1 + i]) - d->p->run->meter.harness_ticks;
        if (quiet)
            *ticks = median(all, LOOK_READINGS);
    }
    return true;
}

bool duel_look(struct duel_looks *d, size_t set, enum duel_look *look)
{
    double ticks;

    if (!time_cycle(d, set, looks_at(d), d->ways + 1, &ticks))
        return false;
    *look = duel_look_of((ticks - d->hits) / (d->misses - d->hits), d->ways);
    return true;
}

/*
 * Hits: half as many lines as ways. Misses: the lines of all walks, more than twice the ways, while policies that lose
 * are favoured; one that keeps lines misses more than half of these, too.
 */
static bool calibrate(struct duel_looks *d, bool *differ)
{
    const size_t most = (size_t)DUEL_HALVES * (d->ways / 2);
    double hits[CALIBRATED], misses[CALIBRATED];
    const size_t sets = (size_t)probe_smoke(d->p, 1, CALIBRATED);
    size_t count = 0;

    if (!duel_favour(d, FAVOURS_LOSING))
        return false;
    for (size_t i = 0; i < sets; i++) {
        const size_t set = 1 + random_below(&d->p->random, d->sets - 1);
        if (!time_cycle(d, set, looks_at(d), d->ways / 2, &hits[count]) || !time_cycle(d, set, 0, most, &misses[count]))
            return false;
        count += isnan(hits[count]) || isnan(misses[count]) ? 0 : 1;
    }
    sort_numbers(hits, count);
    sort_numbers(misses, count);
    d->hits = median(hits, count);
    d->misses = median(misses, count);
    *differ = count > sets / 2 && (quantile(hits, count, 0.75) - quantile(hits, count, 0.25)) +
                                          (quantile(misses, count, 0.75) - quantile(misses, count, 0.25)) <
                                      DUEL_CLEAR * (d->misses - d->hits);
    return true;
}

bool duel_looks_start(struct probe *p, struct duel_looks *d, const struct cache_span *first,
                      const struct cache_span *second, enum reason *reason)
{
    *d = (struct duel_looks){.p = p, .ways = second->ways, .way_bytes = second->bytes};
    d->sets = second->bytes / POINTER_CHASE_LINE_BYTES;
    *reason = REASON_CAPACITY_UNKNOWN;
    if (!first->ways || second->ways < 4)
        return true;
    /* no other set gets more than one of the lines that displace, so that it keeps that whatever its policy is */
    const size_t others = second->bytes / first->bytes, wanted = 2 * (size_t)first->ways;
    *reason = REASON_HARDLY_LARGER;
    if (others <= first->ways || second->bytes % first->bytes)
        return true;
    d->displacers = (struct displacers){wanted < others ? wanted : others - 1, first->bytes, others};
    if (!pointer_chase_map(p, &d->chase, displacers_at(d) + displacers_bytes(&d->displacers) + second->bytes))
        return false;
    const struct area *ring = &d->chase.ring;
    const size_t page = probe_scattered(ring) ? machine_info()->page_bytes[0] : ring->page_bytes;
    *reason = REASON_RANDOM_FRAMES;
    if ((double)second->bytes > frame_known_bytes(page))
        return true;
    const size_t leaders = d->sets / LEADERS_ONE_IN + 1;
    const unsigned more = (unsigned)(leaders * (d->ways / 2));
    const unsigned misses = (unsigned)probe_smoke(p, 0, MORE_MISSES);
    d->walk_times[FAVOURS_LOSING] = 1 + misses / (DUEL_HALVES * more);
    d->walk_times[FAVOURS_KEEPING] = 1 + misses / more;
    bool differ;
    if (!link_walks(d) || !make_kernels(d) || !calibrate(d, &differ))
        return false;
    *reason = differ ? REASON_NONE : REASON_NO_CONTRAST;
    return true;
}
