/*
 * Page tables of our own, four or five levels (Intel SDM vol. 3A, 5.5; AMD APM vol. 2, 5.3).
 *
 *   root entry    0 … 255   low half: the firmware's own entries, copied at every window
 *               256         the window's stack, unmapped below and above
 *               257 … 511   areas, upwards, in the order in which they were requested:
 *
 *        | area 1: 4K 4K 4K |  unmapped  | area 2: 2M 2M |  unmapped  | area 3 …
 *        ^ multiple of 2 MiB             ^ multiple of 2 MiB
 *
 * Every area begins at a multiple of 2 MiB, or of its page size if that is larger, so that what is measured in it does
 * not depend on which areas came before. At least 4 KiB between two areas are unmapped.
 *
 * A table's address is used as its physical address, since UEFI maps memory to itself. Nothing here is privileged:
 * the unit tests build the same tables and walk them.
 */
#ifndef FATHOM_ARCH_X86_64_OWN_PAGE_TABLES_H
#define FATHOM_ARCH_X86_64_OWN_PAGE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Page sizes in bytes. */
enum { PAGE_4K = 1 << 12, PAGE_2M = 1 << 21, PAGE_1G = 1 << 30 };

#define PAGE_FRAME UINT64_C(0x000ffffffffff000) /* bits of an entry, and of CR3, that hold a frame */

/* The tables. */
struct page_tables {
    void *(*pages)(size_t bytes, size_t alignment); /* zeroed, at their physical address; NULL when memory is short */
    void (*free_pages)(void *base, size_t bytes);
    unsigned levels; /* 4, or 5 where CR4.LA57 is set */
    uint64_t *root;
    uintptr_t next; /* where the next area may begin */
};

/* Makes an empty root; the caller has set `pages`, `free_pages` and `levels`. NULL, or why not. */
const char *page_tables_start(struct page_tables *t);
/* Frees every table. The core must no longer use them. */
void page_tables_finish(struct page_tables *t);
/* Copies the low half of the firmware's root as it is now into ours. */
void page_tables_follow(struct page_tables *t, const uint64_t *firmware_root);
/*
 * Maps `bytes` bytes from `physical` on as the stack, with 4 KiB pages at the stack's place in the layout above.
 * Returns its lowest address, or 0 when memory is short.
 */
uintptr_t page_tables_map_stack(struct page_tables *t, uint64_t physical, size_t bytes);
/*
 * Maps an area after those mapped before, as own_map describes it (arch/own.h). The page size must be one of the three,
 * and the core must have it; the caller has checked that. Returns NULL and the address in *at, else the reason.
 */
const char *page_tables_map(struct page_tables *t, uint64_t physical, const size_t *frames, size_t bytes,
                            size_t page_bytes, bool code, uintptr_t *at);
/* Returns whether the core has set the accessed bit of the page mapped at `at`, of that size, and clears it. */
bool page_tables_accessed(struct page_tables *t, uintptr_t at, size_t page_bytes);
/* Unmaps every area and frees its tables; the stack stays mapped. */
void page_tables_unmap_all(struct page_tables *t);

#endif
