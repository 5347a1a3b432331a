/*
 * Data caches: how much does each level hold, and how long does a load from it take?
 *
 * Experiment: pointer chases over a growing footprint (lib/structure/caches.h), in two orders, with the largest pages
 * that the platform has, so that the TLB interferes least. There are two ranges: the near one ends at three times the
 * known second level.
 *
 * Curve: cycles per load over the footprint, a staircase.
 *
 * Inference: the last footprint of a level is its capacity, its height the latency (lib/structure/hierarchy.h). The
 * latency of memory is that of the largest footprint, if this is at least four times the largest known cache.
 *
 * Sources: random chases with Sattolo's cycle. docs/METHODS.md, 7.1.
 */
#include "lib/probe/probe.h"
#include "lib/structure/caches.h"

static void run(struct probe *p)
{
    struct caches c = {.most = caches_footprint(p), .seconds = probe_simulated(p, 4, probe_scale(p, 1, 2, 2, 30))};

    if (pointer_chase_map(p, &c.chase, (size_t)c.most))
        caches_levels(p, &c);
}

PROBE(cache, .title = "Data caches", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
