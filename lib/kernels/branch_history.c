#include "lib/kernels/branch_history.h"

#include "lib/kernels/chance.h"

enum {
    CLOSE_SLOT_BYTES = HISTORY_LINE_BYTES / 2,
    NOT_TAKEN_BYTES = 16, /* of a slot: branches that are not taken need no entry of a branch target buffer */
    ENTRY_BYTES = 4096 + (1 + HISTORY_PLACES) * HISTORY_LINE_BYTES,
    SMOKE_MULTIPLICATIONS = 6, /* in the profile smoke, where each instruction counts */
    SPARSE_BYTES = 24576,      /* of dummies on lines of their own: with the rest of the code less than 32 KiB */
    OTHER_BIT = 9,             /* of the draw */
    TARGET_BYTES = 32,         /* from the first target of an indirect jump to the second */
    FAR_BYTES = 1 << 17,       /* from the other code to branches that are not taken, in a mixture with taken ones */
    THERE_AND_BACK = 2         /* taken conditional branches that lead there and back */
};

unsigned history_branches(enum history_kind kind)
{
    return kind == HISTORY_CALL_RETURN ? 2 : 1;
}

bool history_fills_cache(const struct branch_history *h, double x)
{
    const double lines = x * (h->mixed || h->kind != HISTORY_NOT_TAKEN) + h->mixed * (h->kind != HISTORY_NOT_TAKEN);

    return lines * HISTORY_LINE_BYTES > SPARSE_BYTES;
}

/* Emits one dummy in a slot of its own; the function that calls go to is at offset 0. */
static void emit_dummy(struct code *c, enum history_kind kind, size_t slot_bytes)
{
    const size_t next = c->used + (kind == HISTORY_NOT_TAKEN ? NOT_TAKEN_BYTES : slot_bytes);
    struct fixup branch;

    switch (kind) {
    case HISTORY_NOT_TAKEN:
        emit_land(c, emit_branch_if_not_zero_ahead(c, REG_T6));
        emit_nops(c, next - c->used);
        return;
    case HISTORY_CALL_RETURN:
        emit_call(c, 0);
        emit_nops(c, next - c->used);
        return;
    case HISTORY_INDIRECT:
        emit_address(c, REG_T4, next);
        emit_branch_register(c, REG_T4);
        emit_place(c, next);
        return;
    default:
        branch = kind == HISTORY_TAKEN ? emit_branch_if_zero_ahead(c, REG_T6) : emit_branch_ahead(c);
        emit_place(c, next);
        emit_land(c, branch);
    }
}

/* Emits the bearer, which goes by the bit in REG_T1. */
static void emit_bearer(struct code *c, enum history_bearer bearer)
{
    if (bearer == HISTORY_DIRECTION) {
        emit_align(c, HISTORY_LINE_BYTES);
        struct fixup over = emit_branch_if_zero_ahead(c, REG_T1);
        emit_nop(c, emit_nop_lengths[0]);
        emit_land(c, over);
        return;
    }
    if (bearer == HISTORY_SOURCE) {
        emit_align(c, HISTORY_LINE_BYTES);
        const struct fixup one = emit_branch_if_zero_ahead(c, REG_T1), other = emit_branch_if_not_zero_ahead(c, REG_T1);
        emit_align(c, HISTORY_LINE_BYTES);
        emit_land(c, one);
        emit_land(c, other);
        return;
    }
    const size_t target = (c->used / HISTORY_LINE_BYTES + 2) * HISTORY_LINE_BYTES;
    emit_constant(c, REG_T4, emit_nop_lengths[0]);
    emit_multiply(c, REG_T1, REG_T4);
    emit_address(c, REG_T4, target);
    emit_add(c, REG_T1, REG_T4);
    emit_branch_register(c, REG_T1);
    emit_place(c, target);
    emit_nop(c, emit_nop_lengths[0]);
}

void history_emit_dummies(struct code *c, enum history_kind kind, unsigned count, size_t pitch)
{
    emit_align(c, HISTORY_LINE_BYTES);
    for (unsigned i = 0; i < count && code_good(c); i++)
        emit_dummy(c, kind, pitch);
}

void history_emit_taken(struct code *c, unsigned count, size_t pitch)
{
    history_emit_dummies(c, HISTORY_TAKEN, count, pitch);
}

void history_emit_chain(const struct probe *p, struct code *c)
{
    for (size_t i = 0; i < probe_smoke(p, SMOKE_MULTIPLICATIONS, HISTORY_MULTIPLICATIONS); i++)
        emit_multiply(c, REG_T5, REG_T2); /* by an odd number: only zero becomes zero */
}

void history_emit_probe_branch(const struct probe *p, struct code *c)
{
    history_emit_chain(p, c);
    const struct fixup over = emit_branch_if_zero_ahead(c, REG_T5);
    emit_nop(c, emit_nop_lengths[0]);
    emit_land(c, over);
}

void history_emit_target(const struct probe *p, struct code *c, size_t places)
{
    history_emit_chain(p, c); /* an odd number stays odd */
    emit_and_constant(c, REG_T5, 1);
    emit_constant(c, REG_T4, TARGET_BYTES);
    emit_multiply(c, REG_T5, REG_T4);
    emit_address(c, REG_T4, places);
    emit_add(c, REG_T5, REG_T4);
}

void history_emit_places(struct code *c)
{
    emit_nops(c, TARGET_BYTES);
}

bool history_build(struct probe *p, const struct branch_history *h, size_t x, enum history_probe goes, struct kernel *k)
{
    const size_t of_kind = h->mixed ? h->mixed : x, taken = h->first + (h->mixed ? x : 0);
    const size_t slot_bytes = h->close ? CLOSE_SLOT_BYTES : HISTORY_LINE_BYTES;
    const bool far = h->mixed && h->kind == HISTORY_NOT_TAKEN && taken >= THERE_AND_BACK;
    struct code c = probe_code(p, (size_t)(far ? FAR_BYTES : 0) + ENTRY_BYTES + (of_kind + taken) * HISTORY_LINE_BYTES);

    emit_return(&c);
    emit_place(&c, (1 + h->place) * HISTORY_LINE_BYTES);
    const size_t entry = c.used;
    emit_enter(&c);
    chance_begin(&c);
    emit_constant(&c, REG_T6, 0);
    const size_t loop = c.used;
    chance_draw(&c);
    chance_bits(&c, goes == HISTORY_OTHER_BIT ? OTHER_BIT : 0, 1);
    emit_move(&c, REG_T5, goes == HISTORY_CONSTANT ? REG_T6 : REG_T1);
    chance_bits(&c, 0, 1);
    emit_bearer(&c, h->bearer);
    emit_align(&c, HISTORY_LINE_BYTES);
    const struct fixup there = far ? emit_branch_if_zero_ahead(&c, REG_T6) : (struct fixup){0};
    emit_align(&c, HISTORY_LINE_BYTES);
    const size_t back = c.used;
    for (size_t i = far ? THERE_AND_BACK : 0; i < taken; i++)
        emit_dummy(&c, HISTORY_TAKEN, slot_bytes);
    for (size_t i = 0; i < of_kind && !far; i++)
        emit_dummy(&c, h->kind, slot_bytes);
    history_emit_probe_branch(p, &c);
    emit_loop(&c, loop);
    chance_end(&c);
    emit_leave(&c);
    if (far) {
        emit_place(&c, FAR_BYTES);
        emit_land(&c, there);
        for (size_t i = 0; i < of_kind; i++)
            emit_dummy(&c, h->kind, slot_bytes);
        emit_branch_if_zero(&c, REG_T6, back);
    }
    *k = (struct kernel){.data = h->state,
                         .units = 1,
                         .warm_iterations = probe_scale(p, 10, 500, 1000, 4000),
                         .length_factor = probe_scale(p, 1, 4, 8, 16) * history_branches(h->kind)};
    return probe_kernel(p, &c, entry, k);
}
