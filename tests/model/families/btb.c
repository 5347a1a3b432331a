#include "tests/model/families/btb.h"

#include <stdlib.h>

enum { LINE_BITS = 6, SLOTS = 2, WARM = 2 };

struct entry {
    uint64_t key;             /* what lookups compare */
    uint64_t branches[SLOTS]; /* whole addresses, which say whose target it is; 0: empty */
    uint64_t used;            /* time of the last use; 0: the entry is empty */
};

struct state {
    const struct table *table;
    struct entry *entries;
    uint64_t now;
};

enum outcome { HIT, WRONG, MISS };

double table_capacity(const struct table *t)
{
    return (double)(((size_t)t->ways << t->set_bits) * (t->block ? SLOTS : 1));
}

static uint64_t bits(uint64_t x, unsigned low, unsigned count)
{
    return (x >> low) & ((UINT64_C(1) << count) - 1);
}

static uint64_t set_of(const struct table *t, uint64_t address)
{
    uint64_t index = bits(address, t->low, t->set_bits);

    if (t->index == INDEX_FOLDED)
        return index ^ bits(address, t->low + t->set_bits, t->set_bits);
    if (t->index == INDEX_HASHED) /* the finaliser of MurmurHash3 (Appleby) */
        return bits(((address >> t->low) * 0xff51afd7ed558ccd >> 29) * 0xc4ceb9fe1a85ec53, 20, t->set_bits);
    return index;
}

/*
 * What lookups compare: the bits below the index, and tag_bits above it. All bits, where the index is not plain bits
 * of the address.
 */
static uint64_t key_of(const struct table *t, uint64_t address)
{
    uint64_t block = address >> t->block << t->block;

    if (t->tag_bits == 0 || t->index != INDEX_PLAIN)
        return block;
    return bits(block, 0, t->low + t->set_bits + t->tag_bits);
}

/* The slot of an entry that matches this branch; SLOTS for none. Two branches at one offset of their blocks alias. */
static unsigned slot_of(const struct table *t, const struct entry *e, uint64_t branch)
{
    unsigned slots = t->block ? SLOTS : 1;

    for (unsigned i = 0; i < slots; i++)
        if (e->branches[i] && (!t->block || bits(e->branches[i] ^ branch, 0, t->block) == 0))
            return i;
    return SLOTS;
}

/* Looks a branch up in a level, and trains the level. */
static enum outcome look_up(struct state *s, uint64_t branch)
{
    const struct table *t = s->table;
    struct entry *set = &s->entries[set_of(t, branch) * t->ways], *victim = set;
    uint64_t key = key_of(t, branch), oldest = UINT64_MAX;

    s->now++;
    for (unsigned w = 0; w < t->ways; w++) {
        struct entry *e = &set[w];
        if (!e->used || e->key != key)
            continue;
        unsigned slot = slot_of(t, e, branch);
        if (slot == SLOTS)
            continue;
        enum outcome outcome = e->branches[slot] == branch ? HIT : WRONG;
        e->branches[slot] = branch;
        e->used = s->now;
        return outcome;
    }
    for (unsigned w = 0; w < t->ways; w++) {
        struct entry *e = &set[w];
        if (t->block && e->used && e->key == key && !e->branches[SLOTS - 1]) {
            e->branches[SLOTS - 1] = branch;
            e->used = s->now;
            return MISS;
        }
        victim = e->used < oldest ? e : victim;
        oldest = e->used < oldest ? e->used : oldest;
    }
    *victim = (struct entry){.key = key, .branches = {branch}, .used = s->now};
    return MISS;
}

static struct state state_of(const struct table *t)
{
    struct entry *entries = calloc((size_t)t->ways << t->set_bits, sizeof *entries);

    if (t->ways && !entries)
        abort();
    return (struct state){.table = t, .entries = entries};
}

double btb_cycles(const struct btb *b, size_t count, unsigned stride_bits, size_t *deepest)
{
    struct state levels[BTB_LEVELS], l1i = state_of(&b->l1i);
    double cycles = 0;
    size_t most = 0;

    for (size_t i = 0; i < b->count; i++)
        levels[i] = state_of(&b->levels[i]);
    for (unsigned pass = 0; pass <= WARM; pass++) {
        cycles = 0;
        most = 0;
        for (size_t n = 0; n < count; n++) {
            uint64_t branch = b->base + ((uint64_t)n << stride_bits);
            size_t found = b->count;
            bool wrong = false;
            for (size_t i = 0; i < b->count && !(b->lazy && found < b->count); i++) {
                enum outcome o = look_up(&levels[i], branch);
                if (found == b->count && !wrong && o == HIT)
                    found = i;
                wrong |= found == b->count && o == WRONG;
            }
            cycles += found < b->count ? b->levels[found].cycles : wrong ? b->wrong : b->fallback;
            if (b->l1i.ways && look_up(&l1i, branch >> LINE_BITS << LINE_BITS) != HIT)
                cycles += b->l1i.cycles;
            most = found > most ? found : most;
        }
    }
    for (size_t i = 0; i < b->count; i++)
        free(levels[i].entries);
    free(l1i.entries);
    if (deepest)
        *deepest = most;
    return cycles / (double)count;
}
