/*
 * Code at chosen addresses: a block of addresses, aligned to its own size, of which only the pages that code needs have
 * frames, and more room behind it, for a loop. Code is written from page to page, a piece at a time.
 */
#ifndef FATHOM_LIB_KERNELS_CODE_BLOCK_H
#define FATHOM_LIB_KERNELS_CODE_BLOCK_H

#include <stddef.h>

#include "lib/probe/probe.h"

struct code_block {
    struct code_frames code;
    struct page_frame *list; /* pages of the area that have frames, where there are too many others to list all */
    size_t count;            /* of the list */
    size_t frame_count;
    size_t *frames;   /* else of all pages; NO_FRAME: none */
    size_t mark;      /* of machine_map_mark, before the block was mapped */
    size_t block;     /* where the block begins in the area */
    size_t loop;      /* where the room behind it begins in the area */
    unsigned highest; /* address bit of the block */
};

/*
 * Maps a block whose highest address bit is `highest`, and `behind` bytes behind it. `give` gives frames to the pages
 * that code needs, of either. NULL, or why it cannot be mapped; code_block_unmap follows in either case.
 */
const char *code_block_map(struct code_block *b, unsigned highest, size_t behind,
                           void (*give)(struct code_block *b, const void *context), const void *context);
void code_block_unmap(struct code_block *b);
/* Gives a frame of its own to each page from `offset` of the area on that has none, `bytes` bytes of them. */
void code_block_give(struct code_block *b, size_t offset, size_t bytes);
/* Gives each of those pages the frame that the page at `shown` has. */
void code_block_share(struct code_block *b, size_t offset, size_t bytes, size_t shown);

/* A piece of code within one frame. */
struct piece {
    struct code *c;
    const struct code_block *block;
    size_t from;
};

/* Continues at `offset` of the area, in the frame that its page shows. */
struct piece piece_at(struct code *c, const struct code_block *b, size_t offset);
/* Ends a piece: the core sees it from now on. */
void piece_done(const struct piece *p);
/* NOPs up to the offset `to` of the area, in one frame after the other. */
void piece_slide(struct piece *p, size_t to);

#endif
