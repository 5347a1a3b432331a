/*
 * The door as a Linux process opens it: mmap and memfd for memory, one core to itself as far as the
 * scheduler lets it. Windows are in window.c.
 */
#define _GNU_SOURCE
#include "lib/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "arch/emit.h"
#include "arch/identify.h"
#include "boot/linux/linux.h"
#include "lib/config.h"
#include "lib/guard.h"
#include "lib/hash.h"
#include "lib/record.h"

enum { AREAS = 64, IDENTITY_VALUES = 512, LARGE_PAGES = 4 };

/* How pages larger than the smallest are had. */
static struct large_page {
    size_t bytes;
    const char *source; /* for people */
    bool reserved;      /* by the administrator (Documentation/admin-guide/mm/hugetlbpage.rst); else transparent */
} large_pages[LARGE_PAGES];
static size_t large_page_count;

/*
 * What is mapped now, in the order in which it was asked for. What is left of its last page holds a pattern; the pages
 * around it cannot be touched:
 *
 *     no access | area … | pattern | no access
 */
static struct mapping {
    struct area area;
    size_t mapped_bytes; /* of the alias that runs, rounded up to whole pages */
    size_t write_bytes;  /* of the other one */
    size_t guard_bytes;  /* of the pattern behind the area */
} mappings[AREAS];
static size_t mapping_count;
static struct fault outside; /* the first one of which nobody has been told; its vector is NULL: none */

static struct machine_info info;
static unsigned deadline_ms, memory_mib;

const struct machine_info *machine_info(void)
{
    return &info;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The kernel's word for how many bytes of this range really lie on huge pages. */
static size_t huge_bytes_at(const void *base)
{
    FILE *f = fopen("/proc/self/smaps", "re");
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

static size_t small_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Addresses so aligned for so many bytes, between two pages that cannot be touched; NULL: there are none. */
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

/* On pages that were reserved, if enough of them are free; the size is told in bits 26 and up (mmap(2), MAP_HUGETLB). */
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

static const char *map_data(struct mapping *m, size_t page_bytes)
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
    for (size_t i = 0; i < m->mapped_bytes; i += small_page())
        base[i] = 0; /* touched: the frames are there before anything is timed */
    if (huge && huge_bytes_at(base) < m->mapped_bytes) {
        unreserve(base, m->mapped_bytes);
        return "the kernel gave no transparent huge pages";
    }
    m->area.write = base;
    m->area.at = (uintptr_t)base;
    return NULL;
}

/*
 * Puts the pages of `fd` over those at `base`, in the order of frames, neighbours in one piece: the kernel allows some
 * 65,000 of them (Documentation/admin-guide/sysctl/vm.rst, max_map_count).
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

/*
 * One piece of shared memory, seen twice: writable here, and there as windows see it. Its frames are in the order asked
 * for, or in their own one (NULL).
 */
static const char *map_shared(struct mapping *m, const size_t *frames, enum area_use use)
{
    const char *why = NULL;
    int protection = use == AREA_CODE ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE;
    int fd = memfd_create("fathom", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)m->write_bytes) != 0) {
        why = "the kernel gave no shared memory";
    } else {
        uint8_t *write = reserve(m->write_bytes, small_page()), *run = reserve(m->mapped_bytes, small_page());
        bool seen = write && mmap(write, m->write_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                                  fd, 0) != MAP_FAILED;
        if (seen && run && frames)
            seen = order_frames(run, protection, fd, frames, m->mapped_bytes / m->area.page_bytes, m->area.page_bytes);
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

/* Whether so much is left of what may be used. */
static bool memory_left(size_t bytes)
{
    size_t used = 0;

    for (size_t i = 0; i < mapping_count; i++)
        used += mappings[i].write_bytes;
    return used <= info.memory_bytes && bytes <= info.memory_bytes - used;
}

static const char no_memory[] = "there is not enough memory: the key `memory` sets how much may be used";

const char *machine_map(struct area *a, size_t bytes, size_t page_bytes, enum area_use use)
{
    if (use == AREA_CONTIGUOUS)
        return "a process does not write page tables: no contiguous hint";
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
        why = map_shared(m, NULL, AREA_CODE);
    else if (!reserved || map_reserved(m, page_bytes))
        why = map_data(m, page_bytes);
    if (why)
        return why;
    m->guard_bytes = m->mapped_bytes - bytes < GUARD_BYTES ? m->mapped_bytes - bytes : GUARD_BYTES;
    guard_set(m->area.write + bytes, m->guard_bytes);
    mapping_count++;
    *a = m->area;
    return NULL;
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
    const char *why = map_shared(m, frames, use);
    if (why)
        return why;
    mapping_count++;
    *a = m->area;
    return NULL;
}

const char *machine_pages_accessed(const struct area *a, bool *accessed)
{
    (void)a, (void)accessed;
    return "the kernel keeps page tables to itself";
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
        if (m->area.at != (uintptr_t)m->area.write)
            unreserve((uint8_t *)m->area.at, m->mapped_bytes);
    }
}

/* Whether it lies in one of the two pages around these bytes. */
static bool around(uintptr_t address, uintptr_t base, size_t bytes)
{
    return (address >= base - small_page() && address < base) ||
           (address >= base + bytes && address < base + bytes + small_page());
}

bool linux_guard_touched(uintptr_t address, uint64_t pc)
{
    for (size_t i = 0; i < mapping_count; i++) {
        const struct mapping *m = &mappings[i];
        if (!around(address, (uintptr_t)m->area.write, m->write_bytes) && !around(address, m->area.at, m->mapped_bytes))
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
    /* Data caches are cleaned by any address of the frame (Arm ARM D7.5): the one that runs reaches both caches. */
    char *run = (char *)a->at + offset;
    __builtin___clear_cache(run, run + bytes);
}

/* ---- What this place is ---------------------------------------------------------------------- */

double machine_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char *machine_idle(double seconds)
{
    const struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    nanosleep(&t, NULL);
    return NULL;
}

void machine_date(char out[24])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, 24, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* A number in a file of sysfs or procfs; 0 where it is not. */
static size_t number_in(const char *path)
{
    size_t number = 0;
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%zu", &number) != 1)
        number = 0;
    if (f)
        fclose(f);
    return number;
}

static bool transparent_offered(void)
{
    char mode[64] = "";
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    bool offered = f && fgets(mode, sizeof mode, f) && !strstr(mode, "[never]");
    if (f)
        fclose(f);
    return offered;
}

/*
 * Sizes ascending: block sizes of all granules on both instruction sets, as far as pages are reserved; and the one
 * that transparent huge pages have here (Documentation/admin-guide/mm/transhuge.rst).
 */
static void find_large_pages(void)
{
    static const size_t kib[] = {2 << 10, 32 << 10, 512 << 10, 1 << 20};
    size_t transparent = transparent_offered() ? number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") : 0;

    large_page_count = 0;
    for (size_t i = 0; i < sizeof kib / sizeof kib[0]; i++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/kernel/mm/hugepages/hugepages-%zukB/free_hugepages", kib[i]);
        bool reserved = number_in(path) > 0;
        if (reserved || transparent == kib[i] << 10)
            large_pages[large_page_count++] = (struct large_page){
                kib[i] << 10, reserved ? "reserved huge pages" : "transparent huge pages", reserved};
    }
}

/* One line of /sys/devices/system/cpu/cpuN/cache/indexN/NAME; "" where it is not. */
static void sysfs_cache_line(int core, unsigned index, const char *name, char *out, int room)
{
    char path[112];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%u/%s", core, index, name);
    FILE *f = fopen(path, "re");
    out[0] = 0;
    if (f && !fgets(out, room, f))
        out[0] = 0;
    if (f)
        fclose(f);
}

static uint64_t sysfs_cache_number(int core, unsigned index, const char *name)
{
    char line[32];
    sysfs_cache_line(core, index, name, line, sizeof line);
    return strtoull(line, NULL, 10);
}

/* What the kernel says, for cores that tell only it (Documentation/ABI/testing/sysfs-devices-system-cpu). */
static size_t sysfs_caches(int core, struct identity_cache *out, size_t room)
{
    size_t count = 0;

    for (unsigned i = 0; i < IDENTITY_CACHES && count < room; i++) {
        char type[32];
        sysfs_cache_line(core, i, "type", type, sizeof type);
        if (!type[0])
            break;
        out[count++] = (struct identity_cache){
            .level = (unsigned)sysfs_cache_number(core, i, "level"),
            .holds = type[0] == 'D'   ? HOLDS_DATA
                     : type[0] == 'I' ? HOLDS_INSTRUCTIONS
                                      : HOLDS_DATA | HOLDS_INSTRUCTIONS, /* "Unified" */
            .bytes = sysfs_cache_number(core, i, "size") << 10,          /* "1024K" */
            .ways = (unsigned)sysfs_cache_number(core, i, "ways_of_associativity"),
            .line_bytes = (unsigned)sysfs_cache_number(core, i, "coherency_line_size"),
            .source = "sysfs"};
    }
    return count;
}

/* The core's own word first. */
static void find_declared(int core)
{
    static struct identity_cache caches[2 * IDENTITY_CACHES];
    static struct identity_tlb tlbs[IDENTITY_TLBS];

    info.caches = caches;
    info.cache_count = identify_caches(caches, IDENTITY_CACHES, false);
    info.cache_count += sysfs_caches(core, caches + info.cache_count, IDENTITY_CACHES);
    info.tlbs = tlbs;
    info.tlb_count = identify_tlbs(tlbs, IDENTITY_TLBS);
}

/* The identification registers of the core in use, as one number. */
static void fingerprint(char out[17])
{
    static struct identity_value raw[IDENTITY_VALUES];
    size_t count = identify_raw(raw, IDENTITY_VALUES);
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < count; i++)
        hash = hash_bytes(hash, &raw[i].value, sizeof raw[i].value);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

/* Unless told otherwise half of what there is: others need some, too. All of it is what nobody uses now. */
static size_t memory_to_use(void)
{
    const size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * small_page(), wanted = (size_t)memory_mib << 20;

    if (memory_mib == MEMORY_ALL)
        return (size_t)sysconf(_SC_AVPHYS_PAGES) * small_page();
    return memory_mib == 0 ? all / 2 : wanted < all ? wanted : all;
}

/* Pins the process, and finds out what that core is. NULL, or why not. */
static const char *describe_core(unsigned core)
{
    struct identity identity;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return "it does not exist, is offline, or may not be used by this process";

    struct machine_info reader = {.counters = READER_TIME_ONLY};
    const char *why = linux_windows_start(deadline_ms, &reader);
    if (why)
        return why;
    linux_describing(true);
    identify(&identity);
    info = (struct machine_info){
        .platform = "linux",
        .isa = emit_isa,
        .hypervisor = "",
        .emulator = identity.emulator,
        .tick_hz = identity.tick_hz,
        .tick_source = identity.tick_source,
        .counters = reader.counters,
        .cycle_source = reader.cycle_source,
        .no_counters = reader.no_counters,
        .no_deadline = reader.no_deadline,
        .core = core,
        .page_bytes = {(size_t)sysconf(_SC_PAGESIZE)},
        .memory_bytes = memory_to_use(),
    };
    snprintf(info.core_type, sizeof info.core_type, "%s", linux_core_type(core));
    find_large_pages();
    for (size_t i = 0; i < large_page_count; i++)
        info.page_bytes[1 + i] = large_pages[i].bytes;
    find_declared((int)core);
    memcpy(info.core_name, identity.core_name, sizeof info.core_name);
    memcpy(info.core_model, identity.model, sizeof info.core_model);
    memcpy(info.hypervisor, identity.hypervisor, sizeof info.hypervisor);
    if (!(info.tick_hz > 0) || info.counters == READER_CYCLES_AS_TIME) {
        info.tick_hz = linux_tick_hz();
        info.tick_source = "calibrated against CLOCK_MONOTONIC_RAW";
    }
    info.vector_bits = identify_vector_bits();
    info.scalable_bits = identify_scalable_bits();
    fingerprint(info.fingerprint);
    linux_describing(false);
    return NULL;
}

const char *linux_machine_start(const struct config *c)
{
    deadline_ms = c->deadline_ms;
    memory_mib = c->memory_mib;
    linux_cores_start();
    return describe_core((unsigned)sched_getcpu());
}

/* Where it cannot be used, the process goes back to the core before, which could. */
const char *machine_use_core(unsigned index)
{
    const unsigned before = info.core;
    const char *why = describe_core(index);

    if (why)
        describe_core(before);
    return why;
}

static bool read_line(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "r");
    bool read = file && fgets(out, (int)room, file) != NULL;

    if (file)
        fclose(file);
    if (read)
        out[strcspn(out, "\n")] = 0;
    return read && out[0];
}

/* What SMBIOS says, and the microcode of the core in use, which the kernel lists core by core. */
static void describe_firmware(struct record *r)
{
    static const char *const files[][2] = {{"manufacturer", "/sys/class/dmi/id/sys_vendor"},
                                           {"product", "/sys/class/dmi/id/product_name"},
                                           {"firmware_version", "/sys/class/dmi/id/bios_version"},
                                           {"firmware_date", "/sys/class/dmi/id/bios_date"}};
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    unsigned core = 0, revision;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (read_line(files[i][1], line, sizeof line))
            record_text(r, files[i][0], line);
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "processor : %u", &core) != 1 && core == info.core &&
            sscanf(line, "microcode : %x", &revision) == 1) {
            record_hex(r, "microcode", revision);
            break;
        }
    }
    if (file)
        fclose(file);
}

void machine_describe(struct record *r)
{
    static struct identity_value raw[IDENTITY_VALUES];
    struct utsname name;

    linux_describing(true);
    size_t count = identify_raw(raw, IDENTITY_VALUES);
    linux_describing(false);
    if (uname(&name) == 0) {
        record_text(r, "system", name.sysname);
        record_text(r, "release", name.release);
        record_text(r, "host_isa", name.machine);
    }
    record_integer(r, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    describe_firmware(r);
    record_object(r, "identity");
    for (size_t i = 0; i < count; i++)
        record_hex(r, raw[i].name, raw[i].value);
    record_close(r);
}

void machine_describe_environment(struct record *r)
{
    record_text(r, "interrupts", "the operating system's");
    record_text(r, "deadline", "ITIMER_REAL");
    record_array(r, "large_pages");
    for (size_t i = 0; i < large_page_count; i++) {
        record_object(r, NULL);
        record_integer(r, "bytes", large_pages[i].bytes);
        record_text(r, "source", large_pages[i].source);
        record_close(r);
    }
    record_close(r);
    record_text(r, "frames",
                info.hypervisor[0] ? "the hypervisor's to choose: large pages may lie on small frames"
                                   : "the kernel's to choose: they follow each other within a page");
}
