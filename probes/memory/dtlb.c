/*
 * Data TLBs: how many pages are translated at once, and what does it cost when one is not?
 *
 * Experiment: a pointer chase (lib/kernels/pages.h), one load on each page. While a level holds all translations a load
 * takes as long as one from the first cache; beyond that, the miss of that level is added. What could mislead differs:
 *
 *   shared lines   eight pages to a line: caches hold all of it, but of the most pages, which have a control; not tried
 *                  where a way predictor (probe `way_hash`) would take eight addresses of a line for different lines
 *   own lines      a page to a line, less what as many lines packed onto few pages cost
 *   shuffled       the same with a frame to each page, in random order
 *   strides        pages 1, 2, 4 ... pages apart: beyond the lowest address bit that chooses a set the count halves,
 *                  until the ways of one set are left (lib/structure/stride_family.h)
 *   stores         straight code, a store to each page and a fence behind each: many cores have fewer entries for
 *                  stores
 *   neighbours     frames in order, and with AArch64's contiguous hint (lib/structure/tlb_coalescing.h)
 *
 * Curve: cycles per load over pages, a staircase.
 *
 * Inference: the last count on each level is its entries; the cost of a miss is the difference to the next level. The
 * edge of a second level is a wide ramp, since its sets are chosen by a hash or its replacement is no strict LRU, and
 * it holds page tables and code as well: so half of the rise is reported. A step may also be caused by the readings,
 * each of which touches further pages; longer readings distinguish it from the end of a level (lib/structure/tlb.c).
 *
 * Sources: jiegec/cpu-micro-benchmarks, dtlb_size with pages that share frames; jia.je 2025, Golden Cove and Redwood
 * Cove; Berg 2006. Eight pages to a line and the packed control are ours. docs/METHODS.md, 7.7.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/page_chase.h"
#include "lib/structure/tlb.h"
#include "lib/structure/tlb_coalescing.h"

enum {
    FEWEST_PAGES = 2,
    NEAR_PAGES = 1024, /* end of the near range: more than any first level holds */
    MOST_PAGES = 8192,
    SIMULATED_NEAR_PAGES = 256, /* the same on simulated cores, which are small, … */
    SIMULATED_PAGES = 2048,     /* … and on which each page of a ring that is linked takes time */
    STORE_PAGES = 256,          /* for stores: beyond their own level they use that of loads */
    SIMULATED_STORE_PAGES = 96  /* the same on simulated cores, or twice what the level of loads holds */
};
/* Relative difference of points of one level; STORES_RESOLUTION for stores, whose fences cost many times a miss. */
static const double RESOLUTION = 0.05;
static const double STORES_RESOLUTION = 0.01;
/*
 * Bytes of addresses that pages of any size may span: every core has as many. no test: it only bounds how many of the
 * largest pages are tried.
 */
static const double SPAN_BYTES = 1099511627776;

/* ---- Loads -------------------------------------------------------------------------------------- */

static bool find_levels(struct probe *p, const struct tlb *t, const struct pages *pages, size_t count,
                        struct tlb_first *first)
{
    struct sweep sweep[PAGE_CHASE_KINDS];
    struct page_chase chases[PAGE_CHASE_KINDS];
    const double cache_bytes = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", 0);
    struct tlb with_far = *t;

    for (size_t i = 0; i < count; i++) {
        const struct page_chase_kind *kind = &page_chase_kinds[pages[i].kind];
        chases[i] = (struct page_chase){&pages[i], 1};
        sweep[i] = page_chase_sweep(kind->name, &chases[i]);
        sweep[i].confounder = kind->confounder;
    }
    struct sweep controlled = sweep[0];
    controlled.control = page_chase_control;
    /* even eight pages to a line may be more lines than the first cache has */
    if (pages[0].kind == PAGES_SHARED_LINES && t->most * sizeof(uint64_t) > cache_bytes)
        with_far.far_first = &controlled;
    return tlb_levels(p, &with_far, sweep, count, first);
}

static bool find_sets(struct probe *p, const struct tlb *t, const struct pages *pages, double entries)
{
    struct sweep sweep[TLB_STRIDES];
    struct page_chase chases[TLB_STRIDES];
    char names[TLB_STRIDES][24];
    struct page_chase far_apart = {pages, TLB_ODD_STRIDE};
    const struct sweep odd = page_chase_sweep("17 apart", &far_apart);
    struct tlb with_odd = *t;

    with_odd.odd = &odd;
    for (size_t i = 0; i < TLB_STRIDES; i++) {
        chases[i] = (struct page_chase){pages, (size_t)1 << i};
        snprintf(names[i], sizeof names[i], "%zu apart", chases[i].stride);
        sweep[i] = page_chase_sweep(names[i], &chases[i]);
    }
    return tlb_sets(p, &with_odd, sweep, entries);
}

/* ---- Stores ------------------------------------------------------------------------------------- */

/* Two experiments in several orders, and one in a single order, which shows whether replacement is a strict LRU. */
enum { STORE_EXPERIMENTS = 2, ONE_ORDER = STORE_EXPERIMENTS, STORES };
static const struct {
    const char *name, *confounder;
    struct pages_stores kernel;
} store_experiments[STORES] = {{"stores, memory fences", "draining", {FENCE_MEMORY, 8, false}},
                               {"stores, instruction fences", "overlap", {FENCE_INSTRUCTIONS, 8, false}},
                               [ONE_ORDER] = {"stores, in one order", "draining", {FENCE_MEMORY, 1, false}}};

struct stores {
    const struct pages *pages;
    struct pages_stores kernel;
};

static bool build_stores(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct stores *s = context;

    return pages_stores_kernel(p, s->pages, (size_t)pages, &s->kernel, k);
}

/* The control: as much code, which may exceed instruction caches just as well, with all stores to one page. */
static bool build_stores_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    struct stores s = *(const struct stores *)context;

    s.kernel.one_page = true;
    return pages_stores_kernel(p, s.pages, (size_t)pages, &s.kernel, k);
}

/*
 * Searches the levels of stores, over few pages, since the levels behind their own are those of loads, of which the
 * first one holds `entries`; NaN: that is not known.
 */
static bool find_stores(struct probe *p, const struct tlb *loads, const struct pages *pages, double entries)
{
    struct sweep sweep[STORES];
    struct stores stores[STORES];
    struct tlb t = *loads;
    struct tlb_first first;

    t.access = "store";
    t.seconds = probe_simulated(p, 0.75 * t.seconds, t.seconds); /* three experiments, over fewer pages */
    t.resolution = STORES_RESOLUTION;
    t.near_end = t.most = fmin(t.most, STORE_PAGES);
    if (!isnan(entries))
        t.near_end = t.most = fmin(t.most, probe_simulated(p, fmax(2 * entries, SIMULATED_STORE_PAGES), STORE_PAGES));
    t.one_order = &sweep[ONE_ORDER];
    for (size_t i = 0; i < STORES; i++) {
        stores[i] = (struct stores){pages, store_experiments[i].kernel};
        sweep[i] = (struct sweep){.name = store_experiments[i].name,
                                  .confounder = store_experiments[i].confounder,
                                  .axis = "pages",
                                  .unit = "cycles/store",
                                  .build = build_stores,
                                  .control = build_stores_control,
                                  .context = &stores[i],
                                  .area = &pages->chase.ring,
                                  .touches_pages = true};
    }
    return tlb_levels(p, &t, sweep, STORE_EXPERIMENTS, &first);
}

/* ---- All page sizes ----------------------------------------------------------------------------- */

/*
 * Maps the pages of as many experiments as the profile wants and the platform has, and returns how many. *why says
 * why the first one that is missing could not be mapped.
 */
static size_t map_experiments(struct probe *p, const struct tlb *t, struct pages pages[PAGE_CHASE_KINDS],
                              struct why *why)
{
    const size_t wanted = (size_t)probe_scale(p, 1, 2, 3, 3);
    const double hash_bits = facts_number(&p->run->facts, "memory.way_hash.bits", "", probe_smoke(p, 0, NAN));
    const bool may_predict_ways = !(hash_bits <= 0);
    size_t count = 0;

    *why = why_of(REASON_NONE);
    for (enum pages_frames kind = may_predict_ways ? PAGES_OWN_LINES : PAGES_SHARED_LINES;
         kind <= PAGES_IN_ORDER && count < wanted; kind++) {
        const size_t needed = pages_frame_bytes((size_t)t->most, t->page_bytes, kind);
        const struct why lacks = needed > machine_info()->memory_bytes / 2
                                     ? why_of(REASON_NOT_ENOUGH_PAGES)
                                     : why_platform(pages_map(p, &pages[count], (size_t)t->most, t->page_bytes, kind));
        count += lacks.reason == REASON_NONE;
        *why = why->reason ? *why : lacks;
    }
    return count;
}

/*
 * Where the near range ends: behind any first level. Pages with a line each exceed the first cache before they exceed
 * the second level of TLBs, and beyond that their cost is no single height.
 */
static double near_end(const struct probe *p, enum pages_frames first)
{
    const double most = probe_smoke(p, 16, probe_simulated(p, SIMULATED_NEAR_PAGES, NEAR_PAGES));
    const double lines = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", INFINITY) /
                         POINTER_CHASE_LINE_BYTES;

    return first == PAGES_OWN_LINES ? fmin(most, lines) : most;
}

static bool find_page(struct probe *p, size_t page_bytes)
{
    static const char *const needs[] = {"dtlb_misses", "dtlb_walks", "l1d_misses", NULL};
    struct tlb t = {
        .entries = "memory.dtlb.entries",
        .miss_cycles = "memory.dtlb.miss_cycles",
        .ways = "memory.dtlb.ways",
        .index_bits = "memory.dtlb.index_bits",
        .page_bytes = page_bytes,
        .access = "load",
        .needs = needs,
        .resolution = RESOLUTION,
        .fewest = FEWEST_PAGES,
        .most = fmin(probe_smoke(p, 16, probe_simulated(p, SIMULATED_PAGES, MOST_PAGES)),
                     SPAN_BYTES / (double)page_bytes),
        /* on simulated cores so that most of 12 random ones took less than 20 million instructions in all */
        .seconds = probe_simulated(p, 0.4, probe_scale(p, 1, 0.25, 0.5, 4)),
        .seconds_stride = probe_simulated(p, 0.12, probe_scale(p, 1, 0.1, 0.3, 1))};
    struct pages pages[PAGE_CHASE_KINDS];
    struct tlb_first first;
    struct why why = {.reason = probe_no_pages(p, page_bytes)};
    size_t mapped = why.reason ? 0 : map_experiments(p, &t, pages, &why);

    if (mapped == 0) {
        report(p, &(struct finding){
                      .name = t.entries,
                      .variants = {{"level", .number = 1}, {"page", page_name(page_bytes)}, {"access", t.access}},
                      .value = NAN,
                      .low = NAN,
                      .high = NAN,
                      .grade = 'U',
                      .reason = why.reason,
                      .detail = why.detail});
        return true;
    }
    t.near_end = near_end(p, pages->kind);
    bool good = find_levels(p, &t, pages, mapped, &first);
    t.length_factor = first.length_factor;
    const bool sets = good && !isnan(first.entries) && !probe_is_smoke(p);
    good = good && (!sets || find_sets(p, &t, pages, first.entries)) && find_stores(p, &t, pages, first.entries);
    while (mapped-- > 0)
        pages_unmap(p, &pages[mapped]);
    return good && tlb_coalescing(p, &t, &first, pages->kind, PAGES_IN_ORDER) &&
           tlb_coalescing(p, &t, &first, pages->kind, PAGES_CONTIGUOUS);
}

static void run(struct probe *p)
{
    const size_t *size = machine_info()->page_bytes;

    for (bool good = true; good && *size; size++)
        good = find_page(p, *size);
}

PROBE(dtlb, .title = "Data TLBs", .family = "memory", .wants = NEEDS("memory.way_hash.bits"), .run = run,
      .findings = FINDINGS({"memory.dtlb.entries", "entries", "pages of data whose translations a level holds"},
                           {"memory.dtlb.miss_cycles", "cycles", "what a miss of that level costs a load"},
                           {"memory.dtlb.ways", "ways", "entries of a set"},
                           {"memory.dtlb.index_bits", "bits", "address bits that choose the set"},
                           {"memory.dtlb.coalescing", "pages",
                            "neighbouring pages that one entry holds where their frames are neighbours too"},
                           {"memory.dtlb.hint_pages", "pages",
                            "the same where translation tables have the contiguous hint (AArch64)"}));
