#include "lib/kernels/random_branch.h"

#include "lib/base/random.h"
#include "lib/kernels/chance.h"

enum {
    LINE_BYTES = 64,
    NOP_BYTES_MOST = 8,
    PLACES = 64,  /* lines among which the code begins */
    FILLING = 96, /* instructions on either side of the branch, at least */
    MORE = 32,    /* and this number more at most, by layout */
    CODE_BYTES = 16384
};

enum filler { LONG_NOPS, NOPS_AND_MOVES };
/* Before the branch, and behind it. */
static const enum filler fillers[RANDOM_BRANCH_FILLINGS][2] = {
    [RANDOM_BRANCH_NOPS] = {LONG_NOPS, LONG_NOPS},
    [RANDOM_BRANCH_MIXED_BEFORE] = {NOPS_AND_MOVES, LONG_NOPS},
    [RANDOM_BRANCH_MIXED_BEHIND] = {NOPS_AND_MOVES, NOPS_AND_MOVES}};

struct random_branch_layout random_branch_layout(struct probe *p)
{
    return (struct random_branch_layout){.begin = (1 + random_below(&p->random, PLACES)) * LINE_BYTES,
                                         .before = FILLING + random_below(&p->random, MORE),
                                         .after = FILLING + random_below(&p->random, MORE)};
}

static void emit_filling(struct code *c, enum filler filler, size_t count)
{
    unsigned nop_bytes = 1;

    for (const unsigned *n = emit_nop_lengths; *n && *n <= NOP_BYTES_MOST; n++)
        nop_bytes = *n;
    if (filler == LONG_NOPS)
        emit_nop_sequence(c, nop_bytes, count);
    for (size_t i = 0; filler == NOPS_AND_MOVES && i < count; i++)
        if (i % 2)
            emit_nop(c, nop_bytes);
        else
            emit_move(c, i % 4 ? REG_T1 : REG_T4, REG_T7);
}

static size_t bytes_of_call(struct code c)
{
    const size_t before = c.used;

    emit_call(&c, before);
    return c.used - before;
}

/*
 * The branch goes by REG_T6: a bit, or the address of one of the two instructions from `ways` on. Calls go to offset 0.
 */
static void emit_way(struct code *c, enum random_branch_kind kind, size_t ways)
{
    struct fixup over;

    switch (kind) {
    case RANDOM_BRANCH_CONDITIONAL:
        over = emit_branch_if_zero_ahead(c, REG_T6);
        emit_nop(c, emit_nop_lengths[0]);
        emit_land(c, over);
        return;
    case RANDOM_BRANCH_INDIRECT: emit_branch_register(c, REG_T6); break;
    default: /* a call whose own return address is the first of the two instructions */
        over = emit_branch_ahead(c);
        emit_place(c, ways - bytes_of_call(*c));
        emit_land(c, over);
        emit_call(c, 0);
    }
    emit_place(c, ways);
    emit_nop(c, emit_nop_lengths[0]);
}

bool random_branch_build(struct probe *p, enum random_branch_kind kind, enum random_branch_filling filling,
                         const struct random_branch_layout *l, bool random, uint64_t state, struct kernel *k)
{
    const size_t ways = CODE_BYTES / 2;
    struct code c = probe_code(p, CODE_BYTES);

    emit_return_to(&c, REG_T6);
    emit_place(&c, l->begin);
    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T7, 0);
    emit_constant(&c, REG_T8, emit_nop_lengths[0]);
    emit_move(&c, REG_T5, REG_T7);
    if (kind != RANDOM_BRANCH_CONDITIONAL)
        emit_address(&c, REG_T5, ways);
    const size_t loop = c.used;
    emit_move(&c, REG_T6, REG_T5);
    chance_draw(&c);
    chance_bits(&c, 0, 1);
    emit_move(&c, REG_T5, random ? REG_T1 : REG_T7);
    if (kind != RANDOM_BRANCH_CONDITIONAL) {
        emit_multiply(&c, REG_T5, REG_T8);
        emit_address(&c, REG_T4, ways);
        emit_add(&c, REG_T5, REG_T4);
    }
    emit_filling(&c, fillers[filling][0], l->before);
    emit_way(&c, kind, ways);
    emit_filling(&c, fillers[filling][1], l->after);
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    *k = (struct kernel){
        .data = state, .units = 1, .warm_iterations = probe_smoke(p, 10, 300), .length_factor = probe_smoke(p, 1, 8)};
    return probe_kernel(p, &c, l->begin, k);
}
