/*
 * Data caches with pages of each size: what does a level hold and cost when smaller pages lie behind it, and what does a
 * load take in random order?
 *
 * What `cache` finds with the largest pages, again with each other page size (variant `page`). And with each, what a load
 * takes in random order over three quarters of what the level holds, so that the TLB's part is in it: where TLBs hold less
 * than that, most loads miss them. Half of it, where frames fall at random: else more of them than a set has ways fall to
 * some sets, and what is told is how they fell.
 */
#include <math.h>

#include "lib/caches.h"
#include "lib/sample.h"

enum { SAMPLES = 3 };

struct random {
    const struct chase *chase;
    double bytes;
};

static bool build_random(struct probe *p, void *context, struct kernel *k)
{
    const struct random *r = context;

    return caches_whole(p, r->chase, r->bytes, k);
}

static bool find_random(struct probe *p, const struct caches *c)
{
    bool good = true;

    for (unsigned level = 1; good && level <= CACHE_LEVELS && caches_known(p, level) > 0; level++) {
        const bool half = level > 1 && probe_scattered(&c->chase.ring);
        const double part = half ? 0.5 : 0.75;
        const double bytes = floor(part * caches_known(p, level) / CACHE_GRAIN_BYTES) * CACHE_GRAIN_BYTES;
        struct random r = {&c->chase, bytes};
        struct finding f = {.name = "memory.random.latency_cycles",
                            .variants = {{"level", .number = level}, {"page", page_name(c->chase.ring.page_bytes)}},
                            .reason = probe_no_pages(p, c->chase.ring.page_bytes),
                            .method = half ? "random order over half of the level"
                                           : "random order over three quarters of the level",
                            .remarks = {{"guard", CHASE_GUARD}}};
        double cycles = NAN;
        if (!f.reason && !(bytes > 0 && bytes <= c->most))
            f.reason = "the range ends before that";
        good = f.reason || sample_cycles(p, SAMPLES, build_random, &r, &cycles);
        f.reason = f.reason ? f.reason : "no reading was accepted";
        if (good)
            report_number(p, &f, cycles);
    }
    return good;
}

static void report_no_pages(struct probe *p, const char *page, const char *why)
{
    report(p, &(struct finding){.name = "memory.cache.bytes",
                                .variants = {{"level", .number = 1}, {"page", page}},
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'U',
                                .reason = why});
}

/* With the pages that `cache` takes the levels are known. */
static bool find_page(struct probe *p, struct caches *c, size_t page_bytes, bool levels)
{
    const size_t mark = machine_map_mark();
    const char *why = probe_no_pages(p, page_bytes);

    c->page = page_name(page_bytes);
    why = why ? why : chase_try_map(&c->chase, (size_t)c->most, page_bytes);
    if (why) {
        report_no_pages(p, c->page, why);
        return true;
    }
    const bool good = (!levels || caches_levels(p, c)) && find_random(p, c);
    machine_map_release(mark);
    p->code = (struct area){0};
    return good;
}

static void run(struct probe *p)
{
    struct caches c = {.most = caches_footprint(p),
                       .seconds = probe_scale(p, 1, 1.5, 1.5, 30),
                       .samples = (unsigned)probe_scale(p, 12, 400, 600, 0)};
    const size_t mark = machine_map_mark(), *size = machine_info()->page_bytes;

    if (!chase_map(p, &c.chase, (size_t)c.most))
        return;
    const size_t taken_by_cache = c.chase.ring.page_bytes;
    machine_map_release(mark);
    c.most = fmin(c.most, probe_scale(p, 1 << 16, 1 << 23, 1 << 26, 1 << 30));
    for (bool good = true; good && *size; size++)
        good = find_page(p, &c, *size, *size != taken_by_cache);
}

PROBE(cache_pages, .title = "Data caches: page sizes", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.random.latency_cycles", "cycles",
                            "what a load takes in random order over most of a level, misses of the TLB included"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
