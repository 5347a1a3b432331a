/*
 * Sets of the second-level data TLB: how many ways have they, and which address bits choose one?
 *
 * Each hypothesis says which pages lie in one set: those of whose number the lowest s bits agree (one slice), or the
 * exclusive or of these and the next s bits (two slices), or of three. A pointer chase goes through m such pages, and
 * then through others that lie in other sets, so that no page is held by the first level when its turn comes again.
 * Where the hypothesis is true, and the set has w ways, m = w + 1 pages are too many. Where it is not, they lie in
 * several sets, and more fit.
 *
 * Curve: cycles per load over m, flat up to w. Answer: the fewest ways that a hypothesis shows; of those that show as many
 * the one with the least s, since pages that agree in s + 1 bits agree in s. What is found is tried again in another set.
 * Where sets are chosen by some other function of the lowest s bits, that is one slice that shows all ways, of more bits
 * than there are sets for: pages that agree in r bits fewer lie in 2^n sets, and n instead of r bits are counted.
 *
 * On Zen 4: 12 ways; pages that agree in 10 bits lie in one set, in 9, 8 or 7 in two. So of 8 bits that choose a set 7 are
 * the lowest ones or functions with them, and one is a function of the tenth.
 *
 * The pages come in eight orders, one after the other: a tree of bits that says what to replace may keep something useless
 * for ever where the same order comes again and again (Berg 2006, PLRU Cache Domino Effects). One order alone tells
 * whether it does: then what all orders hold are not all ways (find_held).
 *
 * On a Raptor Cove: two slices of seven bits, as on cores since Skylake, and 16 ways, of which eight orders in turn always
 * fill 14, seldom all, and one order 10. So chases over neighbours see the second level end early.
 *
 * Method: methods 4c, after Tatar et al. 2022, TLB;DR, and Gras et al. 2018, TLBleed: their hypotheses, told by time alone.
 */
#include <math.h>
#include <stdio.h>

#include "lib/find.h"
#include "lib/kernels/pages.h"
#include "lib/probe.h"

enum {
    FEWEST_BITS = 5,
    LOWEST = (1 << FEWEST_BITS) - 1,
    MOST_BITS = 12,
    SLICES = 3,
    SPREAD = 3, /* more bits than the first level has: others lie in seven sets, and fit there */
    LAYOUTS = 2,
    /*
     * The first page of a set, and how far it is to that of another one. Areas begin at multiples of many pages, so that
     * page 0 is in one set with the code, and with the word that the chase begins with.
     */
    FIRST = 21,
    ANOTHER = 22,
    PAGES = 40,         /* of one set */
    FEWEST_OTHERS = 16, /* in other sets: twice as many as the first level has ways, */
    OTHERS = 192        /* at most */
};

/* The set is the exclusive or of so many slices of a page's number, of so many bits each, from the lowest on. */
struct hypothesis {
    const struct pages *pages;
    unsigned slices, bits;
    size_t others;
    size_t list[PAGES + OTHERS]; /* of one set, and of others */
};

/* The set of a page by its place in the area. */
static size_t set_of(const struct hypothesis *h, size_t page)
{
    const size_t number = h->pages->chase.ring.at / h->pages->page_bytes + page;
    size_t set = 0;

    for (unsigned i = 0; i < h->slices; i++)
        set ^= number >> i * h->bits;
    return set & (((size_t)1 << h->bits) - 1);
}

/*
 * Lists pages, all in one set of the first level, which is chosen by their lowest bits: those in the set of the first
 * of them, and others, which also differ from it in the lowest bits that are left: no set is chosen without them. False where there are not enough.
 */
static bool list_pages(struct hypothesis *h, unsigned first_bits, size_t first)
{
    const size_t set = set_of(h, first);
    size_t count = 0, others = 0;

    for (size_t page = first; page < h->pages->count; page += (size_t)1 << first_bits) {
        if (set_of(h, page) == set && count < PAGES)
            h->list[count++] = page;
        else if (set_of(h, page) != set && (page ^ first) >> first_bits & LOWEST && others < h->others)
            h->list[PAGES + others++] = page;
    }
    return count == PAGES && others == h->others;
}

static bool build(struct probe *p, double pages, void *context, struct kernel *k)
{
    const struct hypothesis *h = context;
    const size_t count = (size_t)pages;
    size_t list[PAGES + OTHERS];

    for (size_t i = 0; i < count; i++)
        list[i] = h->list[i];
    for (size_t i = 0; i < h->others; i++)
        list[count + i] = h->list[PAGES + i];
    return pages_kernel_of(p, h->pages, list, count + h->others, count, k);
}

static struct sweep sweep_of(struct probe *p, const char *name, struct hypothesis *h)
{
    return (struct sweep){.name = name,
                          .fooled_by = "other sets",
                          .axis = "pages_of_a_set",
                          .unit = "cycles/load",
                          .build = build,
                          .context = h,
                          .area = &h->pages->chase.ring,
                          .seconds = probe_scale(p, 1, 0.1, 0.3, 1),
                          .search = {.kind = KNEE_STEP,
                                     .from = 2,
                                     .to = probe_smoke(p, 8, PAGES),
                                     .grain = 1,
                                     .resolution = 0.02,
                                     .per_octave = (unsigned)probe_scale(p, 2, 8, 8, 16)}};
}

static void report_nothing(struct probe *p, const char *page, const char *reason)
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

/*
 * How many bits choose the set: of one slice that may be more than enough, so that fewer of its bits tell, see above. Each
 * bit more halves the sets that are left, or is none of them. 0 where what they hold are no powers of two, or others.
 */
static unsigned index_bits(const struct hypothesis *h, const double held[MOST_BITS + 1], double ways)
{
    static const double ALIKE = 0.3; /* of a doubling */
    double left = (double)NAN;
    unsigned all = h->bits;

    for (unsigned bits = FEWEST_BITS; h->slices == 1 && bits < h->bits; bits++) {
        const double times = log2(held[bits] / ways), doublings = round(times);
        if (isnan(times))
            continue;
        if (fabs(times - doublings) > ALIKE || doublings > left)
            return 0;
        all = isnan(left) ? bits + (unsigned)doublings : all;
        left = doublings;
    }
    return all;
}

/* "VPN[6:0] ^ VPN[13:7]", or "8 functions of VPN[9:0]". */
static void function_text(const struct hypothesis *h, unsigned index, char *out, size_t room)
{
    size_t used = 0;

    if (index < h->bits) {
        snprintf(out, room, "%u functions of VPN[%u:0]", index, h->bits - 1);
        return;
    }
    for (unsigned i = 0; i < h->slices && used < room; i++) {
        const int written = snprintf(out + used, room - used, "%sVPN[%u:%u]", i ? " ^ " : "", (i + 1) * h->bits - 1,
                                     i * h->bits);
        used += written > 0 ? (size_t)written : room;
    }
}

/* Whether what was measured of the whole level, if anything was, allows so many entries. */
static bool allowed(const struct probe *p, double entries)
{
    const struct fact *f = facts_find(&p->run->facts, "memory.dtlb.entries", "level=2 access=load");

    return !f || f->grade == 'D' || (f->low <= entries && entries <= f->high);
}

static void report_sets(struct probe *p, const struct hypothesis *h, const double held[MOST_BITS + 1],
                        const struct find_experiment *e, size_t count, const struct verdict *one_order,
                        const char *page)
{
    char function[64] = "";
    struct finding ways = {.name = "memory.dtlb.ways",
                           .variants = {{"level", .number = 2}, {"page", page}, {"access", "load"}},
                           .method = "pages of one set"};
    const struct find_result r = find_decide(e, count, 1);
    const unsigned index = r.grade == 'U' ? h->bits : index_bits(h, held, r.value);
    struct finding bits = ways;

    if (r.grade != 'U' && (!index || !allowed(p, r.value * (double)((size_t)1 << index)))) {
        report_nothing(p, page, "sets and ways are not as many entries as the level has");
        return;
    }
    function_text(h, index, function, sizeof function);
    bits.name = "memory.dtlb.index_bits";
    bits.value = r.grade == 'U' ? (double)NAN : index;
    bits.low = bits.high = NAN;
    bits.grade = r.grade;
    bits.reason = r.reason;
    if (r.grade != 'U')
        bits.remarks[0].key = "bits";
    bits.remarks[0].text = function;
    find_held_capacity(p, &ways, e, count, 1, one_order);
    report(p, &bits);
}

/* What a load takes whose page the first level holds. */
static bool measure_held(struct probe *p, const struct pages *pages, double *cycles)
{
    static const size_t few[] = {0, 1, 2, 3};
    struct kernel k = {.units = 1};
    struct point pt = {.q20 = NAN};
    const bool good = pages_kernel_of(p, pages, few, sizeof few / sizeof few[0], 0, &k) && probe_measure(p, &k, &pt);

    *cycles = pt.q20;
    return good;
}

/*
 * Searches all hypotheses. *best is the one that shows the fewest ways with the fewest bits; its bits are 0 where none
 * does. held: by bits, what one slice of so many shows; NaN where it shows none.
 */
static bool try_all(struct probe *p, struct hypothesis h, unsigned first_bits, struct hypothesis *best,
                    double held[MOST_BITS + 1])
{
    static const double FEWER = 1.5; /* a bit too few shows twice as many */
    static const double MISSES =
        1.5; /* a level costs more than half again of what the one before it does (lib/levels.c) */
    double fewest = INFINITY, hit;

    for (h.bits = 0; h.bits <= MOST_BITS; h.bits++)
        held[h.bits] = NAN;
    if (!measure_held(p, h.pages, &hit))
        return false;
    best->bits = 0;
    for (h.bits = FEWEST_BITS; h.bits <= MOST_BITS; h.bits++)
        for (h.slices = 1; h.slices <= SLICES; h.slices++) {
            char name[32];
            if (h.bits < first_bits + SPREAD || !list_pages(&h, first_bits, FIRST))
                continue;
            snprintf(name, sizeof name, "%u slices of %u bits", h.slices, h.bits);
            struct sweep s = sweep_of(p, name, &h);
            if (!sweep_search(p, &s))
                return false;
            const struct verdict *v = &s.search.verdict;
            const bool shows = v->count > 0 && v->levels[0].height > MISSES * hit;
            if (shows && FEWER * v->knees[0].value < fewest) {
                fewest = v->knees[0].value;
                *best = h;
            }
            if (shows && h.slices == 1)
                held[h.bits] = v->knees[0].value;
            sweep_free(&s);
        }
    return true;
}

/* The best hypothesis again, in two sets, and in one order alone. */
static bool try_again(struct probe *p, struct hypothesis best, unsigned first_bits, const double held[MOST_BITS + 1],
                      const char *page)
{
    static const char *const names[LAYOUTS + 1] = {"a set", "another set", "a set, in one order"};
    struct sweep s[LAYOUTS + 1];
    struct hypothesis h[LAYOUTS + 1];
    struct find_experiment e[LAYOUTS];
    struct pages in_one_order = *best.pages; /* the same pages; another kernel */
    size_t count = 0;
    bool good = true;

    in_one_order.orders = 1;
    for (; count < LAYOUTS + 1 && good; count++) {
        h[count] = best;
        (void)list_pages(&h[count], first_bits, FIRST + count % LAYOUTS * ANOTHER);
        h[count].pages = count < LAYOUTS ? best.pages : &in_one_order;
        s[count] = sweep_of(p, names[count], &h[count]);
        s[count].seconds *= 2;
        good = sweep_search(p, &s[count]);
    }
    if (good) {
        find_experiments(s, LAYOUTS, e);
        report_sets(p, &best, held, e, LAYOUTS, &s[LAYOUTS].search.verdict, page);
    }
    sweeps_free(s, count);
    return good;
}

static void run(struct probe *p)
{
    const size_t page_bytes = machine_info()->page_bytes[0];
    const char *page = page_name(page_bytes);
    const double first_bits = facts_number(&p->run->facts, "memory.dtlb.index_bits", "level=1 access=load",
                                           probe_smoke(p, 2, (double)NAN));
    struct pages pages;
    const double first_ways = facts_number(&p->run->facts, "memory.dtlb.ways", "level=1 access=load", 0);
    struct hypothesis h = {.pages = &pages, .others = (size_t)fmin(fmax(2 * first_ways, FEWEST_OTHERS), OTHERS)}, best;
    double held[MOST_BITS + 1];
    const char *why = pages_map(p, &pages, (size_t)1 << (unsigned)probe_smoke(p, 12, 18), page_bytes, PAGES_IN_BLOCKS);

    if (why) {
        probe_skip(p, why);
        return;
    }
    if (isnan(first_bits)) {
        report_nothing(p, page, "how the first level chooses its sets is not known");
        pages_unmap(p, &pages);
        return;
    }
    pages.orders = 8;
    if (try_all(p, h, (unsigned)first_bits, &best, held)) {
        if (best.bits == 0)
            report_nothing(p, page, "no hypothesis shows a set that overflows");
        else if (best.slices == 1 && best.bits == MOST_BITS)
            report_nothing(p, page, "more bits may choose the set");
        else
            (void)try_again(p, best, (unsigned)first_bits, held, page);
    }
    pages_unmap(p, &pages);
}

PROBE(dtlb_sets, .title = "Sets of the second-level data TLB", .family = "memory", .run = run, .after = "dtlb",
      .findings = FINDINGS({"memory.dtlb.ways", "ways", "entries of a set"},
                           {"memory.dtlb.index_bits", "bits", "address bits that choose the set"}));
