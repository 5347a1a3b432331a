/*
 * Store-to-load forwarding: which loads get their value from a store that is still on its way to the cache, how soon,
 * and what it costs where they do not?
 *
 * Chains of a store and a load of what it wrote (lib/kernels/store_load.h), for every width of either, every offset at which
 * they overlap, and everything on one line, or across the border of two lines or two pages. In two patterns:
 *
 *   data     the loaded value is stored next. The load's address is known early, so that the load may be there before
 *            the value is, and pays for it. Where values do not change they might be predicted
 *   address  the loaded value is part of the next load's address: all that counts is what the load takes. Values
 *            change, and arithmetic in the chain comes off
 *
 * Cycles come in a few classes, found by clustering: a load that is forwarded to takes about as long as one from the
 * cache; one that takes hardly any time was renamed (probe `renaming`); one that is blocked waits until the store is in
 * the cache, and goes there itself. The matrices have all cells; the offsets are told where both patterns see the same
 * set. A class that is somewhat slower than forwarding is `slow`: it forwards, with something on top. In the pattern
 * `address` that may be more than a load: on Zen 4 what is not at the store's own address takes 7 cycles longer than what
 * is, and blocked ones 8 more. There those are blocked that are blocked in `data`, where one class is just those.
 *
 * Several stores side by side, each of an equal part of what is loaded, upwards and downwards: how many can a load
 * gather from? And a load at a distance of 2^n bytes from the store, where the core may compare only the low bits of
 * addresses: what that costs over one beside it.
 *
 * Vectors only in the pattern `data`, with zeros.
 *
 * Method: Wong 2014, Store-to-Load Forwarding and Memory Disambiguation in x86 Processors; jia.je 2024 to 2026 for
 * offsets and gathering. The pattern `address` and classes by clustering are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/find.h"
#include "lib/matrix.h"
#include "lib/kernels/store_load.h"

enum {
    WIDTHS = 6,
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    AREA_BYTES = 1 << 17, /* what aliases lies in it */
    MIDDLE = AREA_BYTES / 2,
    TEXT = 48,
    VECTOR_STEP = 4,
    FIRST_DISTANCE_BIT = 7,
    LAST_DISTANCE_BIT = 14,
    STORES = 8 /* at most */
};

/* What costs more than this, in cycles, with one distance and not with another is no accident. */
static const double ALIAS_CYCLES = 0.5;

enum crossing { CROSSING_NONE, CROSSING_LINE, CROSSING_PAGE, CROSSINGS };
static const char *const crossing_names[CROSSINGS] = {"none", "64", "page"};
static const char *const chain_names[] = {[CHAIN_DATA] = "data", [CHAIN_LOAD] = "address"};

/* All cells of one file of registers and one pattern. */
struct grid {
    enum chain_through chain;
    int reach; /* bytes of the widest: offsets go so far both ways */
    const struct emit_access *widths[WIDTHS];
    size_t count, columns; /* columns: 2 * reach + 1 */
    double *cells;         /* by crossing, store, load, offset; NaN: there is none, or it gave nothing */
    struct ways ways;
    unsigned crossings;
    bool gave_nothing[WIDTHS][WIDTHS]; /* some cell of that store and load, across no border */
};

static double *cell(const struct grid *g, unsigned crossing, size_t store, size_t load, int offset)
{
    return &g->cells[((crossing * g->count + store) * g->count + load) * g->columns + (size_t)(offset + g->reach)];
}

static int bytes_of(const struct grid *g, size_t width)
{
    return (int)g->widths[width]->bits / 8;
}

static bool overlaps(int store, int load, int offset)
{
    return offset > -load && offset < store;
}

/*
 * Where the store writes, so that the border at 0 is crossed: by both in the middle of what they share, where that is a
 * byte by the load, or by the store where the load has one byte. False where neither has two.
 */
static bool place_across(int store, int load, int offset, int *at)
{
    const int from = offset > 0 ? offset : 0, to = offset + load < store ? offset + load : store;

    if (to - from >= 2)
        *at = -(from + (to - from) / 2);
    else if (load >= 2)
        *at = -(offset + load / 2);
    else
        *at = -store / 2;
    return store >= 2 || load >= 2;
}

/* The same within a line: what is lower lies at its begin. False where a line does not hold both. */
static bool place_within(int store, int load, int offset, int *at)
{
    const int from = offset < 0 ? offset : 0, to = offset + load > store ? offset + load : store;

    *at = -from;
    return to - from <= LINE_BYTES;
}

static bool measure_cell(struct probe *p, const struct area *area, struct grid *g, enum crossing crossing, size_t store,
                         size_t load, int offset)
{
    const int a = bytes_of(g, store), b = bytes_of(g, load);
    struct store_load s = {.store = g->widths[store], .load = g->widths[load], .chain = g->chain, .offset = offset};
    const size_t border = MIDDLE + (crossing == CROSSING_PAGE ? 0 : LINE_BYTES);
    int at;

    if (!overlaps(a, b, offset) ||
        !(crossing == CROSSING_NONE ? place_within(a, b, offset, &at) : place_across(a, b, offset, &at)))
        return true;
    s.at = at;
    double *cycles = cell(g, crossing, store, load, offset);
    if (!store_load_measure(p, &s, area->at + border, cycles))
        return false;
    g->gave_nothing[store][load] |= crossing == CROSSING_NONE && isnan(*cycles);
    return true;
}

static bool measure_grid(struct probe *p, const struct area *area, struct grid *g)
{
    /* vectors are wide, and nobody writes code that loads a part of one from an odd place */
    const int step = (int)(g->widths[0]->file == ACCESS_VECTOR ? probe_smoke(p, g->reach, VECTOR_STEP)
                                                               : probe_smoke(p, 4, 1));

    for (unsigned crossing = 0; crossing < g->crossings; crossing++)
        for (size_t store = 0; store < g->count; store++)
            for (size_t load = 0; load < g->count; load++)
                for (int offset = -g->reach; offset <= g->reach; offset += step)
                    if (!measure_cell(p, area, g, crossing, store, load, offset))
                        return false;
    return true;
}

static void send_grid(struct probe *p, const struct grid *g)
{
    double columns[2 * LINE_BYTES + 1], rows[WIDTHS];
    char name[TEXT];

    for (size_t i = 0; i < g->columns; i++)
        columns[i] = (double)i - g->reach;
    for (size_t i = 0; i < g->count; i++)
        rows[i] = g->widths[i]->bits;
    for (unsigned crossing = 0; crossing < g->crossings; crossing++)
        for (size_t store = 0; store < g->count; store++) {
            snprintf(name, sizeof name, "%s store=%s crossing=%s", chain_names[g->chain], g->widths[store]->name,
                     crossing_names[crossing]);
            matrix_send(p, &(struct matrix){.name = name,
                                            .row_axis = "load_bits",
                                            .column_axis = "offset_bytes",
                                            .unit = "cycles/pair",
                                            .row_count = g->count,
                                            .column_count = g->columns,
                                            .rows = rows,
                                            .columns = columns,
                                            .cells = cell(g, crossing, store, 0, -g->reach),
                                            .pitch = g->columns});
        }
}

/* ---- What is told ------------------------------------------------------------------------------- */

/*
 * The median of the cells of one way and one crossing, without the arithmetic. Across borders only loads that
 * themselves cross it count.
 */
static double cycles_of(const struct grid *g, enum crossing crossing, enum way way)
{
    double *y = malloc((g->count * g->count * g->columns + 1) * sizeof *y), middle = (double)NAN;
    size_t n = 0;

    for (size_t store = 0; y && store < g->count; store++)
        for (size_t load = 0; load < g->count; load++)
            for (int offset = -g->reach; offset <= g->reach; offset++) {
                const double cycles = *cell(g, crossing, store, load, offset);
                if (!isnan(cycles) && way_of(&g->ways, cycles) == way &&
                    (crossing == CROSSING_NONE || bytes_of(g, load) > 1))
                    y[n++] = cycles - g->ways.extra;
            }
    if (n) {
        sort_numbers(y, n);
        middle = quantile(y, n, 0.5);
    }
    free(y);
    return middle;
}

/* Across a border a load that is forwarded to may be slower than one that is not across: both are. */
static double forwarded_across(const struct grid *g, enum crossing crossing)
{
    const double slow = cycles_of(g, crossing, WAY_SLOW);

    return isnan(slow) ? cycles_of(g, crossing, WAY_FORWARDED) : slow;
}

static bool forwards(enum way way)
{
    return way == WAY_RENAMED || way == WAY_FORWARDED || way == WAY_SLOW;
}

/* Whether both patterns see the same offsets forward. */
static bool same_offsets(const struct grid *data, const struct grid *load, size_t store, size_t loaded)
{
    for (int offset = -data->reach; offset <= data->reach; offset++)
        if (forwards(way_of(&data->ways, *cell(data, CROSSING_NONE, store, loaded, offset))) !=
            forwards(way_of(&load->ways, *cell(load, CROSSING_NONE, store, loaded, offset))))
            return false;
    return true;
}

static bool same_ways(const struct grid *data, const struct grid *load)
{
    for (size_t store = 0; store < data->count; store++)
        for (size_t loaded = 0; loaded < data->count; loaded++)
            if (!same_offsets(data, load, store, loaded))
                return false;
    return true;
}

/* Where some border between classes of `load` makes both patterns see the same in every cell, that one it is. */
static void align(const struct grid *data, struct grid *load)
{
    const size_t before = load->ways.blocked;

    for (load->ways.blocked = load->ways.forwarded + 1; load->ways.blocked <= load->ways.classes.count;
         load->ways.blocked++)
        if (same_ways(data, load))
            return;
    load->ways.blocked = before;
}

static void report_cycles(struct probe *p, const struct grid *data, const struct grid *load)
{
    const struct grid *const grids[] = {data, load};
    const struct find_value v[] = {{"data", "values that are predicted", cycles_of(data, CROSSING_NONE, WAY_FORWARDED)},
                                   {"address", "arithmetic", cycles_of(load, CROSSING_NONE, WAY_FORWARDED)}};

    const struct find_result both = find_number_decide(v, 2);
    const bool differ = both.grade == 'U' && !isnan(v[0].value) && !isnan(v[1].value);

    if (!differ)
        find_number(p,
                    &(struct finding){.name = "memory.forwarding.cycles",
                                      .variants = {{"crossing", "none"}},
                                      .reason = "nothing-forwards",
                                      .method = "median of the class of loads that are forwarded to"},
                    v, 2);
    for (size_t i = 0; i < 2; i++)
        for (unsigned crossing = 0; crossing < grids[i]->crossings; crossing++) {
            struct finding f = {
                .name = "memory.forwarding.cycles",
                .variants = {{"crossing", crossing_names[crossing]}, {"dependence", chain_names[grids[i]->chain]}},
                .reason = "nothing-forwards",
                .method = "median of the class of loads that are forwarded to"};
            if (crossing != CROSSING_NONE)
                report_number(p, &f, forwarded_across(grids[i], crossing));
            else if (differ)
                report_number(p, &f, v[i].value);
            f.name = "memory.forwarding.blocked_cycles";
            f.reason = "nothing-is-blocked";
            f.method = "median of the class of loads that wait for the cache";
            report_number(p, &f, cycles_of(grids[i], crossing, WAY_BLOCKED));
        }
}

/* How many offsets forward, and which, as "-1 ... 3": intervals in a row. NaN where some cell is not known. */
static double offsets_of(const struct grid *g, size_t store, size_t load, char text[TEXT])
{
    int count = 0, first = 0;
    size_t used = 0;
    bool before = false;

    text[0] = 0;
    if (g->gave_nothing[store][load])
        return (double)NAN;
    for (int offset = -g->reach; offset <= g->reach + 1; offset++) {
        const double cycles = offset > g->reach ? (double)NAN : *cell(g, CROSSING_NONE, store, load, offset);
        const enum way way = way_of(&g->ways, cycles);
        const bool now = !isnan(cycles) && forwards(way);
        if (!isnan(cycles) && way == WAY_UNKNOWN)
            return (double)NAN;
        count += now;
        if (now && !before)
            first = offset;
        if (before && !now && used < TEXT)
            used += (size_t)snprintf(text + used, TEXT - used, first == offset - 1 ? "%s%d" : "%s%d ... %d",
                                     used ? ", " : "", first, offset - 1);
        before = now;
    }
    return count;
}

/* The grade is A where both patterns see the same set. */
static void report_offsets(struct probe *p, const struct grid *data, const struct grid *load)
{
    for (size_t s = 0; s < data->count; s++)
        for (size_t l = 0; l < data->count; l++) {
            char seen[TEXT], seen_too[TEXT];
            const double one = offsets_of(data, s, l, seen), other = offsets_of(load, s, l, seen_too);
            const bool same = one >= 0 && other >= 0 && same_offsets(data, load, s, l);
            report(p, &(struct finding){.name = "memory.forwarding.offsets",
                                        .variants = {{"store", data->widths[s]->name}, {"load", data->widths[l]->name}},
                                        .value = same ? one : (double)NAN,
                                        .low = (double)NAN,
                                        .high = (double)NAN,
                                        .grade = same ? 'A' : 'U',
                                        .reason = same                     ? NULL
                                                  : one >= 0 && other >= 0 ? "experiments-disagree"
                                                  : data->gave_nothing[s][l] || load->gave_nothing[s][l] ? "not-steady"
                                                                                                         : "no-classes",
                                        .agreement = same ? "data and address agree" : NULL,
                                        .method = "offsets of the load from the store at which it is not blocked",
                                        .remarks = {{same ? "offsets" : NULL, seen}}});
        }
}

/* The number of stores, of equal parts, that a load of 64 bits gathers from; NaN where a class is none. */
static bool measure_stores(struct probe *p, const struct area *area, const struct grid *g, bool backwards, double *most)
{
    const struct emit_access *widest = g->widths[g->count - 1];
    const unsigned last = (unsigned)probe_smoke(p, 2, STORES);
    bool on = true;

    *most = 1;
    for (unsigned stores = 2; stores <= last && on; stores *= 2) {
        const struct store_load s = {
            .store = widest, .load = widest, .chain = g->chain, .stores = stores, .backwards = backwards};
        double cycles;
        if (!store_load_measure(p, &s, area->at + MIDDLE, &cycles))
            return false;
        /* slower than any cell of one store, or as slow as those that are blocked; else the load got it from all */
        const double forwarded = g->ways.forwarded < g->ways.classes.count
                                     ? g->ways.classes.all[g->ways.forwarded].middle
                                     : (double)NAN;
        if (isnan(forwarded) || isnan(cycles)) {
            *most = (double)NAN;
            return true;
        }
        on = cycles - forwarded < g->ways.load;
        *most = on ? stores : *most;
    }
    return true;
}

static bool find_stores(struct probe *p, const struct area *area, const struct grid *data, const struct grid *load)
{
    struct find_value v[4] = {{"data, upwards", "values that are predicted", 0},
                              {"data, downwards", "values that are predicted", 0},
                              {"address, upwards", "arithmetic", 0},
                              {"address, downwards", "arithmetic", 0}};

    for (size_t i = 0; i < 4; i++)
        if (!measure_stores(p, area, i < 2 ? data : load, i % 2, &v[i].value))
            return false;
    find_number(p,
                &(struct finding){.name = "memory.forwarding.stores",
                                  .reason = "no-classes",
                                  .method = "stores side by side that make up 64 bits"},
                v, 4);
    return true;
}

/* A load far from the store whose low bits of the address are the same. */
static bool find_aliases(struct probe *p, const struct area *area, const struct grid *load)
{
    struct store_load s = {.store = load->widths[load->count - 1],
                           .load = load->widths[load->count - 1],
                           .chain = CHAIN_LOAD,
                           .offset = SEPARATE_BYTES};
    double beside;

    if (!store_load_measure(p, &s, area->at, &beside))
        return false;
    double first = (double)NAN, distance = 0, cost = 0;
    for (unsigned bit = FIRST_DISTANCE_BIT; bit <= LAST_DISTANCE_BIT && isnan(first) && !isnan(beside); bit++) {
        double cycles;
        s.offset = 1 << bit;
        if (!store_load_measure(p, &s, area->at, &cycles))
            return false;
        if (isnan(cycles)) /* it may have been this one */
            beside = (double)NAN;
        if (cycles - beside > ALIAS_CYCLES) {
            first = bit;
            distance = s.offset;
            cost = cycles - beside;
        }
    }
    struct finding f = {.name = "memory.aliasing.cycles",
                        .variants = {{isnan(first) ? NULL : "distance", .number = distance}},
                        .method = "load at a distance of a power of two from the store, against one beside it",
                        .reason = "not-steady"};
    report_number(p, &f, isnan(beside) ? (double)NAN : cost);
    return true;
}

/* ---- The run ------------------------------------------------------------------------------------ */

/* The widths of a file that this core has, for loads and stores alike; all cells empty. */
static bool start_grid(struct probe *p, struct grid *g, enum chain_through chain, enum access_file file)
{
    *g = (struct grid){.chain = chain, .crossings = (unsigned)probe_smoke(p, 2, CROSSINGS)};
    for (const struct emit_access *a = emit_accesses; a->name && g->count < WIDTHS; a++)
        if (a->file == file && a->registers == 1 && a->has_load && a->has_store &&
            a->vector_bits <= machine_info()->vector_bits)
            g->widths[g->count++] = a;
    if (probe_smoke(p, 1, 0) > 0 && g->count > 2) { /* the narrowest and the widest */
        g->widths[1] = g->widths[g->count - 1];
        g->count = 2;
    }
    if (!g->count)
        return true;
    g->reach = bytes_of(g, g->count - 1);
    g->columns = 2 * (size_t)g->reach + 1;
    const size_t cells = CROSSINGS * g->count * g->count * g->columns;
    g->cells = malloc(cells * sizeof *g->cells);
    for (size_t i = 0; g->cells && i < cells; i++)
        g->cells[i] = (double)NAN;
    return g->cells ? true : probe_skip(p, "out of memory");
}

/* Measures it all and finds the classes. */
static bool fill_grid(struct probe *p, const struct area *area, struct grid *g)
{
    const size_t cells = g->crossings * g->count * g->count * g->columns;
    const struct store_load any = {.chain = g->chain};
    double *sorted;
    size_t n = 0;

    if (!g->count)
        return true;
    if (!store_load_references(p, &any, area->at + MIDDLE, &g->ways) || !measure_grid(p, area, g))
        return false;
    send_grid(p, g);
    sorted = malloc((cells + 1) * sizeof *sorted);
    for (size_t i = 0; sorted && i < cells; i++)
        if (!isnan(g->cells[i]))
            sorted[n++] = g->cells[i];
    if (n) {
        sort_numbers(sorted, n);
        ways_decide(&g->ways, sorted, n);
    }
    free(sorted);
    return true;
}

static void report_vectors(struct probe *p, const struct grid *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const double cycles = *cell(g, CROSSING_NONE, i, i, 0);
        report_number(p,
                      &(struct finding){.name = "memory.forwarding.cycles",
                                        .variants = {{"store", g->widths[i]->name}, {"load", g->widths[i]->name}},
                                        .reason = "blocked",
                                        .method = "store and load of a vector at one address, in a chain"},
                      forwards(way_of(&g->ways, cycles)) ? cycles : (double)NAN);
    }
}

static void run(struct probe *p)
{
    enum { DATA, LOAD, VECTORS, GRIDS };
    struct grid g[GRIDS] = {{.count = 0}};
    struct area area;

    if (probe_map(p, &area, AREA_BYTES, 0) && start_grid(p, &g[DATA], CHAIN_DATA, ACCESS_GENERAL) &&
        start_grid(p, &g[LOAD], CHAIN_LOAD, ACCESS_GENERAL) && start_grid(p, &g[VECTORS], CHAIN_DATA, ACCESS_VECTOR)) {
        bool on = true;
        g[VECTORS].crossings = (unsigned)probe_scale(p, 1, 1, CROSSINGS, CROSSINGS);
        for (size_t i = 0; i < GRIDS && on; i++)
            on = fill_grid(p, &area, &g[i]);
        if (on) {
            align(&g[DATA], &g[LOAD]);
            report_cycles(p, &g[DATA], &g[LOAD]);
            report_offsets(p, &g[DATA], &g[LOAD]);
            report_vectors(p, &g[VECTORS]);
            if (find_stores(p, &area, &g[DATA], &g[LOAD]))
                find_aliases(p, &area, &g[LOAD]);
        }
    }
    for (size_t i = 0; i < GRIDS; i++)
        free(g[i].cells);
}

PROBE(forwarding, .title = "Store-to-load forwarding", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS(
          {"memory.forwarding.cycles", "cycles", "what a load takes that gets its value from a store on its way"},
          {"memory.forwarding.blocked_cycles", "cycles", "what a load takes that has to wait for the cache instead"},
          {"memory.forwarding.offsets", "offsets", "at how many offsets of load from store forwarding works"},
          {"memory.forwarding.stores", "stores", "how many stores one load gathers its value from"},
          {"memory.aliasing.cycles", "cycles",
           "what it adds to a load's latency that an older store's low address bits are the same"}));
