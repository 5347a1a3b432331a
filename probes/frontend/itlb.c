/*
 * Question: how many pages of code are translated at once, and what does it cost when one is not?
 *
 * Experiment: a chain of jumps (lib/kernels/branch_chain.h), one on each page, each on another line of its page than
 * the one before it.
 *
 *   one frame  all pages show one frame, or two: caches that are indexed by frames hold all of the code
 *   shuffled   each page has its own frame, in random order: as many lines as pages
 *   in order   each page has its own frame, next to each other where the platform has such: a TLB that keeps neighbours
 *              in one entry holds more than the others show
 *   larger     pages of other sizes, those of one size all on one frame, as far as a branch reaches; where a platform
 *              has none of them for code the reason is reported
 *   strides    on one frame, pages 1, 2, 4 … pages apart: behind the lowest address bit that chooses a set the count
 *              halves, until the ways of one set are left (lib/structure/stride_family.h)
 *   offsets    where that lets a simulated core's branch target buffer hold more of them, jumps lie at several offsets of
 *              their lines, not at one
 *   other      where a rise begins and behind it, with jumps that rotate over lines in other steps: the rise of a TLB
 *              does not depend on lines, that of a branch target buffer with a hashed index does
 *
 * Control: the same number of jumps packed, one to a line, onto a 64th of the pages: as much for branch target buffers
 * to hold, and in the same sets. Its growth is subtracted.
 *
 * Curve: cycles per jump over pages, a staircase. While a level holds all translations a jump costs what branch
 * prediction makes it cost; past that, a miss of that level on top. Inference: the last count on each level; the cost
 * of a miss is the rise to the next level.
 *
 * Behind the first level Intel's cores show a saw-tooth (jia.je 2025, Redwood Cove: it drops at 289, 321, 353 … pages
 * and climbs in between; the cause is left open there, with huge pages suspected). Measured on a Raptor Cove: the same
 * on one frame, on shuffled ones and in order, and wherever the first page is, so the cause is neither huge pages nor
 * neighbours in one entry nor a cache. With pages two apart, which reach 16 of the 32 sets, it has half the period.
 * Replacement explains that: bits of use that all sets share (probe itlb_replacement).
 *
 * Sources: jiegec/cpu-micro-benchmarks, itlb_size, with rotating lines and strides of pages; one frame and the packed
 * control on it are ours. docs/METHODS.md, 5.9.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/branch_chain.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/tlb.h"

enum {
    KINDS = BRANCH_CHAIN_SHUFFLED + 1,
    SIMULATED_NEAR = 256 /* pages, where each jump counts: first levels hold up to 128 (Intel, since 2008) */
};

/*
 * One frame first: the others are compared with it. Caches can mislead where each page has a frame of its own. Where
 * pages of a simulated core cannot share a frame, the last one is the only one.
 */
static const struct {
    const char *name, *confounder;
    enum branch_chain_frames kind;
} experiments[KINDS] = {{"one frame", "branch predictors", BRANCH_CHAIN_ONE_FRAME},
                        {"shuffled", "caches", BRANCH_CHAIN_SHUFFLED},
                        {"in order", "caches", BRANCH_CHAIN_IN_ORDER}};

struct pages {
    struct branch_chain_room room;
    size_t experiment;    /* whose frames these are */
    size_t bytes, stride; /* of a page, in bytes; from one jump to the next, in pages */
    size_t lines_apart;   /* of two jumps that follow each other, on their pages; 0: one */
    bool offsets_differ;  /* in the lines of jumps; struct branch_chain */
};

/* Lines by which jumps rotate to see whether a rise depends on them. Three numbers without a common factor. */
static const size_t elsewhere[] = {3, 5, 13};
enum { ELSEWHERE = sizeof elsewhere / sizeof elsewhere[0] };

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct pages *s = context;
    /* the loop is one more jump, on the page that would be next */
    const struct branch_chain chain = {.count = (size_t)pages - BRANCH_CHAIN_LOOP_BRANCHES,
                                       .stride = s->stride * s->bytes,
                                       .page_bytes = s->bytes,
                                       .lines_apart = s->lines_apart,
                                       .offsets_differ = s->offsets_differ};

    return branch_chain_kernel(p, &chain, &s->room, k);
}

static bool build_control(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct pages *s = context;
    const struct branch_chain chain = {.count = (size_t)pages - BRANCH_CHAIN_LOOP_BRANCHES,
                                       .stride = BRANCH_CHAIN_LINE_BYTES,
                                       .offsets_differ = s->offsets_differ};

    return branch_chain_kernel(p, &chain, &s->room, k);
}

static struct sweep sweep_of(const char *name, struct pages *s)
{
    return (struct sweep){
        .name = name, .axis = "pages", .unit = "cycles/jump", .build = build, .control = build_control, .context = s};
}

static bool find_levels(struct probe *p, const struct tlb *levels, struct pages *s, size_t count,
                        struct tlb_first *first)
{
    struct sweep sweep[KINDS], others[ELSEWHERE];
    struct pages moved[ELSEWHERE];
    struct tlb t = *levels;

    for (size_t i = 0; i < ELSEWHERE; i++) {
        moved[i] = s[0]; /* the same room */
        moved[i].lines_apart = elsewhere[i];
        others[i] = sweep_of("other lines", &moved[i]);
    }
    t.elsewhere = others;
    t.elsewhere_count = ELSEWHERE;
    for (size_t kind = 0; kind < count; kind++) {
        sweep[kind] = sweep_of(experiments[s[kind].experiment].name, &s[kind]);
        sweep[kind].confounder = experiments[s[kind].experiment].confounder;
        sweep[kind].area = &s[kind].room.code.area;
    }
    return tlb_levels(p, &t, sweep, count, first);
}

static bool find_sets(struct probe *p, const struct tlb *t, const struct pages *s, double entries)
{
    struct sweep sweep[TLB_STRIDES];
    struct pages apart[TLB_STRIDES];
    char names[TLB_STRIDES][24];

    for (size_t i = 0; i < TLB_STRIDES; i++) {
        apart[i] = *s;
        apart[i].stride = (size_t)1 << i;
        snprintf(names[i], sizeof names[i], "%zu apart", apart[i].stride);
        sweep[i] = sweep_of(names[i], &apart[i]);
    }
    return tlb_sets(p, t, sweep, entries);
}

static struct tlb request(struct probe *p, size_t page_bytes, double near_end, double most)
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
                        .near_end = near_end,
                        .most = most,
                        .seconds = probe_simulated(p, 1, probe_scale(p, 1, 0.25, 0.5, 8)),
                        .seconds_stride = probe_simulated(p, 0.5, probe_scale(p, 1, 0.1, 0.35, 2))};
}

/* Maps the pages of as many experiments as this run has; *count becomes how many were mapped, or tried at last. */
static bool map_pages(struct probe *p, struct pages s[KINDS], size_t bytes, size_t page_bytes, size_t *count)
{
    const size_t wanted = (size_t)probe_scale(p, 1, 2, KINDS, KINDS);
    const char *why = NULL;

    for (*count = 0; *count < wanted && !why; ++*count) {
        struct pages *m = &s[*count];
        *m = (struct pages){.experiment = *count, .bytes = page_bytes, .stride = 1};
        why = branch_chain_try_map(p, &m->room, bytes, page_bytes, experiments[*count].kind);
    }
    if (!why || !probe_is_simulated(p))
        return !why || probe_skip(p, why);
    while (*count > 0)
        branch_chain_unmap(p, &s[--*count].room);
    s[(*count)++].experiment = KINDS - 1;
    return branch_chain_map(p, &s[0].room, bytes, page_bytes, experiments[KINDS - 1].kind);
}

/*
 * Lets jumps of a simulated core differ in their offsets within lines, if few or many cost less then: a branch target
 * buffer whose index has those address bits holds more of them. Otherwise, and beside pages that share a frame, they do
 * not, since each offset takes time to write.
 */
static bool choose_offsets(struct probe *p, struct pages *s)
{
    static const double jumps[] = {32, 128}; /* as many as small and as large first levels of instruction TLBs hold */
    static const double LESS = 0.9;          /* chosen: more than a loop's instructions change */

    if (!probe_is_simulated(p) || s->room.kind == BRANCH_CHAIN_ONE_FRAME)
        return true;
    bool better = false;
    for (size_t i = 0; i < sizeof jumps / sizeof jumps[0] && !better; i++) {
        struct point pt[2];
        for (unsigned differ = 0; differ < 2; differ++) {
            struct kernel k;
            s->offsets_differ = differ;
            if (!build(p, jumps[i], s, &k) || !probe_measure(p, &k, &pt[differ]))
                return false;
        }
        better = pt[1].q20 < LESS * pt[0].q20;
    }
    s->offsets_differ = better;
    return true;
}

static bool find_page(struct probe *p, size_t page_bytes)
{
    struct tlb t = request(p, page_bytes, probe_smoke(p, 16, probe_simulated(p, SIMULATED_NEAR, 1024)),
                           probe_scale(p, 16, 1024, 4096, 4096));
    struct pages s[KINDS] = {{.bytes = page_bytes}};
    struct tlb_first first;
    size_t mapped, count;

    t.stride_room = fmax(t.most,
                         probe_smoke(p, 0, 2048)); /* the largest stride has to show more than the ways of a set */
    bool good = map_pages(p, s, (size_t)t.stride_room * page_bytes, page_bytes, &count);
    mapped = count;
    good = good && choose_offsets(p, &s[0]) && find_levels(p, &t, s, count, &first);
    t.length_factor = good ? first.length_factor : 1;
    good = good && (isnan(first.entries) || probe_smoke(p, 0, 1) < 1 || find_sets(p, &t, s, first.entries));
    while (mapped-- > 0)
        branch_chain_unmap(p, &s[mapped].room);
    return good;
}

/* The number of pages of this size that a branch reaches over; 0: too few to see a level. */
static double reached(struct probe *p, size_t page_bytes)
{
    enum { FEW = 16, MANY = 1024 };
    double pages = probe_smoke(p, FEW, MANY);

    while (pages >= FEW && !emit_jump_bytes(((int64_t)pages + 2) * (int64_t)page_bytes, false))
        pages /= 2;
    return pages >= FEW ? pages : 0;
}

/* Large pages on one frame: there may be no memory for more. */
static bool find_large_page(struct probe *p, size_t page_bytes)
{
    struct pages s = {.bytes = page_bytes, .stride = 1};
    const double most = reached(p, page_bytes);
    const struct tlb t = request(p, page_bytes, most, most);
    const char *why = most > 0 ? branch_chain_try_map(p, &s.room, (size_t)most * page_bytes, page_bytes,
                                                      BRANCH_CHAIN_ONE_FRAME)
                               : NULL;
    struct tlb_first first;
    bool good = true;

    if (why || !(most > 0))
        report_number(p,
                      &(struct finding){.name = t.entries,
                                        .variants = {{"level", .number = 1}, {"page", page_name(page_bytes)}},
                                        .reason = most > 0 ? REASON_PLATFORM : REASON_NO_REACH,
                                        .detail = why},
                      NAN);
    else
        good = find_levels(p, &t, &s, 1, &first);
    if (most > 0)
        branch_chain_unmap(p, &s.room);
    return good;
}

static void run(struct probe *p)
{
    enum { LARGE = 2 << 20 }; /* both ISAs have such pages, whether or not the platform has */
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
