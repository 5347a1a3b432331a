/*
 * Store-to-load forwarding: which loads get their value from a store that is not yet in the cache, in how many cycles,
 * and what does it cost where they cannot?
 *
 * Chains of a store and a load of what it wrote (lib/kernels/store_load.h), for every width of either and every offset
 * at which they overlap, within one line and across the border of two lines or two pages (lib/structure/forwarding.h).
 * Two experiments link the pairs:
 *
 *   data     the loaded value is stored next. The load's address is known early, so the load may execute before the
 *            value is there, and be executed again. Where values do not change they might be predicted
 *   address  the loaded value is part of the next load's address: only the load's latency counts. Values change, and
 *            the arithmetic in the chain is subtracted
 *
 * Cycles fall into a few classes, found by clustering: a forwarded load takes about as long as one from the cache; one
 * that takes hardly any time was renamed (probe `renaming`); a blocked one waits until the store is in the cache and
 * reads it there. A class that is somewhat slower than forwarding is `slow`: forwarded, with something in addition. In
 * the chain `address` that addition may exceed the time of a load: on Zen 4 a load that is not at the store's own
 * address takes 7 cycles longer than one that is, and a blocked one 8 more. If the loads that are blocked in `data` are
 * a class of their own in `address`, that class then counts as blocked. The matrices hold all cells; offsets are
 * reported where both chains see the same set.
 *
 * Several stores side by side, each of an equal part of what is loaded, upwards and downwards, within a line and across
 * two: from how many can a load gather its value, and in how many cycles? It gathers if it takes clearly less than a
 * load of the same stores that reads one byte more, and so has to wait (lib/structure/store_gathering.h). Two stores of
 * different values to the same bytes: the load must get the younger one's value, and the core has to find out which one
 * that is. And a load 2^n bytes away from the store: where the core compares only the low bits of addresses, it takes
 * longer than a load beside the store.
 *
 * Vectors are measured in the chain `data` only, with zeros.
 *
 * Method: docs/METHODS.md, 7.15. Wong 2014, Store-to-Load Forwarding and Memory Disambiguation in x86 Processors;
 * jia.je 2024 to 2026 for offsets and gathering. The chain `address` and classes by clustering are ours.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/store_load.h"
#include "lib/probe/probe.h"
#include "lib/structure/forwarding.h"
#include "lib/structure/forwarding_reference.h"
#include "lib/structure/store_gathering.h"
#include "lib/structure/tolerances_memory.h"

enum {
    TEXT = 48,
    FIRST_DISTANCE_BIT = 7, /* loads 2^7 to 2^14 bytes from the store */
    LAST_DISTANCE_BIT = 14
};

/* Cycles that a load must take longer at one distance than beside the store to count as an effect: half of a cycle. */
static const double ALIAS_CYCLES = 0.5;

/* ---- Cycles and offsets ------------------------------------------------------------------------- */

/* Across a border, loads that cross it are `slow` where forwarding across it takes longer, else as fast as others. */
static double forwarded_across(const struct forwarding_grid *g, enum crossing crossing)
{
    const double slow = forwarding_path_cycles(g, crossing, PATH_SLOW);

    return isnan(slow) ? forwarding_path_cycles(g, crossing, PATH_FORWARDED) : slow;
}

/* Why no pair of a grid has a certain path: `absent` where the paths of its pairs are known. */
static enum reason without_path(const struct forwarding_grid *g, enum reason absent)
{
    return !(g->paths.load > 0) ? REASON_NOT_STEADY : g->paths.clusters.count ? absent : REASON_NO_CLUSTERS;
}

static void report_cycles(struct probe *p, const struct forwarding_grid *data, const struct forwarding_grid *load)
{
    const struct forwarding_grid *const grids[] = {data, load};
    const struct experiment_value v[] = {
        {"data", "values that are predicted", forwarding_path_cycles(data, CROSSING_NONE, PATH_FORWARDED)},
        {"address", "arithmetic", forwarding_path_cycles(load, CROSSING_NONE, PATH_FORWARDED)}};

    const struct graded both = grade_number(v, 2);
    const bool differ = both.grade == 'U' && !isnan(v[0].value) && !isnan(v[1].value);

    if (!differ)
        report_graded_number(p,
                             &(struct finding){.name = "memory.forwarding.cycles",
                                               .variants = {{"crossing", "none"}},
                                               .reason = without_path(data, REASON_NOTHING_FORWARDS),
                                               .method = "median of the class of loads that are forwarded to"},
                             v, 2);
    for (size_t i = 0; i < 2; i++)
        for (unsigned crossing = 0; crossing < grids[i]->crossings; crossing++) {
            struct finding f = {
                .name = "memory.forwarding.cycles",
                .variants = {{"crossing", crossing_names[crossing]}, {"dependence", forwarding_chain_name(grids[i])}},
                .reason = without_path(grids[i], REASON_NOTHING_FORWARDS),
                .method = "median of the class of loads that are forwarded to"};
            if (crossing != CROSSING_NONE)
                report_number(p, &f, forwarded_across(grids[i], crossing));
            else if (differ)
                report_number(p, &f, v[i].value);
            f.name = "memory.forwarding.blocked_cycles";
            f.reason = without_path(grids[i], REASON_NOTHING_BLOCKED);
            f.method = "median of the class of loads that wait for the cache";
            report_number(p, &f, forwarding_path_cycles(grids[i], crossing, PATH_BLOCKED));
        }
}

/* The grade is A where both chains see the same set of offsets. */
static void report_offsets(struct probe *p, const struct forwarding_grid *data, const struct forwarding_grid *load)
{
    for (size_t s = 0; s < data->count; s++)
        for (size_t l = 0; l < data->count; l++) {
            char by_data[TEXT], by_address[TEXT];
            const double one = forwarding_offsets(data, s, l, by_data, TEXT),
                         other = forwarding_offsets(load, s, l, by_address, TEXT);
            const bool same = one >= 0 && other >= 0 && forwarding_same_offsets(data, load, s, l);
            report(p, &(struct finding){.name = "memory.forwarding.offsets",
                                        .variants = {{"store", data->widths[s]->name}, {"load", data->widths[l]->name}},
                                        .value = same ? one : (double)NAN,
                                        .low = (double)NAN,
                                        .high = (double)NAN,
                                        .grade = same ? 'A' : 'U',
                                        .reason = same                     ? REASON_NONE
                                                  : one >= 0 && other >= 0 ? REASON_EXPERIMENTS_DISAGREE
                                                  : data->failed[s][l] || load->failed[s][l]
                                                      ? REASON_NOT_STEADY
                                                      : without_path(isnan(one) ? data : load, REASON_NO_CLUSTERS),
                                        .agreement = same ? "data and address agree" : NULL,
                                        .method = "offsets of the load from the store at which it is not blocked",
                                        .remarks = {{same ? "offsets" : NULL, by_data}}});
        }
}

static void report_vectors(struct probe *p, const struct forwarding_grid *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const double cycles = *forwarding_cell(g, CROSSING_NONE, i, i, 0);
        const enum forwarding_path path = forwarding_path_of(&g->paths, cycles);
        report_number(p,
                      &(struct finding){.name = "memory.forwarding.cycles",
                                        .variants = {{"store", g->widths[i]->name}, {"load", g->widths[i]->name}},
                                        .reason = path == PATH_BLOCKED ? REASON_BLOCKED
                                                  : isnan(cycles)      ? REASON_NOT_STEADY
                                                                       : without_path(g, REASON_NO_CLUSTERS),
                                        .method = "store and load of a vector at one address, in a chain"},
                      forwarding_works(path) ? cycles : (double)NAN);
    }
}

/* ---- Gathering and aliases ---------------------------------------------------------------------- */

/* What a load costs that gathers its value from so many stores, by both chains; upwards. */
static void report_gathering(struct probe *p, const struct store_gathering *data, const struct store_gathering *load)
{
    for (size_t n = 1; n < GATHERING_COUNTS; n++) {
        const struct experiment_value v[] = {{"data", "values that are predicted", data->cycles[0][0][n]},
                                             {"address", "arithmetic", load->cycles[0][0][n]}};
        report_graded_number(p,
                             &(struct finding){.name = "memory.forwarding.stores_cycles",
                                               .variants = {{"stores", .number = 1 << n}},
                                               .reason = REASON_NOT_STEADY,
                                               .method = "stores side by side that make up 64 bits"},
                             v, 2);
    }
}

static bool find_stores(struct probe *p, const struct area *area, const struct forwarding_grid *data,
                        const struct forwarding_grid *load)
{
    struct store_gathering by_data, by_load;

    if (!store_gathering_measure(p, area, data, &by_data) || !store_gathering_measure(p, area, load, &by_load))
        return false;
    const double one[] = {forwarding_path_cycles(data, CROSSING_NONE, PATH_FORWARDED),
                          forwarding_path_cycles(load, CROSSING_NONE, PATH_FORWARDED)};
    const struct experiment_value v[] = {
        {"data, upwards", "values that are predicted", store_gathering_most(&by_data, 0, one[0], data->paths.load)},
        {"data, downwards", "values that are predicted", store_gathering_most(&by_data, 1, one[0], data->paths.load)},
        {"address, upwards", "arithmetic", store_gathering_most(&by_load, 0, one[1], load->paths.load)},
        {"address, downwards", "arithmetic", store_gathering_most(&by_load, 1, one[1], load->paths.load)}};
    report_graded_number(p,
                         &(struct finding){.name = "memory.forwarding.stores",
                                           .reason = data->paths.forwarded == data->paths.clusters.count
                                                         ? without_path(data, REASON_NOTHING_FORWARDS)
                                                         : REASON_NOT_STEADY,
                                           .method = "stores side by side that make up 64 bits"},
                         v, 4);
    report_gathering(p, &by_data, &by_load);
    return true;
}

/* What a load costs whose bytes two stores in flight wrote, by both chains; by each where they differ. */
static bool find_overwritten(struct probe *p, const struct area *area, const struct forwarding_grid *data,
                             const struct forwarding_grid *load)
{
    const struct forwarding_grid *const grids[] = {data, load};
    struct experiment_value v[] = {{"data", "values that are predicted", (double)NAN},
                                   {"address", "arithmetic", (double)NAN}};
    struct finding f = {.name = "memory.forwarding.overwritten_cycles",
                        .reason = REASON_NOT_STEADY,
                        .method = "two stores of the widest register to the bytes that are loaded"};
    const struct emit_access *loaded;

    if (!forwarding_not_renamed(p, area->at, &loaded))
        return false;
    for (size_t i = 0; i < 2 && loaded; i++)
        if (!store_overwritten_measure(p, area, grids[i], loaded, &v[i].value))
            return false;
    if (loaded && v[0].value < RENAMED_PART_ALONE * data->paths.load) {
        f.reason = REASON_ALL_RENAMED;
        report_number(p, &f, (double)NAN);
    } else if (!isnan(v[0].value) && !isnan(v[1].value) && grade_number(v, 2).grade == 'U')
        for (size_t i = 0; i < 2; i++) {
            f.variants[0].key = "dependence";
            f.variants[0].text = forwarding_chain_name(grids[i]);
            report_number(p, &f, v[i].value);
        }
    else
        report_graded_number(p, &f, v, 2);
    return true;
}

/* The smallest distance, a power of two, at which a load is slower because its low address bits are the store's. */
static bool find_aliases(struct probe *p, const struct area *area, const struct forwarding_grid *load)
{
    struct store_load s = {.store = load->widths[load->count - 1],
                           .load = load->widths[load->count - 1],
                           .chain = THROUGH_LOAD,
                           .load_offset = SEPARATE_BYTES};
    double beside;

    if (!store_load_measure(p, &s, area->at, &beside))
        return false;
    double first = (double)NAN, distance = 0, cost = 0;
    for (unsigned bit = FIRST_DISTANCE_BIT; bit <= LAST_DISTANCE_BIT && isnan(first) && !isnan(beside); bit++) {
        double cycles;
        s.load_offset = 1 << bit;
        if (!store_load_measure(p, &s, area->at, &cycles))
            return false;
        if (isnan(cycles)) /* the distance without a result may be the first that costs more */
            beside = (double)NAN;
        if (cycles - beside > ALIAS_CYCLES) {
            first = bit;
            distance = s.load_offset;
            cost = cycles - beside;
        }
    }
    struct finding f = {.name = "memory.aliasing.cycles",
                        .variants = {{isnan(first) ? NULL : "distance", .number = distance}},
                        .method = "load at a distance of a power of two from the store, against one beside it",
                        .reason = REASON_NOT_STEADY};
    report_number(p, &f, isnan(beside) ? (double)NAN : cost);
    return true;
}

/* ---- The run ------------------------------------------------------------------------------------ */

static void run(struct probe *p)
{
    enum { DATA, LOAD, VECTORS, GRIDS };
    struct forwarding_grid g[GRIDS] = {{.count = 0}};
    struct area area;

    if (probe_map(p, &area, FORWARDING_AREA_BYTES, 0) &&
        forwarding_grid_start(p, &g[DATA], THROUGH_DATA, ACCESS_GENERAL) &&
        forwarding_grid_start(p, &g[LOAD], THROUGH_LOAD, ACCESS_GENERAL) &&
        forwarding_grid_start(p, &g[VECTORS], THROUGH_DATA, ACCESS_VECTOR)) {
        bool on = true;
        g[VECTORS].crossings = (unsigned)probe_scale(p, 1, 1, CROSSINGS, CROSSINGS);
        for (size_t i = 0; i < GRIDS && on; i++)
            on = forwarding_grid_measure(p, &area, &g[i]);
        if (on) {
            forwarding_align(&g[DATA], &g[LOAD]);
            report_cycles(p, &g[DATA], &g[LOAD]);
            report_offsets(p, &g[DATA], &g[LOAD]);
            report_vectors(p, &g[VECTORS]);
            if (find_stores(p, &area, &g[DATA], &g[LOAD]) && find_overwritten(p, &area, &g[DATA], &g[LOAD]))
                find_aliases(p, &area, &g[LOAD]);
        }
    }
    for (size_t i = 0; i < GRIDS; i++)
        free(g[i].cells);
}

PROBE(forwarding, .title = "Store-to-load forwarding", .family = "memory", .after = "cache", .run = run,
      .findings = FINDINGS({"memory.forwarding.cycles", "cycles",
                            "latency of a load that gets its value from a store that is not yet in the cache"},
                           {"memory.forwarding.blocked_cycles", "cycles",
                            "latency of a load that has to wait until the store is in the cache"},
                           {"memory.forwarding.offsets", "offsets",
                            "number of offsets of the load from the store at which forwarding works"},
                           {"memory.forwarding.stores", "stores",
                            "number of stores that one load can gather its value from"},
                           {"memory.forwarding.stores_cycles", "cycles",
                            "latency of a load of the bytes of several stores side by side"},
                           {"memory.forwarding.overwritten_cycles", "cycles",
                            "latency of a load of bytes that two stores in flight wrote, of the younger one's value"},
                           {"memory.aliasing.cycles", "cycles",
                            "what it adds to a load's latency that an older store has the same low address bits"}));
