#include "lib/kernels/mispredicted_return.h"

#include "lib/base/random.h"

enum { CHUNK = 64 /* jumps of an iteration that is no whole pass */ };

bool mispredicted_return_map(struct probe *p, struct mispredicted_return *s)
{
    s->whole = probe_is_simulated(p);
    s->jumps_bits = (unsigned)probe_smoke(p, 8, probe_simulated(p, 12, 14));
    return probe_map(p, &s->area, MISPREDICTED_LINE_BYTES + (sizeof(uint64_t) << s->jumps_bits), 0);
}

void mispredicted_return_begin(struct code *c, struct mispredicted_return *s)
{
    emit_align(c, MISPREDICTED_LINE_BYTES);
    s->entry = c->used;
    emit_enter(c);
    emit_load(c, REG_T0, REG_DATA, 0);
    emit_move(c, REG_T2, REG_DATA);
    emit_add_constant(c, REG_T2, MISPREDICTED_LINE_BYTES);
    s->jump = c->used;
    emit_load_indexed(c, REG_T1, REG_T2, REG_T0);
    emit_add_constant(c, REG_T0, 1);
    const struct fixup over = emit_call_ahead(c);
    emit_branch(c, c->used); /* an endless loop: where the return stack leads the front end */
    emit_land(c, over);
    emit_return_to(c, REG_T1);
    s->end = c->used;
    if (s->whole)
        emit_constant(c, REG_T0, 0);
    else
        emit_and_constant(c, REG_T0, s->jumps_bits);
    emit_loop(c, s->jump);
    emit_store(c, REG_T0, REG_DATA, 0);
    emit_leave(c);
    emit_place(c, s->entry + (size_t)MISPREDICTED_LOOP_LINES * MISPREDICTED_LINE_BYTES);
    s->loop_instructions = c->work.instructions;
}

void mispredicted_return_place(struct code *c, const struct mispredicted_return *s)
{
    if (s->full)
        emit_nop_sequence(c, emit_nop_lengths[0],
                          (MISPREDICTED_LINE_BYTES - MISPREDICTED_JUMP_BYTES) / emit_nop_lengths[0]);
    emit_branch(c, s->jump);
}

/*
 * The index in the list of the n-th jump to a place, where an iteration has `chunk` jumps: the last one of each leads to
 * its end instead.
 */
static size_t listed_at(size_t n, size_t chunk)
{
    return n + n / (chunk - 1);
}

bool mispredicted_return_kernel(struct probe *p, const struct mispredicted_return *s, struct code *c,
                                size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                                struct kernel *k)
{
    uint64_t *targets = (uint64_t *)(s->area.write + MISPREDICTED_LINE_BYTES);
    const size_t room = (size_t)1 << s->jumps_bits, chunk = s->whole ? count + 1 : CHUNK;
    const size_t iterations = s->whole ? 1 : room / CHUNK, jumps = iterations * (chunk - 1);
    const size_t group = s->group ? s->group : 1;
    size_t before = 0;

    for (size_t n = 0; n < jumps; n++) {
        uint64_t *to = &targets[listed_at(n, chunk)];
        if (n >= count) {
            *to = targets[listed_at(n - count, chunk)];
            continue;
        }
        /* shuffles groups while writing them (Fisher and Yates; Durstenfeld 1964) */
        if (n % group == 0)
            before = random_below(&p->random, n / group + 1) * group;
        uint64_t *other = &targets[listed_at(before + n % group, chunk)];
        *to = *other;
        *other = c->at + place(context, n);
    }
    for (size_t i = 0; i < iterations; i++)
        targets[(i + 1) * chunk - 1] = c->at + s->end;
    /* what an iteration executes, about: all places, some of them, or some of them several times */
    const uint64_t each = (c->work.instructions - s->loop_instructions) / (count > 0 ? count : 1);
    c->work.instructions = chunk * (s->loop_instructions + each);
    *k = (struct kernel){.data = s->area.at,
                         .units = (double)chunk,
                         .warm_iterations = 2.0 * (double)count / (double)(chunk - 1),
                         .length_factor = probe_smoke(p, 1, 4)};
    return probe_kernel(p, c, s->entry, k);
}
