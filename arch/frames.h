/*
 * What memory of windows is mapped for, and which frames its pages show.
 */
#ifndef FATHOM_ARCH_FRAMES_H
#define FATHOM_ARCH_FRAMES_H

#include <stdint.h>

enum area_use {
    AREA_DATA,
    AREA_CODE,
    AREA_CONTIGUOUS, /* data whose tables say that the frames of whole groups of pages follow each other: AArch64 alone */
};

/* In a list of frames, each an index into a block of them. */
#define NO_FRAME SIZE_MAX /* there is no page: what touches it faults */

#endif
