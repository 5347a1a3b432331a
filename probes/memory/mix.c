/*
 * Loads and stores: how many of them together in each cycle?
 *
 * n loads and m stores, over and over, all of one width and all to the first level: no load reads what a store wrote, nor
 * a place whose lowest twelve address bits a store has. Where n and m can be had in every cycle, a group takes one.
 *
 *   in order   n loads, then m stores, then n loads …
 *   shuffled   as many of both, in random order: what chooses ports may like one order and not the other
 *
 * Both loops differ in length besides. A group is sustained when it takes one cycle by what both say together; where they
 * differ, by the faster one, if that is the same in each pass: nothing makes a core faster than it is, but bursts of one
 * kind, as chance makes them, may want more than its queues hold (two loads and a store of 128 bits on Zen 4: 1.00 in
 * order, 0.88 to 0.95 shuffled). Told are
 * for each number of stores the most loads that still are, and one more, which are not; all groups are in the record.
 * Everything is measured in three passes over all of it: some cores take the same group at one rate now, and at another a
 * while later.
 *
 * Groups touch neighbouring places, which suits caches that take two stores into one line at once: all loads in one line
 * and all stores in another, or both over 512 bytes. What is told is that of the better one, and which that is. How it
 * changes with the distance of neighbours, by banks or by lines, is asked apart: loads alone and stores alone, of 64 bits,
 * 8 to 512 bytes apart, in loops of two lengths and as many passes.
 *
 * On a Raptor Cove under a hypervisor groups at the limit, two loads and two stores of 256 bits among them, lose one part
 * in 17 for stretches of 1 to 10 ms, or for as long as one looks. It is the same in both orders, over one line and over
 * 512 bytes, with one kernel at one place measured 400 times, and while a loop of PAUSE has the other virtual processor:
 * it lives in time, not in code or data. Measured in turn with others of 256 bits, two and two in loops of another length
 * lose it in the same moments, 683 times of 704, but two and one, one and two, three and none, none and two not once of
 * 1205, though three loads fill all ports of loads, and two stores those of stores. So nobody takes ports from the core;
 * what else it is remains open. So passes are three, and under a hypervisor nothing is quite sure.
 *
 * Scalable vectors are asked of besides those of a fixed length, whatever theirs is: they may go other ways.
 *
 * Method: jia.je 2025, Apple M4 and Redwood Cove; strides: the same, Neoverse V2 and Oryon.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/kernels/access.h"
#include "lib/find.h"
#include "lib/probe.h"
#include "lib/sample.h"
#include "lib/table.h"

enum {
    TOGETHER = 6,                                     /* at most so many of both */
    GROUPS = (TOGETHER + 1) * (TOGETHER + 2) / 2 - 1, /* without the empty one */
    EXPERIMENTS = 2,
    LAYOUTS = 2,
    PASSES = 3,
    ACCESSES = 16,
    STORES_AT = 2048, /* from the loads on */
    AREA_BYTES = 16384,
    STRIDED = 32, /* places */
    STRIDE_FROM = 8,
    STRIDES = 7, /* each twice the one before */
    CODE_BYTES = 16384,
    OPERATIONS_MOST = 264
};

/* Bytes that loads touch, and stores as well: one vector at least. Offsets of pairs reach no further. */
static const unsigned spans[LAYOUTS] = {64, 512};
static const char *const conditions[LAYOUTS] = {"loads in one line, stores in one", "loads over 512 bytes, and stores"};
/* Of a loop, about: so many that what closes it takes next to nothing from a core that is no wider than a group. */
static const unsigned operations[EXPERIMENTS] = {192, 256};
/* A group that takes no longer than a cycle by more than calibrated time may be wrong. */
static const double SUSTAINED = 0.98;

struct groups {
    const struct area *area;
    const struct emit_access *access;
    unsigned loads, stores; /* of a group */
    unsigned span;          /* bytes that are touched, densely … */
    unsigned stride;        /* … unless neighbours are so many bytes apart; 0: they are not */
    bool shuffled;
    unsigned count; /* groups in the loop, as built last */
};

static size_t passes(const struct probe *p)
{
    return (size_t)probe_smoke(p, 1, PASSES);
}

/* One load or store of the loop: the i-th of its kind. */
static void emit_operation(struct code *c, const struct groups *g, bool store, unsigned i)
{
    const struct emit_access *a = g->access;
    const bool general = a->file == ACCESS_GENERAL;
    const unsigned apart = a->bits / 8, places = g->stride ? STRIDED : g->span / apart;
    const int32_t offset = (int32_t)(i % places * (g->stride ? g->stride : apart));
    const unsigned first = general ? (unsigned)REG_T3 : (unsigned)VREG_2, registers = a->registers;

    if (store)
        emit_store_as(c, a, general ? (unsigned)REG_T1 : (unsigned)VREG_0, REG_T0, offset);
    else
        emit_load_as(c, a, first + i % (6 / registers) * registers, REG_DATA, offset);
}

static unsigned span_of(const struct emit_access *a, size_t layout)
{
    return spans[layout] > a->bits / 8 ? spans[layout] : a->bits / 8;
}

static void shuffle(struct probe *p, bool *stores, unsigned count)
{
    for (unsigned i = count; i-- > 1;) { /* Fisher and Yates; Durstenfeld 1964 */
        const uint64_t j = random_below(&p->random, i + 1);
        const bool swapped = stores[i];
        stores[i] = stores[j];
        stores[j] = swapped;
    }
}

static bool build(struct probe *p, void *context, struct kernel *k)
{
    struct groups *g = context;
    const unsigned group = g->loads + g->stores, widest = machine_info()->vector_bits;
    struct code c = probe_code(p, CODE_BYTES);
    bool stores[OPERATIONS_MOST];
    unsigned count = 0, done[2] = {0, 0};

    g->count = ((unsigned)probe_smoke(p, 16, operations[g->shuffled]) + group - 1) / group;
    while (count < g->count * group) {
        stores[count] = count % group >= g->loads;
        count++;
    }
    if (g->shuffled)
        shuffle(p, stores, count);
    emit_move(&c, REG_T0, REG_DATA);
    if (!g->stride)
        emit_add_constant(&c, REG_T0, STORES_AT);
    emit_constant(&c, REG_T1, 1);
    emit_constant(&c, REG_T2, 2);
    access_clear(&c, g->access, VREG_0, 2);
    emit_align(&c, 64);
    const size_t loop = c.used;
    for (unsigned i = 0; i < count; i++)
        emit_operation(&c, g, stores[i], done[stores[i]]++);
    emit_loop(&c, loop);
    if (g->access->file != ACCESS_GENERAL)
        emit_wide_end(&c, widest);
    emit_return(&c);
    k->data = g->area->at;
    k->units = g->count;
    k->warm_iterations = probe_smoke(p, 2, 6);
    return probe_kernel(p, &c, 0, k);
}

/* Groups a cycle, by both orders. */
static bool measure(struct probe *p, struct groups *g, double per_cycle[EXPERIMENTS])
{
    for (unsigned shuffled = 0; shuffled < EXPERIMENTS; shuffled++) {
        double cycles = NAN;
        g->shuffled = shuffled;
        if (!sample_cycles(p, 1, build, g, &cycles))
            return false;
        per_cycle[shuffled] = 1 / cycles;
    }
    return true;
}

/* ---- Groups ------------------------------------------------------------------------------------- */

struct group {
    unsigned loads, stores;
    double per_cycle[LAYOUTS][PASSES][EXPERIMENTS];
    struct answer {
        struct find_result result;
        size_t alone; /* the one order that it is from; EXPERIMENTS: both */
    } answers[LAYOUTS];
    size_t best; /* layout */
};

/* All groups of one access. */
struct set {
    const struct emit_access *access;
    struct group groups[GROUPS];
    size_t count;
};

static void add_groups(const struct probe *p, const struct emit_access *a, struct set *out)
{
    const unsigned most = (unsigned)probe_smoke(p, 1, TOGETHER);

    *out = (struct set){.access = a};
    for (unsigned stores = 0; stores <= (a->has_store ? most : 0); stores++)
        for (unsigned loads = stores ? 0 : 1; loads <= (a->has_load ? most - stores : 0); loads++)
            out->groups[out->count++] = (struct group){.loads = loads, .stores = stores};
}

static bool measure_pass(struct probe *p, const struct area *area, struct set *s, size_t pass)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t layout = 0; layout < (size_t)probe_smoke(p, 1, LAYOUTS); layout++) {
            struct group *g = &s->groups[i];
            struct groups how = {.area = area,
                                 .access = s->access,
                                 .loads = g->loads,
                                 .stores = g->stores,
                                 .span = span_of(s->access, layout)};
            if (!measure(p, &how, g->per_cycle[layout][pass]))
                return false;
        }
    return true;
}

static const char *const order_names[EXPERIMENTS] = {"in order", "shuffled"};

/* What was measured of it, in both orders or one alone, of which passes are no experiments: 0 stands for nothing. */
static size_t values_of(const struct group *g, size_t layout, size_t alone, struct find_value v[PASSES * EXPERIMENTS])
{
    static const char *const fooled_by[EXPERIMENTS] = {"order", "chance"};
    size_t count = 0;

    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t e = 0; e < EXPERIMENTS; e++)
            if (!(g->per_cycle[layout][pass][e] <= 0) && (alone == EXPERIMENTS || alone == e))
                v[count++] = (struct find_value){order_names[e], fooled_by[e], g->per_cycle[layout][pass][e]};
    return count;
}

static struct answer answer(const struct group *g, size_t layout)
{
    struct find_value v[PASSES * EXPERIMENTS];
    struct answer both = {find_number_decide(v, values_of(g, layout, EXPERIMENTS, v)), EXPERIMENTS}, best = both;

    for (size_t e = 0; e < EXPERIMENTS && both.result.grade == 'U'; e++) {
        const struct answer one = {find_number_decide(v, values_of(g, layout, e, v)), e};
        if (one.result.grade != 'U' && (best.result.grade == 'U' || one.result.value > best.result.value))
            best = one;
    }
    return best;
}

static void decide(struct group *g)
{
    for (size_t layout = 0; layout < LAYOUTS; layout++) {
        const struct find_result *r = &g->answers[layout].result, *best = &g->answers[g->best].result;
        g->answers[layout] = answer(g, layout);
        if (best->grade == 'U' ? r->grade != 'U' : r->value > best->value)
            g->best = layout;
    }
}

static bool is_sustained(const struct group *g)
{
    const struct find_result *r = &g->answers[g->best].result;
    return r->grade != 'U' && r->value >= SUSTAINED;
}

static bool sustains(const struct group *groups, size_t count, unsigned loads, unsigned stores)
{
    for (size_t i = 0; i < count; i++)
        if (groups[i].loads == loads && groups[i].stores == stores)
            return is_sustained(&groups[i]);
    return loads + stores == 0; /* nothing at all always is */
}

/* The last that is sustained with so many stores, or without loads; and the first that is not. */
static bool is_told(const struct group *groups, size_t count, const struct group *g)
{
    if (is_sustained(g))
        return !sustains(groups, count, g->loads + 1, g->stores) ||
               (g->loads == 0 && !sustains(groups, count, 0, g->stores + 1));
    return g->loads ? sustains(groups, count, g->loads - 1, g->stores) : sustains(groups, count, 0, g->stores - 1);
}

/* What takes part of a core that a hypervisor lends is the same for all of them, and may last. */
static void doubt(struct find_value *v, size_t count)
{
    for (size_t i = 0; i < count && machine_info()->hypervisor[0]; i++)
        v[i].fooled_by = "neighbours";
}

static void report_groups(struct probe *p, const struct set *s)
{
    const struct emit_access *a = s->access;

    if (!access_stands_for_width(a) && !access_variant(a))
        return;
    for (size_t i = 0; i < s->count; i++) {
        const struct group *g = &s->groups[i];
        const struct answer *best = &g->answers[g->best];
        const bool alone = best->alone < EXPERIMENTS;
        struct find_value v[PASSES * EXPERIMENTS];
        size_t count = values_of(g, g->best, best->alone, v);
        if (alone) /* there is no second one that says so */
            v[0].value = best->result.value, count = 1;
        doubt(v, count);
        if (is_told(s->groups, s->count, g))
            find_number(
                p,
                &(struct finding){.name = "memory.mix.per_cycle",
                                  .variants = {{"loads", .number = g->loads},
                                               {"stores", .number = g->stores},
                                               {"width", .number = a->bits},
                                               {access_variant(a), .text = access_variant_text(a)}},
                                  .remarks = {{"condition", conditions[g->best]},
                                              {alone ? "order" : NULL, alone ? order_names[best->alone] : NULL}},
                                  .method = "loops of such groups, in order and shuffled; three passes"},
                v, count);
    }
}

static void send_groups(struct probe *p, const struct set *s)
{
    struct record r;

    record_table(p, &r, s->access->name);
    record_integer(&r, "width", s->access->bits);
    RECORD_COLUMNS(&r, "loads", "stores", "span_bytes", "in_order_least", "in_order_most", "shuffled_least",
                   "shuffled_most");
    for (size_t i = 0; i < s->count * LAYOUTS; i++) {
        const struct group *g = &s->groups[i / LAYOUTS];
        const size_t layout = i % LAYOUTS;
        if (g->per_cycle[layout][0][0] <= 0)
            continue;
        record_array(&r, NULL);
        record_integer(&r, NULL, g->loads);
        record_integer(&r, NULL, g->stores);
        record_integer(&r, NULL, span_of(s->access, layout));
        for (size_t e = 0; e < EXPERIMENTS; e++) {
            double least = g->per_cycle[layout][0][e], most = least;
            for (size_t pass = 1; pass < PASSES && g->per_cycle[layout][pass][e] > 0; pass++) {
                least = fmin(least, g->per_cycle[layout][pass][e]);
                most = fmax(most, g->per_cycle[layout][pass][e]);
            }
            record_number(&r, NULL, rounded(least));
            record_number(&r, NULL, rounded(most));
        }
        record_close(&r);
    }
    record_close(&r);
    record_send(&r);
}

/* ---- Strides ------------------------------------------------------------------------------------ */

struct strides {
    double per_cycle[2][STRIDES][PASSES][EXPERIMENTS]; /* of loads, then of stores */
};

static size_t strides(const struct probe *p)
{
    return (size_t)probe_smoke(p, 1, STRIDES);
}

static bool measure_strides(struct probe *p, const struct area *area, const struct emit_access *a, size_t pass,
                            struct strides *out)
{
    for (unsigned store = 0; store < 2; store++)
        for (size_t i = 0; i < strides(p); i++) {
            struct groups how = {
                .area = area, .access = a, .loads = !store, .stores = store, .stride = STRIDE_FROM << i};
            if (!measure(p, &how, out->per_cycle[store][i][pass]))
                return false;
        }
    return true;
}

/* Loads of one cycle that meet in a bank come again; how many do may change from pass to pass. */
static void report_strides(struct probe *p, const struct strides *s)
{
    static const char *const names[EXPERIMENTS] = {"shorter loop", "longer loop"};

    for (unsigned store = 0; store < 2; store++)
        for (size_t i = 0; i < strides(p); i++) {
            struct find_value v[PASSES * EXPERIMENTS];
            double least = INFINITY, most = 0;
            size_t count = 0;
            char range[40];
            for (size_t pass = 0; pass < passes(p); pass++)
                for (size_t e = 0; e < EXPERIMENTS; e++) {
                    const double now = s->per_cycle[store][i][pass][e];
                    v[count++] = (struct find_value){names[e], e ? "operation cache" : "loop", now};
                    least = fmin(least, now);
                    most = fmax(most, now);
                }
            doubt(v, count);
            snprintf(range, sizeof range, "%.3f to %.3f", least, most);
            find_number(p,
                        &(struct finding){
                            .name = "memory.stride.per_cycle",
                            .variants = {{"access", store ? "store" : "load"}, {"stride", .number = STRIDE_FROM << i}},
                            .method = "loops over 32 places, of 64 bits; three passes",
                            .remarks = {{"range", range}}},
                        v, count);
        }
}

static bool measure_all(struct probe *p, const struct area *area, struct set *sets, size_t count,
                        const struct emit_access *general, struct strides *s)
{
    for (size_t pass = 0; pass < passes(p); pass++) {
        for (size_t i = 0; i < count; i++)
            if (!measure_pass(p, area, &sets[i], pass))
                return false;
        if (general && !measure_strides(p, area, general, pass, s))
            return false;
    }
    return true;
}

static void run(struct probe *p)
{
    const struct emit_access *general = NULL;
    struct set *sets = malloc(ACCESSES * sizeof *sets);
    struct strides by_stride;
    struct area area;
    size_t count = 0;

    if (!sets) {
        probe_skip(p, "out of memory for the groups");
        return;
    }
    for (const struct emit_access *a = emit_accesses; a->name && count < ACCESSES; a++)
        if (!a->streams && access_can_run(a)) {
            add_groups(p, a, &sets[count++]);
            if (a->file == ACCESS_GENERAL && a->registers == 1)
                general = a; /* the last of them is the widest */
        }
    const bool good = probe_map(p, &area, AREA_BYTES, 0) && measure_all(p, &area, sets, count, general, &by_stride);
    for (size_t i = 0; i < count && good; i++) {
        for (size_t g = 0; g < sets[i].count; g++)
            decide(&sets[i].groups[g]);
        send_groups(p, &sets[i]);
        report_groups(p, &sets[i]);
    }
    free(sets);
    if (good && general)
        report_strides(p, &by_stride);
}

PROBE(mix, .title = "Loads and stores together", .family = "memory", .after = "load_use", .run = run,
      .findings = FINDINGS({"memory.mix.per_cycle", "groups/cycle",
                            "groups of so many loads and stores that the core sustains in one cycle"},
                           {"memory.stride.per_cycle", "operations/cycle",
                            "loads, or stores, in one cycle to places so far apart"}));
