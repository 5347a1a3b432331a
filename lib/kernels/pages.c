#include "lib/kernels/pages.h"

#include <math.h>
#include <stdlib.h>

enum {
    WINDOW_BYTES = 1 << 14, /* lines of a large page rotate over so many bytes: no first level wants more */
    WORD_BYTES = sizeof(uint64_t),
    WORDS = CHASE_LINE_BYTES / WORD_BYTES,
    UNROLL = 8,
    GROUP = 512,     /* pages */
    NEAR = 128,      /* pages: no entry holds more, but by the hint of the largest granule */
    BLOCK = 512,     /* frames */
    NEIGHBOURS = 16, /* pages: no core is known to keep more in one entry */
    ROUNDS = 4       /* of the ring until all that is held is held */
};

/* Of a page, that are used. */
static size_t window_of(size_t page_bytes)
{
    return page_bytes < WINDOW_BYTES ? page_bytes : WINDOW_BYTES;
}

static size_t lines_of(size_t page_bytes)
{
    return window_of(page_bytes) / CHASE_LINE_BYTES;
}

static size_t pages_to_a_line(enum pages_frames kind)
{
    return kind == PAGES_SHARED_LINES ? WORDS : 1;
}

/*
 * Where in its page the i-th of a ring has its pointers: on the next line each time, and one more whenever all have had
 * their turn, so that all sets are used that lines and frames choose together.
 */
static size_t place_of(const struct pages *r, size_t i)
{
    const size_t lines = lines_of(r->page_bytes);

    return (i + i / lines) % lines * CHASE_LINE_BYTES + i / lines % pages_to_a_line(r->kind) * WORD_BYTES;
}

uintptr_t pages_at(const struct pages *r, size_t page, size_t i)
{
    return r->chase.ring.at + page * r->page_bytes + place_of(r, i);
}

/* As large as its granule is a table (Intel SDM vol. 3A, 5.5; Arm ARM DDI 0487, D8.2), and each larger page is a table's. */
size_t pages_table_entries(size_t page_bytes)
{
    size_t granule = 1 << 16;

    for (; granule > 1 << 12; granule >>= 2) {
        size_t size = granule;
        while (size < page_bytes)
            size *= granule / WORD_BYTES;
        if (size == page_bytes)
            break;
    }
    return granule / WORD_BYTES;
}

static size_t pages_to_a_frame(size_t page_bytes, enum pages_frames kind)
{
    return kind > PAGES_OWN_LINES ? 1 : pages_to_a_line(kind) * lines_of(page_bytes);
}

/* Those of the control that lie on one page. */
static size_t packed_to_a_page(const struct pages *r)
{
    return pages_to_a_line(r->kind) * lines_of(r->page_bytes);
}

/* The same place there: a page has as many as there is room for. */
static size_t packed_offset(const struct pages *r, size_t i)
{
    return i / packed_to_a_page(r) * window_of(r->page_bytes) + place_of(r, i);
}

size_t pages_frame_bytes(size_t count, size_t page_bytes, enum pages_frames kind)
{
    const size_t share = pages_to_a_frame(page_bytes, kind);

    return kind == PAGES_IN_BLOCKS && count > BLOCK ? BLOCK * page_bytes : (count + share - 1) / share * page_bytes;
}

static void shuffle(size_t *list, size_t count, uint64_t *random)
{
    for (size_t i = count; i-- > 1;) { /* Fisher and Yates (TAOCP vol. 2, 3.4.2 P) */
        const size_t other = random_below(random, i + 1), was = list[i];
        list[i] = list[other];
        list[other] = was;
    }
}

/*
 * Pages and frames that go with each other: what keeps neighbours in one entry may want a group of them to begin at the
 * same multiple on both sides. Frames are as many whatever their order, with a page more that shows the last of them, so
 * that the area, mapped again, comes to lie where it was. Where the place orders no frames of this size they are as it
 * has them.
 */
static const char *map_in_order(struct pages *r)
{
    const size_t page = r->page_bytes;
    struct area *a = &r->chase.ring;
    size_t apart = 0;

    for (unsigned attempt = 0; attempt < 2; attempt++) {
        for (size_t i = 0; i < r->count; i++)
            r->frames[i] = i + apart;
        r->frames[r->count] = r->count + NEIGHBOURS - 1;
        if (machine_map_frames(a, r->frames, r->count + 1, page, AREA_DATA)) {
            for (size_t i = 0; i < r->count; i++)
                r->frames[i] = i;
            return machine_map(a, r->count * page, page, AREA_DATA);
        }
        const size_t now = (a->at - (uintptr_t)a->write) / page % NEIGHBOURS;
        if (now == apart)
            return NULL;
        apart = now;
        machine_map_release(r->mark);
    }
    return "the place puts pages and frames elsewhere each time";
}

static const char *map_ring(struct pages *r)
{
    if (r->kind == PAGES_IN_ORDER)
        return map_in_order(r);
    if (r->kind == PAGES_CONTIGUOUS)
        return machine_map(&r->chase.ring, r->count * r->page_bytes, r->page_bytes, AREA_CONTIGUOUS);
    return machine_map_frames(&r->chase.ring, r->frames, r->count, r->page_bytes, AREA_DATA);
}

static const char *map_all(struct pages *r)
{
    const char *why = map_ring(r);

    if (!why)
        why = machine_map(&r->chase.start, sizeof(uint64_t), 0, AREA_DATA);
    if (!why)
        why = machine_map(&r->chase.order, r->count * sizeof(uint32_t), 0, AREA_DATA);
    if (why || r->kind == PAGES_IN_BLOCKS)
        return why;
    const size_t each = packed_to_a_page(r);
    r->packed = r->chase;
    return machine_map(&r->packed.ring, (r->count + each - 1) / each * window_of(r->page_bytes), 0, AREA_DATA);
}

const char *pages_map(struct probe *p, struct pages *r, size_t count, size_t page_bytes, enum pages_frames kind)
{
    *r = (struct pages){.kind = kind,
                        .page_bytes = page_bytes,
                        .count = count,
                        .orders = 1,
                        .frames = calloc(count + 1, sizeof *r->frames),
                        .mark = machine_map_mark()};
    if (!r->frames)
        return "out of memory for the order of frames";
    for (size_t i = 0; i < count; i++)
        r->frames[i] = kind == PAGES_IN_BLOCKS ? i % BLOCK : i / pages_to_a_frame(page_bytes, kind);
    if (kind == PAGES_SHUFFLED)
        shuffle(r->frames, count, &p->random);
    if (kind == PAGES_IN_BLOCKS && machine_info()->contiguous) {
        /*
         * neighbours in one entry would be in one set; elsewhere frames lie anywhere, and kernels map only rows of them
         * fast
         */
        shuffle(r->frames, count < BLOCK ? count : BLOCK, &p->random);
        for (size_t i = BLOCK; i < count; i++)
            r->frames[i] = r->frames[i % BLOCK];
    }
    const char *why = map_all(r);
    if (why)
        pages_unmap(p, r);
    return why;
}

void pages_unmap(struct probe *p, struct pages *r)
{
    machine_map_release(r->mark);
    p->code = (struct area){0};
    free(r->frames);
    *r = (struct pages){0};
}

/* Pages of a ring: these, or every so manieth. */
struct ring {
    const size_t *list;
    size_t spacing, count;
    size_t split; /* the first group ends here; 0: all are of one size */
    bool packed;  /* it is the control's */
};

static size_t page_of(const struct ring *ring, size_t i)
{
    return ring->list ? ring->list[i] : i * ring->spacing;
}

static uint8_t *written(const struct pages *r, const struct ring *ring, size_t i)
{
    return ring->packed ? r->packed.ring.write + packed_offset(r, i)
                        : r->chase.ring.write + r->frames[page_of(ring, i)] * r->page_bytes + place_of(r, i);
}

static uintptr_t seen(const struct pages *r, const struct ring *ring, size_t i)
{
    return ring->packed ? r->packed.ring.at + packed_offset(r, i) : pages_at(r, page_of(ring, i), i);
}

/*
 * An order of the ring: groups in random order each, one after the other, so that translations of a group lie on few
 * lines, which a walk then finds. The last page leads to the next order.
 */
static void link_order(struct probe *p, const struct pages *r, const struct ring *ring, size_t order)
{
    uint32_t *next = (uint32_t *)r->chase.order.write;

    for (size_t from = 0, to; from < ring->count; from = to) {
        to = from < ring->split ? ring->split : from + GROUP;
        to = to < ring->count ? to : ring->count;
        random_cycle(next, (uint32_t)(to - from), &p->random);
        for (size_t i = from; i < to; i++) {
            /* the walk enters a group at its first page, so the page before that in its cycle leaves it */
            const bool leaves = next[i - from] == 0, ends = leaves && to == ring->count;
            const size_t then = !leaves ? from + next[i - from] : ends ? 0 : to;
            *((uint64_t *)written(r, ring, i) + order) = seen(r, ring, then) +
                                                         (ends ? order + 1 : order) % r->orders * WORD_BYTES;
        }
    }
}

/* The order of bits reversed: what is next to each other comes as far apart as can be, and so do pairs of it, and so on. */
static size_t reversed(size_t i)
{
    size_t out = 0;

    for (size_t bit = 1; bit < NEAR; bit *= 2)
        out = out * 2 + !!(i & bit);
    return out;
}

/*
 * The order where an entry may hold several neighbours: whatever their number, a power of two, all other entries are
 * used before one is again. Else those that are used least recently would stay, and the edge be a slope.
 */
static void link_around(struct probe *p, const struct pages *r, const struct ring *ring)
{
    uint32_t *order = (uint32_t *)r->chase.order.write;
    const size_t mask = random_below(&p->random, NEAR);
    size_t used = 0;

    for (size_t i = 0; i < NEAR; i++)
        for (size_t page = reversed(i) ^ mask, begin = used; page < ring->count; page += NEAR) {
            const size_t other = begin + random_below(&p->random, used + 1 - begin);
            order[used++] = order[other]; /* Fisher and Yates, inside out (TAOCP vol. 2, 3.4.2) */
            order[other] = (uint32_t)page;
        }
    for (size_t i = 0; i < used; i++)
        *(uint64_t *)written(r, ring, order[i]) = seen(r, ring, order[(i + 1) % used]);
}

static void link_ring(struct probe *p, const struct pages *r, const struct ring *ring)
{
    if (r->kind == PAGES_IN_ORDER || r->kind == PAGES_CONTIGUOUS)
        link_around(p, r, ring);
    for (size_t order = 0; order < r->orders && r->kind != PAGES_IN_ORDER && r->kind != PAGES_CONTIGUOUS; order++)
        link_order(p, r, ring, order);
    *(uint64_t *)r->chase.start.write = seen(r, ring, 0);
}

static bool ring_kernel(struct probe *p, const struct pages *r, const struct ring *ring, struct kernel *k)
{
    const size_t loads = r->orders * ring->count;
    const unsigned unroll = chase_unroll(loads, UNROLL);

    link_ring(p, r, ring);
    /* all that is held is held after some rounds */
    k->warm_iterations = probe_smoke(p, 1, ROUNDS) * (double)loads / unroll;
    return chase_kernel(p, ring->packed ? &r->packed : &r->chase, unroll, k);
}

bool pages_kernel(struct probe *p, const struct pages *r, size_t count, size_t spacing, struct kernel *k)
{
    return ring_kernel(p, r, &(struct ring){.spacing = spacing, .count = count}, k);
}

bool pages_kernel_of(struct probe *p, const struct pages *r, const size_t *list, size_t count, size_t split,
                     struct kernel *k)
{
    return ring_kernel(p, r, &(struct ring){.list = list, .count = count, .split = split}, k);
}

bool pages_beside(struct probe *p, const struct pages *r, size_t count, const uintptr_t *addresses, size_t accesses,
                  bool stores, struct kernel *k)
{
    enum {
        ACCESS_BYTES = 48,
        REST_BYTES = 256
    }; /* of code, at most: an address, an access, a load of the walk; the rest */
    const unsigned unroll = chase_unroll(count, (unsigned)accesses);
    struct code c = probe_code(p, unroll * (size_t)ACCESS_BYTES + REST_BYTES);

    link_ring(p, r, &(struct ring){.spacing = 1, .count = count});
    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, CHASE_LINE_BYTES);
    const size_t loop = c.used;
    for (size_t i = 0; i < unroll; i++) {
        emit_constant(&c, REG_T1, addresses[i % accesses]);
        if (stores)
            emit_store(&c, REG_T1, REG_T1, 0);
        else
            emit_load(&c, REG_T2, REG_T1, 0);
        emit_load(&c, REG_T0, REG_T0, 0);
    }
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);
    k->data = r->chase.start.at;
    k->units = unroll;
    k->warm_iterations = probe_smoke(p, 1, ROUNDS) * ceil((double)count / unroll);
    return probe_kernel(p, &c, 0, k);
}

bool pages_control(struct probe *p, const struct pages *r, size_t count, struct kernel *k)
{
    return ring_kernel(p, r, &(struct ring){.count = count, .packed = true}, k);
}
