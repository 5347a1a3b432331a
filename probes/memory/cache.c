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

/*
 * Seconds of each order on a simulated core, where one stands for a million loads. A point takes three rounds of its
 * ring, one to warm up and two readings, and eleven where readings differ. A grid of two points an octave takes 3.4
 * times what its last point does, and another point is beside the last: 4.4 times three rounds of the 65,536 lines of
 * 4 MiB are 0.9 million. Narrowing the end of a second level of 2 MiB from half an octave down to 1 KiB takes ten points
 * of 33,000 to 46,000 lines, and a third of these differ: 2.3 million. The first level, with its shorter rings, and the
 * edge beside a level's end take the rest.
 */
enum { SIMULATED_SECONDS = 4 };

static void run(struct probe *p)
{
    struct caches c = {.most = caches_footprint(p),
                       .seconds = probe_simulated(p, SIMULATED_SECONDS, probe_scale(p, 1, 2, 2, 30))};

    if (pointer_chase_map(p, &c.chase, (size_t)c.most))
        caches_levels(p, &c);
}

PROBE(cache, .title = "Data caches", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
