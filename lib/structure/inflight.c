#include "lib/structure/inflight.h"

#include <stdio.h>
#include <string.h>

#include "lib/probe/sample.h"

enum {
    CURSORS_OFFSET =
        FILLER_DATA_BYTES, /* two words for each kind of pointer chase; the square roots' operand follows */
    CODE_BYTES = 4096,     /* of what is no filler */
    SAMPLES = 7,
    MISSES_LONGER = 2 /* on a simulated core, readings of misses: each has another latency, and points that differ cost
                         far more instructions than long readings do */
};

const char *const long_op_names[LONG_OPS] = {"miss", "loads", "arithmetic"};

/* The access that moves a double; NULL: this core has none. */
static const struct emit_access *double_access(void)
{
    const struct emit_access *a = emit_accesses;

    while (a->name && strcmp(a->name, "v64") != 0)
        a++;
    return a->name && a->vector_bits <= machine_info()->vector_bits ? a : NULL;
}

static bool has_class(const struct inflight_experiment *e, enum filler_class class)
{
    for (size_t i = 0; i < INFLIGHT_KINDS && e->fillers[i]; i++)
        if (e->fillers[i]->class == class)
            return true;
    return e->head && e->head->class == class;
}

static bool has_vectors(const struct inflight_experiment *e)
{
    return has_class(e, FILLER_VECTOR) || has_class(e, FILLER_VECTOR_FORM);
}

static unsigned widest_vector_bits(const struct inflight_experiment *e)
{
    unsigned bits = 0;

    for (size_t i = 0; i < INFLIGHT_KINDS && e->fillers[i]; i++)
        if ((e->fillers[i]->vector_bits || e->fillers[i]->class == FILLER_VECTOR) && e->fillers[i]->bits > bits)
            bits = e->fillers[i]->bits;
    return bits;
}

/* ---- Fillers -------------------------------------------------------------------------------------- */

const struct emit_filler *inflight_filler(const char *name)
{
    const struct emit_filler *f = emit_filler_named(name);
    char legacy[24];

    snprintf(legacy, sizeof legacy, "%s-legacy", name);
    if (!f || f->vector_bits > machine_info()->vector_bits)
        f = emit_filler_named(legacy);
    return f && f->vector_bits <= machine_info()->vector_bits &&
                   (f->vector_bits != FILLER_SCALABLE || machine_info()->scalable_bits)
               ? f
               : NULL;
}

bool inflight_choose_fillers(struct inflight_experiment *e, const char *const names[INFLIGHT_KINDS])
{
    for (size_t i = 0; i < INFLIGHT_KINDS && names[i]; i++) {
        e->fillers[i] = inflight_filler(names[i]);
        if (!e->fillers[i] || (e->waits && !e->fillers[i]->waits))
            return false;
    }
    /*
     * Square roots keep what other operations have left in the upper parts of their registers, which is slow on some
     * cores (Intel Optimization Reference Manual, 15.3).
     */
    const bool slows_roots = e->first == LONG_OP_ARITHMETIC && widest_vector_bits(e) > emit_wide_bits[0];
    return (!e->waits || !has_vectors(e) || double_access()) && !slows_roots;
}

static void emit_one_filler(struct code *c, const struct inflight_experiment *e, const struct emit_filler *f,
                            size_t index)
{
    if (e->waits && !e->ready && f->class != FILLER_BRANCH) /* branches wait for flags */
        emit_filler_waiting(c, f, index, REG_T2, VREG_0);
    else
        emit_filler(c, f, index);
}

/* Emits fillers first … end - 1 of turns that begin with filler 0. */
static void emit_some_fillers(struct code *c, const struct inflight_experiment *e, size_t kinds, size_t first,
                              size_t end)
{
    for (size_t i = 0, kind = 0; i < end; kind = (kind + 1) % kinds) {
        if (i++ >= first)
            emit_one_filler(c, e, e->fillers[kind], e->head_count + i - 1);
        for (unsigned n = 0; n < e->nops[kind] && i < end; n++, i++)
            if (i >= first)
                emit_nop(c, emit_nop_lengths[0]);
    }
}

/* Fillers that come before all others: as many as have registers and places of their own, and copies of these. */
static void emit_head(struct code *c, const struct inflight_experiment *e)
{
    const size_t period = emit_filler_period(e->head), turns = e->head_count / period;
    const struct code before = *c;

    for (size_t i = 0; i < (turns ? period : 0); i++)
        emit_one_filler(c, e, e->head, i);
    emit_repeat(c, &before, turns);
    for (size_t i = turns * period; i < e->head_count; i++)
        emit_one_filler(c, e, e->head, i);
}

/* Fillers after which the turn begins anew, and with it registers and places: the least multiple of both lengths. */
static size_t repeats_after(const struct inflight_experiment *e, size_t kinds)
{
    size_t turn = 0, period = 1, whole;

    for (size_t i = 0; i < kinds; i++) {
        turn += 1 + e->nops[i];
        period = period > emit_filler_period(e->fillers[i]) ? period : emit_filler_period(e->fillers[i]);
    }
    for (whole = turn; whole % period; whole += turn)
        ;
    return whole;
}

/* What repeats is emitted once and copied, and so is its beginning where fewer are left at the end. */
static void emit_fillers_in_turn(struct code *c, const struct inflight_experiment *e, size_t count)
{
    size_t kinds = 0;

    if (e->head)
        emit_head(c, e);
    while (kinds < INFLIGHT_KINDS && e->fillers[kinds])
        kinds++;
    if (!kinds) /* there are no fillers */
        return;
    const size_t whole = repeats_after(e, kinds), turns = count / whole, rest = count % whole;
    const struct code before = *c;
    emit_some_fillers(c, e, kinds, 0, rest);
    const struct code after = *c;
    if (!turns)
        return;
    emit_some_fillers(c, e, kinds, rest, whole);
    emit_repeat(c, &before, turns);
    emit_copy_between(c, &before, &after);
}

static void emit_padding(struct code *c, const struct inflight_experiment *e, unsigned count)
{
    for (unsigned i = 0; i < count && e->pad; i++)
        emit_filler(c, e->pad, i);
    if (!e->pad)
        emit_nop_sequence(c, emit_nop_lengths[0], count);
}

/* ---- Long-latency operations ---------------------------------------------------------------------- */

int32_t inflight_cursor_offset(enum long_op kind, unsigned which)
{
    return CURSORS_OFFSET + 16 * (kind == LONG_OP_LOADS) + 8 * (int32_t)which;
}

/*
 * What fillers wait for: zeros of the line that the first operation is about to miss, into a general and a vector
 * register, and flags that say that the zero is not 2. These loads miss together with the operation.
 */
static void emit_loads_to_wait_for(struct code *c, const struct inflight_experiment *e)
{
    if (has_vectors(e))
        emit_load_as(c, double_access(), VREG_0, REG_T0, 8);
    for (unsigned i = 0; i < e->extra_loads; i++)
        emit_load(c, REG_T2, REG_T0, 16);
    emit_load(c, REG_T2, REG_T0, 8);
    if (has_class(e, FILLER_BRANCH) && !e->ready)
        emit_compare(c, REG_T2, REG_T7);
}

/* `which`: 0 for the first operation, 1 for the second. */
static void emit_long_op(struct code *c, const struct inflight_experiment *e, unsigned which)
{
    const unsigned chain = e->one_chain ? e->one_chain - 1 : which;
    const enum long_op kind = which ? e->second : e->first;
    const unsigned steps = e->inflight->steps[kind];

    if (kind == LONG_OP_ARITHMETIC) { /* fillers wait for loads only */
        const struct code before = *c;
        emit_square_root(c, VREG_0 + chain, VREG_0 + chain);
        emit_repeat(c, &before, steps);
        return;
    }
    for (unsigned i = 0; i < steps; i++) {
        if (e->waits && !which && i + 1 == steps)
            emit_loads_to_wait_for(c, e);
        emit_load(c, REG_T0 + chain, REG_T0 + chain, which && i == 0 && e->gate == GATE_ADDITION ? -1 : 0);
    }
}

/* The address of the second operation plus one, which its load takes off again; or the address times one. */
static void emit_gate(struct code *c, enum inflight_gate gate)
{
    if (gate == GATE_ADDITION)
        emit_add(c, REG_T1, REG_T6);
    else if (gate == GATE_MULTIPLICATION)
        emit_multiply(c, REG_T1, REG_T6);
}

/* Both chains of square roots begin with the double in the data area. */
static void emit_root_operands(struct code *c)
{
    const struct emit_access *a = double_access();

    for (unsigned i = 0; i < 2; i++)
        if (a)
            emit_load_as(c, a, VREG_0 + i, REG_DATA, INFLIGHT_ROOT_OFFSET);
        else
            emit_wide_clear(c, VREG_0 + i, emit_wide_bits[0]);
}

/* ---- The kernel ----------------------------------------------------------------------------------- */

bool inflight_build(struct probe *p, double fillers, void *context, struct kernel *k)
{
    const struct inflight_experiment *e = context;
    const size_t count = (size_t)fillers;
    struct code c = probe_code(p, CODE_BYTES + (e->head_count + count) * FILLER_JUMP_BYTES);

    for (unsigned i = 0; i < 2; i++)
        emit_load(&c, REG_T0 + i, REG_DATA, inflight_cursor_offset(i ? e->second : e->first, i));
    emit_filler_begin(&c, REG_DATA);
    if (widest_vector_bits(e))
        emit_filler_hold(&c, machine_info()->vector_bits, widest_vector_bits(e), e->clear_vectors);
    emit_root_operands(&c);
    emit_align(&c, 64);
    const size_t loop = c.used;
    emit_padding(&c, e, e->pad_before);
    emit_long_op(&c, e, 0);
    emit_fillers_in_turn(&c, e, count);
    emit_gate(&c, e->gate);
    emit_long_op(&c, e, 1);
    emit_padding(&c, e, e->pad_behind);
    emit_fence(&c, FENCE_INSTRUCTIONS);
    /* the loop's counter and branch occupy structures too, and must share no group with the second operation */
    emit_nop_sequence(&c, emit_nop_lengths[0], INFLIGHT_GROUP);
    emit_loop(&c, loop);
    for (unsigned i = 0; i < 2; i++)
        emit_store(&c, REG_T0 + i, REG_DATA, inflight_cursor_offset(i ? e->second : e->first, i));
    for (size_t i = 0; i < INFLIGHT_KINDS && e->fillers[i]; i++)
        emit_filler_end(&c, e->fillers[i]);
    if (e->head)
        emit_filler_end(&c, e->head);
    emit_return(&c);
    k->data = e->inflight->data.at;
    if (e->first == LONG_OP_LOADS || e->second == LONG_OP_LOADS) /* until all lines are in the second level */
        k->warm_iterations = probe_smoke(p, 1, (double)e->inflight->near_lines / e->inflight->steps[LONG_OP_LOADS]);
    if (e->first == LONG_OP_MISS || e->second == LONG_OP_MISS)
        k->length_factor = probe_simulated(p, MISSES_LONGER, 1);
    k->units = 1;
    return probe_kernel(p, &c, 0, k);
}

/* An experiment with a fixed number of fillers, for sample_cycles. */
struct fixed_experiment {
    struct inflight_experiment experiment;
    double fillers;
};

static bool build_fixed(struct probe *p, void *context, struct kernel *k)
{
    struct fixed_experiment *f = context;

    return inflight_build(p, f->fillers, &f->experiment, k);
}

bool inflight_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles)
{
    struct fixed_experiment f = {.experiment = *e, .fillers = fillers};

    return sample_cycles(p, SAMPLES, build_fixed, &f, cycles);
}

bool inflight_delivery_cycles(struct probe *p, const struct inflight_experiment *e, double fillers, double *cycles)
{
    struct inflight none = *e->inflight;
    struct inflight_experiment alone = *e;

    alone.inflight = &none;
    alone.first = alone.second = LONG_OP_MISS;
    none.steps[LONG_OP_MISS] = 0;
    return inflight_cycles(p, &alone, fillers, cycles);
}

bool inflight_warm(struct probe *p, const struct inflight_experiment *e)
{
    double cycles;

    return (e->first != LONG_OP_MISS && e->second != LONG_OP_MISS) || probe_is_smoke(p) ||
           inflight_cycles(p, e, INFLIGHT_FEW, &cycles);
}
