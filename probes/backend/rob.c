/*
 * Reorder buffer: how many instructions can be in flight, how many share an entry, and in what groups do they enter?
 * (docs/METHODS.md, 6.1)
 *
 * Experiment: two long-latency operations and n fillers between them (lib/structure/inflight.h). While everything fits,
 * both operations are in flight at once. Sequences of fillers differ in what else they occupy:
 *
 *   nop, long-nop   nothing else; but neighbours may share an entry
 *   stores, branches
 *                   mixtures: general and vector registers and some stores, or branches, in turn. Each structure gets
 *                   so few that none is full before the reorder buffer is, and neighbours differ
 *   spaced          the same with half as many writers of registers and NOPs in their place, no two side by side, for
 *                   cores that have fewer registers than two fifths of the reorder buffer's entries
 *   pairs           a load and a store side by side, and eight NOPs. An entry may hold several instructions but one
 *                   access (Johnson 2021, Firestorm): then fewer fit than of NOPs. A queue that holds a tenth of what
 *                   the reorder buffer does is not full before it
 *   every 2, every 3, every 4
 *                   one memory access in so many instructions
 *   zero, move, branch
 *                   one kind alone, which shares no entry with its own kind: other confounders than those of NOPs
 *   registers       each writes a register, of two files in turn: renames in flight may end other sequences of writers
 *                   at the same number
 *
 * Curve: cycles an iteration over n, a jump. Result: the last n before it rises, plus the entries of both operations.
 *
 * Inference: lib/structure/entry_packing.h decides from all sequences how many entries there are and how many
 * instructions share one; lib/structure/entry_positions.h then finds the positions in an entry that accesses and
 * branches may have. Where nothing decides the entries, only how many instructions of each sequence can be in flight is
 * reported.
 *
 * Groups: instructions that are renamed in one cycle may enter together, or not at all. NOPs are put before the first
 * operation, one more at a time: the number of fillers that fit falls by one with each and jumps back when the second
 * operation changes groups. The distance between jumps is the group, the highest number is what fits. On Zen 4 two of
 * six positions give the same number, and only the distance is reported.
 *
 * Method: Wong 2013; Johnson 2021 (groups, one access an entry); mixtures, dilution and kinds are ours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/reason.h"
#include "lib/finding/grade.h"
#include "lib/finding/report.h"
#include "lib/probe/matrix.h"
#include "lib/probe/probe.h"
#include "lib/structure/entry_packing.h"
#include "lib/structure/entry_positions.h"
#include "lib/structure/inflight_limit.h"
#include "lib/structure/inflight_repeat.h"
#include "lib/structure/inflight_search.h"
#include "lib/structure/inflight_start.h"

enum { FIRST_SEQUENCES = 4 /* the only ones that a smoke run measures */ };

#define FILLERS(...) \
    (const char *const[INFLIGHT_KINDS]) \
    { \
        __VA_ARGS__ \
    }

static const struct packing_sequence sequences[PACKING_SEQUENCES] = {
    {"stores", "store queue", PACKING_MIXTURE, 0, FILLERS("int64", "v128", "int64", "v128", "store-64")},
    {"branches", "branches in flight", PACKING_MIXTURE, 0, FILLERS("int64", "v128", "int64", "v128", "branch")},
    {"spaced", "branches in flight", PACKING_MIXTURE, 0, FILLERS("int64", "nop", "v128", "nop", "branch")},
    {"nop", "packing of NOPs", PACKING_NOPS, 0, FILLERS("nop")},
    {"pairs", "queues", PACKING_PAIRS, 0, inflight_pairs},
    {"long-nop", "packing of NOPs", PACKING_NOPS, 0, FILLERS("long-nop")},
    {"every 2", "load queue", PACKING_DILUTED, 2, FILLERS("load-64", "nop", "load-64", "nop", "store-64", "nop")},
    {"every 3", "store queue", PACKING_DILUTED, 3, FILLERS("load-64", "nop", "nop", "store-64", "nop", "nop")},
    /* no two neighbours are NOPs, which may share entries by themselves */
    {"every 4", "registers", PACKING_DILUTED, 4,
     FILLERS("load-64", "int64", "nop", "flags", "store-64", "int64", "nop", "flags")},
    {"zero", "packing of zeros", PACKING_KIND_WRITING, 0, FILLERS("zero")},
    {"registers", "registers", PACKING_WRITERS, 0, inflight_writers},
    {"move", "registers", PACKING_KIND_WRITING, 0, FILLERS("move")},
    {"branch", "branches in flight", PACKING_KIND, 0, FILLERS("branch")},
};

/* ---- Experiments ---------------------------------------------------------------------------------- */

/*
 * Writers are measured as an experiment on general registers, so that long-latency chains that occupy such registers
 * are left out.
 */
static bool measure_sequence(struct probe *p, const struct inflight *l, const struct packing_found *f)
{
    struct inflight_request q = {.inflight = l,
                                 .class = f->sequence->use == PACKING_WRITERS ? FILLER_GENERAL : FILLER_NOTHING,
                                 .to = INFLIGHT_TO,
                                 .limit = INFLIGHT_LIMIT,
                                 .one_is_enough = f->sequence->use != PACKING_NOPS};

    snprintf(q.name, sizeof q.name, "%s", f->sequence->name);
    memcpy(q.fillers, f->sequence->fillers, sizeof q.fillers);
    return inflight_measure(p, &q, f->result);
}

/*
 * One of each use that decide the entries where instructions do not share them: enough where instructions are few. Of
 * the mixtures that with the fewest registers and branches, since store queues are often shorter than a fifth of the
 * buffer.
 */
static bool is_least(const struct packing_sequence *s)
{
    return !strcmp(s->name, "spaced") || s->use == PACKING_PAIRS || (s->use == PACKING_NOPS && !strcmp(s->name, "nop"));
}

static bool measure_all(struct probe *p, const struct inflight *l, struct packing_found *all,
                        struct inflight_result *results)
{
    const bool least = probe_is_simulated(p);
    bool good = true;

    for (size_t i = 0; i < (size_t)probe_smoke(p, FIRST_SEQUENCES, PACKING_SEQUENCES) && good; i++)
        if (!least || is_least(&sequences[i]))
            good = measure_sequence(p, l, &all[i]);
    good = good && inflight_repeat_all(p, results, PACKING_SEQUENCES);
    for (size_t i = 0; i < PACKING_SEQUENCES && good && !probe_is_smoke(p); i++)
        if (sequences[i].use == PACKING_NOPS && (!least || is_least(&sequences[i])))
            good = packing_measure_groups(p, l, &all[i]);
    return good;
}

/* ---- Reports -------------------------------------------------------------------------------------- */

/* The number of a sequence that shows groups is exact; the knee of any other may lie up to a group too low. */
static void report_sequence(struct probe *p, const struct packing_found *f, double group, bool possible)
{
    const bool shows_groups = f->teeth.period > 1;
    struct experiment e[LONG_OPS];
    const size_t count = packing_experiments(f, possible, e);

    if (count)
        inflight_report(p,
                        &(struct finding){.name = "backend.rob.instructions",
                                          .variants = {{"filler", f->sequence->name}},
                                          .method = "two long-latency operations, fillers between them"},
                        shows_groups ? &f->shifted : e, shows_groups ? 1 : count, 1, shows_groups ? 1 : group);
}

static void report_group(struct probe *p, const struct packing_found *all, const struct packing *w)
{
    const bool unknown = packing_is_possible(all) && isnan(w->alone);
    const struct finding f = {.name = "backend.rob.group",
                              .method = "NOPs before two misses, one more at a time",
                              .value = (double)NAN,
                              .low = (double)NAN,
                              .high = (double)NAN,
                              .grade = 'U',
                              .reason = unknown ? REASON_PACKING_UNKNOWN : REASON_NO_PATTERN};
    struct experiment_value v[PACKING_SEQUENCES];
    const size_t count = packing_groups(all, w->alone, v);

    if (count && !unknown)
        report_graded_number(p, &f, v, count);
    else
        report(p, &f);
}

static void report_per_entry(struct probe *p, double per_entry)
{
    report(p, &(struct finding){.name = "backend.rob.per_entry",
                                .method = "NOPs in flight, divided by entries",
                                .value = per_entry,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .grade = isnan(per_entry) ? 'U' : 'C',
                                .reason = isnan(per_entry) ? REASON_PACKING_UNKNOWN : REASON_NONE});
}

static void report_position(struct probe *p, const char *kind, const char *text)
{
    report(p, &(struct finding){.name = "backend.rob.place",
                                .variants = {{"kind", kind}},
                                .value = (double)NAN,
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .text = text,
                                .grade = text ? 'C' : 'U',
                                .reason = text ? REASON_NONE : REASON_AMBIGUOUS,
                                .method = "how many instructions fit with one of these in every few entries"});
}

static void find_positions(struct probe *p, const struct inflight *l, double entries, double per_entry)
{
    struct entry_positions found;

    if (entry_positions_find(p, l, entries, (unsigned)per_entry, &found)) {
        report_position(p, "memory", found.accesses);
        report_position(p, "branches", found.branches);
    }
}

static void send_shifts(struct probe *p, const struct packing_found *all)
{
    double row[PACKING_SEQUENCES], column[INFLIGHT_SHIFTS], cells[PACKING_SEQUENCES * INFLIGHT_SHIFTS];
    struct matrix m = {.name = "groups",
                       .row_axis = "filler",
                       .column_axis = "nops_before",
                       .unit = "fillers that fit",
                       .column_count = INFLIGHT_SHIFTS,
                       .rows = row,
                       .columns = column,
                       .cells = cells,
                       .pitch = INFLIGHT_SHIFTS};

    for (size_t i = 0; i < PACKING_SEQUENCES; i++)
        if (sequences[i].use == PACKING_NOPS) {
            row[m.row_count] = (double)(i + 1);
            memcpy(matrix_cell(&m, m.row_count++, 0), all[i].shifts, sizeof all[i].shifts);
        }
    for (size_t k = 0; k < INFLIGHT_SHIFTS; k++)
        column[k] = (double)k;
    matrix_send(p, &m);
}

static void report_all(struct probe *p, const struct inflight *l, struct packing_found *all)
{
    for (size_t i = 0; i < PACKING_SEQUENCES; i++)
        for (size_t e = 0; e < all[i].result->count; e++)
            all[i].result->experiments[e].holds = inflight_holds(&all[i].result->runs[e], FILLER_NOTHING);
    const struct packing w = packing_decide(all);
    const bool possible = packing_is_possible(all);
    const struct finding entries = {.name = "backend.rob.entries", .method = w.method};

    for (size_t i = 0; i < PACKING_SEQUENCES; i++)
        report_sequence(p, &all[i], possible ? (double)NAN : packing_group(all, (double)NAN), possible);
    if (w.reason)
        inflight_undecided(p, &entries, w.reason);
    else
        inflight_report(p, &entries, w.experiments, w.count, 1, w.group);
    report_group(p, all, &w);
    if (possible)
        report_per_entry(p, w.per_entry);
    send_shifts(p, all);
    if (!isnan(w.per_entry))
        find_positions(p, l, grade_capacity(w.experiments, w.count, 1).value, w.per_entry);
}

static void run(struct probe *p)
{
    struct inflight_result *results = probe_calloc(p, PACKING_SEQUENCES, sizeof *results);
    struct packing_found *all = probe_calloc(p, PACKING_SEQUENCES, sizeof *all);
    struct inflight l;

    for (size_t i = 0; i < PACKING_SEQUENCES && all && results; i++)
        all[i] = (struct packing_found){.sequence = &sequences[i], .result = &results[i]};
    if (results && all && inflight_start(p, &l) && measure_all(p, &l, all, results))
        report_all(p, &l, all);
    for (size_t i = 0; i < PACKING_SEQUENCES && results; i++)
        inflight_free(&results[i]);
    free(results);
    free(all);
}

PROBE(rob, .title = "Reorder buffer", .family = "backend", .after = "cache", .run = run,
      .findings = FINDINGS({"backend.rob.entries", "entries",
                            "instructions that can be in flight, each in an entry; 0: they begin in order"},
                           {"backend.rob.group", "instructions",
                            "instructions that enter the buffer together or not at all; 1: each by itself"},
                           {"backend.rob.per_entry", "instructions",
                            "instructions that share an entry, where several do"},
                           {"backend.rob.place", "place",
                            "where among the instructions of an entry one that accesses memory, or branches, may be"},
                           {"backend.rob.instructions", "instructions",
                            "instructions of one kind that can be in flight, whatever holds them up"}));
