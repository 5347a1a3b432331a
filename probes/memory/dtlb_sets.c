/*
 * Sets of the second-level data TLB: how many ways do they have, and which address bits choose one?
 *
 * Experiment: hypotheses on the index function say which pages lie in one set (lib/structure/tlb_index.h): those
 * whose numbers agree in the lowest s bits (one slice), or in the exclusive or of these and the next s bits (two
 * slices), or of three. A pointer chase visits m such pages, and then others that lie in other sets, so that the
 * first level holds no page when its turn comes again. If the hypothesis is true and a set has w ways, m = w + 1
 * pages are too many. If it is not, the pages lie in several sets, and more fit.
 *
 * Curve: cycles per load over m, flat up to w.
 *
 * Inference: the ways are the fewest that a hypothesis shows; of the hypotheses that show as few, the one with the
 * least s is right, since pages that agree in s + 1 bits agree in s, and must show as few. It is tried again in another
 * set. Where some other function of the lowest bits chooses the set, one slice shows the ways only with more bits than
 * the index has. Then r bits are left out: if pages that agree in the others lie in 2^n sets, these r bits count as n
 * index bits. On Zen 4: 12 ways; pages that agree in 10 bits lie in one set, pages that agree in 9, 8 or 7 bits in two.
 * So there are 8 index bits: 7 are the lowest ones or functions with them, and one is a function with the tenth.
 *
 * The pages are visited in eight orders in turn: a tree-PLRU policy may keep useless entries for ever where one order
 * is repeated (Berg 2006, PLRU Cache Domino Effects). A curve of one order alone shows whether it does: then the
 * number that is resident in all orders may be less than the ways (grade_resident). On a Raptor Cove: two slices of
 * seven bits, as on cores since Skylake, and 16 ways, of which eight orders in turn always fill 14 but seldom all, and
 * one order fills 10. So chases over neighbouring pages show too early an end of that second level.
 *
 * Sources: Tatar et al. 2022, TLB;DR; Gras et al. 2018, TLBleed; here by time alone. docs/METHODS.md, 7.9.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/numbers.h"
#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/pages.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/tlb_index.h"
#include "lib/structure/tolerances_hierarchy.h"

enum {
    SPREAD = 3,  /* bits of a slice beyond the first level's index, at least: others then lie in seven sets, and fit */
    SETS = 2,    /* in which the best hypothesis is tried again */
    ORDERS = 8,  /* in which pages are visited in turn */
    MAPPED = 18, /* binary logarithm of the pages that are mapped */
    /*
     * The first page of a set, and the distance to that of another one. Areas begin at multiples of many pages, so
     * that page 0 is in one set with the code, and with the word that the chase begins with.
     */
    FIRST = 21,
    ANOTHER = 22,
    FEWEST_OTHERS = 16 /* pages in other sets; or twice as many as the first level has ways, if that is more */
};

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    return tlb_index_kernel(p, context, (size_t)pages, k);
}

static struct sweep sweep_of(struct probe *p, const char *name, struct tlb_index *h)
{
    return (struct sweep){.name = name,
                          .confounder = "other sets",
                          .axis = "pages_of_a_set",
                          .unit = "cycles/load",
                          .build = build,
                          .context = h,
                          .area = &h->pages->chase.ring,
                          .seconds = probe_scale(p, 1, 0.1, 0.3, 1),
                          .search = {.kind = KNEE_STEP,
                                     .from = 2,
                                     .to = probe_smoke(p, 8, TLB_INDEX_PAGES),
                                     .step = 1,
                                     .resolution = 0.02,
                                     .per_octave = (unsigned)probe_scale(p, 2, 8, 8, 16)}};
}

static void report_undecided(struct probe *p, const char *page, enum reason reason)
{
    static const char *const names[] = {"memory.dtlb.ways", "memory.dtlb.index_bits"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        report(p, &(struct finding){.name = names[i],
                                    .variants = {{"level", .number = 2}, {"page", page}, {"access", "load"}},
                                    .value = NAN,
                                    .low = NAN,
                                    .high = NAN,
                                    .grade = 'U',
                                    .reason = reason});
}

/* Whether what was measured of the whole level, if anything was, allows so many entries. */
static bool level_may_have(const struct probe *p, double entries)
{
    const struct fact *f = facts_find(&p->run->facts, "memory.dtlb.entries", "level=2 access=load");

    return !f || f->grade == 'D' || (f->low <= entries && entries <= f->high);
}

static void report_sets(struct probe *p, const struct tlb_index *h, const double resident[TLB_INDEX_BITS_MOST + 1],
                        const struct experiment *e, size_t count, const struct verdict *one_order, const char *page)
{
    char function[TLB_INDEX_TEXT] = "";
    struct finding ways = {.name = "memory.dtlb.ways",
                           .variants = {{"level", .number = 2}, {"page", page}, {"access", "load"}},
                           .method = "pages of one set"};
    const struct graded r = grade_capacity(e, count, 1);
    const unsigned index = r.grade == 'U' ? h->bits : tlb_index_bits(h, resident, r.value);
    struct finding bits = ways;

    if (r.grade != 'U' && (!index || !level_may_have(p, r.value * (double)((size_t)1 << index)))) {
        report_undecided(p, page, index ? REASON_PRODUCT_DIFFERS : REASON_NO_FIT);
        return;
    }
    tlb_index_text(h, index, function);
    bits.name = "memory.dtlb.index_bits";
    bits.value = r.grade == 'U' ? (double)NAN : index;
    bits.low = bits.high = NAN;
    bits.grade = r.grade;
    bits.reason = r.reason;
    if (r.grade != 'U')
        bits.remarks[0].key = "bits";
    bits.remarks[0].text = function;
    report_resident_capacity(p, &ways, e, count, 1, one_order);
    report(p, &bits);
}

/* Cycles of a load from a page that the first level holds. */
static bool measure_hit(struct probe *p, const struct pages *pages, double *cycles)
{
    static const size_t few[] = {0, 1, 2, 3};
    struct kernel k = {.units = 1};
    struct point pt = {.q20 = NAN};
    const bool good = pages_kernel_of(p, pages, few, sizeof few / sizeof few[0], 0, &k) && probe_measure(p, &k, &pt);

    *cycles = pt.q20;
    return good;
}

/*
 * Searches all hypotheses. *best is the one that shows the fewest ways with the fewest bits; its bits are 0 where
 * none shows a set that overflows. resident[b] is the number of pages that one slice of b bits shows; NaN where it
 * shows none.
 */
static bool search_hypotheses(struct probe *p, struct tlb_index h, unsigned first_level_bits, struct tlb_index *best,
                              double resident[TLB_INDEX_BITS_MOST + 1])
{
    double fewest = INFINITY, hit;

    for (h.bits = 0; h.bits <= TLB_INDEX_BITS_MOST; h.bits++)
        resident[h.bits] = NAN;
    if (!measure_hit(p, h.pages, &hit))
        return false;
    best->bits = 0;
    for (h.bits = TLB_INDEX_BITS_LEAST; h.bits <= TLB_INDEX_BITS_MOST; h.bits++)
        for (h.slices = 1; h.slices <= TLB_INDEX_SLICES; h.slices++) {
            char name[32];
            if (h.bits < first_level_bits + SPREAD || !tlb_index_list(&h, first_level_bits, FIRST))
                continue;
            snprintf(name, sizeof name, "%u slices of %u bits", h.slices, h.bits);
            struct sweep s = sweep_of(p, name, &h);
            if (!sweep_search(p, &s))
                return false;
            const struct verdict *v = &s.search.verdict;
            /* there is an edge, and before it the second level hits, which costs more than a hit of the first */
            const bool shows = v->count > 0 && v->levels[0].height > (1 + LEVEL_RISES) * hit;
            if (shows && WAYS_FEWER * v->knees[0].value < fewest) {
                fewest = v->knees[0].value;
                *best = h;
            }
            if (shows && h.slices == 1)
                resident[h.bits] = v->knees[0].value;
            sweep_free(&s);
        }
    return true;
}

/* Tries the best hypothesis again, in two sets, and in one order alone, and reports. */
static bool confirm_hypothesis(struct probe *p, struct tlb_index best, unsigned first_level_bits,
                               const double resident[TLB_INDEX_BITS_MOST + 1], const char *page)
{
    static const char *const names[SETS + 1] = {"a set", "another set", "a set, in one order"};
    struct sweep s[SETS + 1];
    struct tlb_index h[SETS + 1];
    struct experiment e[SETS];
    struct pages in_one_order = *best.pages; /* the same pages; another kernel */
    size_t count = 0;
    bool good = true;

    in_one_order.orders = 1;
    for (; count < SETS + 1 && good; count++) {
        h[count] = best;
        (void)tlb_index_list(&h[count], first_level_bits, FIRST + count % SETS * ANOTHER);
        h[count].pages = count < SETS ? best.pages : &in_one_order;
        s[count] = sweep_of(p, names[count], &h[count]);
        s[count].seconds *= 2;
        good = sweep_search(p, &s[count]);
    }
    if (good) {
        experiments_of_sweeps(s, SETS, e);
        report_sets(p, &best, resident, e, SETS, &s[SETS].search.verdict, page);
    }
    sweeps_free(s, count);
    return good;
}

static void run(struct probe *p)
{
    const struct facts *facts = &p->run->facts;
    const size_t page_bytes = machine_info()->page_bytes[0];
    const char *page = page_name(page_bytes);
    const double first_level_bits = facts_number(facts, "memory.dtlb.index_bits", "level=1 access=load",
                                                 probe_smoke(p, 2, (double)NAN)),
                 first_level_ways = facts_number(facts, "memory.dtlb.ways", "level=1 access=load", 0);
    struct pages pages;
    struct tlb_index h = {.pages = &pages,
                          .others = (size_t)fmin(fmax(2 * first_level_ways, FEWEST_OTHERS), TLB_INDEX_OTHERS)},
                     best;
    double resident[TLB_INDEX_BITS_MOST + 1];
    const char *why = pages_map(p, &pages, (size_t)1 << (unsigned)probe_smoke(p, 12, MAPPED), page_bytes,
                                PAGES_IN_BLOCKS);

    if (why) {
        probe_skip(p, why);
        return;
    }
    if (isnan(first_level_bits)) {
        report_undecided(p, page, REASON_FIRST_SETS_UNKNOWN);
        pages_unmap(p, &pages);
        return;
    }
    pages.orders = ORDERS;
    if (search_hypotheses(p, h, (unsigned)first_level_bits, &best, resident)) {
        if (best.bits == 0)
            report_undecided(p, page, REASON_NO_OVERFLOW);
        else if (best.slices == 1 && (best.bits == TLB_INDEX_BITS_MOST || isnan(resident[best.bits + 1])))
            report_undecided(p, page, REASON_MORE_INDEX_BITS);
        else
            (void)confirm_hypothesis(p, best, (unsigned)first_level_bits, resident, page);
    }
    pages_unmap(p, &pages);
}

PROBE(dtlb_sets, .title = "Sets of the second-level data TLB", .family = "memory", .run = run, .after = "dtlb",
      .findings = FINDINGS({"memory.dtlb.ways", "ways", "entries of a set"},
                           {"memory.dtlb.index_bits", "bits", "address bits that choose the set"}));
