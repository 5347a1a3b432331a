/*
 * Memory dependence prediction: a load may start before it is known where older stores will write. How many loads does
 * the core remember that must not, how long does it remember that, and by which address bits does it know them?
 *
 * Loads tracked: a growing number of pairs in the code, a store and a load of what it wrote, all at one address, in two
 * patterns (lib/kernels/store_load.h): `data`, where the loaded value is stored next, and `address`, where it is part
 * of the next store's address. As long as the predictor knows a load, the load waits for its store; past that it starts
 * too early and everything has to be done again. Curve: cycles a pair, level and then a rise. Loads that would be
 * renamed are as much narrower as it takes not to be.
 *
 * Memory of one load: steps in a chain, in each of which a store's address is known late and a load's early. From the
 * loaded value on the chain goes another way of the same length, so that a load that waits makes its step twice as long.
 * In some steps, D, the load needs the store; in the others, N, not. One D, k times N, one D, and then many N: while k is
 * too small for the load to be let go, each N waits; once it is let go, further ones do not, but the second D comes as a
 * surprise. Curve: waits saved, over k counted downwards: a level, and from there a line. The last point on the level has
 * the smallest k at which the load is let go. What delays the stores are multiplications, or loads. What one step teaches
 * is known before the next one begins.
 *
 * Cost of a load let go wrongly: D N^k, over and over, k being so large that each D is a surprise. Against N alone, as
 * many steps wait as it took to let the load go; D's does, too, as it is done again. What is left is the cost. Some cores
 * let no load go while surprises are frequent: then more steps wait than are known of, the more, the larger k is and the
 * longer the delay, so that no two of them would agree. It is a little left of much, and what else runs can fool all of it.
 *
 * Address bits: a step that is always D and one that is always N, their loads 2^n bytes apart in the code. Where they are
 * the same to the predictor, N waits too. From a distance at which they are, every other bit is added: those that make
 * them different are what it looks at.
 *
 * Method: Wong 2014, Store-to-Load Forwarding and Memory Disambiguation in x86 Processors, for the two patterns; Ragab et
 * al. 2021, Rage Against the Machine Clear, for the steps and what one load remembers. Times of whole sequences instead of
 * single steps, and the second D, are ours: no clock has to be that fine.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/find.h"
#include "lib/kernels/store_load.h"

enum {
    AREA_BYTES = 1 << 16,
    PLACES =
        64, /* steps read one after the other, from the begin of the data, so that no load meets an older step's store */
    PLACE_BYTES = 8,
    FAR = 1024, /* what the store writes in N; in D it is what the load reads */
    CELL = 1536,
    TABLE = 2048, /* of each step, where its store writes and where its load reads */
    DELAY_LENGTH = 10,
    TAIL = 192,   /* N at the end of a sequence: more than any predictor waits for */
    BETWEEN = 36, /* N between two D at most: more than five bits count */
    ROOM_BYTES = 4096,
    SAMPLES = 3,
    COST_SAMPLES = 161,
    COST_SPREAD = 24,

    LEAST_BIT = 8, /* a step is shorter than 2^8 bytes */
    LAST_BIT = 14,
    SPREAD_BYTES = 16,
    PAIRS_MAXIMUM = 1024,
    TEXT = 48
};

/* Between a sequence whose loads all wait and one in which none does lies at least this, of the shorter one. */
static const double WAIT_PART = 0.3;
/* A median of n is known to the distance of the quartiles over the root of n, about: so much of it at most. */
static const double KNOWN_TO = 0.02;

static const struct {
    const char *name, *fooled_by;
} delays[] = {{"multiplications", "arithmetic"}, {"loads", "cache"}};
enum delay { DELAY_MULTIPLY, DELAY_LOADS, DELAYS };

struct steps {
    const struct area *area;
    const struct emit_access *load;
    enum delay delay;
    unsigned length;   /* of it */
    double slow, fast; /* cycles of a step that waits, and of one that does not */
};

struct step {
    uint64_t store, load; /* where they go, from the data on */
};

/* The value of a register, and so of all that waits for it, becomes zero after a while. */
static void emit_delay(struct code *c, const struct steps *s, enum reg r)
{
    if (s->delay == DELAY_LOADS)
        emit_add(c, r, REG_T8); /* a cell that points to itself */
    for (unsigned i = 0; i < s->length; i++)
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
 * A step of the chain in T0. Where the store writes and where the load reads are in T3 and T7, from the data on. Where in
 * the code the load lies is returned.
 */
static size_t emit_step(struct code *c, const struct steps *s)
{
    const struct emit_access *store = s->load;

    while (store->bits != 64)
        store++;
    emit_delay(c, s, REG_T0);
    emit_add(c, REG_T3, REG_T0);
    emit_add(c, REG_T3, REG_DATA);
    emit_add(c, REG_T7, REG_DATA);
    emit_store_as(c, store, REG_T1, REG_T3, 0);
    const size_t at = c->used;
    emit_load_as(c, s->load, REG_T4, REG_T7, 0);
    emit_multiply(c, REG_T4, REG_T2);
    emit_delay(c, s, REG_T4);
    emit_add(c, REG_T0, REG_T4);
    emit_fence(c, FENCE_INSTRUCTIONS); /* what one step teaches is known before the next one's load may start */
    return at;
}

/*
 * As of counters without tags that have a load wait until it was free of stores for long: one that never is goes never
 * too early.
 */
#define NEVER_TOO_MANY "as many as were tried wait, none costs more"

/* ---- What one load remembers --------------------------------------------------------------------- */

/* `count` steps as the table says; a call's iteration is the whole sequence. */
static bool measure_sequence(struct probe *p, const struct steps *s, size_t count, double *cycles)
{
    struct code c = probe_code(p, ROOM_BYTES);
    struct kernel k = {
        .data = s->area->at, .units = 1, .warm_iterations = probe_smoke(p, 1, 5), .stretch = probe_smoke(p, 1, 4)};
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

static void set_step(const struct steps *s, size_t i, bool needs_store)
{
    const uint64_t place = i % PLACES * PLACE_BYTES;

    ((struct step *)(s->area->write + TABLE))[i] = (struct step){needs_store ? place : FAR, place};
}

static void set_steps(const struct steps *s, size_t count, bool need_store)
{
    for (size_t i = 0; i < count; i++)
        set_step(s, i, need_store);
}

/*
 * How many loads wait less in D N^k D and a tail of N than in the worst case, of all k loads there may be and as many
 * again; x counts k downwards.
 */
static bool measure_saved(struct probe *p, double x, void *context, struct point *out)
{
    const struct steps *s = context;
    const size_t k = BETWEEN - (size_t)x, count = k + 2 + (size_t)probe_smoke(p, 4, TAIL);
    double none, some;

    set_steps(s, count, false);
    if (!measure_sequence(p, s, count, &none))
        return false;
    set_step(s, 0, true);
    set_step(s, 1 + k, true);
    if (!measure_sequence(p, s, count, &some))
        return false;
    out->q20 = out->median = 2.0 * BETWEEN - (some - none) / (s->slow - s->fast);
    out->ns = (double)NAN;
    out->accepted = 1;
    return true;
}

/* Whether the core lets loads go ahead at all: steps that are all D, against all N. */
static bool measure_wait(struct probe *p, struct steps *s)
{
    const size_t count = (size_t)probe_smoke(p, 4, 32);
    double near, far;

    set_steps(s, count, true);
    if (!measure_sequence(p, s, count, &near))
        return false;
    set_steps(s, count, false);
    if (!measure_sequence(p, s, count, &far))
        return false;
    s->slow = near / (double)count;
    s->fast = far / (double)count;
    return true;
}

static bool goes_ahead(const struct steps *s)
{
    return s->slow > (1 + WAIT_PART) * s->fast;
}

/* From the last point on the level to the number of loads: the axis counts down. NaN where it is not decided. */
static double report_memory(struct probe *p, const struct find_experiment *e)
{
    struct finding f = {.name = "memory.dependence.free_after",
                        .method = "first number of free loads behind which no more of them wait",
                        .curves = {e[0].name, e[1].name}};
    const struct find_result r = find_decide(e, DELAYS, 1);

    f.value = BETWEEN - r.value;
    f.low = BETWEEN - r.high + 1;
    f.high = BETWEEN - r.low + 1;
    f.grade = r.grade;
    f.reason = r.reason;
    f.agreement = r.agreement[0] ? r.agreement : NULL;
    report(p, &f);
    return r.grade == 'U' ? (double)NAN : f.value;
}

static bool find_memory(struct probe *p, struct steps *s, double *free_after)
{
    const bool ahead = goes_ahead(&s[DELAY_MULTIPLY]) && goes_ahead(&s[DELAY_LOADS]);
    struct sweep sweeps[DELAYS];
    struct find_experiment e[DELAYS];

    for (size_t i = 0; i < DELAYS; i++)
        sweeps[i] = (struct sweep){.name = delays[i].name,
                                   .fooled_by = delays[i].fooled_by,
                                   .axis = "fewer_loads",
                                   .unit = "waits saved",
                                   .measure = measure_saved,
                                   .context = &s[i],
                                   .seconds = probe_scale(p, 1, 0.45, 2, 10),
                                   .search = {.kind = KNEE_STEP,
                                              .from = 1,
                                              .to = probe_smoke(p, 4, BETWEEN - 1),
                                              .grain = 1,
                                              .coarse = (unsigned)probe_smoke(p, 4, BETWEEN - 1)}};
    if (!ahead && p->run->config.profile != PROFILE_SMOKE) {
        report_number(p,
                      &(struct finding){.name = "memory.dependence.free_after",
                                        .reason = "no load goes ahead of stores",
                                        .method = "steps that are all D against all N"},
                      (double)NAN);
        return true;
    }
    const bool on = sweeps_search(p, sweeps, DELAYS);
    if (on) {
        find_experiments(sweeps, DELAYS, e);
        *free_after = report_memory(p, e);
    }
    sweeps_free(sweeps, DELAYS);
    return on;
}

/* ---- What it costs when a load is let go wrongly ---------------------------------------------------- */

/* The sequence of `count` steps of which none, the first, or all are D. */
enum { NONE, FIRST, ALL };
static bool measure_steps(struct probe *p, const struct steps *s, size_t count, int need, double *cycles)
{
    set_steps(s, count, need == ALL);
    set_step(s, 0, need != NONE);
    return measure_sequence(p, s, count, cycles);
}

/*
 * What D N^k takes longer than N alone, less what longer waits explain. Behind the D that goes wrongly as many N wait as it
 * took to let it go, and it waits itself: that is D and one N less than that, where all wait, and one N that waits.
 */
static bool measure_cost(struct probe *p, const struct steps *s, unsigned free_after, unsigned free, double *cycles)
{
    const unsigned samples = (unsigned)probe_scale(p, 1, 25, COST_SAMPLES, COST_SAMPLES);
    double costs[COST_SAMPLES];
    size_t count = 0;

    for (unsigned i = 0; i < samples; i++) {
        const size_t k = free + i % COST_SPREAD; /* what happens to be so of one of them must not count */
        double surprised, fast, none, first, all;
        if (!measure_steps(p, s, k + 1, FIRST, &surprised) || !measure_steps(p, s, k + 1, NONE, &fast) ||
            !measure_steps(p, s, free_after, NONE, &none) || !measure_steps(p, s, free_after, FIRST, &first) ||
            !measure_steps(p, s, free_after, ALL, &all))
            return false;
        const double one_needs = (all - none) / free_after, one_is_free = (first - none - one_needs) / (free_after - 1);
        costs[count] = surprised - fast - (first - none) - one_is_free;
        count += isnan(costs[count]) ? 0 : 1;
    }
    sort_numbers(costs, count);
    *cycles = 2 * count > samples ? quantile(costs, count, 0.5) : (double)NAN;
    if (count &&
        (quantile(costs, count, 0.75) - quantile(costs, count, 0.25)) / sqrt((double)count) > KNOWN_TO * *cycles)
        *cycles = (double)NAN;
    return true;
}

static bool find_cost(struct probe *p, const struct steps *s, double free_after)
{
    static const unsigned free[] = {96, 120};
    enum { VALUES = DELAYS * sizeof free / sizeof free[0] };
    const bool smoke = p->run->config.profile == PROFILE_SMOKE;
    struct find_value v[VALUES];
    struct finding f = {.name = "memory.dependence.blocked_cycles",
                        .variants = {{"dependence", "address"}},
                        .reason = NEVER_TOO_MANY,
                        .method = "a load let go wrongly once in each sequence, against none in it"};

    if (!(free_after > 1) && !smoke) {
        report_number(p, &f, (double)NAN);
        return true;
    }
    for (size_t i = 0; i < VALUES; i++) {
        v[i] = (struct find_value){delays[i % DELAYS].name, "what else runs", (double)NAN};
        if (!measure_cost(p, &s[i % DELAYS], smoke ? 2 : (unsigned)free_after, smoke ? 3 : free[i / DELAYS],
                          &v[i].value))
            return false;
    }
    bool known = true;
    for (size_t i = 0; i < VALUES; i++)
        known &= !isnan(v[i].value);
    f.reason = "not-steady";
    if (known)
        find_number(p, &f, v, VALUES);
    else
        report_number(p, &f, (double)NAN);
    return true;
}

/* ---- By which bits it knows loads ----------------------------------------------------------------- */

static size_t emit_known_step(struct code *c, const struct steps *s, const struct step *step)
{
    emit_constant(c, REG_T3, step->store);
    emit_constant(c, REG_T7, step->load);
    return emit_step(c, s);
}

/* How far behind the begin of such a step its load lies. */
static size_t load_within_step(struct probe *p, const struct steps *s, const struct step *step)
{
    struct code c = probe_code(p, ROOM_BYTES);

    return emit_known_step(&c, s, step);
}

/*
 * A step that is D and one that is N, their loads so far apart in the code: cycles of both. The first load's address ends
 * in zeros, so that adding the distance carries nothing over.
 */
static bool measure_two(struct probe *p, const struct steps *s, size_t distance, double *cycles)
{
    static const struct step needs = {0, 0}, is_free = {FAR, PLACE_BYTES};
    const size_t lead[] = {load_within_step(p, s, &needs), load_within_step(p, s, &is_free)};
    const size_t room = (size_t)4 << LAST_BIT;
    struct code c = probe_code(p, room);
    struct kernel k = {.data = s->area->at, .units = 1, .warm_iterations = probe_smoke(p, 2, 200)};
    const size_t zeros = ((size_t)2 << LAST_BIT), first = zeros - (size_t)(c.at % zeros);
    struct point pt;

    emit_constants(&c);
    emit_branch(&c, first - lead[0]);
    emit_place(&c, first - lead[0]);
    emit_known_step(&c, s, &needs);
    emit_branch(&c, first + distance - lead[1]);
    emit_place(&c, first + distance - lead[1]);
    emit_known_step(&c, s, &is_free);
    emit_loop(&c, first - lead[0]);
    emit_return(&c);
    if (!probe_kernel(p, &c, 0, &k) || !probe_measure(p, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}

/* Of several samples most must say the same; else nothing is known, and that is false too. */
static bool collides(struct probe *p, const struct steps *s, size_t distance, bool *known, bool *same)
{
    const unsigned samples = (unsigned)probe_smoke(p, 1, SAMPLES);
    const double between = s->slow + (s->slow + s->fast) / 2;
    unsigned slow = 0, counted = 0;

    for (unsigned i = 0; i < samples; i++) {
        double cycles = (double)NAN;
        if (!measure_two(p, s, distance, &cycles))
            return false;
        slow += cycles > between;
        counted += isnan(cycles) ? 0 : 1;
    }
    *same = 2 * slow > counted;
    *known = counted == samples && (slow == 0 || slow == samples);
    return true;
}

/* The bits that loads are known by, as a mask; `found` false where no two loads were ever the same. */
static bool measure_bits(struct probe *p, const struct steps *s, bool *known, bool *found, uint64_t *mask)
{
    const unsigned last = (unsigned)probe_smoke(p, LEAST_BIT, LAST_BIT);
    unsigned base = LEAST_BIT;
    bool same = false, sure = false;

    *known = true;
    *mask = 0;
    for (; base <= last && !same; base++) {
        if (!collides(p, s, (size_t)1 << base, &sure, &same))
            return false;
        *known &= sure;
    }
    *found = same;
    for (unsigned bit = (unsigned)probe_smoke(p, LEAST_BIT - 1, 0); *found && bit <= last; bit++) {
        const size_t distance = ((size_t)1 << (base - 1)) + ((size_t)1 << bit);
        if (bit == base - 1 || ((size_t)1 << bit) < emit_alignment)
            continue;
        if (!collides(p, s, distance, &sure, &same))
            return false;
        *known &= sure;
        *mask |= (uint64_t)!same << bit;
    }
    return true;
}

static void name_bits(uint64_t mask, char text[TEXT])
{
    size_t used = 0;

    text[0] = 0;
    for (unsigned bit = 0; bit < 64 && used < TEXT; bit++)
        if (mask >> bit & 1)
            used += (size_t)snprintf(text + used, TEXT - used, used ? " %u" : "%u", bit);
}

static bool find_bits(struct probe *p, const struct steps *s, bool endless)
{
    uint64_t masks[DELAYS] = {0};
    struct find_value v[DELAYS];
    bool known[DELAYS] = {0}, found[DELAYS] = {0};
    const bool ahead = goes_ahead(&s[DELAY_MULTIPLY]) && goes_ahead(&s[DELAY_LOADS]);
    char text[TEXT];

    for (size_t i = 0; i < DELAYS && (ahead || p->run->config.profile == PROFILE_SMOKE); i++)
        if (!measure_bits(p, &s[i], &known[i], &found[i], &masks[i]))
            return false;
    struct finding f = {
        .name = "memory.dependence.index_bits",
        .method = "a load that never needs a store waits where another one does that is the same to the "
                  "predictor",
        .value = (double)NAN,
        .low = (double)NAN,
        .high = (double)NAN,
        .grade = 'U'};
    if (!ahead)
        f.reason = "no load goes ahead of stores";
    else if (!known[0] || !known[1])
        f.reason = "not-steady";
    else if (!found[0] || !found[1])
        f.reason = "no two loads are the same to it";
    else if (masks[0] != masks[1])
        f.reason = "experiments-disagree";
    if (f.reason) {
        report(p, &f);
        return true;
    }
    name_bits(masks[0], text);
    f.remarks[0].key = "bits";
    f.remarks[0].text = text;
    for (size_t i = 0; i < DELAYS; i++)
        v[i] = (struct find_value){delays[i].name, delays[i].fooled_by, __builtin_popcountll(masks[i])};
    find_number(p, &f, v, DELAYS);
    /* One other load was enough to take its place, and there may be any number: there is a counter for each value. */
    f.name = "memory.dependence.counters";
    f.method = "as many as the address bits have values, where no number of loads is too large";
    f.reason = "they may have tags: how many loads are tracked ends";
    for (size_t i = 0; i < DELAYS; i++)
        v[i].value = (double)((uint64_t)1 << (unsigned)v[i].value);
    if (endless)
        find_number(p, &f, v, DELAYS);
    else
        report_number(p, &f, (double)NAN);
    return true;
}

/* ---- How many loads are tracked ------------------------------------------------------------------- */

struct row {
    const struct area *area;
    struct store_load pair;
};

static bool build(struct probe *p, double pairs, void *context, struct kernel *k)
{
    const struct row *row = context;
    struct store_load s = row->pair;

    s.pairs = (unsigned)pairs;
    return store_load_kernel(p, &s, row->area->at, k);
}

/* `endless`: however many loads there are, none costs more. */
static bool find_loads(struct probe *p, const struct area *area, const struct emit_access *load,
                       enum chain_through chain, const char *dependence, bool *endless)
{
    enum { ROWS = 2 };
    const struct emit_access *store = load;
    struct row rows[ROWS];
    struct sweep s[ROWS];
    struct find_experiment e[ROWS];
    char names[ROWS][TEXT];

    while (store->bits != 64)
        store++;
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = (struct row){
            area,
            {.store = store, .load = load, .chain = chain, .base = BASE_OTHER, .nop_bytes = i ? SPREAD_BYTES : 0}};
        snprintf(names[i], TEXT, "%s %s", dependence, i ? "spread" : "packed");
        s[i] = (struct sweep){.name = names[i],
                              .fooled_by = i ? "instruction supply" : "address bits",
                              .axis = "pairs",
                              .unit = "cycles/pair",
                              .build = build,
                              .context = &rows[i],
                              .seconds = probe_scale(p, 1, 0.2, 1, 10),
                              .search = {.kind = KNEE_STEP,
                                         .from = 4,
                                         .to = probe_smoke(p, 8, PAIRS_MAXIMUM),
                                         .limit = probe_smoke(p, 8, PAIRS_MAXIMUM),
                                         .grain = 1,
                                         .resolution = 0.01,
                                         .per_octave = (unsigned)probe_scale(p, 1, 2, 4, 8)}};
    }
    const bool on = sweeps_search(p, s, ROWS);
    if (on) {
        const struct verdict *v = &s[0].search.verdict;
        struct finding f = {.name = "memory.dependence.loads",
                            .variants = {{"dependence", dependence}},
                            .reason = "experiments-disagree",
                            .method = "last point before the rise"};
        find_experiments(s, ROWS, e);
        *endless = true;
        for (size_t i = 0; i < ROWS; i++)
            *endless &= s[i].search.verdict.reason && !strcmp(s[i].search.verdict.reason, "no-knee");
        if (*endless)
            f.reason = NEVER_TOO_MANY;
        if (*endless || find_contradicted(e, ROWS))
            report_number(p, &f, (double)NAN);
        else
            find_capacity(p, &f, e, ROWS, 1);
        /* where there is no rise, what one load costs is asked otherwise */
        if (!(*endless && chain == CHAIN_STORE))
            report_number(p,
                          &(struct finding){.name = "memory.dependence.blocked_cycles",
                                            .variants = {{"dependence", dependence}},
                                            .curves = {s[0].name},
                                            .reason = *endless ? NEVER_TOO_MANY : "no-knee",
                                            .method = "how much higher the curve is behind the last load tracked"},
                          v->reason || !v->count ? (double)NAN : v->knees[0].after - v->knees[0].before);
    }
    sweeps_free(s, ROWS);
    return on;
}

/* ---- The run -------------------------------------------------------------------------------------- */

/* The widest load that is not renamed with a store of 64 bits. NULL: no reading told what is. */
static bool choose_load(struct probe *p, const struct area *area, const struct emit_access **load)
{
    const struct emit_access *store = emit_accesses;
    struct ways w;

    while (store->bits != 64)
        store++;
    struct store_load s = {.store = store, .load = store, .chain = CHAIN_DATA, .base = BASE_OTHER};
    if (!store_load_references(p, &s, area->at, &w))
        return false;
    for (;; s.load--) {
        double cycles;
        if (!store_load_measure(p, &s, area->at, &cycles))
            return false;
        if ((isnan(cycles) || isnan(w.load)) && probe_smoke(p, 0, 1) > 0) {
            *load = NULL;
            return true;
        }
        if (!(cycles < w.load / 2) || s.load == emit_accesses)
            break;
    }
    *load = s.load;
    return true;
}

static void report_nothing(struct probe *p)
{
    static const struct {
        const char *name, *dependence;
    } all[] = {{"memory.dependence.loads", "data"},          {"memory.dependence.loads", "address"},
               {"memory.dependence.blocked_cycles", "data"}, {"memory.dependence.blocked_cycles", "address"},
               {"memory.dependence.free_after", NULL},       {"memory.dependence.index_bits", NULL},
               {"memory.dependence.counters", NULL}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        report_number(p,
                      &(struct finding){.name = all[i].name,
                                        .variants = {{all[i].dependence ? "dependence" : NULL, all[i].dependence}},
                                        .reason = "not-steady"},
                      (double)NAN);
}

static void run(struct probe *p)
{
    struct steps s[DELAYS];
    const struct emit_access *load = NULL;
    bool endless[2] = {false, false};
    double free_after = (double)NAN;
    struct area area;

    if (!probe_map(p, &area, AREA_BYTES, 0) || !choose_load(p, &area, &load))
        return;
    if (!load) {
        report_nothing(p);
        return;
    }
    if (!find_loads(p, &area, load, CHAIN_DATA, "data", &endless[0]) ||
        !find_loads(p, &area, load, CHAIN_STORE, "address", &endless[1]))
        return;
    for (size_t i = 0; i < DELAYS; i++) {
        s[i] = (struct steps){.area = &area, .load = load, .delay = (enum delay)i, .length = DELAY_LENGTH};
        *(uint64_t *)(area.write + CELL) = area.at + CELL;
        if (!measure_wait(p, &s[i]))
            return;
    }
    if (!find_memory(p, s, &free_after) || (endless[1] && !find_cost(p, s, free_after)))
        return;
    find_bits(p, s, endless[0] && endless[1]);
}

PROBE(dependence, .title = "Memory dependence prediction", .family = "memory", .after = "renaming", .run = run,
      .findings = FINDINGS(
          {"memory.dependence.loads", "loads", "loads that are remembered to depend on a store"},
          {"memory.dependence.blocked_cycles", "cycles", "what a load costs that is not remembered"},
          {"memory.dependence.free_after", "loads", "times a load has to be free of stores until it is let go"},
          {"memory.dependence.index_bits", "bits", "address bits by which loads are told apart"},
          {"memory.dependence.counters", "counters", "counters that say whether a load may go ahead"}));
