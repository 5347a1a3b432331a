#include "lib/structure/caches.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/probe/curve.h"
#include "lib/probe/probe.h"
#include "lib/probe/sample.h"
#include "lib/probe/sweep.h"
#include "lib/structure/beside_reader.h"
#include "lib/structure/hierarchy.h"
#include "lib/structure/line_length.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    PAGE_BYTES = 4096,
    GROUP_BYTES = 16 * PAGE_BYTES, /* of order `groups` */
    /*
     * Loads an iteration, at least. A core that executes in order, one instruction a cycle, adds the loop's counter and
     * its taken branch to their time: two to four cycles, a sixteenth of a cycle a load, 3 % of the shortest latency.
     */
    UNROLL = 64,
    WARM_LINES = (8 << 20) / POINTER_CHASE_LINE_BYTES, /* visited before a reading, at most */
    MOST_WHOLE = 8 << 20,                              /* bytes; beyond that random order shows nothing but the TLB */
    SIMULATED_WHOLE = 1 << 17, /* the same on simulated cores, where drawing such an order takes the time */
    SAMPLES = 5                /* of a single footprint */
};

/* group_bytes 0: one group, order `whole`. */
static bool build_chase(struct probe *p, const struct pointer_chase *chase, size_t bytes, size_t group_bytes,
                        struct kernel *k)
{
    const size_t pitch = chase->pitch ? chase->pitch : POINTER_CHASE_LINE_BYTES, lines = bytes / pitch;

    /*
     * Other pages each time: where the platform does not choose frames, those of one choice may fill some sets twice. On
     * simulated cores linking takes most of the time, so that it goes on behind what is linked.
     */
    const uint64_t pages = (chase->ring.bytes - bytes) / PAGE_BYTES;
    if (probe_is_simulated(p) && group_bytes)
        pointer_chase_link_alike(p, chase, 0, lines, group_bytes / pitch);
    else
        pointer_chase_link(p, chase, random_below(&p->random, pages + 1) * PAGE_BYTES, lines,
                           group_bytes ? group_bytes / pitch : lines);
    /*
     * Linking the ring has fetched all lines; one round, where it is short, brings them into the order of the chase.
     * Readings are long, so that lines that the reference chains between them evict from the first level count little.
     */
    k->warm_iterations = fmin((double)lines, WARM_LINES) / UNROLL;
    k->length_factor = probe_smoke(p, 1, 4);
    k->round = (double)lines / UNROLL; /* where lines do not fit, some groups miss more than others */
    return pointer_chase_kernel(p, chase, pointer_chase_unroll(lines, UNROLL), k);
}

static bool build_groups(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    return build_chase(p, context, (size_t)footprint_bytes, GROUP_BYTES, k);
}

static bool build_whole(struct probe *p, double footprint_bytes, void *context, struct kernel *k)
{
    return build_chase(p, context, (size_t)footprint_bytes, 0, k);
}

bool caches_random_order(struct probe *p, const struct pointer_chase *chase, double footprint_bytes, struct kernel *k)
{
    return build_chase(p, chase, (size_t)footprint_bytes, 0, k);
}

double caches_known(const struct probe *p, unsigned level)
{
    char variants[16];

    snprintf(variants, sizeof variants, "level=%u", level);
    return facts_number(&p->run->facts, "memory.cache.bytes", variants, 0);
}

double caches_footprint(const struct probe *p)
{
    double most = probe_simulated(p, 1 << 22, probe_scale(p, 1 << 16, 1 << 25, 1 << 26, 1 << 30));

    while (most > PAGE_BYTES && most > (double)machine_info()->memory_bytes / 2)
        most /= 2;
    return most;
}

/* The latency of memory: at the largest footprint, if that exceeds the largest cache by far. */
static void report_memory(struct probe *p, const struct sweep *s, double largest)
{
    bool reached = largest > 0 && s->search.reached >= CACHES_TO_REACH_MEMORY * largest;

    report_number(p,
                  &(struct finding){.name = "memory.dram.latency_ns",
                                    .variants = {{"page", page_name(s->area->page_bytes)}},
                                    .reason = largest > 0 ? REASON_RANGE_ENDS : REASON_NO_DECLARED_SIZE,
                                    .method = "footprint four times the largest declared cache",
                                    .curves = {s->name}},
                  reached ? curve_median(s, s->search.reached, CURVE_NS) : NAN);
}

/* One range of footprints, searched in these orders. */
enum { GROUPS, WHOLE, ORDERS };
struct range {
    struct sweep sweep[ORDERS];
    char name[ORDERS][32];
    size_t count;
};

/* Returns how many levels it reported. */
static unsigned report_levels(struct probe *p, const struct caches *c, const struct range *s, unsigned before,
                              bool goes_on)
{
    const size_t page_bytes = c->page ? c->chase.ring.page_bytes : machine_info()->page_bytes[0];
    const size_t line_bytes = c->chase.pitch ? c->chase.pitch : POINTER_CHASE_LINE_BYTES;
    struct experiment e[EXPERIMENTS_MAXIMUM];
    struct verdict v[ORDERS];
    char tlb[32];

    snprintf(tlb, sizeof tlb, "page=%s access=load", page_name(page_bytes));
    experiments_of_sweeps(s->sweep, s->count, e);
    for (size_t i = 0; i < s->count; i++) {
        v[i] = beside_reader(&s->sweep[i].search, (double)line_bytes);
        e[i].verdict = &v[i];
    }
    return hierarchy_report(p,
                            &(struct hierarchy){.capacity = "memory.cache.bytes",
                                                .height = "memory.cache.latency_cycles",
                                                .variants = {{c->page ? "page" : NULL, c->page}},
                                                .guard = POINTER_CHASE_GUARD,
                                                .step = CACHE_STEP_BYTES,
                                                .limit = {"memory.dtlb.entries", tlb, 1.0 / (double)page_bytes},
                                                .scattered = probe_scattered(&c->chase.ring),
                                                .shared = machine_info()->hypervisor[0] ? FIRST_SHARED_CACHE : 0,
                                                .before = before,
                                                .goes_on = goes_on},
                            e, s->count);
}

static bool search_range(struct probe *p, struct caches *c, struct range *s, const char *where, double from, double to)
{
    static const char *const orders[ORDERS] = {"groups", "whole"}, *const confounder[ORDERS] = {"prefetchers", "TLB"};

    for (s->count = 0;
         s->count < ORDERS && (s->count == GROUPS || 2 * from < probe_simulated(p, SIMULATED_WHOLE, MOST_WHOLE));) {
        const size_t i = s->count++;
        snprintf(s->name[i], sizeof s->name[i], c->page ? "%s%s, pages of %s" : "%s%s", orders[i], where, c->page);
        s->sweep[i] = (struct sweep){
            .name = s->name[i],
            .axis = "footprint_bytes",
            .unit = "cycles/load",
            .confounder = confounder[i],
            .build = i == GROUPS ? build_groups : build_whole,
            .context = &c->chase,
            .area = &c->chase.ring,
            .seconds = c->seconds,
            .search = {.kind = KNEE_STEP,
                       .from = from,
                       .to = i == GROUPS ? to : fmin(to, probe_simulated(p, SIMULATED_WHOLE, MOST_WHOLE)),
                       .step = CACHE_STEP_BYTES,
                       .resolution = 0.01,
                       .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8),
                       .budget = c->samples,
                       .narrow_half_rise = probe_scattered(&c->chase.ring)}};
        if (!sweep_search(p, &s->sweep[i]))
            return false;
    }
    return true;
}

struct footprint {
    const struct pointer_chase *chase;
    double bytes;
};

static bool build_footprint(struct probe *p, void *context, struct kernel *k)
{
    const struct footprint *f = context;

    return build_chase(p, f->chase, (size_t)f->bytes, GROUP_BYTES, k);
}

/*
 * Reports the second level's latency where the curve has no steady height for it, by groups over a part of its
 * capacity, which leaves room in its sets. Its edge is a wide ramp where frames lie at random, and where other
 * programs fill the next level the end of the ramp is lost, too.
 */
static bool report_second_latency(struct probe *p, const struct caches *c, const struct verdict *v, double bytes)
{
    struct footprint part = {&c->chase, floor(SECOND_LEVEL_PART * bytes / CACHE_STEP_BYTES) * CACHE_STEP_BYTES};
    double cycles = NAN;

    /* such a footprint is the second level's only behind the first level's edge */
    if (!v->count || part.bytes < 2 * v->knees[0].end || part.bytes > c->most || !isnan(level_height(v, 1)))
        return true;
    if (!sample_cycles(p, SAMPLES, build_footprint, &part, &cycles))
        return false;
    if (!isnan(cycles))
        report_number(p,
                      &(struct finding){.name = "memory.cache.latency_cycles",
                                        .variants = {{"level", .number = 2}, {c->page ? "page" : NULL, c->page}},
                                        .method = "groups over a quarter of the known capacity",
                                        .remarks = {{"guard", POINTER_CHASE_GUARD}},
                                        .replaces = true},
                      cycles);
    return true;
}

/* Whether the near range shows where the second level ends. */
static bool second_ends(const struct verdict *v, double second)
{
    return v->count > 1 && v->knees[v->count - 1].value > second / LEVELS_APART;
}

/* Bytes of the second level as this run has measured them; 0: it has not. */
static double measured_second(const struct probe *p)
{
    const struct fact *f = facts_find(&p->run->facts, "memory.cache.bytes", "level=2");

    return f && f->grade != 'D' ? f->value : 0;
}

/*
 * Two ranges, as for TLBs (lib/structure/tlb.h): the levels behind the second one are shared, and the latency of memory
 * is so high and so uneven that on one curve with it no nearer level is certain.
 */
bool caches_levels(struct probe *p, struct caches *c)
{
    struct range near = {.count = 0}, far = {.count = 0};
    const struct verdict *v = &near.sweep[GROUPS].search.verdict;
    const double second = caches_known(p, 2), near_end = CACHE_FAR_RANGE * second;
    double largest = 0;

    for (unsigned level = 1; level <= CACHE_LEVELS; level++)
        largest = fmax(largest, caches_known(p, level));
    /* what a simulated core declares need not be what it has, and its memory is even */
    const bool two_ranges = near_end > 0 && LEVELS_APART * near_end < c->most && !probe_is_simulated(p);
    bool good = line_length_find(p, &c->chase, &c->chase.pitch) &&
                search_range(p, c, &near, "", CACHE_STEP_BYTES, two_ranges ? near_end : c->most);
    /* where the second level shows no edge the numbers of the levels behind are not known */
    if (good && two_ranges && second_ends(v, second))
        good = search_range(p, c, &far, ", far",
                            floor(LEVELS_APART * v->knees[v->count - 1].value / CACHE_STEP_BYTES) * CACHE_STEP_BYTES,
                            c->most);
    if (good) {
        const unsigned levels = report_levels(p, c, &near, 0, far.count > 0);
        if (far.count && levels == 2)
            report_levels(p, c, &far, levels, false);
        good = report_second_latency(p, c, v, probe_is_simulated(p) ? measured_second(p) : second);
        if (probe_is_simulated(p) && !second_ends(v, second)) /* that may be a cache's latency */
            largest = 0;
        report_memory(p, far.count ? &far.sweep[GROUPS] : &near.sweep[GROUPS], largest);
    }
    sweeps_free(near.sweep, near.count);
    sweeps_free(far.sweep, far.count);
    return good;
}
