/*
 * Branches at addresses that differ in chosen bits: two images of one row of slots, a branch in each slot. Both are
 * executed in turn, with other branches between them, and each branch of the second image leads elsewhere than the
 * branch in the same slot of the first one.
 *
 *     first     from slot to slot
 *     second    1, 0, 3, 2, 5, 4, …: at addresses where the bits of a difference are inverted
 *     control   the second one again, half a slot behind it: its branches lie at no address of the first image's
 *     between   a chain of branches, behind each image, that takes all entries of the levels of buffers before the one
 *               that is looked at
 *
 * Where a branch target buffer does not distinguish the addresses of two branches, it finds for each the target that
 * the other one has left there: all branches of both images are mispredicted. So the second image takes longer than the
 * control.
 *
 * All second images show one frame, and so do all pages of the chain, but the last one: instruction caches hold little.
 * An image lies in one page.
 *
 * Method: docs/METHODS.md, 5.16.
 */
#ifndef FATHOM_LIB_KERNELS_BRANCH_IMAGES_H
#define FATHOM_LIB_KERNELS_BRANCH_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernels/code_block.h"
#include "lib/probe/probe.h"

enum {
    IMAGE_SLOTS = 48,      /* at most: with both exits they fill less than a page of 4 KiB */
    IMAGE_SLOT_BYTES = 64, /* a line, so that no two branches of an image share an entry by their place */
    BETWEEN_STRIDE = 32,   /* bytes from branch to branch of the chain between images */
    BETWEEN_LIMIT = 16384  /* branches of that chain, at most */
};

/* Where images lie. */
struct image_room {
    struct code_block block;
    uint64_t base;               /* offset in the block of the first image's page */
    const uint64_t *differences; /* address bits, from those of page numbers on, that second images have inverted */
    size_t count;                /* of second images */
};

struct branch_images {
    const struct image_room *room;
    uint64_t difference; /* one of the room's */
    bool control;        /* in place of the second image */
    size_t slots;        /* even, IMAGE_SLOTS at most; 0: no images, only the chain */
    size_t between;      /* branches between images, BETWEEN_LIMIT at most; 0: none */
};

/*
 * Maps a block whose highest address bit is `highest`, with the first image at a page drawn at random and second images
 * for these `count` differences, which must stay valid. NULL, or why it cannot be mapped; image_room_unmap follows in
 * either case.
 */
const char *image_room_map(struct image_room *r, unsigned highest, const uint64_t *differences, size_t count,
                           uint64_t *random);
void image_room_unmap(struct image_room *r);
/* Writes the images with that many slots, and the chain, into their frames: for all kernels that follow. */
bool image_room_write(struct probe *p, const struct image_room *r, size_t slots);
/*
 * Makes the kernel; its unit is a branch of an image, or of the chain where there are no images. False: the probe has
 * ended.
 */
bool branch_images_build(struct probe *p, const struct branch_images *i, struct kernel *k);

#endif
