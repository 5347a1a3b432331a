#include "lib/kernels/walkers.h"

#include <stdlib.h>

#include "lib/base/random.h"

enum {
    UNROLL = 16,       /* loads of an iteration of the single chase */
    LENGTH_FACTOR = 8, /* length factor: many rounds, since the last round ends only when its last walker is done */
    CODE_BYTES = 8192
};

bool walkers_map(struct probe *p, struct walkers *w, size_t bytes, size_t most)
{
    if (!pointer_chase_map(p, &w->chase, bytes) || !probe_map(p, &w->chase.start, most * sizeof(uint64_t), 0))
        return false;
    w->order = malloc(bytes / POINTER_CHASE_LINE_BYTES * sizeof *w->order);
    return w->order ? true : probe_skip(p, "out of memory for the order of the ring");
}

void walkers_link(struct probe *p, struct walkers *w, size_t lines, size_t group)
{
    const uint64_t *words = (const uint64_t *)w->chase.ring.write;
    const size_t each = POINTER_CHASE_LINE_BYTES / sizeof *words;

    pointer_chase_link(p, &w->chase, 0, lines, group);
    w->lines = lines;
    uint64_t at = w->chase.ring.at;
    for (size_t i = 0; i < lines; i++) {
        w->order[i] = (uint32_t)((at - w->chase.ring.at) / POINTER_CHASE_LINE_BYTES);
        at = words[w->order[i] * each];
    }
}

bool walkers_build(struct probe *p, double walkers, void *context, struct kernel *k)
{
    const struct walkers *w = context;
    const size_t count = (size_t)walkers, from = random_below(&p->random, w->lines);
    uint64_t *places = (uint64_t *)w->chase.start.write;
    struct code c = probe_code(p, CODE_BYTES);

    for (size_t i = 0; i < count; i++)
        places[i] = w->chase.ring.at +
                    (uint64_t)w->order[(from + i * w->lines / count) % w->lines] * POINTER_CHASE_LINE_BYTES;
    for (size_t i = 0; i < count; i++) {
        emit_load(&c, REG_T0, REG_DATA, (int32_t)(i * sizeof *places));
        emit_load(&c, REG_T0, REG_T0, 0);
        emit_store(&c, REG_T0, REG_DATA, (int32_t)(i * sizeof *places));
    }
    emit_loop(&c, 0);
    emit_return(&c);
    k->data = w->chase.start.at;
    k->units = 1;
    k->warm_iterations = (double)w->lines / walkers; /* one walk over the whole ring fills all levels */
    k->length_factor = probe_smoke(p, 1, LENGTH_FACTOR);
    return probe_kernel(p, &c, 0, k);
}

bool walkers_build_chase(struct probe *p, void *context, struct kernel *k)
{
    const struct walkers *w = context;

    *(uint64_t *)w->chase.start.write = w->chase.ring.at;
    k->warm_iterations = (double)w->lines / UNROLL;
    return pointer_chase_kernel(p, &w->chase, pointer_chase_unroll(w->lines, UNROLL), k);
}
