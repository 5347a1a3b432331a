/*
 * Data caches with pages of each size: what do levels hold and cost when smaller pages are used, and how long does a
 * load in random order take?
 *
 * Experiment: what probe `cache` does with the largest pages, again with each other page size (variant `page`). And
 * with each size, a pointer chase in random order over three quarters of each level, so that the TLB's part is
 * included: where TLBs hold less than that, most loads miss them. Where frames lie at random it is half of each level
 * from the second on: otherwise some sets would get more lines than they have ways, and the result would depend on how
 * the frames happened to lie.
 *
 * Curve: as for `cache`. The chase over a part of a level is a single point.
 *
 * Inference: as for `cache`; the time of a load in random order is reported as it is, grade C.
 *
 * Sources: as for `cache`. docs/METHODS.md, 7.2.
 */
#include <math.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/structure/caches.h"
#include "lib/structure/tolerances_hierarchy.h"

enum { SAMPLES = 3 }; /* of the time in random order, of which the median counts */

struct footprint {
    const struct pointer_chase *chase;
    double bytes;
};

static bool build_footprint(struct probe *p, void *context, struct kernel *k)
{
    const struct footprint *f = context;

    return caches_random_order(p, f->chase, f->bytes, k);
}

static bool find_random_latency(struct probe *p, const struct caches *c)
{
    bool good = true;

    for (unsigned level = 1; good && level <= CACHE_LEVELS && caches_known(p, level) > 0; level++) {
        const bool half = level > 1 && probe_scattered(&c->chase.ring);
        const double part = half ? RANDOM_ORDER_PART_SCATTERED : RANDOM_ORDER_PART;
        const double bytes = floor(part * caches_known(p, level) / CACHE_STEP_BYTES) * CACHE_STEP_BYTES;
        struct footprint footprint = {&c->chase, bytes};
        struct finding f = {.name = "memory.random.latency_cycles",
                            .variants = {{"level", .number = level}, {"page", page_name(c->chase.ring.page_bytes)}},
                            .reason = probe_no_pages(p, c->chase.ring.page_bytes),
                            .method = half ? "random order over half of the level"
                                           : "random order over three quarters of the level",
                            .remarks = {{"guard", POINTER_CHASE_GUARD}}};
        double cycles = NAN;
        if (!f.reason && !(bytes > 0 && bytes <= c->most))
            f.reason = REASON_RANGE_ENDS;
        good = f.reason || sample_cycles(p, SAMPLES, build_footprint, &footprint, &cycles);
        f.reason = f.reason ? f.reason : REASON_NO_READINGS;
        if (good)
            report_number(p, &f, cycles);
    }
    return good;
}

static void report_no_pages(struct probe *p, const char *page, struct why why)
{
    report(p, &(struct finding){.name = "memory.cache.bytes",
                                .variants = {{"level", .number = 1}, {"page", page}},
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .grade = 'U',
                                .reason = why.reason,
                                .detail = why.detail});
}

/* `levels`: search the levels, too; with the pages that probe `cache` used they are known. */
static bool find_page(struct probe *p, struct caches *c, size_t page_bytes, bool levels)
{
    const size_t mark = machine_map_mark();
    struct why why = {.reason = probe_no_pages(p, page_bytes)};

    c->page = page_name(page_bytes);
    if (!why.reason)
        why = why_platform(pointer_chase_try_map(&c->chase, (size_t)c->most, page_bytes));
    if (why.reason) {
        report_no_pages(p, c->page, why);
        return true;
    }
    const bool good = (!levels || caches_levels(p, c)) && find_random_latency(p, c);
    probe_release(p, mark);
    return good;
}

static void run(struct probe *p)
{
    struct caches c = {.most = caches_footprint(p),
                       .seconds = probe_scale(p, 1, 1.5, 1.5, 30),
                       .samples = (unsigned)probe_scale(p, 12, 400, 600, 0)};
    const size_t mark = machine_map_mark(), *size = machine_info()->page_bytes;

    if (!pointer_chase_map(p, &c.chase, (size_t)c.most))
        return;
    const size_t used_by_cache = c.chase.ring.page_bytes;
    machine_map_release(mark);
    c.most = fmin(c.most, probe_scale(p, 1 << 16, 1 << 23, 1 << 26, 1 << 30));
    for (bool good = true; good && *size; size++)
        good = find_page(p, &c, *size, *size != used_by_cache);
}

PROBE(cache_pages, .title = "Data caches: page sizes", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.random.latency_cycles", "cycles",
                            "what a load takes in random order over most of a level, misses of the TLB included"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
