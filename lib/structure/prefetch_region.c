#include "lib/structure/prefetch_region.h"

#include <math.h>

#include "lib/base/random.h"

enum {
    PAGES = 4,  /* of a place: three whose lines are accessed alike, and one that is only begun */
    LINES = 9,  /* accessed in each page */
    GROUPS = 4, /* of two lines, each in twice the bytes of the one before */
    GROUP = 2,
    GROUP_BYTES = 512, /* of the first one */
    OTHER_LINE = 40,   /* of the other regions that end recording: it is none of the lines */
    OTHER_SITE = 30,   /* by which they are loaded */
    BEGUN_AT = 7,      /* another line at which a page is begun */
    OTHERS = 48,       /* of them at most */
    PAGE_LINES = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES
};

/* Pages of a place in an order without constant distances. */
static const int32_t pages[PAGES] = {0, 3, 1, 2};
/* The line that begins a pattern, and those that follow it, by groups. */
static const int32_t pattern[LINES] = {0, 3, 5, 11, 14, 21, 29, 44, 58};
/* In which order they are accessed: not ascending, and no two distances alike in sequence. */
static const size_t order[LINES] = {0, 6, 2, 7, 4, 8, 5, 1, 3};

/* How the last page is begun, and what is in the pages before it. */
struct region_test {
    bool other_lines; /* in each page, other lines follow */
    bool down;        /* lines are counted from the end of the page */
    bool other_site;  /* another instruction begins the last page, … */
    int32_t from;     /* … or the same one does so at this line */
};

static void add(struct access_list *l, int32_t page, int32_t line, uint32_t site)
{
    l->all[l->count++] = (struct listed_load){page * ACCESS_PAGE_BYTES + line * ACCESS_LINE_BYTES, site, LISTED_LOAD};
}

/* Begins so many other regions, by one other instruction; `from`: of which the first one is number `from`. */
static void add_others(struct prefetch_kinds *k, struct access_list *l, size_t from, size_t count)
{
    const size_t all = k->look->area.others.bytes / ACCESS_PAGE_BYTES;

    for (size_t i = from; i < from + count; i++)
        l->all[l->count++] = (struct listed_load){
            (int32_t)(i % all * ACCESS_PAGE_BYTES + OTHER_LINE * ACCESS_LINE_BYTES), OTHER_SITE, LISTED_APART};
}

static size_t most_others(const struct prefetch_kinds *k)
{
    const size_t all = k->look->area.others.bytes / ACCESS_PAGE_BYTES;

    return all < OTHERS ? all : OTHERS;
}

static void record(struct access_list *l, int32_t page, bool down)
{
    for (uint32_t n = 0; n < LINES; n++)
        add(l, page, down ? PAGE_LINES - 1 - pattern[order[n]] : pattern[order[n]], n);
}

static void record_other_lines(struct prefetch_kinds *k, struct access_list *l, int32_t page, bool down)
{
    add(l, page, down ? PAGE_LINES - 1 : 0, 0);
    for (uint32_t n = 1; n < LINES; n++) {
        int32_t line;
        bool used;
        do {
            line = 6 + (int32_t)random_below(&k->look->p->random, PAGE_LINES - 12);
            used = false;
            for (size_t i = 0; i < LINES; i++)
                used |= (down ? PAGE_LINES - 1 - line : line) == pattern[i];
        } while (used);
        add(l, page, line, n);
    }
}

/* The level of lines of which some are in that one, and others in that; NEAR_UNCLEAR: there are none. */
static enum nearness together(enum nearness some, enum nearness others)
{
    return !some || some == others ? others : !others ? some : NEAR_EITHER;
}

/*
 * Which lines of the last page are brought, as bits: line i from its begin, or end. *shown becomes what is drawn of
 * that; it may be NULL.
 */
static bool look_region(struct prefetch_kinds *k, const struct region_test *t, uint64_t *in, uint64_t *unclear,
                        enum nearness *into, struct prefetch_shown *shown)
{
    struct access_list l = {.bytes = PAGES * ACCESS_PAGE_BYTES, .align = ACCESS_PAGE_BYTES};
    struct looked lines[2 * (LINES - 1)];
    size_t count = 0;

    for (size_t i = 0; i + 1 < PAGES; i++)
        if (t->other_lines)
            record_other_lines(k, &l, pages[i], t->down);
        else
            record(&l, pages[i], t->down);
    add_others(k, &l, 0, most_others(k));
    add(&l, pages[PAGES - 1], t->down ? PAGE_LINES - 1 - t->from : t->from, t->other_site ? OTHER_SITE + 1 : 0);
    for (size_t i = 1; i < LINES; i++)
        lines[count++].at = pattern[i];
    for (size_t i = 1; i < LINES && t->from; i++) /* it may be remembered by distances */
        if (pattern[i] + t->from < PAGE_LINES)
            lines[count++].at = pattern[i] + t->from;
    for (size_t i = 0; i < count; i++)
        lines[i].at = pages[PAGES - 1] * ACCESS_PAGE_BYTES +
                      (t->down ? PAGE_LINES - 1 - lines[i].at : lines[i].at) * ACCESS_LINE_BYTES;
    if (!prefetch_look(k->look, &l, lines, count))
        return false;
    if (shown)
        prefetch_show(shown, "the first line of a region", &l.all[l.count - 1], 1, lines, count);
    *in = *unclear = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t at = lines[i].at / ACCESS_LINE_BYTES % PAGE_LINES, line = t->down ? PAGE_LINES - 1 - at : at;
        *in |= (uint64_t)(lines[i].where >= NEAR_EITHER) << line;
        *unclear |= (uint64_t)(lines[i].where == NEAR_UNCLEAR) << line;
        if (lines[i].where >= NEAR_EITHER)
            *into = together(*into, looked_level(k->look, &lines[i]));
    }
    return true;
}

/* The lines of the first groups, as bits. */
static uint64_t lines_of(size_t groups)
{
    uint64_t bits = 0;

    for (size_t i = 1; i <= groups * GROUP; i++)
        bits |= UINT64_C(1) << pattern[i];
    return bits;
}

/* How many groups are brought, all before the last one whole, and none behind it; NaN: that is not so. */
static double groups_in(uint64_t in)
{
    for (size_t groups = 0; groups <= GROUPS; groups++)
        if (in == lines_of(groups))
            return (double)groups;
    return NAN;
}

/* ---- What a pattern is known by ---------------------------------------------------------------------- */

/*
 * Another instruction at the same line, and the same one at another line. *by_distance: there lines come as far from that
 * one as others were from the first, or that is not certain.
 */
static bool find_key(struct prefetch_kinds *k, struct prefetch_found *f, uint64_t whole, bool *by_distance)
{
    static const char *const texts[2][2] = {{"instruction and offset", "instruction"}, {"offset", "neither"}};
    struct prefetch_word *out = &f->words[PREFETCH_KEY];
    uint64_t by_other, at_other, unclear[2];
    enum nearness into = NEAR_UNCLEAR;

    if (!look_region(k, &(struct region_test){.other_site = true}, &by_other, &unclear[0], &into, NULL) ||
        !look_region(k, &(struct region_test){.from = BEGUN_AT}, &at_other, &unclear[1], &into, NULL))
        return false;
    *by_distance = (at_other | unclear[1]) >> (BEGUN_AT + pattern[1]) & 1;
    by_other &= whole;
    const bool any = at_other & whole & ~lines_of(1);
    if (!unclear[0] && !unclear[1] && (by_other == 0 || by_other == whole))
        out->text = texts[by_other != 0][any || at_other >> (BEGUN_AT + pattern[1]) & 1];
    return true;
}

/* ---- How many regions are recorded -------------------------------------------------------------------- */

/*
 * First one page with other lines, whose recording certainly ends; then one with the pattern, and `others` regions: is
 * it the pattern that is remembered?
 */
static bool look_ended(struct prefetch_kinds *k, size_t others, uint64_t whole, bool *ended, bool *clear)
{
    struct access_list l = {.bytes = PAGES * ACCESS_PAGE_BYTES, .align = ACCESS_PAGE_BYTES};
    struct looked lines[LINES - 1];
    uint64_t in = 0;

    record_other_lines(k, &l, pages[0], false);
    add_others(k, &l, 0, most_others(k));
    record(&l, pages[1], false);
    add_others(k, &l, most_others(k), others);
    add(&l, pages[PAGES - 1], 0, 0);
    for (size_t i = 1; i < LINES; i++)
        lines[i - 1].at = pages[PAGES - 1] * ACCESS_PAGE_BYTES + pattern[i] * ACCESS_LINE_BYTES;
    if (!prefetch_look(k->look, &l, lines, LINES - 1))
        return false;
    *clear = true;
    for (size_t i = 1; i < LINES; i++) {
        in |= (uint64_t)(lines[i - 1].where >= NEAR_EITHER) << pattern[i];
        *clear = *clear && lines[i - 1].where != NEAR_UNCLEAR;
    }
    *ended = in == whole;
    *clear = *clear && (in == whole || !in);
    return true;
}

static bool find_recorded(struct prefetch_kinds *k, struct prefetch_found *f, uint64_t whole)
{
    struct prefetch_number *out = &f->numbers[PREFETCH_REGIONS];
    size_t good = most_others(k) - 1, bad = 0; /* recording ends with so many others; does not */
    bool ended, clear;

    if (!look_ended(k, good, whole, &ended, &clear))
        return false;
    out->reason = clear ? REASON_FIXED_RANGE_ENDS : REASON_NOT_STEADY;
    if (!ended || !clear)
        return true;
    while (good > bad + 1) {
        const size_t others = (good + bad) / 2;
        if (!look_ended(k, others, whole, &ended, &clear))
            return false;
        if (!clear) {
            out->reason = REASON_NOT_STEADY;
            return true;
        }
        *(ended ? &good : &bad) = others;
    }
    out->view[0] = (double)good;
    return true;
}

/* ---- How large a region is ----------------------------------------------------------------------------- */

/* Two neighbouring pages: does what follows in the second one belong to the begin of the first? */
static bool find_larger(struct prefetch_kinds *k, bool *larger, bool *clear)
{
    enum { SURE, BEHIND, LAST, LOOKS };
    static const int32_t behind[] = {3, 11};
    struct access_list l = {.bytes = PAGES * ACCESS_PAGE_BYTES, .align = PAGES * ACCESS_PAGE_BYTES};
    const int32_t last = 2 * PAGE_LINES;
    struct looked lines[LOOKS] = {
        {.at = last + pattern[2]}, {.at = last + PAGE_LINES + behind[0]}, {.at = last + PAGE_LINES + behind[1]}};

    add(&l, 0, pattern[0], 0);
    add(&l, 0, pattern[2], 2);
    add(&l, 1, behind[1], 4);
    add(&l, 0, pattern[4], 1);
    add(&l, 1, behind[0], 5);
    add_others(k, &l, 0, most_others(k));
    add(&l, 2, pattern[0], 0);
    for (size_t i = 0; i < LOOKS; i++)
        lines[i].at *= ACCESS_LINE_BYTES;
    if (!prefetch_look(k->look, &l, lines, LOOKS))
        return false;
    *clear = lines[SURE].where >= NEAR_EITHER && lines[BEHIND].where && lines[LAST].where == lines[BEHIND].where;
    *larger = lines[BEHIND].where >= NEAR_EITHER;
    return true;
}

static bool find_bytes(struct prefetch_kinds *k, struct prefetch_found *f, size_t groups)
{
    struct prefetch_number *out = &f->numbers[PREFETCH_REGION_BYTES];
    bool larger = false, clear = true;

    if (groups == GROUPS && !find_larger(k, &larger, &clear))
        return false;
    out->reason = clear ? REASON_FIXED_RANGE_ENDS : REASON_NOT_STEADY;
    for (size_t view = 0; view < PREFETCH_VIEWS && clear && !larger; view++)
        out->view[view] = (double)(GROUP_BYTES << (groups - 1));
    return true;
}

bool prefetch_look_region(struct prefetch_kinds *k, struct looked_bits *out)
{
    enum nearness into = NEAR_UNCLEAR;

    return look_region(k, &(struct region_test){.other_lines = false}, &out->in, &out->unclear, &into, NULL);
}

/* ---- All of it --------------------------------------------------------------------------------------- */

bool prefetch_find_region(struct prefetch_kinds *k)
{
    struct prefetch_found *f = &k->found[PREFETCH_REGION];
    uint64_t in[PREFETCH_VIEWS];
    bool disturbed = false, by_control = false, by_distance;

    for (size_t view = 0; view < PREFETCH_VIEWS; view++) {
        uint64_t control, unclear[2];
        enum nearness into = NEAR_UNCLEAR, none = NEAR_UNCLEAR;
        const struct region_test there = {.down = view}, others = {.down = view, .other_lines = true};
        if (!look_region(k, &there, &in[view], &unclear[0], &into, view ? NULL : &f->shown[f->shown_lists++]) ||
            !look_region(k, &others, &control, &unclear[1], &none, NULL))
            return false;
        /* prefetchers that adapt pause at times: what was not seen once is looked at again */
        if (!in[view] && !probe_is_smoke(k->look->p) && !look_region(k, &there, &in[view], &unclear[0], &into, NULL))
            return false;
        f->into = together(f->into, into);
        disturbed |= unclear[0] || unclear[1];
        by_control |= control != 0;
    }
    f->reason = disturbed ? REASON_NOT_STEADY : REASON_EXPERIMENTS_DISAGREE;
    if (disturbed || by_control || !in[0] != !in[1])
        return true;
    const double groups = groups_in(in[0]);
    const bool alike = groups == groups_in(in[1]); /* not where either is NaN */
    f->exists = in[0] != 0;
    f->text = f->exists ? "found" : "none";
    /* one that adapts may have paused all the time */
    f->grade = f->exists && alike ? 'B' : 'C';
    if (!f->exists || k->only)
        return true;
    if (!find_key(k, f, in[0], &by_distance))
        return false;
    /* where lines are remembered that are near the first one, there need not be a region with borders */
    f->numbers[PREFETCH_REGION_BYTES].reason = by_distance ? REASON_AMBIGUOUS : REASON_EXPERIMENTS_DISAGREE;
    return (!alike || by_distance || find_bytes(k, f, (size_t)groups)) && find_recorded(k, f, in[0]);
}
