#include "lib/kernels/table_trial.h"

#include "lib/base/random.h"
#include "lib/kernels/chance.h"

enum {
    PAGE = 1 << TABLE_PAGE_BITS,
    FIRST_PLACES_BITS = 9, /* places to one of which the latest jump by chance leads: more than a reading can learn */
    NEXT_PLACES_BITS = 5,  /* … and those before it */
    NEXT_JUMPS = 3,
    JUMP_BYTES = 16, /* from one place to the next */
    DIRECTIONS = 16, /* branches in directions drawn at random */
    OTHER_BIT = 9,   /* of the draw */
    BIAS_BIT = 16,   /* … and those that make one in sixteen */
    BIAS_BITS = 4,
    ROUTER_BIT = 24, /* … and those that choose the probe branch */
    ROUTER_BITS = 16,
    SPARSE_DUMMIES = 256, /* on lines of their own: with the rest of the code less than 32 KiB */
    TABLE = 64,           /* where the addresses of probe branches begin in the state */
    BEARER_BYTES = 256,   /* that each of the two branches of the bearer is placed in */
    LOOP_BYTES = 65536 + TABLE_DUMMIES * HISTORY_LINE_BYTES,
    PROBE_PAGE = 4 /* of the block: none of the bits that are inverted leads to its loop */
};

/* ---- Room ----------------------------------------------------------------------------------------- */

static uint64_t separating(const struct code_block *r)
{
    return UINT64_C(1) << r->highest;
}

static void give_all(struct code_block *r)
{
    for (unsigned s = 0; s < 2; s++) {
        const uint64_t page = (uint64_t)PROBE_PAGE * PAGE ^ (s ? separating(r) : 0);
        code_block_give(r, r->block + page, PAGE);
        for (unsigned bit = TABLE_PAGE_BITS; bit < r->highest; bit++)
            code_block_give(r, r->block + (page ^ UINT64_C(1) << bit), PAGE);
    }
}

const char *table_room_map(struct code_block *r, unsigned highest)
{
    return code_block_map(r, highest, LOOP_BYTES, give_all);
}

/* ---- Code ----------------------------------------------------------------------------------------- */

/* From the first byte of a branch of emit_branch_if_zero to the one that it is known by. */
static unsigned source_byte(void)
{
    return emit_alignment > 1 ? 0 : 8;
}

/* A jump to one of 2^bits places, by that many bits of the draw; a taken branch leads from each to one place. */
static void emit_jump_by_chance(struct code *c, unsigned from, unsigned bits)
{
    const size_t places = (c->used / HISTORY_LINE_BYTES + 2) * HISTORY_LINE_BYTES, count = (size_t)1 << bits;

    chance_bits(c, from, bits);
    emit_constant(c, REG_T4, JUMP_BYTES);
    emit_multiply(c, REG_T1, REG_T4);
    emit_address(c, REG_T4, places);
    emit_add(c, REG_T1, REG_T4);
    emit_branch_register(c, REG_T1);
    for (size_t i = 0; i < count && code_good(c); i++) {
        emit_place(c, places + i * JUMP_BYTES);
        emit_branch_if_zero(c, REG_T6, places + count * JUMP_BYTES);
    }
    emit_place(c, places + count * JUMP_BYTES);
}

/*
 * A jump comes last, since its address has more chance in it than a direction; then directions, since a history may
 * have little of addresses in it.
 */
static void emit_chance(struct code *c)
{
    chance_draw(c);
    for (unsigned i = 0; i < NEXT_JUMPS; i++)
        emit_jump_by_chance(c, FIRST_PLACES_BITS + i * NEXT_PLACES_BITS, NEXT_PLACES_BITS);
    chance_branches(c, FIRST_PLACES_BITS + NEXT_JUMPS * NEXT_PLACES_BITS, DIRECTIONS);
    emit_jump_by_chance(c, 0, FIRST_PLACES_BITS);
}

/* A conditional branch by the register, from a random place to a random place of its own room. */
static void emit_bearer_branch(struct code *c, enum reg r, uint64_t *random)
{
    const unsigned half = BEARER_BYTES / 2, room = half - 32;
    const size_t start = (c->used / BEARER_BYTES + 1) * BEARER_BYTES;

    emit_nops(c, start - c->used + random_below(random, room / emit_alignment) * emit_alignment);
    const struct fixup branch = emit_branch_if_zero_ahead(c, r);
    emit_nops(c, start + half - c->used + random_below(random, room / emit_alignment) * emit_alignment);
    emit_land(c, branch);
}

static void emit_dummies(struct code *c, unsigned count)
{
    for (unsigned i = 0; i < count && code_good(c); i++) {
        const size_t next = c->used + HISTORY_LINE_BYTES / (count > SPARSE_DUMMIES ? 2u : 1u);
        const struct fixup branch = emit_branch_if_zero_ahead(c, REG_T6);
        emit_place(c, next);
        emit_land(c, branch);
    }
}

/* Sets REG_T5 to what the probe branches go by: taken where it is zero. */
static void emit_decision(struct code *c, const struct table_trial *t, enum history_probe goes)
{
    if (t->biased && goes != HISTORY_OTHER_BIT)
        chance_bits(c, BIAS_BIT, BIAS_BITS);
    else
        chance_bits(c, goes == HISTORY_OTHER_BIT ? OTHER_BIT : 0, 1);
    emit_move(c, REG_T5, goes == HISTORY_CONSTANT && !t->biased ? REG_T6 : REG_T1);
}

static void emit_probe(struct code *c, bool opposite)
{
    const struct fixup over = opposite ? emit_branch_if_not_zero_ahead(c, REG_T5)
                                       : emit_branch_if_zero_ahead(c, REG_T5);

    emit_nop(c, emit_nop_lengths[0]);
    emit_land(c, over);
}

static void emit_router(struct code *c, unsigned count)
{
    chance_bits(c, ROUTER_BIT, ROUTER_BITS);
    emit_constant(c, REG_T4, count);
    emit_multiply(c, REG_T1, REG_T4);
    emit_shift_right(c, REG_T1, ROUTER_BITS);
    emit_load_indexed(c, REG_T4, REG_T7, REG_T1);
    emit_branch_register(c, REG_T4);
}

/* Where in the area the probe branch of that number begins. */
static size_t place_of(const struct table_trial *t, unsigned i)
{
    const uint64_t known = (uint64_t)PROBE_PAGE * PAGE + PAGE / 2 + source_byte();

    return t->room->block + (known ^ t->probes[i].inverted ^ (t->probes[i].separate ? separating(t->room) : 0)) -
           source_byte();
}

bool table_trial_build(struct probe *p, const struct table_trial *t, enum history_probe goes, struct kernel *k)
{
    const struct code_block *r = t->room;
    uint64_t random = t->layout;
    struct code c = code_start(r->code.area.write, r->code.area.at, r->code.area.bytes);
    struct piece piece = piece_at(&c, r, r->loop + random_below(&random, HISTORY_PLACES) * HISTORY_LINE_BYTES);
    const size_t entry = c.used;

    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T6, 0);
    emit_constant(&c, REG_T7, t->state->at + TABLE);
    const size_t loop = c.used;
    if (t->random)
        emit_chance(&c);
    chance_draw(&c);
    emit_decision(&c, t, goes);
    if (!t->biased) {
        chance_bits(&c, 0, 1);
        emit_bearer_branch(&c, REG_T6, &random);
        emit_bearer_branch(&c, REG_T1, &random);
        emit_align(&c, HISTORY_LINE_BYTES);
    }
    emit_dummies(&c, t->dummies);
    history_emit_probe_chain(p, &c);
    if (t->count)
        emit_router(&c, t->count);
    else
        emit_probe(&c, false);
    emit_align(&c, HISTORY_LINE_BYTES);
    const size_t back = c.used;
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    piece_done(&piece);
    for (unsigned i = 0; i < t->count && code_good(&c); i++) {
        const size_t place = place_of(t, i);
        ((uint64_t *)t->state->write)[TABLE / 8 + i] = c.at + place;
        struct piece probe = piece_at(&c, r, place);
        emit_probe(&c, t->probes[i].opposite);
        emit_constant(&c, REG_T4, c.at + back);
        emit_branch_register(&c, REG_T4);
        piece_done(&probe);
    }
    *k = (struct kernel){.data = t->state->at,
                         .units = 1,
                         .warm_iterations = probe_scale(p, 10, 500, 1000, 2000),
                         .length_factor = probe_scale(p, 1, 8, 8, 8),
                         .entry = c.at + entry};
    return code_good(&c) || probe_skip(p, c.overflow ? "the kernel did not fit its code area"
                                                     : "the kernel has an operand out of range");
}
