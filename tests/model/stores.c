#include "tests/model/stores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/changes.h"

enum { ENTRIES = 64 }; /* all older stores are in the cache */

struct entry {
    uint64_t address;
    size_t size;
    unsigned base, data;                 /* registers, */
    uint32_t base_written, data_written; /* and how many times each of them was written before */
    bool base_constant;                  /* the base register was not written since the store before */
    double address_known, data_known, in_cache;
};

/* Loads by their own address, the latest first. */
struct recent {
    uint64_t pc[RENAMED_MAXIMUM];
    size_t count, room;
};

struct stores {
    struct store_design design;
    size_t line_bytes;
    const uint32_t *written;       /* how many times each register was written */
    struct entry entries[ENTRIES]; /* a ring */
    size_t count;                  /* of all stores so far */
    struct recent renamed, tracked;
    uint8_t counters[COUNTERS_MAXIMUM];
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* True where the load is there. Then, or with `put`, it becomes the latest. */
static bool recent_touch(struct recent *r, uint64_t pc, bool put)
{
    size_t i = 0;

    while (i < r->count && r->pc[i] != pc)
        i++;
    const bool found = i < r->count;
    if (!found && !put)
        return false;
    if (!found && r->count < r->room)
        i = r->count++;
    else if (!found)
        i = r->room - 1;
    memmove(r->pc + 1, r->pc, i * sizeof r->pc[0]);
    r->pc[0] = pc;
    return found;
}

struct stores *stores_new(const struct store_design *design, size_t line_bytes, const uint32_t *written)
{
    struct stores *s = calloc(1, sizeof *s);

    if (!s || design->renamed_pairs > RENAMED_MAXIMUM || design->tracked > RENAMED_MAXIMUM ||
        (COUNTERS_MAXIMUM >> design->counter_bits) == 0)
        abort();
    s->design = *design;
    s->line_bytes = line_bytes;
    s->written = written;
    s->renamed.room = design->renamed_pairs;
    s->tracked.room = design->tracked;
    return s;
}

void stores_free(struct stores *s)
{
    free(s);
}

static void recent_save(const struct recent *r)
{
    changes_save(r->pc, r->room * sizeof r->pc[0]);
    changes_save(&r->count, sizeof r->count);
}

void stores_save(const struct stores *s)
{
    recent_save(&s->renamed);
    recent_save(&s->tracked);
    changes_save(s->counters, sizeof s->counters);
}

void stores_done(struct stores *s)
{
    s->count = 0;
}

void stores_add(struct stores *s, uint64_t address, size_t size, unsigned base, unsigned data, double address_known,
                double data_known, double older_done)
{
    const struct entry *last = s->count ? &s->entries[(s->count - 1) % ENTRIES] : NULL;
    const double done = later(later(address_known, data_known), older_done);
    const struct entry e = {.address = address,
                            .size = size,
                            .base = base,
                            .data = data,
                            .base_written = s->written[base],
                            .data_written = s->written[data],
                            .base_constant = last && last->base == base && last->base_written == s->written[base],
                            .address_known = address_known,
                            .data_known = data_known,
                            .in_cache = later(last ? last->in_cache : 0, done) + 1};

    s->entries[s->count++ % ENTRIES] = e;
}

static bool overlap(const struct entry *e, uint64_t address, size_t size)
{
    return e->address < address + size && address < e->address + e->size;
}

/* The youngest store of any of these bytes that is not in the cache at `when`; NULL where there is none. */
static const struct entry *youngest(const struct stores *s, uint64_t address, size_t size, double when)
{
    for (size_t i = s->count; i-- > 0 && s->count - i <= ENTRIES;) {
        const struct entry *e = &s->entries[i % ENTRIES];
        if (overlap(e, address, size) && e->in_cache > when)
            return e;
    }
    return NULL;
}

/* ---- Forwarding ----------------------------------------------------------------------------------- */

/* Where the bytes of a load come from: the number of stores that are not in the cache, and of bytes that none has. */
struct sources {
    unsigned stores, bytes_left;
    double data_known, in_cache; /* of the last of these stores */
};

static struct sources sources_of(const struct stores *s, uint64_t address, size_t size, double when)
{
    const struct entry *of[64] = {NULL};
    struct sources all = {0};

    for (size_t byte = 0; byte < size && byte < 64; byte++) {
        bool seen = false;
        of[byte] = youngest(s, address + byte, 1, when);
        for (size_t i = 0; i < byte; i++)
            seen |= of[i] == of[byte];
        if (!of[byte]) {
            all.bytes_left++;
            continue;
        }
        all.stores += !seen;
        all.data_known = later(all.data_known, of[byte]->data_known);
        all.in_cache = later(all.in_cache, of[byte]->in_cache);
    }
    return all;
}

static bool may_forward(const struct store_design *d, const struct sources *all, const struct entry *e,
                        uint64_t address, size_t size)
{
    if (all->stores > (d->gathered ? d->gathered : 1))
        return false;
    switch (d->rule) {
    case FORWARD_CONTAINED: return all->bytes_left == 0;
    case FORWARD_ANY: return true;
    case FORWARD_SAME: return e->address == address && size <= e->size;
    }
    return false;
}

/* Whether a store older than e, to the same bytes, is not in the cache at `when`. */
static bool older_store(const struct stores *s, const struct entry *e, double when)
{
    for (size_t i = s->count; i-- > 0 && s->count - i <= ENTRIES;) {
        const struct entry *o = &s->entries[i % ENTRIES];
        if (o != e && o->address == e->address && o->size == e->size && o->in_cache > when)
            return true;
    }
    return false;
}

/* When a load is done for which store e is the youngest, all addresses being known at `when`. */
static double forward(const struct stores *s, const struct entry *e, uint64_t address, size_t size, double when,
                      double cache)
{
    const struct store_design *d = &s->design;
    const struct sources all = sources_of(s, address, size, when);
    const bool crosses = address / s->line_bytes != (address + size - 1) / s->line_bytes;

    const bool elsewhere = e->address != address && when > all.data_known;

    if (may_forward(d, &all, e, address, size))
        return later(when, all.data_known) + d->cycles + (crosses ? d->across : 0) + (elsewhere ? d->elsewhere : 0) +
               (all.stores > 1 ? (all.stores - 1) * d->each : 0) +
               (all.stores == 1 && older_store(s, e, later(when, all.data_known)) ? d->older : 0);
    return later(when, all.in_cache) + cache + d->blocked;
}

/* ---- Renaming and prediction ------------------------------------------------------------------------ */

/* Whether the registers of a store and a load with that base register are as the design wants them. */
static bool registers_allow(const struct stores *s, const struct entry *e, unsigned base)
{
    const struct store_design *d = &s->design;

    return !(d->renames_same_base && base != e->base) &&
           !(d->renames_base_kept && s->written[e->base] != e->base_written) &&
           !(d->renames_base_constant && (s->written[e->base] != e->base_written || !e->base_constant)) &&
           !(d->renames_data_kept && s->written[e->data] != e->data_written);
}

/* A load is renamed when it could have been before, too. */
static bool is_renamed(struct stores *s, uint64_t pc, const struct entry *e, uint64_t address, size_t size,
                       unsigned base)
{
    const enum rename_rule rule = s->design.renames;
    const bool may_cross = s->design.renames_lines || address / s->line_bytes == (address + size - 1) / s->line_bytes;
    const bool could_be = e && e->address == address && may_cross && registers_allow(s, e, base) &&
                          (rule == RENAME_EQUAL ? size == e->size : rule == RENAME_CONTAINED && size <= e->size);

    return could_be && recent_touch(&s->renamed, pc, true);
}

static uint8_t *counter_of(struct stores *s, uint64_t pc)
{
    return &s->counters[pc >> s->design.counter_low_bit & ((1U << s->design.counter_bits) - 1)];
}

/* Whether the load waits until the addresses of all older stores are known. */
static bool waits(struct stores *s, uint64_t pc)
{
    if (s->design.tracked)
        return recent_touch(&s->tracked, pc, false);
    return s->design.counter_bits && *counter_of(s, pc) < s->design.free_after;
}

/* The load depended on an older store, or did not: the predictor learns. */
static void learn(struct stores *s, uint64_t pc, bool depends)
{
    if (s->design.tracked && depends)
        recent_touch(&s->tracked, pc, true);
    if (!s->design.counter_bits)
        return;
    uint8_t *counter = counter_of(s, pc);
    *counter = depends ? 0 : (uint8_t)(*counter < s->design.free_after ? *counter + 1 : *counter);
}

static double all_addresses_known(const struct stores *s)
{
    double known = 0;

    for (size_t i = s->count; i-- > 0 && s->count - i <= ENTRIES;)
        known = later(known, s->entries[i % ENTRIES].address_known);
    return known;
}

double stores_load(struct stores *s, uint64_t pc, uint64_t address, size_t size, unsigned base, double front,
                   double start, double cache, double *again)
{
    const struct entry *e = youngest(s, address, size, start);
    const bool knows = !s->design.tracked && !s->design.counter_bits;
    const bool depends = e && e->address_known > start;

    *again = 0;
    if (s->design.renames != RENAME_NONE && is_renamed(s, pc, e, address, size, base))
        return later(front, e->data_known);
    const bool waited = waits(s, pc);
    learn(s, pc, depends);
    if (depends && !knows && !waited) {
        *again = e->address_known + s->design.violation;
        e = youngest(s, address, size, *again);
        return e ? forward(s, e, address, size, *again, cache) : *again + cache;
    }
    /* a tracked load waits for the store that it needs, others for all stores */
    const double known = knows || s->design.tracked ? (depends ? e->address_known : 0)
                         : waited                   ? all_addresses_known(s)
                                                    : 0;
    const double when = later(start, known);
    e = youngest(s, address, size, when);
    return e ? forward(s, e, address, size, when, cache) : when + cache;
}
