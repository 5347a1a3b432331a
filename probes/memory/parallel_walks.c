/*
 * Page walks at once: how many translations that no TLB holds can a core look up at the same time?
 *
 * Rounds of n loads, each from another page that no TLB holds and each independent of the others, and behind each round a
 * fence that waits for all of them. As long as there is a walker for every load, a round takes one walk, and a little more
 * for each load that takes its turn. One more load than walkers, and it waits until a walker is free.
 *
 * Pages are far more than TLBs hold and are gone through group by group, in another random order each time. Of each line
 * of a page table one page is loaded from before the group's rounds begin, so that all walks of a round find their entries
 * near and take about as long.
 *
 *   own lines       a page to a line, and instruction fences
 *   shared lines    eight pages to a line: caches hold them; way predictors may take pages for strangers
 *   memory fences   a page to a line; what the fence itself does is different
 *
 * Curve: cycles a round over n, stairs with sloping treads. Answer: the width of a tread (lib/fit/treads.h). The
 * engine, whose stairs have level treads, may call the curve ambiguous.
 *
 * Method: methods 4i counts chains of walks until a round grows; rounds between fences and stairs are ours. Chains bend
 * gently there, since each has time between its walks.
 */
#include <math.h>

#include "lib/find.h"
#include "lib/fit/treads.h"
#include "lib/kernels/pages.h"
#include "lib/probe.h"
#include "lib/tlb.h"

enum {
    LOADS_MOST = 20,
    GROUP = 512,   /* pages that a table translates, at least */
    SAME_LINE = 8, /* entries to a line of a table; of longer ones more are loaded from than has to be */
    PAGES = 8192,
    LOAD_BYTES = 32, /* of code, at most: an address, a load, a fence */
    TIMES_HELD = 2   /* as many pages as TLBs hold, at least */
};

static const struct experiment {
    const char *name, *fooled_by;
    enum pages_frames frames;
    enum fence fence;
} experiments[] = {{"own lines", "caches", PAGES_OWN_LINES, FENCE_INSTRUCTIONS},
                   {"shared lines", "way predictors", PAGES_SHARED_LINES, FENCE_INSTRUCTIONS},
                   {"memory fences", "caches", PAGES_OWN_LINES, FENCE_MEMORY}};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

struct rounds {
    const struct experiment *of;
    struct pages pages;
};

static void emit_load_of(struct code *c, const struct rounds *r, size_t page)
{
    emit_constant(c, REG_T0, pages_at(&r->pages, page, page));
    emit_load(c, REG_T1, REG_T0, 0);
}

static bool build(struct probe *p, double loads, void *context, struct kernel *k)
{
    const struct rounds *r = context;
    const size_t each = (size_t)loads, pages = r->pages.count, group = pages < GROUP ? pages : GROUP,
                 rounds = (group - group / SAME_LINE) / each;
    uint32_t *next = (uint32_t *)r->pages.chase.order.write;
    struct code c = probe_code(p, (pages + 1) * LOAD_BYTES);
    size_t done = 0;

    for (size_t first = 0; first < pages; first += group) {
        for (size_t page = 0; page < group; page += SAME_LINE)
            emit_load_of(&c, r, first + page);
        emit_fence(&c, r->of->fence);
        random_cycle(next, (uint32_t)group, &p->random);
        for (size_t i = 0, page = next[0]; i < rounds * each; page = next[page]) {
            if (page % SAME_LINE == 0)
                continue;
            emit_load_of(&c, r, first + page);
            if (++i % each == 0) {
                emit_fence(&c, r->of->fence);
                done++;
            }
        }
    }
    emit_loop(&c, 0);
    emit_return(&c);
    k->units = (double)done;
    k->warm_iterations = probe_smoke(p, 1, 2);
    return probe_kernel(p, &c, 0, k);
}

/* The width of its treads, NaN: it has none. Why it cannot be measured is returned. */
static const char *measure(struct probe *p, const struct experiment *of, double *width, bool *good)
{
    struct rounds r = {.of = of};
    double y[LOADS_MOST];
    const char *why = pages_map(p, &r.pages, (size_t)probe_smoke(p, 64, PAGES), machine_info()->page_bytes[0],
                                of->frames);

    if (why)
        return why;
    struct sweep s = {.name = of->name,
                      .axis = "loads",
                      .unit = "cycles/round",
                      .build = build,
                      .context = &r,
                      .area = &r.pages.chase.ring,
                      .seconds = probe_scale(p, 1, 0.25, 1, 4),
                      .search = {.kind = KNEE_STAIRS,
                                 .from = 1,
                                 .to = probe_smoke(p, 4, LOADS_MOST),
                                 .grain = 1,
                                 .coarse = (unsigned)probe_smoke(p, 4, LOADS_MOST)}};
    *good = sweep_search(p, &s);
    *width = (double)NAN;
    for (size_t i = 0; i < LOADS_MOST; i++)
        y[i] = (double)NAN;
    for (size_t i = 0; i < s.search.count; i++)
        y[(size_t)s.search.points[i].x - 1] = s.search.points[i].y;
    if (*good)
        *width = treads_width(y, LOADS_MOST);
    sweep_free(&s);
    pages_unmap(p, &r.pages);
    return NULL;
}

static void run(struct probe *p)
{
    struct finding f = {.name = "memory.parallel_walks",
                        .method = "loads between fences: width of a tread of the stairs that rounds are"};
    struct find_value v[EXPERIMENTS];
    const double known = tlb_known_entries(p);

    for (size_t i = 0; i < EXPERIMENTS; i++) {
        bool good = true;
        v[i] = (struct find_value){experiments[i].name, experiments[i].fooled_by, (double)NAN};
        const char *why = measure(p, &experiments[i], &v[i].value, &good);
        if (why) {
            probe_skip(p, why);
            return;
        }
        if (!good)
            return;
        f.curves[i] = v[i].name;
    }
    f.reason = "no stairs";
    if (known > 0 && TIMES_HELD * known <= PAGES) {
        find_number(p, &f, v, EXPERIMENTS);
    } else {
        f.reason = known > 0 ? "TLBs hold too many pages" : "nothing is known of what TLBs hold";
        report_number(p, &f, (double)NAN);
    }
}

PROBE(parallel_walks, .title = "Page walks at once", .family = "memory", .after = "dtlb", .run = run,
      .findings = FINDINGS({"memory.parallel_walks", "walks", "page walks that can be under way at once"}));
