#include "lib/kernels/displaced_chase.h"

enum { LOAD_BYTES = 64 /* of code for each load and what belongs to it, at most */ };

size_t displacers_bytes(const struct displacers *d)
{
    size_t places = 0;

    for (size_t i = 0; i < d->count; i++)
        places += (places + 1) % d->skip ? 1 : 2;
    return (places + 1) * d->distance;
}

size_t displaced_chase_bytes(const struct displacers *d, unsigned unroll)
{
    return unroll * (d->count + 1) * LOAD_BYTES + LOAD_BYTES;
}

size_t emit_displaced_chase(struct code *c, const struct displacers *d, size_t lines, unsigned unroll)
{
    const size_t entry = c->used;

    emit_load(c, REG_T0, REG_DATA, 0);
    emit_load(c, REG_T3, REG_DATA, sizeof(uint64_t));
    emit_constant(c, REG_T4, d->distance);
    const size_t loop = c->used;
    emit_constant(c, REG_T5, lines);
    const size_t rounds = c->used;
    for (unsigned i = 0; i < unroll; i++) {
        emit_load(c, REG_T0, REG_T0, 0);
        emit_move(c, REG_T1, REG_T0);
        emit_and_constant(c, REG_T1, 1); /* pointers are even */
        emit_add(c, REG_T1, REG_T3);
        for (size_t n = 0, place = 0; n < d->count; n++) {
            for (size_t to = (place + 1) % d->skip ? place + 1 : place + 2; place < to; place++)
                emit_add(c, REG_T1, REG_T4);
            emit_load(c, REG_T2, REG_T1, 0);
            emit_add(c, REG_T0, REG_T2);
        }
    }
    emit_add_constant(c, REG_T5, -1);
    emit_branch_if_not_zero(c, REG_T5, rounds);
    emit_loop(c, loop);
    emit_store(c, REG_T0, REG_DATA, 0);
    emit_return(c);
    return entry;
}

bool displaced_chase_kernel(struct probe *p, const struct pointer_chase *c, const struct displacers *d, uintptr_t at,
                            size_t lines, unsigned unroll, struct kernel *k)
{
    struct code code = probe_code(p, displaced_chase_bytes(d, unroll));
    const size_t entry = emit_displaced_chase(&code, d, lines, unroll);

    ((uint64_t *)c->start.write)[1] = at;
    k->data = c->start.at;
    k->units = (double)(unroll * lines);
    return probe_kernel(p, &code, entry, k);
}
