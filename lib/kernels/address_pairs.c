#include "lib/kernels/address_pairs.h"

#include "lib/base/random.h"

enum {
    LINE_BYTES = 64,
    WORDS = LINE_BYTES / 8,
    LINE_OFFSET = 13 * LINE_BYTES, /* of the line in its page: not 0, where the most used data of other pages lies */
    UNROLL = 2 * WORDS - 1,        /* odd, so that each load of the code comes to all words */
    RUN_PAGES = 16,                /* frames of a run */
    SINGLE_FRAME = RUN_PAGES - 1,  /* the frame of single runs; every other run has it too */
    TRIES = 1 << 20,
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

bool address_pairs_find(struct probe *p, const struct address_pairs *a, uint64_t base, uint64_t difference,
                        bool one_frame, uintptr_t *one, uintptr_t *other)
{
    uint64_t random = base;

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
    uint64_t *line = (uint64_t *)(a->area.write + frame_of(a, address) * a->area.page_bytes + LINE_OFFSET);

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
