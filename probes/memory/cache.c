/*
 * Data caches: how much does each level hold, and how long does a load from it take?
 *
 * A pointer chase over a growing footprint, one pointer a line, every line used, so that no set is
 * favoured. Two orders:
 *
 *   groups   random among the lines of a group of 16 pages, then on to the next group: local enough
 *            that the TLB does not hide the caches; prefetchers might follow it
 *   whole    random over the whole footprint: nothing can follow it, but the TLB may be its limit
 *
 * Curve: cycles per load over footprint. A staircase: flat at each level's load-to-use latency, rising
 * where the footprint leaves the level. A level's capacity is the last footprint on its flat.
 *
 * The first level is indexed by address bits below the page. The next ones are indexed by frame: where
 * frames are not contiguous, as in a process, their edge is a ramp and the capacity half way up.
 *
 * Method: random chase of one line each, Sattolo cycle; groups as Zen-class and Arm cores need them.
 */
#include <math.h>

#include "lib/kernels/chase.h"
#include "lib/levels.h"

enum {
    PAGE_BYTES = 4096,
    GROUP_LINES = 16 * PAGE_BYTES / CHASE_LINE_BYTES,
    UNROLL = 16,
    GRAIN_BYTES = 1024,
    WARM_LINES = (8 << 20) / CHASE_LINE_BYTES,
    CACHES_TO_REACH_MEMORY = 4
};

static bool build(struct probe *p, const struct chase *chase, size_t bytes, size_t group_lines, struct kernel *k)
{
    size_t lines = bytes / CHASE_LINE_BYTES;

    /* Other pages each time: where frames are not ours to choose, one choice may fill some sets twice. */
    uint64_t pages = (chase->ring.bytes - bytes) / PAGE_BYTES;
    chase_link(p, chase, random_below(&p->random, pages + 1) * PAGE_BYTES, lines, group_lines ? group_lines : lines);
    /*
     * Making the ring has brought all lines in; one round, where it is short, puts them in order. Long
     * readings: what the yardsticks between them take of the first level is soon back.
     */
    k->warm_iterations = fmin((double)lines, WARM_LINES) / UNROLL;
    k->stretch = probe_smoke(p, 1, 4);
    return chase_kernel(p, chase, chase_unroll(lines, UNROLL), k);
}

static bool build_groups(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    return build(p, context, (size_t)footprint_bytes, GROUP_LINES, k);
}

static bool build_whole(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    return build(p, context, (size_t)footprint_bytes, 0, k);
}

/* The largest cache that is known of before anything was measured; 0: none. */
static double largest_cache_bytes(const struct probe *p)
{
    static const char *const levels[] = {"level=1", "level=2", "level=3", "level=4"};
    double largest = 0;

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        largest = fmax(largest, facts_number(&p->run->facts, "memory.cache.bytes", levels[i], 0));
    return largest;
}

/* What lies behind the largest cache, at the longest footprint, when that is long enough to be it. */
static void report_memory(struct probe *p, const struct sweep *s, double largest)
{
    bool reached = largest > 0 && s->search.reached >= CACHES_TO_REACH_MEMORY * largest;

    report_number(p,
                  &(struct finding){.name = "memory.dram.latency_ns",
                                    .variants = {{"page", page_name(s->area->page_bytes)}},
                                    .reason = largest > 0 ? "the range ends in a cache" : "no cache size is declared",
                                    .method = "footprint four times the largest declared cache",
                                    .curves = {s->name}},
                  reached ? sweep_ns(s, s->search.reached) : NAN);
}

static void run(struct probe *p)
{
    enum { GROUPS, WHOLE, ORDERS };
    struct chase chase;
    double most = probe_scale(p, 1 << 16, 1 << 25, 1 << 26, 1 << 30), largest = largest_cache_bytes(p);

    /* A place with little memory leaves the large footprints out. */
    while (most > PAGE_BYTES && most > (double)machine_info()->memory_bytes / 2)
        most /= 2;
    if (!chase_map(p, &chase, (size_t)most))
        return;
    struct sweep s[ORDERS] = {
        [GROUPS] = {.name = "groups", .fooled_by = "prefetchers", .build = build_groups, .search.to = most},
        [WHOLE] = {.name = "whole", .fooled_by = "TLB", .build = build_whole, .search.to = fmin(most, 8 << 20)}};
    for (size_t i = 0; i < ORDERS; i++) {
        s[i].axis = "footprint_bytes";
        s[i].unit = "cycles/load";
        s[i].context = &chase;
        s[i].area = &chase.ring;
        s[i].seconds = probe_scale(p, 1, 0.9, 0.9, 30);
        s[i].search = (struct search){.kind = KNEE_STEP,
                                      .from = GRAIN_BYTES,
                                      .to = s[i].search.to,
                                      .grain = GRAIN_BYTES,
                                      .resolution = 0.01,
                                      .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8),
                                      .halves = probe_scattered(&chase.ring)};
    }
    if (sweeps_search(p, s, ORDERS)) {
        struct find_experiment e[ORDERS];
        find_experiments(s, ORDERS, e);
        levels_report(p,
                      &(struct levels){.capacity = "memory.cache.bytes",
                                       .height = "memory.cache.latency_cycles",
                                       .guard = CHASE_GUARD,
                                       .step = GRAIN_BYTES,
                                       .limit = {"memory.dtlb.entries", "page=4k access=load", 1.0 / PAGE_BYTES},
                                       .scattered = probe_scattered(&chase.ring)},
                      e, ORDERS);
        report_memory(p, &s[GROUPS], largest);
    }
    sweeps_free(s, ORDERS);
}

PROBE(cache, .title = "Data caches", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
