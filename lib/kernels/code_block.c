#include "lib/kernels/code_block.h"

#include <stdlib.h>

enum { ROUNDS = 5 /* of mapping a block */ };

void code_block_give(struct code_block *b, size_t offset, size_t bytes)
{
    const size_t page_bytes = machine_info()->page_bytes[0];

    for (size_t page = offset / page_bytes; page * page_bytes < offset + bytes; page++)
        if (b->frames[page] == NO_FRAME)
            b->frames[page] = b->frame_count++;
}

void code_block_share(struct code_block *b, size_t offset, size_t bytes, size_t shown)
{
    const size_t page_bytes = machine_info()->page_bytes[0];

    for (size_t page = offset / page_bytes; page * page_bytes < offset + bytes; page++)
        b->frames[page] = b->frames[shown / page_bytes];
}

const char *code_block_map(struct code_block *b, unsigned highest, size_t behind,
                           void (*give)(struct code_block *b, const void *context), const void *context)
{
    const size_t page_bytes = machine_info()->page_bytes[0], block = (size_t)2 << highest;
    const size_t pages = (2 * block + behind) / page_bytes + 1;
    *b = (struct code_block){
        .highest = highest, .mark = machine_map_mark(), .frames = malloc(pages * sizeof *b->frames)};
    if (!b->frames)
        return "out of memory for the order of frames";
    /*
     * Where in the area an aligned block begins depends on the area's address, which is known only when it is mapped. So
     * the address is foreseen: it is that of the area given back before, or as far from it as that one from its own
     * predecessor.
     */
    uintptr_t at = 0, foreseen = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uintptr_t before = at;
        for (size_t i = 0; i < pages; i++)
            b->frames[i] = NO_FRAME;
        b->frame_count = 0;
        b->block = (block - foreseen % block) % block;
        b->loop = b->block + block;
        if (round)
            give(b, context);
        else
            code_block_give(b, b->loop, 1);
        machine_map_release(b->mark);
        const char *why = probe_try_frames(&b->code, b->frames, pages, page_bytes);
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
    b->frames = NULL;
}

struct piece piece_at(struct code *c, const struct code_block *b, size_t offset)
{
    const size_t page_bytes = b->code.area.page_bytes, page = offset / page_bytes;

    if (b->frames[page] == NO_FRAME)
        c->invalid = true;
    else
        c->write = (uint8_t *)((uintptr_t)b->code.area.write + b->frames[page] * page_bytes - page * page_bytes);
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
