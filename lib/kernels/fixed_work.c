#include "lib/kernels/fixed_work.h"

enum { ADDITIONS = 8, CODE_BYTES = 4096 };

bool fixed_work_build(struct probe *p, struct fixed_work *w)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_constant(&c, REG_T1, 1);
    const struct work before = c.work;
    const size_t start = c.used;
    for (unsigned i = 0; i < ADDITIONS; i++)
        emit_add(&c, REG_T0, REG_T1);
    emit_loop(&c, start);
    w->instructions_per_iteration = c.work.instructions - before.instructions;
    emit_return(&c);
    w->instructions_once = c.work.instructions - w->instructions_per_iteration;
    w->kernel.units = 1;
    return probe_kernel(p, &c, 0, &w->kernel);
}

uint64_t fixed_work_instructions(const struct fixed_work *w, uint64_t iterations)
{
    return w->instructions_once + iterations * w->instructions_per_iteration;
}
