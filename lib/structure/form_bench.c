#include "lib/structure/form_bench.h"

#include <string.h>

#include "lib/base/random.h"
#include "lib/kernels/forms.h"
#include "lib/structure/mixes.h"

enum {
    SLOTS = 200, /* instances and blockers in an iteration, about: the loop around them is a small part */
    SMOKE_SLOTS = 32,
    GROUPS_LEAST = 4,
    BLANK_COUNTS = 3
};

_Static_assert((size_t)BLOCKERS == PORTS_CLASSES + 1, "a class has no blocker");

/* What a group is made of, in this order: the instance first, then all blockers, each kind spread evenly. */
static size_t make_group(const struct form_units_mix *m, uint8_t *group)
{
    size_t count = 0, blockers = 0;

    if (m->instance)
        group[count++] = BLOCKED_INSTANCE;
    for (size_t i = 0; i < BLOCKERS; i++)
        blockers += m->times[i];
    mixes_spread(m->times, BLOCKERS, group + count, blockers);
    return count + blockers;
}

/*
 * Orders: instances and blockers as evenly as they go; then, in turn, with no, one or two slots without a unit more in
 * every second group, so that instances are in even and odd slots of the front end, the same and at random.
 */
static void make_order(struct form_bench *b, const struct form_units_mix *m, struct blocked_order *o)
{
    uint8_t group[BLOCKED_SLOTS];
    const size_t of_group = make_group(m, group), slots = (size_t)probe_smoke(b->probe, SMOKE_SLOTS, SLOTS);
    const size_t wanted = of_group && slots / of_group > GROUPS_LEAST ? slots / of_group : GROUPS_LEAST;
    const size_t blanks = m->order % BLANK_COUNTS;

    o->all = b->blockers;
    for (o->groups = 0; o->groups < wanted && o->count + of_group + blanks < BLOCKED_SLOTS; o->groups++) {
        memcpy(o->slots + o->count, group, of_group);
        o->count += of_group;
        for (size_t i = 0; i < blanks && o->groups % 2; i++)
            o->slots[o->count++] = FORM_UNITS_BLANK;
    }
    if (m->order >= BLANK_COUNTS)
        random_shuffle(o->slots, o->count, sizeof o->slots[0], &b->probe->random);
}

bool form_bench_measure(void *bench, const struct form_units_mix *m, bool quick, double *cycles)
{
    struct form_bench *b = bench;
    struct blocked_order order = {.count = 0};
    struct form_kernel w = {.form = b->form, .from = FORM_NO_CHAIN, .to = FORM_NO_CHAIN, .blocked = &order};
    struct kernel k;
    struct point pt;

    make_order(b, m, &order);
    b->why.reason = form_kernel_make(b->probe, &w, b->data.at, &k);
    if (b->why.reason)
        return false;
    if (quick)
        return probe_quick_sample(b->probe, &k, &b->iterations, cycles);
    if (!probe_measure(b->probe, &k, &pt))
        return false;
    *cycles = pt.q20;
    return true;
}
