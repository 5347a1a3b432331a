#include "lib/kernels/page_regions.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/kernels/pages.h"

enum {
    WORDS = POINTER_CHASE_LINE_BYTES / sizeof(uint64_t),
    LINES = 64, /* of the smallest page */
    BUNCHES_OF_GROUP = LINES * WORDS,
    UNROLL = 8,
    WARM_ROUNDS = 2,
    RANGE = 8,            /* most regions by fewest: the fewest are full */
    AREA_PAGES = 1 << 20, /* at most, nearly all of them not mapped */
    SMOKE_BUNCHES = 4
};

/* Where a page of the chase has its pointer: the address that is loaded, and the offset where it is written. */
struct place {
    uint64_t at;
    size_t written;
};

struct page_regions page_regions_of(const struct probe *p, size_t page_bytes, size_t bunch, double pages)
{
    struct page_regions r = {.page_bytes = page_bytes, .entries = pages_table_entries(page_bytes), .bunch = bunch};

    r.bunches = (size_t)probe_smoke(p, SMOKE_BUNCHES,
                                    ceil(pages / (BUNCHES_OF_GROUP * 4.0)) * (BUNCHES_OF_GROUP * 4.0) / (double)bunch);
    r.groups = r.bunches > BUNCHES_OF_GROUP ? (r.bunches + BUNCHES_OF_GROUP - 1) / BUNCHES_OF_GROUP : 1;
    r.fewest = r.bunches * r.bunch / r.entries;
    while (r.bunches % r.groups || (r.fewest > r.groups && r.fewest % r.groups))
        r.groups++;
    r.fewest = r.fewest > r.groups ? r.fewest : r.groups;
    r.most = RANGE * r.fewest < r.bunches ? RANGE * r.fewest : r.bunches;
    while (r.most * r.entries > AREA_PAGES)
        r.most /= 2;
    r.most -= r.most % r.groups;
    return r;
}

/* Number of page k of the n-th bunch of a region. Bunches begin on another line of each region's table. */
static size_t page_of(const struct page_regions *r, size_t region, size_t n, size_t k)
{
    const size_t places = r->entries / r->bunch;

    return region * r->entries + (n + region) % places * r->bunch + k;
}

/* Bunches that a region has, of so many regions. */
static size_t bunches_of(const struct page_regions *r, size_t region, size_t regions)
{
    return (r->bunches + regions - 1 - region) / regions;
}

const char *page_regions_map(struct page_regions *r)
{
    const size_t pages = r->most * r->entries;

    r->mark = machine_map_mark();
    r->frames = malloc(pages * sizeof *r->frames);
    r->starts = malloc((2 * r->most + 1) * sizeof *r->starts);
    if (!r->frames || !r->starts)
        return "out of memory for the order of frames";
    r->order = r->starts + r->most + 1;
    for (size_t i = 0; i < pages; i++)
        r->frames[i] = NO_FRAME;
    for (size_t region = 0; region < r->most; region++) {
        /* a region has the most bunches with the least number of regions that contains it */
        const size_t most = bunches_of(r, region,
                                       region < r->fewest ? r->fewest : (region / r->groups + 1) * r->groups);
        for (size_t n = 0; n < most; n++)
            for (size_t k = 0; k < r->bunch; k++)
                r->frames[page_of(r, region, n, k)] = region % r->groups * r->bunch + k;
    }
    const char *why = machine_map_frames(&r->chase.ring, r->frames, pages, r->page_bytes, AREA_DATA);
    if (!why)
        why = machine_map(&r->chase.start, sizeof(uint64_t), 0, AREA_DATA);
    if (!why)
        why = machine_map(&r->chase.order, r->bunches * r->bunch * sizeof(struct place), 0, AREA_DATA);
    return why;
}

void page_regions_unmap(struct probe *p, struct page_regions *r)
{
    probe_release(p, r->mark);
    free(r->frames);
    free(r->starts);
}

/* Appends the pages of a region, in random order. */
static void add_region(struct probe *p, const struct page_regions *r, size_t region, size_t regions, struct place *out)
{
    const size_t bunches = bunches_of(r, region, regions);
    size_t used = 0;

    for (size_t n = 0; n < bunches; n++) {
        const size_t word = (n * regions + region) / r->groups, first = page_of(r, region, n, 0),
                     frame = region % r->groups * r->bunch;
        for (size_t k = 0; k < r->bunch; k++) {
            const size_t offset = (word + k) % LINES * POINTER_CHASE_LINE_BYTES +
                                  word / LINES % WORDS * sizeof(uint64_t);
            out[used++] = (struct place){r->chase.ring.at + (first + k) * r->page_bytes + offset,
                                         (frame + k) * r->page_bytes + offset};
        }
    }
    random_shuffle(out, used, sizeof *out, &p->random);
}

/* Links the ring: one page of each region, the regions in random order, then another page of each. */
static void link_regions(struct probe *p, const struct page_regions *r, size_t regions)
{
    struct place *places = (struct place *)r->chase.order.write;
    uint64_t *next = (uint64_t *)r->chase.start.write; /* where the chase begins; then the pointer of the page before */
    size_t used = 0;

    for (size_t i = 0; i < regions; i++)
        r->order[i] = i;
    random_shuffle(r->order, regions, sizeof *r->order, &p->random);
    for (size_t region = 0; region < regions; region++) {
        r->starts[region] = used;
        add_region(p, r, region, regions, places + used);
        used += bunches_of(r, region, regions) * r->bunch;
    }
    r->starts[regions] = used;
    for (size_t i = 0, done = 0; done < used; i++)
        for (size_t n = 0; n < regions; n++) {
            const size_t region = r->order[n], at = r->starts[region] + i;
            if (at >= r->starts[region + 1])
                continue;
            *next = places[at].at;
            next = (uint64_t *)(r->chase.ring.write + places[at].written);
            done++;
        }
    *next = *(uint64_t *)r->chase.start.write;
}

bool page_regions_kernel(struct probe *p, const struct page_regions *r, size_t regions, struct kernel *k)
{
    const size_t count = r->bunches * r->bunch;
    const unsigned unroll = pointer_chase_unroll(count, UNROLL);

    link_regions(p, r, regions);
    k->warm_iterations = probe_smoke(p, 1, WARM_ROUNDS) * (double)count / unroll;
    return pointer_chase_kernel(p, &r->chase, unroll, k);
}
