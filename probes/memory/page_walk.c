/*
 * Page walks: how much longer does a load take whose translation no TLB holds?
 *
 * A pointer chase over far more pages than all TLBs hold (lib/kernels/pages.h), one load a page. Pages are neighbours and come in
 * groups: what the upper tables say was just used, and the last table's entries lie eight or sixteen to a line. So what a
 * walk has left to do is to read one entry: level 1.
 *
 *   shared lines   eight pages to a line: caches nearly hold all of it
 *   own lines      a page to a line, so that lines come from the second cache
 *
 * Off goes what as many lines take in the same order on few pages.
 *
 * Curve: cycles per load over pages, which must be flat from half of the range on, since then no TLB holds a part of them.
 * A walk that has to read the upper tables, too, wants pages that lie gigabytes apart, and is not asked here.
 *
 * Method: methods 4i; Barr, Cox, Rixner 2010, Translation Caching, for what the levels are.
 */
#include <math.h>

#include "lib/find.h"
#include "lib/kernels/pages.h"
#include "lib/probe.h"

enum { KINDS = 2 };

static const struct {
    const char *name, *fooled_by;
} experiments[KINDS] = {
    [PAGES_SHARED_LINES] = {"shared lines", "way predictors"}, [PAGES_OWN_LINES] = {"own lines", "caches"}};

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    return pages_kernel(p, context, (size_t)pages, 1, k);
}

static bool build_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    return pages_control(p, context, (size_t)pages, k);
}

/* The most pages that any level is known to hold, declared or measured; 0: nothing is known. */
static double known_entries(const struct probe *p)
{
    static const char *const levels[] = {"level=1 access=load", "level=2 access=load", "level=3 access=load"};
    double most = 0;

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        most = fmax(most, facts_number(&p->run->facts, "memory.dtlb.entries", levels[i], 0));
    return most;
}

/* By how much a load takes longer than one whose page is held; NaN where the upper half of the range is not flat. */
static bool measure_walk(struct probe *p, struct pages *pages, double *cycles)
{
    struct sweep s = {.name = experiments[pages->kind].name,
                      .axis = "pages",
                      .unit = "cycles/load",
                      .build = build,
                      .control = build_control,
                      .context = pages,
                      .area = &pages->chase.ring,
                      .touches_pages = true,
                      .seconds = probe_scale(p, 1, 0.15, 1, 4),
                      .search = {.kind = KNEE_STEP,
                                 .from = floor((double)pages->count / 2),
                                 .to = (double)pages->count,
                                 .grain = 1,
                                 .resolution = 0.05,
                                 .per_octave = (unsigned)probe_scale(p, 2, 8, 16, 16)}};
    const bool good = sweep_search(p, &s);

    *cycles = NAN;
    if (good && s.search.verdict.level_count == 1)
        *cycles = find_height(&s.search.verdict, 0) - s.control_first;
    sweep_free(&s);
    return good;
}

static void run(struct probe *p)
{
    const size_t page_bytes = machine_info()->page_bytes[0];
    const double most = probe_smoke(p, 64, 8192), known = known_entries(p);
    struct finding f = {.name = "memory.page_walk.cycles",
                        .variants = {{"level", .number = 1}, {"page", page_name(page_bytes)}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .method = "far more pages than TLBs hold, less as many lines on few pages"};
    struct find_value v[KINDS];

    for (size_t i = 0; i < KINDS; i++) {
        struct pages pages;
        const char *why = pages_map(p, &pages, (size_t)most, page_bytes, (enum pages_frames)i);
        if (why) {
            probe_skip(p, why);
            return;
        }
        v[i] = (struct find_value){experiments[i].name, experiments[i].fooled_by, NAN};
        const bool good = measure_walk(p, &pages, &v[i].value);
        pages_unmap(p, &pages);
        if (!good)
            return;
    }
    if (known > 0 && most / 2 > known) {
        find_number(p, &f, v, KINDS);
        return;
    }
    f.reason = known > 0 ? "the range ends in a TLB" : "nothing is known of what TLBs hold";
    report(p, &f);
}

PROBE(page_walk, .title = "Page walks", .family = "memory", .run = run, .after = "dtlb",
      .findings = FINDINGS({"memory.page_walk.cycles", "cycles", "what a load takes longer whose page no TLB holds"}));
