/* Memory as a Linux process gets it: mmap and memfd, with guards around what is handed out. */
#define _GNU_SOURCE
#include "boot/linux/areas.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/emit.h"
#include "boot/linux/files.h"
#include "boot/linux/nodes.h"
#include "boot/linux/simulated.h"
#include "lib/base/guard.h"
#include "lib/machine.h"

enum {
    AREAS = 64,
    LARGE_PAGES = 4,
    SIMULATED_GUARD_BYTES = 256 /* of the pattern, where instructions are few */
};

static struct large_page large_pages[LARGE_PAGES];
static size_t large_page_count;
static size_t limit_bytes; /* that all areas may take together */

/*
 * The areas that are mapped now, in the order in which they were requested. Behind an area, the rest of its last page
 * holds a pattern, which shows later whether something was written there; the pages around it cannot be accessed:
 *
 *     no access | area … | pattern | no access
 */
static struct mapping {
    struct area area;
    size_t mapped_bytes;           /* of the alias that windows use, rounded up to whole pages */
    size_t write_bytes;            /* of the alias that is written */
    size_t guard_bytes;            /* of the pattern behind the area */
    const struct page_frame *list; /* of an area of which only these pages are mapped, each by itself; else NULL */
    size_t count;
} mappings[AREAS];
static size_t mapping_count;
/* The first access outside an area that has not been reported yet; its vector is NULL while there is none. */
static struct fault outside;
/* What the first area of code that was mapped at two addresses has shown: see shows_new_code. */
static enum { NOT_SHOWN, SHOWS_NEW_CODE, SHOWS_OLD_CODE } shared_shows_code;
static const char no_shared_memory[] = "the kernel gave no shared memory (memfd_create)";
static const char old_code[] = "code that is written at one address and runs at another is not executed as written, as "
                               "in some emulators";
static const char *anonymous_code; /* why code is written and executed at one address; NULL where it is not */

/* ---- Page sizes -------------------------------------------------------------------------------- */

static size_t small_page(void)
{
    static size_t bytes;

    if (!bytes)
        bytes = (size_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

/* The number in a file of sysfs or procfs; 0 where there is no such file or no number in it. */
static size_t number_in(const char *path)
{
    size_t number = 0;
    FILE *f = files_open(path);
    if (f && fscanf(f, "%zu", &number) != 1)
        number = 0;
    if (f)
        fclose(f);
    return number;
}

static bool transparent_offered(void)
{
    char mode[64] = "";
    FILE *f = files_open("/sys/kernel/mm/transparent_hugepage/enabled");
    bool offered = f && fgets(mode, sizeof mode, f) && !strstr(mode, "[never]");
    if (f)
        fclose(f);
    return offered;
}

/*
 * The sizes that a block can have with any granule of either instruction set: those of which the administrator has
 * reserved pages, and the one that transparent huge pages have here (Documentation/admin-guide/mm/transhuge.rst).
 */
const struct large_page *areas_find_large_pages(size_t *count)
{
    *count = large_page_count = 0;
    if (simulated())
        return large_pages;
    static const size_t kib[] = {2 << 10, 32 << 10, 512 << 10, 1 << 20};
    size_t transparent = transparent_offered() ? number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") : 0;

    for (size_t i = 0; i < sizeof kib / sizeof kib[0]; i++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/kernel/mm/hugepages/hugepages-%zukB/free_hugepages", kib[i]);
        bool reserved = number_in(path) > 0;
        if (reserved || transparent == kib[i] << 10)
            large_pages[large_page_count++] = (struct large_page){
                kib[i] << 10, reserved ? "reserved huge pages" : "transparent huge pages", reserved};
    }
    *count = large_page_count;
    return large_pages;
}

void areas_limit(size_t bytes)
{
    limit_bytes = bytes;
}

/* ---- Memory ------------------------------------------------------------------------------------ */

/* How many bytes of the range at this address lie on huge pages, according to the kernel. */
static size_t huge_bytes_at(const void *base)
{
    FILE *f = files_open("/proc/self/smaps");
    char line[256];
    size_t kib = 0;
    bool inside = false;

    while (f && fgets(line, sizeof line, f)) {
        unsigned long start, end;
        char colon;
        if (sscanf(line, "%lx-%lx%c", &start, &end, &colon) == 3 && colon == ' ')
            inside = start <= (uintptr_t)base && (uintptr_t)base < end;
        else if (inside && sscanf(line, "AnonHugePages: %zu kB", &kib) == 1)
            break;
    }
    if (f)
        fclose(f);
    return kib << 10;
}

/* Reserves addresses, aligned, with a page before and behind that cannot be accessed. NULL when there are none left. */
static uint8_t *reserve(size_t bytes, size_t alignment)
{
    const size_t page = small_page(), span = bytes + alignment + 2 * page;
    uint8_t *raw = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    uint8_t *base = (uint8_t *)(((uintptr_t)raw + page + alignment - 1) & ~(uintptr_t)(alignment - 1));
    uint8_t *end = base + bytes + page;
    if (base - page > raw)
        munmap(raw, (size_t)(base - page - raw));
    if (raw + span > end)
        munmap(end, (size_t)(raw + span - end));
    return base;
}

static void unreserve(uint8_t *base, size_t bytes)
{
    munmap(base - small_page(), bytes + 2 * small_page());
}

/*
 * Maps data on pages that the administrator has reserved, if enough of them are free. Bits 26 and up of mmap's flags
 * hold the logarithm of the page size (mmap(2), MAP_HUGETLB). NULL, or why not.
 */
static const char *map_reserved(struct mapping *m, size_t page_bytes)
{
    int size_bits = __builtin_ctzll(page_bytes);
    uint8_t *base = reserve(m->mapped_bytes, page_bytes);
    if (!base)
        return "the kernel gave no addresses";
    if (mmap(base, m->mapped_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB | MAP_POPULATE | (int)((unsigned)size_bits << 26),
             -1, 0) == MAP_FAILED) {
        unreserve(base, m->mapped_bytes);
        return "too few huge pages are reserved";
    }
    m->area.write = base;
    m->area.at = (uintptr_t)base;
    return NULL;
}

/* Maps data on ordinary pages or on transparent huge pages, of that node unless `node` is NULL. NULL, or why not. */
static const char *map_data(struct mapping *m, size_t page_bytes, const uint32_t *node)
{
    const bool huge = page_bytes > small_page();
    uint8_t *base = reserve(m->mapped_bytes, page_bytes);
    if (!base)
        return "the kernel gave no addresses";
    if (mprotect(base, m->mapped_bytes, PROT_READ | PROT_WRITE) != 0) {
        unreserve(base, m->mapped_bytes);
        return "the kernel gave no memory";
    }
    (void)madvise(base, m->mapped_bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (node && !nodes_bind(base, m->mapped_bytes, *node)) {
        unreserve(base, m->mapped_bytes);
        return "the kernel does not let this process choose a node (mbind)";
    }
    for (size_t i = 0; i < m->mapped_bytes; i += small_page())
        base[i] = 0; /* a first access makes the kernel provide the frame now, before anything is timed */
    if (huge && huge_bytes_at(base) < m->mapped_bytes) {
        unreserve(base, m->mapped_bytes);
        return "the kernel gave no transparent huge pages";
    }
    if (node && !nodes_holds(base, m->mapped_bytes, page_bytes, *node)) {
        unreserve(base, m->mapped_bytes);
        return "the kernel gave memory of another node";
    }
    m->area.write = base;
    m->area.at = (uintptr_t)base;
    return NULL;
}

/* Maps code where there is no shared memory: written and executed at one address. NULL, or why not. */
static const char *map_anonymous_code(struct mapping *m)
{
    uint8_t *base = reserve(m->mapped_bytes, small_page());
    if (!base)
        return "the kernel gave no addresses";
    if (mprotect(base, m->mapped_bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        unreserve(base, m->mapped_bytes);
        return "the kernel does not let generated code run (a security module may forbid it)";
    }
    anonymous_code = shared_shows_code == SHOWS_OLD_CODE ? old_code : no_shared_memory;
    m->area.write = base;
    m->area.at = (uintptr_t)base;
    return NULL;
}

/*
 * Whether code that is written at one address of this area runs at the other also after other code has run there. An
 * emulator that translates code may go on executing what it has translated, since the write went to another address: so
 * does qemu-user 7.2.
 */
static bool shows_new_code(const struct area *a)
{
    enum { KERNEL_BYTES = 64 }; /* a constant, a store and a return take at most 32 */
    uint64_t stored = 0;

    for (unsigned value = 1; value <= 2; value++) {
        struct code c = code_start(a->write, a->at, KERNEL_BYTES);
        emit_constant(&c, REG_T0, value);
        emit_store(&c, REG_T0, REG_DATA, 0);
        emit_return(&c);
        machine_code_written(a, 0, c.used);
        ((void (*)(uint64_t, uint64_t *))a->at)(1, &stored); // NOLINT(performance-no-int-to-ptr)
        if (stored != value)
            return false;
    }
    memset(a->write, 0, KERNEL_BYTES);
    machine_code_written(a, 0, KERNEL_BYTES);
    return true;
}

/*
 * Maps the pages of `fd` over those at `base`, in the order of `frames`. Pages whose frames follow each other are
 * mapped by one call, since the kernel allows only some 65,000 mappings (Documentation/admin-guide/sysctl/vm.rst,
 * max_map_count). False when a call fails.
 */
static bool order_frames(void *base, int protection, int fd, const size_t *frames, size_t pages, size_t page_bytes)
{
    for (size_t i = 0, run; i < pages; i += run) {
        for (run = 1; i + run < pages && frames[i] != NO_FRAME && frames[i + run] == frames[i] + run;)
            run++;
        if (frames[i] != NO_FRAME &&
            mmap((uint8_t *)base + i * page_bytes, run * page_bytes, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                 fd, (off_t)(frames[i] * page_bytes)) == MAP_FAILED)
            return false;
    }
    return true;
}

static bool scatter_frames(uint8_t *base, int fd, const struct page_frame *list, size_t count, size_t page_bytes)
{
    for (size_t i = 0; i < count; i++)
        if (mmap(base + list[i].page * page_bytes, page_bytes, PROT_READ | PROT_EXEC,
                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, (off_t)(list[i].frame * page_bytes)) == MAP_FAILED)
            return false;
    return true;
}

/*
 * Maps shared memory at two addresses: one to write at, one that windows use, where the pages show the frames in the
 * order of `frames`, or only those of the list have frames, or all in ascending order where both are NULL. NULL, or why
 * not.
 */
static const char *map_shared(struct mapping *m, const size_t *frames, const struct page_frame *list, size_t count,
                              enum area_use use)
{
    const char *why = NULL;
    int protection = use == AREA_CODE ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE;
    if (use == AREA_CODE && shared_shows_code == SHOWS_OLD_CODE)
        return old_code;
    int fd = simulated_offers_shared_memory() ? memfd_create("fathom", MFD_CLOEXEC) : -1;
    if (fd < 0 || ftruncate(fd, (off_t)m->write_bytes) != 0) {
        why = no_shared_memory;
    } else {
        uint8_t *write = reserve(m->write_bytes, small_page()), *run = reserve(m->mapped_bytes, small_page());
        bool seen = write && mmap(write, m->write_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                                  fd, 0) != MAP_FAILED;
        if (seen && run && frames)
            seen = order_frames(run, protection, fd, frames, m->mapped_bytes / m->area.page_bytes, m->area.page_bytes);
        else if (seen && run && list)
            seen = scatter_frames(run, fd, list, count, m->area.page_bytes);
        else if (seen && run)
            seen = mmap(run, m->mapped_bytes, protection, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
        if (!seen || !run) {
            why = use == AREA_CODE ? "the kernel does not let generated code run (a security module may forbid it)"
                                   : "the kernel does not map frames in this order";
            if (write)
                unreserve(write, m->write_bytes);
            if (run)
                unreserve(run, m->mapped_bytes);
        } else {
            m->area.write = write;
            m->area.at = (uintptr_t)run;
        }
    }
    if (fd >= 0)
        close(fd);
    return why;
}

/*
 * Maps code that is written at one address and runs at another, or at one address where that is not offered. NULL, or
 * why not.
 */
static const char *map_code(struct mapping *m)
{
    const char *why = map_shared(m, NULL, NULL, 0, AREA_CODE);

    if (!why && shared_shows_code == NOT_SHOWN) {
        shared_shows_code = shows_new_code(&m->area) ? SHOWS_NEW_CODE : SHOWS_OLD_CODE;
        if (shared_shows_code == SHOWS_OLD_CODE) {
            unreserve(m->area.write, m->write_bytes);
            unreserve((uint8_t *)m->area.at, m->mapped_bytes); // NOLINT(performance-no-int-to-ptr)
            why = old_code;
        }
    }
    return why == no_shared_memory || why == old_code ? map_anonymous_code(m) : why;
}

const char *areas_code_at_one_address(void)
{
    return anonymous_code;
}

/* Whether another area of this size stays within the limit. */
static bool memory_left(size_t bytes)
{
    size_t used = 0;

    for (size_t i = 0; i < mapping_count; i++)
        used += mappings[i].write_bytes;
    return used <= limit_bytes && bytes <= limit_bytes - used;
}

static const char no_memory[] = "there is not enough memory: the key `memory` sets how much may be used";

/* Maps memory as machine_map does, of that node unless `node` is NULL. */
static const char *map_any(struct area *a, size_t bytes, size_t page_bytes, enum area_use use, const uint32_t *node)
{
    if (!page_bytes)
        page_bytes = small_page();
    bool offered = page_bytes == small_page(), reserved = false;
    for (size_t i = 0; i < large_page_count && use == AREA_DATA; i++)
        if (large_pages[i].bytes == page_bytes) {
            offered = true;
            reserved = large_pages[i].reserved;
        }
    if (!offered)
        return "a Linux process cannot choose this page size";
    if (mapping_count == AREAS)
        return "too many areas are mapped";

    struct mapping *m = &mappings[mapping_count];
    *m = (struct mapping){.area = {.bytes = bytes, .page_bytes = page_bytes},
                          .mapped_bytes = (bytes + page_bytes - 1) / page_bytes * page_bytes};
    m->write_bytes = m->mapped_bytes;
    const char *why = NULL;
    if (!memory_left(m->write_bytes))
        return no_memory;
    if (use == AREA_CODE)
        why = map_code(m);
    else if (node || !reserved || map_reserved(m, page_bytes)) /* reserved pages may be of any node */
        why = map_data(m, page_bytes, node);
    if (why)
        return why;
    const size_t guard = simulated() ? SIMULATED_GUARD_BYTES : GUARD_BYTES;
    m->guard_bytes = m->mapped_bytes - bytes < guard ? m->mapped_bytes - bytes : guard;
    guard_set(m->area.write + bytes, m->guard_bytes);
    mapping_count++;
    *a = m->area;
    return NULL;
}

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    if (use == AREA_CONTIGUOUS)
        return "a Linux process cannot set the contiguous hint: the kernel writes the page tables";
    return map_any(a, bytes, page_bytes, use, NULL);
}

/* Where a node has no page left, the kernel ends processes: so a part is left to others. */
static const uint64_t LEFT_OF_NODE = 256 << 20;

const char *machine_map_node(struct area *a, size_t bytes, size_t page_bytes, uint32_t node)
{
    if (nodes_free_bytes(node) < bytes + LEFT_OF_NODE)
        return "the node has not enough free memory";
    return map_any(a, bytes, page_bytes, AREA_DATA, &node);
}

const char *machine_map_frames(struct area *a, const size_t *frames, size_t pages, size_t page_bytes, enum area_use use)
{
    size_t count = 0;

    if (page_bytes != small_page())
        return "a Linux process cannot choose this page size";
    if (mapping_count == AREAS)
        return "too many areas are mapped";
    for (size_t i = 0; i < pages; i++)
        if (frames[i] != NO_FRAME && frames[i] >= count)
            count = frames[i] + 1;

    struct mapping *m = &mappings[mapping_count];
    *m = (struct mapping){.area = {.bytes = pages * page_bytes, .page_bytes = page_bytes},
                          .mapped_bytes = pages * page_bytes,
                          .write_bytes = count * page_bytes};
    if (!memory_left(m->write_bytes))
        return no_memory;
    const char *why = map_shared(m, frames, NULL, 0, use);
    if (why)
        return why;
    mapping_count++;
    *a = m->area;
    return NULL;
}

/* Begins the mapping of an area of `pages` pages, of which those in the list have frames. Returns why it cannot. */
static const char *begin_listed(const struct page_frame *list, size_t count, size_t pages, size_t page_bytes,
                                struct mapping **m)
{
    size_t frames = 0;

    if (page_bytes != small_page())
        return "a Linux process cannot choose this page size";
    if (mapping_count == AREAS)
        return "too many areas are mapped";
    for (size_t i = 0; i < count; i++)
        frames = list[i].frame >= frames ? list[i].frame + 1 : frames;
    *m = &mappings[mapping_count];
    **m = (struct mapping){.area = {.bytes = pages * page_bytes, .page_bytes = page_bytes},
                           .write_bytes = frames * page_bytes};
    return memory_left((*m)->write_bytes) ? NULL : no_memory;
}

const char *machine_map_scattered(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                                  size_t page_bytes)
{
    struct mapping *m;
    const char *why = begin_listed(list, count, pages, page_bytes, &m);

    if (why)
        return why;
    m->mapped_bytes = m->area.bytes;
    why = map_shared(m, NULL, list, count, AREA_CODE);
    if (why)
        return why;
    mapping_count++;
    *a = m->area;
    return NULL;
}

/* Unmaps the first `count` pages of the list, whose addresses are their numbers times the page size. */
static void unmap_pages(const struct page_frame *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        munmap((void *)(list[i].page * small_page()), small_page()); // NOLINT(performance-no-int-to-ptr)
}

/* Maps pages of `fd` at their addresses, where nothing else is mapped. False, with none of them mapped, where it is. */
static bool map_pages_apart(int fd, const struct page_frame *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *at = (void *)(list[i].page * small_page()); // NOLINT(performance-no-int-to-ptr)
        void *got = mmap(at, small_page(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE, fd,
                         (off_t)(list[i].frame * small_page()));
        if (got == at)
            continue;
        if (got != MAP_FAILED) /* a kernel before 4.17 takes the address as a hint */
            munmap(got, small_page());
        unmap_pages(list, i);
        return false;
    }
    return true;
}

/* The area begins at address 0: it is the whole address space, of which others have parts as well. */
const char *machine_map_sparse(struct area *a, const struct page_frame *list, size_t count, size_t pages,
                               size_t page_bytes)
{
    struct mapping *m;
    const char *why = begin_listed(list, count, pages, page_bytes, &m);

    if (why)
        return why;
    m->list = list;
    m->count = count;
    const int fd = simulated_offers_shared_memory() ? memfd_create("fathom", MFD_CLOEXEC) : -1;
    if (fd < 0)
        return "the kernel gave no shared memory";
    uint8_t *write = ftruncate(fd, (off_t)m->write_bytes) ? NULL : reserve(m->write_bytes, small_page());
    if (!write ||
        mmap(write, m->write_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0) == MAP_FAILED)
        why = "the kernel gave no shared memory";
    else if (!map_pages_apart(fd, list, count))
        why = "something else is mapped at these addresses, or there are no such addresses";
    close(fd);
    if (why && write)
        unreserve(write, m->write_bytes);
    if (why)
        return why;
    m->area.write = write;
    mapping_count++;
    *a = m->area;
    return NULL;
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    (void)a, (void)accessed;
    return "a Linux process cannot read page tables";
}

size_t machine_map_mark(void)
{
    return mapping_count;
}

static void note_outside(uintptr_t address, uint64_t pc)
{
    if (!outside.vector)
        outside = (struct fault){.vector = "outside-area", .address = address, .pc = pc};
}

void machine_map_release(size_t mark)
{
    while (mapping_count > mark) {
        struct mapping *m = &mappings[--mapping_count];
        const uint8_t *broken = guard_broken(m->area.write + m->area.bytes, m->guard_bytes);
        if (broken)
            note_outside((uintptr_t)broken, 0);
        unreserve(m->area.write, m->write_bytes);
        if (m->list)
            unmap_pages(m->list, m->count);
        else if (m->area.at != (uintptr_t)m->area.write)
            unreserve((uint8_t *)m->area.at, m->mapped_bytes);
    }
}

/* Whether the address lies in the page before or the page behind these bytes. */
static bool around(uintptr_t address, uintptr_t base, size_t bytes)
{
    return (address >= base - small_page() && address < base) ||
           (address >= base + bytes && address < base + bytes + small_page());
}

bool areas_guard_touched(uintptr_t address, uint64_t pc)
{
    for (size_t i = 0; i < mapping_count; i++) {
        const struct mapping *m = &mappings[i];
        if (!around(address, (uintptr_t)m->area.write, m->write_bytes) &&
            (m->list || !around(address, m->area.at, m->mapped_bytes)))
            continue;
        note_outside(address, pc);
        return mprotect((void *)(address & ~(uintptr_t)(small_page() - 1)), small_page(), PROT_READ | PROT_WRITE) == 0;
    }
    return false;
}

bool machine_touched_outside(struct fault *fault)
{
    if (!outside.vector)
        return false;
    *fault = outside;
    outside = (struct fault){.vector = NULL};
    return true;
}

void machine_code_written(const struct area *a, size_t offset, size_t bytes)
{
    /*
     * Cleaning by the executable address suffices: data caches are cleaned by any address of the frame (Arm ARM
     * D7.5).
     */
    char *run = (char *)a->at + offset;
    __builtin___clear_cache(run, run + bytes);
}
