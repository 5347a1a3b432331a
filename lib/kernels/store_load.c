#include "lib/kernels/store_load.h"

#include <math.h>

#include "lib/base/statistics.h"
#include "lib/kernels/access.h"

enum {
    ROOM_BYTES = 512, /* code besides the pairs */
    LINE_BYTES = 64,
    WARM_PAIRS = 1000,     /* pairs executed before measuring, */
    SIMULATED_PAIRS = 100, /* on a simulated core; published designs of memory dependence predictors learn in a few */
    TRAINING_PAIRS = 4000, /* and with long training: chosen, more than predictors in scope need to learn the pairs; */
    WARM_ITERATIONS = 100, /* but at least so many iterations, so that each pair of a long loop is trained */
    FIRST_WAITS = 16,      /* multiplications before the first pair of a chain through the store's address */
    MOVE_BYTES = 64,       /* by which BASE_MOVES goes on, and BASE_CHANGES goes back */
    SAMPLES = 3
};

/*
 * Loops of different lengths put the same pair at different code addresses: an effect of one code address does not
 * decide the median.
 */
static const unsigned SAMPLE_PAIRS[SAMPLES] = {8, 7, 5};

/* Added to a value again and again; it is odd, so that every byte takes all values. */
static const uint64_t CHANGE = 0x0123456789abcdef;

/*
 * Registers: REG_T0 or VREG_0 carries the chain; T1 is what is stored where the chain does not go through the data; T2
 * is zero; T3 is a copy of REG_DATA; T4 is what values change by.
 */
static void emit_begin(struct code *c, const struct store_load *s)
{
    emit_move(c, REG_T3, REG_DATA);
    emit_constant(c, REG_T2, 0);
    emit_constant(c, REG_T4, CHANGE);
    if (s->chain == THROUGH_LOAD || s->chain == THROUGH_STORE)
        emit_move(c, REG_T0, REG_DATA);
    else
        emit_constant(c, REG_T0, 1);
    emit_constant(c, REG_T1, 1);
    /* so that the first pair of a call has to wait, as all others do */
    for (unsigned i = 0; s->chain == THROUGH_STORE && i < FIRST_WAITS; i++)
        emit_multiply(c, REG_T0, REG_T1);
    if (s->store->file == ACCESS_VECTOR || s->load->file == ACCESS_VECTOR)
        emit_wide_clear(c, VREG_0, emit_wide_bits[0]);
}

/* The access of one register of the same file as `a`, of so many bits; NULL where there is none. */
static const struct emit_access *narrower(const struct emit_access *a, unsigned bits)
{
    for (const struct emit_access *n = emit_accesses; n->name; n++)
        if (n->file == a->file && n->bits == bits && n->registers == 1 && !n->streams)
            return n;
    return NULL;
}

static void emit_stores(struct code *c, const struct store_load *s, int32_t at)
{
    const unsigned count = s->stores ? s->stores : 1;
    const struct emit_access *a = count > 1 ? narrower(s->store, s->store->bits / count) : s->store;
    const enum reg base = s->chain == THROUGH_STORE ? REG_T0 : REG_DATA;
    const unsigned from = s->store->file == ACCESS_VECTOR ? (unsigned)VREG_0
                          : s->chain == THROUGH_DATA      ? (unsigned)REG_T0
                                                          : (unsigned)REG_T1;

    if (!a) {
        c->invalid = true;
        return;
    }
    if (s->overwritten)
        emit_store_as(c, s->store, REG_T4, base, at);
    for (unsigned i = 0; i < count; i++) {
        const unsigned part = s->backwards ? count - 1 - i : i;
        emit_store_as(c, a, from, base, at + (int32_t)(part * a->bits / 8));
    }
}

static void emit_pair(struct code *c, const struct store_load *s, int32_t at)
{
    const unsigned to = s->load->file == ACCESS_VECTOR ? (unsigned)VREG_0 : (unsigned)REG_T0;
    const enum reg data_base = s->base == BASE_OTHER ? REG_T3 : REG_DATA;
    const enum reg base = s->chain == THROUGH_LOAD ? REG_T0 : s->chain == THROUGH_STORE ? REG_T3 : data_base;

    const int32_t back = s->base == BASE_CHANGES ? MOVE_BYTES : 0;

    if (s->chain != THROUGH_NONE) {
        emit_stores(c, s, at);
        if (back)
            emit_add_constant(c, REG_DATA, -back);
        if (s->reused)
            emit_add(c, REG_T0, REG_T4);
        emit_load_as(c, s->load, to, base, at + back + s->load_offset);
        if (back)
            emit_add_constant(c, REG_DATA, back);
    }
    if (s->chain == THROUGH_DATA) {
        if (s->changing)
            emit_add(c, REG_T0, REG_T4);
    } else {
        emit_add(c, REG_T1, REG_T4);
        emit_multiply(c, REG_T0, REG_T2);
        emit_add(c, REG_T0, REG_T3);
    }
    if (s->base == BASE_MOVES)
        emit_add_constant(c, REG_DATA, MOVE_BYTES);
    if (s->nop_bytes)
        emit_nops(c, s->nop_bytes);
}

static double warm_iterations(const struct probe *p, const struct store_load *s)
{
    const double pairs = s->long_training ? TRAINING_PAIRS : WARM_PAIRS;

    return probe_is_simulated(p) && !s->long_training ? SIMULATED_PAIRS / (double)s->pairs
                                                      : WARM_ITERATIONS + pairs / s->pairs;
}

bool store_load_kernel(struct probe *p, const struct store_load *s, uint64_t data, struct kernel *k)
{
    const unsigned stores = s->stores ? s->stores : 1;
    struct code c = probe_code(p, ROOM_BYTES + s->pairs * ((stores + 9) * (size_t)emit_longest + s->nop_bytes));

    emit_begin(&c, s);
    emit_align(&c, LINE_BYTES);
    const size_t loop = c.used;
    for (unsigned i = 0; i < s->pairs && code_good(&c); i++)
        emit_pair(&c, s, s->store_offset + (int32_t)i * s->pitch);
    for (unsigned i = 0; s->base == BASE_MOVES && i < s->pairs; i++)
        emit_add_constant(&c, REG_DATA, -MOVE_BYTES);
    emit_loop(&c, loop);
    if (s->store->file == ACCESS_VECTOR || s->load->file == ACCESS_VECTOR)
        for (const unsigned *bits = emit_wide_bits; *bits; bits++)
            if (!bits[1])
                emit_wide_end(&c, *bits);
    emit_return(&c);
    *k = (struct kernel){.data = data, .units = s->pairs, .warm_iterations = probe_smoke(p, 2, warm_iterations(p, s))};
    return probe_kernel(p, &c, 0, k);
}

bool store_load_measure(struct probe *p, const struct store_load *s, uint64_t data, double *cycles)
{
    const unsigned samples = (unsigned)probe_smoke(p, 1, SAMPLES);
    double y[SAMPLES] = {0};
    unsigned taken = 0;

    for (bool repeats = false; taken < samples && taken < SAMPLES && !repeats; taken++) {
        struct store_load one = *s;
        struct kernel k;
        struct point pt = {.repeats = false};
        one.pairs = s->pairs ? s->pairs : SAMPLE_PAIRS[taken];
        if (!store_load_kernel(p, &one, data, &k) || !probe_measure(p, &k, &pt))
            return false;
        y[taken] = pt.q20;
        repeats = pt.repeats; /* on a simulated core: so would any further sample */
    }
    *cycles = (double)NAN;
    for (unsigned i = 0; i < taken; i++)
        if (isnan(y[i]))
            return true;
    sort_numbers(y, taken);
    *cycles = quantile(y, taken, 0.5);
    return true;
}
