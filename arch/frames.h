/* What memory of windows is mapped for, and which frames its pages show. A frame is a page of physical memory. */
#ifndef FATHOM_ARCH_FRAMES_H
#define FATHOM_ARCH_FRAMES_H

#include <stddef.h>
#include <stdint.h>

enum area_use {
    AREA_DATA,
    AREA_CODE,
    AREA_CONTIGUOUS, /* data with the contiguous hint, for groups of pages whose frames follow each other: AArch64 */
};

/* In a list of frames, which are indices into a block of them: the page has no frame, and accesses to it fault. */
#define NO_FRAME SIZE_MAX

/* A page of an area, by its number there, and the frame that it shows. */
struct page_frame {
    size_t page, frame;
};

#endif
