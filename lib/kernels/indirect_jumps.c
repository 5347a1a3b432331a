#include "lib/kernels/indirect_jumps.h"

#include "lib/base/random.h"

enum {
    HEAD_BYTES = 64,   /* of a branch with its load */
    TARGET_BYTES = 20, /* of the code at a target, on either ISA */
    ENTRY_BYTES = 64,
    PASSES = 100 /* before anything is timed: predictors have learnt the order then */
};

/* Draws the order of targets: each branch has its own (Fisher and Yates; Durstenfeld 1964). */
static void draw_order(struct probe *p, struct indirect_jumps *j, size_t targets)
{
    const size_t branches = j->branches, all = targets * branches;

    for (size_t b = 0; b < branches; b++)
        for (size_t i = 0; i < targets; i++) {
            const size_t other = random_below(&p->random, i + 1);
            j->order[i * branches + b] = j->order[other * branches + b];
            j->order[other * branches + b] = (uint32_t)(i * branches + b);
        }
    j->order[all] = j->order[0];
    for (size_t i = 0; i < all; i++)
        j->next[j->order[i]] = j->order[i + 1];
}

static size_t head_at(size_t branch)
{
    return ENTRY_BYTES + branch * HEAD_BYTES;
}

static size_t target_at(const struct indirect_jumps *j, size_t target)
{
    uint64_t chance = target; /* the seed: a target is always at the same offset */
    const size_t at = random_below(&chance, j->slack_bytes / emit_alignment) * emit_alignment;

    return head_at(j->branches) + target * (TARGET_BYTES + j->slack_bytes) + at;
}

/* Loads the address of the next target. */
static void emit_next(struct code *c)
{
    emit_load_indexed(c, REG_T1, REG_DATA, REG_T0);
    emit_add_constant(c, REG_T0, 1);
}

/* Lists targets of a pass drawn at random; the last one is `out`. Returns their number. */
static size_t list_at_random(struct probe *p, struct indirect_jumps *j, size_t targets, const struct code *c,
                             size_t out)
{
    const size_t steps = (size_t)probe_smoke(p, INDIRECT_SMOKE_STEPS, INDIRECT_STEPS);
    uint64_t *list = (uint64_t *)j->list.write;

    for (size_t i = 0; i < steps; i++)
        list[i] = c->at + target_at(j, random_below(&p->random, targets) * j->branches + i % j->branches);
    list[steps - 1] = c->at + out;
    return steps;
}

/* Draws an order and lists the targets of a pass in it. Returns their number. */
static size_t list_in_order(struct probe *p, struct indirect_jumps *j, size_t targets, const struct code *c)
{
    const size_t steps = targets * j->branches;

    draw_order(p, j, targets);
    for (size_t i = 0; i < steps; i++)
        ((uint64_t *)j->list.write)[i] = c->at + target_at(j, j->order[i]);
    return steps;
}

bool indirect_jumps_build(struct probe *p, struct indirect_jumps *j, size_t targets, enum indirect_kind kind,
                          struct kernel *k)
{
    const size_t all = targets * j->branches, out = target_at(j, all);
    struct code c = probe_code(p, out + TARGET_BYTES + j->slack_bytes);
    const size_t steps = kind == INDIRECT_AT_RANDOM ? list_at_random(p, j, targets, &c, out)
                                                    : list_in_order(p, j, targets, &c);

    emit_constant(&c, REG_T0, 0);
    emit_constant(&c, REG_T2, 0);
    const struct fixup begin = emit_branch_ahead(&c);
    const size_t end = c.used;
    emit_loop(&c, 0);
    emit_return(&c);
    emit_land_at(&c, begin, kind == INDIRECT_DIRECT ? target_at(j, j->order[0]) : head_at(0));
    for (size_t b = 0; b < j->branches && kind != INDIRECT_DIRECT; b++) {
        emit_place(&c, head_at(b));
        emit_next(&c);
        emit_branch_register(&c, REG_T1);
    }
    for (size_t t = 0; t < targets; t++)
        for (size_t b = 0; b < j->branches; b++) {
            const size_t target = t * j->branches + b;
            emit_place(&c, target_at(j, target));
            if (kind == INDIRECT_DIRECT)
                emit_next(&c);
            const bool last = kind != INDIRECT_AT_RANDOM && target == j->order[all - 1];
            const size_t on = kind == INDIRECT_DIRECT ? target_at(j, j->next[target])
                                                      : head_at(b + 1 < j->branches ? b + 1 : 0);
            emit_land_at(&c, emit_branch_if_zero_ahead(&c, REG_T2), last ? end : on);
        }
    emit_place(&c, out);
    emit_branch(&c, end);
    *k = (struct kernel){.data = j->list.at,
                         .units = (double)steps,
                         .warm_iterations = kind == INDIRECT_AT_RANDOM ? 1 : probe_smoke(p, 1, PASSES),
                         .length_factor = probe_smoke(p, 1, 4)};
    return probe_kernel(p, &c, 0, k);
}
