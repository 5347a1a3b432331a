/* The memory that windows measure with: areas of the one large buffer, and the guards around them. */
#include "boot/uefi/areas.h"

#include <string.h>

#include "arch/own.h"
#include "boot/uefi/memory.h"
#include "boot/uefi/platform.h"
#include "boot/uefi/warnings.h"
#include "lib/base/guard.h"
#include "lib/machine.h"

enum { AREAS = 64, PAGE_SIZES = sizeof((struct machine_info *)0)->page_bytes / sizeof(size_t) };

/*
 * The areas that are mapped now, in the order in which they were requested. They lie in the buffer one after another,
 * with a guard, a pattern that shows later whether something was written there, before the first one and behind each.
 * Windows see areas between unmapped pages (arch/own.h); outside windows the buffer looks like this:
 *
 *     guard | area … | guard | rest of its page | gap for the next page's alignment | area … | guard
 *
 * The GUARD_BYTES before every area are a guard, too. An area of a chosen node lies outside of the buffer, between two
 * guards of its own.
 */
static struct mapping {
    struct area area;
    enum area_use use;
    size_t mapped;        /* bytes in whole pages */
    size_t block;         /* bytes of their frames */
    const size_t *frames; /* the order in which pages show frames; NULL: ascending */
    uint8_t *guard;       /* behind the area */
    size_t end;           /* offset in the buffer at which the next area may begin */
    size_t taken; /* bytes that it has from the firmware for itself (machine_map_node); 0: it is in the buffer */
} mappings[AREAS];
static size_t mapping_count;
/* The first write outside an area that has not been reported yet; its vector is NULL while there is none. */
static struct fault outside;
static const char *lost; /* why areas could not be mapped again; NULL: all are mapped */

static bool page_size_exists(size_t page_bytes)
{
    for (size_t i = 0; i < PAGE_SIZES && machine_info()->page_bytes[i]; i++)
        if (machine_info()->page_bytes[i] == page_bytes)
            return true;
    return false;
}

/* Maps an area, of whose frames `bytes` bytes are used, and sets the guards around them. NULL, or why not. */
static const char *add_area(struct area *a, struct mapping *m, size_t bytes)
{
    const char *why = own_map((uintptr_t)m->area.write, m->frames, m->mapped, m->area.page_bytes, m->use, &m->area.at);

    if (why)
        return why;
    memset(m->area.write, 0, bytes);
    guard_set(m->area.write - GUARD_BYTES, GUARD_BYTES);
    guard_set(m->guard, GUARD_BYTES);
    mappings[mapping_count++] = *m;
    *a = m->area;
    return NULL;
}

/*
 * Maps an area on `bytes` of the buffer: pages with ascending frames; or, where `frames` is given, `pages` pages that
 * show those frames in that order. NULL, or why not.
 */
static const char *map_pages(struct area *a, size_t bytes, size_t page_bytes, const size_t *frames, size_t pages,
                             enum area_use use)
{
    size_t room;
    uint8_t *buffer = memory_buffer(&room);

    /* A frame is aligned to the size of its page; outside windows an address is the physical address. */
    uintptr_t free_from = (uintptr_t)buffer + (mapping_count ? mappings[mapping_count - 1].end : 0);
    const size_t unit = use == AREA_CONTIGUOUS ? own_group_bytes(page_bytes) : page_bytes;
    if (!unit)
        return "this instruction set has no contiguous hint";
    uintptr_t base = (free_from + unit - 1) & ~(uintptr_t)(unit - 1);
    size_t at = base - (uintptr_t)buffer;
    if (at > room || bytes > room - at || GUARD_BYTES > room - at - bytes)
        return "there is not enough contiguous memory";
    size_t mapped = (bytes + unit - 1) & ~(unit - 1);
    if (mapped > room - at)
        return "there is no whole page of that size in the contiguous memory";
    size_t guarded = (bytes + 2 * GUARD_BYTES - 1) & ~(size_t)(GUARD_BYTES - 1); /* with the guard, in whole frames */

    struct mapping m = {
        .area = {.write = (uint8_t *)base, .bytes = frames ? pages * page_bytes : bytes, .page_bytes = page_bytes},
        .use = use,
        .mapped = frames ? pages * page_bytes : mapped,
        .block = mapped,
        .frames = frames,
        .guard = (uint8_t *)base + bytes,
        .end = at + (mapped > guarded ? mapped : guarded),
    };
    return add_area(a, &m, bytes);
}

/* NULL, or why no further area can be mapped. Registers can be accessed all the same, and windows run. */
static const char *cannot_map(void)
{
    return platform_not_ours()      ? platform_not_ours()
           : lost                   ? lost
           : mapping_count == AREAS ? "too many areas are mapped"
                                    : NULL;
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    const char *no = cannot_map();
    if (no)
        return no;
    if (page_bytes)
        return page_size_exists(page_bytes) ? map_pages(a, bytes, page_bytes, NULL, 0, use)
                                            : "this core has no pages of that size";

    /* The smallest page that can be mapped beside the other areas: a window of AArch64 has one granule. */
    const char *why = map_pages(a, bytes, machine_info()->page_bytes[0], NULL, 0, use);
    for (size_t i = 1; why && i < PAGE_SIZES && machine_info()->page_bytes[i]; i++)
        if (!map_pages(a, bytes, machine_info()->page_bytes[i], NULL, 0, use))
            why = NULL;
    return why;
}

const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    const char *no = cannot_map();
    size_t count = 0;

    if (no)
        return no;
    if (!page_size_exists(page_bytes))
        return "this core has no pages of that size";
    for (size_t i = 0; i < pages; i++)
        if (frames[i] != NO_FRAME && frames[i] >= count)
            count = frames[i] + 1;
    return map_pages(a, count * page_bytes, page_bytes, frames, pages, use);
}

const char *machine_map_node(struct area *a, size_t bytes, size_t page_bytes, uint32_t node)
{
    const char *no = cannot_map();
    const size_t mapped = (bytes + page_bytes - 1) & ~(page_bytes - 1);

    if (no)
        return no;
    if (!page_size_exists(page_bytes))
        return "this core has no pages of that size";
    uint8_t *base = memory_take_node(mapped, page_bytes, node);
    if (!base)
        return "the node has not enough free contiguous memory";
    struct mapping m = {.area = {.write = base, .bytes = bytes, .page_bytes = page_bytes},
                        .use = AREA_DATA,
                        .mapped = mapped,
                        .block = mapped,
                        .guard = base + bytes,
                        .end = mapping_count ? mappings[mapping_count - 1].end : 0,
                        .taken = mapped};
    no = add_area(a, &m, bytes);
    if (no)
        memory_give_back(base, mapped);
    return no;
}

const char *machine_map_scattered(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                                  size_t page_bytes)
{
    (void)a, (void)list, (void)count, (void)pages, (void)page_bytes;
    return "the image maps areas only whose pages it has listed";
}

const char *machine_map_sparse(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                               size_t page_bytes)
{
    (void)a, (void)list, (void)count, (void)pages, (void)page_bytes;
    return "the image maps areas only whose pages it has listed";
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    if (platform_not_ours())
        return platform_not_ours();
    return own_accessed(a->at, (a->bytes + a->page_bytes - 1) / a->page_bytes, a->page_bytes, accessed);
}

size_t machine_map_mark(void)
{
    return mapping_count;
}

/* Checks the guards around an area, which show a write by whatever code. */
static void check_guards(const struct mapping *m)
{
    const uint8_t *broken = guard_broken(m->area.write - GUARD_BYTES, GUARD_BYTES);

    if (!broken)
        broken = guard_broken(m->guard, GUARD_BYTES);
    if (broken && !outside.vector)
        outside = (struct fault){.vector = "outside-area", .address = (uintptr_t)broken};
}

bool machine_touched_outside(struct fault *fault)
{
    if (!outside.vector)
        return false;
    *fault = outside;
    outside = (struct fault){.vector = NULL};
    return true;
}

/*
 * Maps the first `count` areas again, after everything was unmapped. Addresses are given out in order, hence each area
 * gets the address that it had. Where that fails, what is left is what could be mapped, and no more is mapped until all
 * has been given back.
 */
static void map_again(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct mapping *m = &mappings[i];
        uintptr_t at;
        const char *why = own_map((uintptr_t)m->area.write, m->frames, m->mapped, m->area.page_bytes, m->use, &at);
        if (why || at != m->area.at) {
            lost = why ? why : "an area could not be mapped at its address again";
            warn("memory", "%zu of %zu areas are lost: %s", count - i, count, lost);
            mapping_count = i;
            return;
        }
    }
}

void areas_map_again(void)
{
    if (!mapping_count)
        return;
    own_unmap_all();
    map_again(mapping_count);
}

void machine_map_release(size_t mark)
{
    for (size_t i = mark; i < mapping_count; i++)
        check_guards(&mappings[i]);
    if (mark >= mapping_count || platform_not_ours())
        return;
    own_unmap_all();
    for (size_t i = mark; i < mapping_count; i++)
        if (mappings[i].taken)
            memory_give_back(mappings[i].area.write, mappings[i].taken);
    mapping_count = mark;
    lost = mark ? lost : NULL;
    map_again(mark);
}

void machine_code_written(const struct area *a, size_t offset, size_t bytes)
{
    for (size_t i = 0; i < mapping_count; i++)
        if (mappings[i].frames && mappings[i].area.at == a->at) { /* frames in any order: take the whole block */
            own_code_written(a->write, mappings[i].block);
            return;
        }
    own_code_written(a->write + offset, bytes);
}
