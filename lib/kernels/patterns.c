#include "lib/kernels/patterns.h"

#include <stdlib.h>

#include "lib/base/random.h"

enum {
    PAGE_LINES = 64,
    STRIDE = 5, /* lines */
    RUN = 8,    /* consecutive lines, or lines of a region */
    CODE_BYTES = 4096
};

const struct pattern_description patterns[PATTERNS] = {
    [PATTERN_SCATTERED] = {"scattered", PATTERN_SCATTERED},    [PATTERN_FORWARD] = {"forward", PATTERN_SCATTERED},
    [PATTERN_BACKWARD] = {"backward", PATTERN_SCATTERED},      [PATTERN_STRIDE] = {"stride", PATTERN_SCATTERED},
    [PATTERN_ADJACENT] = {"adjacent", PATTERN_SCATTERED},      [PATTERN_NEXT] = {"next", PATTERN_SCATTERED},
    [PATTERN_OTHER_PAGE] = {"other-page", PATTERN_OTHER_PAGE}, [PATTERN_NEXT_PAGE] = {"next-page", PATTERN_OTHER_PAGE},
    [PATTERN_ANY_LINES] = {"any-lines", PATTERN_ANY_LINES},    [PATTERN_REGION] = {"region", PATTERN_ANY_LINES},
};

/* Fills `shuffled` with 0 … count - 1, in random order within groups of `group`. */
static void shuffle(struct pattern_lines *w, uint32_t count, uint32_t group, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++)
        w->shuffled[i] = i;
    for (uint32_t first = 0; first < count; first += group)
        random_shuffle(&w->shuffled[first], count - first < group ? count - first : group, sizeof w->shuffled[0],
                       random);
}

/* Pairs of neighbouring lines, in the same aligned 128 bytes (`adjacent`) or across their border. */
static void order_pairs(struct pattern_lines *w, uint32_t lines, bool adjacent, uint64_t *random)
{
    shuffle(w, lines / 2, PATTERN_GROUP / 2, random);
    for (uint32_t i = 0; i < lines / 2; i++) {
        uint32_t first = 2 * PATTERN_SPREAD * w->shuffled[i] + 2 * (uint32_t)random_below(random, PATTERN_SPREAD - 1) +
                         !adjacent;
        w->line[2 * i] = first;
        w->line[2 * i + 1] = first + 1;
    }
}

/*
 * Pairs of pages: the last lines of the first page, then the first lines of the second page, of the same pair or
 * another.
 */
static void order_pages(struct pattern_lines *w, uint32_t lines, bool next, uint64_t *random)
{
    uint32_t pairs = lines / (2 * RUN), group = PATTERN_GROUP / (2 * RUN);

    shuffle(w, pairs, group, random);
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t first = w->shuffled[i] * 2 * PAGE_LINES;
        uint32_t second = w->shuffled[next ? i : (i + pairs / 2) % pairs] * 2 * PAGE_LINES + PAGE_LINES;
        for (uint32_t j = 0; j < RUN; j++) {
            w->line[2 * RUN * i + j] = first + PAGE_LINES - RUN + j;
            w->line[2 * RUN * i + RUN + j] = second + j;
        }
    }
}

/* Eight lines of each page: the same ones in the same order, or others in each page. */
static void order_regions(struct pattern_lines *w, uint32_t lines, bool same, uint64_t *random)
{
    uint8_t offsets[PAGE_LINES];

    for (uint32_t i = 0; i < PAGE_LINES; i++)
        offsets[i] = (uint8_t)i;
    shuffle(w, lines / RUN, PATTERN_GROUP / RUN, random);
    for (uint32_t i = 0; i < lines / RUN; i++)
        for (uint32_t j = 0; j < RUN; j++) {
            if (!same || i == 0) { /* a random one of the lines not chosen yet */
                uint32_t other = j + (uint32_t)random_below(random, PAGE_LINES - j);
                uint8_t kept = offsets[j];
                offsets[j] = offsets[other];
                offsets[other] = kept;
            }
            /* begins elsewhere in each page, so that all sets of a cache are used alike */
            uint32_t moved = same ? RUN * (w->shuffled[i] % (PAGE_LINES / RUN)) : 0;
            w->line[RUN * i + j] = w->shuffled[i] * PAGE_LINES + (offsets[j] + moved) % PAGE_LINES;
        }
}

bool pattern_map(struct probe *p, struct pattern_lines *w, uint32_t lines)
{
    if (!probe_map_large(p, &w->memory, (size_t)lines * PATTERN_SPREAD * PATTERN_LINE_BYTES) ||
        !probe_map(p, &w->start, PATTERN_LINE_BYTES, 0))
        return false;
    w->line = calloc(2 * (size_t)lines, sizeof *w->line);
    if (!w->line)
        return probe_skip(p, "out of memory for the order of the chase");
    w->shuffled = w->line + lines;
    return true;
}

void pattern_order(struct pattern_lines *w, enum pattern pattern, uint32_t lines, uint64_t *random)
{
    switch (pattern) {
    case PATTERN_ADJACENT:
    case PATTERN_NEXT: order_pairs(w, lines, pattern == PATTERN_ADJACENT, random); return;
    case PATTERN_OTHER_PAGE:
    case PATTERN_NEXT_PAGE: order_pages(w, lines, pattern == PATTERN_NEXT_PAGE, random); return;
    case PATTERN_ANY_LINES:
    case PATTERN_REGION: order_regions(w, lines, pattern == PATTERN_REGION, random); return;
    default: break;
    }
    if (pattern == PATTERN_SCATTERED)
        shuffle(w, lines, PATTERN_GROUP, random);
    for (uint32_t i = 0; i < lines; i++)
        w->line[i] = pattern == PATTERN_SCATTERED
                         ? w->shuffled[i] * PATTERN_SPREAD + (uint32_t)random_below(random, PATTERN_SPREAD)
                     : pattern == PATTERN_FORWARD  ? i
                     : pattern == PATTERN_BACKWARD ? lines - 1 - i
                                                   : i * STRIDE;
}

bool pattern_kernel(struct probe *p, const struct pattern_lines *w, uint32_t lines, struct kernel *k)
{
    struct code c = probe_code(p, CODE_BYTES);

    for (uint32_t i = 0; i < lines; i++)
        *(uint64_t *)(w->memory.write + (size_t)w->line[i] * PATTERN_LINE_BYTES) =
            w->memory.at + (size_t)w->line[i + 1 < lines ? i + 1 : 0] * PATTERN_LINE_BYTES;
    *(uint64_t *)w->start.write = w->memory.at + (size_t)w->line[0] * PATTERN_LINE_BYTES;

    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, PATTERN_LINE_BYTES);
    size_t loop = c.used;
    emit_load(&c, REG_T0, REG_T0,
              0); /* one load, so that a prefetcher that goes by instruction sees the whole pattern */
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);
    *k = (struct kernel){
        .data = w->start.at, .units = 1, .warm_iterations = lines, .length_factor = probe_scale(p, 1, 4, 4, 8)};
    return probe_kernel(p, &c, 0, k);
}
