#include "lib/kernels/dependence.h"

#include "lib/kernels/access.h"

enum {
    /*
     * Consecutive steps use different words from the beginning of the data on, so that no load meets the store of an
     * older step that is still in flight.
     */
    WORDS = 64,
    WORD_BYTES = 8,
    ELSEWHERE = 1024,  /* where the store of an independent step writes */
    CELL = 1536,       /* a pointer to itself, for DELAY_LOADS */
    TABLE = 2048,      /* for each step, where its store writes and where its load reads */
    DELAY_LENGTH = 10, /* multiplications, or loads, of a delay */
    ROOM_BYTES = 4096
};

struct step {
    uint64_t store, load; /* bytes from the beginning of the data */
};

struct dependence_steps dependence_steps(const struct area *area, const struct emit_access *load,
                                         enum dependence_delay delay)
{
    *(uint64_t *)(area->write + CELL) = area->at + CELL;
    return (struct dependence_steps){.area = area, .load = load, .delay = delay};
}

/* Delays register r, whose value becomes zero, by a delay's length. */
static void emit_delay(struct code *c, const struct dependence_steps *s, enum reg r)
{
    if (s->delay == DELAY_LOADS)
        emit_add(c, r, REG_T8); /* r is zero: now the address of CELL */
    for (unsigned i = 0; i < DELAY_LENGTH; i++)
        if (s->delay == DELAY_LOADS)
            emit_load(c, r, r, 0);
        else
            emit_multiply(c, r, REG_T1);
    emit_multiply(c, r, REG_T2);
}

static void emit_constants(struct code *c)
{
    emit_constant(c, REG_T0, 0);
    emit_constant(c, REG_T1, 1);
    emit_constant(c, REG_T2, 0);
    emit_move(c, REG_T8, REG_DATA);
    emit_add_constant(c, REG_T8, CELL);
}

/*
 * One step. T0 is the chain; T3 and T7 hold where the store writes and where the load reads, in bytes from the data on.
 * Returns the offset of the load in the code.
 */
static size_t emit_step(struct code *c, const struct dependence_steps *s)
{
    emit_delay(c, s, REG_T0);
    emit_add(c, REG_T3, REG_T0);
    emit_add(c, REG_T3, REG_DATA);
    emit_add(c, REG_T7, REG_DATA);
    emit_store_as(c, access_general(64), REG_T1, REG_T3, 0);
    const size_t at = c->used;
    emit_load_as(c, s->load, REG_T4, REG_T7, 0);
    emit_multiply(c, REG_T4, REG_T2);
    emit_delay(c, s, REG_T4);
    emit_add(c, REG_T0, REG_T4);
    emit_fence(c, FENCE_INSTRUCTIONS);
    return at;
}

bool dependence_sequence(struct probe *p, const struct dependence_steps *s, size_t count, double *cycles)
{
    struct code c = probe_code(p, ROOM_BYTES);
    struct kernel k = {.data = s->area->at,
                       .units = 1,
                       .warm_iterations = probe_smoke(p, 1, 5),
                       .length_factor = probe_smoke(p, 1, 4)};
    struct point pt;

    emit_constants(&c);
    const size_t loop = c.used;
    emit_move(&c, REG_T5, REG_DATA);
    emit_add_constant(&c, REG_T5, TABLE);
    emit_constant(&c, REG_T6, count);
    const size_t inner = c.used;
    emit_load(&c, REG_T3, REG_T5, 0);
    emit_load(&c, REG_T7, REG_T5, sizeof(uint64_t));
    emit_add_constant(&c, REG_T5, sizeof(struct step));
    emit_step(&c, s);
    emit_add_constant(&c, REG_T6, -1);
    emit_branch_if_not_zero(&c, REG_T6, inner);
    emit_loop(&c, loop);
    emit_return(&c);
    if (!probe_kernel(p, &c, 0, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}

void dependence_set_step(const struct dependence_steps *s, size_t i, bool dependent)
{
    const uint64_t word = i % WORDS * WORD_BYTES;

    ((struct step *)(s->area->write + TABLE))[i] = (struct step){dependent ? word : ELSEWHERE, word};
}

void dependence_set_steps(const struct dependence_steps *s, size_t count, bool dependent)
{
    for (size_t i = 0; i < count; i++)
        dependence_set_step(s, i, dependent);
}

/* As emit_step, for a step that is known when code is emitted. */
static size_t emit_constant_step(struct code *c, const struct dependence_steps *s, const struct step *step)
{
    emit_constant(c, REG_T3, step->store);
    emit_constant(c, REG_T7, step->load);
    return emit_step(c, s);
}

/* Bytes from the beginning of such a step to its load. */
static size_t offset_of_load(struct probe *p, const struct dependence_steps *s, const struct step *step)
{
    struct code c = probe_code(p, ROOM_BYTES);

    return emit_constant_step(&c, s, step);
}

bool dependence_two_steps(struct probe *p, const struct dependence_steps *s, size_t distance, double *cycles)
{
    static const struct step dependent = {0, 0}, independent = {ELSEWHERE, WORD_BYTES};
    const size_t lead[] = {offset_of_load(p, s, &dependent), offset_of_load(p, s, &independent)};
    const size_t room = (size_t)4 << DEPENDENCE_LAST_BIT;
    struct code c = probe_code(p, room);
    struct kernel k = {.data = s->area->at, .units = 1, .warm_iterations = probe_smoke(p, 2, 200)};
    const size_t zeros = ((size_t)2 << DEPENDENCE_LAST_BIT), first = zeros - (size_t)(c.at % zeros);
    struct point pt;

    emit_constants(&c);
    emit_branch(&c, first - lead[0]);
    emit_place(&c, first - lead[0]);
    emit_constant_step(&c, s, &dependent);
    emit_branch(&c, first + distance - lead[1]);
    emit_place(&c, first + distance - lead[1]);
    emit_constant_step(&c, s, &independent);
    emit_loop(&c, first - lead[0]);
    emit_return(&c);
    if (!probe_kernel(p, &c, 0, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}
