/*
 * Page walks at once: how many translations that no TLB holds can a core look up at the same time?
 *
 * Experiment: rounds of n loads, each from another page that no TLB holds and independent of the others, and behind
 * each round a fence that waits for all of them. As long as there is a walker for every load, a round takes as long
 * as one walk, and a little more for each load that waits for its turn at the caches. One load more than walkers
 * waits until a walker is free.
 *
 * There are far more pages than TLBs hold. They are visited group by group, each time in another random order. One
 * page of each line of a page table is loaded from before the group's rounds begin, so that all walks of a round find
 * their entries in a near cache and take about as long.
 *
 *   own lines       a page to a line, and instruction fences
 *   shared lines    eight pages to a line: caches hold them; a way predictor may take pages for different lines
 *   memory fences   a page to a line; the fence itself does something different
 *
 * Curve: cycles per round over n, a sloped staircase.
 *
 * Inference: the width of a step is the number of walkers (lib/knee/sloped_staircase.h). The search, whose staircases
 * have level steps, may call the curve ambiguous.
 *
 * Sources: counting chains of walks until a round takes longer is known, but such curves bend gently, since each
 * chain has time between its walks; rounds between fences and the staircase are ours. docs/METHODS.md, 7.12.
 */
#include <math.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/pages.h"
#include "lib/knee/sloped_staircase.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/tlb.h"

enum {
    LOADS_MOST = 20, /* in a round */
    GROUP = 512,     /* pages: as many as a table translates, at least */
    SAME_LINE = 8,   /* entries in a line of a table; if a line has more, more pages are loaded from than necessary */
    LOAD_BYTES = 32  /* of code, at most: an address, a load, a fence */
};

static const struct walk_experiment {
    const char *name, *confounder;
    enum pages_frames frames;
    enum fence fence;
} experiments[] = {{"own lines", "caches", PAGES_OWN_LINES, FENCE_INSTRUCTIONS},
                   {"shared lines", "way predictors", PAGES_SHARED_LINES, FENCE_INSTRUCTIONS},
                   {"memory fences", "caches", PAGES_OWN_LINES, FENCE_MEMORY}};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

struct rounds {
    const struct walk_experiment *of;
    struct pages pages;
};

static void emit_page_load(struct code *c, const struct rounds *r, size_t page)
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
            emit_page_load(&c, r, first + page);
        emit_fence(&c, r->of->fence);
        random_cycle(next, (uint32_t)group, &p->random);
        for (size_t i = 0, page = next[0]; i < rounds * each; page = next[page]) {
            if (page % SAME_LINE == 0)
                continue;
            emit_page_load(&c, r, first + page);
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

/*
 * Sets *width to the width of the steps, in loads; NaN: the curve is no such staircase. Returns NULL, or why the
 * platform cannot map the pages; *good is false when the probe has ended.
 */
static const char *find_width(struct probe *p, const struct walk_experiment *x, double *width, bool *good)
{
    struct rounds r = {.of = x};
    double y[LOADS_MOST];
    const char *why = pages_map(p, &r.pages, (size_t)probe_smoke(p, 64, TLB_MISS_PAGES), machine_info()->page_bytes[0],
                                x->frames);

    if (why)
        return why;
    struct sweep s = {.name = x->name,
                      .axis = "loads",
                      .unit = "cycles/round",
                      .build = build,
                      .context = &r,
                      .area = &r.pages.chase.ring,
                      .seconds = probe_scale(p, 1, 0.25, 1, 4),
                      .search = {.kind = KNEE_STAIRCASE,
                                 .from = 1,
                                 .to = probe_smoke(p, 4, LOADS_MOST),
                                 .step = 1,
                                 .coarse = (unsigned)probe_smoke(p, 4, LOADS_MOST)}};
    *good = sweep_search(p, &s);
    *width = (double)NAN;
    for (size_t i = 0; i < LOADS_MOST; i++)
        y[i] = (double)NAN;
    for (size_t i = 0; i < s.search.count; i++)
        y[(size_t)s.search.points[i].x - 1] = s.search.points[i].y;
    if (*good)
        *width = sloped_staircase_width(y, LOADS_MOST);
    sweep_free(&s);
    pages_unmap(p, &r.pages);
    return NULL;
}

static void run(struct probe *p)
{
    struct finding f = {.name = "memory.parallel_walks",
                        .method = "loads between fences: width of a step of the staircase of rounds"};
    struct experiment_value v[EXPERIMENTS];
    const double known = tlb_known_entries(p);

    for (size_t i = 0; i < EXPERIMENTS; i++) {
        bool good = true;
        v[i] = (struct experiment_value){experiments[i].name, experiments[i].confounder, (double)NAN};
        const char *why = find_width(p, &experiments[i], &v[i].value, &good);
        if (why) {
            probe_skip(p, why);
            return;
        }
        if (!good)
            return;
        f.curves[i] = v[i].name;
    }
    f.reason = REASON_NO_STAIRCASE;
    if (known > 0 && TLB_MISS_TIMES * known <= TLB_MISS_PAGES) {
        report_graded_number(p, &f, v, EXPERIMENTS);
    } else {
        f.reason = known > 0 ? REASON_TOO_MANY_PAGES : REASON_TLB_UNKNOWN;
        report_number(p, &f, (double)NAN);
    }
}

PROBE(parallel_walks, .title = "Page walks at once", .family = "memory", .after = "dtlb", .run = run,
      .findings = FINDINGS({"memory.parallel_walks", "walks", "page walks that can be under way at once"}));
