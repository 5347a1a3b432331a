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
 * That is with the largest pages there are, so that the TLB interferes least. The same again with each other page size
 * has the variant `page`; and with each, what a load takes in random order over three quarters of what the level holds, so
 * that the TLB's part is in it: where TLBs hold less than that, most loads miss them.
 *
 * Method: random chase of one line each, Sattolo cycle; groups as Zen-class and Arm cores need them.
 */
#include <math.h>
#include <stdio.h>

#include "lib/kernels/chase.h"
#include "lib/levels.h"
#include "lib/sample.h"

enum {
    PAGE_BYTES = 4096,
    GROUP_LINES = 16 * PAGE_BYTES / CHASE_LINE_BYTES,
    UNROLL = 16,
    GRAIN_BYTES = 1024,
    WARM_LINES = (8 << 20) / CHASE_LINE_BYTES,
    CACHES_TO_REACH_MEMORY = 4,
    LEVELS = 4,
    SAMPLES = 3
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

/* What a level is known to hold; 0: nothing is. */
static double capacity(const struct probe *p, unsigned level)
{
    char variants[16];

    snprintf(variants, sizeof variants, "level=%u", level);
    return facts_number(&p->run->facts, "memory.cache.bytes", variants, 0);
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

/* ---- Levels ------------------------------------------------------------------------------------- */

/* Pages of one size, and what is known of caches before anything is measured. */
struct pages {
    struct chase chase;
    const char *variant; /* NULL: those that findings without one are measured with */
    double most;         /* bytes */
    double seconds;      /* for each curve, … */
    unsigned samples;    /* … and how many; 0: as many as a sweep may */
    double largest;      /* declared cache; 0: none */
};

static void report_levels(struct probe *p, const struct pages *g, const struct sweep *s, size_t count)
{
    struct find_experiment e[FIND_EXPERIMENTS];
    char held[32];

    snprintf(held, sizeof held, "page=%s access=load", g->variant ? g->variant : "4k");
    find_experiments(s, count, e);
    levels_report(p,
                  &(struct levels){.capacity = "memory.cache.bytes",
                                   .height = "memory.cache.latency_cycles",
                                   .variants = {{g->variant ? "page" : NULL, g->variant}},
                                   .guard = CHASE_GUARD,
                                   .step = GRAIN_BYTES,
                                   .limit = {"memory.dtlb.entries", held,
                                             1.0 / (g->variant ? (double)g->chase.ring.page_bytes : PAGE_BYTES)},
                                   .scattered = probe_scattered(&g->chase.ring)},
                  e, count);
}

static bool find_levels(struct probe *p, struct pages *g)
{
    enum { GROUPS, WHOLE, ORDERS };
    static const char *const orders[ORDERS] = {"groups", "whole"}, *const fooled_by[ORDERS] = {"prefetchers", "TLB"};
    struct sweep s[ORDERS];
    char names[ORDERS][32];

    for (size_t i = 0; i < ORDERS; i++) {
        snprintf(names[i], sizeof names[i], g->variant ? "%s, pages of %s" : "%s", orders[i], g->variant);
        s[i] = (struct sweep){.name = names[i],
                              .axis = "footprint_bytes",
                              .unit = "cycles/load",
                              .fooled_by = fooled_by[i],
                              .build = i == GROUPS ? build_groups : build_whole,
                              .context = &g->chase,
                              .area = &g->chase.ring,
                              .seconds = g->seconds,
                              .search = {.kind = KNEE_STEP,
                                         .from = GRAIN_BYTES,
                                         .to = i == GROUPS ? g->most : fmin(g->most, 8 << 20),
                                         .grain = GRAIN_BYTES,
                                         .resolution = 0.01,
                                         .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8),
                                         .budget = g->samples,
                                         .halves = probe_scattered(&g->chase.ring)}};
    }
    const bool good = sweeps_search(p, s, ORDERS);
    if (good) {
        report_levels(p, g, s, ORDERS);
        report_memory(p, &s[GROUPS], g->largest);
    }
    sweeps_free(s, ORDERS);
    return good;
}

/* ---- Random order ------------------------------------------------------------------------------- */

struct random {
    const struct chase *chase;
    double bytes;
};

static bool build_random(struct probe *p, void *context, struct kernel *k)
{
    const struct random *r = context;

    return build_whole(p, r->bytes, (void *)r->chase, k);
}

static bool find_random(struct probe *p, const struct pages *g)
{
    bool good = true;

    for (unsigned level = 1; good && level <= LEVELS && capacity(p, level) > 0; level++) {
        struct random r = {&g->chase, floor(0.75 * capacity(p, level) / GRAIN_BYTES) * GRAIN_BYTES};
        struct finding f = {.name = "memory.random.latency_cycles",
                            .variants = {{"level", .number = level}, {"page", page_name(g->chase.ring.page_bytes)}},
                            .reason = probe_no_pages(p, g->chase.ring.page_bytes),
                            .method = "random order over three quarters of the level",
                            .remarks = {{"guard", CHASE_GUARD}}};
        double cycles = NAN;
        if (!f.reason && !(r.bytes > 0 && r.bytes <= g->most))
            f.reason = "the range ends before that";
        good = f.reason || sample_cycles(p, SAMPLES, build_random, &r, &cycles);
        f.reason = f.reason ? f.reason : "no reading was accepted";
        if (good)
            report_number(p, &f, cycles);
    }
    return good;
}

/* ---- All of it ---------------------------------------------------------------------------------- */

/* With pages of a size that have not been measured yet; what the place lacks is told. */
static bool find_page(struct probe *p, struct pages *g, size_t page_bytes)
{
    const size_t mark = machine_map_mark();
    const char *why = probe_no_pages(p, page_bytes);

    g->variant = page_name(page_bytes);
    if (!why)
        why = chase_try_map(&g->chase, (size_t)g->most, page_bytes);
    if (why) {
        report(p, &(struct finding){.name = "memory.cache.bytes",
                                    .variants = {{"level", .number = 1}, {"page", g->variant}},
                                    .value = NAN,
                                    .low = NAN,
                                    .high = NAN,
                                    .grade = 'U',
                                    .reason = why});
        return true;
    }
    const bool good = find_levels(p, g) && find_random(p, g);
    machine_map_release(mark);
    p->code = (struct area){0};
    return good;
}

static void run(struct probe *p)
{
    struct pages g = {.most = probe_scale(p, 1 << 16, 1 << 25, 1 << 26, 1 << 30),
                      .seconds = probe_scale(p, 1, 0.9, 0.9, 30)};
    const size_t mark = machine_map_mark(), *size = machine_info()->page_bytes;

    for (unsigned level = 1; level <= LEVELS; level++)
        g.largest = fmax(g.largest, capacity(p, level));
    /* A place with little memory leaves the large footprints out. */
    while (g.most > PAGE_BYTES && g.most > (double)machine_info()->memory_bytes / 2)
        g.most /= 2;
    if (!chase_map(p, &g.chase, (size_t)g.most) || !find_levels(p, &g) || !find_random(p, &g))
        return;
    const size_t done = g.chase.ring.page_bytes;
    machine_map_release(mark);
    p->code = (struct area){0};
    g.most = fmin(g.most, probe_scale(p, 1 << 16, 1 << 23, 1 << 26, 1 << 30));
    g.seconds = probe_scale(p, 1, 0.3, 0.6, 30);
    g.samples = (unsigned)probe_scale(p, 12, 100, 600, 0);
    for (bool good = true; good && *size; size++)
        good = *size == done || find_page(p, &g, *size);
}

PROBE(cache, .title = "Data caches", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.random.latency_cycles", "cycles",
                            "what a load takes in random order over most of a level, misses of the TLB included"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
