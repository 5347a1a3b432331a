/*
 * Reorder buffer: how many instructions can be in flight at once?
 *
 * Two long operations, and n fillers between them (lib/kernels/lookahead.h). While all of them fit, both operations are under way
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
 * two differ, either may be packed or held up: then nothing is told but how many instructions of each there can be.
 * Method: Wong 2013; mixtures are ours.
 */
#include <stdlib.h>

#include "lib/find.h"
#include "lib/kernels/lookahead.h"
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

static void report_row(struct probe *p, const char *name, const struct find_experiment *e, size_t count)
{
    if (count)
        lookahead_report(p,
                         &(struct finding){.name = "backend.rob.instructions",
                                           .variants = {{"filler", name}},
                                           .method = "two long operations, fillers between them"},
                         e, count, 1);
}

/* Mixtures, the first `mixed` experiments, and NOPs must say the same, each by themselves. */
static void report_entries(struct probe *p, const struct find_experiment *e, size_t count, size_t mixed)
{
    const struct finding f = {.name = "backend.rob.entries", .method = "instructions in flight, mixtures and NOPs"};
    const struct find_result mixtures = find_decide(e, mixed, 1), nops = find_decide(&e[mixed], count - mixed, 1);

    if (count == 0)
        lookahead_undecided(p, &f, "blockers-do-not-overlap");
    else if (nops.grade == 'U')
        lookahead_undecided(p, &f, nops.reason);
    else if (mixtures.grade == 'U')
        lookahead_undecided(p, &f, "packing-unknown");
    else if (!lookahead_same(mixtures.value, nops.value))
        lookahead_undecided(p, &f, "experiments-disagree");
    else
        lookahead_report(p, &f, e, count, 1);
}

static void run(struct probe *p)
{
    struct lookahead_answer *answers = calloc(ROWS, sizeof *answers);
    struct find_experiment verdict[ROWS * BLOCKERS];
    struct lookahead with;
    size_t count = 0, mixed = 0;
    bool good = answers && lookahead_start(p, &with);

    for (size_t i = 0; i < ROWS && good; i++) {
        struct lookahead_answer *a = &answers[i];
        good = lookahead_search(p, &with, rows[i].name, rows[i].fillers, FILLER_NOTHING, TO, LIMIT,
                                probe_scale(p, 1, 0.35, 1.4, 8), a);
        for (size_t e = 0; e < a->count && rows[i].verdict; e++) {
            verdict[count] = a->experiments[e];
            verdict[count++].fooled_by = rows[i].fooled_by;
            mixed += rows[i].mixed;
        }
        if (good)
            report_row(p, rows[i].name, a->experiments, a->count);
    }
    if (good)
        report_entries(p, verdict, count, mixed);
    for (size_t i = 0; i < ROWS && answers; i++)
        lookahead_free(&answers[i]);
    free(answers);
}

PROBE(rob, .title = "Reorder buffer", .family = "backend", .after = "cache", .run = run,
      .findings = FINDINGS({"backend.rob.entries", "entries", "instructions that can be in flight, each in an entry"},
                           {"backend.rob.instructions", "instructions",
                            "instructions of one kind that can be in flight, whatever holds them up"}));
