/* What accesses to data take in a modelled core: TLBs, caches, stores in flight, and prediction of loads. */
#include <string.h>

#include "tests/model/core_state.h"

/* ---- Translation --------------------------------------------------------------------------------- */

bool table_touch(struct cache *table, uint64_t number)
{
    return cache_touch(table, (number + table->sets) * CACHE_LINE_BYTES); /* never 0 */
}

/*
 * The number of the TLB entry that translates an address: of its page, or of the group of pages that one entry covers.
 */
static uint64_t entry_of(const struct core *c, const struct page_design *d, const struct mapping *m, uint64_t address)
{
    const uint64_t page = address / m->page_bytes, first = page - page % (d->neighbours ? d->neighbours : 1);
    const uint64_t at = m->at / m->page_bytes, end = at + m->count / m->page_bytes;
    const uint64_t block = (uintptr_t)(m->written ? m->written : m->bytes) / m->page_bytes;
    const uint64_t entries_of_groups = (uint64_t)1 << 52; /* no page has such a number */

    if (m->hint && d->hinted)
        return page / d->hinted | entries_of_groups;
    if (d->neighbours < 2 || !c->design.contiguous || first < at || first + d->neighbours > end)
        return page;
    const uint64_t frame = block + frame_offset(m, first * m->page_bytes) / m->page_bytes;
    for (uint64_t i = 0; i < d->neighbours; i++)
        if (frame % d->neighbours != 0 ||
            block + frame_offset(m, (first + i) * m->page_bytes) / m->page_bytes != frame + i)
            return page;
    return first / d->neighbours | entries_of_groups;
}

/* What one level adds: its miss cost, unless the entry is resident. Afterwards it is. */
static double translation_level(const struct core *c, struct cache *level, const struct page_design *d,
                                const struct mapping *m, uint64_t address, bool *resident)
{
    const uint64_t entry = entry_of(c, d, m, address), above = entry / d->sets;

    *resident = table_touch(level, d->hashed ? entry ^ above % d->sets : entry);
    return *resident ? 0 : d->miss;
}

double translation(const struct core *c, struct cache *levels, const struct page_design *design,
                   const struct mapping *m, uint64_t address, bool *resident)
{
    double cycles = 0;

    *resident = false;
    for (size_t i = 0; i < PAGE_LEVELS && design[i].ways && !*resident; i++)
        cycles += translation_level(c, &levels[i], &design[i], m, address, resident);
    return cycles;
}

/* The same for loads: a level may have a table of its own for large pages. There are as many levels for either size. */
static double page_translation(struct core *c, const struct mapping *m, uint64_t address, bool *resident)
{
    const bool large = m->page_bytes > c->page_bytes;
    double cycles = 0;

    *resident = false;
    for (size_t i = 0; i < PAGE_LEVELS && c->design.data_pages[i].ways && !*resident; i++) {
        const bool apart = large && c->design.large_pages[i].ways;
        cycles += translation_level(c, apart ? &c->large_pages[i] : &c->data_pages[i],
                                    apart ? &c->design.large_pages[i] : &c->design.data_pages[i], m, address, resident);
    }
    return cycles;
}

static double data_translation(struct core *c, const struct mapping *m, uint64_t address, bool store)
{
    const struct page_design *upper = &c->design.upper_table;
    bool resident;
    double cycles;

    if (store && c->design.store_pages[0].ways) {
        cycles = translation(c, c->store_pages, c->design.store_pages, m, address, &resident);
        if (!resident && c->design.stores_spill)
            cycles += page_translation(c, m, address, &resident);
    } else {
        cycles = page_translation(c, m, address, &resident);
    }
    const uint64_t pages_of_table = c->page_bytes / sizeof(uint64_t);
    if (!resident && upper->ways && !table_touch(&c->upper_table, address / m->page_bytes / pages_of_table))
        cycles += upper->miss;
    return cycles;
}

/* ---- Caches -------------------------------------------------------------------------------------- */

/*
 * An access to a level of victims: removes the line if it is there, and inserts the one that the level before evicted.
 */
static bool touch_victims(struct cache *level, uint64_t at, uint64_t replaced)
{
    const bool found = cache_remove(level, at);

    if (replaced)
        cache_touch(level, replaced);
    else
        level->evicted = 0;
    return found;
}

bool taken_by_second(const struct core *c, uint64_t at)
{
    return c->design.data[1].inclusive && !cache_has(&c->data[1], at);
}

/* The node of the core, by its place. */
static unsigned own_node(const struct core *c)
{
    return node_of_modelled_core(c->design.nodes, c->number);
}

static double node_farther(const struct core *c)
{
    return c->design.nodes ? c->design.nodes->farther[own_node(c)][c->memory_node] : 0;
}

/* When a line that is loaded from the memory of a node arrives, which sends one after the other. */
static double node_sends(struct core *c, double start, double done)
{
    c->node_free = later(c->node_free, start) + c->design.nodes->line_cycles[own_node(c)][c->memory_node];
    return later(done, c->node_free);
}

/*
 * The latency is that of the first level that has the line. The levels before it have the line afterwards, and so does
 * it, unless it is one of victims.
 */
static double cache_latency(struct core *c, uint64_t address, uint64_t frame)
{
    const uint64_t at = physical(c, frame);
    uint64_t replaced = 0; /* by the level before, at its physical address */

    for (size_t level = 1; level < DATA_LEVELS; level++)
        cache_prefetch(&c->data[level], at);
    const bool found = ways_touch(&c->ways, address, frame) && !taken_by_second(c, at);
    for (size_t level = 0; level < DATA_LEVELS && c->data[level].ways; level++) {
        const bool here = c->design.data[level].victims ? touch_victims(&c->data[level], at, replaced)
                                                        : cache_touch(&c->data[level], level ? at : frame);
        if (here && (found || level > 0))
            return c->design.data[level].latency + slice_farther(c->design.data[level].slices, c->number, at);
        replaced = c->data[level].evicted && !level ? physical(c, c->data[level].evicted) : c->data[level].evicted;
    }
    return c->design.memory_latency + c->memory_longer + node_farther(c);
}

struct prefetchers *core_prefetchers(struct core *c)
{
    return &c->prefetchers;
}

/* The word at an address of the mapping *memory, 0 where that has none. */
static uint64_t word_at(const void *memory, uint64_t address)
{
    const struct mapping *m = memory;
    uint64_t value = 0;

    if (address >= m->at && address + sizeof value <= m->at + m->count)
        memcpy(&value, m->written ? m->written + frame_offset(m, address) : m->bytes + (address - m->at), sizeof value);
    return value;
}

/* Lines that prefetchers bring after an access, as far as they are mapped: they are there at once. */
static void prefetch(struct core *c, const struct mapping *m, const struct prefetcher_access *a)
{
    struct prefetched lines[PREFETCHES + 1];
    const size_t count = prefetchers_see(&c->prefetchers, a, lines);

    for (size_t i = 0; i < count; i++) {
        if (lines[i].address < m->at || lines[i].address >= m->at + m->count)
            continue;
        const uint64_t frame = lines[i].by_frame ? frame_address(m, a->address) + (lines[i].address - a->address)
                                                 : frame_address(m, lines[i].address);
        for (size_t level = lines[i].into; level < DATA_LEVELS; level++)
            cache_touch(&c->data[level], level ? physical(c, frame) : frame);
    }
}

/* How many lines that earlier loads have missed are under way at that time. */
static unsigned under_way_at(const struct core *c, double time)
{
    unsigned count = 0;

    for (size_t i = 0; i < UNDER_WAY; i++)
        count += c->under_way[i].from <= time && time < c->under_way[i].to;
    return count;
}

/* When the access is done: not before the line arrives, where an earlier load has missed it. */
static double arrival(struct core *c, uint64_t address, bool missed)
{
    const uint64_t line = address >> c->line_bits;
    struct arriving *a = &c->arriving[line % ARRIVING];

    if (missed)
        *a = (struct arriving){line, c->now.done};
    return a->line == line ? later(c->now.done, a->at) : c->now.done;
}

/*
 * A load whose value is predicted right is done when it is delivered; one whose address is predicted right does not
 * wait for its address. A wrong prediction costs as much as a mispredicted branch. Loads of return addresses are not
 * predicted here: returns have a predictor of their own.
 */
static void predict_load(struct core *c, uint64_t address, const uint8_t *bytes, int size, double latency)
{
    uint64_t value = 0;

    if (c->now.decoded->kind == KIND_RETURN || (!c->design.addresses.loads && !c->design.values.loads))
        return;
    memcpy(&value, bytes, (size_t)size < sizeof value ? (size_t)size : sizeof value);
    const enum load_prediction of_address = load_predictor_see(&c->addresses, c->now.pc, address);
    const enum load_prediction of_value = load_predictor_see(&c->values, c->now.pc, value);
    if (of_address == PREDICTED_WRONG || of_value == PREDICTED_WRONG)
        c->front = later(c->front, c->now.done + c->design.penalty);
    else if (of_value == PREDICTED_RIGHT)
        c->now.done = c->now.delivered;
    else if (of_address == PREDICTED_RIGHT)
        c->now.done = c->now.delivered + latency;
}

/* The register that the instruction at hand stores; 0 where it stores something else. */
static unsigned stored_register(const struct core *c)
{
    const struct decoded *d = c->now.decoded;

    for (unsigned i = 0; i < d->read_count; i++)
        if (d->read[i] != d->base)
            return d->read[i];
    return 0;
}

/* A load, where stores in flight matter. One that went ahead of a store it needed is done again, and all behind it. */
static double load_beside_stores(struct core *c, const struct data_access *a)
{
    double again;
    const double done = stores_load(c->stores, c->now.pc, a->address, a->size, c->now.decoded->base, c->front, a->start,
                                    a->latency, &again);

    c->front = later(c->front, again);
    return done;
}

/* Data of frames: copied to the page before it is loaded from there, and to the frame when it is stored. */
static void move_data(const struct mapping *m, bool store, uint64_t address, size_t size, int64_t value)
{
    if (!m->written)
        return;
    if (store)
        memcpy(m->written + frame_offset(m, address), &value, size);
    else
        memcpy(m->bytes + (address - m->at), m->written + frame_offset(m, address), size);
}

/* A byte of a string instruction, which does all of them one after the other; or of a block that is zeroed at once. */
static void repeated_access(struct core *c, const struct mapping *m, bool store, uint64_t address, int64_t value)
{
    cache_latency(c, address, frame_address(m, address));
    if (store && c->now.decoded->repeats && c->design.block_bytes > 0)
        c->now.done += 1 / c->design.block_bytes;
    move_data(m, store, address, 1, value);
}

void core_watch(struct core *c, void (*access)(uint64_t address, size_t size))
{
    c->watch = access;
}

/* Kernels flush what they have just loaded. */
void data_flushed(struct core *c)
{
    if (c->sharing)
        c->sharing->flush(c->accessed);
    if (c->design.dram)
        dram_flush(&c->dram, (uintptr_t)c->accessed / CACHE_LINE_BYTES);
}

void data_access(struct core *c, const struct mapping *m, bool store, uint64_t address, size_t size, int64_t value)
{
    if (c->now.decoded->repeats || c->now.decoded->kind == KIND_ZERO) {
        repeated_access(c, m, store, address, value);
        return;
    }
    c->front = in_flight_access(&c->in_flight, store, c->front);
    const double in = scheduler_enter(&c->scheduler, &c->design.schedulers, store ? WAITS_STORE : WAITS_LOAD, CLASS_ANY,
                                      &c->front);
    c->now.start = later(c->now.start, in);
    const double translated = data_translation(c, m, address, store);
    c->accessed = m->bytes + (address - m->at);
    if (c->design.nodes)
        c->memory_node = m->of_node ? m->node : own_node(c);
    if (store && c->now.decoded->atomic) /* it stores what becomes of what it has loaded */
        c->now.start = later(c->now.start, c->now.done);
    double waits = c->sharing ? c->sharing->access(c->accessed, store || c->now.decoded->atomic, &c->now.start) : 0;
    if (c->design.dram && !store)
        waits += dram_load(&c->dram, c->design.dram, (uintptr_t)c->accessed / CACHE_LINE_BYTES, (uintptr_t)c->accessed,
                           c->called + c->now.start);
    const double latency = cache_latency(c, address, frame_address(m, address)) + waits;

    if (c->prefetchers.any)
        prefetch(c, m,
                 &(struct prefetcher_access){
                     c->now.pc, address, m->page_bytes, store, latency <= c->design.data[0].latency,
                     c->prefetchers.design.throttle.under_way ? under_way_at(c, c->now.start) : 0, word_at, m});
    if (c->watch && m->at != STACK_AT)
        c->watch(address, size);
    /* a store waits in a buffer for its line, but not for its translation */
    const struct data_access a = {.instruction = (uint64_t)c->counts.instructions,
                                  .address = address,
                                  .size = size,
                                  .line_bytes = c->line_bytes,
                                  .store = store,
                                  .missed = latency > c->design.data[0].latency,
                                  .start = c->now.start + translated,
                                  .latency = latency};
    c->now.done = later(c->now.done, c->stores && !store ? load_beside_stores(c, &a)
                                                         : load_store_done(&c->load_store, &c->design.load_store, &a));
    if (c->design.nodes && !store && latency >= c->design.memory_latency)
        c->now.done = node_sends(c, a.start, c->now.done);
    if (store)
        c->now.done += waits;
    else
        c->now.done = arrival(c, address, a.missed);
    if (!store && a.missed) {
        c->under_way[c->misses % UNDER_WAY].from = a.start;
        c->under_way[c->misses++ % UNDER_WAY].to = c->now.done;
    }
    if (c->design.in_order) { /* it began when it found a port and a buffer */
        c->front = later(c->front, store ? c->now.start : c->now.done - latency);
        if (c->design.misses_block && a.missed &&
            !store) /* the next instruction, a slot later, may begin as it is done */
            c->front = later(c->front, c->now.done - 1.0 / c->design.width);
    }
    scheduler_leave(&c->scheduler, c->design.schedulers.loads_stay && !store ? c->now.done : c->now.start);
    if (c->stores && store)
        stores_add(c->stores, address, size, c->now.decoded->base, stored_register(c),
                   c->now.address_known + translated, a.start, c->latest);
    if (c->now.decoded->computes && !store)
        c->now.done++;
    move_data(m, store, address, size, value);
    if (!store)
        predict_load(c, address, m->bytes + (address - m->at), (int)size, translated + latency);
}

void data_touch(struct core *c, uint64_t address)
{
    const uint64_t page = address / c->page_bytes * c->page_bytes;
    const struct mapping own = {.at = page, .count = c->page_bytes, .page_bytes = c->page_bytes};

    data_translation(c, &own, address, false);
    cache_latency(c, address, address);
}
