#include "lib/structure/hash_reach.h"

#include <stdlib.h>

enum {
    HIGHEST_BITS = 57, /* that addresses have, at most (five levels of page tables) */
    MOST_PAGES = 16384 /* mapped at once; Linux allows some 65,000 mappings */
};

struct differences {
    uint64_t list[MOST_PAGES];
    size_t count;
};

/* In place of an experiment: keeps the difference that was asked for. */
static bool keep(void *context, uint64_t base, uint64_t difference, bool *result)
{
    struct differences *d = context;

    (void)base;
    *result = true;
    if (d->count < MOST_PAGES)
        d->list[d->count++] = difference;
    return true;
}

static uint64_t bits_between(unsigned from, unsigned to)
{
    return (UINT64_C(1) << to) - (UINT64_C(1) << from);
}

/* Maps the pages of gf2_extend for as many bits above q->bits as can be had, which become *further; 0: none. */
static void map_further(struct probe *p, struct address_pairs *pairs, const struct gf2_request *q, bool one_frame,
                        const struct gf2_result *r, struct differences *d, uint64_t *further)
{
    const unsigned from = 64 - (unsigned)__builtin_clzll(q->bits);

    for (unsigned to = HIGHEST_BITS; to > from; to--) {
        *further = bits_between(from, to);
        d->count = gf2_extend_differences(r, *further, d->list, MOST_PAGES);
        if (d->count <= MOST_PAGES && !address_pairs_map_far(p, pairs, d->list, d->count, to, one_frame))
            return;
    }
    *further = 0;
}

/* Verifies masks over q->bits by pages at random addresses. They fail, or hold (r->reason). */
static bool verify(struct probe *p, struct address_pairs *pairs, const struct gf2_request *q, bool one_frame,
                   struct gf2_result *r, struct differences *d)
{
    struct gf2_request drawn = *q, asked = *q;
    struct gf2_result any = *r;
    uint64_t before = *q->random, random = before;

    d->count = 0;
    drawn.collide = keep;
    drawn.context = d;
    gf2_check(&drawn, &any);
    if (address_pairs_map_far(p, pairs, d->list, d->count, 64 - (unsigned)__builtin_clzll(q->bits), one_frame)) {
        r->reason = REASON_PLATFORM;
        return true;
    }
    asked.random = &random; /* so that the same differences are drawn */
    const bool good = gf2_check(&asked, r);
    address_pairs_unmap_far(pairs);
    return good;
}

bool hash_reach(struct probe *p, struct address_pairs *pairs, const struct gf2_request *q, bool one_frame,
                struct gf2_result *r, uint64_t *reached)
{
    struct gf2_result longer = *r;
    struct gf2_request all = *q;
    struct differences *d = malloc(sizeof *d);
    uint64_t further = 0, found = 0;

    *reached = q->bits;
    if (!d)
        return true;
    map_further(p, pairs, q, one_frame, r, d, &further);
    bool good = !further || gf2_extend(q, further, &longer, &found);
    address_pairs_unmap_far(pairs);
    all.bits |= found;
    if (good && found && !longer.reason && (good = verify(p, pairs, &all, one_frame, &longer, d)) && !longer.reason) {
        *r = longer;
        *reached = all.bits;
    }
    free(d);
    return good;
}
