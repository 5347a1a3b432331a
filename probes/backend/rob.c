/*
 * Reorder buffer: how many instructions can be in flight at once?
 *
 * Two long operations, and n fillers between them (lib/lookahead.h). While all of them fit, both operations are under way
 * at the same time.
 *
 *   nop, long-nop   hold nothing else; but two of them may share an entry
 *   stores, branches
 *                   general and vector registers and some stores, or branches, in turn: so many things are held that none
 *                   is full before the buffer is, and neighbours that differ are not easily made one
 *   zero            for the record: registers that are cleared when they are renamed
 *
 * Curve: cycles an iteration over n. Answer: the last n before it rises, and what the long operations hold themselves.
 *
 * The verdict is what mixtures and NOPs agree on. Where only NOPs are decided it could be twice the buffer, and where the
 * two differ either may be packed or held up: then nothing is told but how many instructions of each there can be.
 * Method: Wong 2013; mixtures are ours.
 */
#include "lib/find.h"
#include "lib/lookahead.h"
#include "lib/probe.h"

enum { ROWS = 5, TO = 640, LIMIT = 2560 };

static const struct {
    const char *name, *fooled_by;
    bool verdict, mixed; /* counts for the verdict */
    const char *fillers[LOOKAHEAD_MIX];
} rows[ROWS] = {
    {"stores", "store queue", true, true, {"int64", "v128", "int64", "v128", "store-64"}},
    {"branches", "branches in flight", true, true, {"int64", "v128", "int64", "v128", "branch"}},
    {"nop", "packing of NOPs", true, false, {"nop"}},
    {"long-nop", "packing of NOPs", true, false, {"long-nop"}},
    {"zero", "packing of zeros", false, false, {"zero"}},
};

/* False where this core lacks one of them. */
static bool choose(struct lookahead_row *r, size_t row)
{
    for (size_t i = 0; i < LOOKAHEAD_MIX && rows[row].fillers[i]; i++) {
        r->fillers[i] = emit_filler_named(rows[row].fillers[i]);
        if (!lookahead_runs(r->fillers[i]))
            return false;
    }
    return true;
}

static void report_row(struct probe *p, const char *name, const struct find_experiment *e, size_t count)
{
    if (count)
        find_capacity(p,
                      &(struct finding){.name = "backend.rob.instructions",
                                        .variants = {{"filler", name}},
                                        .method = "two long operations, fillers between them"},
                      e, count, 1);
}

static bool decided(const struct find_experiment *e)
{
    return !e->verdict->reason && e->knee < e->verdict->count;
}

static void report_entries(struct probe *p, const struct find_experiment *e, size_t count, size_t mixed)
{
    const struct finding f = {.name = "backend.rob.entries",
                              .method = "instructions in flight, mixtures and NOPs",
                              .limits = {{"backend.store_queue.entries", "", 1}}};
    bool mixtures = false, others = false;

    for (size_t i = 0; i < count; i++) {
        mixtures |= i < mixed && decided(&e[i]);
        others |= i >= mixed && decided(&e[i]);
    }
    if (mixtures && others)
        lookahead_report(p, &f, e, count);
    else
        lookahead_undecided(p, &f,
                            others     ? "packing-unknown"
                            : mixtures ? "one-kind-of-filler"
                            : count    ? "no-knee"
                                       : "blockers-do-not-overlap");
}

static void run(struct probe *p)
{
    struct lookahead_row row[ROWS * BLOCKERS];
    struct sweep s[ROWS * BLOCKERS];
    struct find_experiment all[ROWS * BLOCKERS], verdict[ROWS * BLOCKERS];
    struct lookahead with;
    size_t used = 0, count = 0, mixed = 0;
    bool good = lookahead_start(p, &with);

    for (size_t i = 0; i < ROWS && good; i++) {
        const size_t first = used;
        for (enum blocker b = 0; b < BLOCKERS && good; b++) {
            struct lookahead_row *r = &row[used];
            *r = (struct lookahead_row){.with = &with, .blocker = b};
            if (with.unfit[b] || !choose(r, i))
                continue;
            s[used] = lookahead_sweep(p, r, rows[i].name, TO, LIMIT, probe_scale(p, 1, 0.35, 1.4, 8));
            good = sweep_search(p, &s[used]);
            all[used] = (struct find_experiment){.name = r->name,
                                                 .fooled_by = s[used].fooled_by,
                                                 .verdict = &s[used].search.verdict,
                                                 .holds = lookahead_holds(r, FILLER_NOTHING)};
            verdict[count] = all[used];
            verdict[count].fooled_by = rows[i].fooled_by;
            count += rows[i].verdict;
            mixed += rows[i].mixed;
            used++;
        }
        if (good)
            report_row(p, rows[i].name, &all[first], used - first);
    }
    if (good)
        report_entries(p, verdict, count, mixed);
    sweeps_free(s, used);
}

PROBE(rob, .title = "Reorder buffer", .family = "backend", .after = "cache", .run = run,
      .findings = FINDINGS({"backend.rob.entries", "entries", "instructions that can be in flight, each in an entry"},
                           {"backend.rob.instructions", "instructions",
                            "instructions of one kind that can be in flight, whatever holds them up"}));
