/*
 * Shared data TLBs: do pages of another size, or stores, take entries that loads of small pages use?
 *
 * Experiment: a pointer chase, one load on each of n pages (lib/kernels/pages.h), and beside each of its loads an
 * access to one of m other pages in turn, which waits for nothing. The entries that these take are missing for the
 * chase.
 *
 *   one page                all accesses go to one page: the chase has the level for itself
 *   pages of the same size  loads: they must take m entries, or the experiment shows nothing
 *   other pages             loads from pages of another size; or stores to pages of the same size
 *
 * For pages of another size m is half of what the level holds. If one entry holds several of them, neighbours in
 * order, they take less of it. Stores go to a few pages only: some cores have a level for stores of their own, of 16
 * entries (Golden Cove), and fetch what exceeds it into the level of loads; with more pages that level would seem to
 * be shared.
 *
 * Curve: cycles per load over n, a step. For the second level the axis begins well behind the end of the first one, and
 * half of the rise is its end.
 *
 * Inference: the step comes earlier than with one page, by m pages if the level is shared, by none if it is separate;
 * both intervals together must leave just one of the two (lib/structure/tlb_sharing.h). A level of which the other
 * pages may use only a part is neither, and stays undecided.
 *
 * Source: a plane of two capacities, reduced to its axes and one point between them; ours. docs/METHODS.md, 7.8.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/tlb_sharing.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    LEVELS = 2,
    STORE_PAGES = 8,   /* fewer than any core is known to hold for stores alone */
    STORE_OFFSET = 56, /* bytes from the beginning of a line, where pointers are, to the word that is stored */
    ALIGNED = 64       /* pages: no first level is known to have more sets */
};

/* What is accessed beside the chase. */
enum beside { BESIDE_ONE, BESIDE_SAME, BESIDE_OTHER, BESIDES };

static const char *const besides[BESIDES] = {"one page", "pages of the same size", "other pages"};

/* Two kinds of accesses, and a level of data TLBs that they may share. */
struct pair {
    size_t page_bytes, other_bytes;
    bool stores; /* the other kind is stores, to pages of the same size; else loads from pages of another size */
    unsigned level;
    double entries, entries_before; /* of the level and of the first level, in pages of the chase; 0: not known */
    double other_entries;           /* of the level in pages of the other size; 0: not known */
};

struct mappings {
    const struct pair *pair;
    struct pages ring, same, other;
    size_t count; /* pages that are accessed beside the chase */
};

struct sharing_chase {
    const struct mappings *m;
    enum beside beside;
};

/* The pages accessed beside the chase begin in the set behind that of its last page, so that all sets fill alike. */
static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct sharing_chase *c = context;
    const struct pages *ring = &c->m->ring, *others = c->beside == BESIDE_OTHER ? &c->m->other : &c->m->same;
    const bool stores = c->m->pair->stores && c->beside == BESIDE_OTHER;
    const size_t end = ring->chase.ring.at / ring->page_bytes + (size_t)pages,
                 begin = others->chase.ring.at / others->page_bytes,
                 first = (ALIGNED + end % ALIGNED - begin % ALIGNED) % ALIGNED, count = c->m->count;
    uintptr_t *addresses = malloc(count * sizeof *addresses);

    if (!addresses)
        return probe_skip(p, "out of memory for the addresses of accesses");
    for (size_t i = 0; i < count; i++) {
        const size_t page = c->beside == BESIDE_ONE ? 0 : i;
        addresses[i] = pages_at(others, first + page, page) + (stores ? STORE_OFFSET : 0);
    }
    const bool good = pages_beside(p, ring, (size_t)pages, addresses, count, stores, k);
    free(addresses);
    return good;
}

static void pair_text(const struct pair *q, char text[24])
{
    snprintf(text, 24, "%s+%s", q->stores ? "load" : page_name(q->page_bytes),
             q->stores ? "store" : page_name(q->other_bytes));
}

/* `shared` is "shared", "separate", or NULL: undecided. */
static void report_sharing(struct probe *p, const struct pair *q, const char *shared, struct why why)
{
    const char *declared = tlb_declared(q->level, page_name(q->page_bytes), page_name(q->other_bytes), q->stores);
    char text[24];

    pair_text(q, text);
    report(p, &(struct finding){.name = "memory.dtlb.shared",
                                .variants = {{"level", .number = q->level},
                                             {"pair", text},
                                             {q->stores ? "page" : NULL, page_name(q->page_bytes)}},
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .text = shared,
                                .grade = shared ? 'C' : 'U',
                                .reason = shared ? REASON_NONE : why.reason,
                                .detail = why.detail,
                                .method = "pages that a level holds while others are used, against those alone",
                                .curves = {besides[BESIDE_ONE], besides[BESIDE_SAME], besides[BESIDE_OTHER]},
                                .remarks = {{declared ? "declared" : NULL, declared}}});
}

static bool search_curves(struct probe *p, const struct mappings *m, double from)
{
    const struct pair *q = m->pair;
    struct sweep s[BESIDES];
    struct sharing_chase chases[BESIDES];
    char names[BESIDES][64], text[24];
    size_t count = 0;
    bool good = true;

    pair_text(q, text);
    for (; count < BESIDES && good; count++) {
        chases[count] = (struct sharing_chase){m, (enum beside)count};
        snprintf(names[count], sizeof names[count], "level %u, %s, %s", q->level, text, besides[count]);
        s[count] = (struct sweep){.name = names[count],
                                  .axis = "pages_of_the_chase",
                                  .unit = "cycles/load",
                                  .build = build,
                                  .context = &chases[count],
                                  .area = &m->ring.chase.ring,
                                  .seconds = probe_scale(p, 1, 0.15, 0.4, 2),
                                  .search = {.kind = KNEE_STEP,
                                             .from = from,
                                             .to = (double)m->ring.count,
                                             .step = 1,
                                             .resolution = 0.05,
                                             .narrow_half_rise = q->level > 1,
                                             .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)}};
        good = sweep_search(p, &s[count]);
    }
    if (good) {
        const struct tlb_sharing_curves curves = {
            .one_page = &s[BESIDE_ONE].search.verdict,
            .same = &s[BESIDE_SAME].search.verdict,
            .other = &s[BESIDE_OTHER].search.verdict,
            .half_rise = q->level > 1,
            .pages = (double)m->count,
            .entries_per_page = q->other_entries > q->entries ? q->entries / q->other_entries : 1};
        const struct tlb_sharing d = tlb_sharing_decide(&curves);
        report_sharing(p, q, d.reason ? NULL : d.shared ? "shared" : "separate", why_of(d.reason));
    }
    sweeps_free(s, count);
    return good;
}

/* Maps frames that many pages show, if the platform has such; else frames in order. */
static struct why map(struct probe *p, struct pages *r, size_t count, size_t page_bytes, enum pages_frames kind)
{
    const enum pages_frames kinds[] = {kind, PAGES_IN_ORDER};
    struct why why = {.reason = REASON_NONE};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        why = pages_frame_bytes(count, page_bytes, kinds[i]) > machine_info()->memory_bytes / 2
                  ? why_of(REASON_NOT_ENOUGH_PAGES)
                  : why_platform(pages_map(p, r, count, page_bytes, kinds[i]));
        if (!why.reason)
            break;
    }
    return why;
}

/* Nothing stays mapped where a reason is returned. */
static struct why map_all(struct probe *p, struct mappings *m)
{
    const struct pair *q = m->pair;
    /* nothing else may lie on the line of a store */
    const enum pages_frames kind = q->stores ? PAGES_OWN_LINES : PAGES_SHARED_LINES;
    struct why why = map(p, &m->ring, (size_t)(2 * q->entries), q->page_bytes, PAGES_SHARED_LINES);

    if (why.reason)
        return why;
    why = map(p, &m->same, ALIGNED + m->count, q->page_bytes, kind);
    if (!why.reason) {
        why = map(p, &m->other, ALIGNED + m->count, q->other_bytes, kind);
        if (why.reason)
            pages_unmap(p, &m->same);
    }
    if (why.reason)
        pages_unmap(p, &m->ring);
    return why;
}

static bool find_sharing(struct probe *p, const struct pair *q)
{
    const double from = fmax(floor(SHARING_FROM * q->entries),
                             q->level > 1 ? floor(LEVELS_APART * q->entries_before) : 2);
    struct mappings m = {.pair = q, .count = 1};

    while (2 * (double)m.count <= q->entries / 2) /* a power of two: as many to each set */
        m.count *= 2;
    if (q->stores && m.count > STORE_PAGES)
        m.count = STORE_PAGES;
    const struct why why = from > SHARING_FROM_MOST * q->entries ? why_of(REASON_LEVEL_BEFORE_TOO_LARGE)
                                                                 : map_all(p, &m);
    if (why.reason) {
        report_sharing(p, q, NULL, why);
        return true;
    }
    const bool good = search_curves(p, &m, from);
    pages_unmap(p, &m.other);
    pages_unmap(p, &m.same);
    pages_unmap(p, &m.ring);
    return good;
}

/* Entries of a level for loads' pages, as known; 0: not known. A small number under profile smoke. */
static double known_entries(const struct probe *p, unsigned level, size_t page_bytes)
{
    char variants[48];

    snprintf(variants, sizeof variants, "level=%u page=%s access=load", level, page_name(page_bytes));
    return probe_smoke(p, level == 1 ? 8 : 64, facts_number(&p->run->facts, "memory.dtlb.entries", variants, 0));
}

static bool find_pair(struct probe *p, size_t page_bytes, size_t other_bytes, unsigned level)
{
    const struct pair q = {.page_bytes = page_bytes,
                           .other_bytes = other_bytes,
                           .stores = page_bytes == other_bytes,
                           .level = level,
                           .entries = known_entries(p, level, page_bytes),
                           .entries_before = known_entries(p, 1, page_bytes),
                           .other_entries = known_entries(p, level, other_bytes)};
    const enum reason reason = probe_no_pages(p, other_bytes);

    if (!reason && q.entries > 0)
        return find_sharing(p, &q);
    report_sharing(p, &q, NULL, why_of(reason ? reason : REASON_TLB_UNKNOWN));
    return true;
}

static void run(struct probe *p)
{
    const size_t *sizes = machine_info()->page_bytes;
    bool good = find_pair(p, sizes[0], sizes[0], 1);

    /* only sizes of one granule can be mapped in one window */
    for (const size_t *one = sizes; good && *one; one++)
        for (const size_t *other = one + 1; good && *other; other++)
            for (unsigned level = 1; level <= LEVELS && good; level++)
                if (pages_table_entries(*one) == pages_table_entries(*other))
                    good = find_pair(p, *one, *other, level);
}

PROBE(dtlb_shared, .title = "Data TLBs: who shares them", .family = "memory", .after = "dtlb", .run = run,
      .findings = FINDINGS({"memory.dtlb.shared", "TLBs",
                            "whether pages of two sizes, or loads and stores, take entries of one data TLB"}));
