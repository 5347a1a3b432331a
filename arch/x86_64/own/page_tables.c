#include "arch/x86_64/own/page_tables.h"

#include <string.h>

#include "arch/frames.h"

/* An entry's bits: Intel SDM vol. 3A, tables 5-15 to 5-20. The global bit stays clear. */
#define ENTRY_PRESENT (UINT64_C(1) << 0)
#define ENTRY_WRITABLE (UINT64_C(1) << 1)
#define ENTRY_ACCESSED (UINT64_C(1) << 5)
#define ENTRY_DIRTY (UINT64_C(1) << 6)
#define ENTRY_LARGE (UINT64_C(1) << 7) /* a page above the lowest level */
#define ENTRY_NO_EXECUTE (UINT64_C(1) << 63)

enum { ENTRIES = 512, LOW_ENTRIES = 256, STACK_ENTRY = 256, FIRST_AREA_ENTRY = 257 };

/* Address bits below the index into a table of `level`; level 1 holds 4 KiB pages. */
static unsigned level_shift(unsigned level)
{
    return 12 + 9 * (level - 1);
}

/* First address of an entry of the root, sign-extended as canonical addresses are. */
static uintptr_t root_entry_address(const struct page_tables *t, unsigned entry)
{
    const unsigned unused = 64 - 12 - 9 * t->levels;

    return (uintptr_t)((int64_t)((uint64_t)entry << (level_shift(t->levels) + unused)) >> unused);
}

static uint64_t *next_table(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & PAGE_FRAME);
}

/* The entry that maps `address` with a page of `level`; makes the tables above it. NULL when memory is short. */
static uint64_t *leaf_entry(struct page_tables *t, uintptr_t address, unsigned page_level)
{
    uint64_t *table = t->root;

    for (unsigned level = t->levels; level > page_level; level--) {
        uint64_t *entry = &table[address >> level_shift(level) & (ENTRIES - 1)];

        if (!(*entry & ENTRY_PRESENT)) {
            const uint64_t *fresh = t->pages(PAGE_4K, PAGE_4K);

            if (fresh == NULL)
                return NULL;
            *entry = (uint64_t)(uintptr_t)fresh | ENTRY_ACCESSED | ENTRY_WRITABLE | ENTRY_PRESENT;
        }
        table = next_table(*entry);
    }
    return &table[address >> level_shift(page_level) & (ENTRIES - 1)];
}

static unsigned level_of(size_t page_bytes)
{
    return page_bytes == PAGE_4K ? 1 : page_bytes == PAGE_2M ? 2 : 3;
}

/* Accessed and dirty bits are set beforehand, so that a first access costs the same as any other. */
static bool map_at(struct page_tables *t, uintptr_t at, uint64_t physical, const size_t *frames, size_t bytes,
                   size_t page_bytes, bool code)
{
    const unsigned level = level_of(page_bytes);
    const uint64_t bits = ENTRY_PRESENT | ENTRY_ACCESSED | ENTRY_DIRTY | (level > 1 ? ENTRY_LARGE : 0) |
                          (code ? 0 : ENTRY_WRITABLE | ENTRY_NO_EXECUTE);

    for (size_t done = 0; done < bytes; done += page_bytes) {
        if (frames && frames[done / page_bytes] == NO_FRAME)
            continue;
        uint64_t *entry = leaf_entry(t, at + done, level);

        if (entry == NULL) {
            while (done > 0) {
                done -= page_bytes;
                if (!frames || frames[done / page_bytes] != NO_FRAME)
                    *leaf_entry(t, at + done, level) = 0;
            }
            return false;
        }
        *entry = (physical + (frames ? frames[done / page_bytes] * page_bytes : done)) | bits;
    }
    return true;
}

/* Frees the tables below an entry of a table of `level`. */
static void free_below(struct page_tables *t, uint64_t entry, unsigned level)
{
    uint64_t *table = next_table(entry);

    if (!(entry & ENTRY_PRESENT) || level == 1 || (entry & ENTRY_LARGE))
        return;
    for (unsigned i = 0; i < ENTRIES; i++)
        free_below(t, table[i], level - 1);
    t->free_pages(table, PAGE_4K);
}

const char *page_tables_start(struct page_tables *t)
{
    t->root = t->pages(PAGE_4K, PAGE_4K);
    t->next = root_entry_address(t, FIRST_AREA_ENTRY);
    return t->root == NULL ? "no memory for page tables" : NULL;
}

void page_tables_finish(struct page_tables *t)
{
    if (t->root == NULL)
        return;
    page_tables_unmap_all(t);
    free_below(t, t->root[STACK_ENTRY], t->levels);
    t->free_pages(t->root, PAGE_4K);
    t->root = NULL;
}

void page_tables_follow(struct page_tables *t, const uint64_t *firmware_root)
{
    memcpy(t->root, firmware_root, LOW_ENTRIES * sizeof(t->root[0]));
}

uintptr_t page_tables_map_stack(struct page_tables *t, uint64_t physical, size_t bytes)
{
    const uintptr_t at = root_entry_address(t, STACK_ENTRY) + PAGE_2M;

    return map_at(t, at, physical, NULL, bytes, PAGE_4K, false) ? at : 0;
}

const char *page_tables_map(struct page_tables *t, uint64_t physical, const size_t *frames, size_t bytes,
                            size_t page_bytes, bool code, uintptr_t *at)
{
    const uintptr_t alignment = page_bytes > PAGE_2M ? page_bytes : PAGE_2M;
    const uintptr_t begin = (t->next + alignment - 1) & ~(alignment - 1);

    if (begin < t->next || bytes > UINTPTR_MAX - begin - PAGE_2M)
        return "no addresses left above the areas mapped already";
    t->next = begin + bytes + PAGE_4K;
    if (!map_at(t, begin, physical, frames, bytes, page_bytes, code))
        return "no memory for page tables";
    *at = begin;
    return NULL;
}

/* Intel SDM vol. 3A, 5.8: the processor sets it, and never clears it. */
bool page_tables_accessed(struct page_tables *t, uintptr_t at, size_t page_bytes)
{
    uint64_t *entry = leaf_entry(t, at, level_of(page_bytes));
    const bool accessed = *entry & ENTRY_ACCESSED;

    *entry &= ~ENTRY_ACCESSED;
    return accessed;
}

void page_tables_unmap_all(struct page_tables *t)
{
    for (unsigned i = FIRST_AREA_ENTRY; i < ENTRIES; i++) {
        free_below(t, t->root[i], t->levels);
        t->root[i] = 0;
    }
    t->next = root_entry_address(t, FIRST_AREA_ENTRY);
}
