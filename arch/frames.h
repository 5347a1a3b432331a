/*
 * Which frame a page shows: an index into a block of frames, or none.
 */
#ifndef FATHOM_ARCH_FRAMES_H
#define FATHOM_ARCH_FRAMES_H

#include <stdint.h>

#define NO_FRAME SIZE_MAX /* there is no page: what touches it faults */

#endif
