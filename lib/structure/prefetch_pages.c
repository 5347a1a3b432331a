#include "lib/structure/prefetch_pages.h"

#include "lib/structure/prefetch_reach.h"

enum {
    PAGE_LINES = ACCESS_PAGE_BYTES / ACCESS_LINE_BYTES,
    GROUP = 4,        /* pages of a place with chosen frames; the second one and the third have changed frames */
    FRAMED = 256,     /* of these pages at most */
    TOUCHED_LINE = 40 /* that is accessed in each of them before, so that its translation is near */
};

static const char *const stops = "stops";

/* A sequence that is just trained by its last access, so that the line behind the end of its page is to be brought. */
struct border {
    unsigned count;
    int32_t stride, ahead; /* the line is so many strides ahead */
    bool one;
};

static struct border border_of(const struct prefetch_found *f, bool one)
{
    return (struct border){.count = (unsigned)f->numbers[PREFETCH_TRAIN].view[0],
                           .stride = f->stride,
                           .ahead = __builtin_ctz(f->first[0]),
                           .one = one};
}

/*
 * A list with that sequence in a place of so many pages; it begins behind the lead. `earlier`: so many lines before the
 * border, where none is met. *line: the first one that would be brought. False: there is no room before the border.
 */
static bool make_list(const struct border *b, int32_t pages, int32_t earlier, struct access_list *l,
                      struct looked *line)
{
    const int32_t next = PAGE_LINES - ACCESS_LEAD_LINES - earlier, last = next - b->ahead * b->stride;
    const int32_t begin = last - (int32_t)(b->count - 1) * b->stride;

    *l = (struct access_list){.bytes = pages * ACCESS_PAGE_BYTES - ACCESS_LEAD_LINES * ACCESS_LINE_BYTES,
                              .align = pages * ACCESS_PAGE_BYTES,
                              .led = true};
    line->at = next * ACCESS_LINE_BYTES;
    for (int32_t page = 1; page < pages && pages == GROUP; page++)
        l->all[l->count++] = (struct listed_load){(page * PAGE_LINES - ACCESS_LEAD_LINES + TOUCHED_LINE) *
                                                      ACCESS_LINE_BYTES,
                                                  PREFETCH_SEQUENCE + (uint32_t)page, LISTED_LOAD};
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
    if (looked_known(&seen[1]) && seen[0].where != NEAR_UNCLEAR)
        out->text = looked_brought(&seen[0], seen[1].part) ? "continues" : stops;
    return true;
}

/* ---- Pages whose frames are in another order --------------------------------------------------------- */

/* Maps k->framed. *reason: why it cannot be had. False: the probe has ended. */
static bool map_framed(struct prefetch_kinds *k, enum reason *reason)
{
    struct probe *p = k->look->p;
    const size_t places = k->look->area.data.bytes / ACCESS_PAGE_BYTES, pages = places < FRAMED ? places : FRAMED;
    struct area order;

    *reason = !machine_info()->contiguous                          ? REASON_RANDOM_FRAMES
              : machine_info()->page_bytes[0] != ACCESS_PAGE_BYTES ? REASON_FIXED_RANGE_ENDS
                                                                   : REASON_NONE;
    if (k->framed.bytes || *reason)
        return true;
    if (!probe_map(p, &order, pages * sizeof(size_t), 0))
        return false;
    size_t *frames = (size_t *)order.write;
    for (size_t i = 0; i < pages; i++)
        frames[i] = i % GROUP == 1 ? i + 1 : i % GROUP == 2 ? i - 1 : i;
    const char *why = machine_map_frames(&k->framed, frames, pages, ACCESS_PAGE_BYTES, AREA_DATA);
    return !why || probe_skip(p, why);
}

/* The page behind the border is the second one of the place; its frame's successor is the third one's. */
static bool look_order(struct prefetch_kinds *k, const struct border *b, struct prefetch_word *out)
{
    struct looked seen[2], sure;
    struct access_list l;

    *out = (struct prefetch_word){NULL, REASON_NOT_STEADY};
    if (!make_list(b, GROUP, PAGE_LINES / 4, &l, &sure))
        return true;
    if (!prefetch_look(k->look, &l, &sure, 1))
        return false;
    make_list(b, GROUP, 0, &l, &seen[0]);
    seen[1].at = seen[0].at + ACCESS_PAGE_BYTES;
    if (!prefetch_look(k->look, &l, seen, 2))
        return false;
    if (!looked_known(&sure) || !seen[0].where || !seen[1].where)
        return true;
    const bool next = looked_brought(&seen[0], sure.part), other = looked_brought(&seen[1], sure.part);
    out->reason = REASON_AMBIGUOUS;
    out->text = next && other ? NULL : next ? "virtual" : other ? "physical" : stops;
    return true;
}

static bool find_order(struct prefetch_kinds *k, const struct border *b, struct prefetch_word *out)
{
    const struct area data = k->look->area.data;

    *out = (struct prefetch_word){NULL, REASON_NONE};
    if (!map_framed(k, &out->reason))
        return false;
    if (out->reason)
        return true;
    access_use(&k->look->area, &k->framed);
    const bool good = look_order(k, b, out);
    access_use(&k->look->area, &data);
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

bool prefetch_find_pages(struct prefetch_kinds *k, struct prefetch_found *f, bool one)
{
    struct prefetch_word *border = &f->words[PREFETCH_PAGE_BORDER], *order = &f->words[PREFETCH_PAGE_ORDER], again;
    const struct border b = border_of(f, one);

    if (may_come_nearer(k, f, &b))
        return true;
    /* single looks: each is done twice, and counts where both agree */
    if (!find_border(k, &b, border) || !find_border(k, &b, &again))
        return false;
    keep_agreed(border, &again);
    if (!find_order(k, &b, order) || !find_order(k, &b, &again))
        return false;
    keep_agreed(order, &again);
    return true;
}
