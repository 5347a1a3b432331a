/*
 * Memory renaming: which loads get their value from a store without accessing memory at all, as if both were moves of
 * registers? For which widths, under which conditions, and how many pairs of a store and a load does the core remember?
 *
 * Chains of a store and a load at the same address (lib/kernels/store_load.h), in which the loaded value is stored next:
 * one that stays the same, and one that an addition in the chain changes each time. A pair that is renamed takes hardly
 * any time in either chain: no cache and no forwarding is that fast. Predicted values would look the same, but only in
 * the first chain. A chain through the load's address would not do: there the load cannot have the store's base
 * register, by which some cores recognise a pair.
 *
 * Conditions, tried on pairs of the widest accesses (lib/structure/renaming_conditions.h): the load has another base
 * register than the store, of the same value; the base register moves on by a line behind each pair; between store and
 * load an instruction changes it, or the register that was stored; both cross a line, or a page. Each is tried with a
 * value that stays the same and with one that changes.
 *
 * Pairs: the code has a growing number of them, all at one address, or each at an address of its own and the code a
 * little more spread. Curve: cycles per pair, level while all are remembered, then a rise to the cycles of forwarding.
 * Where the core keeps a pair depends on the addresses of its code, so some pairs replace each other before all entries
 * are in use: the value is the middle of the rise, its interval the whole rise, and both experiments share that
 * confounder. A rise that does not end at the cycles of forwarding has another cause and is not used.
 *
 * Method: docs/METHODS.md, 7.16. jia.je 2024 and 2026, pairs of widths on Golden Cove and Redwood Cove. Two chains, the
 * conditions and the number of pairs are ours.
 */
#include <math.h>
#include <stdio.h>

#include "lib/base/reason.h"
#include "lib/base/statistics.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/kernels/store_load.h"
#include "lib/probe/probe.h"
#include "lib/probe/sweep.h"
#include "lib/structure/forwarding_reference.h"
#include "lib/structure/renaming_conditions.h"
#include "lib/structure/tolerances_memory.h"

enum {
    WIDTHS = 4,
    PATTERNS = 2,
    AREA_BYTES = 1 << 17, /* room for PAIRS_MAXIMUM pairs of 64 bits, and */
    MIDDLE = 1 << 16,     /* for pairs at the border of two pages and addresses that move */
    PLACE = 512,          /* bytes from its beginning to the pairs whose cycles are compared */
    PAIRS_MAXIMUM = 4088, /* an AArch64 access of 64 bits reaches 4095 words from its base register */
    PITCH_BYTES = 8,      /* between pairs that have addresses of their own */
    GRAIN = 8,            /* pairs from point to point of the curve */
    TEXT = 128
};

static const struct {
    const char *name, *confounder;
    bool changing;
} patterns[PATTERNS] = {{"constant value", "values that are predicted", false}, {"changing value", "arithmetic", true}};

/* Pairs at one address, of every two widths of which the load is not wider than the store. */
struct widths {
    const struct emit_access *all[WIDTHS];
    size_t count;
    double cycles[PATTERNS][WIDTHS][WIDTHS]; /* by pattern, store and load; NaN: no result */
    struct forwarding_paths paths[PATTERNS];
};

static bool measure_widths(struct probe *p, const struct area *area, struct widths *w, size_t pattern)
{
    const unsigned step = (unsigned)probe_smoke(p, 3, 1); /* smoke: only the narrowest and the widest */
    double sorted[WIDTHS * WIDTHS];
    size_t n = 0;

    const struct store_load chain = {
        .chain = THROUGH_DATA, .changing = patterns[pattern].changing, .long_training = true};

    if (!forwarding_references(p, &chain, area->at + PLACE, &w->paths[pattern]))
        return false;
    for (size_t store = 0; store < w->count; store++)
        for (size_t load = 0; load <= store; load++) {
            struct store_load s = chain;
            s.store = w->all[store];
            s.load = w->all[load];
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
    forwarding_paths_decide(&w->paths[pattern], sorted, n);
    return true;
}

static bool is_renamed(const struct widths *w, size_t pattern, size_t store, size_t load)
{
    return forwarding_path_of(&w->paths[pattern], w->cycles[pattern][store][load]) == PATH_RENAMED;
}

/* Whether the core renames: both chains of the widest must show it. */
static bool renaming_present(const struct widths *w)
{
    return is_renamed(w, 0, w->count - 1, w->count - 1) && is_renamed(w, 1, w->count - 1, w->count - 1);
}

/* Under which conditions loads of the widest are still renamed. */
static bool find_conditions(struct probe *p, const struct area *area, const struct widths *w)
{
    struct renaming_conditions r = {.load = w->paths[0].load};

    if (!renaming_conditions_measure(p, w->all[w->count - 1], area->at + MIDDLE, &r))
        return false;
    for (enum renaming_condition c = RENAMING_OTHER_BASE; c < RENAMING_CONDITIONS; c++) {
        const enum renaming_answer answer = renaming_condition_decide(&r, c);
        const bool known = answer == RENAMING_YES || answer == RENAMING_NO;
        report(p, &(struct finding){.name = "memory.renaming.condition",
                                    .variants = {{"circumstance", renaming_condition_names[c]}},
                                    .value = (double)NAN,
                                    .text = !known                   ? NULL
                                            : answer == RENAMING_YES ? "renamed"
                                                                     : "not renamed",
                                    .low = (double)NAN,
                                    .high = (double)NAN,
                                    .grade = known ? 'A' : 'U',
                                    .reason = known                        ? REASON_NONE
                                              : answer == RENAMING_UNKNOWN ? REASON_NOT_STEADY
                                                                           : REASON_EXPERIMENTS_DISAGREE,
                                    .agreement = known ? "constant and changing values agree" : NULL,
                                    .method = "store and load of the widest register that take hardly any time",
                                    .curves = {"conditions"}});
    }
    return true;
}

static void report_widths(struct probe *p, const struct widths *w)
{
    char pairs[TEXT] = "";
    bool known = true, same = true;
    double count = 0;
    size_t used = 0;

    for (size_t store = 0; store < w->count; store++)
        for (size_t load = 0; load <= store; load++) {
            for (size_t i = 0; i < PATTERNS; i++)
                known &= forwarding_path_of(&w->paths[i], w->cycles[i][store][load]) != PATH_UNKNOWN ||
                         probe_is_smoke(p);
            const bool renamed = is_renamed(w, 0, store, load);
            same &= renamed == is_renamed(w, 1, store, load);
            count += renamed;
            if (renamed && used < TEXT)
                used += (size_t)snprintf(pairs + used, TEXT - used, "%s%s->%s", used ? ", " : "", w->all[store]->name,
                                         w->all[load]->name);
        }
    report(p, &(struct finding){.name = "memory.renaming.widths",
                                .value = known && same ? count : (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .grade = known && same ? 'A' : 'U',
                                .reason = !known  ? REASON_NOT_STEADY
                                          : !same ? REASON_EXPERIMENTS_DISAGREE
                                                  : REASON_NONE,
                                .agreement = known && same ? "constant and changing values agree" : NULL,
                                .method = "store and load at one address that take hardly any time",
                                .remarks = {{known && same && used ? "pairs" : NULL, pairs}}});
}

/* ---- How many pairs ------------------------------------------------------------------------------ */

struct pairs {
    const struct area *area;
    const struct widths *widths;
    int32_t pitch;
    unsigned nop_bytes;
};

static bool build(struct probe *p, double count, void *context, struct kernel *k)
{
    const struct pairs *pairs = context;
    const struct emit_access *widest = pairs->widths->all[pairs->widths->count - 1];
    const struct store_load s = {.store = widest,
                                 .load = widest,
                                 .chain = THROUGH_DATA,
                                 .pairs = (unsigned)count,
                                 .pitch = pairs->pitch,
                                 .nop_bytes = pairs->nop_bytes,
                                 .long_training = true};

    return store_load_kernel(p, &s, pairs->area->at, k);
}

/* The knee at which renaming ends: before it a pair takes less than half of a load, behind it more. */
static size_t end_of_renaming(const struct verdict *v, double load)
{
    size_t knee = 0;

    while (knee < v->count &&
           !(v->knees[knee].before < RENAMED_PART_ALONE * load && v->knees[knee].after >= RENAMED_PART_ALONE * load))
        knee++;
    return knee;
}

static void find_pairs(struct probe *p, const struct area *area, const struct widths *w)
{
    enum { PLACES = 2 }; /* one, and many */
    struct pairs all[PLACES] = {{area, w, 0, 0}, {area, w, PITCH_BYTES, emit_alignment}};
    struct sweep s[PLACES] = {{.name = "one place", .confounder = "code addresses"},
                              {.name = "many places", .confounder = "code addresses"}};

    for (size_t i = 0; i < PLACES; i++) {
        s[i].axis = "pairs";
        s[i].unit = "cycles/pair";
        s[i].build = build;
        s[i].context = &all[i];
        s[i].seconds = probe_scale(p, 1, 0.5, 2, 10);
        s[i].search = (struct search){.kind = KNEE_STEP,
                                      .from = GRAIN,
                                      .to = probe_smoke(p, 64, 2048),
                                      .limit = probe_smoke(p, 64, PAIRS_MAXIMUM),
                                      .step = GRAIN,
                                      .resolution = 0.01,
                                      .narrow_half_rise = true,
                                      .per_octave = (unsigned)probe_scale(p, 1, 4, 4, 8)};
    }
    if (sweeps_search(p, s, PLACES)) {
        struct experiment e[PLACES];
        experiments_of_sweeps(s, PLACES, e);
        for (size_t i = 0; i < PLACES; i++) {
            e[i].knee = end_of_renaming(&s[i].search.verdict, w->paths[0].load);
            e[i].half = true;
        }
        struct finding f = {
            .name = "memory.renaming.pairs", .reason = REASON_EXPERIMENTS_DISAGREE, .method = "half of the rise"};
        if (experiments_contradict(e, PLACES))
            report_number(p, &f, (double)NAN);
        else
            report_capacity(p, &f, e, PLACES, GRAIN);
    }
    sweeps_free(s, PLACES);
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
    report_widths(p, &w);
    if (renaming_present(&w) || probe_is_smoke(p)) {
        if (find_conditions(p, &area, &w))
            find_pairs(p, &area, &w);
        return;
    }
    struct experiment_value none[PATTERNS];
    for (size_t i = 0; i < PATTERNS; i++) {
        const enum forwarding_path path = forwarding_path_of(&w.paths[i], w.cycles[i][w.count - 1][w.count - 1]);
        none[i] = (struct experiment_value){patterns[i].name, patterns[i].confounder,
                                            path == PATH_RENAMED || path == PATH_UNKNOWN ? (double)NAN : 0};
    }
    report_graded_number(
        p,
        &(struct finding){.name = "memory.renaming.pairs",
                          .reason = REASON_NOT_STEADY,
                          .method = "store and load of the widest at one address take as long as forwarding"},
        none, PATTERNS);
}

PROBE(renaming, .title = "Memory renaming", .family = "memory", .after = "forwarding", .run = run,
      .findings = FINDINGS({"memory.renaming.widths", "pairs",
                            "number of pairs of widths of which a store and a load at one address cost nothing"},
                           {"memory.renaming.condition", "condition",
                            "whether a load is still renamed where its address or registers differ in some way"},
                           {"memory.renaming.pairs", "pairs",
                            "pairs of a store and a load that are remembered at once"}));
