#include "lib/kernels/table_set.h"

#include "lib/base/random.h"
#include "lib/kernels/chance.h"
#include "lib/kernels/table_trial.h"

enum {
    OTHER_BIT = 9,  /* of the draw */
    ENTRY_BIT = 16, /* of the draw; the first of those that choose an entry */
    ENTRY_BITS = 24,
    BEARER_PART_BYTES = 128, /* in which there is one of a bearer's branches, or their target */
    CODE_BYTES = 32768 + TABLE_DUMMIES * HISTORY_LINE_BYTES
};

/* A random place of the first half of a part, so that a branch fits behind it. */
static size_t draw_place(uint64_t *random, size_t part)
{
    return part * BEARER_PART_BYTES + random_below(random, BEARER_PART_BYTES / 2 / emit_alignment) * emit_alignment;
}

/* By the bit in REG_T1, to one of two branches that are always taken, to one target. */
static void emit_bearer(struct code *c, uint64_t *random)
{
    const size_t part = c->used / BEARER_PART_BYTES + 2;
    const size_t one = draw_place(random, part), other = draw_place(random, part + 1);
    const size_t target = draw_place(random, part + 2);

    emit_constant(c, REG_T4, other - one);
    emit_multiply(c, REG_T1, REG_T4);
    emit_address(c, REG_T4, one);
    emit_add(c, REG_T1, REG_T4);
    emit_branch_register(c, REG_T1);
    emit_place(c, one);
    emit_branch_if_zero(c, REG_T6, target);
    emit_place(c, other);
    emit_branch_if_zero(c, REG_T6, target);
    emit_place(c, target);
}

/* Draws an entry of the list into REG_T7. */
static void emit_draw(struct code *c, const struct table_set *t)
{
    chance_draw(c);
    chance_bits(c, ENTRY_BIT, ENTRY_BITS);
    emit_constant(c, REG_T4, t->entries);
    emit_multiply(c, REG_T1, REG_T4);
    emit_shift_right(c, REG_T1, ENTRY_BITS);
    emit_constant(c, REG_T4, t->list);
    emit_load_indexed(c, REG_T7, REG_T4, REG_T1);
}

bool table_set_build(struct probe *p, const struct table_set *t, enum history_probe goes, struct kernel *k)
{
    uint64_t random = t->layout, places = ~t->layout;
    struct code c;
    struct piece piece = {0};
    const size_t pitch = table_pitch(t->reset + t->dummies);

    if (t->places) {
        piece = branch_places_start(&c, t->places, &random);
    } else {
        c = probe_code(p, CODE_BYTES);
        emit_place(&c, random_below(&random, HISTORY_PLACES) * HISTORY_LINE_BYTES);
    }
    const size_t entry = c.used;
    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    emit_draw(&c, t);
    chance_bits(&c, OTHER_BIT, 1);
    emit_move(&c, REG_T5, goes == HISTORY_CONSTANT ? REG_T6 : goes == HISTORY_OTHER_BIT ? REG_T1 : REG_T7);
    if (goes == HISTORY_SAME_BIT)
        emit_shift_right(&c, REG_T5, 63);
    history_emit_taken(&c, t->reset, pitch);
    for (unsigned i = 0; i < t->bearers; i++) {
        emit_move(&c, REG_T1, REG_T7);
        emit_and_constant(&c, REG_T1, 1);
        emit_shift_right(&c, REG_T7, 1);
        emit_bearer(&c, &random);
    }
    history_emit_taken(&c, t->dummies, pitch);
    struct branch_route route = {0};
    if (t->places) {
        emit_move(&c, REG_T1, REG_T7);
        emit_shift_right(&c, REG_T1, 62 - t->bearers);
        emit_and_constant(&c, REG_T1, 1);
        route = branch_places_route(p, &c, t->places, &places);
    } else {
        history_emit_probe_branch(p, &c);
    }
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    if (t->places) {
        piece_done(&piece);
        branch_places_emit(&c, t->places, &route);
    }
    *k = (struct kernel){.data = t->state,
                         .units = 1,
                         .warm_iterations = probe_scale(p, 10, 200, 200, 200),
                         .length_factor = probe_scale(p, 1, 25, 25, 25),
                         .entry = c.at + entry};
    return t->places ? branch_places_done(p, &c) : probe_kernel(p, &c, entry, k);
}
