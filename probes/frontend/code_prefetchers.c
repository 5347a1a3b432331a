/*
 * Question: does the core prefetch lines of code by itself, and which ones?
 *
 * Experiment: lines of code are visited by a jump that is always mispredicted, with nothing fetched meanwhile
 * (lib/kernels/mispredicted_return.h). They lie in blocks of 12 lines, and all blocks together are more than the
 * instruction cache holds, and fewer than the level behind it. In each block lines are visited that may make a
 * prefetcher fetch another one, and some jumps later that other one is visited:
 *
 *   odd line, even line       one line of a pair of lines that is aligned to twice their size
 *   4 lines up, 4 lines down  one after the other, the last of them odd or even as above
 *
 * Two distances: the same in 8 blocks, or in 16, before the other lines are visited.
 *
 * Control: the same lines and as many jumps in another order. In place of the block's own other line that of another
 * block of its page is visited, whose lines were visited half a pass ago: what was prefetched then has been replaced.
 * So translations cost the same. Reference: a single line that is visited again in place of the other one, which takes
 * less by what a miss costs.
 *
 * There is no curve. Inference: where most of what a miss costs is saved, the line was prefetched; where hardly any of
 * it, it was not. In between nothing is decided. From this follow the kinds (lib/structure/code_prefetchers.h).
 *
 * What could mislead: a front end that does not know a jump yet, or only in a slow level of its branch target buffer,
 * reads on behind it, and may fetch the next lines that way. This is not told apart from a prefetcher of the next line,
 * since it has the same effect. With more lines more jumps are unknown: so there are no more than needed.
 *
 * Sources: the experiment is ours. docs/METHODS.md, 5.18.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/finding/report.h"
#include "lib/kernels/mispredicted_return.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/structure/code_prefetchers.h"

enum {
    PAGE_LINES = 64,
    BLOCK_LINES = 12,
    PAGE_BLOCKS = 4,
    PLACES = 8,           /* where blocks begin in their pages: each a pair of lines behind the one before */
    TIMES = 4,            /* so many times as many lines are visited in a pass as the instruction cache has */
    JUMPS_MOST = 14000,   /* the list has room for more: four times an instruction cache of 192 KiB is less */
    L1I_BYTES = 32 << 10, /* where nothing is known of it */
    ROOM_BYTES = 4096,
    SAMPLES = 9
};

static const unsigned distances[CODE_PREFETCH_DISTANCES] = {8, 16}; /* blocks */

struct visit {
    struct mispredicted_return *list;
    const struct code_look_design *look;
    unsigned distance; /* blocks */
    bool control;
    size_t blocks;
    uint64_t first, random; /* of the orders, which are the same for all kernels, so that these differ by less */
    uint32_t *order; /* blocks in the order in which their lines are visited; then the offset of each jump's target */
};

/*
 * The n-th of the lines that are visited in a block. In each eighth of the pages blocks begin elsewhere, so that most
 * sets are used: of the instruction cache, and of the level behind it, which tells pages of one eighth apart by their
 * addresses.
 */
static size_t line_offset(const struct visit *v, size_t block, int n)
{
    const struct code_look_design *l = v->look;
    const size_t page = block / PAGE_BLOCKS,
                 first = block % PAGE_BLOCKS * BLOCK_LINES + 2 * (block * PLACES / v->blocks);
    const int count = (int)l->count, line = (int)l->first + (n < count ? l->step * n : l->step * (count - 1) + l->line);

    return ROOM_BYTES + (page * PAGE_LINES + first + (size_t)line) * MISPREDICTED_LINE_BYTES;
}

static size_t visited(const void *context, size_t jump)
{
    const struct visit *v = context;

    return v->order[v->blocks + jump];
}

/*
 * Sets the order of all jumps. The first block of a page is visited half a pass before the third, the second before the
 * fourth; the other lines are visited behind each `distance` blocks.
 */
static void set_order(struct visit *v, uint64_t *random)
{
    const size_t half = v->blocks / 2;
    uint32_t *to = v->order + v->blocks;

    for (uint32_t i = 0; i < half; i++)
        v->order[i] = i / (PAGE_BLOCKS / 2) * PAGE_BLOCKS + i % (PAGE_BLOCKS / 2);
    random_shuffle(v->order, half, sizeof *v->order, random);
    for (size_t i = 0; i < half; i++)
        v->order[half + i] = v->order[i] + PAGE_BLOCKS / 2;
    for (size_t begin = 0; begin < v->blocks; begin += v->distance) {
        const size_t end = begin + v->distance < v->blocks ? begin + v->distance : v->blocks;
        for (size_t i = begin; i < end; i++)
            for (int n = 0; n < (int)v->look->count; n++)
                *to++ = (uint32_t)line_offset(v, v->order[i], n);
        for (size_t i = begin; i < end; i++) {
            const size_t block = v->order[v->control ? (i + half) % v->blocks : i];
            *to++ = (uint32_t)line_offset(v, block, (int)v->look->count);
        }
    }
}

static int compare_offsets(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static bool build(struct probe *p, void *context, struct kernel *k)
{
    struct visit *v = context;
    const size_t jumps = v->blocks * (v->look->count + 1);
    struct code c = probe_code(p, 2 * ROOM_BYTES + v->blocks / PAGE_BLOCKS * PAGE_LINES * MISPREDICTED_LINE_BYTES);

    uint64_t random = v->random;
    set_order(v, &random);
    qsort(v->order + v->blocks, jumps, sizeof *v->order, compare_offsets);
    mispredicted_return_begin(&c, v->list);
    for (size_t i = 0; i < jumps; i++) {
        if (i > 0 && v->order[v->blocks + i] == v->order[v->blocks + i - 1])
            continue;
        emit_place(&c, v->order[v->blocks + i]);
        mispredicted_return_place(&c, v->list);
    }
    set_order(v, &v->random); /* the next sample has another one */
    v->list->group = jumps;   /* the order is this one */
    return mispredicted_return_kernel(p, v->list, &c, visited, v, jumps, k);
}

/* Cycles of all jumps to one block. False: the probe has ended. */
static bool sample_block(struct probe *p, struct visit *v, size_t blocks, bool control, double *cycles)
{
    v->blocks = blocks;
    v->control = control;
    v->random = v->first;
    if (!sample_cycles(p, SAMPLES, build, v, cycles))
        return false;
    *cycles *= v->look->count + 1;
    return true;
}

/*
 * So many blocks that a pass visits TIMES as many lines as there are, or half of them where all lines that are visited
 * are odd, since these use half of the sets.
 */
static size_t blocks_of(const struct probe *p, const struct code_look_design *l, double lines)
{
    const double times = l->count == 1 && l->line % 2 == 0 && l->line ? TIMES / 2 : TIMES;
    const double blocks = fmin(times * lines, JUMPS_MOST) / (l->count + 1);

    return (size_t)probe_smoke(p, PAGE_BLOCKS, ceil(blocks / PAGE_BLOCKS) * PAGE_BLOCKS);
}

/* What a miss costs, in cycles: less where the line is visited again that was visited before. False: the probe ended. */
static bool find_miss(struct probe *p, struct visit *v, double lines, double *miss)
{
    double others, again;

    v->look = &code_looks[CODE_LOOK_ITSELF];
    v->distance = distances[0];
    const size_t blocks = blocks_of(p, v->look, lines);
    /* predictors learn what they can of the jump in the first one, which is not used */
    for (size_t i = 0; i < 2; i++)
        if (!sample_block(p, v, blocks, true, &others))
            return false;
    if (!sample_block(p, v, blocks, false, &again))
        return false;
    *miss = others - again;
    return true;
}

static bool look_at(struct probe *p, struct visit *v, double lines, double miss, enum code_prefetch_effect *effect,
                    enum reason *reason)
{
    struct code_prefetch_times t;
    const size_t blocks = blocks_of(p, v->look, lines);
    char line[8];

    if (!sample_block(p, v, blocks, true, &t.before))
        return false;
    for (size_t i = 0; i < CODE_PREFETCH_DISTANCES; i++) {
        v->distance = distances[i];
        if (!sample_block(p, v, blocks, false, &t.cycles[i]))
            return false;
    }
    v->distance = distances[0];
    if (!sample_block(p, v, blocks, true, &t.after))
        return false;
    t.reference = (t.before + t.after) / 2 - miss;
    *effect = code_prefetch_effect(&t, reason);
    snprintf(line, sizeof line, "%+d", v->look->line);
    report(p, &(struct finding){.name = "frontend.code_prefetchers.line",
                                .variants = {{"after", v->look->after}, {"line", line}},
                                .method = "mispredicted jumps to lines near those visited before, against lines near "
                                          "those visited half a pass ago",
                                .value = (double)NAN,
                                .text = *effect == CODE_PREFETCH_BRINGS    ? "prefetched"
                                        : *effect == CODE_PREFETCH_NOTHING ? "not prefetched"
                                                                           : NULL,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .grade = *effect == CODE_PREFETCH_UNKNOWN ? 'U' : 'C',
                                .reason = *reason});
    if (*effect != CODE_PREFETCH_BRINGS)
        return true;
    const double saved[] = {code_prefetch_saved(&t, 0), code_prefetch_saved(&t, 1)};
    report(p, &(struct finding){.name = "frontend.code_prefetchers.saved_cycles",
                                .variants = {{"after", v->look->after}, {"line", line}},
                                .method = "what a mispredicted jump to that line takes less, at both distances",
                                .value = (saved[0] + saved[1]) / 2,
                                .low = fmin(saved[0], saved[1]),
                                .high = fmax(saved[0], saved[1]),
                                .grade = 'C'});
    return true;
}

static void report_kinds(struct probe *p, const enum code_prefetch_effect effects[CODE_LOOKS], enum reason reason)
{
    for (enum code_prefetcher kind = 0; kind < CODE_PREFETCHERS; kind++) {
        bool found;
        const bool decided = code_prefetcher_decided(effects, kind, &found);
        report(p, &(struct finding){.name = "frontend.code_prefetchers.kind",
                                    .variants = {{"kind", code_prefetcher_names[kind]}},
                                    .method = "which lines were prefetched",
                                    .value = (double)NAN,
                                    .text = !decided ? NULL
                                            : found  ? "found"
                                                     : "none",
                                    .low = (double)NAN,
                                    .high = (double)NAN,
                                    .grade = decided ? 'C' : 'U',
                                    .reason = decided ? REASON_NONE : reason});
    }
}

static void run(struct probe *p)
{
    const double lines = facts_number(&p->run->facts, "frontend.l1i.bytes", "", L1I_BYTES) / MISPREDICTED_LINE_BYTES;
    enum code_prefetch_effect effects[CODE_LOOKS] = {CODE_PREFETCH_UNKNOWN};
    enum reason reason = REASON_NONE, last = REASON_AMBIGUOUS;
    struct mispredicted_return list = {.group = 0};
    struct visit v = {.list = &list, .first = p->random};
    double miss;

    if (probe_is_simulated(p)) {
        report_kinds(p, effects, REASON_TOO_LONG_TO_SIMULATE);
        return;
    }
    v.order = probe_calloc(p, 2 * (size_t)JUMPS_MOST, sizeof *v.order);
    bool good = v.order && mispredicted_return_map(p, &list) && find_miss(p, &v, lines, &miss);

    for (size_t i = 0; good && i < CODE_LOOKS; i++) {
        v.look = &code_looks[i];
        good = look_at(p, &v, lines, miss, &effects[i], &reason);
        last = reason ? reason : last;
    }
    if (good)
        report_kinds(p, effects, last);
    free(v.order);
}

PROBE(code_prefetchers, .title = "Prefetchers of code", .family = "frontend", .after = "l1i", .run = run,
      .findings = FINDINGS({"frontend.code_prefetchers.line", "action",
                            "whether a line of code is prefetched after others were executed"},
                           {"frontend.code_prefetchers.saved_cycles", "cycles",
                            "that a jump to that line is faster than to one that was not executed nearby"},
                           {"frontend.code_prefetchers.kind", "kind",
                            "whether the core prefetches code of itself in such a way"}));
