/* The page tables of a window, built as the image builds them and walked as the processor walks them. */
/* link: arch/x86_64/own/page_tables.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/frames.h"
#include "arch/x86_64/own/page_tables.h"

#define NO_LIMIT SIZE_MAX

static size_t tables_held; /* allocated and not freed */
static size_t tables_left; /* that may still be allocated */

static void *give_pages(size_t bytes, size_t alignment)
{
    void *p;

    if (tables_left == 0)
        return NULL;
    tables_left--;
    p = aligned_alloc(alignment, bytes);
    memset(p, 0, bytes);
    tables_held++;
    return p;
}

static void take_pages(void *base, size_t bytes)
{
    (void)bytes;
    tables_held--;
    free(base);
}

static struct page_tables start(unsigned levels)
{
    struct page_tables t = {.pages = give_pages, .free_pages = take_pages, .levels = levels};

    tables_left = NO_LIMIT;
    assert_null(page_tables_start(&t));
    return t;
}

/* What the processor finds at an address (Intel SDM vol. 3A, figures 5-8 to 5-10). */
struct translation {
    bool present;
    bool writable;   /* at every level */
    bool no_execute; /* at any level */
    bool accessed_and_dirty;
    bool global;
    size_t page_bytes;
    uint64_t physical;
};

static struct translation walk(const struct page_tables *t, uintptr_t address)
{
    const uint64_t *table = t->root;
    struct translation r = {.writable = true};

    for (unsigned shift = 12 + 9 * (t->levels - 1);; shift -= 9) {
        const uint64_t entry = table[address >> shift & 511];
        const bool leaf = shift == 12 || (entry >> 7 & 1);

        if (!(entry & 1))
            return r;
        r.writable = r.writable && (entry >> 1 & 1);
        r.no_execute = r.no_execute || entry >> 63;
        assert_int_equal(entry >> 2 & 1, 0); /* supervisor: SMEP and SMAP do not bite */
        if (leaf) {
            const uint64_t offset_mask = ((uint64_t)1 << shift) - 1;

            assert_true(shift <= 30);
            assert_int_equal(entry >> 3 & 3, 0); /* write-back, as page-attribute table entry 0 */
            if (shift > 12)
                assert_int_equal(entry & offset_mask & ~UINT64_C(0xfff),
                                 0); /* bit 12 is the attribute table's, others reserved */
            r.present = true;
            r.accessed_and_dirty = (entry >> 5 & 3) == 3;
            r.global = entry >> 8 & 1;
            r.page_bytes = (size_t)1 << shift;
            r.physical = (entry & PAGE_FRAME & ~offset_mask) | (address & offset_mask);
            return r;
        }
        table = (const uint64_t *)(uintptr_t)(entry & PAGE_FRAME);
    }
}

static void assert_maps(const struct page_tables *t, uintptr_t at, uint64_t physical, size_t page_bytes, bool code)
{
    const struct translation r = walk(t, at);

    assert_true(r.present);
    assert_int_equal(r.physical, physical);
    assert_int_equal(r.page_bytes, page_bytes);
    assert_int_equal(r.writable, !code);
    assert_int_equal(r.no_execute, !code);
    assert_true(r.accessed_and_dirty);
    assert_false(r.global);
}

static void assert_canonical_high(const struct page_tables *t, uintptr_t address)
{
    const unsigned bits = 12 + 9 * t->levels;

    assert_int_equal((int64_t)address >> (bits - 1), -1);
}

static void maps_every_page_size_and_use(void **state)
{
    static const size_t sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};

    (void)state;
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct page_tables t = start(levels);

        for (unsigned i = 0; i < 6; i++) {
            const size_t page = sizes[i / 2];
            const bool code = i % 2;
            const size_t bytes = 3 * page;
            const uint64_t physical = UINT64_C(0x7fc0000000) + i * bytes;
            uintptr_t at = 0;

            assert_null(page_tables_map(&t, physical, NULL, bytes, page, code, &at));
            assert_canonical_high(&t, at);
            assert_int_equal(at % page, 0);
            assert_int_equal(at % PAGE_2M, 0);
            for (size_t offset = 0; offset < bytes; offset += page) {
                assert_maps(&t, at + offset, physical + offset, page, code);
                assert_maps(&t, at + offset + page - 1, physical + offset + page - 1, page, code);
            }
            assert_false(walk(&t, at - 1).present);
            assert_false(walk(&t, at + bytes).present);
            assert_false(walk(&t, at + bytes + PAGE_4K - 1).present);
        }
        page_tables_finish(&t);
        assert_int_equal(tables_held, 0);
    }
}

static void pages_show_the_frames_asked_for(void **state)
{
    static const size_t sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G}, frames[] = {2, 0, NO_FRAME, 5, 2};
    struct page_tables t = start(4);

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t physical = UINT64_C(0x40000000) * (i + 1);
        uintptr_t at = 0;

        assert_null(page_tables_map(&t, physical, frames, 5 * sizes[i], sizes[i], true, &at));
        for (unsigned page = 0; page < 5; page++)
            if (frames[page] == NO_FRAME)
                assert_false(walk(&t, at + page * sizes[i]).present);
            else
                assert_maps(&t, at + page * sizes[i], physical + frames[page] * sizes[i], sizes[i], true);
        assert_false(walk(&t, at + 5 * sizes[i]).present);
    }
    page_tables_finish(&t);
    assert_int_equal(tables_held, 0);
}

static void low_half_is_the_firmwares_as_it_is_now(void **state)
{
    struct page_tables t = start(4);
    uint64_t firmware[512];
    uintptr_t at = 0;

    (void)state;
    for (unsigned i = 0; i < 512; i++)
        firmware[i] = UINT64_C(0x1000) * i;
    assert_null(page_tables_map(&t, PAGE_2M, NULL, PAGE_4K, PAGE_4K, false, &at));
    page_tables_follow(&t, firmware);
    assert_memory_equal(t.root, firmware, sizeof(firmware) / 2);
    firmware[3] = 0x123000;
    page_tables_follow(&t, firmware);
    assert_int_equal(t.root[3], 0x123000);

    /* What the firmware has in its high half stays out, and ours stays in. */
    assert_int_equal(t.root[511], 0);
    assert_maps(&t, at, PAGE_2M, PAGE_4K, false);
    memset(t.root, 0, sizeof(firmware) / 2);
    page_tables_finish(&t);
    assert_int_equal(tables_held, 0);
}

static void stack_has_unmapped_neighbours_and_outlives_areas(void **state)
{
    enum { BYTES = 128 << 10 };

    (void)state;
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct page_tables t = start(levels);
        const uintptr_t stack = page_tables_map_stack(&t, 0x5000000, BYTES);
        uintptr_t at = 0;

        assert_canonical_high(&t, stack);
        assert_null(page_tables_map(&t, PAGE_2M, NULL, PAGE_2M, PAGE_2M, true, &at));
        page_tables_unmap_all(&t);
        assert_false(walk(&t, at).present);
        assert_maps(&t, stack, 0x5000000, PAGE_4K, false);
        assert_maps(&t, stack + BYTES - 8, 0x5000000 + BYTES - 8, PAGE_4K, false);
        assert_false(walk(&t, stack - 1).present);
        assert_false(walk(&t, stack - PAGE_4K).present);
        assert_false(walk(&t, stack + BYTES).present);
        page_tables_finish(&t);
        assert_int_equal(tables_held, 0);
    }
}

static void addresses_are_given_again_after_unmapping(void **state)
{
    struct page_tables t = start(4);
    uintptr_t first = 0, again = 0;
    size_t held;

    (void)state;
    held = tables_held;
    assert_null(page_tables_map(&t, 0, NULL, 5 * (size_t)PAGE_4K, PAGE_4K, false, &first));
    page_tables_unmap_all(&t);
    assert_int_equal(tables_held, held);
    assert_null(page_tables_map(&t, PAGE_2M, NULL, PAGE_2M, PAGE_2M, true, &again));
    assert_int_equal(again, first);
    assert_maps(&t, again, PAGE_2M, PAGE_2M, true);
    page_tables_finish(&t);
    assert_int_equal(tables_held, 0);
}

/* Memory runs out at each table in turn: the reason is given, nothing half mapped, what stood before stands. */
static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    static const size_t bytes = 5 * (size_t)PAGE_2M;
    bool done = false;

    (void)state;
    for (size_t limit = 0; !done; limit++) {
        struct page_tables t = start(4);
        uintptr_t before = 0, at = 0, next = 0;
        const char *problem;
        uintptr_t begin;

        assert_null(page_tables_map(&t, PAGE_1G, NULL, 2 * (size_t)PAGE_4K, PAGE_4K, true, &before));
        begin = (t.next + PAGE_2M - 1) & ~((uintptr_t)PAGE_2M - 1);
        tables_left = limit;
        problem = page_tables_map(&t, 0, NULL, bytes, PAGE_4K, false, &at);
        done = problem == NULL;
        if (problem != NULL) {
            assert_string_equal(problem, "no memory for page tables");
            assert_int_equal(at, 0);
            for (uintptr_t a = begin; a < begin + bytes; a += PAGE_4K)
                assert_false(walk(&t, a).present);
        }
        assert_maps(&t, before + PAGE_4K, (uint64_t)PAGE_1G + PAGE_4K, PAGE_4K, true);
        tables_left = NO_LIMIT;
        assert_null(page_tables_map(&t, 0, NULL, PAGE_2M, PAGE_2M, false, &next));
        assert_maps(&t, next, 0, PAGE_2M, false);
        page_tables_finish(&t);
        assert_int_equal(tables_held, 0);
    }
}

static void refuses_more_than_there_are_addresses(void **state)
{
    struct page_tables t = start(4);
    uintptr_t at = 0;

    (void)state;
    t.next = (uintptr_t)0 - 4 * (uintptr_t)PAGE_2M;
    assert_non_null(page_tables_map(&t, 0, NULL, 4 * (size_t)PAGE_2M, PAGE_2M, false, &at));
    assert_non_null(page_tables_map(&t, 0, NULL, PAGE_1G, PAGE_1G, false, &at));
    t.next = (uintptr_t)0 - 1;
    assert_non_null(page_tables_map(&t, 0, NULL, PAGE_4K, PAGE_4K, false, &at));
    page_tables_finish(&t);
    assert_int_equal(tables_held, 0);
}

/* The same sequence every time: Marsaglia 2003, xorshift64. */
static unsigned random_below(unsigned limit)
{
    static uint64_t x = 1;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (unsigned)(x >> 32) % limit;
}

/* Many areas at random, against a list of what was asked for. */
static void random_areas_match_what_was_asked_for(void **state)
{
    static const size_t sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};
    enum { AREAS = 64 };
    struct {
        uintptr_t at;
        uint64_t physical;
        size_t bytes, page;
        bool code;
    } areas[AREAS];

    (void)state;
    for (unsigned levels = 4; levels <= 5; levels++) {
        struct page_tables t = start(levels);

        for (unsigned i = 0; i < AREAS; i++) {
            areas[i].page = sizes[random_below(3)];
            areas[i].bytes = areas[i].page * (size_t)(1 + random_below(areas[i].page == PAGE_4K ? 1500 : 20));
            areas[i].physical = areas[i].page * random_below(1000);
            areas[i].code = random_below(2);
            assert_null(page_tables_map(&t, areas[i].physical, NULL, areas[i].bytes, areas[i].page, areas[i].code,
                                        &areas[i].at));
            if (i > 0)
                assert_true(areas[i].at >= areas[i - 1].at + areas[i - 1].bytes + PAGE_4K);
        }
        for (unsigned i = 0; i < AREAS; i++)
            for (size_t offset = 0; offset < areas[i].bytes; offset += areas[i].page)
                assert_maps(&t, areas[i].at + offset, areas[i].physical + offset, areas[i].page, areas[i].code);
        page_tables_finish(&t);
        assert_int_equal(tables_held, 0);
    }
}

/* Whose accessed bit is clear is as it was but for that, and so are its neighbours. */
static void accessed_bits_are_read_and_cleared(void **state)
{
    static const size_t sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct page_tables t = start(4);
        uintptr_t at = 0;

        assert_null(page_tables_map(&t, PAGE_1G, NULL, 3 * sizes[i], sizes[i], false, &at));
        assert_true(page_tables_accessed(&t, at + sizes[i], sizes[i]));
        assert_false(page_tables_accessed(&t, at + sizes[i], sizes[i]));
        const struct translation cleared = walk(&t, at + sizes[i] + 5);
        assert_true(cleared.present && cleared.writable && !cleared.accessed_and_dirty);
        assert_int_equal(cleared.physical, PAGE_1G + sizes[i] + 5);
        assert_maps(&t, at, PAGE_1G, sizes[i], false);
        assert_maps(&t, at + 2 * sizes[i], PAGE_1G + 2 * sizes[i], sizes[i], false);
        assert_true(page_tables_accessed(&t, at, sizes[i]));
        page_tables_finish(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_every_page_size_and_use),
        cmocka_unit_test(pages_show_the_frames_asked_for),
        cmocka_unit_test(low_half_is_the_firmwares_as_it_is_now),
        cmocka_unit_test(stack_has_unmapped_neighbours_and_outlives_areas),
        cmocka_unit_test(addresses_are_given_again_after_unmapping),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(refuses_more_than_there_are_addresses),
        cmocka_unit_test(random_areas_match_what_was_asked_for),
        cmocka_unit_test(accessed_bits_are_read_and_cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
