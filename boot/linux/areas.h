/* The memory that windows measure with. */
#ifndef FATHOM_BOOT_LINUX_AREAS_H
#define FATHOM_BOOT_LINUX_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A page size above the smallest that can be had. */
struct large_page {
    size_t bytes;
    const char *source; /* for people */
    bool reserved;      /* by the administrator (Documentation/admin-guide/mm/hugetlbpage.rst); else transparent */
};

/* The sizes that can be had now, ascending; *count says how many. The list is valid until the next call. */
const struct large_page *areas_find_large_pages(size_t *count);
/* From now on areas may take this many bytes in all. */
void areas_limit(size_t bytes);
/*
 * For a fault outside windows: whether the address lies in a page that guards an area. If so the page becomes
 * accessible, and machine_touched_outside reports the access.
 */
bool areas_guard_touched(uintptr_t address, uint64_t pc);

#endif
