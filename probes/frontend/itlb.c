/*
 * Instruction TLBs: how many pages of code are translated at once, and what does it cost when one is not?
 *
 * A chain of jumps (lib/kernels/chain.h), one on each page, each page on another line than the one before it. While a level
 * holds all translations a jump costs what branch prediction makes it cost; past that, a miss of that level on top.
 *
 *   one frame   all pages lie on one frame, or two: caches that know lines by their frames hold all of the code
 *   shuffled    each page has its own frame, in random order: as many lines as pages
 *   in order    each page has its own frame, next to each other where the place has such: a TLB that keeps neighbours
 *               in one entry holds more than the others show
 *
 * Control: the same number of jumps packed, one to a line, onto a 64th of the pages: as much for branch target buffers
 * to hold, and in the same sets. By how much it grows goes off.
 *
 *   larger      pages of other sizes, on one frame each, as far as a branch reaches; where a place has none of them for
 *               code it says why
 *   spacing     on one frame, pages 1, 2, 4 … pages apart: behind the lowest address bit that chooses a set the count
 *               halves, until the ways of one set are left (lib/family.h)
 *
 * Curve: cycles per jump over pages, a staircase. Answer: the last count on each level; what a miss costs is by how
 * much the next level is higher. Method: jiegec/cpu-micro-benchmarks, itlb_size, with rotating lines and spacings of
 * pages; one frame and the packed control on it are ours.
 *
 * Behind the first level Intel's cores show a saw-tooth (jia.je 2025, Redwood Cove: it drops at 289, 321, 353 … pages
 * and climbs in between; open there, and huge pages suspected). Seen here on a Raptor Cove: the same on one frame, on
 * shuffled ones and in order, and wherever the first page lies, so it is neither huge pages nor neighbours in one entry
 * nor a cache. Two pages apart, where 16 of the 32 sets are reached, it has half the period. What would explain that,
 * and is not proven, is replacement: of sets of eight, those with the most pages miss always, those with one page less
 * sometimes hit.
 */
#include <math.h>
#include <stdio.h>

#include "lib/kernels/chain.h"
#include "lib/tlb.h"

enum { KINDS = CHAIN_SHUFFLED + 1 };

/* One frame first: the others are held against it. Whatever has a frame for each page caches can fool. */
static const struct {
    const char *name, *fooled_by;
    enum chain_frames kind;
} experiments[KINDS] = {{"one frame", "branch predictors", CHAIN_ONE_FRAME},
                        {"shuffled", "caches", CHAIN_SHUFFLED},
                        {"in order", "caches", CHAIN_IN_ORDER}};

struct pages {
    struct chain_room room;
    size_t bytes, spacing; /* of a page; pages from one to the next */
};

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct pages *s = context;
    /* the loop is one more, and lies on the page that would be next */
    const struct chain chain = {
        .count = (size_t)pages - CHAIN_LOOP_BRANCHES, .stride = s->spacing * s->bytes, .page_bytes = s->bytes};

    return chain_kernel(p, &chain, &s->room, k);
}

static bool build_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct pages *s = context;
    const struct chain chain = {.count = (size_t)pages - CHAIN_LOOP_BRANCHES, .stride = CHAIN_LINE_BYTES};

    return chain_kernel(p, &chain, &s->room, k);
}

static struct sweep sweep_of(const char *name, struct pages *s)
{
    return (struct sweep){
        .name = name, .axis = "pages", .unit = "cycles/jump", .build = build, .control = build_control, .context = s};
}

static bool find_levels(struct probe *p, const struct tlb *t, struct pages *s, size_t count, struct tlb_first *first)
{
    struct sweep sweep[KINDS];

    for (size_t kind = 0; kind < count; kind++) {
        sweep[kind] = sweep_of(experiments[kind].name, &s[kind]);
        sweep[kind].fooled_by = experiments[kind].fooled_by;
        sweep[kind].area = &s[kind].room.code.area;
    }
    return tlb_levels(p, t, sweep, count, first);
}

static bool find_sets(struct probe *p, const struct tlb *t, const struct pages *s, double entries)
{
    struct sweep sweep[TLB_SPACINGS];
    struct pages apart[TLB_SPACINGS];
    char names[TLB_SPACINGS][24];

    for (size_t i = 0; i < TLB_SPACINGS; i++) {
        apart[i] = *s;
        apart[i].spacing = (size_t)1 << i;
        snprintf(names[i], sizeof names[i], "%zu apart", apart[i].spacing);
        sweep[i] = sweep_of(names[i], &apart[i]);
    }
    return tlb_sets(p, t, sweep, entries);
}

static struct tlb question(struct probe *p, size_t page_bytes, double middle, double most)
{
    static const char *const needs[] = {"itlb_misses", "itlb_walks", "l1i_misses", NULL};
    return (struct tlb){.entries = "frontend.itlb.entries",
                        .miss_cycles = "frontend.itlb.miss_cycles",
                        .ways = "frontend.itlb.ways",
                        .index_bits = "frontend.itlb.index_bits",
                        .page_bytes = page_bytes,
                        .limit = {"frontend.btb.entries", "", 1},
                        .needs = needs,
                        .resolution = 0.05,
                        .fewest = 4,
                        .middle = middle,
                        .most = most,
                        .seconds = probe_scale(p, 1, 0.25, 0.5, 8),
                        .seconds_apart = probe_scale(p, 1, 0.1, 0.35, 2)};
}

static bool find_page(struct probe *p, size_t page_bytes)
{
    struct tlb t = question(p, page_bytes, probe_smoke(p, 16, 1024), probe_scale(p, 16, 1024, 4096, 4096));
    const size_t count = (size_t)probe_scale(p, 1, 2, KINDS, KINDS);
    struct pages s[KINDS] = {{.bytes = page_bytes}};
    struct tlb_first first;
    size_t mapped = 0;
    bool good = true;

    t.room = fmax(t.most, probe_smoke(p, 0, 2048)); /* those farthest apart are to show more than the ways of a set */
    for (; mapped < count && good; mapped++) {
        s[mapped] = (struct pages){.bytes = page_bytes, .spacing = 1};
        good = chain_map(p, &s[mapped].room, (size_t)t.room * page_bytes, page_bytes, experiments[mapped].kind);
    }
    good = good && find_levels(p, &t, s, count, &first);
    t.stretch = good ? first.stretch : 1;
    good = good && (isnan(first.entries) || probe_smoke(p, 0, 1) < 1 || find_sets(p, &t, s, first.entries));
    while (mapped-- > 0)
        chain_unmap(p, &s[mapped].room);
    return good;
}

/* Pages of this size, enough of them to see a level; 0: a branch does not lead from one end to the other. */
static double reached(struct probe *p, size_t page_bytes)
{
    enum { FEW = 16, MANY = 1024 };
    double pages = probe_smoke(p, FEW, MANY);

    while (pages >= FEW && !emit_jump_bytes(((int64_t)pages + 2) * (int64_t)page_bytes, false))
        pages /= 2;
    return pages >= FEW ? pages : 0;
}

/* One frame of such a page is all that there may be memory for. */
static bool find_large_page(struct probe *p, size_t page_bytes)
{
    struct pages s = {.bytes = page_bytes, .spacing = 1};
    const double most = reached(p, page_bytes);
    const struct tlb t = question(p, page_bytes, most, most);
    const char *why = most > 0 ? chain_try_map(p, &s.room, (size_t)most * page_bytes, page_bytes, CHAIN_ONE_FRAME)
                               : "branches do not reach over pages enough";
    struct tlb_first first;
    bool good = true;

    if (why)
        report_number(p,
                      &(struct finding){.name = t.entries,
                                        .variants = {{"level", .number = 1}, {"page", page_name(page_bytes)}},
                                        .reason = why},
                      NAN);
    else
        good = find_levels(p, &t, &s, 1, &first);
    if (most > 0)
        chain_unmap(p, &s.room);
    return good;
}

static void run(struct probe *p)
{
    enum { LARGE = 2 << 20 }; /* both ISAs have such pages, whether a place does or not */
    const size_t *sizes = machine_info()->page_bytes;
    bool good = find_page(p, sizes[0]);

    if (good && !sizes[1])
        find_large_page(p, LARGE);
    for (size_t i = 1; good && sizes[i]; i++)
        good = find_large_page(p, sizes[i]);
}

PROBE(itlb, .title = "Instruction TLBs", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.itlb.entries", "entries", "pages of code whose translations a level holds"},
                           {"frontend.itlb.miss_cycles", "cycles", "what a miss of that level costs a jump"},
                           {"frontend.itlb.ways", "ways", "entries of a set"},
                           {"frontend.itlb.index_bits", "bits", "address bits that choose the set"}));
