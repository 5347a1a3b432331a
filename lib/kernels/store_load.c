#include "lib/kernels/store_load.h"

#include <math.h>

enum {
    ROOM_BYTES = 512,
    LINE_BYTES = 64,
    WARM_PAIRS = 1000,
    SLOW_PAIRS = 4000,     /* what learns which load belongs to which store has learned it … */
    WARM_ITERATIONS = 100, /* … by then, of every load */
    FIRST_WAITS = 16,
    MOVE_BYTES = 64,
    SAMPLES = 3
};

/* Different numbers of pairs put the same pair at other addresses: what goes by those is luck. */
static const unsigned SAMPLE_PAIRS[SAMPLES] = {8, 7, 5};
/*
 * Ways through the core differ by whole cycles. How long a load is blocked depends on when the store happens to retire:
 * a class may be as wide as that.
 */
static const double CLASS_CYCLES = 0.5, CLASS_PART = 0.08;
/* See enum way. */
static const double RENAMED_PART = 0.75;

/* An odd number: what it is added to takes every value, in every byte. */
static const uint64_t CHANGE = 0x0123456789abcdef;

/*
 * REG_T0 or VREG_0 is the chain; T1 what is stored where that is no part of it; T2 is zero, T3 the data once more, T4
 * what values change by.
 */
static void emit_begin(struct code *c, const struct store_load *s)
{
    emit_move(c, REG_T3, REG_DATA);
    emit_constant(c, REG_T2, 0);
    emit_constant(c, REG_T4, CHANGE);
    if (s->chain == CHAIN_LOAD || s->chain == CHAIN_STORE)
        emit_move(c, REG_T0, REG_DATA);
    else
        emit_constant(c, REG_T0, 1);
    emit_constant(c, REG_T1, 1);
    /* the first pair waits for something, too */
    for (unsigned i = 0; s->chain == CHAIN_STORE && i < FIRST_WAITS; i++)
        emit_multiply(c, REG_T0, REG_T1);
    if (s->store->file == ACCESS_VECTOR || s->load->file == ACCESS_VECTOR)
        emit_wide_clear(c, VREG_0, emit_wide_bits[0]);
}

/* The access of that file and so many bits; NULL where there is none. */
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
    const enum reg base = s->chain == CHAIN_STORE ? REG_T0 : REG_DATA;
    const unsigned from = s->store->file == ACCESS_VECTOR ? (unsigned)VREG_0
                          : s->chain == CHAIN_DATA        ? (unsigned)REG_T0
                                                          : (unsigned)REG_T1;

    if (!a) {
        c->invalid = true;
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        const unsigned part = s->backwards ? count - 1 - i : i;
        emit_store_as(c, a, from, base, at + (int32_t)(part * a->bits / 8));
    }
}

static void emit_pair(struct code *c, const struct store_load *s, int32_t at)
{
    const unsigned to = s->load->file == ACCESS_VECTOR ? (unsigned)VREG_0 : (unsigned)REG_T0;
    const enum reg data_base = s->base == BASE_OTHER ? REG_T3 : REG_DATA;
    const enum reg base = s->chain == CHAIN_LOAD ? REG_T0 : s->chain == CHAIN_STORE ? REG_T3 : data_base;

    if (s->chain != CHAIN_NONE) {
        emit_stores(c, s, at);
        emit_load_as(c, s->load, to, base, at + s->offset);
    }
    if (s->chain == CHAIN_DATA) {
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

bool store_load_kernel(struct probe *p, const struct store_load *s, uint64_t data, struct kernel *k)
{
    const unsigned stores = s->stores ? s->stores : 1;
    struct code c = probe_code(p, ROOM_BYTES + s->pairs * ((stores + 5) * (size_t)emit_longest + s->nop_bytes));

    emit_begin(&c, s);
    emit_align(&c, LINE_BYTES);
    const size_t loop = c.used;
    for (unsigned i = 0; i < s->pairs && code_good(&c); i++)
        emit_pair(&c, s, s->at + (int32_t)i * s->pitch);
    for (unsigned i = 0; s->base == BASE_MOVES && i < s->pairs; i++)
        emit_add_constant(&c, REG_DATA, -MOVE_BYTES);
    emit_loop(&c, loop);
    if (s->store->file == ACCESS_VECTOR || s->load->file == ACCESS_VECTOR)
        for (const unsigned *bits = emit_wide_bits; *bits; bits++)
            if (!bits[1])
                emit_wide_end(&c, *bits);
    emit_return(&c);
    *k = (struct kernel){.data = data,
                         .units = s->pairs,
                         .warm_iterations = probe_smoke(
                             p, 2, WARM_ITERATIONS + (double)(s->slow_learning ? SLOW_PAIRS : WARM_PAIRS) / s->pairs)};
    return probe_kernel(p, &c, 0, k);
}

bool store_load_measure(struct probe *p, const struct store_load *s, uint64_t data, double *cycles)
{
    const unsigned samples = (unsigned)probe_smoke(p, 1, SAMPLES);
    double y[SAMPLES] = {0};

    for (unsigned i = 0; i < samples && i < SAMPLES; i++) {
        struct store_load one = *s;
        struct kernel k;
        struct point pt;
        one.pairs = s->pairs ? s->pairs : SAMPLE_PAIRS[i];
        if (!store_load_kernel(p, &one, data, &k) || !probe_measure(p, &k, &pt))
            return false;
        y[i] = pt.q20;
    }
    *cycles = (double)NAN;
    for (unsigned i = 0; i < samples; i++)
        if (isnan(y[i]))
            return true;
    sort_numbers(y, samples);
    *cycles = quantile(y, samples, 0.5);
    return true;
}

bool store_load_references(struct probe *p, const struct store_load *s, uint64_t data, struct ways *w)
{
    const struct emit_access *wide = emit_accesses;
    double alone, loads;

    while (wide->bits != 64)
        wide++;
    struct store_load reference = {.store = wide, .load = wide, .chain = CHAIN_NONE};
    if (!store_load_measure(p, &reference, data, &alone))
        return false;
    reference.chain = CHAIN_LOAD;
    reference.offset = SEPARATE_BYTES;
    if (!store_load_measure(p, &reference, data, &loads))
        return false;
    w->extra = s->chain != CHAIN_DATA ? alone : s->changing ? 1 : 0;
    w->load = loads - alone;
    return true;
}

bool ways_decide(struct ways *w, const double *sorted, size_t count)
{
    if (!(w->load > 0) || !classes_of(sorted, count, CLASS_CYCLES, CLASS_PART, &w->classes)) {
        w->classes.count = w->forwarded = w->blocked = 0;
        return false;
    }
    w->forwarded = 0;
    while (w->forwarded < w->classes.count && w->classes.all[w->forwarded].middle - w->extra < RENAMED_PART * w->load)
        w->forwarded++;
    w->blocked = w->forwarded;
    while (w->blocked < w->classes.count &&
           w->classes.all[w->blocked].middle - w->classes.all[w->forwarded].middle < w->load)
        w->blocked++;
    return true;
}

enum way way_of(const struct ways *w, double cycles)
{
    const size_t found = classes_find(&w->classes, cycles);

    if (found == w->classes.count)
        return WAY_UNKNOWN;
    if (found < w->forwarded)
        return WAY_RENAMED;
    if (found == w->forwarded)
        return WAY_FORWARDED;
    return found < w->blocked ? WAY_SLOW : WAY_BLOCKED;
}
