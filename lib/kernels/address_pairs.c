#include "lib/kernels/address_pairs.h"

#include <stdlib.h>

#include "lib/base/random.h"

enum {
    LINE_BYTES = 64,
    WORDS = LINE_BYTES / 8,
    LINE_OFFSET = 13 * LINE_BYTES, /* of the line in its page: not 0, where the most used data of other pages lies */
    UNROLL = 2 * WORDS - 1,        /* odd, so that each load of the code comes to all words */
    RUN_PAGES = 16,                /* frames of a run */
    SINGLE_FRAME = RUN_PAGES - 1,  /* the frame of single runs; every other run has it too */
    TRIES = 1 << 20,
    PLACES = 4, /* at which far addresses are tried, in case that something else is mapped there */
    CODE_BYTES = 4096
};

static bool emit(struct probe *p, struct address_pairs *a)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_load(&c, REG_T0, REG_DATA, 0);
    emit_align(&c, LINE_BYTES);
    size_t loop = c.used;
    for (unsigned i = 0; i < UNROLL; i++) {
        emit_load(&c, REG_T1, REG_T0, 0);
        emit_xor(&c, REG_T0, REG_T1);
    }
    emit_loop(&c, loop);
    emit_store(&c, REG_T0, REG_DATA, 0);
    emit_return(&c);
    a->kernel = (struct kernel){.data = a->start.at, .units = UNROLL, .warm_iterations = 2};
    return probe_kernel(p, &c, 0, &a->kernel);
}

bool address_pairs_map(struct probe *p, struct address_pairs *a, size_t pages, size_t single_every)
{
    const size_t page_bytes = machine_info()->page_bytes[0], half = pages / 2 * page_bytes;
    size_t shift = 0;

    if (!probe_map(p, &a->order, pages * sizeof *a->frames, 0))
        return false;
    a->frames = (size_t *)a->order.write;
    for (size_t i = 0; i < pages; i++) {
        if (i % RUN_PAGES == 0)
            shift = random_below(&p->random, RUN_PAGES);
        a->frames[i] = i / RUN_PAGES % single_every ? shift + i % RUN_PAGES : SINGLE_FRAME;
    }
    const char *why = machine_map_frames(&a->area, a->frames, pages, page_bytes, AREA_DATA);
    if (why)
        return probe_skip(p, why);
    /* the area contains one half of itself that is aligned to its own size: only that half is used */
    a->from = (a->area.at + half - 1) & ~(uintptr_t)(half - 1);
    a->bits = half - page_bytes;
    return probe_map(p, &a->start, sizeof(uint64_t), 0) && emit(p, a);
}

static size_t frame_of(const struct address_pairs *a, uintptr_t address)
{
    return a->frames[(address - a->area.at) / a->area.page_bytes];
}

/* ---- Far apart ---------------------------------------------------------------------------------------- */

static int by_page(const void *a, const void *b)
{
    const struct page_frame *one = a, *other = b;

    return (one->page > other->page) - (one->page < other->page);
}

const char *address_pairs_map_far(struct probe *p, struct address_pairs *a, const uint64_t *differences, size_t count,
                                  unsigned bits, bool one_frame)
{
    const size_t page_bytes = machine_info()->page_bytes[0];
    struct address_pairs_far *far = &a->far;
    const char *why = "there is no memory for the list of pages";

    *far = (struct address_pairs_far){
        .one_frame = one_frame, .mark = machine_map_mark(), .list = malloc((count + 1) * sizeof *far->list)};
    for (unsigned i = 0; i < PLACES && far->list && why; i++) {
        size_t all = 0;
        far->base = random_next(&p->random) & ((UINT64_C(1) << bits) - page_bytes);
        far->list[all++] = (struct page_frame){far->base / page_bytes, 0};
        for (size_t j = 0; j < count; j++)
            far->list[all++] = (struct page_frame){(far->base ^ differences[j]) / page_bytes, one_frame ? 0 : 1};
        qsort(far->list, all, sizeof *far->list, by_page);
        size_t kept = 1;
        for (size_t j = 1; j < all; j++)
            if (far->list[j].page != far->list[kept - 1].page)
                far->list[kept++] = far->list[j];
        why = machine_map_sparse(&far->area, far->list, kept, (UINT64_C(1) << bits) / page_bytes, page_bytes);
    }
    if (why)
        address_pairs_unmap_far(a);
    return why;
}

void address_pairs_unmap_far(struct address_pairs *a)
{
    if (a->far.area.bytes)
        machine_map_release(a->far.mark);
    free(a->far.list);
    a->far = (struct address_pairs_far){.list = NULL};
}

/* The line of an address, where it is written. */
static uint64_t *line_of(const struct address_pairs *a, uintptr_t address)
{
    const struct address_pairs_far *far = &a->far;
    const struct area *area = far->area.bytes ? &far->area : &a->area;
    const size_t frame = !far->area.bytes ? frame_of(a, address)
                                          : !far->one_frame && address != far->area.at + far->base;

    return (uint64_t *)(area->write + frame * area->page_bytes + LINE_OFFSET);
}

/* ---- Pairs ---------------------------------------------------------------------------------------------- */

bool address_pairs_find(struct probe *p, const struct address_pairs *a, uint64_t base, uint64_t difference,
                        bool one_frame, uintptr_t *one, uintptr_t *other)
{
    uint64_t random = base;

    if (a->far.area.bytes) {
        *one = a->far.area.at + a->far.base;
        *other = *one ^ difference;
        return true;
    }
    for (unsigned i = 0; i < TRIES; i++, base = random_next(&random) & a->bits) {
        *one = a->from + base;
        *other = a->from + (base ^ difference);
        if ((frame_of(a, *one) == frame_of(a, *other)) == one_frame)
            return true;
    }
    return probe_skip(p, "no two pages of that difference are on such frames");
}

static void write_words(const struct address_pairs *a, uintptr_t address, uint64_t difference,
                        const uint32_t next[WORDS])
{
    uint64_t *line = line_of(a, address);

    for (uint32_t i = 0; i < WORDS; i++)
        line[i] = difference ^ (i ^ next[i]) * sizeof *line;
}

bool address_pairs_measure(struct probe *p, const struct address_pairs *a, uintptr_t one, uintptr_t other,
                           double *cycles)
{
    uint32_t next[WORDS];
    struct point pt;

    random_cycle(next, WORDS, &p->random);
    write_words(a, one, one ^ other, next);
    write_words(a, other, one ^ other, next);
    *(uint64_t *)a->start.write = one + LINE_OFFSET;
    const bool good = probe_measure(p, &a->kernel, &pt);
    *cycles = pt.q20;
    return good;
}
