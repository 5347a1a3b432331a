/*
 * Data caches: how much does each level hold, and how long does a load from it take?
 *
 * A pointer chase, one pointer a line, over a growing footprint: every load needs the address that
 * the load before it brought. The order is random among the lines of a group of 16 pages, then goes
 * on to the next group: random enough that no prefetcher follows, local enough that the TLB does not
 * hide the caches, and every line is used, so that no set is favoured.
 *
 * Curve: cycles per load over footprint. A staircase: flat at each level's load-to-use latency,
 * rising where the footprint leaves the level. A level's capacity is the last footprint on its flat.
 *
 * The first level is indexed by address bits below the page. The next ones are indexed by frame: where
 * frames are not contiguous, as in a process, their edge is a ramp and the capacity half way up.
 *
 * Method: random chase of one line each, Sattolo cycle; groups as Zen-class and Arm cores need them.
 */
#include <math.h>

#include "lib/probe.h"

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    GROUP_BYTES = 16 * PAGE_BYTES,
    GROUP_LINES = GROUP_BYTES / LINE_BYTES,
    UNROLL = 16,
    CODE_BYTES = 4096
};
enum { LEVELS = 5, CACHES_TO_REACH_MEMORY = 4 };

/* A level is flat within this much; what moves less is bank conflicts, page walks and neighbours. */
static const double TOLERANCE = 0.25;
/* And it spans an octave at least: each next cache is several times larger. */
static const double SPAN = 2;

struct chase {
    struct area ring;  /* the lines */
    struct area start; /* where the walk goes on; a line of its own, so that it is no part of the footprint */
};

/* Links `lines` lines, group after group, into one ring. */
static void make_ring(struct probe *p, const struct area *ring, uint64_t lines)
{
    uint32_t next[GROUP_LINES];

    for (uint64_t first = 0; first < lines; first += GROUP_LINES) {
        uint64_t count = lines - first < GROUP_LINES ? lines - first : GROUP_LINES;
        uint64_t following = first + count < lines ? first + count : 0;
        random_cycle(next, (uint32_t)count, &p->random);
        for (uint64_t i = 0; i < count; i++) {
            /* the walk enters a group at its first line, so the line before that in its cycle leaves it */
            uint64_t to = next[i] ? first + next[i] : following;
            *(uint64_t *)(ring->write + (first + i) * LINE_BYTES) = ring->at + to * LINE_BYTES;
        }
    }
}

static bool build(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    const struct chase *chase = context;
    double lines = footprint_bytes / LINE_BYTES;
    struct code c = probe_code(p, CODE_BYTES);

    /* Other pages each time: where frames are not ours to choose, one choice may fill some sets twice. */
    uint64_t pages = (chase->ring.bytes - (size_t)footprint_bytes) / PAGE_BYTES;
    uint64_t offset = random_below(&p->random, pages + 1) * PAGE_BYTES;
    struct area part = {.write = chase->ring.write + offset, .at = chase->ring.at + offset};
    make_ring(p, &part, (uint64_t)lines);
    *(uint64_t *)chase->start.write = part.at;

    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, LINE_BYTES);
    size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(&c, REG_T0, REG_T0, 0);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);

    *k = (struct kernel){.data = chase->start.at, .units = UNROLL};
    k->warm_iterations = lines / UNROLL;
    return probe_kernel(p, &c, 0, k);
}

static void report_bytes(struct probe *p, unsigned level, const struct stair *s)
{
    report_capacity(p,
                    &(struct finding){.name = "memory.cache.bytes",
                                      .variants = {{"level", .number = level}},
                                      .grade = 'C',
                                      .curves = {"load_to_use"}},
                    s);
}

static void report_latency(struct probe *p, unsigned level, const struct stair *s)
{
    report_height(p,
                  &(struct finding){.name = "memory.cache.latency_cycles",
                                    .variants = {{"level", .number = level}},
                                    .grade = 'C',
                                    .curves = {"load_to_use"}},
                  s);
}

/* What lies behind the largest cache, at the longest footprint, when that is long enough to be it. */
static void report_memory(struct probe *p, const struct sweep *s, const struct area *ring)
{
    size_t declared = machine_info()->largest_cache_bytes;
    struct finding f = {.name = "memory.dram.latency_ns",
                        .variants = {{"page", page_name(ring->page_bytes)}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'C',
                        .method = "footprint four times the largest declared cache",
                        .curves = {"load_to_use"}};

    if (!declared)
        f.reason = "no cache size is declared";
    else if (s->to < CACHES_TO_REACH_MEMORY * (double)declared)
        f.reason = "the range ends in a cache";
    else
        f.value = s->points[s->count - 1].ns;
    report(p, &f);
}

static void run(struct probe *p)
{
    struct chase chase;
    struct stair stairs[LEVELS];
    size_t count;
    struct sweep s = {.name = "load_to_use",
                      .axis = "footprint_bytes",
                      .unit = "cycles/load",
                      .from = 1024,
                      .to = probe_scale(p, 1 << 19, 1 << 25, 1 << 28, 1 << 30),
                      .per_octave = probe_scale(p, 1, 4, 4, 8),
                      .grain = 1024,
                      .build = build,
                      .context = &chase,
                      .builds = (unsigned)probe_scale(p, 1, 3, 5, 9),
                      .builds_to = 4 << 20,
                      .half_from = machine_info()->contiguous ? 0 : 2};

    /* A place with little memory leaves the large footprints out. */
    while (s.to > s.from && s.to > (double)machine_info()->memory_bytes / 2)
        s.to /= 2;
    if (!probe_map_large(p, &chase.ring, (size_t)s.to) || !probe_map(p, &chase.start, LINE_BYTES, 0))
        return;
    if (sweep_walk(p, &s) && sweep_stairs(p, &s, TOLERANCE, SPAN, stairs, LEVELS, &count)) {
        sweep_record(p, &s);
        if (count == 0)
            report_bytes(p, 1, NULL);
        for (unsigned i = 0; i < count; i++) {
            report_bytes(p, i + 1, &stairs[i]);
            report_latency(p, i + 1, &stairs[i]);
        }
        report_memory(p, &s, &chase.ring);
    }
    sweep_free(&s);
}

PROBE(cache, .title = "Data caches", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
