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
    CODE_BYTES = 4096, /* what is no filler */
    FEW = LOOKAHEAD_FEW,
    LEAST = 4,    /* fillers: they fit behind half of others, too */
    NARROWED = 4, /* times at most that an edge is looked for closer */
    STEPS_TRIED = 8,
    STEPS_MAXIMUM = 24, /* fewer than any scheduler holds: they wait there */
    STEP_CYCLES_TOLD = 4,
    AROUND = 2 * LOOKAHEAD_GROUP, /* where groups are looked for: a knee may be off by one of them */
    SAMPLES = 7,
    TRIES = 5 /* of a blocker */
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

bool lookahead_warm(struct probe *p, const struct lookahead_row *r)
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

/* Both, in turn, several times: memory is others' as well, and may be slower for one of the two. */
static bool try_both(struct probe *p, struct lookahead *l, enum blocker b)
{
    const unsigned tries = (unsigned)probe_smoke(p, 1, TRIES);
    double chained[TRIES], alone[TRIES];
    size_t count = 0;

    for (unsigned i = 0; i < tries; i++) {
        if (!try_chained(p, l, b, &chained[count]) || !try_blocker(p, l, b, 0, &alone[count]))
            return false;
        if (!isnan(chained[count] + alone[count]))
            count++;
    }
    l->chained[b] = median(chained, count);
    l->alone[b] = median(alone, count);
    return true;
}

static bool try_blockers(struct probe *p, struct lookahead *l)
{
    for (enum blocker b = 0; b < BLOCKERS; b++) {
        l->steps[b] = b == BLOCKER_MISS ? 1 : STEPS_TRIED;
        if (b != BLOCKER_MISS && probe_smoke(p, false, true) > 0) {
            if (!try_both(p, l, b))
                return false;
            const double step = fmax(l->chained[b] / (2 * STEPS_TRIED), STEP_CYCLES_TOLD);
            l->steps[b] = (unsigned)fmin(floor(CHAIN_CYCLES / step), STEPS_MAXIMUM);
        }
        if (!try_both(p, l, b))
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

    *l = (struct lookahead){.near_lines = 0};
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

/*
 * Square roots keep what other operations have left in the upper parts of their registers, which takes some cores long
 * (Intel Optimization Reference Manual, 15.3): no blockers beside fillers that leave something there.
 */
static bool is_wide(const struct lookahead_row *r)
{
    return widest(r) > emit_wide_bits[0];
}

bool lookahead_choose(struct lookahead_row *r, const char *const fillers[LOOKAHEAD_MIX])
{
    for (size_t i = 0; i < LOOKAHEAD_MIX && fillers[i]; i++) {
        r->fillers[i] = lookahead_filler(fillers[i]);
        if (!r->fillers[i] || (r->waits && !r->fillers[i]->waits))
            return false;
    }
    return (!r->waits || !has_class(r, FILLER_VECTOR) || access_double()) &&
           !(r->blocker == BLOCKER_ARITHMETIC && is_wide(r));
}

const char lookahead_delivery[] = "masked-by:delivery of fillers";

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
        v->reason = lookahead_delivery;
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
 * The most that fit, to so many, between two numbers of which the first one must and the other must not. That one is measured
 * again beside each that is tried: how long a miss takes changes.
 */
static bool search_most(struct probe *p, const struct lookahead_row *r, double fit, double not, double within,
                        double *most)
{
    const double least = fit;
    double fast, slow, cycles;

    *most = (double)NAN;
    if (!lookahead_warm(p, r) || !lookahead_cycles(p, r, fit, &fast) || !lookahead_cycles(p, r, not, &slow))
        return false;
    const double rises = slow / fast;
    if (!(rises > RISES))
        return true;
    while (not -fit > within && probe_smoke(p, 0, 1) > 0) {
        const double middle = floor((fit + not ) / 2);
        if (!lookahead_cycles(p, r, least, &fast) || !lookahead_cycles(p, r, middle, &cycles))
            return false;
        if (isnan(fast) || isnan(cycles))
            return true;
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
