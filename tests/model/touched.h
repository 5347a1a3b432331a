/* What kernels touch: every access of data, by kernel. */
#ifndef FATHOM_TESTS_MODEL_TOUCHED_H
#define FATHOM_TESTS_MODEL_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What one kernel touches in all of its calls, but for areas smaller than a line, where a pointer chase keeps its
 * place.
 */
struct touched {
    size_t lines, pages; /* how many different ones, of data */
};

/* Forgets all kernels. */
void touched_start(void);
/* What follows is another kernel's. */
void touched_kernel(void);
/* An access to an area of data of that size, with pages of that size. */
void touched_data(uint64_t address, size_t size, size_t area_bytes, size_t page_bytes);
/* An access that does not lie within an area of data. */
void touched_stray(uint64_t address);

/* All kernels so far that touched anything. */
const struct touched *touched_all(size_t *count);
/* How many strays there were, and the first one's address. */
size_t touched_strays(uint64_t *first);

#endif
