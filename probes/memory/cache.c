/*
 * Data caches: how much does each level hold, and how long does a load from it take?
 *
 * Pointer chases over a growing footprint (lib/caches.h), with the largest pages that there are, so that the TLB
 * interferes least.
 */
#include "lib/caches.h"

static void run(struct probe *p)
{
    struct caches c = {.most = caches_footprint(p), .seconds = probe_scale(p, 1, 2, 2, 30)};

    if (chase_map(p, &c.chase, (size_t)c.most))
        caches_levels(p, &c);
}

PROBE(cache, .title = "Data caches", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
