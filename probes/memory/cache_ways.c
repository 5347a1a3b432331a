/*
 * First data cache, its shape: how many ways, and which address bits choose the set?
 *
 * A pointer chase over n lines, a power of two bytes apart, in random order. Where they are so far apart that they all
 * fall into one set, the ways of that set are all that is held; nearer than that, each halving of the distance doubles it
 * (lib/ways.h).
 *
 * The control has as many lines on the same pages, but at places within them that go round: TLBs see the same, and what
 * it costs more goes off. Curve: cycles per load over n. Flat, then a rise: a cliff where the oldest line goes, a slope
 * where replacement is not so strict.
 *
 * Method: Saavedra and Smith 1995, strides of powers of two; the control is ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/kernels/chase.h"
#include "lib/ways.h"

enum {
    DISTANCES = 6,
    NEAREST_BYTES = 2048,
    LINES_TO = 40,
    LINES_LIMIT = 80, /* 16 ways, at half the distance that a way spans, and what comes behind */
    TURN_BYTES = 4096,
    UNROLL = 16,
    WARM_ROUNDS = 8
};

struct apart {
    const struct chase *chase;
    size_t bytes;
    char name[24];
};

/* Not at the beginning of a page, where code and what the walk begins with lie. */
static bool build(struct probe *p, size_t lines, const struct apart *a, bool turning, struct kernel *k)
{
    const size_t places = (a->bytes < TURN_BYTES ? a->bytes : TURN_BYTES) / CHASE_LINE_BYTES;
    const size_t first = 1 + random_below(&p->random, places - 1);
    size_t offsets[LINES_LIMIT];

    for (size_t i = 0; i < lines; i++)
        offsets[i] = i * a->bytes + (turning ? (first + i) % places : first) * CHASE_LINE_BYTES;
    chase_scatter(p, a->chase, offsets, lines);
    k->warm_iterations = (double)(WARM_ROUNDS * lines) / UNROLL;
    return chase_kernel(p, a->chase, chase_unroll(lines, UNROLL), k);
}

static bool build_apart(struct probe *p, double lines, void *context, struct kernel *k)
{
    return build(p, (size_t)lines, context, false, k);
}

static bool build_turning(struct probe *p, double lines, void *context, struct kernel *k)
{
    return build(p, (size_t)lines, context, true, k);
}

static void run(struct probe *p)
{
    const size_t count = (size_t)probe_smoke(p, 2, DISTANCES);
    struct chase chase;
    struct apart apart[DISTANCES];
    size_t bytes[DISTANCES];
    struct sweep s[DISTANCES];

    if (!chase_map(p, &chase, LINES_LIMIT * ((size_t)NEAREST_BYTES << (count - 1))))
        return;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (size_t)NEAREST_BYTES << i;
        apart[i] = (struct apart){.chase = &chase, .bytes = bytes[i]};
        snprintf(apart[i].name, sizeof apart[i].name, "%zu bytes apart", bytes[i]);
        s[i] = (struct sweep){.name = apart[i].name,
                              .fooled_by = apart[i].name,
                              .axis = "lines",
                              .unit = "cycles/load",
                              .build = build_apart,
                              .control = build_turning,
                              .context = &apart[i],
                              .area = &chase.ring,
                              .search = {.kind = KNEE_STEP,
                                         .from = 1,
                                         .to = probe_smoke(p, 6, LINES_TO),
                                         .limit = probe_smoke(p, 6, LINES_LIMIT),
                                         .grain = 1,
                                         .resolution = 0.01,
                                         .per_octave = (unsigned)probe_smoke(p, 2, 4),
                                         .budget = (unsigned)probe_scale(p, 4, 120, 200, 600)}};
    }
    if (sweeps_search(p, s, count))
        ways_report(
            p,
            &(struct ways){.ways = "memory.cache.ways",
                           .index_bits = "memory.cache.index_bits",
                           .level = 1,
                           .capacity = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", NAN),
                           .line_bytes = facts_number(&p->run->facts, "memory.cache.line_bytes", "level=1", NAN),
                           .known_bytes = ways_known_bytes(probe_scattered(&chase.ring) ? machine_info()->page_bytes[0]
                                                                                        : chase.ring.page_bytes)},
            s, bytes, count);
    sweeps_free(s, count);
}

PROBE(cache_ways, .title = "Data cache: ways", .family = "memory", .after = "cache_lines", .run = run,
      .findings = FINDINGS({"memory.cache.ways", "ways", "lines of one set of a data cache"},
                           {"memory.cache.index_bits", "bits",
                            "address bits that choose the set, from the line's length on"}));
