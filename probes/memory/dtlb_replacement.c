/*
 * First data TLB: which entry of a full set is replaced?
 *
 * Experiment: as in the probe replacement, but with pages in place of lines: sequences of loads from pages of one set,
 * a few more than it has ways, in random order and some of them again soon, walked round and round as one pointer
 * chase. Each page has one line, with room for several pointers; the lines of neighbouring numbers are in different
 * sets of the data cache, so that only translations miss. They come from the second level of TLBs. A sequence over half
 * of the ways shows the time of a round without misses.
 *
 * There is no curve: each sequence gives one time. The table `rounds` has them all.
 *
 * Inference: every known policy is simulated on the same sequences; those that explain both of two batches, in
 * different sets, may be the TLB's, and all of them are reported.
 *
 * Sources: Gras et al. 2018 (TLBleed) and Tatar et al. 2022 (TLB;DR) for the policies of TLBs, by counters; sequences
 * and time are those of the probe replacement. docs/METHODS.md, 7.25.
 */
#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"
#include "lib/structure/replacement.h"
#include "lib/structure/replacement_rounds.h"

enum {
    USES = POINTER_CHASE_LINE_BYTES / sizeof(uint64_t), /* of a page in a round, at most */
    SETS_BITS_MOST = 12                                 /* more than any known TLB has */
};

struct set {
    struct pointer_chase chase;
    size_t page_bytes, sets, set; /* set: number of the one that is used */
};

static void choose_set(struct probe *p, void *context)
{
    struct set *s = context;

    s->set = random_below(&p->random, s->sets);
}

/* Cycles of a round over these pages. */
static bool measure_round(struct probe *p, void *context, const uint8_t *blocks, size_t length, double *cycles)
{
    const struct set *s = context;
    const size_t lines = s->page_bytes / POINTER_CHASE_LINE_BYTES;
    size_t offsets[REPLACEMENT_LENGTH], used[REPLACEMENT_BLOCKS] = {0};

    for (size_t i = 0; i < length; i++) {
        const size_t page = blocks[i] * s->sets + s->set;
        offsets[i] = page * s->page_bytes + (blocks[i] + 1U) % lines * POINTER_CHASE_LINE_BYTES +
                     used[blocks[i]]++ * sizeof(uint64_t);
    }
    return replacement_walk(p, &s->chase, offsets, length, cycles);
}

static struct finding finding_of(const struct set *s, enum reason reason)
{
    return (struct finding){.name = "memory.dtlb.replacement",
                            .variants = {{"level", .number = 1}, {"page", page_name(s->page_bytes)}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason,
                            .method = REPLACEMENT_METHOD};
}

static void run(struct probe *p)
{
    const double ways = facts_number(&p->run->facts, "memory.dtlb.ways", "level=1 access=load", 0),
                 bits = facts_number(&p->run->facts, "memory.dtlb.index_bits", "level=1 access=load", (double)NAN);
    struct set s = {.page_bytes = machine_info()->page_bytes[0]};
    const struct replacement_rounds r = {.structure = "dtlb",
                                         .level = 1,
                                         .ways = (unsigned)ways,
                                         .uses = USES,
                                         .context = &s,
                                         .choose_set = choose_set,
                                         .measure = measure_round};
    enum reason reason = !(ways > 0) || isnan(bits) || bits > SETS_BITS_MOST ? REASON_FIRST_SETS_UNKNOWN
                         : ways < 2 || ways > REPLACEMENT_WAYS               ? REASON_WAYS_NOT_SIMULATED
                                                                             : REASON_NONE;
    const char *why = NULL;

    if (!reason) {
        s.sets = (size_t)1 << (unsigned)bits;
        why = pointer_chase_try_map(&s.chase, replacement_blocks(r.ways) * s.sets * s.page_bytes, s.page_bytes);
    }
    if (why) {
        probe_skip(p, why);
        return;
    }
    const struct finding f = finding_of(&s, reason);
    if (reason)
        report(p, &f);
    else
        replacement_rounds_find(p, &r, &f);
}

PROBE(dtlb_replacement, .title = "Data TLB: replacement", .family = "memory", .after = "dtlb_sets", .run = run,
      .findings = FINDINGS({"memory.dtlb.replacement", "policy",
                            "policy by which the first data TLB replaces entries; all that fit"}));
