#include "lib/kernels/branch_images.h"

#include "lib/base/random.h"

enum {
    HALF = IMAGE_SLOT_BYTES / 2,
    LOOP_BYTES = 4096, /* of the loop behind the block; pages of the chain follow */
    BOTH = 2           /* images */
};

static size_t page_size(void)
{
    return machine_info()->page_bytes[0];
}

/* ---- Where things are --------------------------------------------------------------------------- */

static size_t between_from(const struct code_block *b)
{
    return b->loop + (LOOP_BYTES + page_size() - 1) / page_size() * page_size();
}

/* Where the chain ends: at the beginning of a page, which has its exit. */
static size_t between_end(const struct code_block *b)
{
    return between_from(b) + (size_t)BETWEEN_LIMIT * BETWEEN_STRIDE;
}

static size_t second_at(const struct image_room *r, uint64_t difference)
{
    return r->block.block + (r->base ^ difference);
}

/* All frames: of the loop, of the first image, of all second ones, of the chain, and of its exit. */
static void give(struct code_block *b, const void *context)
{
    const struct image_room *r = context;
    const size_t page = page_size(), from = between_from(b), end = between_end(b);

    code_block_give(b, b->loop, LOOP_BYTES);
    code_block_give(b, b->block + r->base, page);
    code_block_give(b, from, page);
    code_block_share(b, from + page, end - from - page, from);
    code_block_give(b, end, page);
    const size_t shown = b->block + (r->base ^ r->differences[0]);
    code_block_give(b, shown, page);
    for (size_t i = 1; i < r->count; i++)
        code_block_share(b, b->block + (r->base ^ r->differences[i]), page, shown);
}

const char *image_room_map(struct image_room *r, unsigned highest, const uint64_t *differences, size_t count,
                           uint64_t *random)
{
    const uint64_t pages = (UINT64_C(2) << highest) / page_size();

    r->base = random_below(random, pages) * page_size();
    r->differences = differences;
    r->count = count;
    const size_t behind = LOOP_BYTES + (size_t)BETWEEN_LIMIT * BETWEEN_STRIDE + 2 * page_size();
    return code_block_map(&r->block, highest, behind, give, r);
}

void image_room_unmap(struct image_room *r)
{
    code_block_unmap(&r->block);
}

/* ---- Images ------------------------------------------------------------------------------------- */

static unsigned branch_bytes(void)
{
    return emit_jump_bytes(INT16_MAX + 1, false);
}

static void emit_exit(struct code *c, size_t at)
{
    emit_place(c, at);
    emit_branch_register(c, REG_T5);
}

static void emit_first(struct code *c, size_t at, size_t slots)
{
    for (size_t slot = 0; slot < slots; slot++) {
        emit_place(c, at + slot * IMAGE_SLOT_BYTES);
        emit_jump(c, at + (slot + 1) * IMAGE_SLOT_BYTES, branch_bytes());
    }
    emit_exit(c, at + slots * IMAGE_SLOT_BYTES);
}

/* The second image and the control, slot by slot, since code is emitted in the order of addresses. */
static void emit_second(struct code *c, size_t at, size_t slots)
{
    for (size_t slot = 0; slot < slots; slot++) {
        const size_t next = slot % 2 ? slot - 1 : slot + 3;
        for (size_t half = 0; half < BOTH; half++) {
            emit_place(c, at + slot * IMAGE_SLOT_BYTES + half * HALF);
            emit_jump(c, at + next * IMAGE_SLOT_BYTES + half * HALF, branch_bytes());
        }
    }
    for (size_t half = 0; half < BOTH; half++)
        emit_exit(c, at + (slots + 1) * IMAGE_SLOT_BYTES + half * HALF);
}

static void emit_between(struct code *c, size_t from)
{
    for (size_t at = from; at < from + page_size() && code_good(c); at += BETWEEN_STRIDE) {
        emit_place(c, at);
        emit_jump(c, at + BETWEEN_STRIDE, branch_bytes());
    }
}

static bool is_good(struct probe *p, const struct code *c)
{
    return code_good(c) || probe_skip(p, c->overflow ? "the kernel did not fit its code area"
                                                     : "the kernel has an operand out of range");
}

bool image_room_write(struct probe *p, const struct image_room *r, size_t slots)
{
    const struct code_block *b = &r->block;
    const size_t page = page_size(), first = b->block + r->base, from = between_from(b), end = between_end(b);
    struct code c = code_start(b->code.area.write, b->code.area.at, b->code.area.bytes);

    struct piece piece = piece_at(&c, b, first);
    emit_first(&c, first, slots);
    piece_done(&piece);
    piece_at(&c, b, second_at(r, r->differences[0]));
    emit_second(&c, second_at(r, r->differences[0]), slots);
    for (size_t i = 0; i < r->count && code_good(&c); i++)
        machine_code_written(&b->code.area, second_at(r, r->differences[i]), page);
    piece_at(&c, b, from);
    emit_between(&c, from);
    for (size_t at = from; at < end && code_good(&c); at += page)
        machine_code_written(&b->code.area, at, page);
    piece = piece_at(&c, b, end);
    emit_exit(&c, end);
    piece_done(&piece);
    return is_good(p, &c);
}

/* ---- The loop ----------------------------------------------------------------------------------- */

/* Jumps to an offset of the area, from where the exit leads back. */
static void emit_visit(struct code *c, size_t at)
{
    const size_t back = (c->used / IMAGE_SLOT_BYTES + 2) * IMAGE_SLOT_BYTES;

    emit_address(c, REG_T5, back);
    emit_constant(c, REG_T4, c->at + at);
    emit_branch_register(c, REG_T4);
    emit_place(c, back);
}

bool branch_images_build(struct probe *p, const struct branch_images *i, struct kernel *k)
{
    enum { PASSES = 8 }; /* iterations before measuring: predictors and caches have learnt all that they can then */
    const struct code_block *b = &i->room->block;
    const size_t second = second_at(i->room, i->difference) + IMAGE_SLOT_BYTES + (i->control ? HALF : 0);
    struct code c = code_start(b->code.area.write, b->code.area.at, b->code.area.bytes);
    const struct piece piece = piece_at(&c, b, b->loop);

    for (unsigned image = 0; image < (i->slots ? BOTH : 1); image++) {
        if (i->slots)
            emit_visit(&c, image ? second : b->block + i->room->base);
        if (i->between)
            emit_visit(&c, between_end(b) - i->between * BETWEEN_STRIDE);
    }
    emit_loop(&c, b->loop);
    emit_return(&c);
    piece_done(&piece);
    *k = (struct kernel){.units = i->slots ? BOTH * (double)i->slots : (double)i->between,
                         .warm_iterations = probe_smoke(p, 2, PASSES),
                         .length_factor = i->between ? 8 : 1,
                         .entry = c.at + b->loop};
    return is_good(p, &c);
}
