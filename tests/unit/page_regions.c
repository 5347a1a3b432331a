/* Page regions: whatever the number of pages, the ring visits each page once, and no two pages share a word. */
/* link: tests/unit/structure/profile.c */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/page_regions.h"
#include "lib/kernels/pages.h"

enum { PAGE = 4096, ENTRIES = 512, AREAS = 3 };

static uint8_t *areas[AREAS]; /* the ring's frames, the start, and the order */
static size_t mapped;

static void *new_area(size_t bytes)
{
    assert_true(mapped < AREAS);
    areas[mapped] = calloc(1, bytes);
    assert_non_null(areas[mapped]);
    return areas[mapped++];
}

size_t pages_table_entries(size_t page_bytes)
{
    return page_bytes == PAGE ? ENTRIES : 0;
}

size_t machine_map_mark(void)
{
    return 0;
}

void probe_release(struct probe *p, size_t mark)
{
    (void)p;
    (void)mark;
    while (mapped > 0)
        free(areas[--mapped]);
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    (void)page_bytes;
    (void)use;
    *a = (struct area){.write = new_area(bytes), .bytes = bytes};
    a->at = (uintptr_t)a->write;
    return NULL;
}

/* The frames alone: addresses of the area are never accessed here. */
const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    size_t most = 0;

    (void)use;
    for (size_t i = 0; i < pages; i++)
        most = frames[i] != NO_FRAME && frames[i] > most ? frames[i] : most;
    *a = (struct area){.write = new_area((most + 1) * page_bytes), .at = PAGE, .bytes = pages * page_bytes};
    return NULL;
}

unsigned pointer_chase_unroll(size_t count, unsigned most)
{
    (void)count;
    return most;
}

bool pointer_chase_kernel(struct probe *p, const struct pointer_chase *chase, unsigned unroll, struct kernel *k)
{
    (void)p;
    (void)chase;
    (void)unroll;
    (void)k;
    return true;
}

/* Follows the ring once around by its frames. Returns how many loads that takes; 0: it leaves the pages that exist. */
static size_t loads_around(const struct page_regions *r)
{
    const uint64_t first = *(const uint64_t *)r->chase.start.write;
    uint64_t at = first;
    size_t loads = 0;

    do {
        const size_t page = (size_t)(at - r->chase.ring.at) / PAGE, frame = r->frames[page];
        if (frame == NO_FRAME)
            return 0;
        at = *(const uint64_t *)(r->chase.ring.write + frame * PAGE + (at - r->chase.ring.at) % PAGE);
        loads++;
    } while (at != first && loads <= r->bunches * r->bunch);
    return loads;
}

/* With a word that two pages share the ring is shorter than all pages, or never comes back. */
static void check(size_t bunch, double pages)
{
    struct probe p = {.random = 1};
    struct page_regions r = page_regions_of(&p, PAGE, bunch, pages);
    struct kernel k;

    assert_true(r.bunches % r.groups == 0 && r.fewest % r.groups == 0 && r.most % r.groups == 0);
    assert_true(r.bunches * bunch >= pages && r.fewest < r.most);
    assert_null(page_regions_map(&r));
    for (size_t regions = r.fewest; regions <= r.most; regions += r.groups) {
        assert_true(page_regions_kernel(&p, &r, regions, &k));
        assert_int_equal(loads_around(&r), r.bunches * bunch);
    }
    page_regions_unmap(&p, &r);
}

static void a_ring_visits_each_page_once(void **state)
{
    (void)state;
    for (double pages = 1000; pages <= 17000; pages += 1000) {
        check(4, pages);
        check(8, pages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ring_visits_each_page_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
