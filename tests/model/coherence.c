#include "tests/model/coherence.h"

#include <stdlib.h>

enum { LINES_BITS = 18, LINES = 1 << LINES_BITS };
static const unsigned NOBODY = ~0u;

/* A line that no core has is absent, or has no holders. */
struct held {
    uint64_t line;    /* 0: this place is free */
    uint32_t holders; /* a bit for each core */
    unsigned owner;   /* the core that answers for it: it has it modified, owned or exclusive; or NOBODY */
    bool modified;
};

struct coherence {
    struct coherence_design design;
    struct held lines[LINES]; /* open addressing */
    size_t used;
};

struct coherence *coherence_new(const struct coherence_design *design)
{
    struct coherence *c = calloc(1, sizeof *c);

    if (!c || design->cores > COHERENT_CORES)
        abort();
    c->design = *design;
    return c;
}

void coherence_free(struct coherence *c)
{
    free(c);
}

double coherence_distance(const struct coherence_design *d, unsigned one, unsigned other)
{
    double cycles = 0;

    for (size_t i = COHERENT_GROUPS; i-- > 0;)
        if (d->groups[i].cores && one / d->groups[i].cores == other / d->groups[i].cores)
            cycles = d->groups[i].cycles;
    return one == other ? 0 : cycles;
}

static struct held *find(struct coherence *c, uint64_t line)
{
    size_t i = line * 0x9e3779b97f4a7c15 >> (64 - LINES_BITS);

    while (c->lines[i].line && c->lines[i].line != line)
        i = (i + 1) % LINES;
    if (!c->lines[i].line) {
        if (++c->used == LINES)
            abort();
        c->lines[i] = (struct held){.line = line, .owner = NOBODY};
    }
    return &c->lines[i];
}

/* From the farthest of the cores that have it. */
static double farthest(const struct coherence *c, unsigned core, uint32_t holders)
{
    double most = 0;

    for (unsigned i = 0; i < c->design.cores; i++)
        if (holders >> i & 1 && coherence_distance(&c->design, core, i) > most)
            most = coherence_distance(&c->design, core, i);
    return most;
}

static double load(struct coherence *c, unsigned core, struct held *h)
{
    const uint32_t others = h->holders & ~(UINT32_C(1) << core);
    const bool from_owner = h->owner != NOBODY && h->modified;
    double cycles = 0;

    if (h->holders >> core & 1)
        return 0;
    if (others)
        cycles = from_owner ? coherence_distance(&c->design, core, h->owner)
                            : farthest(c, core, others) * c->design.clean_part;
    h->holders |= UINT32_C(1) << core;
    if (!others) {
        h->owner = core;
        h->modified = false;
    } else if (from_owner && c->design.migrates) {
        h->owner = core;
        h->holders = UINT32_C(1) << core;
    } else if (!from_owner || !c->design.owned) {
        h->owner = NOBODY;
        h->modified = false;
    }
    return cycles;
}

static double store(struct coherence *c, unsigned core, struct held *h)
{
    const uint32_t mine = UINT32_C(1) << core, others = h->holders & ~mine;
    double cycles = farthest(c, core, others);

    if (h->holders & mine) /* the line is here: only copies are removed */
        cycles *= c->design.upgrade_part;
    *h = (struct held){.line = h->line, .holders = mine, .owner = core, .modified = true};
    return cycles;
}

double coherence_access(struct coherence *c, unsigned core, uint64_t line, bool stores)
{
    struct held *h = find(c, line);

    return stores ? store(c, core, h) : load(c, core, h);
}

void coherence_flush(struct coherence *c, uint64_t line)
{
    struct held *h = find(c, line);

    *h = (struct held){.line = h->line, .owner = NOBODY};
}

/* What memory does for a line, in lines that are loaded: one that is stored to is written back as well. */
static double weight(const struct coherence_design *d, const struct coherence_traffic *t)
{
    return 1 + d->store_weight * (double)t->stores / (double)t->block;
}

double coherence_stream(const struct coherence_design *d, const struct coherence_traffic *t)
{
    const double full = 0.97, most = full * d->most_lines / weight(d, t);
    const double lines = t->cores / (d->stream_cycles + (double)t->pause * d->pause_cycles / (double)t->block);

    return lines < most || t->bytes <= d->cached_bytes ? lines : most;
}

double coherence_wait(const struct coherence_design *d, const struct coherence_traffic *t)
{
    const double lines = coherence_stream(d, t) * weight(d, t);

    return t->bytes <= d->cached_bytes ? 0 : d->load_cycles * lines / (d->most_lines - lines);
}

double coherence_turn(const struct coherence_design *d, unsigned cores)
{
    double cycles = d->held * (d->first_holds + (cores - 1) * d->others_hold);

    for (unsigned i = 0; i < cores; i++)
        cycles += coherence_distance(d, i, (i + 1) % cores);
    return cycles;
}
