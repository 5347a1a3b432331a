#include "lib/kernels/table_trial.h"

#include "lib/base/random.h"
#include "lib/kernels/chance.h"

enum {
    FIRST_PLACES_BITS = 9, /* places to one of which the latest jump by chance leads: more than a reading can learn */
    NEXT_PLACES_BITS = 5,  /* … and those before it */
    NEXT_JUMPS = 3,
    JUMP_BYTES = 16,      /* from one place to the next */
    DIRECTIONS = 16,      /* branches in directions drawn at random */
    JUMP_DRAWS = 1,       /* of as many directions as a draw has bits, before a probe jump */
    OTHER_BIT = 9,        /* of the draw */
    SPARSE_DUMMIES = 256, /* on lines of their own: with the rest of the code less than 32 KiB */
    BEARER_BYTES = 256,   /* that each of the two branches of the bearer is placed in */
    CODE_BYTES = 32768 + TABLE_DUMMIES * HISTORY_LINE_BYTES
};

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
static void emit_chance(struct code *c, const struct table_trial *t)
{
    for (unsigned i = 0; i < JUMP_DRAWS && t->jump; i++) {
        chance_draw(c);
        chance_branches(c, 0, CHANCE_BITS);
    }
    if (t->jump) /* jumps by chance would take entries of the tables that are looked at */
        return;
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

void table_emit_bearer(struct code *c, unsigned bit, uint64_t *random)
{
    chance_bits(c, bit, 1);
    emit_bearer_branch(c, REG_T6, random);
    emit_bearer_branch(c, REG_T1, random);
}

void table_emit_jump(const struct probe *p, struct code *c)
{
    const size_t places = (c->used / HISTORY_LINE_BYTES + TABLE_JUMP_LINES) * HISTORY_LINE_BYTES;

    history_emit_target(p, c, places);
    emit_branch_register(c, REG_T5);
    emit_place(c, places);
    history_emit_places(c);
}

size_t table_pitch(unsigned dummies)
{
    return HISTORY_LINE_BYTES / (dummies > SPARSE_DUMMIES ? 2u : 1u);
}

bool table_trial_build(struct probe *p, const struct table_trial *t, enum history_probe goes, struct kernel *k)
{
    uint64_t random = t->layout;
    struct code c = probe_code(p, CODE_BYTES);

    if (t->mixed)
        emit_return(&c); /* the function that dummies call */
    emit_place(&c, (random_below(&random, HISTORY_PLACES) + (t->mixed ? 1 : 0)) * HISTORY_LINE_BYTES);
    const size_t entry = c.used;
    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    if (t->chance)
        emit_chance(&c, t);
    chance_draw(&c);
    chance_bits(&c, goes == HISTORY_OTHER_BIT ? OTHER_BIT : 0, 1);
    emit_move(&c, REG_T5, goes == HISTORY_CONSTANT ? REG_T6 : REG_T1);
    table_emit_bearer(&c, 0, &random);
    history_emit_dummies(&c, t->kind, t->mixed, HISTORY_LINE_BYTES);
    history_emit_taken(&c, t->dummies, table_pitch(t->dummies));
    if (t->jump)
        table_emit_jump(p, &c);
    else
        history_emit_probe_branch(p, &c);
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    *k = (struct kernel){.data = t->state,
                         .units = 1,
                         .warm_iterations = t->jump ? probe_smoke(p, 10, 500) : probe_scale(p, 10, 500, 1000, 2000),
                         .length_factor = probe_scale(p, 1, 8, 8, 8)};
    return probe_kernel(p, &c, entry, k);
}
