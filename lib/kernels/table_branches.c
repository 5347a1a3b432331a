#include "lib/kernels/table_branches.h"

#include "lib/base/random.h"
#include "lib/kernels/chance.h"
#include "lib/kernels/table_trial.h"

enum {
    PAGE = 1 << BRANCHES_PAGE_BITS,
    LOOP_BYTES = 16384 + (HISTORY_PLACES + 2 * TABLE_DUMMIES) * HISTORY_LINE_BYTES,
    PLACE_BIT = 20, /* of the draw: which branch */
    OTHER_BIT = 9,
    JUMP_BYTES = 2,   /* of an indirect jump on x86-64, by that register */
    ROUTER_LINES = 6, /* that the chain and the router take at most, begun ones included */
    BEFORE = 64,      /* bytes of a page that are left free before a branch … */
    BEHIND = 64       /* … and behind it, for the NOP that it leads over and the jump back */
};

static void give(struct code_block *b, const void *context)
{
    const uint64_t page = *(const uint64_t *)context, separating = UINT64_C(1) << b->highest;

    code_block_give(b, b->loop, LOOP_BYTES);
    code_block_give(b, b->block, PAGE);
    code_block_give(b, b->block + separating, PAGE);
    for (uint64_t at = PAGE; at < page; at += PAGE)
        code_block_share(b, b->block + separating + at, PAGE, b->block + separating);
}

const char *table_branches_map(struct code_block *room, unsigned highest, unsigned end)
{
    const uint64_t pages = UINT64_C(1) << end;

    return code_block_map(room, highest, LOOP_BYTES, give, &pages);
}

static unsigned branch_bytes(void)
{
    return emit_alignment > 1 ? 4 : 6;
}

/* Where in the page the first branch is; the second one is where `inverted` differs. */
static uint64_t draw_branch(uint64_t *random, uint64_t inverted)
{
    uint64_t a, b;

    do {
        a = random_below(random, PAGE / emit_alignment) * emit_alignment;
        b = a ^ inverted;
    } while (a < BEFORE || b < BEFORE || a >= PAGE - BEHIND || b >= PAGE - BEHIND);
    return a;
}

/* An indirect jump at `at` of the block, likewise, to the address in REG_T5. */
static void emit_jump_at(struct code *c, const struct code_block *room, uint64_t from, uint64_t at)
{
    struct piece piece = piece_at(c, room, room->block + from);

    piece_slide(&piece, room->block + at - (emit_alignment > 1 ? 0 : JUMP_BYTES - 1));
    emit_branch_register(c, REG_T5);
    piece_done(&piece);
}

/* A branch at `at` of the block, known by that byte, behind NOPs from `from` on; it is taken where the flags are equal. */
static void emit_branch_at(struct code *c, const struct code_block *room, uint64_t from, uint64_t at)
{
    const uint64_t start = at - (emit_alignment > 1 ? 0 : branch_bytes() - 1);
    struct piece piece = piece_at(c, room, room->block + from);

    piece_slide(&piece, room->block + start);
    emit_jump_if_equal(c, room->block + start + branch_bytes() + emit_nop_lengths[0], branch_bytes());
    emit_nop(c, emit_nop_lengths[0]);
    emit_branch_register(c, REG_T7);
    piece_done(&piece);
}

/* Sets REG_T5 to what decides the direction: the branch is taken where it is zero. */
static void emit_direction(struct code *c, enum history_probe goes)
{
    if (goes == HISTORY_CONSTANT) {
        emit_move(c, REG_T5, REG_T6);
    } else if (goes == HISTORY_OTHER_BIT) {
        chance_bits(c, OTHER_BIT, 1);
        emit_move(c, REG_T5, REG_T1);
    } else {
        chance_bits(c, PLACE_BIT, 1);
        emit_move(c, REG_T5, REG_T1);
        chance_bits(c, 0, 1);
        emit_xor(c, REG_T5, REG_T1);
    }
}

struct piece branch_places_start(struct code *c, const struct branch_places *b, uint64_t *random)
{
    const struct area *a = &b->room->code.area;

    *c = code_start(a->write, a->at, a->bytes);
    return piece_at(c, b->room, b->room->loop + random_below(random, HISTORY_PLACES) * HISTORY_LINE_BYTES);
}

struct branch_route branch_places_route(const struct probe *p, struct code *c, const struct branch_places *b,
                                        uint64_t *random)
{
    const uint64_t inverted = b->difference % PAGE, one = draw_branch(random, inverted), other = one ^ inverted;
    const struct branch_route r = {.from = ((one < other ? one : other) - BEFORE) / emit_alignment * emit_alignment,
                                   .second = (UINT64_C(1) << b->room->highest) ^ (b->difference - inverted),
                                   .branch = one,
                                   .other = other};
    const uint64_t at = c->at + b->room->block + r.from;

    emit_constant(c, REG_T4, r.second);
    emit_multiply(c, REG_T1, REG_T4);
    emit_constant(c, REG_T4, at);
    emit_xor(c, REG_T1, REG_T4);
    const size_t behind = (c->used / HISTORY_LINE_BYTES + ROUTER_LINES) * HISTORY_LINE_BYTES;
    emit_address(c, REG_T7, behind);
    if (b->jumps) {
        history_emit_target(p, c, behind);
    } else {
        history_emit_chain(p, c);
        emit_compare(c, REG_T5, REG_T6);
    }
    emit_branch_register(c, REG_T1);
    emit_place(c, behind);
    if (b->jumps)
        history_emit_places(c);
    return r;
}

void branch_places_emit(struct code *c, const struct branch_places *b, const struct branch_route *r)
{
    void (*emit)(struct code *, const struct code_block *, uint64_t, uint64_t) = b->jumps ? emit_jump_at
                                                                                          : emit_branch_at;

    emit(c, b->room, r->from, r->branch);
    emit(c, b->room, r->from ^ r->second, r->other ^ r->second);
}

bool branch_places_done(struct probe *p, const struct code *c)
{
    return code_good(c) || probe_skip(p, c->overflow ? "the kernel did not fit its code area"
                                                     : "the kernel has an operand out of range");
}

bool table_branches_build(struct probe *p, const struct table_branches *t, enum history_probe goes, struct kernel *k)
{
    const size_t pitch = table_pitch(t->reset + t->dummies);
    uint64_t random = t->layout;
    struct code c;
    struct piece piece = branch_places_start(&c, &t->places, &random);
    const size_t entry = c.used;

    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    chance_draw(&c);
    history_emit_taken(&c, t->reset, pitch);
    table_emit_bearer(&c, 0, &random);
    history_emit_taken(&c, t->dummies, pitch);
    emit_direction(&c, goes);
    chance_bits(&c, PLACE_BIT, 1);
    const struct branch_route route = branch_places_route(p, &c, &t->places, &random);
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    piece_done(&piece);
    branch_places_emit(&c, &t->places, &route);
    *k = (struct kernel){.data = t->state,
                         .units = 1,
                         .warm_iterations = probe_scale(p, 10, 500, 1000, 2000),
                         .length_factor = probe_scale(p, 1, 8, 8, 8),
                         .entry = c.at + entry};
    return branch_places_done(p, &c);
}
