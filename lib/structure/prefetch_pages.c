#include "lib/structure/prefetch_pages.h"

#include <string.h>

#include "lib/structure/prefetch_reach.h"

enum {
    PAGE_LINES = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES,
    SLOT_PAGES = 4,    /* of 4 KiB, of a place with chosen frames */
    GROUP = 3,         /* pages of it, whatever their size; the second one and the third have changed frames */
    FRAMED = 64,       /* places at most, a power of two */
    FRAMED_LARGE = 8,  /* of large pages, a power of two; … */
    FRAMED_LEAST = 2,  /* … so many at least: half are left alone, for looks elsewhere */
    SECOND_WAYS = 8,   /* where they are not known */
    TOUCHED_LINE = 40, /* that is accessed in each of the pages before, so that its translation is near */
    LEAD_BYTES = ACCESS_LEAD_LINES * ACCESS_LINE_BYTES
};

static const char *const stops = "stops";

/* A sequence that is just trained by its last access, so that the line behind the end of its page is to be brought. */
struct border {
    unsigned count;
    int32_t stride, ahead; /* the line is so many strides ahead */
    bool one;
    int32_t page_bytes; /* of pages with chosen frames; 0: they are not chosen */
};

static struct border border_of(const struct prefetch_found *f, bool one)
{
    return (struct border){.count = (unsigned)f->numbers[PREFETCH_TRAIN].view[0],
                           .stride = f->stride,
                           .ahead = __builtin_ctz(f->first[0]),
                           .one = one};
}

/* Where a page of a place with chosen frames begins: the place begins LEAD_BYTES into the last 4 KiB of the first one. */
static int32_t begin_of(const struct border *b, uint32_t page)
{
    return (int32_t)(page - 1) * b->page_bytes + ACCESS_PAGE_BYTES - LEAD_BYTES;
}

/*
 * A list with that sequence in a place of so many pages of 4 KiB; it begins behind the lead. `earlier`: so many lines
 * before the border, where none is met. *line: the first one that would be brought. False: there is no room before the
 * border.
 */
static bool make_list(const struct border *b, int32_t pages, int32_t earlier, struct access_list *l,
                      struct looked *line)
{
    const int32_t next = PAGE_LINES - ACCESS_LEAD_LINES - earlier, last = next - b->ahead * b->stride;
    const int32_t begin = last - (int32_t)(b->count - 1) * b->stride;

    *l = (struct access_list){
        .bytes = pages * ACCESS_PAGE_BYTES - LEAD_BYTES, .align = pages * ACCESS_PAGE_BYTES, .led = true};
    line->at = next * ACCESS_LINE_BYTES;
    for (uint32_t page = 1; page < GROUP && b->page_bytes; page++)
        l->all[l->count++] = (struct listed_load){begin_of(b, page) + TOUCHED_LINE * ACCESS_LINE_BYTES,
                                                  PREFETCH_SEQUENCE + page, LISTED_LOAD};
    if (begin >= 0)
        reach_add(l, &(struct sequence){b->stride, b->count, b->one, false}, begin * ACCESS_LINE_BYTES, 0);
    return begin >= 0;
}

/* ---- Pages that follow each other -------------------------------------------------------------------- */

static bool find_border(struct prefetch_kinds *k, const struct border *b, struct prefetch_word *out)
{
    struct looked seen[2];

    *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    /* the same in the middle of two pages, where no border is met, must be followed */
    for (int32_t i = 0; i < 2; i++) {
        struct access_list l;
        if (!make_list(b, 2, i * PAGE_LINES / 4, &l, &seen[i]))
            return true;
        if (!prefetch_look(k->look, &l, &seen[i], 1))
            return false;
    }
    if (!looked_known(&seen[1]) || seen[0].where == NEAR_UNCLEAR)
        return true;
    out->text = looked_brought(&seen[0], seen[1].part) ? "continues" : stops;
    /* on small pages it may have gone on in a frame that is elsewhere */
    if (out->text == stops && k->look->area.data.page_bytes <= ACCESS_PAGE_BYTES && !machine_info()->contiguous)
        *out = (struct prefetch_word){NULL, REASON_RANDOM_FRAMES};
    return true;
}

/* ---- Pages whose frames are in another order --------------------------------------------------------- */

static size_t second_ways(void)
{
    const struct machine_info *info = machine_info();
    size_t ways = SECOND_WAYS;

    for (size_t i = info->cache_count; i-- > 0;)
        if (info->caches[i].level == 2 && info->caches[i].holds & HOLDS_DATA && info->caches[i].ways)
            ways = info->caches[i].ways;
    return ways;
}

/*
 * Places that are mapped at most. Those on large pages share the sets of all caches: the lines that are looked at, two
 * of each place, take half of the second level's ways.
 */
static size_t most_places(const struct prefetch_kinds *k, size_t page_bytes)
{
    const size_t shared = second_ways() / 4, large = k->look->area.data.page_bytes;
    const size_t room = k->look->area.data.bytes / (SLOT_PAGES * ACCESS_PAGE_BYTES);
    size_t most = page_bytes < large ? FRAMED : FRAMED_LARGE;

    while (most > FRAMED_LEAST && (most > room || (page_bytes == large && most > shared)))
        most /= 2;
    return most;
}

/* The frames of `places` places, and where their pages of 4 KiB lie. NULL, or why they cannot be had. */
static const char *map_places(struct prefetch_framed *f, size_t places, size_t page_bytes)
{
    static const size_t order[GROUP] = {0, 2, 1};
    size_t *frames = (size_t *)f->frames.write;
    uint64_t *pages = (uint64_t *)f->pages.write;

    for (size_t i = 0; i < places; i++) {
        const uint64_t begin = i * GROUP * page_bytes;
        for (size_t n = 0; n < GROUP; n++)
            frames[i * GROUP + n] = i * GROUP + order[n];
        const uint64_t at[SLOT_PAGES] = {begin + page_bytes - ACCESS_PAGE_BYTES, begin + page_bytes,
                                         begin + 2 * page_bytes, begin + 3 * page_bytes - ACCESS_PAGE_BYTES};
        memcpy(&pages[i * SLOT_PAGES], at, sizeof at);
    }
    return machine_map_frames(&f->area, frames, places * GROUP, page_bytes, AREA_DATA);
}

/* Maps places on pages of that size. f->reason: why they cannot be had. False: the probe has ended. */
static bool map_framed(struct prefetch_kinds *k, struct prefetch_framed *f, size_t page_bytes)
{
    const bool small = page_bytes < k->look->area.data.page_bytes;
    const char *why = "";

    if (f->tried)
        return true;
    f->tried = true;
    if (!probe_map(k->look->p, &f->frames, FRAMED * GROUP * sizeof(size_t), 0) ||
        !probe_map(k->look->p, &f->pages, FRAMED * SLOT_PAGES * sizeof(uint64_t), 0))
        return false;
    for (size_t places = most_places(k, page_bytes); why && places >= FRAMED_LEAST; places /= 2) {
        why = map_places(f, places, page_bytes);
        f->area.bytes = places * SLOT_PAGES * ACCESS_PAGE_BYTES; /* that are used */
    }
    f->reason = !why ? REASON_NONE : small || !machine_info()->contiguous ? REASON_PLATFORM : REASON_NOT_ENOUGH_PAGES;
    return true;
}

/*
 * The page behind the border is the second one of the place; its frame's successor is the third one's. Where frames are
 * assigned at random, what goes on by frames goes on elsewhere; a line that is brought says the same as ever.
 */
static bool look_order(struct prefetch_kinds *k, const struct border *b, struct prefetch_word *out)
{
    struct looked seen[2], sure;
    struct access_list l;

    *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    if (!make_list(b, SLOT_PAGES, PAGE_LINES / 4, &l, &sure))
        return true;
    if (!prefetch_look_resolves(k->look, &l)) {
        out->reason = REASON_NO_CONTRAST;
        return true;
    }
    if (!prefetch_look(k->look, &l, &sure, 1))
        return false;
    make_list(b, SLOT_PAGES, 0, &l, &seen[0]);
    seen[1].at = seen[0].at + b->page_bytes;
    if (!prefetch_look(k->look, &l, seen, 2))
        return false;
    if (!looked_known(&sure) || !seen[0].where || !seen[1].where)
        return true;
    const bool next = looked_brought(&seen[0], sure.part), other = looked_brought(&seen[1], sure.part);
    out->reason = next && other ? REASON_AMBIGUOUS : REASON_RANDOM_FRAMES;
    out->text = next && other                ? NULL
                : next                       ? "virtual"
                : other                      ? "physical"
                : machine_info()->contiguous ? stops
                                             : NULL;
    return true;
}

static bool find_order(struct prefetch_kinds *k, const struct border *b, struct prefetch_framed *f,
                       struct prefetch_word *out)
{
    const struct area data = k->look->area.data;

    if (!map_framed(k, f, (size_t)b->page_bytes))
        return false;
    *out = (struct prefetch_word){NULL, f->reason};
    if (out->reason)
        return true;
    access_use(&k->look->area, &f->area, &f->pages);
    const bool good = look_order(k, b, out);
    access_use(&k->look->area, &data, NULL);
    return good;
}

/* ---- Both -------------------------------------------------------------------------------------------- */

static void keep_agreed(struct prefetch_word *out, const struct prefetch_word *again)
{
    if (out->text != again->text)
        *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
}

/*
 * Whether a nearer line than the one that is to be brought may come as well. Behind a border it may be the only one:
 * some prefetchers go on by one line there, and not by two.
 */
static bool may_come_nearer(const struct prefetch_kinds *k, const struct prefetch_found *f, const struct border *b)
{
    const uint32_t known = reach_by_single(k->single_up, k->single_down, b->stride);

    return f->perhaps[b->count] & ~known & ((UINT32_C(1) << b->ahead) - 1);
}

size_t prefetch_trait_page(const struct prefetch_kinds *k, enum prefetch_trait trait)
{
    const size_t small = machine_info()->page_bytes[0], data = k->look->area.data.page_bytes;

    switch (trait) {
    case PREFETCH_PAGE_BORDER: return data;
    case PREFETCH_PAGE_ORDER: return small;
    case PREFETCH_LARGE_ORDER: return data > small ? data : 0;
    default: return 0;
    }
}

bool prefetch_find_pages(struct prefetch_kinds *k, struct prefetch_found *f, bool one)
{
    static const enum prefetch_trait orders[] = {PREFETCH_PAGE_ORDER, PREFETCH_LARGE_ORDER};
    struct prefetch_word *border = &f->words[PREFETCH_PAGE_BORDER], again;
    struct border b = border_of(f, one);

    if (may_come_nearer(k, f, &b))
        return true;
    /* single looks: each is done twice, and counts where both agree */
    if (!find_border(k, &b, border) || !find_border(k, &b, &again))
        return false;
    keep_agreed(border, &again);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct prefetch_word *order = &f->words[orders[i]];
        b.page_bytes = (int32_t)prefetch_trait_page(k, orders[i]);
        if (!b.page_bytes)
            continue;
        if (!find_order(k, &b, &k->framed[i], order) || !find_order(k, &b, &k->framed[i], &again))
            return false;
        keep_agreed(order, &again);
    }
    return true;
}
