#include "tests/model/cache.h"

#include <stdlib.h>
#include <string.h>

#include "lib/structure/replacement.h"
#include "tests/model/changes.h"

struct cache cache_new(size_t bytes, size_t ways)
{
    return cache_with_lines(bytes, ways, CACHE_LINE_BYTES);
}

struct cache cache_with_lines(size_t bytes, size_t ways, size_t line_bytes)
{
    struct cache c = {.ways = ways, .line_bytes = line_bytes, .line_bits = (unsigned)__builtin_ctzll(line_bytes)};

    if (!ways)
        return c;
    c.sets = bytes / line_bytes / ways;
    c.lines = calloc(c.sets * ways, sizeof *c.lines);
    c.kept = calloc(c.sets, sizeof *c.kept);
    if (!c.lines || !c.kept || !c.sets || (c.sets & (c.sets - 1)))
        abort();
    return c;
}

/* The policy of that name, which is kept for the whole run. */
static const struct replacement_policy *policy_of(unsigned ways, const char *name)
{
    enum { KEPT = 64 };
    static struct {
        unsigned ways;
        struct replacement_policy policy;
    } kept[KEPT];
    size_t i = 0;

    while (i < KEPT && kept[i].ways && (kept[i].ways != ways || strcmp(kept[i].policy.name, name) != 0))
        i++;
    if (i == KEPT || (!kept[i].ways && !replacement_named(ways, name, &kept[i].policy)))
        abort();
    kept[i].ways = ways;
    return &kept[i].policy;
}

void cache_replace_by(struct cache *c, const char *policy)
{
    const struct replacement_policy *p = policy_of((unsigned)c->ways, policy);

    c->others = calloc(c->sets, sizeof *c->others);
    if (!c->others)
        abort();
    for (size_t i = 0; i < c->sets; i++)
        replacement_start(&c->others[i], p, (unsigned)c->ways, i + 1);
}

void cache_duel(struct cache *c, const char *second, size_t apart, bool scattered)
{
    c->duel = calloc(1, sizeof *c->duel);
    if (!c->duel || !c->others)
        abort();
    *c->duel = (struct cache_duel){.apart = apart, .scattered = scattered};
    c->duel->policies[0] = c->others[0].policy;
    c->duel->policies[1] = policy_of((unsigned)c->ways, second);
}

int cache_leads(const struct cache_duel *d, size_t set)
{
    const size_t within = set % d->apart, which = d->scattered ? set / d->apart % d->apart : 0;

    return within == which ? 0 : within == d->apart - 1 - which ? 1 : CACHE_DUELISTS;
}

/*
 * An access to a set of such a cache: a miss in a leader set counts against its policy (Qureshi et al. 2007), and other
 * sets have the policy that fewer misses count against. The policies of a pair have the same kind of state.
 */
static bool touch_duelling(struct cache *c, size_t set, uint64_t line)
{
    struct cache_duel *d = c->duel;
    const int leads = cache_leads(d, set), policy = leads < CACHE_DUELISTS ? leads : d->selector > 0;

    c->others[set].policy = d->policies[policy];
    const bool hit = replacement_touch(&c->others[set], line);
    const int selector = d->selector + (hit || leads == CACHE_DUELISTS ? 0 : leads ? -1 : 1);
    if (selector != d->selector && abs(selector) <= CACHE_SELECTOR) {
        changes.other = true;
        d->selector = selector;
    }
    return hit;
}

/* Sets the bits of all sets again where this access finds none in its own. */
static void renew_together(struct cache *c, size_t set, uint64_t line)
{
    if (!replacement_exhausts(&c->others[set], line))
        return;
    for (size_t i = 0; i < c->sets; i++) {
        changes_keep(&c->others[i], sizeof c->others[i], &c->kept[i]);
        replacement_renew(&c->others[i]);
    }
}

void cache_free(struct cache *c)
{
    free(c->lines);
    free(c->others);
    free(c->kept);
    free(c->duel);
    *c = (struct cache){0};
}

size_t cache_bytes(const struct cache *c)
{
    return c->sets * c->ways * c->line_bytes;
}

static size_t set_of(const struct cache *c, uint64_t line)
{
    const int bits = __builtin_ctzll(c->sets);
    uint64_t set = line;

    if (c->hashed)
        for (uint64_t rest = line >> bits; rest; rest >>= bits)
            set ^= rest >> c->plain_bits << c->plain_bits;
    return set & (c->sets - 1);
}

void cache_prefetch(const struct cache *c, uint64_t address)
{
    const size_t few = 4096; /* lines: this computer has so small a cache near anyway */

    if (c->sets * c->ways < few || c->others)
        return;
    const uint64_t *set = c->lines + set_of(c, address >> c->line_bits) * c->ways;
    __builtin_prefetch(set, 1);
    __builtin_prefetch(set + c->ways - 1, 1);
}

bool cache_touch(struct cache *c, uint64_t address)
{
    if (!c->ways)
        return false;
    uint64_t line = address >> c->line_bits;
    c->evicted = 0;
    const size_t index = set_of(c, line);
    if (c->others) {
        changes_keep(&c->others[index], sizeof c->others[index], &c->kept[index]);
        if (c->renewed_together)
            renew_together(c, index, line);
        return c->duel ? touch_duelling(c, index, line) : replacement_touch(&c->others[index], line);
    }
    uint64_t *set = c->lines + index * c->ways, newer = line;

    if (set[0] == line)
        return true;
    changes_keep(set, c->ways * sizeof *set, &c->kept[index]);
    /* moves the lines that were used later than this one back by one */
    for (size_t way = 0; way < c->ways; way++) {
        const uint64_t here = set[way];
        set[way] = newer;
        if (here == line)
            return true;
        newer = here;
    }
    c->evicted = newer * c->line_bytes;
    return false;
}

bool cache_has(const struct cache *c, uint64_t address)
{
    const uint64_t line = address >> c->line_bits;
    const size_t set = set_of(c, line);
    const uint64_t *lines = c->others ? c->others[set].block : c->lines + set * c->ways;
    size_t way = 0;

    while (way < c->ways && lines[way] != line)
        way++;
    return way < c->ways;
}

bool cache_remove(struct cache *c, uint64_t address)
{
    const uint64_t line = address >> c->line_bits;
    const size_t index = set_of(c, line);
    uint64_t *set = c->lines + index * c->ways;
    size_t way = 0;

    while (way < c->ways && set[way] != line)
        way++;
    if (way == c->ways)
        return false;
    changes_keep(set, c->ways * sizeof *set, &c->kept[index]);
    memmove(set + way, set + way + 1, (c->ways - way - 1) * sizeof *set);
    set[c->ways - 1] = 0;
    return true;
}
