/*
 * Queues: how many loads, stores and branches can be in flight at once?
 *
 * Two long operations, and n loads, stores or branches between them (lib/lookahead.h). All of them are done soon, and wait
 * for the first long operation to be done before they may leave in order. While they fit, both long operations are under
 * way at the same time.
 *
 *   loads      of general registers and of vectors: where a register is what they run out of, the two differ
 *   stores     of each width
 *   branches   never taken; and always
 *
 * Curve: cycles an iteration over n. Answer: the last n before it rises, and the long operations themselves where they
 * are loads. Loads whose entry is given back once they are done, before they leave, have no knee of their own, or a
 * larger one where nothing but arithmetic is waited for. A knee where the reorder buffer, or registers, end is theirs.
 * Method: Wong 2013; Johnson 2021, Firestorm.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/find.h"
#include "lib/lookahead.h"
#include "lib/probe.h"

enum { TO = 256, LIMIT = 1024 };

static const struct {
    const char *name, *finding, *key, *text; /* and its variant; */
    unsigned width;                          /* or this, where `key` is NULL */
    const char *filler;
    enum filler_class class;
    const char *writes; /* class of registers, as a finding's variants */
} rows[] = {
    {"loads of 64 bits", "backend.load_queue.entries", NULL, NULL, 64, "load-64", FILLER_LOAD, "class=int64"},
    {"loads of 128 bits", "backend.load_queue.entries", NULL, NULL, 128, "load-v128", FILLER_LOAD,
     "class=vector width=128"},
    {"loads of 512 bits", "backend.load_queue.entries", NULL, NULL, 512, "load-v512", FILLER_LOAD,
     "class=vector width=512"},
    {"stores of 64 bits", "backend.store_queue.entries", NULL, NULL, 64, "store-64", FILLER_STORE, NULL},
    {"stores of 128 bits", "backend.store_queue.entries", NULL, NULL, 128, "store-v128", FILLER_STORE, NULL},
    {"stores of 512 bits", "backend.store_queue.entries", NULL, NULL, 512, "store-v512", FILLER_STORE, NULL},
    {"branches", "backend.branches_in_flight.entries", "branch", "not-taken", 0, "branch", FILLER_BRANCH, NULL},
    {"jumps", "backend.branches_in_flight.entries", "branch", "taken", 0, "jump", FILLER_JUMP, NULL},
};

/* Each load writes a register of that class, too. Where that is not known, nothing says that it is not the limit. */
static bool is_register_limit(const struct probe *p, const struct lookahead *with, const char *class,
                              const struct lookahead_answer *a)
{
    const double registers = facts_number(&p->run->facts, "backend.registers.entries", class, (double)NAN);

    return lookahead_same(with, lookahead_fillers(a), registers);
}

static void run(struct probe *p)
{
    struct lookahead with;
    double nops;
    bool good = lookahead_start(p, &with) && lookahead_nops(p, &with, &nops);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && good; i++) {
        const char *const fillers[LOOKAHEAD_MIX] = {rows[i].filler};
        struct lookahead_answer a;
        if (!lookahead_runs(emit_filler_named(rows[i].filler)))
            continue;
        good = lookahead_search(p, &with, rows[i].name, fillers, rows[i].class, TO, LIMIT,
                                probe_scale(p, 1, 0.25, 0.8, 5), &a);
        struct finding f = {.name = rows[i].finding, .method = "two long operations, and these between them"};
        if (rows[i].key)
            f.variants[0].key = rows[i].key, f.variants[0].text = rows[i].text;
        else
            f.variants[0].key = "width", f.variants[0].number = rows[i].width;
        if (good && isnan(nops))
            lookahead_undecided(p, &f, "reorder-buffer-unknown");
        else if (good && lookahead_same(&with, lookahead_fillers(&a), nops))
            lookahead_undecided(p, &f, "masked-by:backend.rob.entries");
        else if (good && rows[i].class == FILLER_LOAD && is_register_limit(p, &with, rows[i].writes, &a))
            lookahead_undecided(p, &f, "masked-by:backend.registers.entries");
        else if (good)
            lookahead_report(p, &f, a.experiments, a.count);
        lookahead_free(&a);
    }
}

PROBE(queues, .title = "Load and store queues, branches in flight", .family = "backend", .after = "registers",
      .run = run,
      .findings = FINDINGS({"backend.load_queue.entries", "entries", "loads that can be in flight"},
                           {"backend.store_queue.entries", "entries", "stores that can be in flight"},
                           {"backend.branches_in_flight.entries", "entries", "branches that can be in flight"}));
