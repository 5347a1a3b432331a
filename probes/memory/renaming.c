/*
 * Memory renaming: loads that get their value from a store without going to memory at all, as if both were moves of
 * registers. Of which widths, under which conditions, and how many stores and loads does the core know to belong
 * together?
 *
 * Chains of a store and a load at the same address (lib/kernels/store_load.h), in two patterns: the loaded value is
 * stored next; or it is part of the next load's address, and changes. Of a pair that is renamed hardly any time is left
 * in either: no cache and no forwarding is that fast. Predicted values would look alike, but only where they do not
 * change.
 *
 * Conditions, of pairs of the widest: through another base register than the store's, of the same value; and at an
 * address that moves on by a line each time.
 *
 * Pairs: a growing number of them in the code, all at one address; and each at an address of its own, the code spread a
 * little more. Curve: cycles a pair. Level while all are known, then it rises to what forwarding takes. Where the core keeps
 * a pair depends on where its code lies, so that some are in each other's way before all entries are taken: the answer is
 * half way up the rise, and its interval the rise; both experiments are fooled by that alike. A rise that does not end
 * there is something else's.
 *
 * Method: jia.je 2024 and 2026, pairs of widths on Golden Cove and Redwood Cove; more pairs than the core can know, to
 * see forwarding itself, is known from Zen 4. Two patterns and the conditions are ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/find.h"
#include "lib/kernels/store_load.h"

enum {
    WIDTHS = 4,
    PATTERNS = 2,
    AREA_BYTES = 1 << 16, /* of 4095 accesses of 64 bits, and what moving goes on by */
    PLACE = 512,          /* in it */
    PAIRS_MAXIMUM = 4088, /* that one base register reaches */
    PITCH_BYTES = 8,
    GRAIN = 8,
    TEXT = 128
};

static const struct {
    const char *name, *fooled_by;
    enum chain_through chain;
} patterns[PATTERNS] = {{"data", "values that are predicted", CHAIN_DATA}, {"address", "arithmetic", CHAIN_LOAD}};

/* Store and load at one address, of every two widths of which the load is not the wider one. */
struct widths {
    const struct emit_access *all[WIDTHS];
    size_t count;
    double cycles[PATTERNS][WIDTHS][WIDTHS]; /* by store and load; NaN: none */
    struct ways ways[PATTERNS];
};

static bool measure_widths(struct probe *p, const struct area *area, struct widths *w, size_t pattern)
{
    const unsigned step = (unsigned)probe_smoke(p, 3, 1); /* the narrowest and the widest */
    double sorted[WIDTHS * WIDTHS];
    size_t n = 0;

    if (!store_load_references(p, &(struct store_load){.chain = patterns[pattern].chain}, area->at + PLACE,
                               &w->ways[pattern]))
        return false;
    for (size_t store = 0; store < w->count; store++)
        for (size_t load = 0; load <= store; load++) {
            const struct store_load s = {
                .store = w->all[store], .load = w->all[load], .chain = patterns[pattern].chain, .slow_learning = true};
            double *cycles = &w->cycles[pattern][store][load];
            *cycles = (double)NAN;
            if (store % step || load % step)
                continue;
            if (!store_load_measure(p, &s, area->at + PLACE, cycles))
                return false;
            if (!isnan(*cycles))
                sorted[n++] = *cycles;
        }
    sort_numbers(sorted, n);
    ways_decide(&w->ways[pattern], sorted, n);
    return true;
}

static bool is_renamed(const struct widths *w, size_t pattern, size_t store, size_t load)
{
    return way_of(&w->ways[pattern], w->cycles[pattern][store][load]) == WAY_RENAMED;
}

/* Both patterns of the widest must say so. */
static bool is_there(const struct widths *w)
{
    return is_renamed(w, 0, w->count - 1, w->count - 1) && is_renamed(w, 1, w->count - 1, w->count - 1);
}

/* Of the widest, in the first pattern, which others base registers can be tried in. */
static bool measure_conditions(struct probe *p, const struct area *area, const struct widths *w, char text[TEXT])
{
    static const char *const said[] = {[BASE_OTHER] = "another base register", [BASE_MOVES] = "an address that moves"};
    const struct emit_access *widest = w->all[w->count - 1];
    size_t used = 0;

    for (enum load_base base = BASE_OTHER; base <= BASE_MOVES; base++) {
        const struct store_load s = {
            .store = widest, .load = widest, .chain = CHAIN_DATA, .base = base, .slow_learning = true};
        double cycles;
        if (!store_load_measure(p, &s, area->at + PLACE, &cycles))
            return false;
        used += (size_t)snprintf(text + used, TEXT - used, "%s%s: %s", used ? "; " : "", said[base],
                                 isnan(cycles)                  ? "not known"
                                 : cycles < w->ways[0].load / 2 ? "yes"
                                                                : "no");
    }
    return true;
}

static bool report_widths(struct probe *p, const struct area *area, const struct widths *w)
{
    char pairs[TEXT] = "", condition[TEXT] = "";
    bool known = true, same = true;
    double count = 0;
    size_t used = 0;

    for (size_t store = 0; store < w->count; store++)
        for (size_t load = 0; load <= store; load++) {
            for (size_t i = 0; i < PATTERNS; i++)
                known &= way_of(&w->ways[i], w->cycles[i][store][load]) != WAY_UNKNOWN ||
                         p->run->config.profile == PROFILE_SMOKE;
            const bool renamed = is_renamed(w, 0, store, load);
            same &= renamed == is_renamed(w, 1, store, load);
            count += renamed;
            if (renamed && used < TEXT)
                used += (size_t)snprintf(pairs + used, TEXT - used, "%s%s->%s", used ? ", " : "", w->all[store]->name,
                                         w->all[load]->name);
        }
    if (is_there(w) && !measure_conditions(p, area, w, condition))
        return false;
    report(p, &(struct finding){.name = "memory.renaming.widths",
                                .value = known && same ? count : (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .grade = known && same ? 'A' : 'U',
                                .reason = !known  ? "not-steady"
                                          : !same ? "experiments-disagree"
                                                  : NULL,
                                .agreement = known && same ? "data and address agree" : NULL,
                                .method = "store and load at one address that take hardly any time",
                                .remarks = {{known && same && used ? "pairs" : NULL, pairs},
                                            {known && same && condition[0] ? "condition" : NULL, condition}}});
    return true;
}

/* ---- How many pairs ------------------------------------------------------------------------------ */

struct row {
    const struct area *area;
    const struct widths *widths;
    int32_t pitch;
    unsigned nop_bytes;
};

static bool build(struct probe *p, double pairs, void *context, struct kernel *k)
{
    const struct row *row = context;
    const struct emit_access *widest = row->widths->all[row->widths->count - 1];
    const struct store_load s = {.store = widest,
                                 .load = widest,
                                 .chain = CHAIN_DATA,
                                 .pairs = (unsigned)pairs,
                                 .pitch = row->pitch,
                                 .nop_bytes = row->nop_bytes,
                                 .slow_learning = true};

    return store_load_kernel(p, &s, row->area->at, k);
}

/* The knee at which renaming ends: below it pairs take less than half of a load, behind it more. */
static size_t end_of_renaming(const struct verdict *v, double load)
{
    size_t knee = 0;

    while (knee < v->count && !(v->knees[knee].before < load / 2 && v->knees[knee].after >= load / 2))
        knee++;
    return knee;
}

static void find_pairs(struct probe *p, const struct area *area, const struct widths *w)
{
    enum { ROWS = 2 };
    struct row rows[ROWS] = {{area, w, 0, 0}, {area, w, PITCH_BYTES, emit_alignment}};
    struct sweep s[ROWS] = {{.name = "one place", .fooled_by = "code addresses"},
                            {.name = "many places", .fooled_by = "code addresses"}};

    for (size_t i = 0; i < ROWS; i++) {
        s[i].axis = "pairs";
        s[i].unit = "cycles/pair";
        s[i].build = build;
        s[i].context = &rows[i];
        s[i].seconds = probe_scale(p, 1, 0.5, 2, 10);
        s[i].search = (struct search){.kind = KNEE_STEP,
                                      .from = GRAIN,
                                      .to = probe_smoke(p, 64, 2048),
                                      .limit = probe_smoke(p, 64, PAIRS_MAXIMUM),
                                      .grain = GRAIN,

                                      .resolution = 0.01,
                                      .halves = true,
                                      .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)};
    }
    if (sweeps_search(p, s, ROWS)) {
        struct find_experiment e[ROWS];
        find_experiments(s, ROWS, e);
        for (size_t i = 0; i < ROWS; i++) {
            e[i].knee = end_of_renaming(&s[i].search.verdict, w->ways[0].load);
            e[i].half = true;
        }
        struct finding f = {
            .name = "memory.renaming.pairs", .reason = "experiments-disagree", .method = "half of the rise"};
        if (find_contradicted(e, ROWS))
            report_number(p, &f, (double)NAN);
        else
            find_capacity(p, &f, e, ROWS, GRAIN);
    }
    sweeps_free(s, ROWS);
}

static void run(struct probe *p)
{
    struct widths w = {.count = 0};
    struct area area;

    for (const struct emit_access *a = emit_accesses; a->name && w.count < WIDTHS; a++)
        if (a->file == ACCESS_GENERAL && a->registers == 1 && !a->streams)
            w.all[w.count++] = a;
    if (!probe_map(p, &area, AREA_BYTES, 0))
        return;
    for (size_t i = 0; i < PATTERNS; i++)
        if (!measure_widths(p, &area, &w, i))
            return;
    if (!report_widths(p, &area, &w))
        return;
    if (is_there(&w) || p->run->config.profile == PROFILE_SMOKE) {
        find_pairs(p, &area, &w);
        return;
    }
    struct find_value none[PATTERNS];
    for (size_t i = 0; i < PATTERNS; i++) {
        const enum way way = way_of(&w.ways[i], w.cycles[i][w.count - 1][w.count - 1]);
        none[i] = (struct find_value){patterns[i].name, patterns[i].fooled_by,
                                      way == WAY_RENAMED || way == WAY_UNKNOWN ? (double)NAN : 0};
    }
    find_number(p,
                &(struct finding){.name = "memory.renaming.pairs",
                                  .reason = "not-steady",
                                  .method = "store and load of the widest at one address take as long as forwarding"},
                none, PATTERNS);
}

PROBE(renaming, .title = "Memory renaming", .family = "memory", .after = "forwarding", .run = run,
      .findings = FINDINGS({"memory.renaming.widths", "pairs",
                            "of how many pairs of widths a store and a load at one address cost nothing"},
                           {"memory.renaming.pairs", "pairs", "stores and loads that are known to belong together"}));
