/*
 * Data caches: how much does each level hold, and how long does a load from it take?
 *
 * A pointer chase, one pointer a line, over a growing footprint: every load needs the address that
 * the load before it brought, and every line is used, so that no set is favoured. Two orders:
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
#include <stdlib.h>

#include "lib/levels.h"
#include "lib/probe.h"

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    GROUP_LINES = 16 * PAGE_BYTES / LINE_BYTES,
    UNROLL = 16,
    CODE_BYTES = 4096,
    GRAIN_BYTES = 1024,
    WARM_LINES = (4 << 20) / LINE_BYTES,
    CACHES_TO_REACH_MEMORY = 4
};
enum order { ORDER_GROUPS, ORDER_WHOLE, ORDERS };

struct chase {
    enum order order;
    struct area ring;  /* the lines */
    struct area start; /* where the walk goes on; a line of its own, so that it is no part of the footprint */
    uint32_t *next;    /* scratch for make_ring */
};

/* Links `lines` lines, group after group, into one ring. */
static void make_ring(struct probe *p, const struct chase *chase, uint64_t offset, uint64_t lines)
{
    uint8_t *write = chase->ring.write + offset;
    uintptr_t at = chase->ring.at + offset;
    uint64_t group = chase->order == ORDER_GROUPS ? GROUP_LINES : lines;

    for (uint64_t first = 0; first < lines; first += group) {
        uint64_t count = lines - first < group ? lines - first : group;
        uint64_t following = first + count < lines ? first + count : 0;
        random_cycle(chase->next, (uint32_t)count, &p->random);
        for (uint64_t i = 0; i < count; i++) {
            /* the walk enters a group at its first line, so the line before that in its cycle leaves it */
            uint64_t to = chase->next[i] ? first + chase->next[i] : following;
            *(uint64_t *)(write + (first + i) * LINE_BYTES) = at + to * LINE_BYTES;
        }
    }
    *(uint64_t *)chase->start.write = at;
}

static bool build(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    const struct chase *chase = context;
    double lines = footprint_bytes / LINE_BYTES;
    struct code c = probe_code(p, CODE_BYTES);

    /* Other pages each time: where frames are not ours to choose, one choice may fill some sets twice. */
    uint64_t pages = (chase->ring.bytes - (size_t)footprint_bytes) / PAGE_BYTES;
    make_ring(p, chase, random_below(&p->random, pages + 1) * PAGE_BYTES, (uint64_t)lines);

    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, LINE_BYTES);
    size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(&c, REG_T0, REG_T0, 0);
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);

    /*
     * Making the ring has brought all lines in; one round, where it is short, puts them in order. Long
     * readings: what the yardsticks between them take of the first level is soon back.
     */
    *k = (struct kernel){.data = chase->start.at,
                         .units = UNROLL,
                         .warm_iterations = fmin(lines, WARM_LINES) / UNROLL,
                         .stretch = probe_scale(p, 1, 4, 4, 4)};
    return probe_kernel(p, &c, 0, k);
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
static void report_memory(struct probe *p, const struct sweep *s, const struct area *ring, double largest)
{
    struct finding f = {.name = "memory.dram.latency_ns",
                        .variants = {{"page", page_name(ring->page_bytes)}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'C',
                        .method = "footprint four times the largest declared cache",
                        .curves = {s->name}};

    if (!(largest > 0))
        f.reason = "no cache size is declared";
    else if (s->search.reached < CACHES_TO_REACH_MEMORY * largest)
        f.reason = "the range ends in a cache";
    else
        f.value = sweep_ns(s, s->search.reached);
    report(p, &f);
}

static void run(struct probe *p)
{
    struct chase chase;
    double most = probe_scale(p, 1 << 16, 1 << 25, 1 << 26, 1 << 30), largest = largest_cache_bytes(p);
    struct sweep s[ORDERS];
    bool good = true;

    /* A place with little memory leaves the large footprints out. */
    while (most > PAGE_BYTES && most > (double)machine_info()->memory_bytes / 2)
        most /= 2;
    if (!probe_map_large(p, &chase.ring, (size_t)most) || !probe_map(p, &chase.start, LINE_BYTES, 0))
        return;
    chase.next = malloc((size_t)most / LINE_BYTES * sizeof *chase.next);
    if (!chase.next) {
        probe_skip(p, "out of memory for the order of the chase");
        return;
    }
    for (enum order o = 0; o < ORDERS; o++)
        s[o] = (struct sweep){.name = o == ORDER_GROUPS ? "groups" : "whole",
                              .axis = "footprint_bytes",
                              .unit = "cycles/load",
                              .build = build,
                              .context = &chase,
                              .seconds = probe_scale(p, 1, 0.9, 0.9, 30),
                              .search = {.kind = KNEE_STEP,
                                         .from = GRAIN_BYTES,
                                         .to = o == ORDER_GROUPS ? most : fmin(most, 8 << 20),
                                         .grain = GRAIN_BYTES,
                                         .resolution = 0.01,
                                         .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8),
                                         .halves = !machine_info()->contiguous}};
    for (chase.order = 0; chase.order < ORDERS && good; chase.order++)
        good = sweep_search(p, &s[chase.order]);
    if (good) {
        const struct find_experiment e[ORDERS] = {
            {.name = "groups", .fooled_by = "prefetchers", .verdict = &s[ORDER_GROUPS].search.verdict},
            {.name = "whole", .fooled_by = "TLB", .verdict = &s[ORDER_WHOLE].search.verdict}};
        levels_report(p,
                      &(struct levels){.capacity = "memory.cache.bytes",
                                       .height = "memory.cache.latency_cycles",
                                       .step = GRAIN_BYTES,
                                       .limit = {"memory.dtlb.entries", "page=4k access=load", 1.0 / PAGE_BYTES},
                                       .scattered = !machine_info()->contiguous},
                      e, ORDERS);
        report_memory(p, &s[ORDER_GROUPS], &chase.ring, largest);
    }
    for (enum order o = 0; o < ORDERS; o++)
        sweep_free(&s[o]);
    free(chase.next);
}

PROBE(cache, .title = "Data caches", .family = "memory", .run = run,
      .findings = FINDINGS({"memory.cache.bytes", "bytes", "capacity of a data cache level"},
                           {"memory.cache.latency_cycles", "cycles", "load-to-use latency of a data cache level"},
                           {"memory.dram.latency_ns", "ns", "load-to-use latency of memory"}));
