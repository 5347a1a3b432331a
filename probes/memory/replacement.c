/*
 * First and second data cache: which line of a full set is replaced?
 *
 * Experiment: sequences of loads from one set, a few more lines than it has ways, in random order and some of them
 * again soon, walked round and round as one pointer chase. Each line has room for several pointers, one for each time
 * that a round visits it. So a round takes the time of its hits and misses together, and no single load has to be
 * timed. The sequence of a trial is the same in every round; but each load of the code visits all its places in turn,
 * so that no predictor learns where it goes (lib/kernels/pointer_chase.h). A sequence over half of the ways shows the
 * time of a round without misses.
 *
 * There is no curve: each sequence gives one time. The table `rounds` has them all.
 *
 * Inference: every known policy is simulated on the same sequences (lib/structure/replacement.h). Those that miss as
 * often as was measured, to half a miss a round, may be the cache's, and all of them are reported. The cost of a miss
 * follows from all sequences together. Two batches, in other sets and with other sequences: a policy must explain
 * both.
 *
 * Second level: behind each load of the sequence, lines of the same set of the first level, but of other sets of the
 * second, are loaded (lib/kernels/displaced_chase.h), so that the next one comes to the second level. Frames must
 * follow each other over a way of it. Where its sets are chosen by a hash, no policy explains the sequences.
 *
 * Sources: Abel and Reineke 2020, nanoBench: random sequences against simulated policies; chains instead of counters
 * are ours. docs/METHODS.md, 7.6.
 */
#include <math.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/displaced_chase.h"
#include "lib/probe/probe.h"
#include "lib/structure/replacement.h"
#include "lib/structure/replacement_rounds.h"
#include "lib/structure/replacement_span.h"
#include "lib/structure/set_associativity.h"

enum {
    USES = POINTER_CHASE_LINE_BYTES / sizeof(uint64_t), /* of a line in a round, at most */
    DISPLACERS_FACTOR = 2, /* lines that displace one from the first level, in parts of its ways */
    ROUNDS = 5             /* of a sequence with displacers, in an iteration */
};

struct set {
    struct pointer_chase chase;
    unsigned level, ways;
    struct displacers displacers; /* count 0: none are needed */
    size_t way_bytes, line;       /* distance of lines of one set; number of the set */
};

/* Cycles of a round over this sequence of lines. */
static bool measure_round(struct probe *p, void *context, const uint8_t *blocks, size_t length, double *cycles)
{
    const struct set *s = context;
    size_t offsets[REPLACEMENT_LENGTH], used[REPLACEMENT_BLOCKS] = {0};
    struct kernel k = {.length_factor = 2};
    struct point pt;

    for (size_t i = 0; i < length; i++)
        offsets[i] = blocks[i] * s->way_bytes + s->line * POINTER_CHASE_LINE_BYTES +
                     used[blocks[i]]++ * sizeof(uint64_t);
    if (!s->displacers.count)
        return replacement_walk(p, &s->chase, offsets, length, cycles);
    pointer_chase_follow(&s->chase, offsets, length);
    if (!displaced_chase_kernel(p, &s->chase, &s->displacers, s->chase.ring.at + s->line * POINTER_CHASE_LINE_BYTES,
                                length, pointer_chase_unroll(length, ROUNDS), &k))
        return false;
    k.warm_iterations = (double)REPLACEMENT_WARM_ROUNDS / ROUNDS;
    if (!probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20 * (double)length;
    return true;
}

static void choose_set(struct probe *p, void *context)
{
    struct set *s = context;

    /* not the first set: it holds the word with which the walk begins */
    s->line = 1 + random_below(&p->random, s->way_bytes / POINTER_CHASE_LINE_BYTES - 1);
}

static struct finding undecided(const struct set *s, enum reason reason)
{
    return (struct finding){.name = "memory.cache.replacement",
                            .variants = {{"level", .number = s->level}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason,
                            .method = REPLACEMENT_METHOD};
}

static bool find_policy(struct probe *p, struct set *s)
{
    const struct replacement_rounds r = {.structure = "cache",
                                         .level = s->level,
                                         .ways = s->ways,
                                         .uses = USES,
                                         .context = s,
                                         .choose_set = choose_set,
                                         .measure = measure_round};
    const struct finding f = undecided(s, REASON_NONE);

    return replacement_rounds_find(p, &r, &f);
}

static struct set set_of(const struct probe *p, unsigned level)
{
    const struct cache_span span = cache_span_of(p, level);

    return (struct set){.level = level, .line = 1, .ways = span.ways, .way_bytes = span.bytes};
}

/* Prepares the second level. *reason: why it cannot be tried, or REASON_NONE. False: the probe has ended. */
static bool prepare_second(struct probe *p, const struct set *first, struct set *s, enum reason *reason)
{
    *reason = REASON_CAPACITY_UNKNOWN;
    if (!s->ways)
        return true;
    /* no other set of the second level gets as many lines as it has ways */
    const size_t sets = s->way_bytes / first->way_bytes, lines = (size_t)DISPLACERS_FACTOR * first->ways;
    *reason = REASON_HARDLY_LARGER;
    if (sets < 2 || (sets - 1) * (s->ways - 1) < lines)
        return true;
    s->displacers = (struct displacers){lines, first->way_bytes, sets};
    const size_t sequence = replacement_blocks(s->ways) * s->way_bytes,
                 others = displacers_bytes(&s->displacers) + s->way_bytes;
    if (!pointer_chase_map(p, &s->chase, sequence > others ? sequence : others))
        return false;
    const struct area *ring = &s->chase.ring;
    const size_t page = probe_scattered(ring) ? machine_info()->page_bytes[0] : ring->page_bytes;
    *reason = (double)s->way_bytes > frame_known_bytes(page) ? REASON_RANDOM_FRAMES : REASON_NONE;
    return true;
}

static void run(struct probe *p)
{
    struct set first = set_of(p, 1), second = set_of(p, 2);

    if (!first.ways) {
        probe_skip(p, "caches with less than 2 or more than 32 ways, or with a single set, are not simulated");
        return;
    }
    enum reason reason;
    if (!pointer_chase_map(p, &first.chase, replacement_blocks(first.ways) * first.way_bytes) ||
        !find_policy(p, &first) || !prepare_second(p, &first, &second, &reason))
        return;
    const struct finding untried = undecided(&second, reason);
    if (reason)
        report(p, &untried);
    else
        find_policy(p, &second);
}

PROBE(replacement, .title = "Data cache: replacement", .family = "memory", .after = "cache_sets", .run = run,
      .needs = NEEDS("memory.cache.ways level=1", "memory.cache.bytes level=1"),
      .findings = FINDINGS({"memory.cache.replacement", "policy",
                            "policy by which a data cache replaces lines; all that fit"}));
