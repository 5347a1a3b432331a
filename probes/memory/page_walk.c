/*
 * Page walks: how much longer does a load take whose translation no TLB holds?
 *
 * A pointer chase over far more pages than all TLBs hold (lib/kernels/pages.h), one load a page. Pages are neighbours
 * and come in groups: what the upper tables say was just used, and the last table's entries lie eight or sixteen to a
 * line. So what a walk has left to do is to read one entry: level 1.
 *
 *   shared lines   eight pages to a line: caches nearly hold all of it
 *   own lines      a page to a line, so that lines come from the second cache
 *
 * Off goes what as many lines take in the same order on few pages.
 *
 * Curve: cycles per load over pages, which must be flat from half of the range on, since then no TLB holds a part of them.
 *
 * What it costs to read the table above as well: level 2. The same number of pages, but spread over more and more regions,
 * each as much as one of the last tables translates. Pages come in bunches that share a line of such a table, so that as
 * many lines of the last tables are read whatever the number of regions; and the chase goes around the regions, a page of
 * each. Cores keep entries of the upper tables, in caches of their own: once there are more regions than those hold,
 * each walk reads an upper entry first.
 *
 *   bunches of eight pages, bunches of four   twice as many lines of the last tables: other caches would end earlier
 *
 * Curve: cycles per load over regions, flat and then higher. Answer: the last count on the flat is what is kept, and what the
 * curve rises by is what it takes to read the entry. All pages show few frames; all but those used are not there at all.
 * With larger pages the table above is one further up: regions of 2 MiB for pages of 4 KiB are of 1 GiB for those of 2 MiB.
 *
 * Under a hypervisor each of its own tables' entries that a walk needs is read as well, and both costs have that in them.
 *
 * Method: methods 4i; van Schaik et al. 2017, Reverse Engineering Hardware Page Table Caches, for regions; Barr, Cox, Rixner
 * 2010, Translation Caching, for what the levels are.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/find.h"
#include "lib/kernels/pages.h"
#include "lib/probe.h"
#include "lib/tlb.h"

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

static bool find_last(struct probe *p)
{
    const size_t page_bytes = machine_info()->page_bytes[0];
    const double most = probe_smoke(p, 64, 8192), known = tlb_known_entries(p);
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
        if (why)
            return probe_skip(p, why);
        /* tables that are not ours may lie well or badly in caches, for both alike: from one process to the next, 3 % */
        v[i] = (struct find_value){experiments[i].name,
                                   machine_info()->contiguous ? experiments[i].fooled_by : "where tables lie", NAN};
        const bool good = measure_walk(p, &pages, &v[i].value);
        pages_unmap(p, &pages);
        if (!good)
            return false;
    }
    f.reason = known > 0 ? "the range ends in a TLB" : "nothing is known of what TLBs hold";
    if (known > 0 && most / 2 > known)
        find_number(p, &f, v, KINDS);
    else
        report(p, &f);
    return true;
}

/* ---- The table above ---------------------------------------------------------------------------- */

/*
 * Frames come in groups: each has as many as a bunch has pages, and bunch for bunch one word of a line of each is used. A
 * region belongs to one group, and so do the bunches that may come to lie in it, since groups divide what there is of both.
 */
enum {
    WORDS = CHASE_LINE_BYTES / sizeof(uint64_t),
    LINES = 64, /* of the smallest page */
    BUNCHES_OF_GROUP = LINES * WORDS,
    UNROLL = 8,
    WARM_ROUNDS = 2,
    RANGE = 8, /* the fewest regions are as full as they can be; up to so many times as many */
    SPREADS = 2,
    MOST_PAGES = 1 << 20 /* of the area, nearly all of them not there */
};

static const struct kind {
    const char *name, *fooled_by;
    size_t together; /* pages of a bunch */
} kinds[SPREADS] = {{"bunches of eight", "TLBs", 8}, {"bunches of four", "caches", 4}};

struct regions {
    struct chase chase;         /* ring: the area; order: the pages in the order of the walk */
    size_t page_bytes, entries; /* those of a table */
    size_t together, bunches, groups;
    size_t fewest, most; /* regions */
    size_t *frames;
    size_t *starts, *order; /* scratch, of the regions */
};

/* Where a page of the walk has its pointer: seen by the walk, and in the block of frames; offsets. */
struct place {
    uint64_t at;
    size_t written;
};

/* Which page is page k of a bunch that is the n-th of its region. Bunches begin on another line of each region's table. */
static size_t page_of(const struct regions *s, size_t region, size_t n, size_t k)
{
    const size_t places = s->entries / s->together;

    return region * s->entries + (n + region) % places * s->together + k;
}

/* Bunches that a region has, of so many regions. */
static size_t bunches_of(const struct regions *s, size_t region, size_t regions)
{
    return (s->bunches + regions - 1 - region) / regions;
}

static const char *spread_map(struct regions *s)
{
    const size_t pages = s->most * s->entries;

    for (size_t i = 0; i < pages; i++)
        s->frames[i] = NO_FRAME;
    for (size_t region = 0; region < s->most; region++) {
        const size_t most = bunches_of(s, region,
                                       region < s->fewest ? s->fewest : (region / s->groups + 1) * s->groups);
        for (size_t n = 0; n < most; n++)
            for (size_t k = 0; k < s->together; k++)
                s->frames[page_of(s, region, n, k)] = region % s->groups * s->together + k;
    }
    const char *why = machine_map_frames(&s->chase.ring, s->frames, pages, s->page_bytes, AREA_DATA);
    if (!why)
        why = machine_map(&s->chase.start, sizeof(uint64_t), 0, AREA_DATA);
    if (!why)
        why = machine_map(&s->chase.order, s->bunches * s->together * sizeof(struct place), 0, AREA_DATA);
    return why;
}

/* What is in a region, behind what is in those before it, in an order drawn. */
static void add_region(struct probe *p, const struct regions *s, size_t region, size_t regions, struct place *out)
{
    const size_t bunches = bunches_of(s, region, regions);
    size_t used = 0;

    for (size_t n = 0; n < bunches; n++) {
        const size_t word = (n * regions + region) / s->groups, first = page_of(s, region, n, 0),
                     frame = region % s->groups * s->together;
        for (size_t k = 0; k < s->together; k++) {
            const size_t offset = (word + k) % LINES * CHASE_LINE_BYTES + word / LINES % WORDS * sizeof(uint64_t),
                         other = random_below(&p->random, used + 1);
            out[used++] = out[other]; /* Fisher and Yates, inside out (TAOCP vol. 2, 3.4.2) */
            out[other] = (struct place){s->chase.ring.at + (first + k) * s->page_bytes + offset,
                                        (frame + k) * s->page_bytes + offset};
        }
    }
}

/* Goes around the regions, in an order drawn; each time another page of each. */
static void link_regions(struct probe *p, const struct regions *s, size_t regions)
{
    struct place *places = (struct place *)s->chase.order.write;
    uint64_t *next = (uint64_t *)s->chase.start.write; /* where the walk begins, and then where the last page leads */
    size_t used = 0;

    for (size_t i = 0; i < regions; i++) {
        const size_t other = random_below(&p->random, i + 1);
        s->order[i] = s->order[other];
        s->order[other] = i;
    }
    for (size_t region = 0; region < regions; region++) {
        s->starts[region] = used;
        add_region(p, s, region, regions, places + used);
        used += bunches_of(s, region, regions) * s->together;
    }
    s->starts[regions] = used;
    for (size_t i = 0, done = 0; done < used; i++)
        for (size_t r = 0; r < regions; r++) {
            const size_t region = s->order[r], at = s->starts[region] + i;
            if (at >= s->starts[region + 1])
                continue;
            *next = places[at].at;
            next = (uint64_t *)(s->chase.ring.write + places[at].written);
            done++;
        }
    *next = *(uint64_t *)s->chase.start.write;
}

static bool build_regions(struct probe *p, double regions, void *context, struct kernel *k)
{
    const struct regions *s = context;
    const size_t count = s->bunches * s->together;
    const unsigned unroll = chase_unroll(count, UNROLL);

    link_regions(p, s, (size_t)regions);
    k->warm_iterations = probe_smoke(p, 1, WARM_ROUNDS) * (double)count / unroll;
    return chase_kernel(p, &s->chase, unroll, k);
}

static struct finding upper(const char *name, size_t page_bytes, const char *reason)
{
    return (struct finding){.name = name,
                            .variants = {{"level", .number = 2}, {"page", page_name(page_bytes)}},
                            .value = NAN,
                            .low = NAN,
                            .high = NAN,
                            .grade = 'U',
                            .reason = reason};
}

static void report_upper(struct probe *p, size_t page_bytes, const struct sweep s[SPREADS])
{
    struct finding entries = upper("memory.page_walk.entries", page_bytes, NULL),
                   cycles = upper("memory.page_walk.cycles", page_bytes, NULL);
    struct find_experiment e[SPREADS];
    struct find_value v[SPREADS];

    find_experiments(s, SPREADS, e);
    for (size_t i = 0; i < SPREADS; i++) {
        const struct verdict *verdict = &s[i].search.verdict;
        v[i] = (struct find_value){e[i].name, e[i].fooled_by, NAN};
        /* at the edge: before it TLBs may hold some of the pages still, the more the fewer there are */
        if (verdict->count == 1 && !isnan(find_difference(verdict, 0, verdict, 1)))
            v[i].value = verdict->knees[0].after - verdict->knees[0].before;
        entries.curves[i] = cycles.curves[i] = e[i].name;
    }
    entries.method = "regions over which pages are spread before walks take longer";
    cycles.method = "what walks take longer behind that";
    find_capacity(p, &entries, e, SPREADS, (double)1);
    find_number(p, &cycles, v, SPREADS);
}

/* Twice what TLBs are known to hold, at least, in whole groups; for smoke as little as shows that it works. */
static void spread_choose(const struct probe *p, struct regions *s, const struct kind *kind, size_t page_bytes)
{
    const double known = tlb_known_entries(p), wanted = fmax(8192, 2 * known);

    *s = (struct regions){.page_bytes = page_bytes,
                          .entries = pages_table_entries(page_bytes),
                          .together = kind->together,
                          .bunches = (size_t)probe_smoke(p, 4,
                                                         ceil(wanted / (BUNCHES_OF_GROUP * 4.0)) *
                                                             (BUNCHES_OF_GROUP * 4.0) / (double)kind->together)};
    s->groups = s->bunches > BUNCHES_OF_GROUP ? (s->bunches + BUNCHES_OF_GROUP - 1) / BUNCHES_OF_GROUP : 1;
    s->fewest = s->bunches * s->together / s->entries;
    s->fewest = s->fewest > s->groups ? s->fewest : s->groups;
    s->most = RANGE * s->fewest < s->bunches ? RANGE * s->fewest : s->bunches;
    while (s->most * s->entries > MOST_PAGES)
        s->most /= 2;
}

static const char *search_spread(struct probe *p, struct regions *s, const struct kind *kind, char *name, size_t room,
                                 struct sweep *sweep, bool *good)
{
    const size_t mark = machine_map_mark();
    size_t *frames = malloc(s->most * s->entries * sizeof *frames),
           *scratch = malloc((2 * s->most + 1) * sizeof *scratch);
    const char *why = "out of memory for the order of frames";

    if (frames && scratch) {
        s->frames = frames;
        s->starts = scratch;
        s->order = scratch + s->most + 1;
        why = spread_map(s);
    }
    if (!why) {
        snprintf(name, room, "%s, pages of %s", kind->name, page_name(s->page_bytes));
        *sweep = (struct sweep){.name = name,
                                .fooled_by = kind->fooled_by,
                                .axis = "regions",
                                .unit = "cycles/load",
                                .build = build_regions,
                                .context = s,
                                .area = &s->chase.ring,
                                .seconds = probe_scale(p, 1, 0.35, 1, 4),
                                .search = {.kind = KNEE_WINDOW,
                                           .from = (double)s->fewest,
                                           .to = (double)s->most,
                                           .grain = (double)s->groups,
                                           .resolution = 0.02,
                                           .per_octave = (unsigned)probe_scale(p, 1, 8, 8, 16)}};
        *good = sweep_search(p, sweep);
    }
    machine_map_release(mark);
    p->code = (struct area){0};
    free(frames);
    free(scratch);
    return why;
}

static bool find_upper(struct probe *p, size_t page_bytes)
{
    struct regions spread[SPREADS];
    struct sweep s[SPREADS] = {{.name = NULL}};
    char names[SPREADS][48];
    const char *why = probe_no_pages(p, page_bytes);
    bool good = true;

    for (size_t i = 0; i < SPREADS && good && !why; i++) {

        spread_choose(p, &spread[i], &kinds[i], page_bytes);
        why = spread[i].most < 4 * spread[i].fewest
                  ? "a region of such pages is too large for many of them"
                  : search_spread(p, &spread[i], &kinds[i], names[i], sizeof names[i], &s[i], &good);
    }
    if (good && why) {
        const struct finding f = upper("memory.page_walk.entries", page_bytes, why);
        report(p, &f);
    } else if (good) {
        report_upper(p, page_bytes, s);
    }
    sweeps_free(s, SPREADS);
    return good;
}

static void run(struct probe *p)
{
    bool good = find_last(p);

    for (const size_t *size = machine_info()->page_bytes; good && *size; size++)
        good = find_upper(p, *size);
}

PROBE(page_walk, .title = "Page walks", .family = "memory", .run = run, .after = "dtlb",
      .findings = FINDINGS(
          {"memory.page_walk.cycles", "cycles",
           "what a load takes longer whose page no TLB holds; level 2: longer still where the table above "
           "the last has to be read"},
          {"memory.page_walk.entries", "entries", "entries of that table that walks find without reading it"}));
