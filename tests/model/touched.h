/* What kernels touch: every access of data, by kernel. */
#ifndef FATHOM_TESTS_MODEL_TOUCHED_H
#define FATHOM_TESTS_MODEL_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One kernel, over all of its calls. A slot smaller than a line, where a walk keeps its place, is not counted. */
struct touched {
    size_t lines, pages; /* different ones of data */
};

/* Forgets all there is. */
void touched_start(void);
/* From now on it is another kernel's. */
void touched_kernel(void);
/* An access to data of an area of so many bytes and pages of that size. */
void touched_data(uint64_t address, size_t size, size_t area_bytes, size_t page_bytes);
/* An access to what is no data of anybody, or lies beside it. */
void touched_stray(uint64_t address);

/* All kernels so far that touched anything. */
const struct touched *touched_all(size_t *count);
/* How many strays there were, and the first one's address. */
size_t touched_strays(uint64_t *first);

#endif
