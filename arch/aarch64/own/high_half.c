#include "arch/aarch64/own/high_half.h"

#include <stddef.h>

#include "arch/aarch64/own/state.h"
#include "arch/aarch64/own/tables.h"
#include "arch/aarch64/registers.h"
#include "arch/own.h"

#define HIGH_HALF (UINT64_MAX << HIGH_ADDRESS_BITS)
#define STACK_BYTES UINT64_C(0x10000)
#define STACK_BOTTOM (HIGH_HALF + STACK_BYTES)
#define AREAS (HIGH_HALF + (UINT64_C(1) << 30))

#define TCR_HA (UINT64_C(1) << 39)   /* the core sets access flags itself (FEAT_HAFDBS) */
#define TCR_EPD1 (UINT64_C(1) << 23) /* no walks for the high half: its addresses fault */

static struct tables tables;
static void *stack;
static bool sets_accessed; /* in windows the core sets access flags; until own_unmap_all */
static uint64_t next_area; /* where the next one may begin; AREAS when none is mapped */

static uint64_t mmfr0(void)
{
    return READ(ID_AA64MMFR0_EL1);
}

/* Empty tables with nothing but the stack. */
static const char *begin_tables(unsigned granule_bits)
{
    size_t page_bytes = (size_t)1 << granule_bits;
    const char *reason;

    tables_free(&tables);
    next_area = AREAS;
    tables.granule_bits = granule_bits;
    if (!tables_start(&tables))
        return "no memory for translation tables";
    reason = tables_map(&tables, STACK_BOTTOM, (uintptr_t)stack, STACK_BYTES, page_bytes, TABLE_DATA);
    if (reason)
        tables_free(&tables);
    return reason;
}

/* The smallest granule there is; one always is. */
static unsigned first_granule(void)
{
    size_t sizes[10];

    granule_page_sizes(mmfr0(), sizes);
    return granule_of(sizes[0]);
}

const char *high_half_start(unsigned memory_index, int device_index, bool large_addresses)
{
    stack = own.services->pages(STACK_BYTES, STACK_BYTES);
    if (!stack)
        return "no memory for the stack of windows";
    tables = (struct tables){
        .services = own.services,
        .address_bits = HIGH_ADDRESS_BITS,
        .memory_index = memory_index,
        .device_index = device_index,
        .large_addresses = large_addresses,
    };
    return begin_tables(first_granule());
}

void high_half_finish(void)
{
    tables_free(&tables);
    if (stack)
        own.services->free_pages(stack, STACK_BYTES);
    stack = NULL;
}

bool high_half_ready(void)
{
    return tables.root != NULL;
}

uintptr_t high_half_stack(void)
{
    return STACK_BOTTOM + STACK_BYTES;
}

void own_page_sizes(size_t out[10])
{
    granule_page_sizes(mmfr0(), out);
}

size_t own_group_bytes(size_t page_bytes)
{
    return granule_group_bytes(page_bytes);
}

const char *own_map(uint64_t physical, const size_t *frames, size_t bytes, size_t page_bytes, enum area_use use,
                    uintptr_t *at)
{
    static const enum table_use uses[] = {
        [AREA_DATA] = TABLE_DATA, [AREA_CODE] = TABLE_CODE, [AREA_CONTIGUOUS] = TABLE_CONTIGUOUS};
    const size_t alignment = use == AREA_CONTIGUOUS ? own_group_bytes(page_bytes) : page_bytes;
    unsigned granule = granule_of(page_bytes);
    size_t step = frames ? page_bytes : bytes; /* bytes mapped by one call of tables_map */
    uint64_t start;
    const char *reason = NULL;

    if (!granule)
        return "AArch64 has no pages of this size";
    if (use == AREA_CONTIGUOUS && frames)
        return "pages with the contiguous hint show frames in order";
    if (!granule_supported(mmfr0(), granule))
        return "the core has no translation granule with pages of this size (ID_AA64MMFR0_EL1)";
    if (granule != tables.granule_bits || !tables.root) {
        if (next_area != AREAS)
            return "a window has one translation granule, and areas with another one are mapped";
        reason = begin_tables(granule);
        if (reason)
            return reason;
    }

    start = (next_area + alignment - 1) & ~(uint64_t)(alignment - 1);
    if (start < next_area || start + bytes + page_bytes < start)
        return "the high half is full";
    next_area = start + bytes +
                page_bytes; /* one page stays unmapped; what fails half way stays until all is unmapped */
    for (size_t done = 0; done < bytes && !reason; done += step) {
        const size_t frame = frames ? frames[done / page_bytes] : 0;
        if (frame != NO_FRAME)
            reason = tables_map(&tables, start + done, physical + frame * page_bytes, step, page_bytes, uses[use]);
    }
    *at = start;
    return reason;
}

const char *high_half_show_device(uint64_t physical, uintptr_t *at)
{
    const size_t page = (size_t)1 << tables.granule_bits;

    if (tables.device_index < 0)
        return "the firmware's MAIR_EL1 has no device memory";
    own_unmap_all();
    if (!tables.root)
        return "no memory for translation tables";
    next_area = AREAS + page;
    *at = AREAS + (physical & (page - 1));
    return tables_map(&tables, AREAS, physical & ~(uint64_t)(page - 1), page, page, TABLE_DEVICE);
}

/*
 * The flags are cleared, and a page with a clear flag faults unless the core sets the flag itself (Arm ARM D8.4.1;
 * ID_AA64MMFR1_EL1.HAFDBS, D19.2).
 */
const char *own_accessed(uintptr_t at, size_t pages, size_t page_bytes, bool *accessed)
{
    if (field(READ(ID_AA64MMFR1_EL1), 0, 4) == 0)
        return "the core does not set access flags (ID_AA64MMFR1_EL1.HAFDBS)";
    sets_accessed = true;
    for (size_t i = 0; i < pages; i++)
        accessed[i] = tables_accessed(&tables, at + i * page_bytes, page_bytes);
    return NULL;
}

void own_unmap_all(void)
{
    sets_accessed = false;
    begin_tables(tables.granule_bits); /* when it fails, high_half_ready and the next own_map report it */
}

/*
 * Size and granule of the high half may change only while no table walk uses them: walks are turned off, then the TLB
 * is invalidated, and then the new root and control are written (Arm ARM D8.13, TLB maintenance requirements). The
 * ISBs order the steps.
 */
static void replace(uint64_t tcr, uint64_t ttbr1)
{
    WRITE(TCR_EL1, READ(TCR_EL1) | TCR_EPD1);
    isb();
    __asm__ volatile("tlbi vmalle1\n\tdsb nsh" ::: "memory");
    isb();
    WRITE(TTBR1_EL1, ttbr1);
    isb();
    WRITE(TCR_EL1, tcr);
    isb();
}

void high_half_on(struct high_half *found)
{
    found->tcr = READ(TCR_EL1);
    found->ttbr1 = READ(TTBR1_EL1);
    /* The walker sees the descriptors just written. */
    __asm__ volatile("dsb ishst" ::: "memory");
    replace((found->tcr & ~tcr_high_half_mask) | tcr_high_half(tables.granule_bits) | (sets_accessed ? TCR_HA : 0),
            (uintptr_t)tables.root);
}

void high_half_off(const struct high_half *found)
{
    replace(found->tcr, found->ttbr1);
}

static size_t root_entries(void)
{
    return ((size_t)1 << tables.granule_bits) / sizeof *tables.root;
}

/*
 * Bit 0 of a descriptor says that it is valid (Arm ARM D8.3). The other bits stay, so that setting it restores the
 * descriptor. The invalidation reaches the other cores (D8.14): at EL2 the entries of EL1 for every VMID, at EL1
 * those for this VMID.
 */
void high_half_withdraw(void)
{
    uint64_t *root = tables.root;

    for (size_t i = 0; root && i < root_entries(); i++)
        root[i] &= ~UINT64_C(1);
    __asm__ volatile("dsb ishst" ::: "memory");
    if (own.level == 2)
        __asm__ volatile("tlbi alle1is" ::: "memory");
    else
        __asm__ volatile("tlbi vmalle1is" ::: "memory");
    __asm__ volatile("dsb ish" ::: "memory");
    isb();
}

void high_half_return(void)
{
    uint64_t *root = tables.root;

    for (size_t i = 0; root && i < root_entries(); i++)
        if (root[i])
            root[i] |= 1;
    __asm__ volatile("dsb ishst" ::: "memory");
}
