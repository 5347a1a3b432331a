#include "lib/structure/prefetch_reach.h"

#include <stdlib.h>

enum { MOST = 20, MOST_SEARCHED = 6 };

unsigned reach_most(const struct sequence *s)
{
    const unsigned size = (unsigned)abs(s->stride), all = REACH_LINES / size;
    const unsigned most = all > s->count - 1 ? all - (s->count - 1) : 0;

    return most < MOST ? most : MOST;
}

void reach_forget(struct access_list *l, uint32_t site)
{
    /* lines; all differences of two neighbours differ, and all pages */
    static const int32_t lines[REACH_FORGETS] = {70, 805, 350, 540, 10, 640, 233, 900, 440, 140};

    for (size_t i = 0; i < REACH_FORGETS; i++)
        l->all[l->count++] = (struct listed_load){lines[i] * ACCESS_LINE_BYTES, site, LISTED_APART};
}

void reach_add(struct access_list *l, const struct sequence *s, int32_t at, uint32_t first_site)
{
    if (s->one)
        reach_forget(l, first_site);
    for (unsigned n = 0; n < s->count; n++) {
        const unsigned i = s->backwards ? s->count - 1 - n : n;
        l->all[l->count++] = (struct listed_load){at + (int32_t)i * s->stride * ACCESS_LINE_BYTES,
                                                  first_site + (s->one ? 0 : i), LISTED_LOAD};
    }
}

/* Where access number i lies: ascending from the begin of the place, descending from its end. */
static int32_t at_of(const struct sequence *s, unsigned i, unsigned last)
{
    const int line = s->stride > 0 ? (int)i * s->stride : (int)(last - i) * -s->stride;

    return line * ACCESS_LINE_BYTES;
}

static bool measure(struct prefetch_look *w, const struct sequence *s, unsigned limit, struct reach *out)
{
    const unsigned most = reach_most(s) < limit ? reach_most(s) : limit, last = s->count - 1 + most;
    struct access_list l = {
        .bytes = ((int32_t)last * abs(s->stride) + 1) * ACCESS_LINE_BYTES, .align = ACCESS_LINE_BYTES, .led = true};
    struct looked lines[MOST];

    *out = (struct reach){.most = most};
    if (!most)
        return true;
    reach_add(&l, s, at_of(s, 0, last), 0);
    for (unsigned i = 1; i <= most; i++)
        lines[i - 1].at = at_of(s, s->count - 1 + i, last);
    if (!prefetch_look(w, &l, lines, most))
        return false;
    for (unsigned i = most; i >= 1; i--) {
        const enum nearness where = lines[i - 1].where;
        out->in |= where >= NEAR_EITHER ? UINT32_C(1) << i : 0;
        out->unclear |= where == NEAR_UNCLEAR ? UINT32_C(1) << i : 0;
        if (where >= NEAR_EITHER) {
            const enum nearness level = looked_level(w, &lines[i - 1]);
            *(level == NEAR_FIRST    ? &out->first
              : level == NEAR_SECOND ? &out->second
                                     : &out->either) |= UINT32_C(1) << i;
        }
    }
    return true;
}

bool reach_measure(struct prefetch_look *w, const struct sequence *s, struct reach *out)
{
    return measure(w, s, MOST, out);
}

bool reach_measure_near(struct prefetch_look *w, const struct sequence *s, unsigned limit, struct reach *out)
{
    return measure(w, s, limit, out);
}

bool reach_search(struct prefetch_look *w, const struct sequence *s, unsigned least, uint32_t known, unsigned *count,
                  struct reach *out)
{
    struct sequence now = *s;
    uint32_t unclear = 0;

    for (*count = s->count;; now.count = --*count) {
        if (!measure(w, &now, *count == s->count ? MOST : MOST_SEARCHED, out))
            return false;
        unclear |= out->unclear;
        if (out->in & ~known || *count <= least || probe_is_smoke(w->p))
            break;
    }
    out->unclear = unclear;
    return true;
}

unsigned reach_count(uint32_t bits)
{
    return (unsigned)__builtin_popcount(bits);
}

unsigned reach_farthest(uint32_t bits)
{
    return bits ? 31 - (unsigned)__builtin_clz(bits) : 0;
}

uint32_t reach_by_single(uint32_t up, uint32_t down, int stride)
{
    uint32_t bits = 0;

    for (int i = 1; i * abs(stride) <= PREFETCH_SINGLE; i++)
        bits |= (stride > 0 ? up >> i * stride & 1 : down >> i * -stride & 1) << i;
    return bits;
}
