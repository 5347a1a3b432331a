#include "lib/caches.h"

#include <math.h>
#include <stdio.h>

#include "lib/levels.h"
#include "lib/sample.h"

enum {
    PAGE_BYTES = 4096,
    GROUP_LINES = 16 * PAGE_BYTES / CHASE_LINE_BYTES,
    UNROLL = 16,
    WARM_LINES = (8 << 20) / CHASE_LINE_BYTES,
    MOST_WHOLE = 8 << 20, /* bytes; farther out the TLB is all that this order shows */
    CACHES_TO_REACH_MEMORY = 4,
    FIRST_SHARED = 3 /* from this level on guests of one hypervisor share caches: the first two are a core's own */
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

/* What is searched at once: footprints in these orders. */
enum { GROUPS, WHOLE, ORDERS };
struct stretch {
    struct sweep sweep[ORDERS];
    char name[ORDERS][32];
    size_t count;
};

/* Returns how many levels it told. */
static unsigned report_levels(struct probe *p, const struct caches *c, const struct stretch *s, unsigned before,
                              bool goes_on)
{
    struct find_experiment e[FIND_EXPERIMENTS];
    char held[32];

    snprintf(held, sizeof held, "page=%s access=load", c->page ? c->page : "4k");
    find_experiments(s->sweep, s->count, e);
    return levels_report(p,
                         &(struct levels){.capacity = "memory.cache.bytes",
                                          .height = "memory.cache.latency_cycles",
                                          .variants = {{c->page ? "page" : NULL, c->page}},
                                          .guard = CHASE_GUARD,
                                          .step = CACHE_GRAIN_BYTES,
                                          .limit = {"memory.dtlb.entries", held,
                                                    1.0 / (c->page ? (double)c->chase.ring.page_bytes : PAGE_BYTES)},
                                          .scattered = probe_scattered(&c->chase.ring),
                                          .shared = machine_info()->hypervisor[0] ? FIRST_SHARED : 0,
                                          .before = before,
                                          .goes_on = goes_on},
                         e, s->count);
}

static bool search(struct probe *p, struct caches *c, struct stretch *s, const char *where, double from, double to)
{
    static const char *const orders[ORDERS] = {"groups", "whole"}, *const fooled_by[ORDERS] = {"prefetchers", "TLB"};

    for (s->count = 0; s->count < ORDERS && (s->count == GROUPS || 2 * from < MOST_WHOLE);) {
        const size_t i = s->count++;
        snprintf(s->name[i], sizeof s->name[i], c->page ? "%s%s, pages of %s" : "%s%s", orders[i], where, c->page);
        s->sweep[i] = (struct sweep){.name = s->name[i],
                                     .axis = "footprint_bytes",
                                     .unit = "cycles/load",
                                     .fooled_by = fooled_by[i],
                                     .build = i == GROUPS ? build_groups : build_whole,
                                     .context = &c->chase,
                                     .area = &c->chase.ring,
                                     .seconds = c->seconds,
                                     .search = {.kind = KNEE_STEP,
                                                .from = from,
                                                .to = i == GROUPS ? to : fmin(to, MOST_WHOLE),
                                                .grain = CACHE_GRAIN_BYTES,
                                                .resolution = 0.01,
                                                .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8),
                                                .budget = c->samples,
                                                .halves = probe_scattered(&c->chase.ring)}};
        if (!sweep_search(p, &s->sweep[i]))
            return false;
    }
    return true;
}

struct part {
    const struct chase *chase;
    double bytes;
};

static bool build_part(struct probe *p, void *context, struct kernel *k)
{
    const struct part *part = context;

    return build(p, part->chase, (size_t)part->bytes, GROUP_LINES, k);
}

/*
 * The second level's latency where the curve has no height for it: its edge is a wide ramp where frames fall at random,
 * and where others fill the next level its end is lost, too. Frames that take a quarter of it leave room in its sets.
 */
static bool find_second(struct probe *p, const struct caches *c, const struct verdict *v, double bytes)
{
    enum { SAMPLES = 5 };
    struct part part = {&c->chase, floor(bytes / 4 / CACHE_GRAIN_BYTES) * CACHE_GRAIN_BYTES};
    double cycles = NAN;

    /* of its own only behind the first level's edge */
    if (!v->count || part.bytes < 2 * v->knees[0].end || part.bytes > c->most || !isnan(find_height(v, 1)))
        return true;
    if (!sample_cycles(p, SAMPLES, build_part, &part, &cycles))
        return false;
    if (!isnan(cycles))
        report_number(p,
                      &(struct finding){.name = "memory.cache.latency_cycles",
                                        .variants = {{"level", .number = 2}, {c->page ? "page" : NULL, c->page}},
                                        .method = "groups over a quarter of what the level is known to hold",
                                        .remarks = {{"guard", CHASE_GUARD}},
                                        .replaces = true},
                      cycles);
    return true;
}

/*
 * Two stretches, as those of TLBs are (lib/tlb.h): what lies behind the second level is shared, and memory is so far away
 * and so uneven that beside it nothing nearer is told for sure.
 */
bool caches_levels(struct probe *p, struct caches *c)
{
    enum { BEYOND = 3, APART = 2 }; /* times the second level: its edge is behind; the next level is larger by more */
    struct stretch near = {.count = 0}, far = {.count = 0};
    const struct verdict *v = &near.sweep[GROUPS].search.verdict;
    const double second = caches_known(p, 2), middle = BEYOND * second;
    double largest = 0;

    for (unsigned level = 1; level <= CACHE_LEVELS; level++)
        largest = fmax(largest, caches_known(p, level));
    const bool parts = middle > 0 && APART * middle < c->most;
    bool good = search(p, c, &near, "", CACHE_GRAIN_BYTES, parts ? middle : c->most);
    /* where the second one's edge is not seen nobody knows which levels come behind */
    if (good && parts && v->count > 1 && v->knees[v->count - 1].value > second / APART)
        good = search(p, c, &far, ", far",
                      floor(APART * v->knees[v->count - 1].value / CACHE_GRAIN_BYTES) * CACHE_GRAIN_BYTES, c->most);
    if (good) {
        const unsigned told = report_levels(p, c, &near, 0, far.count > 0);
        if (far.count && told == 2)
            report_levels(p, c, &far, told, false);
        good = find_second(p, c, v, second);
        report_memory(p, far.count ? &far.sweep[GROUPS] : &near.sweep[GROUPS], largest);
    }
    sweeps_free(near.sweep, near.count);
    sweeps_free(far.sweep, far.count);
    return good;
}
