#include "lib/kernels/line_walk.h"

struct line_walk line_walk_start(uint64_t at, size_t bytes)
{
    return (struct line_walk){.at = at, .left = bytes / (LINE_WALK_LINES * LINE_WALK_LINE)};
}

void line_walk_emit(struct code *c, uint64_t at, size_t bytes, bool stores)
{
    const struct line_walk start = line_walk_start(at, bytes);

    emit_load(c, REG_T0, REG_DATA, (int32_t)offsetof(struct line_walk, at));
    emit_load(c, REG_T4, REG_DATA, (int32_t)offsetof(struct line_walk, left));
    const size_t loop = c->used;
    for (int32_t i = 0; i < LINE_WALK_LINES; i++)
        if (stores)
            emit_store(c, REG_T4, REG_T0, i * LINE_WALK_LINE);
        else
            emit_load(c, REG_T3, REG_T0, i * LINE_WALK_LINE);
    emit_add_constant(c, REG_T0, LINE_WALK_LINES * LINE_WALK_LINE);
    emit_add_constant(c, REG_T4, -1);
    const struct fixup on = emit_branch_if_not_zero_ahead(c, REG_T4);
    emit_constant(c, REG_T0, start.at);
    emit_constant(c, REG_T4, start.left);
    emit_land(c, on);
    emit_loop(c, loop);
    emit_store(c, REG_T0, REG_DATA, (int32_t)offsetof(struct line_walk, at));
    emit_store(c, REG_T4, REG_DATA, (int32_t)offsetof(struct line_walk, left));
}
