#include "lib/kernels/built_in.h"

#include <stdlib.h>

#include "lib/base/random.h"

enum {
    UNROLL = 32, /* instructions of the kind in an iteration */
    LINE_BYTES = 64,
    WORDS_BITS = 12,
    RANDOM_WORDS = 1 << WORDS_BITS,
    RING_BYTES = 16 << 20, /* more than the second level of any core in scope */
    CODE_BYTES = 4096
};

static void emit_additions(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_add(c, REG_T0, REG_T1);
}

static void emit_multiplications(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_multiply(c, REG_T0, REG_T1);
}

static void emit_nops_kernel(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_nop(c, emit_nop_lengths[0]);
}

static void emit_loads(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(c, REG_T2, REG_DATA, (int32_t)(8 * i));
}

static void emit_stores(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_store(c, REG_T1, REG_DATA, (int32_t)(8 * i));
}

static void emit_taken_branches(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_land(c, emit_branch_ahead(c));
}

/*
 * Each branch is taken or not by a random bit, which no predictor can know: half of them are mispredicted. Both
 * directions lead to the next instruction, so that the number of instructions is known.
 */
static void emit_random_branches(struct code *c)
{
    emit_move(c, REG_T3, REG_T4);
    emit_and_constant(c, REG_T3, WORDS_BITS);
    emit_load_indexed(c, REG_T2, REG_DATA, REG_T3);
    for (unsigned i = 0; i < UNROLL; i++) {
        emit_move(c, REG_T3, REG_T2);
        emit_and_constant(c, REG_T3, 1);
        emit_land(c, emit_branch_if_zero_ahead(c, REG_T3));
        emit_shift_right(c, REG_T2, 1);
    }
    emit_add_constant(c, REG_T4, 1);
}

/* A pointer chase through more than the second level holds. */
static void emit_misses(struct code *c)
{
    for (unsigned i = 0; i < UNROLL; i++)
        emit_load(c, REG_T5, REG_T5, 0);
}

const struct built_in built_in_kernels[] = {
    {"additions", "a chain of dependent additions", emit_additions},
    {"multiplications", "a chain of dependent multiplications", emit_multiplications},
    {"nops", "NOPs", emit_nops_kernel},
    {"loads", "independent loads that hit the first-level cache", emit_loads},
    {"stores", "independent stores to the first-level cache", emit_stores},
    {"taken-branches", "unconditional branches to the next instruction", emit_taken_branches},
    {"random-branches", "conditional branches that nothing can predict", emit_random_branches},
    {"misses", "a chase through 16 MiB, or a quarter of the memory", emit_misses},
    {0},
};

bool built_in_map(struct probe *p, struct built_in_memory *m)
{
    size_t room = machine_info()->memory_bytes / 4, ring = room < RING_BYTES ? room : RING_BYTES;

    if (!probe_map(p, &m->words, RANDOM_WORDS * sizeof(uint64_t), 0) || !probe_map_large(p, &m->ring, ring))
        return false;
    uint32_t lines = (uint32_t)(m->ring.bytes / LINE_BYTES), *next = malloc(lines * sizeof *next);
    if (!next)
        return probe_skip(p, "out of memory");
    for (size_t i = 0; i < RANDOM_WORDS; i++)
        ((uint64_t *)m->words.write)[i] = random_next(&p->random);
    random_cycle(next, lines, &p->random);
    for (size_t i = 0; i < lines; i++)
        *(uint64_t *)(m->ring.write + i * LINE_BYTES) = m->ring.at + (size_t)next[i] * LINE_BYTES;
    free(next);
    return true;
}

bool built_in_build(struct probe *p, const struct built_in_memory *m, const struct built_in *kind, struct work *work,
                    struct kernel *k)
{
    struct code c = probe_code(p, CODE_BYTES);

    emit_constant(&c, REG_T0, 3);
    emit_constant(&c, REG_T1, 5);
    emit_constant(&c, REG_T4, 0);
    emit_constant(&c, REG_T5, m->ring.at);
    size_t loop = c.used;
    struct work before = c.work;
    kind->emit(&c);
    emit_loop(&c, loop);
    *work = (struct work){c.work.instructions - before.instructions, c.work.branches - before.branches,
                          c.work.loads - before.loads, c.work.stores - before.stores};
    emit_return(&c);
    *k = (struct kernel){.data = m->words.at, .units = 1};
    return probe_kernel(p, &c, 0, k);
}
