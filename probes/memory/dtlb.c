/*
 * Data TLBs: how many pages are translated at once, and what does it cost when one is not?
 *
 * A pointer chase (lib/kernels/pages.h), one load on each page. While a level holds all translations a load takes what
 * the first cache takes; past that, a miss of that level on top.
 *
 *   shared lines   eight pages to a line: caches hold all of it; not asked where a way predictor (probe `way_hash`)
 *                  would take eight addresses of a line for strangers
 *   own lines      a page to a line, less what as many lines packed onto few pages cost
 *   shuffled       the same with a frame to each page, in random order
 *
 * Curve: cycles per load over pages, a staircase. Answer: the last count on each level; what a miss costs is by how
 * much the next level is higher. The edge of a second level is a wide ramp: its sets are chosen by a hash or replaced by
 * no order of use, and it holds tables and code as well, so that half way up is told.
 *
 *   spacing     pages 1, 2, 4 … pages apart: behind the lowest address bit that chooses a set the count halves, until
 *               the ways of one set are left (lib/family.h)
 *
 *   stores      straight code, a store to each page and a fence behind each: many cores have fewer entries for them
 *
 * A step that is of the readings, by pages that each touches besides, is told from the end of a level by readings that are
 * longer (lib/tlb.c).
 *
 * Method: methods 4a and 4b; jiegec/cpu-micro-benchmarks, dtlb_size with pages that share frames; jia.je 2025, Golden
 * Cove and Redwood Cove. Eight pages to a line and the packed control are ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/kernels/pages.h"
#include "lib/tlb.h"

enum {
    KINDS = PAGES_CONTIGUOUS + 1,
    NEIGHBOURS = 16, /* at most in one entry … */
    GROUP = 128      /* … and where tables say so, with any granule */
};

static const struct {
    const char *name, *fooled_by;
} experiments[KINDS] = {[PAGES_SHARED_LINES] = {"shared lines", "unknown way predictors"},
                        [PAGES_OWN_LINES] = {"own lines", "caches"},
                        [PAGES_SHUFFLED] = {"shuffled", "caches"},
                        [PAGES_IN_ORDER] = {"in order", "neighbours in one entry"},
                        [PAGES_CONTIGUOUS] = {"contiguous hint", "groups in one entry"}};

/* Pages of a ring. */
struct ring {
    const struct pages *pages;
    size_t spacing;
};

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct ring *r = context;

    return pages_kernel(p, r->pages, (size_t)pages, r->spacing, k);
}

static bool build_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct ring *r = context;

    return pages_control(p, r->pages, (size_t)pages, k);
}

static struct sweep sweep_of(const char *name, struct ring *r)
{
    return (struct sweep){.name = name,
                          .axis = "pages",
                          .unit = "cycles/load",
                          .build = build,
                          .control = r->pages->kind == PAGES_SHARED_LINES ? NULL : build_control,
                          .context = r,
                          .area = &r->pages->chase.ring,
                          .touches_pages = true};
}

static bool find_levels(struct probe *p, const struct tlb *t, const struct pages *pages, size_t count,
                        struct tlb_first *first)
{
    struct sweep sweep[KINDS];
    struct ring ring[KINDS];

    for (size_t i = 0; i < count; i++) {
        ring[i] = (struct ring){&pages[i], 1};
        sweep[i] = sweep_of(experiments[pages[i].kind].name, &ring[i]);
        sweep[i].fooled_by = experiments[pages[i].kind].fooled_by;
    }
    return tlb_levels(p, t, sweep, count, first);
}

static bool find_sets(struct probe *p, const struct tlb *t, const struct pages *pages, double entries)
{
    struct sweep sweep[TLB_SPACINGS];
    struct ring ring[TLB_SPACINGS];
    char names[TLB_SPACINGS][24];

    for (size_t i = 0; i < TLB_SPACINGS; i++) {
        ring[i] = (struct ring){pages, (size_t)1 << i};
        snprintf(names[i], sizeof names[i], "%zu apart", ring[i].spacing);
        sweep[i] = sweep_of(names[i], &ring[i]);
    }
    return tlb_sets(p, t, sweep, entries);
}

/* ---- Stores ------------------------------------------------------------------------------------- */

/*
 * A store waits for its translation, but nothing waits for a store; so a fence stands behind each. One lets later
 * instructions begin when the store is sure to be done some day, the other one when it is done.
 */
enum { ORDERS = 2, ONE_ORDER = ORDERS, STORES };
static const struct order {
    const char *name, *fooled_by;
    enum fence fence;
    size_t turns; /* of one order each */
} orders[STORES] = {{"stores, memory fences", "draining", FENCE_MEMORY, 8},
                    {"stores, instruction fences", "overlap", FENCE_INSTRUCTIONS, 8},
                    [ONE_ORDER] = {"stores, in one order", "draining", FENCE_MEMORY, 1}};

struct stores {
    const struct pages *pages;
    const struct order *order;
};

/*
 * Straight code, a store to each page, so that no load takes part. Pages take turns in several orders: a tree of bits
 * that says what to replace may keep something useless for ever where the same order comes again and again (Berg 2006,
 * PLRU Cache Domino Effects). Whether it does is asked by one order alone.
 */
static bool emit_stores(struct probe *p, double pages, const struct stores *s, bool one_page, struct kernel *k)
{
    enum { STORE_BYTES = 32, REST_BYTES = 64 }; /* at most: an address, a store and a fence; the loop */
    const size_t count = (size_t)pages;
    uint32_t *next = (uint32_t *)s->pages->chase.order.write;
    const size_t turns = (size_t)probe_smoke(p, 1, (double)s->order->turns);
    struct code c = probe_code(p, turns * count * STORE_BYTES + REST_BYTES);

    for (size_t turn = 0; turn < turns; turn++) {
        random_cycle(next, (uint32_t)count, &p->random);
        for (size_t i = 0, page = 0; i < count; i++, page = next[page]) {
            emit_constant(&c, REG_T0, pages_at(s->pages, one_page ? 0 : page, page));
            emit_store(&c, REG_T1, REG_T0, 0);
            emit_fence(&c, s->order->fence);
        }
    }
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){.units = (double)turns * pages, .warm_iterations = 2};
    return probe_kernel(p, &c, 0, k);
}

static bool build_stores(struct probe *p, double pages, void *context, struct kernel *k)
{
    return emit_stores(p, pages, context, false, k);
}

/* As much code, which instruction caches end for as well, with all stores to one page. */
static bool build_stores_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    return emit_stores(p, pages, context, true, k);
}

/* Levels that stores see: few pages, since all that lies behind is the loads', too. */
static bool find_stores(struct probe *p, const struct tlb *loads, const struct pages *pages)
{
    struct sweep sweep[STORES];
    struct stores stores[STORES];
    struct tlb t = *loads;
    struct tlb_first first;

    t.access = "store";
    t.resolution = 0.01; /* fences cost many times what a miss does */
    t.middle = t.most = fmin(t.most, 256);
    t.same_order = &sweep[ONE_ORDER];
    for (size_t i = 0; i < STORES; i++) {
        stores[i] = (struct stores){pages, &orders[i]};
        sweep[i] = (struct sweep){.name = orders[i].name,
                                  .fooled_by = orders[i].fooled_by,
                                  .axis = "pages",
                                  .unit = "cycles/store",
                                  .build = build_stores,
                                  .control = build_stores_control,
                                  .context = &stores[i],
                                  .area = &pages->chase.ring,
                                  .touches_pages = true};
    }
    return tlb_levels(p, &t, sweep, ORDERS, &first);
}

/* ---- Coalescing --------------------------------------------------------------------------------- */

/*
 * The interval of the quotient must hold just one power of two, and that is the answer. What is no rise by what a miss of
 * the first level costs is not its end: caches end, too, and other levels.
 */
static void report_coalescing(struct probe *p, struct finding *f, const struct verdict *v,
                              const struct tlb_first *first)
{
    static const double ALIKE = 0.25;
    const struct knee *k = v->knees;
    unsigned held = 0;

    for (double pages = 1; v->count && pages <= GROUP; pages *= 2)
        if (k->low <= pages * first->entries && pages * first->entries < k->high) {
            f->value = pages;
            held++;
        }
    f->reason = !v->count ? v->reason : held == 0 ? "no power of two" : held > 1 ? "noise" : NULL;
    if (!f->reason && !(fabs(k->after - k->before - first->miss_cycles) <= ALIKE * first->miss_cycles))
        f->reason = "what ends there is not this level";
    if (f->reason)
        f->value = NAN;
    else
        f->grade = k->agreed ? 'B' : 'C';
    report(p, f);
}

/* Pages that have the contiguous hint together (Arm ARM DDI 0487, D8.7.1). */
static double group_of(size_t page_bytes)
{
    enum { GRANULE_4K = 512, GRANULE_16K = 2048 }; /* entries of a table */
    const size_t entries = pages_table_entries(page_bytes);

    return entries == GRANULE_4K ? 16 : entries == GRANULE_16K && page_bytes == 1 << 14 ? GROUP : 32;
}

/*
 * Frames in order against frames that are shared, around where the first level ends: how many neighbours one entry
 * holds. With the contiguous hint, the same again.
 */
static bool find_coalescing(struct probe *p, const struct tlb *t, const struct tlb_first *first,
                            enum pages_frames shared, enum pages_frames kind)
{
    const bool hint = kind == PAGES_CONTIGUOUS;
    struct pages pages;
    struct finding f = {.name = hint ? "memory.dtlb.hint_pages" : "memory.dtlb.coalescing",
                        .variants = {{"level", .number = 1}, {"page", page_name(t->page_bytes)}, {"access", "load"}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = 'U',
                        .method = "pages held with frames in order, by those held with shared frames",
                        .curves = {experiments[kind].name, experiments[shared].name}};
    const double room = floor((double)machine_info()->memory_bytes / 2 / (double)t->page_bytes);
    const double most = fmin(t->most, 2 * (hint ? group_of(t->page_bytes) : NEIGHBOURS) * first->entries);

    if (!machine_info()->contiguous && !hint)
        f.reason = "frames are not ours to choose: neighbours may lie anywhere";
    else if (isnan(first->entries) && probe_smoke(p, 0, 1) > 0) /* for smoke it is enough that it runs */
        f.reason = "what the level holds is not known";
    else if (most > room)
        f.reason = "there is not enough memory for pages of that size";
    else
        f.reason = pages_map(p, &pages, (size_t)most, t->page_bytes, kind);
    if (f.reason) {
        report(p, &f);
        return true;
    }
    struct ring ring = {&pages, 1};
    struct sweep s = sweep_of(experiments[kind].name, &ring);
    s.search = tlb_search(p, t, t->fewest, most);
    s.seconds = t->seconds_apart;
    s.stretch = t->stretch;
    const bool good = sweep_search(p, &s);
    if (good)
        report_coalescing(p, &f, &s.search.verdict, first);
    sweep_free(&s);
    pages_unmap(p, &pages);
    return good;
}

/* ---- All of it ---------------------------------------------------------------------------------- */

/* Maps as many experiments as are wanted and the place has; *why tells of the first one that it has not. */
static size_t map_experiments(struct probe *p, const struct tlb *t, struct pages pages[KINDS], const char **why)
{
    const size_t wanted = (size_t)probe_scale(p, 1, 2, 3, 3);
    const double hash_bits = facts_number(&p->run->facts, "memory.way_hash.bits", "", probe_smoke(p, 0, NAN));
    const bool predicts_ways = !(hash_bits <= 0); /* or may */
    size_t count = 0;

    *why = NULL;
    for (enum pages_frames kind = predicts_ways ? PAGES_OWN_LINES : PAGES_SHARED_LINES;
         kind <= PAGES_IN_ORDER && count < wanted; kind++) {
        const size_t needed = pages_frame_bytes((size_t)t->most, t->page_bytes, kind);
        const char *lacks = needed > machine_info()->memory_bytes / 2
                                ? "there is not enough memory for pages of that size"
                                : pages_map(p, &pages[count], (size_t)t->most, t->page_bytes, kind);
        count += lacks == NULL;
        *why = *why ? *why : lacks;
    }
    return count;
}

/*
 * Where the first stretch ends: behind any first level. Pages with a line each are too many for the first cache before
 * they are for the second level, and what they cost then is no single height.
 */
static double middle(const struct probe *p, enum pages_frames first)
{
    const double most = probe_smoke(p, 16, 1024);
    const double lines = facts_number(&p->run->facts, "memory.cache.bytes", "level=1", INFINITY) / CHASE_LINE_BYTES;

    return first == PAGES_OWN_LINES ? fmin(most, lines) : most;
}

static bool find_page(struct probe *p, size_t page_bytes)
{
    static const char *const needs[] = {"dtlb_misses", "dtlb_walks", "l1d_misses", NULL};
    static const double SPAN = 1099511627776; /* of addresses, bytes: any core has as many */
    struct tlb t = {.entries = "memory.dtlb.entries",
                    .miss_cycles = "memory.dtlb.miss_cycles",
                    .ways = "memory.dtlb.ways",
                    .index_bits = "memory.dtlb.index_bits",
                    .page_bytes = page_bytes,
                    .access = "load",
                    .needs = needs,
                    .resolution = 0.05,
                    .fewest = 2,
                    .most = fmin(probe_smoke(p, 16, 8192), SPAN / (double)page_bytes),
                    .seconds = probe_scale(p, 1, 0.25, 0.5, 4),
                    .seconds_apart = probe_scale(p, 1, 0.1, 0.3, 1)};
    struct pages pages[KINDS];
    struct tlb_first first;
    const char *why = probe_no_pages(p, page_bytes);
    size_t mapped = why ? 0 : map_experiments(p, &t, pages, &why);

    if (mapped == 0) {
        report(p, &(struct finding){
                      .name = t.entries,
                      .variants = {{"level", .number = 1}, {"page", page_name(page_bytes)}, {"access", t.access}},
                      .value = NAN,
                      .low = NAN,
                      .high = NAN,
                      .grade = 'U',
                      .reason = why});
        return true;
    }
    t.middle = middle(p, pages->kind);
    bool good = find_levels(p, &t, pages, mapped, &first);
    t.stretch = first.stretch;
    const bool sets = good && !isnan(first.entries) && probe_smoke(p, 0, 1) > 0;
    good = good && (!sets || find_sets(p, &t, pages, first.entries)) && find_stores(p, &t, pages);
    while (mapped-- > 0)
        pages_unmap(p, &pages[mapped]);
    return good && find_coalescing(p, &t, &first, pages->kind, PAGES_IN_ORDER) &&
           find_coalescing(p, &t, &first, pages->kind, PAGES_CONTIGUOUS);
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
