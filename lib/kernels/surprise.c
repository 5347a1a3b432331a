#include "lib/kernels/surprise.h"

enum { CHUNK = 64 /* jumps in an iteration */ };

bool surprise_map(struct probe *p, struct surprise *s)
{
    s->jumps_bits = (unsigned)probe_smoke(p, 8, 14);
    return probe_map(p, &s->area, SURPRISE_LINE_BYTES + (sizeof(uint64_t) << s->jumps_bits), 0);
}

void surprise_jump(struct code *c)
{
    emit_load_indexed(c, REG_T1, REG_T2, REG_T0);
    emit_add_constant(c, REG_T0, 1);
    emit_branch_register(c, REG_T1);
}

bool surprise_kernel(struct probe *p, const struct surprise *s, struct code *c,
                     size_t (*place)(const void *context, size_t index), const void *context, size_t count,
                     struct kernel *k)
{
    uint64_t *targets = (uint64_t *)(s->area.write + SURPRISE_LINE_BYTES);

    emit_align(c, SURPRISE_LINE_BYTES);
    size_t entry = c->used;
    emit_load(c, REG_T0, REG_DATA, 0);
    emit_move(c, REG_T2, REG_DATA);
    emit_add_constant(c, REG_T2, SURPRISE_LINE_BYTES);
    size_t chunk = c->used;
    surprise_jump(c);
    emit_align(c, SURPRISE_LINE_BYTES);
    size_t end = c->used;
    emit_and_constant(c, REG_T0, s->jumps_bits);
    emit_loop(c, chunk);
    emit_store(c, REG_T0, REG_DATA, 0);
    emit_return(c);

    for (size_t i = 0; i >> s->jumps_bits == 0; i++)
        targets[i] = c->at + (i % CHUNK == CHUNK - 1 ? end : place(context, random_below(&p->random, count)));
    /* a predictor's guess is right once in so many places, and then the jump costs nothing */
    *k = (struct kernel){.data = s->area.at,
                         .units = CHUNK * (1 - 1 / (double)count),
                         .warm_iterations = 2.0 * (double)count / CHUNK,
                         .stretch = probe_smoke(p, 1, 4)};
    return probe_kernel(p, c, entry, k);
}
