#include "tests/model/prefetchers.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/cache.h"

const char *const prefetcher_switch_names[SWITCHES] = {"neighbours", "stride",  "stream",
                                                       "region",     "repeats", "pointers"};

enum { PAGE = 4096, PAGE_LINES = PAGE / CACHE_LINE_BYTES };

struct list {
    struct prefetched *out; /* one more than PREFETCHES */
    size_t count;
};

static void bring(struct list *l, int64_t address, size_t into)
{
    if (address > 0 && l->count < PREFETCHES)
        l->out[l->count++] = (struct prefetched){.address = (uint64_t)address, .into = into};
}

static bool same_page(int64_t a, int64_t b)
{
    return a / PAGE == b / PAGE;
}

/* The entry of that key; the one that was used longest ago where the table has none. */
static inline void *entry_of(void *table, size_t count, size_t bytes, uint64_t key)
{
    struct entry_id *oldest = table;
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        struct entry_id *id = (struct entry_id *)((char *)table + i * bytes);
        if (id->used && id->key == key)
            return id;
        oldest = id->used < least ? id : oldest;
        least = id->used < least ? id->used : least;
    }
    return oldest;
}

static bool is_known(const struct entry_id *id, uint64_t key)
{
    return id->used && id->key == key;
}

/* Whether the page is none of the last eight; afterwards it is the latest. */
static bool is_new_page(struct prefetchers *p, uint64_t page)
{
    size_t at = 0;

    while (at < 7 && p->pages[at] != page)
        at++;
    const bool new = p->pages[at] != page;
    for (; at > 0; at--)
        p->pages[at] = p->pages[at - 1];
    p->pages[0] = page;
    return new;
}

static void see_neighbours(const struct prefetchers *p, const struct neighbour_design *d, int64_t address,
                           struct list *l)
{
    if (!d->on || (d->first_of_page && !p->new_page))
        return;
    if (d->pair)
        bring(l, address ^ CACHE_LINE_BYTES, d->into);
    for (unsigned i = 1; i <= d->degree && !d->pair; i++)
        if (same_page(address, address + (int64_t)i * CACHE_LINE_BYTES))
            bring(l, address + (int64_t)i * CACHE_LINE_BYTES, d->into);
}

static bool sees(const struct seen_design *d, const struct prefetcher_access *a)
{
    return !(a->hit && d->misses_only) && (!a->store || d->stores);
}

static void see_next(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    see_neighbours(p, &p->design.next, (int64_t)a->address, l);
}

static void see_pair(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    see_neighbours(p, &p->design.pair, (int64_t)a->address, l);
}

static unsigned grown(unsigned loads, unsigned most)
{
    return loads < most ? loads : most;
}

/* A trained entry meets another stride. Returns whether it keeps its own. */
static bool keeps_stride(const struct stride_design *d, struct stride_entry *e)
{
    const bool keeps = d->keeps > 0 && e->same > 0;

    e->same = keeps && e->same > d->keeps ? d->keeps : keeps ? e->same - 1 : 0;
    return keeps;
}

/* Whether it goes on from an address to another one. */
static bool goes_on(const struct stride_design *d, const struct prefetcher_access *a, int64_t to)
{
    if (!d->crosses)
        return same_page((int64_t)a->address, to);
    return !d->within || a->address / a->page_bytes == (uint64_t)to / a->page_bytes;
}

static void see_stride(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    const struct stride_design *d = &p->design.stride;
    const uint64_t key = d->bits ? a->pc & ((UINT64_C(1) << d->bits) - 1) : a->pc;
    const int64_t address = (int64_t)a->address;

    if (!d->entries || !sees(&d->sees, a))
        return;
    struct stride_entry *e = entry_of(p->strides, d->entries, sizeof *e, key);
    if (!is_known(&e->id, key)) {
        *e = (struct stride_entry){.id = {key, p->now}, .last = address};
        return;
    }
    const int64_t unit = d->by_line ? CACHE_LINE_BYTES : 1, stride = address / unit - e->last / unit;
    e->id.used = p->now;
    if (stride == 0)
        return;
    e->last = address;
    if (stride == e->stride)
        e->same += e->same + 2 < d->train + d->spare;
    else if (!keeps_stride(d, e))
        e->stride = stride;
    const int64_t follows = e->stride * unit;
    const int64_t size = follows < 0 ? -follows : follows;
    e->brought = e->same + 2 < d->train ? 0 : e->brought + 1;
    if (!e->brought || size < d->least || size > (int64_t)d->lines * CACHE_LINE_BYTES)
        return;
    for (unsigned i = d->distance - d->degree + 1; i <= d->distance + grown(e->brought - 1, d->grows); i++)
        if (goes_on(d, a, address + i * follows)) {
            const size_t at = l->count;
            bring(l, address + i * follows, d->into);
            l->out[at].by_frame = d->by_frame && l->count > at;
        }
}

static void see_stream(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    const struct stream_design *d = &p->design.stream;
    const int64_t address = (int64_t)a->address, line = address / CACHE_LINE_BYTES;
    const uint64_t page = a->address / PAGE;

    if (!d->entries || !sees(&d->sees, a))
        return;
    struct stream_entry *e = entry_of(p->streams, d->entries, sizeof *e, page);
    if (!is_known(&e->id, page)) {
        *e = (struct stream_entry){.id = {page, p->now}, .last = line, .run = 1};
        return;
    }
    const int64_t step = line - e->last, size = step < 0 ? -step : step;
    const int direction = step < 0 ? -1 : 1;
    e->id.used = p->now;
    if (step == 0)
        return;
    e->run = size > d->gap ? 1 : direction == e->direction || e->run == 1 ? e->run + 1 : 2;
    e->direction = direction;
    e->last = line;
    if (e->run < d->train || (direction < 0 && !d->down))
        return;
    for (unsigned i = d->distance - d->degree + 1; i <= d->distance + grown(e->run - d->train, d->grows); i++) {
        const int64_t to = address + direction * (int64_t)i * CACHE_LINE_BYTES;
        if (same_page(address, to))
            bring(l, to, d->into);
    }
}

/* Whether a line is remembered with the first access to its region. */
static bool is_remembered(const struct region_design *d, uint64_t line, uint64_t first)
{
    return (!d->before && !d->behind) || (line + d->before >= first && line <= first + d->behind);
}

/* Brings the lines of a pattern into the region that begins to be accessed at `line`. */
static void bring_pattern(const struct region_design *d, const struct region_entry *o, uint64_t region, uint64_t line,
                          struct list *l)
{
    const int64_t away = d->before || d->behind ? (int64_t)line - (int64_t)o->first : 0;
    const int64_t lines = (int64_t)d->bytes / CACHE_LINE_BYTES;

    for (int64_t i = 0; i < lines; i++)
        if (o->lines >> i & 1 && i + away != (int64_t)line && i + away >= 0 && i + away < lines)
            bring(l, ((int64_t)region * lines + i + away) * CACHE_LINE_BYTES, d->into);
}

/* A region that is recorded ends when another one needs its entry: its lines are a pattern then. */
static void see_region(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    const struct region_design *d = &p->design.region;

    if (!d->bytes)
        return;
    const uint64_t region = a->address / d->bytes, line = a->address % d->bytes / CACHE_LINE_BYTES;
    struct region_entry *e = entry_of(p->active, d->active, sizeof *e, region), *pattern;
    if (is_known(&e->id, region)) {
        e->id.used = p->now;
        e->lines |= (uint64_t)is_remembered(d, line, e->first) << line;
        return;
    }
    if (e->id.used) {
        pattern = entry_of(p->patterns, PREFETCH_ENTRIES, sizeof *pattern, e->key);
        *pattern = *e;
        pattern->id = (struct entry_id){e->key, p->now};
    }
    const uint64_t key = (d->key == BY_OFFSET ? 0 : a->pc * PAGE_LINES) + (d->key == BY_INSTRUCTION ? 0 : line);
    *e = (struct region_entry){.id = {region, p->now}, .key = key, .lines = UINT64_C(1) << line, .first = line};
    pattern = entry_of(p->patterns, PREFETCH_ENTRIES, sizeof *pattern, key);
    if (is_known(&pattern->id, key))
        bring_pattern(d, pattern, region, line, l);
}

static void see_deltas(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    const struct delta_design *d = &p->design.deltas;
    const int64_t address = (int64_t)a->address, line = address / CACHE_LINE_BYTES;

    if (!d->deltas)
        return;
    struct delta_entry *e = entry_of(p->deltas, PREFETCH_ENTRIES, sizeof *e, a->pc);
    if (!is_known(&e->id, a->pc)) {
        *e = (struct delta_entry){.id = {a->pc, p->now}, .last = line};
        return;
    }
    e->id.used = p->now;
    if (line == e->last)
        return;
    memmove(e->deltas + 1, e->deltas, (PREFETCH_DELTAS - 1) * sizeof e->deltas[0]);
    e->deltas[0] = line - e->last;
    e->last = line;
    e->count += e->count < d->deltas;
    for (unsigned at = 1; at + d->match <= e->count; at++) {
        if (memcmp(e->deltas, e->deltas + at, d->match * sizeof e->deltas[0]) != 0)
            continue;
        int64_t to = line;
        for (unsigned i = 1; i <= d->degree && i <= at; i++) {
            to += e->deltas[at - i];
            if (same_page(address, to * CACHE_LINE_BYTES))
                bring(l, to * CACHE_LINE_BYTES, d->into);
        }
        return;
    }
}

/* What is remembered of that line; else an entry that another one may have, or that is too old. */
static struct successor *successor_of(struct prefetchers *p, uint64_t line, bool *known)
{
    const struct replay_design *d = &p->design.replay;
    /* few entries that lines share by a hash; else so many that those which are loaded hardly share any */
    const uint64_t at = d->entries ? (line * UINT64_C(0x9e3779b97f4a7c15) >> 32) % d->entries
                                   : line % PREFETCH_SUCCESSORS;
    struct successor *s = &p->successors[at];

    *known = s->line == line && (!d->history || p->loads - s->at <= d->history);
    return s;
}

static void see_replay(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    uint64_t line = a->address / CACHE_LINE_BYTES;
    bool known;

    if (!p->successors || line == p->last_line)
        return;
    p->loads++;
    struct successor *s = successor_of(p, p->last_line, &known);
    const unsigned seen = known && s->next == line ? s->seen + 1 : 1;
    *s = (struct successor){p->last_line, line, p->loads, seen};
    p->last_line = line;
    for (unsigned i = 0; i < p->design.replay.degree; i++) {
        s = successor_of(p, line, &known);
        if (!known || s->seen < p->design.replay.seen)
            return;
        line = s->next;
        bring(l, (int64_t)(line * CACHE_LINE_BYTES), p->design.replay.into);
    }
}

/* Brings the line that a pointer leads to, and those that the pointers in it lead to, and so on. */
static void follow(const struct pointer_design *d, const struct prefetcher_access *a, uint64_t to, unsigned levels,
                   struct list *l)
{
    const uint64_t address = ~(UINT64_C(0xffff) << 48), line = (to & address) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;

    if (!to || to & d->heeded)
        return;
    to &= address;
    bring(l, (int64_t)to, d->into);
    if (levels > 1 && !d->lines)
        follow(d, a, a->word(a->memory, to), levels - 1, l);
    for (uint64_t i = 0; i < CACHE_LINE_BYTES && levels > 1 && d->lines; i += sizeof i)
        follow(d, a, a->word(a->memory, line + i), levels - 1, l);
}

/* The array that the load instruction reads; NULL: none is known. */
static struct pointer_entry *array_of(struct prefetchers *p, uint64_t pc)
{
    for (size_t i = 0; i < PREFETCH_ARRAYS; i++)
        if (p->pointers[i].pc == pc)
            return &p->pointers[i];
    return NULL;
}

/* A load's value is a pointer that is followed where the next load is of its line. */
static void see_pointers(struct prefetchers *p, const struct prefetcher_access *a, struct list *l)
{
    const struct pointer_design *d = &p->design.pointers;
    struct pointer_entry *latest = &p->latest;
    enum { WORD = 8 };

    if (!d->train || !a->word)
        return;
    for (uint64_t i = 0; i < CACHE_LINE_BYTES && d->lines; i += WORD)
        follow(d, a, a->word(a->memory, a->address / CACHE_LINE_BYTES * CACHE_LINE_BYTES + i), d->levels, l);
    if (latest->value && latest->value / CACHE_LINE_BYTES == a->address / CACHE_LINE_BYTES) {
        struct pointer_entry *e = array_of(p, latest->pc);
        const unsigned followed = e && latest->address == e->address + WORD ? e->followed + 1 : 1;
        e = e ? e : &p->pointers[p->next_pointer++ % PREFETCH_ARRAYS];
        *e = *latest;
        e->followed = followed;
    }
    *latest = (struct pointer_entry){a->pc, a->address, a->word(a->memory, a->address), 0};
    const struct pointer_entry *array = array_of(p, a->pc);
    if (d->lines || !array || array->followed < d->train || a->address != array->address + WORD)
        return;
    for (unsigned i = 1; i <= d->ahead; i++)
        follow(d, a, a->word(a->memory, a->address + i * WORD), d->levels, l);
}

void prefetchers_start(struct prefetchers *p, const struct prefetcher_design *design)
{
    *p = (struct prefetchers){.design = *design,
                              .any = design->next.on || design->pair.on || design->stride.entries ||
                                     design->stream.entries || design->region.bytes || design->deltas.deltas ||
                                     design->replay.degree || design->pointers.train};
    if (design->replay.degree)
        p->successors = calloc(PREFETCH_SUCCESSORS, sizeof *p->successors);
}

void prefetchers_stop(struct prefetchers *p)
{
    free(p->successors);
}

static bool is_on(const struct prefetchers *p, enum prefetcher_switch which)
{
    return !(p->off >> which & 1);
}

/* A kind that is throttled brings only the first lines of what it added to the list. */
static void throttle(const struct throttle_design *d, enum prefetcher_switch which, const struct prefetcher_access *a,
                     size_t before, struct list *l)
{
    if (d->under_way && d->kinds >> which & 1 && a->under_way >= d->under_way && l->count > before + d->leaves)
        l->count = before + d->leaves;
}

size_t prefetchers_see(struct prefetchers *p, const struct prefetcher_access *a, struct prefetched *out)
{
    static const struct {
        enum prefetcher_switch which;
        bool stores; /* it may see them */
        void (*see)(struct prefetchers *p, const struct prefetcher_access *a, struct list *l);
    } kinds[] = {{SWITCH_STRIDE, true, see_stride},    {SWITCH_STREAM, true, see_stream},
                 {SWITCH_NEIGHBOURS, false, see_next}, {SWITCH_NEIGHBOURS, false, see_pair},
                 {SWITCH_REGION, false, see_region},   {SWITCH_REPEATS, false, see_deltas},
                 {SWITCH_REPEATS, false, see_replay},  {SWITCH_POINTERS, false, see_pointers}};
    struct list l = {.out = out};

    p->now++;
    if (!a->store)
        p->new_page = is_new_page(p, a->address / PAGE);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t before = l.count;
        if (!is_on(p, kinds[i].which) || (a->store && !kinds[i].stores))
            continue;
        kinds[i].see(p, a, &l);
        throttle(&p->design.throttle, kinds[i].which, a, before, &l);
    }
    return l.count;
}
