#include "arch/aarch64/own/tables.h"

#include "arch/aarch64/system_registers.h"

/* Descriptors, Arm ARM D8.3.1 and D8.3.2. */
enum {
    VALID = 1 << 0,
    TABLE_OR_PAGE = 1 << 1, /* clear: a block */
    INDEX_SHIFT = 2,        /* AttrIndx: which byte of MAIR_EL1 */
    READ_ONLY = 1 << 7,     /* AP[2]; AP[1] stays clear: nothing for EL0 */
    INNER_SHAREABLE = 3 << 8,
    ACCESSED = 1 << 10, /* AF: without it the first access faults */
};
#define CONTIGUOUS (UINT64_C(1) << 52)
#define PRIVILEGED_EXECUTE_NEVER (UINT64_C(1) << 53)
#define UNPRIVILEGED_EXECUTE_NEVER (UINT64_C(1) << 54)
/* An address lies in bits 47 to 12 with every granule, as long as it has no more than 48 bits. */
#define ADDRESS_MASK UINT64_C(0x0000fffffffff000)

enum { LAST_LEVEL = 3 };

static const struct {
    unsigned granule_bits, page_bits, group; /* neighbours of a contiguous entry: D8.7.1, The Contiguous bit */
} page_sizes[] = {{12, 12, 16}, {14, 14, 128}, {16, 16, 32}, {12, 21, 16}, {14, 25, 32}, {16, 29, 32}, {12, 30, 16}};
enum { PAGE_SIZES = sizeof page_sizes / sizeof page_sizes[0] };

/*
 * ID_AA64MMFR0_EL1 (Arm ARM D19.2): TGran4 [31:28] and TGran64 [27:24] are signed, 0b1111 means
 * absent and every value from 0 on present, later ones with larger addresses; TGran16 [23:20] is
 * unsigned, 0 means absent.
 */
bool granule_supported(uint64_t mmfr0, unsigned bits)
{
    switch (bits) {
    case 12: return (mmfr0 >> 28 & 0xf) < 8;
    case 14: return (mmfr0 >> 20 & 0xf) != 0;
    case 16: return (mmfr0 >> 24 & 0xf) < 8;
    default: return false;
    }
}

void granule_page_sizes(uint64_t mmfr0, size_t out[10])
{
    size_t n = 0;

    for (size_t i = 0; i < PAGE_SIZES; i++)
        if (granule_supported(mmfr0, page_sizes[i].granule_bits))
            out[n++] = (size_t)1 << page_sizes[i].page_bits;
    out[n] = 0;
}

unsigned granule_of(size_t page_bytes)
{
    for (size_t i = 0; i < PAGE_SIZES; i++)
        if (page_bytes == (size_t)1 << page_sizes[i].page_bits)
            return page_sizes[i].granule_bits;
    return 0;
}

size_t granule_group_bytes(size_t page_bytes)
{
    for (size_t i = 0; i < PAGE_SIZES; i++)
        if (page_bytes == (size_t)1 << page_sizes[i].page_bits)
            return page_bytes * page_sizes[i].group;
    return 0;
}

/*
 * TCR_EL1 (Arm ARM D19.2). Note that TG1 and TG0 number the granules differently: TG1 is 0b01
 * for 16 KiB, 0b10 for 4 KiB, 0b11 for 64 KiB; TG0 0b00 for 4 KiB, 0b01 for 64 KiB, 0b10 for 16 KiB.
 */
#define TCR_T1SZ(bits) ((uint64_t)(64 - (bits)) << 16)
#define TCR_EPD1 (UINT64_C(1) << 23)
#define TCR_IRGN1_WRITE_BACK (UINT64_C(1) << 24)
#define TCR_ORGN1_WRITE_BACK (UINT64_C(1) << 26)
#define TCR_SH1_INNER_SHAREABLE (UINT64_C(3) << 28)
#define TCR_TG1(code) ((uint64_t)(code) << 30)
#define TCR_IPS(code) ((uint64_t)(code) << 32)

/*
 * Besides T1SZ, A1, EPD1, IRGN1, ORGN1, SH1 and TG1 (bits 31 to 16) these belong to the high half: TBI1
 * 38, HPD1 42, HWU159 to HWU162 50 to 47, TBID1 52, NFD1 54, E0PD1 56, TCMA1 58. All are off in ours.
 */
const uint64_t tcr_high_half_mask = UINT64_C(0xffff) << 16 | UINT64_C(1) << 38 | UINT64_C(1) << 42 |
                                    UINT64_C(0xf) << 47 | UINT64_C(1) << 52 | UINT64_C(1) << 54 | UINT64_C(1) << 56 |
                                    UINT64_C(1) << 58;

uint64_t tcr_high_half(unsigned granule_bits)
{
    unsigned tg1 = granule_bits == 14 ? 1 : granule_bits == 12 ? 2 : 3;

    return TCR_T1SZ(HIGH_ADDRESS_BITS) | TCR_IRGN1_WRITE_BACK | TCR_ORGN1_WRITE_BACK | TCR_SH1_INNER_SHAREABLE |
           TCR_TG1(tg1);
}

uint64_t tcr_low_half(uint64_t mmfr0)
{
    uint64_t ips = mmfr0 & 0xf; /* PARange and IPS have the same encoding; 5 is 48 bits, all our descriptors hold */

    if (ips > 5)
        ips = 5;
    return (uint64_t)(64 - LOW_ADDRESS_BITS)                          /* T0SZ */
           | UINT64_C(1) << 8 | UINT64_C(1) << 10 | UINT64_C(3) << 12 /* IRGN0, ORGN0, SH0, as for the high half */
           | TCR_EPD1 | tcr_high_half(12) | TCR_IPS(ips);
}

/*
 * TCR2_EL1 (Arm ARM DDI 0487, its page; announced by ID_AA64MMFR3_EL1.TCRX [3:0]): PnCH 0 gives bit 52 of a descriptor
 * another meaning than the contiguous hint, PIE 1 the access permissions, and D128 5 makes descriptors twice as long.
 * Where the hypervisor keeps the register, reading it faults and it has the effect of 0 (HCRX_EL2.TCR2En).
 */
const char *translation_unlike(const struct access *a)
{
    uint64_t announced = 0, tcr2 = 0;

    if (!a->read(a->context, ID_ID_AA64MMFR3_EL1, &announced) || (announced & 0xf) == 0 ||
        !a->read(a->context, ID_TCR2_EL1, &tcr2))
        return NULL;
    if (tcr2 & 1 << 5)
        return "the firmware has descriptors of 128 bits at EL1 (TCR2_EL1.D128)";
    if (tcr2 & 1 << 1)
        return "the firmware has indirect permissions at EL1 (TCR2_EL1.PIE)";
    if (tcr2 & 1 << 0)
        return "the firmware has the Protected attribute at EL1 (TCR2_EL1.PnCH)";
    return NULL;
}

/*
 * MAIR_EL1 (Arm ARM D19.2): a byte an index, outer in the high nibble, inner in the low one;
 * 0b11RW is write-back, non-transient, R: allocates on reads.
 */
int memory_index_write_back(uint64_t mair)
{
    for (int i = 0; i < 8; i++)
        if ((mair >> 8 * i & 0xee) == 0xee)
            return i;
    return -1;
}

/* Device-nGnRnE is 0b00000000, nGnRE 0b00000100 (Arm ARM D19.2). */
int memory_index_device(uint64_t mair)
{
    for (int i = 0; i < 8; i++)
        if (!(mair >> 8 * i & 0xfb))
            return i;
    return -1;
}

static unsigned level_bits(const struct tables *t)
{
    return t->granule_bits - 3; /* eight bytes a descriptor */
}

/* The lowest address bit that a level translates: log2 of the bytes that one of its descriptors covers. */
static unsigned level_shift(const struct tables *t, unsigned level)
{
    return t->granule_bits + (LAST_LEVEL - level) * level_bits(t);
}

static unsigned first_level(const struct tables *t)
{
    unsigned level = LAST_LEVEL;

    while (level_shift(t, level) + level_bits(t) < t->address_bits)
        level--;
    return level;
}

static uint64_t *new_table(const struct tables *t)
{
    size_t bytes = (size_t)1 << t->granule_bits;

    return t->services->pages(bytes, bytes);
}

bool tables_start(struct tables *t)
{
    t->root = new_table(t);
    return t->root != NULL;
}

static uint64_t attributes(const struct tables *t, enum table_use use)
{
    const unsigned index = use == TABLE_DEVICE ? (unsigned)t->device_index : t->memory_index;
    uint64_t a = VALID | ACCESSED | (uint64_t)index << INDEX_SHIFT | UNPRIVILEGED_EXECUTE_NEVER;

    /* With DS set those two bits of 4 KiB and 16 KiB descriptors are address bits 51 and 50 (D8.3.1). */
    if (!t->large_addresses || t->granule_bits == 16)
        a |= INNER_SHAREABLE;
    if (use == TABLE_CODE)
        a |= READ_ONLY;
    if (use == TABLE_DATA || use == TABLE_CONTIGUOUS || use == TABLE_DEVICE)
        a |= PRIVILEGED_EXECUTE_NEVER;
    if (use == TABLE_CONTIGUOUS)
        a |= CONTIGUOUS;
    return a;
}

/*
 * The descriptor for one address at the level whose descriptors cover 2^shift bytes, or a larger block
 * that covers it already; NULL: no memory.
 */
static uint64_t *descriptor(struct tables *t, uint64_t virtual, unsigned shift)
{
    uint64_t *table = t->root;
    uint64_t address = virtual & ((UINT64_C(1) << t->address_bits) - 1);

    for (unsigned level = first_level(t);; level++) {
        uint64_t *d = &table[address >> level_shift(t, level) & ((UINT64_C(1) << level_bits(t)) - 1)];

        if (level_shift(t, level) == shift || (*d & (VALID | TABLE_OR_PAGE)) == VALID)
            return d;
        if (!(*d & VALID)) {
            uint64_t *next = new_table(t);

            if (!next)
                return NULL;
            *d = (uint64_t)(uintptr_t)next | VALID | TABLE_OR_PAGE;
        }
        table = (uint64_t *)(uintptr_t)(*d & ADDRESS_MASK);
    }
}

const char *tables_map(struct tables *t, uint64_t virtual, uint64_t physical, uint64_t bytes, size_t page_bytes,
                       enum table_use use)
{
    unsigned shift = (unsigned)__builtin_ctzll(page_bytes);
    uint64_t a = attributes(t, use);

    if (granule_of(page_bytes) != t->granule_bits)
        return "the translation granule has no pages of this size";
    if ((virtual | physical | bytes) & (page_bytes - 1))
        return "address or size is not a multiple of the page size";
    if (use == TABLE_CONTIGUOUS && (virtual | physical | bytes) & (granule_group_bytes(page_bytes) - 1))
        return "address or size is not a multiple of a group of pages";
    if ((physical + bytes) >> 48)
        return "physical address beyond 48 bits";
    if (shift == t->granule_bits)
        a |= TABLE_OR_PAGE;
    for (uint64_t at = 0; at < bytes; at += page_bytes) {
        uint64_t *d = descriptor(t, virtual + at, shift);

        if (!d || (*d & VALID)) {
            while (at > 0)
                *descriptor(t, virtual + (at -= page_bytes), shift) = 0;
            return d ? "address is mapped already" : "no memory for translation tables";
        }
        *d = (physical + at) | a;
    }
    return NULL;
}

bool tables_accessed(struct tables *t, uint64_t virtual, size_t page_bytes)
{
    uint64_t *d = descriptor(t, virtual, (unsigned)__builtin_ctzll(page_bytes));
    const bool accessed = *d & ACCESSED;

    *d &= ~(uint64_t)ACCESSED;
    return accessed;
}

const char *tables_map_identity(struct tables *t, const struct own_range *range, enum table_use use)
{
    static const uint64_t sizes[] = {UINT64_C(1) << 30, UINT64_C(1) << 21, UINT64_C(1) << 12};
    uint64_t at = range->base, end = range->base + range->bytes;

    while (at < end) {
        size_t i = 0;
        const char *reason;

        while (i < 2 && (at % sizes[i] || end - at < sizes[i]))
            i++;
        reason = tables_map(t, at, at, sizes[i], sizes[i], use);
        if (reason)
            return reason;
        at += sizes[i];
    }
    return NULL;
}

static void free_level(struct tables *t, uint64_t *table, unsigned level)
{
    size_t bytes = (size_t)1 << t->granule_bits;

    for (size_t i = 0; level < LAST_LEVEL && i < bytes / sizeof *table; i++)
        if ((table[i] & (VALID | TABLE_OR_PAGE)) == (VALID | TABLE_OR_PAGE))
            free_level(t, (uint64_t *)(uintptr_t)(table[i] & ADDRESS_MASK), level + 1);
    t->services->free_pages(table, bytes);
}

void tables_free(struct tables *t)
{
    if (t->root)
        free_level(t, t->root, first_level(t));
    t->root = NULL;
}
