#include "lib/caches.h"

#include <math.h>
#include <stdio.h>

#include "lib/levels.h"

enum {
    PAGE_BYTES = 4096,
    GROUP_LINES = 16 * PAGE_BYTES / CHASE_LINE_BYTES,
    UNROLL = 16,
    WARM_LINES = (8 << 20) / CHASE_LINE_BYTES,
    MOST_WHOLE = 8 << 20, /* bytes; farther out the TLB is all that this order shows */
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

bool caches_whole(struct probe *p, const struct chase *chase, double footprint_bytes, struct kernel *k)
{
    return build(p, chase, (size_t)footprint_bytes, 0, k);
}

double caches_known(const struct probe *p, unsigned level)
{
    char variants[16];

    snprintf(variants, sizeof variants, "level=%u", level);
    return facts_number(&p->run->facts, "memory.cache.bytes", variants, 0);
}

double caches_footprint(const struct probe *p)
{
    double most = probe_scale(p, 1 << 16, 1 << 25, 1 << 26, 1 << 30);

    while (most > PAGE_BYTES && most > (double)machine_info()->memory_bytes / 2)
        most /= 2;
    return most;
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

static void report_levels(struct probe *p, const struct caches *c, const struct sweep *s, size_t count)
{
    struct find_experiment e[FIND_EXPERIMENTS];
    char held[32];

    snprintf(held, sizeof held, "page=%s access=load", c->page ? c->page : "4k");
    find_experiments(s, count, e);
    levels_report(p,
                  &(struct levels){.capacity = "memory.cache.bytes",
                                   .height = "memory.cache.latency_cycles",
                                   .variants = {{c->page ? "page" : NULL, c->page}},
                                   .guard = CHASE_GUARD,
                                   .step = CACHE_GRAIN_BYTES,
                                   .limit = {"memory.dtlb.entries", held,
                                             1.0 / (c->page ? (double)c->chase.ring.page_bytes : PAGE_BYTES)},
                                   .scattered = probe_scattered(&c->chase.ring)},
                  e, count);
}

bool caches_levels(struct probe *p, struct caches *c)
{
    enum { GROUPS, WHOLE, ORDERS };
    static const char *const orders[ORDERS] = {"groups", "whole"}, *const fooled_by[ORDERS] = {"prefetchers", "TLB"};
    struct sweep s[ORDERS];
    char names[ORDERS][32];
    double largest = 0;

    for (unsigned level = 1; level <= CACHE_LEVELS; level++)
        largest = fmax(largest, caches_known(p, level));
    for (size_t i = 0; i < ORDERS; i++) {
        snprintf(names[i], sizeof names[i], c->page ? "%s, pages of %s" : "%s", orders[i], c->page);
        s[i] = (struct sweep){.name = names[i],
                              .axis = "footprint_bytes",
                              .unit = "cycles/load",
                              .fooled_by = fooled_by[i],
                              .build = i == GROUPS ? build_groups : build_whole,
                              .context = &c->chase,
                              .area = &c->chase.ring,
                              .seconds = c->seconds,
                              .search = {.kind = KNEE_STEP,
                                         .from = CACHE_GRAIN_BYTES,
                                         .to = i == GROUPS ? c->most : fmin(c->most, MOST_WHOLE),
                                         .grain = CACHE_GRAIN_BYTES,
                                         .resolution = 0.01,
                                         .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8),
                                         .budget = c->samples,
                                         .halves = probe_scattered(&c->chase.ring)}};
    }
    const bool good = sweeps_search(p, s, ORDERS);
    if (good) {
        report_levels(p, c, s, ORDERS);
        report_memory(p, &s[GROUPS], largest);
    }
    sweeps_free(s, ORDERS);
    return good;
}
