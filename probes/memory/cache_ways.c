/*
 * First data cache: how many ways has a set, and which address bits choose it?
 *
 * Experiment: a pointer chase over n lines, a power of two bytes apart, in random order. The control has as many
 * lines on the same pages, but at rotating places within them: TLBs see the same, and what that costs is subtracted.
 *
 * Curve: cycles per load over n, flat and then rising: a step where the least recently used line is replaced, a slope
 * where replacement is less strict.
 *
 * Inference: where all lines fall into one set, the last n of the flat is the number of ways; at smaller distances it
 * is twice as many for each halving (lib/structure/set_associativity.h).
 *
 * Sources: Saavedra and Smith 1995, strides of powers of two; the control is ours. docs/METHODS.md, 7.4.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/random.h"
#include "lib/kernels/pointer_chase.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/set_associativity.h"

enum {
    DISTANCES = 9, /* from 8 KiB of 16 ways to 128 KiB of two */
    DISTANCES_OF_KNOWN = 6,
    WAYS_MOST = 16,
    L1D_BYTES = 8 << 10, /* the smallest capacity, where none is known */
    LINES_TO = 40,
    LINES_LIMIT = 5 * WAYS_MOST, /* twice as many at half the distance that a way spans, and the rise behind that */
    ROTATE_BYTES = 4096,         /* a page, within which the control's lines rotate */
    UNROLL = 16,
    WARM_ROUNDS = 8
};

struct distance {
    const struct pointer_chase *chase;
    size_t bytes;
    char name[24];
};

/* No line is at the beginning of a page, where code and the word with which the walk begins lie. */
static bool build(struct probe *p, size_t lines, const struct distance *d, bool rotating, struct kernel *k)
{
    const size_t places = (d->bytes < ROTATE_BYTES ? d->bytes : ROTATE_BYTES) / POINTER_CHASE_LINE_BYTES;
    const size_t first = 1 + random_below(&p->random, places - 1);
    size_t offsets[LINES_LIMIT];

    for (size_t i = 0; i < lines; i++)
        offsets[i] = i * d->bytes + (rotating ? (first + i) % places : first) * POINTER_CHASE_LINE_BYTES;
    pointer_chase_scatter(p, d->chase, offsets, lines);
    k->warm_iterations = (double)(WARM_ROUNDS * lines) / UNROLL;
    return pointer_chase_kernel(p, d->chase, pointer_chase_unroll(lines, UNROLL), k);
}

static bool build_lines(struct probe *p, double lines, void *context, struct kernel *k)
{
    return build(p, (size_t)lines, context, false, k);
}

static bool build_control(struct probe *p, double lines, void *context, struct kernel *k)
{
    return build(p, (size_t)lines, context, true, k);
}

/*
 * The shortest distance, in bytes: at most half of what a way spans (capacity / ways) in a cache of WAYS_MOST ways, so
 * that lines so far apart fall into at least two sets. In a cache of two ways a way spans at most 16 times this
 * distance, and the last two distances show a single set.
 */
static size_t nearest_distance(double capacity)
{
    size_t bytes = 2 * POINTER_CHASE_LINE_BYTES; /* at least two places within a distance, for the control to rotate */

    while (2.0 * WAYS_MOST * 2 * (double)bytes <= capacity)
        bytes *= 2;
    return bytes;
}

static void run(struct probe *p)
{
    const double capacity = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", NAN);
    const size_t count = (size_t)probe_smoke(p, 2, isnan(capacity) ? DISTANCES : DISTANCES_OF_KNOWN);
    const size_t nearest = nearest_distance(isnan(capacity) ? L1D_BYTES : capacity);
    struct pointer_chase chase;
    struct distance distances[DISTANCES];
    size_t bytes[DISTANCES];
    struct sweep s[DISTANCES];

    if (!pointer_chase_map(p, &chase, LINES_LIMIT * (nearest << (count - 1))))
        return;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = nearest << i;
        distances[i] = (struct distance){.chase = &chase, .bytes = bytes[i]};
        snprintf(distances[i].name, sizeof distances[i].name, "%zu bytes apart", bytes[i]);
        s[i] = (struct sweep){.name = distances[i].name,
                              .confounder = distances[i].name,
                              .axis = "lines",
                              .unit = "cycles/load",
                              .build = build_lines,
                              .control = build_control,
                              .context = &distances[i],
                              .area = &chase.ring,
                              .search = {.kind = KNEE_STEP,
                                         .from = 1,
                                         .to = probe_smoke(p, 6, LINES_TO),
                                         .limit = probe_smoke(p, 6, LINES_LIMIT),
                                         .step = 1,
                                         .resolution = 0.01,
                                         .per_octave = (unsigned)probe_smoke(p, 2, 4),
                                         .budget = (unsigned)probe_scale(p, 4, 120, 200, 600)}};
    }
    if (sweeps_search(p, s, count))
        set_associativity_report(
            p,
            &(struct set_associativity){
                .ways = "memory.cache.ways",
                .index_bits = "memory.cache.index_bits",
                .level = 1,
                .capacity = capacity,
                .line_bytes = facts_number(&p->run->facts, "memory.cache.line_bytes", "level=1", NAN),
                .known_bytes = frame_known_bytes(probe_scattered(&chase.ring) ? machine_info()->page_bytes[0]
                                                                              : chase.ring.page_bytes)},
            s, bytes, count);
    sweeps_free(s, count);
}

PROBE(cache_ways, .title = "Data cache: ways", .family = "memory", .after = "cache_lines", .run = run,
      .findings = FINDINGS({"memory.cache.ways", "ways", "lines of one set of a data cache"},
                           {"memory.cache.index_bits", "bits",
                            "address bits that choose the set, from the line's length on"}));
