/*
 * Shared data TLBs: do pages of another size, or stores, take entries that loads of small pages use?
 *
 * A pointer chase, one load on each of n pages (lib/kernels/pages.h), and beside each of its loads an access to one of
 * m other pages in turn, which waits for nothing. What the level holds of the chase tells whose entries those take.
 *
 *   one page                all accesses go to one page: the chase has the level for itself
 *   pages of the same size  loads: they must take m entries, or nothing is told
 *   other pages             loads from pages of another size; or stores to pages of the same size
 *
 * m is half of what the level holds, where the others are of another size. Of those of which one entry holds several,
 * neighbours in order, as many take less of it. Stores go to a few pages only: some cores have an own level for stores,
 * of 16 entries (Golden Cove), and bring what that does not hold into the loads' level; there more would seem to share.
 *
 * Curve: cycles a load over n, a step. Answer: by how many pages it comes earlier than with one page, against m and 0. What
 * the two intervals leave possible must be just one of them: shared, or separate. A level of which such pages may use a
 * part only is neither, and not told. Of the second level the axis begins where the first has been left, and half way up
 * is what counts there.
 *
 * Method: methods 4g, the plane of capacities, at its axes and at one place between them; the control is ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/find.h"
#include "lib/kernels/pages.h"
#include "lib/probe.h"
#include "lib/tlb.h"

enum {
    LEVELS = 2,
    STORES = 8,    /* pages: fewer than any core is known to hold for stores alone */
    STORE_AT = 56, /* where on its line a store goes: pointers are at its beginning */
    ALIGNED = 64   /* pages: no first level is known to have more sets */
};

/* What is accessed beside the chase. */
enum beside { BESIDE_ONE, BESIDE_SAME, BESIDE_OTHER, BESIDES };

static const char *const besides[BESIDES] = {"one page", "pages of the same size", "other pages"};

/* What is asked. */
struct question {
    size_t page_bytes, other_bytes;
    bool stores; /* they are what is other; the pages are of one size */
    unsigned level;
    double held, before; /* pages that the level and the one before it are known to hold */
    double other_held;   /* of the other size; 0: not known */
};

struct experiment {
    const struct question *asks;
    struct pages ring, same, other;
    size_t count; /* of those accessed beside the chase */
};

struct walk {
    const struct experiment *of;
    enum beside beside;
};

/* The other pages go on in the sets where the chase ends, so that none is full while another one is not. */
static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct walk *w = context;
    const struct pages *ring = &w->of->ring, *others = w->beside == BESIDE_OTHER ? &w->of->other : &w->of->same;
    const bool stores = w->of->asks->stores && w->beside == BESIDE_OTHER;
    const size_t end = ring->chase.ring.at / ring->page_bytes + (size_t)pages,
                 begin = others->chase.ring.at / others->page_bytes,
                 first = (ALIGNED + end % ALIGNED - begin % ALIGNED) % ALIGNED, count = w->of->count;
    uintptr_t *at = malloc(count * sizeof *at);

    if (!at)
        return probe_skip(p, "out of memory for the addresses of accesses");
    for (size_t i = 0; i < count; i++) {
        const size_t page = w->beside == BESIDE_ONE ? 0 : i;
        at[i] = pages_at(others, first + page, page) + (stores ? STORE_AT : 0);
    }
    const bool good = pages_beside(p, ring, (size_t)pages, at, count, stores, k);
    free(at);
    return good;
}

/* ---- What is told ------------------------------------------------------------------------------- */

static void pair_text(const struct question *q, char pair[24])
{
    snprintf(pair, 24, "%s+%s", q->stores ? "load" : page_name(q->page_bytes),
             q->stores ? "store" : page_name(q->other_bytes));
}

static void report_shared(struct probe *p, const struct question *q, const char *shared, const char *reason)
{
    const char *says = tlb_declared(q->level, page_name(q->page_bytes), page_name(q->other_bytes), q->stores);
    char pair[24];

    pair_text(q, pair);
    report(p, &(struct finding){.name = "memory.dtlb.shared",
                                .variants = {{"level", .number = q->level},
                                             {"pair", pair},
                                             {q->stores ? "page" : NULL, page_name(q->page_bytes)}},
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .text = shared,
                                .grade = shared ? 'C' : 'U',
                                .reason = shared ? NULL : reason,
                                .method = "pages that a level holds while others are used, against those alone",
                                .curves = {besides[BESIDE_ONE], besides[BESIDE_SAME], besides[BESIDE_OTHER]},
                                .remarks = {{says ? "declared" : NULL, says}}});
}

/* Where a curve leaves its level: an interval of pages. */
struct edge {
    double low, high;
    const char *reason;
};

static struct edge edge_of(const struct sweep *s, bool half)
{
    const struct verdict *v = &s->search.verdict;
    const struct knee *k = v->knees;

    if (v->reason || !v->count)
        return (struct edge){NAN, NAN, v->reason ? v->reason : "no-knee"};
    if (half ? !k->half_agreed : !k->agreed)
        return (struct edge){NAN, NAN, "views-disagree"};
    return half ? (struct edge){k->half_low, k->half_high, NULL} : (struct edge){k->low, k->high, NULL};
}

/* By how much an edge comes earlier than another; capacities are alike within 2 % (lib/find.h). */
struct loss {
    double least, most;
};

static struct loss loss_of(const struct edge *alone, const struct edge *beside)
{
    static const double ALIKE = 0.02;
    const double loose = fmax(1, ALIKE * alone->high);

    return (struct loss){alone->low - beside->high - loose, alone->high - beside->low + loose};
}

static bool may_be(struct loss l, double pages)
{
    return l.least <= pages && pages <= l.most;
}

static void decide(struct probe *p, const struct question *q, const struct sweep s[BESIDES], double count)
{
    const double each = q->other_held > q->held ? q->held / q->other_held : 1; /* entries for a page */
    struct edge edges[BESIDES];

    for (size_t i = 0; i < BESIDES; i++) {
        edges[i] = edge_of(&s[i], q->level > 1);
        if (edges[i].reason) {
            report_shared(p, q, NULL, edges[i].reason);
            return;
        }
    }
    const struct loss same = loss_of(&edges[BESIDE_ONE], &edges[BESIDE_SAME]),
                      other = loss_of(&edges[BESIDE_ONE], &edges[BESIDE_OTHER]);
    const bool shared = may_be(other, each * count), separate = may_be(other, 0);
    if (!may_be(same, count) || may_be(same, 0))
        report_shared(p, q, NULL, "pages of one size do not show how many entries they take");
    else if (shared == separate)
        report_shared(p, q, NULL, shared ? "noise" : "neither all of them take entries nor none");
    else
        report_shared(p, q, shared ? "shared" : "separate", NULL);
}

/* ---- All of it ---------------------------------------------------------------------------------- */

static bool search(struct probe *p, const struct question *q, const struct experiment *e, double from)
{
    struct sweep s[BESIDES];
    struct walk walks[BESIDES];
    char names[BESIDES][64], pair[24];
    size_t count = 0;
    bool good = true;

    pair_text(q, pair);
    for (; count < BESIDES && good; count++) {
        walks[count] = (struct walk){e, (enum beside)count};
        snprintf(names[count], sizeof names[count], "level %u, %s, %s", q->level, pair, besides[count]);
        s[count] = (struct sweep){.name = names[count],
                                  .axis = "pages_of_the_chase",
                                  .unit = "cycles/load",
                                  .build = build,
                                  .context = &walks[count],
                                  .area = &e->ring.chase.ring,
                                  .seconds = probe_scale(p, 1, 0.15, 0.4, 2),
                                  .search = {.kind = KNEE_STEP,
                                             .from = from,
                                             .to = (double)e->ring.count,
                                             .grain = 1,
                                             .resolution = 0.05,
                                             .halves = q->level > 1,
                                             .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)}};
        good = sweep_search(p, &s[count]);
    }
    if (good)
        decide(p, q, s, (double)e->count);
    sweeps_free(s, count);
    return good;
}

/* Frames that many pages show, if the place has such, else frames in order. */
static const char *map(struct probe *p, struct pages *r, size_t count, size_t page_bytes, enum pages_frames kind)
{
    const enum pages_frames kinds[] = {kind, PAGES_IN_ORDER};
    const char *why = NULL;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        why = pages_frame_bytes(count, page_bytes, kinds[i]) > machine_info()->memory_bytes / 2
                  ? "there is not enough memory for pages of that size"
                  : pages_map(p, r, count, page_bytes, kinds[i]);
        if (!why)
            return NULL;
    }
    return why;
}

static const char *map_all(struct probe *p, struct experiment *e)
{
    const struct question *q = e->asks;
    /* beside a store nothing else may lie on its line */
    const enum pages_frames kind = q->stores ? PAGES_OWN_LINES : PAGES_SHARED_LINES;
    const char *why = map(p, &e->ring, (size_t)(2 * q->held), q->page_bytes, PAGES_SHARED_LINES);

    if (why)
        return why;
    why = map(p, &e->same, ALIGNED + e->count, q->page_bytes, kind);
    if (!why) {
        why = map(p, &e->other, ALIGNED + e->count, q->other_bytes, kind);
        if (why)
            pages_unmap(p, &e->same);
    }
    if (why)
        pages_unmap(p, &e->ring);
    return why;
}

static bool ask(struct probe *p, const struct question *q)
{
    static const double PART = 0.25, APART = 2, SURELY_LESS = 0.4; /* of the level: with others half of it is left */
    const double from = fmax(floor(PART * q->held), q->level > 1 ? floor(APART * q->before) : 2);
    struct experiment e = {.asks = q, .count = 1};

    while (2 * (double)e.count <= q->held / 2) /* a power of two: as many to each set */
        e.count *= 2;
    if (q->stores && e.count > STORES)
        e.count = STORES;
    const char *why = from > SURELY_LESS * q->held ? "the level before it is nearly as large" : map_all(p, &e);
    if (why) {
        report_shared(p, q, NULL, why);
        return true;
    }
    const bool good = search(p, q, &e, from);
    pages_unmap(p, &e.other);
    pages_unmap(p, &e.same);
    pages_unmap(p, &e.ring);
    return good;
}

/* What a level is known to hold of loads' pages; for smoke as little as shows that it works. */
static double held(const struct probe *p, unsigned level, size_t page_bytes)
{
    char variants[48];

    snprintf(variants, sizeof variants, "level=%u page=%s access=load", level, page_name(page_bytes));
    return probe_smoke(p, level == 1 ? 8 : 64, facts_number(&p->run->facts, "memory.dtlb.entries", variants, 0));
}

static bool ask_level(struct probe *p, size_t page_bytes, size_t other_bytes, unsigned level)
{
    const struct question q = {.page_bytes = page_bytes,
                               .other_bytes = other_bytes,
                               .stores = page_bytes == other_bytes,
                               .level = level,
                               .held = held(p, level, page_bytes),
                               .before = held(p, 1, page_bytes),
                               .other_held = held(p, level, other_bytes)};
    const char *why = probe_no_pages(p, other_bytes);

    if (!why && q.held > 0)
        return ask(p, &q);
    report_shared(p, &q, NULL, why ? why : "what the level holds is not known");
    return true;
}

static void run(struct probe *p)
{
    const size_t *sizes = machine_info()->page_bytes;
    bool good = ask_level(p, sizes[0], sizes[0], 1);

    /* tables of one window have one granule */
    for (const size_t *one = sizes; good && *one; one++)
        for (const size_t *other = one + 1; good && *other; other++)
            for (unsigned level = 1; level <= LEVELS && good; level++)
                if (pages_table_entries(*one) == pages_table_entries(*other))
                    good = ask_level(p, *one, *other, level);
}

PROBE(dtlb_shared, .title = "Data TLBs: who shares them", .family = "memory", .after = "dtlb", .run = run,
      .findings = FINDINGS({"memory.dtlb.shared", "TLBs",
                            "whether pages of two sizes, or loads and stores, take entries of one data TLB"}));
