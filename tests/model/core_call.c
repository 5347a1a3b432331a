/*
 * Calls of kernels on a modelled core: those whose outcome is known (repeats.h) are not executed again, except for some
 * that prove it.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/changes.h"
#include "tests/model/core_state.h"

/* Keeps what nearly every call changes (tests/model/changes.h). */
static void save(struct core *c)
{
    changes_save(&c->before, offsetof(struct core, loop) - offsetof(struct core, before));
    if (c->design.loop_ops) /* else it counts on, and nobody asks */
        changes_save(&c->loop, sizeof c->loop);
    predictor_save(&c->predictor);
    if (c->design.addresses.loads)
        changes_save(&c->addresses, sizeof c->addresses);
    if (c->design.values.loads)
        changes_save(&c->values, sizeof c->values);
    if (c->stores)
        stores_save(c->stores);
    for (size_t i = 0; i < TARGET_LEVELS && c->design.targets[i].ways; i++)
        changes_save(&c->targets[i], sizeof c->targets[i]);
}

static struct core_counts grown(const struct core_counts *from, const struct core_counts *by, double factor)
{
    return (struct core_counts){.instructions = from->instructions + factor * by->instructions,
                                .mispredicts = from->mispredicts + factor * by->mispredicts,
                                .return_mispredicts = from->return_mispredicts + factor * by->return_mispredicts,
                                .l1i_misses = from->l1i_misses + factor * by->l1i_misses,
                                .replayed = from->replayed + factor * by->replayed};
}

static void prove(const struct repeat *known, const struct repeat *now, bool same)
{
    if (same && known->cycles == now->cycles && !memcmp(&known->counts, &now->counts, sizeof now->counts))
        return;
    fprintf(stderr, "# the model took %g cycles for a call that takes %g\n", now->cycles, known->cycles);
    abort();
}

/* Of calls whose outcome is known, one in that many is executed to prove it; with LONG, each. */
static const unsigned PROVED_ONE_IN = 64;

double core_call(struct core *c, uint64_t entry, const uint64_t arguments[2], struct window_result *result)
{
    if (c->sharing || c->watch || c->prefetchers.any || c->design.dram || c->design.nodes) { /* these see each access */
        changes.other = true;
        return core_execute(c, entry, arguments, result);
    }
    struct repeat *known = repeats_find(&c->repeats, entry, arguments);
    if (known && ++c->repeats.found % PROVED_ONE_IN && !getenv("LONG")) {
        c->counts = grown(&c->counts, &known->counts, 1);
        predictor_add(&c->predictor, known->added, known->outcomes);
        return known->cycles;
    }
    const struct core_counts before = c->counts;
    const uint64_t outcomes = c->predictor.outcomes;
    struct repeat now = {.entry = entry, .arguments = {arguments[0], arguments[1]}};
    changes_begin();
    save(c);
    now.cycles = core_execute(c, entry, arguments, result);
    now.counts = grown(&c->counts, &before, -1);
    now.added = c->predictor.added;
    now.outcomes = c->predictor.outcomes;
    changes.other |= c->predictor.asked && outcomes != now.outcomes;
    const bool same = changes_end() && result->end == WINDOW_RAN;
    if (known)
        prove(known, &now, same);
    else if (same)
        repeats_learn(&c->repeats, &now);
    return now.cycles;
}

double core_time(const struct core *c)
{
    return later(c->front, later(c->latest, c->retired));
}
