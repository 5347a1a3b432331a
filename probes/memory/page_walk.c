/*
 * Page walks: how much longer does a load take whose translation no TLB holds?
 *
 * Experiment, level 1: a pointer chase over far more pages than all TLBs hold (lib/kernels/pages.h), one load a page.
 * Pages are neighbours and come in groups: entries of the upper tables were just used, and those of the last table
 * lie eight or sixteen to a line. So a walk only has to read one entry, and the cost of that is level 1.
 *
 *   shared lines   eight pages to a line: caches hold nearly all of it
 *   own lines      a page to a line, so that lines come from the second cache
 *
 * The time that as many lines take in the same order on few pages is subtracted. Curve: cycles per load over pages,
 * which must be flat from half of the range on, since no TLB holds a relevant part of the pages there.
 *
 * Experiment, level 2, what it costs to read the table above as well: the same number of pages is spread over more and
 * more regions, each as large as what one last table translates (lib/kernels/page_regions.h). The chase visits a page
 * of each region in turn. Cores keep entries of the upper tables in caches of their own: once there are more regions
 * than those hold, each walk reads an upper entry first.
 *
 *   bunches of eight pages
 *   bunches of four pages    twice as many lines of the last tables: another cache would be full with fewer regions
 *
 * Curve: cycles per load over regions, flat and then higher.
 *
 * Inference: level 1 is the height less the control. The last count on the flat of the second curve is the number of
 * upper entries that are kept, and its rise is the cost of reading one. With larger pages both tables are one level
 * further up: regions have 2 MiB for pages of 4 KiB, and 1 GiB for pages of 2 MiB. Under a hypervisor each entry of its
 * own tables that a walk needs is read as well, and both costs include that.
 *
 * Sources: van Schaik et al. 2017, Reverse Engineering Hardware Page Table Caches, for regions; Barr, Cox, Rixner 2010,
 * Translation Caching, for what the levels are. docs/METHODS.md, 7.11.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/page_regions.h"
#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/page_chase.h"
#include "lib/structure/tlb.h"

enum {
    RANGE_LEAST = 4 /* most regions by fewest, at least, for a curve */
};

/* ---- Level 1 ------------------------------------------------------------------------------------ */

enum { LAST_EXPERIMENTS = 2 };
static const char *const last_confounders[LAST_EXPERIMENTS] = {
    [PAGES_SHARED_LINES] = "way predictors", [PAGES_OWN_LINES] = "caches"};

/* Cycles by which a load takes longer than one that hits; NaN where the upper half of the range is not flat. */
static bool measure_walk(struct probe *p, const struct pages *pages, double *cycles)
{
    struct page_chase chase = {pages, 1};
    struct sweep s = page_chase_sweep(page_chase_kinds[pages->kind].name, &chase);

    s.control = page_chase_control;
    s.seconds = probe_scale(p, 1, 0.15, 1, 4);
    s.search = (struct search){.kind = KNEE_STEP,
                               .from = floor((double)pages->count / 2),
                               .to = (double)pages->count,
                               .step = 1,
                               .resolution = 0.05,
                               .per_octave = (unsigned)probe_scale(p, 2, 8, 16, 16)};
    const bool good = sweep_search(p, &s);

    *cycles = NAN;
    if (good && s.search.verdict.level_count == 1)
        *cycles = level_height(&s.search.verdict, 0) - s.control_first;
    sweep_free(&s);
    return good;
}

static bool find_last_table(struct probe *p)
{
    const size_t page_bytes = machine_info()->page_bytes[0];
    const double most = probe_smoke(p, 64, TLB_MISS_PAGES), known = tlb_known_entries(p);
    struct finding f = {.name = "memory.page_walk.cycles",
                        .variants = {{"level", .number = 1}, {"page", page_name(page_bytes)}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .method = "far more pages than TLBs hold, less as many lines on few pages"};
    struct experiment_value v[LAST_EXPERIMENTS];

    for (size_t i = 0; i < LAST_EXPERIMENTS; i++) {
        struct pages pages;
        const char *why = pages_map(p, &pages, (size_t)most, page_bytes, (enum pages_frames)i);
        if (why)
            return probe_skip(p, why);
        /*
         * An operating system's tables may lie well or badly in caches, which misleads both experiments alike: 3 %
         * from one process to the next.
         */
        v[i] = (struct experiment_value){page_chase_kinds[i].name,
                                         machine_info()->contiguous ? last_confounders[i] : "where tables lie", NAN};
        const bool good = measure_walk(p, &pages, &v[i].value);
        pages_unmap(p, &pages);
        if (!good)
            return false;
    }
    if (known > 0 && most / TLB_MISS_TIMES > known) {
        report_graded_number(p, &f, v, LAST_EXPERIMENTS);
        return true;
    }
    f.reason = known > 0 ? REASON_TOO_MANY_PAGES : REASON_TLB_UNKNOWN;
    report(p, &f);
    return true;
}

/* ---- Level 2 ------------------------------------------------------------------------------------ */

enum { UPPER_EXPERIMENTS = 2 };
static const struct upper_experiment {
    const char *name, *confounder;
    size_t bunch; /* pages */
} upper_experiments[UPPER_EXPERIMENTS] = {{"bunches of eight", "TLBs", 8}, {"bunches of four", "caches", 4}};

static bool build_regions(struct probe *p, double regions, void *context, struct kernel *k)
{
    return page_regions_kernel(p, context, (size_t)regions, k);
}

static struct finding upper_finding(const char *name, size_t page_bytes, struct why why)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = 2}, {"page", page_name(page_bytes)}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = why.reason,
                            .detail = why.detail};
}

static void report_upper_table(struct probe *p, size_t page_bytes, const struct sweep s[UPPER_EXPERIMENTS])
{
    const struct why none = {.reason = REASON_NONE};
    struct finding entries = upper_finding("memory.page_walk.entries", page_bytes, none),
                   cycles = upper_finding("memory.page_walk.cycles", page_bytes, none);
    struct experiment e[UPPER_EXPERIMENTS];
    struct experiment_value v[UPPER_EXPERIMENTS];

    experiments_of_sweeps(s, UPPER_EXPERIMENTS, e);
    for (size_t i = 0; i < UPPER_EXPERIMENTS; i++) {
        const struct verdict *verdict = &s[i].search.verdict;
        v[i] = (struct experiment_value){e[i].name, e[i].confounder, NAN};
        /* from the edge on: with fewer regions TLBs may still hold some of the pages */
        if (verdict->count == 1 && !isnan(level_difference(verdict, 0, verdict, 1)))
            v[i].value = verdict->levels[1].height - verdict->knees[0].before;
        entries.curves[i] = cycles.curves[i] = e[i].name;
    }
    entries.method = "regions over which pages are spread before walks take longer";
    cycles.method = "rise of walks behind that number of regions";
    report_capacity(p, &entries, e, UPPER_EXPERIMENTS, (double)1);
    report_graded_number(p, &cycles, v, UPPER_EXPERIMENTS);
}

/* Returns NULL, or why the regions cannot be mapped; *good is false when the probe has ended. */
static const char *search_regions(struct probe *p, struct page_regions *r, const struct upper_experiment *x, char *name,
                                  size_t room, struct sweep *s, bool *good)
{
    const char *why = page_regions_map(r);

    if (!why) {
        snprintf(name, room, "%s, pages of %s", x->name, page_name(r->page_bytes));
        *s = (struct sweep){.name = name,
                            .confounder = x->confounder,
                            .axis = "regions",
                            .unit = "cycles/load",
                            .build = build_regions,
                            .context = r,
                            .area = &r->chase.ring,
                            .seconds = probe_scale(p, 1, 0.35, 1, 4),
                            .search = {.kind = KNEE_JUMP,
                                       .from = (double)r->fewest,
                                       .to = (double)r->most,
                                       .step = (double)r->groups,
                                       .resolution = 0.02,
                                       .per_octave = (unsigned)probe_scale(p, 1, 8, 8, 16)}};
        *good = sweep_search(p, s);
    }
    page_regions_unmap(p, r);
    return why;
}

static bool find_upper_table(struct probe *p, size_t page_bytes)
{
    const double pages = fmax(TLB_MISS_PAGES, TLB_MISS_TIMES * tlb_known_entries(p));
    struct page_regions regions[UPPER_EXPERIMENTS];
    struct sweep s[UPPER_EXPERIMENTS] = {{.name = NULL}};
    char names[UPPER_EXPERIMENTS][48];
    struct why why = {.reason = probe_no_pages(p, page_bytes)};
    bool good = true;

    for (size_t i = 0; i < UPPER_EXPERIMENTS && good && !why.reason; i++) {
        const struct upper_experiment *x = &upper_experiments[i];
        regions[i] = page_regions_of(p, page_bytes, x->bunch, pages);
        why = regions[i].most < RANGE_LEAST * regions[i].fewest
                  ? why_of(REASON_REGION_TOO_LARGE)
                  : why_platform(search_regions(p, &regions[i], x, names[i], sizeof names[i], &s[i], &good));
    }
    if (good && why.reason) {
        const struct finding f = upper_finding("memory.page_walk.entries", page_bytes, why);
        report(p, &f);
    } else if (good) {
        report_upper_table(p, page_bytes, s);
    }
    sweeps_free(s, UPPER_EXPERIMENTS);
    return good;
}

static void run(struct probe *p)
{
    bool good = find_last_table(p);

    for (const size_t *size = machine_info()->page_bytes; good && *size; size++)
        good = find_upper_table(p, *size);
}

PROBE(page_walk, .title = "Page walks", .family = "memory", .run = run, .after = "dtlb",
      .findings = FINDINGS(
          {"memory.page_walk.cycles", "cycles",
           "by how much a load takes longer whose page no TLB holds; level 2: further cycles where the table above "
           "the last has to be read"},
          {"memory.page_walk.entries", "entries", "entries of that table that walks find without reading it"}));
