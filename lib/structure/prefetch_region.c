#include "lib/structure/prefetch_region.h"

#include <math.h>

#include "lib/base/random.h"

enum {
    REGIONS = 3, /* pages whose lines are accessed alike */
    OTHERS = 12, /* pages of which one line is accessed, by one other instruction: recording of the first ones ends */
    PAGES = REGIONS + 1 + OTHERS,
    LINES = 5,
    OTHER_LINE = 40
};

/* Pages of a place in an order without constant distances; the last one is only begun. */
static const int32_t pages[REGIONS + 1] = {0, 3, 1, 2};
static const int32_t alike[LINES] = {0, 5, 17, 11, 26};

static void add(struct access_list *l, int32_t page, int32_t line, uint32_t site)
{
    l->all[l->count++] = (struct listed_load){page * ACCESS_PAGE_BYTES + line * ACCESS_LINE_BYTES, site};
}

/*
 * Lines in each page: those of `alike`, or others in each page. Many pages at once are recorded until the next trial at
 * most, when the first level is emptied.
 */
static void make_list(struct prefetch_kinds *k, struct access_list *l, bool same)
{
    *l = (struct access_list){.bytes = PAGES * ACCESS_PAGE_BYTES, .align = ACCESS_PAGE_BYTES};
    for (size_t i = 0; i < REGIONS; i++)
        for (uint32_t n = 0; n < LINES; n++)
            add(l, pages[i], n == 0 || same ? alike[n] : (int32_t)(28 + random_below(&k->look->p->random, 34)), n);
    for (int32_t i = 0; i < OTHERS; i++)
        add(l, REGIONS + 1 + i * 7 % OTHERS, OTHER_LINE, LINES);
    add(l, pages[REGIONS], alike[0], 0);
}

bool prefetch_find_region(struct prefetch_kinds *k)
{
    struct prefetch_found *f = &k->found[PREFETCH_REGION];
    unsigned in[2] = {0}, unclear[2] = {0};

    for (size_t same = 0; same < 2; same++) {
        struct access_list l;
        struct looked lines[LINES - 1];
        make_list(k, &l, same);
        for (size_t n = 1; n < LINES; n++)
            lines[n - 1].at = pages[REGIONS] * ACCESS_PAGE_BYTES + alike[n] * ACCESS_LINE_BYTES;
        if (!prefetch_look(k->look, &l, lines, LINES - 1))
            return false;
        for (size_t n = 0; n < LINES - 1; n++) {
            in[same] += lines[n].where >= NEAR_SECOND;
            unclear[same] += lines[n].where == NEAR_UNCLEAR;
            f->into = same && lines[n].where > f->into ? lines[n].where : f->into;
        }
    }
    f->exists = in[1] == LINES - 1 && in[0] + unclear[0] == 0;
    if (f->exists || in[1] + unclear[1] == 0) {
        f->text = f->exists ? "found" : "none";
        f->grade = 'B';
    }
    f->reason = unclear[0] + unclear[1] ? REASON_NOT_STEADY : REASON_EXPERIMENTS_DISAGREE;
    return true;
}
