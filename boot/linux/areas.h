/* The memory that windows measure with. */
#ifndef FATHOM_BOOT_LINUX_AREAS_H
#define FATHOM_BOOT_LINUX_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A page size larger than the smallest one that areas can have. */
struct large_page {
    size_t bytes;
    const char *source; /* for people */
    bool reserved;      /* by the administrator (Documentation/admin-guide/mm/hugetlbpage.rst); else transparent */
};

/*
 * Finds the larger page sizes that can be had now. Returns them ascending, and in *count how many; valid until the next
 * call. machine_map offers those that the last call found.
 */
const struct large_page *areas_find_large_pages(size_t *count);
/* From now on all areas together may take this many bytes; machine_map and machine_map_frames refuse more. */
void areas_limit(size_t bytes);
/*
 * Why an area of code is written and executed at one address, so that no experiment chose its frames; NULL where none
 * is.
 */
const char *areas_code_at_one_address(void);
/*
 * For the handler of faults outside windows: whether the address lies in a page next to an area, which guards it. If
 * so, that page becomes accessible, so that the access can be repeated, and machine_touched_outside reports it.
 */
bool areas_guard_touched(uintptr_t address, uint64_t pc);

#endif
