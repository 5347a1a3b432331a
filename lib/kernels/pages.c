#include "lib/kernels/pages.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/probe/probe.h"

enum {
    USED_BYTES = 1 << 14, /* of a large page: pointers rotate over its lines; no first level has more lines in a way */
    WORD_BYTES = sizeof(uint64_t),
    WORDS = POINTER_CHASE_LINE_BYTES / WORD_BYTES,
    UNROLL = 8,
    GROUP = 512,         /* pages that are visited before the next ones are */
    NEAR = 128,          /* pages, a power of two: no TLB entry holds more without the hint of the largest granule */
    BLOCK = 512,         /* frames that are repeated */
    NEIGHBOURS = 16,     /* pages: no core is known to keep more in one entry without the hint */
    WARM_ROUNDS = 4,     /* of the ring, after which TLBs and caches hold what they can */
    SIMULATED_ORDERS = 2 /* of stores on a simulated core, where emitting code takes most of the time */
};

/* Bytes of a page that are used. */
static size_t used_bytes(size_t page_bytes)
{
    return page_bytes < USED_BYTES ? page_bytes : USED_BYTES;
}

static size_t lines_of(size_t page_bytes)
{
    return used_bytes(page_bytes) / POINTER_CHASE_LINE_BYTES;
}

static size_t pages_to_a_line(enum pages_frames kind)
{
    return kind == PAGES_SHARED_LINES ? WORDS : 1;
}

/*
 * Offset in its page of the pointers of the i-th page of a ring: one line after the other, as many pages on each as
 * share one, and one line more whenever all lines have had their turn, so that all sets are used even where line and
 * frame choose the set together. So a ring is on no more lines than it needs.
 */
static size_t offset_of(const struct pages *r, size_t i)
{
    const size_t lines = lines_of(r->page_bytes), share = pages_to_a_line(r->kind), line = i / share;

    return (line + line / lines) % lines * POINTER_CHASE_LINE_BYTES + i % share * WORD_BYTES;
}

uintptr_t pages_at(const struct pages *r, size_t page, size_t i)
{
    return r->chase.ring.at + page * r->page_bytes + offset_of(r, i);
}

/*
 * A table is as large as its granule (Intel SDM vol. 3A, 5.5; Arm ARM DDI 0487, D8.2), and the next larger page is as
 * large as all pages that one table maps. Granules are tried from the largest one on.
 */
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

/* Words of the control that lie on one page. */
static size_t packed_to_a_page(const struct pages *r)
{
    return pages_to_a_line(r->kind) * lines_of(r->page_bytes);
}

/* Offset of the i-th word of the control: in its page it is that of the ring. */
static size_t packed_offset(const struct pages *r, size_t i)
{
    return i / packed_to_a_page(r) * used_bytes(r->page_bytes) + offset_of(r, i);
}

size_t pages_frame_bytes(size_t count, size_t page_bytes, enum pages_frames kind)
{
    const size_t share = pages_to_a_frame(page_bytes, kind);

    return kind == PAGES_IN_BLOCKS && count > BLOCK ? BLOCK * page_bytes : (count + share - 1) / share * page_bytes;
}

/*
 * Maps pages whose numbers and frames agree modulo NEIGHBOURS: a TLB that keeps neighbours in one entry may require
 * that a group begins at the same multiple on both sides. The frames needed for that are known only when the area is
 * mapped; so it is mapped again with as many frames, so that it comes to lie at the same address. Where the platform
 * cannot choose frames of this size they are as it gives them.
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
    return "the platform puts pages and frames elsewhere each time";
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
    return machine_map(&r->packed.ring, (r->count + each - 1) / each * used_bytes(r->page_bytes), 0, AREA_DATA);
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
        random_shuffle(r->frames, count, sizeof r->frames[0], &p->random);
    if (kind == PAGES_IN_BLOCKS && machine_info()->contiguous) {
        /*
         * With frames in order, neighbours that share a TLB entry would all be in one set. Where frames are not
         * contiguous they lie at random anyway, and operating systems map only sequences of frames quickly.
         */
        random_shuffle(r->frames, count < BLOCK ? count : BLOCK, sizeof r->frames[0], &p->random);
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
    probe_release(p, r->mark);
    free(r->frames);
    *r = (struct pages){0};
}

/* The pages of a ring: those of a list, or every stride-th one. */
struct ring {
    const size_t *list; /* NULL: `stride` */
    size_t stride, count;
    size_t split; /* the first group ends here; 0: all groups have GROUP pages */
    bool packed;  /* the words of the control */
};

static size_t page_of(const struct ring *ring, size_t i)
{
    return ring->list ? ring->list[i] : i * ring->stride;
}

static uint8_t *writable_word(const struct pages *r, const struct ring *ring, size_t i)
{
    return ring->packed ? r->packed.ring.write + packed_offset(r, i)
                        : r->chase.ring.write + r->frames[page_of(ring, i)] * r->page_bytes + offset_of(r, i);
}

static uintptr_t address_of(const struct pages *r, const struct ring *ring, size_t i)
{
    return ring->packed ? r->packed.ring.at + packed_offset(r, i) : pages_at(r, page_of(ring, i), i);
}

/*
 * Links one order of the ring: group after group, each in random order, so that the page-table entries of a group lie
 * on few lines, which page walks then find in a cache. The last page leads to the next order.
 */
static void link_order(struct probe *p, const struct pages *r, const struct ring *ring, size_t order)
{
    uint32_t *next = (uint32_t *)r->chase.order.write;

    for (size_t from = 0, to; from < ring->count; from = to) {
        to = from < ring->split ? ring->split : from + GROUP;
        to = to < ring->count ? to : ring->count;
        random_cycle(next, (uint32_t)(to - from), &p->random);
        for (size_t i = from; i < to; i++) {
            /* the chase enters a group at its first page, so the page before that in the cycle leaves it */
            const bool leaves = next[i - from] == 0, ends = leaves && to == ring->count;
            const size_t then = !leaves ? from + next[i - from] : ends ? 0 : to;
            *((uint64_t *)writable_word(r, ring, i) + order) = address_of(r, ring, then) +
                                                               (ends ? order + 1 : order) % r->orders * WORD_BYTES;
        }
    }
}

/*
 * The number below NEAR that follows i where all count with their bits in reverse order: neighbours come as far apart
 * as possible, and so do pairs of them, and so on.
 */
static size_t next_reversed(size_t i)
{
    size_t bit = NEAR / 2;

    for (; i & bit; bit /= 2)
        i ^= bit;
    return i | bit;
}

/*
 * Links the ring where an entry may hold several neighbours, whatever power of two that is: all other entries are used
 * before one is used again. Otherwise entries that are used again soon would stay in a level that is too small,
 * and its edge would be a slope.
 */
static void link_neighbours_apart(struct probe *p, const struct pages *r, const struct ring *ring)
{
    uint32_t *order = (uint32_t *)r->chase.order.write;
    const size_t mask = random_below(&p->random, NEAR);
    size_t used = 0;

    for (size_t i = 0, near = 0; i < NEAR; i++, near = next_reversed(near)) {
        const size_t begin = used;
        for (size_t page = near ^ mask; page < ring->count; page += NEAR)
            order[used++] = (uint32_t)page;
        if (used - begin > 1)
            random_shuffle(&order[begin], used - begin, sizeof *order, &p->random);
    }
    for (size_t i = 0; i < used; i++)
        *(uint64_t *)writable_word(r, ring, order[i]) = address_of(r, ring, order[(i + 1) % used]);
}

static void link_ring(struct probe *p, const struct pages *r, const struct ring *ring)
{
    if (r->kind == PAGES_IN_ORDER || r->kind == PAGES_CONTIGUOUS)
        link_neighbours_apart(p, r, ring);
    for (size_t order = 0; order < r->orders && r->kind != PAGES_IN_ORDER && r->kind != PAGES_CONTIGUOUS; order++)
        link_order(p, r, ring, order);
    *(uint64_t *)r->chase.start.write = address_of(r, ring, 0);
}

static bool ring_kernel(struct probe *p, const struct pages *r, const struct ring *ring, struct kernel *k)
{
    const size_t loads = r->orders * ring->count;
    const unsigned unroll = pointer_chase_unroll(loads, UNROLL);

    link_ring(p, r, ring);
    k->warm_iterations = probe_smoke(p, 1, WARM_ROUNDS) * (double)loads / unroll;
    return pointer_chase_kernel(p, ring->packed ? &r->packed : &r->chase, unroll, k);
}

bool pages_kernel(struct probe *p, const struct pages *r, size_t count, size_t stride, struct kernel *k)
{
    return ring_kernel(p, r, &(struct ring){.stride = stride, .count = count}, k);
}

bool pages_kernel_of(struct probe *p, const struct pages *r, const size_t *list, size_t count, size_t split,
                     struct kernel *k)
{
    return ring_kernel(p, r, &(struct ring){.list = list, .count = count, .split = split}, k);
}

bool pages_beside(struct probe *p, const struct pages *r, size_t count, const uintptr_t *addresses, size_t accesses,
                  bool stores, struct kernel *k)
{
    enum { ACCESS_BYTES = 48, REST_BYTES = 256 }; /* of code, at most: address, access, load of the chase; the rest */
    const unsigned unroll = pointer_chase_unroll(count, (unsigned)accesses);
    struct code c = probe_code(p, unroll * (size_t)ACCESS_BYTES + REST_BYTES);

    link_ring(p, r, &(struct ring){.stride = 1, .count = count});
    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, POINTER_CHASE_LINE_BYTES);
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
    k->warm_iterations = probe_smoke(p, 1, WARM_ROUNDS) * ceil((double)count / unroll);
    return probe_kernel(p, &c, 0, k);
}

bool pages_control(struct probe *p, const struct pages *r, size_t count, struct kernel *k)
{
    return ring_kernel(p, r, &(struct ring){.count = count, .packed = true}, k);
}

bool pages_stores_kernel(struct probe *p, const struct pages *r, size_t count, const struct pages_stores *s,
                         struct kernel *k)
{
    enum { STORE_BYTES = 32, REST_BYTES = 64 }; /* of code, at most: an address, a store and a fence; the loop */
    uint32_t *next = (uint32_t *)r->chase.order.write;
    const size_t most = s->orders < SIMULATED_ORDERS || !probe_is_simulated(p) ? s->orders : SIMULATED_ORDERS;
    const size_t orders = probe_is_smoke(p) ? 1 : most;
    struct code c = probe_code(p, orders * count * STORE_BYTES + REST_BYTES);

    for (size_t order = 0; order < orders; order++) {
        random_cycle(next, (uint32_t)count, &p->random);
        for (size_t i = 0, page = 0; i < count; i++, page = next[page]) {
            emit_constant(&c, REG_T0, pages_at(r, s->one_page ? 0 : page, page));
            emit_store(&c, REG_T1, REG_T0, 0);
            emit_fence(&c, s->fence);
        }
    }
    emit_loop(&c, 0);
    emit_return(&c);
    *k = (struct kernel){.units = (double)(orders * count), .warm_iterations = 2};
    return probe_kernel(p, &c, 0, k);
}
