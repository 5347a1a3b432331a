#include "lib/kernels/code_block.h"

#include <stdlib.h>

enum {
    ROUNDS = 5,            /* of mapping a block */
    LISTED_BITS = 36,      /* address bits of the largest area of which all pages are listed: 128 MiB of list */
    LISTED_PAGES = 1 << 16 /* that have frames in a larger area, at most: far more than images of branches need */
};

static size_t page_size(void)
{
    return machine_info()->page_bytes[0];
}

/* NO_FRAME where the page has none. */
static size_t frame_of(const struct code_block *b, size_t page)
{
    if (b->frames)
        return b->frames[page];
    for (size_t i = b->count; i-- > 0;)
        if (b->list[i].page == page)
            return b->list[i].frame;
    return NO_FRAME;
}

/* Where the list is full, the page has no frame: code there is invalid. */
static void add(struct code_block *b, size_t page, size_t frame)
{
    if (b->frames)
        b->frames[page] = frame;
    else if (b->count < LISTED_PAGES)
        b->list[b->count++] = (struct page_frame){page, frame};
}

void code_block_give(struct code_block *b, size_t offset, size_t bytes)
{
    for (size_t page = offset / page_size(); page * page_size() < offset + bytes; page++)
        if (frame_of(b, page) == NO_FRAME)
            add(b, page, b->frame_count++);
}

void code_block_share(struct code_block *b, size_t offset, size_t bytes, size_t shown)
{
    const size_t frame = frame_of(b, shown / page_size());

    for (size_t page = offset / page_size(); page * page_size() < offset + bytes; page++)
        add(b, page, frame);
}

/* Gives no page a frame. False: there is no memory for the frames of so many pages. */
static bool start(struct code_block *b, size_t pages)
{
    b->count = b->frame_count = 0;
    if (pages > ((size_t)1 << LISTED_BITS) / page_size()) { /* only pages that have frames are listed */
        if (!b->list)
            b->list = malloc(LISTED_PAGES * sizeof *b->list);
        return b->list != NULL;
    }
    if (!pages || (!b->frames && !(b->frames = malloc(pages * sizeof *b->frames))))
        return false;
    for (size_t i = 0; i < pages; i++)
        b->frames[i] = NO_FRAME;
    return true;
}

/* Maps `pages` pages, of which some have frames. NULL, or why not. */
static const char *map(struct code_block *b, size_t pages)
{
    b->code = (struct code_frames){.frames = NULL};
    return b->frames ? probe_try_frames(&b->code, b->frames, pages, page_size())
                     : machine_map_scattered(&b->code.area, b->list, b->count, pages, page_size());
}

const char *code_block_map(struct code_block *b, unsigned highest, size_t behind,
                           void (*give)(struct code_block *b, const void *context), const void *context)
{
    const size_t block = (size_t)2 << highest, pages = (2 * block + behind) / page_size() + 1;
    *b = (struct code_block){.highest = highest, .mark = machine_map_mark()};
    /*
     * Where in the area an aligned block begins depends on the area's address, which is known only when it is mapped.
     * So the address is foreseen: it is that of the area given back before, or as far from it as that one from its own
     * predecessor.
     */
    uintptr_t at = 0, foreseen = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uintptr_t before = at;
        if (!start(b, pages))
            return "out of memory for the order of frames";
        b->block = (block - foreseen % block) % block;
        b->loop = b->block + block;
        if (round)
            give(b, context);
        else
            code_block_give(b, b->loop, 1);
        machine_map_release(b->mark);
        const char *why = map(b, pages);
        if (why)
            return why;
        at = b->code.area.at;
        if (round && at % block == foreseen % block)
            return NULL;
        foreseen = round ? at + (at - before) : at;
    }
    return "it is not known where the platform maps code";
}

void code_block_unmap(struct code_block *b)
{
    machine_map_release(b->mark);
    free(b->frames);
    free(b->list);
    b->frames = NULL;
    b->list = NULL;
}

struct piece piece_at(struct code *c, const struct code_block *b, size_t offset)
{
    const size_t page_bytes = b->code.area.page_bytes, page = offset / page_bytes, frame = frame_of(b, page);

    if (frame == NO_FRAME)
        c->invalid = true;
    else
        c->write = (uint8_t *)((uintptr_t)b->code.area.write + frame * page_bytes - page * page_bytes);
    c->used = offset;
    return (struct piece){c, b, offset};
}

void piece_done(const struct piece *p)
{
    if (code_good(p->c) && p->c->used > p->from)
        machine_code_written(&p->block->code.area, p->from, p->c->used - p->from);
}

void piece_slide(struct piece *p, size_t to)
{
    const size_t page_bytes = p->block->code.area.page_bytes;

    while (code_good(p->c)) {
        const size_t end = (p->c->used / page_bytes + 1) * page_bytes, stop = end < to ? end : to;
        if (stop < p->c->used) {
            p->c->invalid = true;
            return;
        }
        emit_nops(p->c, stop - p->c->used);
        if (stop < end)
            return;
        piece_done(p);
        *p = piece_at(p->c, p->block, stop);
    }
}
