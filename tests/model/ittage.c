#include "tests/model/ittage.h"

#include <stdlib.h>

#include "tests/model/changes.h"

enum { CONFIDENCE_MOST = 3, USEFUL_MOST = 3, BASE_MOST = 65536, AGING = 8192 /* as in tage.c */ };

struct entry {
    uint64_t target;
    uint16_t tag;
    uint8_t confidence; /* of 0, another target replaces this one */
    uint8_t useful;
    bool valid;
};

struct ittage {
    struct ittage_design design;
    struct entry entries[TAGE_TABLES][TAGE_ENTRIES], base[BASE_MOST];
    unsigned predictions; /* since entries aged */
};

struct ittage *ittage_new(const struct ittage_design *d)
{
    struct ittage *t = d->tables.tables ? calloc(1, sizeof *t) : NULL;

    if (d->tables.tables &&
        (!t || d->tables.ways << d->tables.index_bits > TAGE_ENTRIES || 1u << d->tables.base_bits > BASE_MOST))
        abort();
    if (t)
        t->design = *d;
    return t;
}

void ittage_free(struct ittage *t)
{
    free(t);
}

static struct entry *find(struct entry *set, unsigned ways, uint16_t tag)
{
    for (unsigned way = 0; way < ways; way++)
        if (set[way].valid && set[way].tag == tag)
            return &set[way];
    return NULL;
}

static void learn(struct entry *e, uint64_t target, bool latest)
{
    if (e->target == target && e->confidence < CONFIDENCE_MOST)
        e->confidence++;
    else if (e->target != target && e->confidence && !latest)
        e->confidence--;
    else if (e->target != target)
        *e = (struct entry){.target = target, .tag = e->tag, .useful = e->useful, .valid = true};
}

/* In the shortest of the tables from `from` on with an entry that is not useful; where none is, these age. */
static void allocate(struct ittage *t, struct entry *sets[TAGE_TABLES], const uint16_t tags[TAGE_TABLES], unsigned from,
                     uint64_t target)
{
    const struct tage_design *d = &t->design.tables;

    for (unsigned table = from; table < d->tables; table++)
        for (unsigned way = 0; way < d->ways; way++)
            if (!sets[table][way].useful) {
                sets[table][way] = (struct entry){.target = target, .tag = tags[table], .valid = true};
                return;
            }
    for (unsigned table = from; table < d->tables; table++)
        for (unsigned way = 0; way < d->ways; way++)
            sets[table][way].useful--;
}

static void age(struct ittage *t)
{
    const struct tage_design *d = &t->design.tables;

    t->predictions = 0;
    for (unsigned table = 0; table < d->tables; table++)
        for (unsigned i = 0; i < d->ways << d->index_bits; i++)
            t->entries[table][i].useful /= 2;
}

bool ittage_predict(struct ittage *t, const struct history *h, uint64_t pc, uint64_t target)
{
    const struct tage_design *d = &t->design.tables;
    struct entry *base = &t->base[(pc >> d->base_low) & ((1u << d->base_bits) - 1)];
    struct entry *sets[TAGE_TABLES], *provider = base, *other = base;
    uint16_t tags[TAGE_TABLES];
    unsigned longer = 0;

    for (unsigned table = 0; table < d->tables; table++) {
        sets[table] = &t->entries[table][tage_set(d, h, table, pc, &tags[table])];
        struct entry *e = find(sets[table], d->ways, tags[table]);
        if (!e)
            continue;
        other = provider;
        provider = e;
        longer = table + 1;
    }
    const bool right = provider->target == target, without = other->target == target;

    if (provider != base && right != without) {
        if (right && provider->useful < USEFUL_MOST)
            provider->useful++;
        if (without && provider->useful)
            provider->useful--;
    }
    if (provider != base && t->design.latest)
        learn(base, target, true);
    learn(provider, target, provider == base && t->design.latest);
    changes.other = true;
    if (++t->predictions == AGING)
        age(t);
    if (!right)
        allocate(t, sets, tags, longer, target);
    return right;
}
