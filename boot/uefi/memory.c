/*
 * The buffer that is measured with is physically contiguous, so that probes can choose the placement of pages freely.
 * The firmware keeps enough memory to go on working; a machine with little memory gives a smaller buffer, and a
 * warning. Where the machine has several nodes (NUMA), the buffer is of the node of the core that booted.
 */
#include "boot/uefi/memory.h"

#include <efi.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arch/own.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/node.h"
#include "boot/uefi/warnings.h"
#include "lib/base/guard.h"
#include "lib/plan/config.h"

static const size_t MIB = (size_t)1 << 20;
enum {
    FIRMWARE_MIB = 64, /* left to the firmware beside a large buffer: four times our largest heap (libc.c) */
    FIRMWARE_LEAST_MIB =
        8, /* beside a small one: on a machine with little memory a buffer matters more than a reserve */
    SMALL_BUFFER_MIB = 16, /* the largest buffer beside which the second is left */
};

/* Alignments to try, large to small: the block sizes of x86-64 and of AArch64's three granules. */
static const size_t alignments_mib[] = {1024, 512, 32, 2};
enum { ALIGNMENTS = sizeof alignments_mib / sizeof alignments_mib[0] };

/*
 * UEFI specification 2.10, 7.2: memory that is for one purpose, such as high-bandwidth memory; gnu-efi lacks the name.
 */
static const uint64_t SPECIFIC_PURPOSE = 0x40000;

static uint8_t *buffer;
static size_t buffer_bytes;
static uint64_t ram_bytes, free_bytes_at_start;

/* ---- The firmware's map ------------------------------------------------------------------------ */

struct map {
    uint8_t *bytes; /* descriptors, each descriptor_bytes apart */
    UINTN size, descriptor_bytes;
};

static bool map_read(struct map *m)
{
    UINTN key = 0;
    UINT32 version = 0;

    *m = (struct map){0};
    firmware.boot->GetMemoryMap(&m->size, NULL, &key, &m->descriptor_bytes, &version);
    m->size += 8 * m->descriptor_bytes; /* allocating the memory for the map splits one or two ranges; room for more */
    if (EFI_ERROR(firmware.boot->AllocatePool(EfiLoaderData, m->size, (void **)&m->bytes)))
        return false;
    if (!EFI_ERROR(firmware.boot->GetMemoryMap(&m->size, (void *)m->bytes, &key, &m->descriptor_bytes, &version)))
        return true;
    firmware.boot->FreePool(m->bytes);
    return false;
}

static const EFI_MEMORY_DESCRIPTOR *map_entry(const struct map *m, size_t i)
{
    size_t at = i * m->descriptor_bytes;
    return at < m->size ? (const EFI_MEMORY_DESCRIPTOR *)(m->bytes + at) : NULL;
}

static uint64_t free_bytes(const struct map *m)
{
    const EFI_MEMORY_DESCRIPTOR *d;
    uint64_t sum = 0;

    for (size_t i = 0; (d = map_entry(m, i)); i++)
        if (d->Type == EfiConventionalMemory)
            sum += d->NumberOfPages * EFI_PAGE_SIZE;
    return sum;
}

uint64_t memory_free_bytes(void)
{
    struct map m;

    if (!map_read(&m))
        return 0;
    uint64_t bytes = free_bytes(&m);
    firmware.boot->FreePool(m.bytes);
    return bytes;
}

/*
 * Whether a range is RAM that may be mapped as cacheable memory. Reserved ranges are not: they may be secure memory or
 * devices, which speculative accesses through a cacheable mapping must not reach.
 */
static bool is_ram(const EFI_MEMORY_DESCRIPTOR *d)
{
    switch (d->Type) {
    case EfiLoaderCode:
    case EfiLoaderData:
    case EfiBootServicesCode:
    case EfiBootServicesData:
    case EfiRuntimeServicesCode:
    case EfiRuntimeServicesData:
    case EfiConventionalMemory:
    case EfiACPIReclaimMemory:
    case EfiACPIMemoryNVS: return (d->Attribute & EFI_MEMORY_WB) != 0;
    default: return false;
    }
}

static int by_base(const void *a, const void *b)
{
    const struct own_range *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

struct own_range *memory_ram(size_t *count)
{
    struct map m;
    size_t ranges = 0, merged = 0;

    *count = 0;
    if (!map_read(&m))
        return NULL;
    struct own_range *ram = malloc(m.size / m.descriptor_bytes * sizeof *ram);
    const EFI_MEMORY_DESCRIPTOR *d;
    for (size_t i = 0; ram && (d = map_entry(&m, i)); i++)
        if (is_ram(d) && d->NumberOfPages)
            ram[ranges++] = (struct own_range){d->PhysicalStart, d->NumberOfPages * EFI_PAGE_SIZE};
    firmware.boot->FreePool(m.bytes);
    if (!ram || !ranges)
        return ram;

    qsort(ram, ranges, sizeof *ram, by_base);
    for (size_t i = 1; i < ranges; i++) {
        if (ram[merged].base + ram[merged].bytes == ram[i].base)
            ram[merged].bytes += ram[i].bytes;
        else
            ram[++merged] = ram[i];
    }
    *count = merged + 1;
    ram_bytes = 0;
    for (size_t i = 0; i < *count; i++)
        ram_bytes += ram[i].bytes;
    return ram;
}

/* Types of memory (7.2); others are the firmware's own. */
static const char *const type_names[] = {
    [EfiReservedMemoryType] = "reserved",
    [EfiLoaderCode] = "loader-code",
    [EfiLoaderData] = "loader-data",
    [EfiBootServicesCode] = "boot-code",
    [EfiBootServicesData] = "boot-data",
    [EfiRuntimeServicesCode] = "runtime-code",
    [EfiRuntimeServicesData] = "runtime-data",
    [EfiConventionalMemory] = "free",
    [EfiUnusableMemory] = "unusable",
    [EfiACPIReclaimMemory] = "acpi-tables",
    [EfiACPIMemoryNVS] = "acpi-nvs",
    [EfiMemoryMappedIO] = "device",
    [EfiMemoryMappedIOPortSpace] = "device-ports",
    [EfiPalCode] = "pal-code",
    [14] = "persistent", /* EfiPersistentMemory, which gnu-efi does not have */
};

void memory_describe_map(struct record *r)
{
    const EFI_MEMORY_DESCRIPTOR *d;
    struct map m;

    if (!map_read(&m))
        return;
    for (size_t i = 0; (d = map_entry(&m, i)); i++) {
        record_array(r, NULL);
        if (d->Type < sizeof type_names / sizeof type_names[0])
            record_text(r, NULL, type_names[d->Type]);
        else
            record_hex(r, NULL, d->Type);
        record_hex(r, NULL, d->PhysicalStart);
        record_integer(r, NULL, d->NumberOfPages);
        record_hex(r, NULL, d->Attribute);
        record_close(r);
    }
    firmware.boot->FreePool(m.bytes);
}

/* ---- Pages ------------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

void *memory_pages(size_t bytes, size_t alignment)
{
    EFI_PHYSICAL_ADDRESS raw;
    size_t size = round_up(bytes, EFI_PAGE_SIZE);
    size_t spare = alignment > EFI_PAGE_SIZE ? alignment - EFI_PAGE_SIZE : 0;

    if (EFI_ERROR(firmware.boot->AllocatePages(AllocateAnyPages, EfiLoaderData, (size + spare) / EFI_PAGE_SIZE, &raw)))
        return NULL;
    EFI_PHYSICAL_ADDRESS base = spare ? round_up(raw, alignment) : raw;
    if (base > raw)
        firmware.boot->FreePages(raw, (base - raw) / EFI_PAGE_SIZE);
    if (raw + spare > base)
        firmware.boot->FreePages(base + size, (raw + spare - base) / EFI_PAGE_SIZE);
    return memset((void *)(uintptr_t)base, 0, size);
}

void memory_free(void *base, size_t bytes)
{
    firmware.boot->FreePages((uintptr_t)base, round_up(bytes, EFI_PAGE_SIZE) / EFI_PAGE_SIZE);
}

/* ---- The buffer -------------------------------------------------------------------------------- */

/* Where the buffer may be: the ranges of the chosen node, or one range with all addresses. */
struct places {
    const struct srat_memory *ranges;
    size_t count;
};
static const struct srat_memory anywhere = {.base = 0, .bytes = UINT64_MAX};
static struct places allowed = {&anywhere, 1};

/*
 * An aligned address in both ranges, not below 1 MiB, with `bytes` from there on and a guard before; 0: there is none.
 */
static uint64_t place_in(const EFI_MEMORY_DESCRIPTOR *d, const struct srat_memory *within, size_t bytes,
                         size_t alignment)
{
    const uint64_t d_end = d->PhysicalStart + d->NumberOfPages * EFI_PAGE_SIZE, w_end = within->base + within->bytes;
    const uint64_t start = d->PhysicalStart > within->base ? d->PhysicalStart : within->base;
    const uint64_t end = d_end < w_end ? d_end : w_end;
    const uint64_t base = round_up(start + GUARD_BYTES, alignment);

    return base >= MIB && base < end && end - base >= bytes ? base : 0;
}

/* Such an address in free memory, in one of these ranges; 0 where there is none. */
static uint64_t find_place(const struct map *m, const struct places *in, size_t bytes, size_t alignment)
{
    const EFI_MEMORY_DESCRIPTOR *d;

    for (size_t i = 0; (d = map_entry(m, i)); i++) {
        if (d->Type != EfiConventionalMemory || !(d->Attribute & EFI_MEMORY_WB) || (d->Attribute & SPECIFIC_PURPOSE))
            continue;
        for (size_t j = 0; j < in->count; j++) {
            const uint64_t base = place_in(d, &in->ranges[j], bytes, alignment);
            if (base)
                return base;
        }
    }
    return 0;
}

/* Takes a buffer of exactly that size, with the largest alignment possible. False when there is none. */
static bool take(const struct map *m, size_t bytes)
{
    for (size_t i = 0; i < ALIGNMENTS; i++) {
        size_t alignment = alignments_mib[i] * MIB;
        uint64_t base = bytes >= alignment ? find_place(m, &allowed, bytes, alignment) : 0;
        EFI_PHYSICAL_ADDRESS guard = base - GUARD_BYTES;
        if (base && !EFI_ERROR(firmware.boot->AllocatePages(AllocateAddress, EfiLoaderData,
                                                            (bytes + GUARD_BYTES) / EFI_PAGE_SIZE, &guard))) {
            buffer = (uint8_t *)(uintptr_t)base;
            buffer_bytes = bytes;
            return true;
        }
    }
    return false;
}

/* The size in MiB of the largest contiguous piece, limited so that FIRMWARE_MIB are left where there is more memory. */
static size_t largest_mib(const struct map *m)
{
    const size_t free_mib = free_bytes_at_start / MIB, alignment = alignments_mib[ALIGNMENTS - 1] * MIB;
    size_t most = 0;

    while (find_place(m, &allowed, (most + 1) * MIB, alignment))
        most++;
    if (free_mib > FIRMWARE_MIB + SMALL_BUFFER_MIB && most > free_mib - FIRMWARE_MIB)
        most = free_mib - FIRMWARE_MIB;
    return most;
}

/* ---- Nodes -------------------------------------------------------------------------------------- */

/*
 * Leaves of the ranges those of the core's node, and allows only these. Nothing changes where the core's node is not
 * known, or all memory is of one node. The ranges stay allocated until memory_finish.
 */
static struct srat_memory *node_ranges;

/* Moves the ranges of that node to the front. Returns how many there are. */
static size_t keep_node(struct srat_memory *ranges, size_t count, uint32_t node)
{
    size_t own = 0;

    for (size_t i = 0; i < count; i++)
        if (ranges[i].node == node)
            ranges[own++] = ranges[i];
    return own;
}

static void choose_node(const struct map *m, uint64_t core)
{
    size_t count;
    uint32_t node;

    node_ranges = node_memory(&count);
    if (!node_ranges || !node_of_core(core, &node))
        return;
    const size_t own = keep_node(node_ranges, count, node);
    if (own == count)
        return;
    allowed = (struct places){node_ranges, own};
    if (find_place(m, &allowed, MIB, EFI_PAGE_SIZE))
        return;
    warn("memory", "node %u, which the core belongs to, has no free memory: it measures with that of another node",
         node);
    allowed = (struct places){&anywhere, 1};
}

bool memory_node(uint32_t *node)
{
    size_t count;
    struct srat_memory *all = node_memory(&count);
    bool found = false;

    for (size_t i = 0; buffer && i < count && !found; i++)
        if ((uintptr_t)buffer - all[i].base < all[i].bytes) {
            *node = all[i].node;
            found = true;
        }
    free(all);
    return found;
}

void memory_start(size_t wanted_mib, uint64_t core)
{
    struct map m;

    if (!map_read(&m)) {
        warn("memory", "the firmware does not provide its memory map: there is no memory to measure with");
        return;
    }
    free_bytes_at_start = free_bytes(&m);
    choose_node(&m, core);
    const size_t most = largest_mib(&m);
    for (size_t mib = wanted_mib < most ? wanted_mib : most; mib >= alignments_mib[ALIGNMENTS - 1] && !buffer;
         mib /= 2) {
        size_t left = mib > SMALL_BUFFER_MIB ? FIRMWARE_MIB : FIRMWARE_LEAST_MIB;
        if (free_bytes_at_start >= (mib + left) * MIB)
            take(&m, mib * MIB);
    }
    firmware.boot->FreePool(m.bytes);
    if (wanted_mib != MEMORY_ALL && buffer_bytes < wanted_mib * MIB)
        warn("memory",
             "%zu MiB of contiguous memory were wanted and %zu MiB are available: large footprints are left out",
             wanted_mib, buffer_bytes / MIB);
}

uint8_t *memory_take_node(size_t bytes, size_t alignment, uint32_t node)
{
    size_t count;
    struct srat_memory *ranges = node_memory(&count);
    const struct places places = {ranges, keep_node(ranges, count, node)};
    struct map m;
    uint64_t base = 0;

    if (map_read(&m)) {
        if (free_bytes(&m) >= bytes + FIRMWARE_MIB * MIB)
            base = find_place(&m, &places, bytes + GUARD_BYTES, alignment);
        firmware.boot->FreePool(m.bytes);
    }
    free(ranges);
    EFI_PHYSICAL_ADDRESS guard = base - GUARD_BYTES;
    if (!base || EFI_ERROR(firmware.boot->AllocatePages(AllocateAddress, EfiLoaderData,
                                                        (bytes + 2 * GUARD_BYTES) / EFI_PAGE_SIZE, &guard)))
        return NULL;
    return (uint8_t *)(uintptr_t)base;
}

void memory_give_back(uint8_t *base, size_t bytes)
{
    memory_free(base - GUARD_BYTES, bytes + 2 * GUARD_BYTES);
}

void memory_finish(void)
{
    if (buffer)
        firmware.boot->FreePages((uintptr_t)buffer - GUARD_BYTES, (buffer_bytes + GUARD_BYTES) / EFI_PAGE_SIZE);
    buffer = NULL;
    buffer_bytes = 0;
    allowed = (struct places){&anywhere, 1};
    free(node_ranges);
    node_ranges = NULL;
}

uint8_t *memory_buffer(size_t *bytes)
{
    *bytes = buffer_bytes;
    return buffer;
}

void memory_describe(struct record *r, uint64_t core)
{
    uint32_t node;

    record_object(r, "memory");
    record_integer(r, "ram_bytes", ram_bytes);
    record_integer(r, "free_bytes", free_bytes_at_start);
    record_hex(r, "buffer_base", (uintptr_t)buffer);
    record_integer(r, "buffer_bytes", buffer_bytes);
    if (memory_node(&node))
        record_integer(r, "buffer_node", node);
    if (node_of_core(core, &node))
        record_integer(r, "core_node", node);
    record_close(r);
}
