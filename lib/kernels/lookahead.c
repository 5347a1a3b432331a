#include "lib/kernels/lookahead.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sample.h"

enum {
    CURSORS_AT = FILLER_DATA_BYTES, /* two words for each kind of chase */
    ROOT_AT = CURSORS_AT + 32,      /* a double */
    DATA_BYTES = 4096,
    CODE_BYTES = 4096,  /* what is no filler */
    PACKED_MAXIMUM = 8, /* M1's buffer holds seven in an entry (Johnson 2021) */
    FEW = 8,            /* fillers: they fit wherever anything does … */
    LEAST = 4,          /* … and those behind half of others */
    NARROWED = 4,       /* times at most that an edge is looked for closer */
    STEPS_TRIED = 8,
    STEPS_MAXIMUM = 24, /* fewer than any scheduler holds: they wait there */
    STEP_CYCLES_TOLD = 4,
    SHIFTED = 5, /* searches, where blockers do not agree: as many as there are places in a group of six, but one */
    AROUND = 2 * LOOKAHEAD_GROUP, /* where groups are looked for: a knee may be off by one of them */
    SAMPLES = 7,
    STEEP = 4 /* fillers of a ramp, at most */
};

/* Long enough for fillers to be delivered and done meanwhile; longer chains make longer ramps. */
static const double CHAIN_CYCLES = 240;
/* Two blockers that overlap take about half as long as a chain of both; what is not nearly so does not overlap. */
static const double OVERLAP = 1.5;
/*
 * How long a miss takes differs, and of two the longer one counts: of exponential times 1.5, of which two in a row are
 * 1.33.
 */
static const double OVERLAP_OF_MISSES = 1.2;
/* What does not fit any more takes so much longer, at least; a second miss is most of an iteration. */
static const double RISES = 1.1;
/* Where no edge is looked for, so near to it is near enough; beyond what fits by this factor nothing does. */
static const double WITHIN = 0.01, CLOSER = 1.15;
/* Two limits that are so near to each other could be one. */
static const double ALIKE = 0.015, ALIKE_STEPS = 3;
/* Of the second level: few lines are found in it, and not many more pages than a TLB holds. */
static const double TIMES_LEVEL_2 = 2;
/*
 * Of the last level, where that is near and so small: what it holds comes back too soon for rows to be delivered, and
 * what else uses it takes lines away at times. Larger ones are as far away as memory.
 */
static const double TIMES_LAST = 2, LAST_NEAR = 1 << 25;
/* Of the first level: hardly a line is found in it, and both chases fit into the second. */
static const double TIMES_LEVEL_1 = 3;

const char *const blocker_names[BLOCKERS] = {"miss", "loads", "arithmetic"};

/* ---- The kernel --------------------------------------------------------------------------------- */

/* The access that moves a double; NULL: this core has none. */
static const struct emit_access *access_double(void)
{
    const struct emit_access *a = emit_accesses;

    while (a->name && strcmp(a->name, "v64") != 0)
        a++;
    return a->name && a->vector_bits <= machine_info()->vector_bits ? a : NULL;
}

static bool has_class(const struct lookahead_row *r, enum filler_class class)
{
    for (size_t i = 0; i < LOOKAHEAD_MIX && r->fillers[i]; i++)
        if (r->fillers[i]->class == class)
            return true;
    return r->head && r->head->class == class;
}

static unsigned widest(const struct lookahead_row *r)
{
    unsigned bits = 0;

    for (size_t i = 0; i < LOOKAHEAD_MIX && r->fillers[i]; i++)
        if ((r->fillers[i]->vector_bits || r->fillers[i]->class == FILLER_VECTOR) && r->fillers[i]->bits > bits)
            bits = r->fillers[i]->bits;
    return bits;
}

/*
 * What fillers wait for: zeros of the line that is about to be missed, a general one and a vector, and flags that say that
 * it is not 2. Those loads miss with the blocker, and bring what they bring when it does.
 */
static void emit_awaited(struct code *c, const struct lookahead_row *r)
{
    if (has_class(r, FILLER_VECTOR))
        emit_load_as(c, access_double(), VREG_0, REG_T0, 8);
    for (unsigned i = 0; i < r->more; i++)
        emit_load(c, REG_T2, REG_T0, 16);
    emit_load(c, REG_T2, REG_T0, 8);
    if (has_class(r, FILLER_BRANCH) && !r->ready)
        emit_compare(c, REG_T2, REG_T7);
}

static void emit_blocker(struct code *c, const struct lookahead_row *r, unsigned which)
{
    const unsigned chain = r->one_chain ? r->one_chain - 1 : which;

    const enum blocker b = which ? r->second : r->blocker;
    const unsigned steps = r->with->steps[b];

    for (unsigned i = 0; i < steps; i++) {
        if (r->waits && !which && i + 1 == steps)
            emit_awaited(c, r);
        if (b == BLOCKER_ARITHMETIC)
            emit_square_root(c, VREG_0 + chain, VREG_0 + chain);
        else
            emit_load(c, REG_T0 + chain, REG_T0 + chain, which && i == 0 && r->gate == GATE_ADDITION ? -1 : 0);
    }
}

/* Where the chase that a blocker takes a step of has its cursor. */
static int32_t cursor_at(enum blocker b, unsigned which)
{
    return CURSORS_AT + 16 * (b == BLOCKER_LOADS) + 8 * (int32_t)which;
}

/* The address of the second miss, and one, which the load takes off; or that address times one. */
static void emit_gate(struct code *c, enum lookahead_gate gate)
{
    if (gate == GATE_ADDITION)
        emit_add(c, REG_T1, REG_T6);
    else if (gate == GATE_MULTIPLICATION)
        emit_multiply(c, REG_T1, REG_T6);
}

static void emit_one(struct code *c, const struct lookahead_row *r, const struct emit_filler *f, size_t index)
{
    if (r->waits && !r->ready && f->class != FILLER_BRANCH) /* those wait for flags */
        emit_filler_waiting(c, f, index, REG_T2, VREG_0);
    else
        emit_filler(c, f, index);
}

static void emit_row(struct code *c, const struct lookahead_row *r, size_t count)
{
    size_t kinds = 1; /* at least */

    while (kinds < LOOKAHEAD_MIX && r->fillers[kinds])
        kinds++;
    for (size_t i = 0; i < r->head_count; i++)
        emit_one(c, r, r->head, i);
    for (size_t i = 0, which = 0; i < count; which = (which + 1) % kinds) {
        emit_one(c, r, r->fillers[which], r->head_count + i++);
        for (unsigned n = 0; n < r->nops[which] && i < count; n++, i++)
            emit_nop(c, emit_nop_lengths[0]);
    }
}

/* The double in `data` is what both chains of roots begin with. */
static void emit_roots(struct code *c)
{
    const struct emit_access *a = access_double();

    for (unsigned i = 0; i < 2; i++)
        if (a)
            emit_load_as(c, a, VREG_0 + i, REG_DATA, ROOT_AT);
        else
            emit_wide_clear(c, VREG_0 + i, emit_wide_bits[0]);
}

static void emit_around(struct code *c, const struct lookahead_row *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (r->around)
            emit_filler(c, r->around, i);
        else
            emit_nop(c, emit_nop_lengths[0]);
}

static bool build(struct probe *p, double fillers, void *context, struct kernel *k)
{
    const struct lookahead_row *r = context;
    const size_t count = (size_t)fillers;
    struct code c = probe_code(p, CODE_BYTES + (r->head_count + count) * FILLER_JUMP_BYTES);

    for (unsigned i = 0; i < 2; i++)
        emit_load(&c, REG_T0 + i, REG_DATA, cursor_at(i ? r->second : r->blocker, i));
    emit_filler_begin(&c, REG_DATA);
    if (widest(r))
        emit_filler_hold(&c, machine_info()->vector_bits, widest(r), r->cleared);
    emit_roots(&c);
    emit_align(&c, 64);
    const size_t loop = c.used;
    emit_around(&c, r, r->before);
    emit_blocker(&c, r, 0);
    emit_row(&c, r, count);
    emit_gate(&c, r->gate);
    emit_blocker(&c, r, 1);
    emit_around(&c, r, r->behind);
    emit_fence(&c, FENCE_INSTRUCTIONS);
    /* what counts and branches back holds something, too, and must be in no group with the second blocker */
    for (unsigned i = 0; i < LOOKAHEAD_GROUP; i++)
        emit_nop(&c, emit_nop_lengths[0]);
    emit_loop(&c, loop);
    for (unsigned i = 0; i < 2; i++)
        emit_store(&c, REG_T0 + i, REG_DATA, cursor_at(i ? r->second : r->blocker, i));
    for (size_t i = 0; i < LOOKAHEAD_MIX && r->fillers[i]; i++)
        emit_filler_end(&c, r->fillers[i]);
    if (r->head)
        emit_filler_end(&c, r->head);
    emit_return(&c);
    k->data = r->with->data.at;
    if (r->blocker == BLOCKER_LOADS || r->second == BLOCKER_LOADS) /* all lines are where they shall be */
        k->warm_iterations = probe_smoke(p, 1, (double)r->with->near_lines / r->with->steps[BLOCKER_LOADS]);
    k->units = 1;
    return probe_kernel(p, &c, 0, k);
}

/* ---- Blockers ----------------------------------------------------------------------------------- */

struct tried {
    struct lookahead_row row;
    double fillers;
};

static bool build_tried(struct probe *p, void *context, struct kernel *k)
{
    struct tried *t = context;

    return build(p, t->fillers, &t->row, k);
}

bool lookahead_cycles(struct probe *p, const struct lookahead_row *r, double fillers, double *cycles)
{
    struct tried t = {.row = *r, .fillers = fillers};

    return sample_cycles(p, SAMPLES, build_tried, &t, cycles);
}

/*
 * Before numbers are compared: what else ran meanwhile has pushed out the tables by which misses are translated, and until
 * they are back misses take up to half as long again (Zen 4: 1020 cycles, then 650).
 */
static bool warm(struct probe *p, const struct lookahead_row *r)
{
    double cycles;

    return (r->blocker != BLOCKER_MISS && r->second != BLOCKER_MISS) || probe_smoke(p, 0, 1) == 0 ||
           lookahead_cycles(p, r, FEW, &cycles);
}

static bool try_blocker(struct probe *p, const struct lookahead *l, enum blocker b, unsigned one_chain, double *cycles)
{
    const struct lookahead_row r = {
        .with = l, .blocker = b, .second = b, .fillers = {lookahead_filler("nop")}, .one_chain = one_chain};

    return lookahead_cycles(p, &r, 4, cycles);
}

/* One after the other: lines of one chase may be farther away than those of the other one. */
static bool try_chained(struct probe *p, const struct lookahead *l, enum blocker b, double *cycles)
{
    double second;

    if (!try_blocker(p, l, b, 1, cycles))
        return false;
    if (b != BLOCKER_MISS || probe_smoke(p, 0, 1) == 0)
        return true;
    if (!try_blocker(p, l, b, 2, &second))
        return false;
    *cycles = (*cycles + second) / 2;
    return true;
}

static bool try_blockers(struct probe *p, struct lookahead *l)
{
    for (enum blocker b = 0; b < BLOCKERS; b++) {
        l->steps[b] = b == BLOCKER_MISS ? 1 : STEPS_TRIED;
        if (b != BLOCKER_MISS && probe_smoke(p, false, true) > 0) {
            if (!try_chained(p, l, b, &l->chained[b]))
                return false;
            const double step = fmax(l->chained[b] / (2 * STEPS_TRIED), STEP_CYCLES_TOLD);
            l->steps[b] = (unsigned)fmin(floor(CHAIN_CYCLES / step), STEPS_MAXIMUM);
        }
        if (!try_chained(p, l, b, &l->chained[b]) || !try_blocker(p, l, b, 0, &l->alone[b]))
            return false;
        /* at smoke all there is runs, wherever that is: what never overlaps has no knee either */
        const double overlap = b == BLOCKER_MISS ? OVERLAP_OF_MISSES : OVERLAP;
        const bool fits = probe_smoke(p, true, l->chained[b] > overlap * l->alone[b]) > 0;
        l->unfit[b] = fits ? NULL : "blockers-do-not-overlap";
    }
    return true;
}

static size_t chase_bytes(const struct probe *p, enum blocker b)
{
    const struct facts *f = &p->run->facts;
    const double level_1 = facts_number(f, "memory.cache.bytes", "level=1", 1 << 15);
    const double level_2 = facts_number(f, "memory.cache.bytes", "level=2", 1 << 20);
    const double level_3 = facts_number(f, "memory.cache.bytes", "level=3", 0);
    const double most = (double)machine_info()->memory_bytes / 8;
    const double beyond = level_3 <= LAST_NEAR && TIMES_LAST * level_3 <= most ? TIMES_LAST * level_3 : 0;
    const double small = fmin(probe_scale(p, 1 << 16, 1 << 24, 1 << 25, 1 << 27), most);
    const double bytes = b == BLOCKER_LOADS ? fmin(fmin(TIMES_LEVEL_1 * level_1, level_2 / 3), small)
                         : beyond > 0       ? probe_smoke(p, small, beyond)
                                            : fmin(TIMES_LEVEL_2 * level_2, small);

    return (size_t)bytes / CHASE_LINE_BYTES * CHASE_LINE_BYTES;
}

static bool start_chases(struct probe *p, struct lookahead *l, enum blocker b)
{
    const size_t bytes = chase_bytes(p, b), lines = bytes / CHASE_LINE_BYTES;

    l->near_lines = lines;
    for (unsigned i = 0; i < 2; i++) {
        if (!chase_map(p, &l->chases[b][i], bytes))
            return false;
        chase_link(p, &l->chases[b][i], 0, lines, lines);
        memcpy(l->data.write + cursor_at(b, i), &l->chases[b][i].ring.at, sizeof(uint64_t));
    }
    return true;
}

bool lookahead_start(struct probe *p, struct lookahead *l)
{
    const double root = 1;

    *l = (struct lookahead){.nops = 0};
    if (!probe_map(p, &l->data, DATA_BYTES, 0) || !start_chases(p, l, BLOCKER_MISS) ||
        !start_chases(p, l, BLOCKER_LOADS))
        return false;
    memcpy(l->data.write + ROOT_AT, &root, sizeof root);
    return try_blockers(p, l);
}

const struct emit_filler *lookahead_filler(const char *name)
{
    const struct emit_filler *f = emit_filler_named(name);
    char other[24];

    snprintf(other, sizeof other, "%s-legacy", name);
    if (!f || f->vector_bits > machine_info()->vector_bits)
        f = emit_filler_named(other);
    return f && f->vector_bits <= machine_info()->vector_bits &&
                   (f->vector_bits != FILLER_SCALABLE || machine_info()->scalable_bits)
               ? f
               : NULL;
}

/*
 * How long a miss takes is other people's affair, and changes while a curve is taken: beside each row a short one is
 * measured, which always fits, and both are counted as if that one took what it did at first.
 */
static bool measure_beside(struct probe *p, double fillers, void *context, struct point *out)
{
    const struct lookahead_row *r = context;
    struct kernel few = {.units = 1}, k = {.units = 1};
    struct point beside;

    if (!build(p, FEW, context, &few) || !probe_measure(p, &few, &beside) || !build(p, fillers, context, &k) ||
        !probe_measure(p, &k, out))
        return false;
    const double scale = r->with->alone[BLOCKER_MISS] / beside.q20;
    out->q20 *= scale;
    out->median *= scale;
    return true;
}

/* ---- Experiments -------------------------------------------------------------------------------- */

struct sweep lookahead_sweep(struct probe *p, struct lookahead_row *r, const char *what, double to, double limit)
{
    static const char *const fooled_by[BLOCKERS] = {"loads in flight", "waiting loads", "waiting operations"};

    snprintf(r->name, sizeof r->name, "%s, %s%s%s", what, blocker_names[r->blocker],
             r->second == r->blocker ? "" : " and ", r->second == r->blocker ? "" : blocker_names[r->second]);
    return (struct sweep){.name = r->name,
                          .fooled_by = fooled_by[r->blocker],
                          .axis = "fillers",
                          .unit = "cycles/iteration",
                          .build = build,
                          .measure = r->blocker == BLOCKER_MISS ? measure_beside : NULL,
                          .context = r,
                          .seconds = probe_scale(p, 1, 1, 5, 25),
                          .search = {.kind = KNEE_WINDOW,
                                     .from = FEW,
                                     .to = probe_smoke(p, 16, to),
                                     .limit = probe_smoke(p, 16, limit),
                                     .grain = 1,
                                     .resolution = 0.01,
                                     .per_octave = (unsigned)probe_smoke(p, 1, 4),
                                     .budget = (unsigned)probe_smoke(p, 1, 0)}};
}

double lookahead_holds(const struct lookahead_row *r, enum filler_class class)
{
    const bool loads = r->blocker != BLOCKER_ARITHMETIC;
    const double operations = fmax(r->with->steps[r->blocker] - r->done, 1) + 1;

    switch (class) {
    case FILLER_NOTHING: return operations; /* the reorder buffer */
    case FILLER_GENERAL:
    case FILLER_LOAD: return loads ? operations : 0;
    case FILLER_VECTOR: return loads ? 0 : operations;
    default: return 0;
    }
}

bool lookahead_choose(struct lookahead_row *r, const char *const fillers[LOOKAHEAD_MIX])
{
    for (size_t i = 0; i < LOOKAHEAD_MIX && fillers[i]; i++) {
        r->fillers[i] = lookahead_filler(fillers[i]);
        if (!r->fillers[i] || (r->waits && !r->fillers[i]->waits))
            return false;
    }
    return !r->waits || !has_class(r, FILLER_VECTOR) || access_double();
}

/*
 * Square roots keep what other operations have left in the upper parts of their registers, which takes some cores long
 * (Intel Optimization Reference Manual, 15.3): no blockers beside fillers that leave something there.
 */
static bool is_wide(const struct lookahead_row *r)
{
    return widest(r) > emit_wide_bits[0];
}

/*
 * Where an iteration takes as long before its knee as two blockers one after the other, they do not overlap any more: the
 * first is done before the last filler is there, and what the knee shows is something else.
 */
static bool refuse_delivery(struct probe *p, const struct lookahead_row *r, struct verdict *v)
{
    double one = r->with->chained[r->blocker], other = r->with->chained[r->second];

    if (v->reason || v->count == 0 || v->knees[0].before < (one + other) / 2)
        return true;
    /* or memory has become slower since */
    if (!try_chained(p, r->with, r->blocker, &one) || !try_chained(p, r->with, r->second, &other))
        return false;
    if (!(v->knees[0].before < (one + other) / 2))
        v->reason = "masked-by:delivery of fillers";
    return true;
}

/* By how much an iteration is longer than its blockers is when the second begins; a chain leaves bit by bit until then. */
static void note_done(struct lookahead_row *r, const struct verdict *v)
{
    const double alone = r->with->alone[r->blocker], steps = r->with->steps[r->blocker];
    const double step = (r->with->chained[r->blocker] - alone) / steps;

    if (r->blocker != BLOCKER_MISS && !v->reason && v->count)
        r->done = floor(fmax(v->knees[0].before - alone, 0) / step);
}

/*
 * Chains that hold much of what is asked for, which becomes free bit by bit, are no blockers of that. Flags may be kept in
 * general registers.
 */
static bool holds_many(enum blocker b, enum filler_class class)
{
    return b == BLOCKER_ARITHMETIC
               ? class == FILLER_VECTOR
               : b == BLOCKER_LOADS && (class == FILLER_GENERAL || class == FILLER_FLAGS || class == FILLER_LOAD);
}

/*
 * The most that fit, to so many, between two numbers of which the first one must and the other must not. That one is measured
 * again beside each that is tried: how long a miss takes changes.
 */
static bool search_most(struct probe *p, const struct lookahead_row *r, double fit, double not, double within,
                        double *most)
{
    const double least = fit;
    double fast, slow, cycles;

    *most = (double)NAN;
    if (!warm(p, r) || !lookahead_cycles(p, r, fit, &fast) || !lookahead_cycles(p, r, not, &slow))
        return false;
    const double rises = slow / fast;
    if (!(rises > RISES))
        return true;
    while (not -fit > within && probe_smoke(p, 0, 1) > 0) {
        const double middle = floor((fit + not ) / 2);
        if (!lookahead_cycles(p, r, least, &fast) || !lookahead_cycles(p, r, middle, &cycles))
            return false;
        *(cycles < fast * (1 + rises) / 2 ? &fit : &not ) = middle;
    }
    *most = fit;
    return true;
}

bool lookahead_most(struct probe *p, const struct lookahead_row *r, double about, double *fits)
{
    double beyond = floor(about) + FEW;

    *fits = (double)NAN;
    for (unsigned i = 0; i < NARROWED && !isnan(about); i++) {
        if (!search_most(p, r, LEAST, beyond, fmax(beyond * WITHIN, 1), fits))
            return false;
        const double closer = floor(*fits * CLOSER) + 2 * FEW;
        if (isnan(*fits) || !(closer < beyond))
            break;
        beyond = closer;
    }
    return true;
}

/*
 * A third look at an edge that two views of the curve do not put alike, as where it slopes on both sides: half way up,
 * measured anew.
 */
static bool look_again(struct probe *p, const struct lookahead_row *r, struct verdict *v)
{
    struct knee *k = &v->knees[0];
    double half;

    if (v->reason || v->count == 0 || ((k->ramp || k->agreed) && k->half_agreed))
        return true;
    if (!search_most(p, r, LEAST, floor(k->value * CLOSER) + 2 * FEW, 1, &half))
        return false;
    k->agreed = k->agreed || (!k->ramp && fabs(half - k->value) <= 1);
    k->half_agreed = k->half_agreed || fabs(half - k->half) <= 1;
    return true;
}

bool lookahead_row_search(struct probe *p, struct lookahead_row *r, struct sweep *s)
{
    struct verdict *v = &s->search.verdict;

    if (!sweep_search(p, s) || !refuse_delivery(p, r, v) || !look_again(p, r, v))
        return false;
    note_done(r, v);
    return true;
}

static bool fits_more(const struct verdict *one, const struct verdict *other)
{
    return !one->reason && one->count &&
           (other->reason || !other->count || one->knees[0].value > other->knees[0].value);
}

/*
 * A search with so many NOPs before the first blocker, which counts where it finds more than one before, or that told
 * nothing. What is taken in together needs room for all of it: where the knee is depends on what shares a group with it.
 * And another hardware thread of the core, awake for a while, has entries and registers of its own.
 */
static bool search_shifted(struct probe *p, struct lookahead_answer *a, size_t i, const char *name, unsigned before)
{
    struct lookahead_row *r = &a->rows[i];
    const struct lookahead_row old = *r;
    const struct verdict *was = &a->sweeps[i].search.verdict;
    const struct search *range = &a->sweeps[i].search;
    const struct verdict *is;
    char what[sizeof r->name];

    snprintf(what, sizeof what, "%s +%u", name, before);
    struct sweep s = lookahead_sweep(p, r, what, range->to, range->limit);
    is = &s.search.verdict;
    r->before = before;
    const bool good = lookahead_row_search(p, r, &s);
    if (good && fits_more(is, was)) {
        sweep_free(&a->sweeps[i]);
        a->sweeps[i] = s;
    } else {
        *r = old;
        sweep_free(&s);
    }
    return good;
}

/* That blocker has an end. */
static bool tells(const struct lookahead_answer *a, size_t i)
{
    return !a->sweeps[i].search.verdict.reason && a->sweeps[i].search.verdict.count;
}

/* Some blocker tells something, but not all of them the same: one of them has nobody with it. */
static bool is_torn(const struct lookahead_answer *a)
{
    static const char with[] = " with ";
    const struct find_result r = find_decide(a->experiments, a->count, 1);
    size_t knees = 0, agree = 1;

    for (size_t i = 0; i < a->count; i++)
        knees += tells(a, i);
    for (const char *w = strstr(r.agreement, with); w; w = strstr(w + sizeof with - 1, with))
        agree++;
    return knees > 0 && agree < a->count;
}

bool lookahead_search(struct probe *p, const struct lookahead *with, const char *name,
                      const char *const fillers[LOOKAHEAD_MIX], enum filler_class class, double to, double limit,
                      struct lookahead_answer *out)
{
    *out = (struct lookahead_answer){.seen = 1};
    for (enum blocker b = 0; b < BLOCKERS; b++) {
        struct lookahead_row *r = &out->rows[out->count];
        struct sweep *s = &out->sweeps[out->count];
        *r = (struct lookahead_row){.with = with, .blocker = b, .second = b, .cleared = with->cleared};
        if (with->unfit[b] || !lookahead_choose(r, fillers) || (b == BLOCKER_ARITHMETIC && is_wide(r)) ||
            holds_many(b, class))
            continue;
        *s = lookahead_sweep(p, r, name, to, limit);
        if (!lookahead_row_search(p, r, s)) {
            sweep_free(s);
            return false;
        }
        out->experiments[out->count++] = (struct find_experiment){.name = r->name,
                                                                  .fooled_by = s->fooled_by,
                                                                  .verdict = &s->search.verdict,
                                                                  .holds = lookahead_holds(r, class)};
    }
    /* rows that ask for the reorder buffer tell groups by themselves */
    const unsigned shifts = class == FILLER_NOTHING ? 0 : (unsigned)probe_smoke(p, 0, SHIFTED);
    for (unsigned before = 1; before <= shifts && is_torn(out); before++)
        for (size_t i = 0; i < out->count; i++) {
            if (!search_shifted(p, out, i, name, before))
                return false;
            out->experiments[i].holds = lookahead_holds(&out->rows[i], class);
        }
    return true;
}

/* Nearer to what few take than to what as many do behind one chain, with which nothing overlaps. */
static bool is_fast(struct probe *p, const struct lookahead_row *r, double fillers, double cycles, bool *fast)
{
    struct lookahead_row chained = *r;
    double few, slow;

    chained.one_chain = 1;
    if (!lookahead_cycles(p, &chained, fillers, &slow) || !lookahead_cycles(p, r, FEW, &few))
        return false;
    *fast = cycles < (few + slow) / 2;
    return true;
}

/*
 * So many as did not fit take as long as if they did, the second number that did not, where the edge is as sharp as that
 * of single misses, or more: one number may be wrong as well as all of them. Or a few less than fitted do not.
 */
static bool is_over(struct probe *p, const struct lookahead_row *r, const struct knee *k, bool *over)
{
    const struct {
        double fillers;
        bool fit;
    } tried[] = {
        {fmax(k->high, k->end) + FEW, false},
        {k->value - ALIKE_STEPS, true},
        {k->high + 1, false},
    };
    double few, cycles;

    if (!warm(p, r) || !lookahead_cycles(p, r, FEW, &few))
        return false;
    const double half = few * (k->before + k->after) / (2 * k->before);
    for (size_t i = 0; i < (r->blocker != BLOCKER_MISS || k->ramp ? 2 : 3) && !*over; i++) {
        bool fast;
        if (!(tried[i].fillers > FEW))
            continue;
        if (!lookahead_cycles(p, r, tried[i].fillers, &cycles))
            return false;
        if ((cycles < half) == tried[i].fit)
            continue;
        if (!is_fast(p, r, tried[i].fillers, cycles, &fast))
            return false;
        *over = fast != tried[i].fit;
    }
    return true;
}

/* What is told of a row is not so now, or its numbers contradict each other. */
static bool is_doubtful(struct probe *p, const struct lookahead_answer *a, bool *doubtful)
{
    for (size_t i = 0; i < a->count && !*doubtful; i++) {
        const struct verdict *v = a->experiments[i].verdict;
        if (v->reason)
            *doubtful = !strcmp(v->reason, "ambiguous");
        else if (v->count && !is_over(p, &a->rows[i], &v->knees[0], doubtful))
            return false;
    }
    return true;
}

/* Where an answer has been copied to, or its sweeps exchanged. */
static void bind(struct lookahead_answer *a)
{
    for (size_t i = 0; i < a->count; i++) {
        a->sweeps[i].name = a->experiments[i].name = a->rows[i].name;
        a->sweeps[i].context = &a->rows[i];
        a->experiments[i].verdict = &a->sweeps[i].search.verdict;
    }
}

/* More fits by what both tell. */
static bool is_more(const struct lookahead_answer *one, const struct lookahead_answer *than)
{
    double more = 0;

    for (size_t i = 0; i < one->count && i < than->count; i++)
        if (one->rows[i].blocker == than->rows[i].blocker && tells(one, i) && tells(than, i))
            more += one->sweeps[i].search.verdict.knees[0].value - than->sweeps[i].search.verdict.knees[0].value;
    return more > 0;
}

static bool tells_nothing(const struct lookahead_answer *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (tells(a, i))
            return false;
    return true;
}

/* The most that was seen twice; the most where nothing was. */
static bool is_better(const struct lookahead_answer *one, const struct lookahead_answer *than)
{
    if (tells_nothing(one) || tells_nothing(than))
        return !tells_nothing(one);
    return (one->seen > 1) == (than->seen > 1) ? is_more(one, than) : one->seen > 1;
}

static void exchange(struct lookahead_answer *a)
{
    struct lookahead_answer *const other = a->other, was = *a;

    *a = *other;
    *other = was;
    a->other = other;
    other->other = NULL;
    bind(a);
    bind(other);
}

static void forget_other(struct lookahead_answer *a)
{
    if (a->other)
        sweeps_free(a->other->sweeps, a->other->count);
    free(a->other);
    a->other = NULL;
}

/* It is so now, too. */
static bool see(struct probe *p, struct lookahead_answer *a, bool *seen)
{
    bool doubtful = false;

    if (!is_doubtful(p, a, &doubtful))
        return false;
    *seen = !doubtful;
    a->seen += *seen;
    return true;
}

bool lookahead_search_again(struct probe *p, const struct lookahead *with, const char *name,
                            const char *const fillers[LOOKAHEAD_MIX], enum filler_class class, double to, double limit,
                            struct lookahead_answer *a, bool *again)
{
    char called[sizeof a->rows[0].name];
    bool seen = false;

    *again = false;
    if (!see(p, a, &seen))
        return false;
    if (seen)
        return true;
    *again = true;
    if (a->other && !see(p, a->other, &seen))
        return false;
    if (!seen) {
        forget_other(a);
        a->other = calloc(1, sizeof *a->other);
        snprintf(called, sizeof called, "%s, again", name);
        if (!a->other || !lookahead_search(p, with, called, fillers, class, to, limit, a->other))
            return false;
    }
    if (is_better(a->other, a))
        exchange(a);
    return true;
}

void lookahead_free(struct lookahead_answer *a)
{
    forget_other(a);
    sweeps_free(a->sweeps, a->count);
    a->count = 0;
}

double lookahead_fitted(const struct lookahead_answer *a, enum filler_class class)
{
    struct find_experiment raw[BLOCKERS];

    for (size_t i = 0; i < a->count; i++) {
        raw[i] = a->experiments[i];
        raw[i].holds = lookahead_holds(&a->rows[i], class);
    }
    const struct find_result r = find_decide(raw, a->count, 1);
    return r.grade == 'U' ? (double)NAN : r.value;
}

double lookahead_ends(const struct lookahead_answer *a, enum filler_class class)
{
    const double all = lookahead_fitted(a, FILLER_NOTHING);

    return isnan(all) ? lookahead_fitted(a, class) : all;
}

bool lookahead_shift(struct probe *p, const struct lookahead *with, const char *const fillers[LOOKAHEAD_MIX],
                     double about, double most[LOOKAHEAD_SHIFTS])
{
    struct lookahead_row r = {
        .with = with, .blocker = BLOCKER_MISS, .second = BLOCKER_MISS, .behind = 2 * LOOKAHEAD_GROUP};
    bool good = true;

    for (size_t i = 0; i < LOOKAHEAD_SHIFTS; i++)
        most[i] = (double)NAN;
    if (with->unfit[BLOCKER_MISS] || !lookahead_choose(&r, fillers) || !(about > 2 * AROUND))
        return true;
    r.around = !fillers[1] && r.fillers[0]->class == FILLER_NOTHING ? r.fillers[0] : NULL;
    for (; r.before < (unsigned)probe_smoke(p, 1, LOOKAHEAD_SHIFTS) && good; r.before++)
        good = search_most(p, &r, about - AROUND, about + AROUND, 1, &most[r.before]);
    return good;
}

const char *const lookahead_writers[LOOKAHEAD_MIX] = {"int64", "v128"};

/*
 * The fewest that any blocker says, where it is not decided how many fitted: half way up, when all of a chain but that
 * may have left.
 */
static bool find_least(struct probe *p, const struct lookahead_answer *a, double nops, double *least)
{
    *least = 0;
    for (size_t i = 0; i < a->count; i++) {
        double half;
        if (a->count > 1 && a->rows[i].blocker == BLOCKER_MISS) /* which takes what others let it take */
            continue;
        if (!lookahead_most(p, &a->rows[i], nops, &half))
            return false;
        half -= a->rows[i].with->steps[a->rows[i].blocker];
        *least = isnan(half) ? *least : *least > 0 ? fmin(*least, half) : half;
    }
    return true;
}

/* How many of these fit, as the probe `rob` has it under that name, or searched; and how many do at least. */
static bool know(struct probe *p, const struct lookahead *l, const char *name, const char *const fillers[LOOKAHEAD_MIX],
                 enum filler_class class, double *most, double *least)
{
    char variant[32];
    struct lookahead_answer a;

    snprintf(variant, sizeof variant, "filler=%s", name);
    *most = *least = facts_number(&p->run->facts, "backend.rob.instructions", variant, (double)NAN);
    if (!isnan(*most))
        return true;
    if (!lookahead_search(p, l, name, fillers, class, LOOKAHEAD_NOPS, 4 * LOOKAHEAD_NOPS, &a))
        return false;
    *most = lookahead_fitted(&a, FILLER_NOTHING);
    *least = *most;
    const bool good = !isnan(*most) || find_least(p, &a, l->nops, least);
    lookahead_free(&a);
    return good;
}

bool lookahead_nops(struct probe *p, struct lookahead *l)
{
    static const char *const fillers[LOOKAHEAD_MIX] = {"nop"};
    const struct facts *facts = &p->run->facts;
    const double entries = facts_number(facts, "backend.rob.entries", "", (double)NAN);
    double least;

    l->shared = (unsigned)facts_number(facts, "backend.rob.per_entry", "", 1);
    l->group = facts_number(facts, "backend.rob.group", "", (double)NAN);
    if (!know(p, l, "nop", fillers, FILLER_NOTHING, &l->nops, &least))
        return false;
    /* other fillers end there, too, or where they are packed less */
    l->packed = isnan(entries) ? PACKED_MAXIMUM : 1;
    if (l->nops > entries && l->shared == 1)
        l->packed = (unsigned)fmin(floor(l->nops / entries + 0.5), PACKED_MAXIMUM);
    if (l->packed > 1 && !isnan(entries))
        l->nops = entries * l->packed;
    return know(p, l, "registers", lookahead_writers, FILLER_GENERAL, &l->writers, &l->written);
}

bool lookahead_same(double one, double other)
{
    return fabs(one - other) <= fmax(ALIKE_STEPS, ALIKE * other);
}

/* Any blocker's knee will do. */
static bool ends_at(const struct lookahead *l, const struct lookahead_answer *a, double entries)
{
    const double group = isnan(l->group) ? LOOKAHEAD_GROUP : l->group;

    for (size_t i = 0; i < a->count; i++) {
        const struct verdict *v = a->experiments[i].verdict;
        const double holds = lookahead_holds(&a->rows[i], FILLER_NOTHING);
        if (v->reason || v->count == 0)
            continue;
        /* what the blockers hold shares no entries, and of chains it is reckoned; groups end where they do */
        const double end = v->knees[0].value + holds;
        if (lookahead_same(end, entries) || fabs(end - entries) <= holds + group - 1)
            return true;
    }
    return false;
}

const char *lookahead_masked(const struct lookahead *l, const struct lookahead_answer *a)
{
    if (isnan(l->nops))
        return "reorder-buffer-unknown";
    for (unsigned packed = 1; packed <= l->packed; packed++)
        if (ends_at(l, a, l->nops / packed))
            return "masked-by:backend.rob.entries";
    for (unsigned share = 1; share < l->shared; share++) /* what shares entries with some of its kind */
        if (ends_at(l, a, l->nops * share / l->shared))
            return "masked-by:backend.rob.entries";
    return NULL;
}

const char *lookahead_renames(double fitted, double seen)
{
    return seen > fitted && !lookahead_same(fitted, seen) ? NULL : "may be the limit of backend.rename_retire.entries";
}

/* ---- What is told ------------------------------------------------------------------------------- */

void lookahead_undecided(struct probe *p, const struct finding *f, const char *reason)
{
    struct finding u = *f;

    u.value = u.low = u.high = NAN;
    u.grade = 'U';
    u.reason = reason;
    report(p, &u);
}

/* Those that agree come first, those they are against behind them. */
static bool is_borne_out_by_misses(const struct find_result *r)
{
    const char *against = strstr(r->agreement, " against "), *miss = strstr(r->agreement, blocker_names[BLOCKER_MISS]);

    return miss && (!against || miss < against);
}

/*
 * Where one blocker shows a ramp and no other one any end, the ramp may be what fillers take to be delivered; but a few of
 * them do not take as long as a blocker does.
 */
static bool is_a_ramp_alone(const struct find_experiment *e, size_t count, size_t first)
{
    for (size_t i = 0; i < count; i++)
        if (i != first && !e[i].verdict->reason && e[i].verdict->count > e[i].knee)
            return false;
    const struct knee *k = &e[first].verdict->knees[e[first].knee];
    return k->ramp && k->end - k->value > STEEP;
}

void lookahead_report(struct probe *p, const struct finding *f, const struct find_experiment *e, size_t count,
                      double step, double group)
{
    const struct find_result r = find_decide(e, count, step);
    struct finding told = *f;

    if (r.grade == 'U' || is_a_ramp_alone(e, count, r.first)) {
        lookahead_undecided(p, f, r.grade == 'U' ? r.reason : "a ramp that one blocker alone shows");
        return;
    }
    told.value = r.value;
    told.low = r.low;
    told.high = r.high + (isnan(group) ? LOOKAHEAD_GROUP : fmax(group, 1)) - 1;
    told.holds = r.holds;
    told.grade = r.grade == 'A' ? 'B' : r.grade;
    /* reckoned, to an operation or two; and one blocker alone is no surer of where its ramp begins */
    if ((r.holds > 0 || r.grade == 'C') && !is_borne_out_by_misses(&r)) {
        told.grade = 'C';
        told.low = fmax(told.low - 2, 0);
        told.high += 2;
    }
    if (r.grade == 'C' && step > 1) { /* they may differ by a step, and it is one of them */
        told.low = fmax(told.low - step, 0);
        told.high += step;
    }
    told.agreement = r.agreement[0] ? r.agreement : NULL;
    told.remarks[0].key = "condition";
    told.remarks[0].text = "what can be filled: a core may want a group's worth of room more";
    for (size_t i = 0; i < count && i < FINDING_CURVES; i++)
        told.curves[i] = e[i].name;
    report(p, &told);
}
