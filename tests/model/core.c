#include "tests/model/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/cache.h"
#include "tests/model/decode.h"
#include "tests/model/isa.h"
#include "tests/model/predictor.h"

enum { MAPPINGS = 32, PAGE_BYTES = 4096, PAGES_OF_TABLE = 512, STACK_BYTES = 65536, ARRIVING = 64 };

static const uint64_t STACK_AT = 0x20000000, EXIT_AT = 0x30000000;

struct mapping {
    uint64_t at;
    uint8_t *bytes;
    size_t count;
    uint8_t *seen;     /* code as Unicorn has translated it … */
    uint32_t *decoded; /* … and what begins at each of its bytes, by its number; 0: nobody asked yet … */
    struct asked {
        uint32_t first, end;
    } * asked; /* … but for these of each page */
    size_t page_bytes;
    const size_t *frames; /* NULL: page i is frame i */
    bool hint;            /* contiguous */
    uint8_t *written;     /* what data of these frames is; NULL: as it is at `bytes` */
};

struct core {
    struct core_design design;
    struct cache data[DATA_LEVELS], op_cache, l1i, targets[TARGET_LEVELS], pages[PAGE_LEVELS], data_pages[PAGE_LEVELS],
        store_pages[PAGE_LEVELS], large_pages[PAGE_LEVELS], upper_table;
    struct ways ways;
    struct load_predictor addresses, values;
    struct predictor predictor;
    struct load_store load_store;
    struct in_flight in_flight;
    struct scheduler scheduler;
    struct arriving { /* lines that were missed, by their address */
        uint64_t line;
        double at;
    } arriving[ARRIVING];
    struct stores *stores; /* NULL: loads see the cache alone */
    struct core_counts counts;
    void (*watch)(uint64_t address, size_t size); /* NULL: nobody does */
    uc_engine *uc;
    size_t removed; /* bytes of code that was run and whose translations are, since all were flushed; about */
    struct mapping mappings[MAPPINGS];
    size_t mapping_count, mapping_last; /* asked for */
    struct mapping code;                /* the one that is executed */
    uint8_t stack[STACK_BYTES] __attribute__((aligned(PAGE_BYTES)));
    uint8_t exit[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

    /* Times in cycles since the kernel was called. */
    double cycles_per_instruction;                 /* at best … */
    double cycles_per_decoded, cycles_per_retired; /* … and of these */
    double front;                                  /* when the front end has delivered all up to now */
    double ready[DECODED_REGISTERS];               /* when each register has its value */
    double renamed;                                /* when what has been delivered has registers */
    double latest;                                 /* when everything is done … */
    double retired;                                /* … and has left the core */
    bool compared;    /* the instruction before this one was a comparison, and may be fused … */
    bool fused;       /* … or is with the one before it */
    double unit_free; /* when a unit is, for what comes next */
    bool
        restarted; /* nothing could be fetched ahead: the last branch went elsewhere than foreseen, or was not foreseen */
    uint64_t fetched_line;  /* the line that code comes from at the moment … */
    double cycles_per_byte; /* … and how fast, unless it is decoded already */
    bool decoded;
    unsigned line_instructions; /* of this line since it was entered */
    uint64_t next;              /* where code goes on when no branch is taken */
    double fetched;             /* when what was fetched last was there … */
    double fetched_left;        /* … and how many bytes of it are left */
    uint64_t fetched_page;
    double branched;           /* when the front end went on behind the last taken branch */
    uint64_t walked, walk_end; /* of the block that is executed: the first instruction not yet at hand, and its end */
    struct executed {          /* the instruction at hand */
        const struct decoded *decoded;
        uint64_t pc;
        double delivered, start, done;
        double address_known; /* of a store */
    } now;
};

#define UC(call) \
    do { \
        if ((call) != UC_ERR_OK) \
            abort(); \
    } while (0)

/* fmax asks for NaN too, which costs at every instruction. */
static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* ---- Memory ------------------------------------------------------------------------------------- */

static struct mapping *mapping_of(struct core *c, uint64_t address)
{
    if (c->mapping_last < c->mapping_count &&
        address - c->mappings[c->mapping_last].at < c->mappings[c->mapping_last].count)
        return &c->mappings[c->mapping_last];
    for (size_t i = c->mapping_count; i-- > 0;)
        if (address - c->mappings[i].at < c->mappings[i].count)
            return &c->mappings[c->mapping_last = i];
    abort();
}

void core_map(struct core *c, uint64_t at, uint8_t *bytes, size_t count, bool code)
{
    if (c->mapping_count == MAPPINGS)
        abort();
    UC(uc_mem_map_ptr(c->uc, at, count, code ? UC_PROT_READ | UC_PROT_EXEC : UC_PROT_READ | UC_PROT_WRITE, bytes));
    c->mappings[c->mapping_count++] = (struct mapping){
        .at = at, .bytes = bytes, .count = count, .page_bytes = PAGE_BYTES};
    if (!code)
        return;
    struct mapping *m = &c->mappings[c->mapping_count - 1];
    m->seen = calloc(1, count);
    m->decoded = calloc(count, sizeof *m->decoded);
    m->asked = calloc(count / PAGE_BYTES, sizeof *m->asked);
    if (!m->seen || !m->decoded || !m->asked)
        abort();
}

void core_frames(struct core *c, uint64_t at, size_t page_bytes, const size_t *frames, uint8_t *written)
{
    struct mapping *m = mapping_of(c, at);

    m->page_bytes = page_bytes;
    m->frames = frames;
    m->written = written;
}

void core_hint(struct core *c, uint64_t at)
{
    mapping_of(c, at)->hint = true;
}

void core_watch(struct core *c, void (*access)(uint64_t address, size_t size))
{
    c->watch = access;
}

void core_unmap(struct core *c, uint64_t at)
{
    struct mapping *m = mapping_of(c, at);

    if (m->seen)
        UC(uc_ctl_remove_cache(c->uc, m->at, m->at + m->count));
    UC(uc_mem_unmap(c->uc, m->at, m->count));
    free(m->seen);
    free(m->decoded);
    free(m->asked);
    *m = c->mappings[--c->mapping_count];
    c->code = (struct mapping){0};
}

/* Of a page, and of what reaches into it from the one before. Returns how many bytes of it were run, at most. */
static size_t forget_decoded(struct mapping *m, size_t page)
{
    const size_t before = page > LONGEST_INSTRUCTION ? page - LONGEST_INSTRUCTION : 0;
    struct asked *a = &m->asked[page / PAGE_BYTES];
    const size_t run = a->end - a->first;

    memset(m->decoded + before, 0, (page - before) * sizeof *m->decoded);
    memset(m->decoded + page + a->first, 0, run * sizeof *m->decoded);
    *a = (struct asked){0};
    return run;
}

static uint32_t ask_decoded(const struct mapping *m, uint64_t offset)
{
    struct asked *a = &m->asked[offset / PAGE_BYTES];
    const uint32_t in_page = (uint32_t)(offset % PAGE_BYTES);

    a->first = a->end && a->first < in_page ? a->first : in_page;
    a->end = a->end > in_page ? a->end : in_page + 1;
    return m->decoded[offset] = decode(m->bytes + offset, m->count - offset);
}

/*
 * Unicorn 2.0 keeps the room of translations that are removed, and faults when it has none: at 90 MiB of pages full of code.
 * To flush them takes it as long as thousands of short kernels do. A page has one block at least.
 */
static const size_t REMOVED_MAXIMUM = 16 << 20, BLOCK_BYTES = 64;

/* Page by page, since translating costs more than running: most kernels differ little from those before them. */
void core_code_written(struct core *c, uint64_t at, size_t count)
{
    struct mapping *m = mapping_of(c, at);
    size_t end = at - m->at + count;

    for (size_t page = (at - m->at) / PAGE_BYTES * PAGE_BYTES; page < end; page += PAGE_BYTES)
        if (memcmp(m->seen + page, m->bytes + page, PAGE_BYTES) != 0) {
            c->removed += forget_decoded(m, page) + BLOCK_BYTES;
            memcpy(m->seen + page, m->bytes + page, PAGE_BYTES);
            UC(uc_ctl_remove_cache(c->uc, m->at + page, m->at + page + PAGE_BYTES));
        }
    if (c->removed > REMOVED_MAXIMUM) {
        c->removed = 0;
        UC(uc_ctl(c->uc, UC_CTL_WRITE(UC_CTL_TB_FLUSH, 0)));
    }
}

/* Scattered frames are a hash of the page: the finalizer of SplitMix64, which is one to one. */
static uint64_t physical(const struct core *c, uint64_t address)
{
    uint64_t page = address / PAGE_BYTES;

    if (c->design.contiguous)
        return address;
    page = (page ^ (page >> 30)) * 0xbf58476d1ce4e5b9;
    page = (page ^ (page >> 27)) * 0x94d049bb133111eb;
    return (page ^ (page >> 31)) * PAGE_BYTES + address % PAGE_BYTES;
}

/* Where the frame of an address is in its block of frames. */
static size_t frame_offset(const struct mapping *m, uint64_t address)
{
    const uint64_t offset = address - m->at;

    return m->frames ? m->frames[offset / m->page_bytes] * m->page_bytes + offset % m->page_bytes : offset;
}

/* Where that would be, were all in order. */
static uint64_t frame_address(const struct mapping *m, uint64_t address)
{
    return m->at + frame_offset(m, address);
}

/* Caches of lines stand in for tables of anything: a line each. */
static bool table_touch(struct cache *table, uint64_t number)
{
    return cache_touch(table, (number + table->sets) * CACHE_LINE_BYTES); /* never 0 */
}

/* The entry that translates an address: of its page, or of a group of neighbours that one entry can hold. */
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

/* What a level costs that does not hold the page; it takes it in. */
static double translation_level(const struct core *c, struct cache *level, const struct page_design *d,
                                const struct mapping *m, uint64_t address, bool *held)
{
    const uint64_t entry = entry_of(c, d, m, address), above = entry / d->sets;

    *held = table_touch(level, d->hashed ? entry ^ above % d->sets : entry);
    return *held ? 0 : d->miss;
}

/* Those that do not hold the page cost each on top of the one before it. */
static double translation(const struct core *c, struct cache *levels, const struct page_design *design,
                          const struct mapping *m, uint64_t address, bool *held)
{
    double cycles = 0;

    *held = false;
    for (size_t i = 0; i < PAGE_LEVELS && design[i].ways && !*held; i++)
        cycles += translation_level(c, &levels[i], &design[i], m, address, held);
    return cycles;
}

/* The first level that holds the line gives the latency; those before it take the line in. */
static double cache_latency(struct core *c, uint64_t address, uint64_t frame)
{
    const uint64_t at = physical(c, frame);

    for (size_t level = 1; level < DATA_LEVELS; level++)
        cache_prefetch(&c->data[level], at);
    const bool found = ways_touch(&c->ways, address, frame);
    for (size_t level = 0; level < DATA_LEVELS; level++)
        if (cache_touch(&c->data[level], level ? at : frame) && (found || level > 0))
            return c->design.data[level].latency;
    return c->design.memory_latency;
}

/* A line that was missed is there for those that find it behind that only when it arrives. */
static double arrival(struct core *c, uint64_t address, bool missed)
{
    const uint64_t line = address / CACHE_LINE_BYTES;
    struct arriving *a = &c->arriving[line % ARRIVING];

    if (missed)
        *a = (struct arriving){line, c->now.done};
    return a->line == line ? later(c->now.done, a->at) : c->now.done;
}

/* The same, where levels may have tables of their own for larger pages; those of both sizes are as many. */
static double page_translation(struct core *c, const struct mapping *m, uint64_t address, bool *held)
{
    const bool large = m->page_bytes > PAGE_BYTES;
    double cycles = 0;

    *held = false;
    for (size_t i = 0; i < PAGE_LEVELS && c->design.data_pages[i].ways && !*held; i++) {
        const bool apart = large && c->design.large_pages[i].ways;
        cycles += translation_level(c, apart ? &c->large_pages[i] : &c->data_pages[i],
                                    apart ? &c->design.large_pages[i] : &c->design.data_pages[i], m, address, held);
    }
    return cycles;
}

static double data_translation(struct core *c, const struct mapping *m, uint64_t address, bool stores)
{
    const struct page_design *upper = &c->design.upper_table;
    bool held;
    double cycles;

    if (stores && c->design.store_pages[0].ways) {
        cycles = translation(c, c->store_pages, c->design.store_pages, m, address, &held);
        if (!held && c->design.stores_spill)
            cycles += page_translation(c, m, address, &held);
    } else {
        cycles = page_translation(c, m, address, &held);
    }
    if (!held && upper->ways && !table_touch(&c->upper_table, address / m->page_bytes / PAGES_OF_TABLE))
        cycles += upper->miss;
    return cycles;
}

/*
 * A load of this latency is done sooner where it did not have to wait for its address, or its value was known. What is
 * foretold wrongly is a misprediction. Returns have a predictor of their own.
 */
static void foretell(struct core *c, uint64_t address, const uint8_t *bytes, int size, double latency)
{
    uint64_t value = 0;

    if (c->now.decoded->kind == KIND_RETURN || (!c->design.addresses.loads && !c->design.values.loads))
        return;
    memcpy(&value, bytes, (size_t)size < sizeof value ? (size_t)size : sizeof value);
    const enum foretold goes = load_predictor_see(&c->addresses, c->now.pc, address);
    const enum foretold brings = load_predictor_see(&c->values, c->now.pc, value);
    if (goes == FORETOLD_WRONG || brings == FORETOLD_WRONG)
        c->front = later(c->front, c->now.done + c->design.penalty);
    else if (brings == FORETOLD_RIGHT)
        c->now.done = c->now.delivered;
    else if (goes == FORETOLD_RIGHT)
        c->now.done = c->now.delivered + latency;
}

/* A load that stores may have to do with. What went ahead of a store that it needed is done again, with all behind it. */
static double stored_load(struct core *c, const struct data_access *a)
{
    double again;
    const double done = stores_load(c->stores, c->now.pc, a->address, a->size, c->front, a->start, a->latency, &again);

    c->front = later(c->front, again);
    return done;
}

static void walk_to_access(struct core *c);

/* Before it is done: what is on a frame is brought to the page that is loaded from, and what is stored to the frame. */
static void on_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *context)
{
    (void)uc;
    struct core *c = context;
    const struct mapping *m = mapping_of(c, address);
    const bool stores = type != UC_MEM_READ;
    __builtin_prefetch(m->bytes + (address - m->at)); /* walks miss the caches of the computer below, too */
    walk_to_access(c);
    c->front = in_flight_access(&c->in_flight, stores, c->front);
    const double in = scheduler_enter(&c->scheduler, &c->design.schedulers, stores ? WAITS_STORE : WAITS_LOAD,
                                      &c->front);
    c->now.start = later(c->now.start, in);
    const double translated = data_translation(c, m, address, type != UC_MEM_READ);
    const double latency = cache_latency(c, address, frame_address(m, address));

    if (c->watch && m->at != STACK_AT)
        c->watch(address, (size_t)size);
    /* a store waits in a buffer for its line, but not for its translation */
    const struct data_access a = {.instruction = (uint64_t)c->counts.instructions,
                                  .address = address,
                                  .size = (size_t)size,
                                  .store = type != UC_MEM_READ,
                                  .missed = latency > c->design.data[0].latency,
                                  .start = c->now.start + translated,
                                  .latency = latency};
    c->now.done = later(c->now.done, c->stores && !a.store
                                         ? stored_load(c, &a)
                                         : load_store_done(&c->load_store, &c->design.load_store, &a));
    if (!a.store)
        c->now.done = arrival(c, address, a.missed);
    scheduler_leave(&c->scheduler, c->design.schedulers.loads_stay && !a.store ? c->now.done : c->now.start);
    if (c->stores && a.store)
        stores_add(c->stores, address, a.size, c->now.address_known + translated, a.start, c->latest);
    if (c->now.decoded->computes && !a.store)
        c->now.done++;
    if (m->written && type == UC_MEM_READ)
        memcpy(m->bytes + (address - m->at), m->written + frame_offset(m, address), (size_t)size);
    else if (m->written)
        memcpy(m->written + frame_offset(m, address), &value, (size_t)size);
    if (type == UC_MEM_READ)
        foretell(c, address, m->bytes + (address - m->at), size, translated + latency);
}

/* ---- Front end ---------------------------------------------------------------------------------- */

static void translate(struct core *c, uint64_t address)
{
    c->fetched_page = address / PAGE_BYTES;
    bool held;
    c->front += translation(c, c->pages, c->design.pages, mapping_of(c, address), address, &held);
}

/* A taken branch is known by its last byte. Every level learns what those before it do not hold. */
static void find_target(struct core *c, uint64_t last_byte)
{
    const struct target_design *level = c->design.targets;
    const double cycles = c->design.redirect;

    for (size_t i = 0; i < TARGET_LEVELS && level[i].ways; i++)
        if (table_touch(&c->targets[i], last_byte * level[i].sets + (last_byte >> level[i].low) % level[i].sets)) {
            c->front = later(c->front, c->branched + level[i].cycles);
            c->branched = c->front;
            return;
        }
    c->front = c->design.decodes ? c->front + cycles : later(c->front, c->branched + cycles);
    c->branched = c->front;
}

static void fetch_line(struct core *c, uint64_t address)
{
    bool cached = cache_touch(&c->l1i, frame_address(mapping_of(c, address), address));
    uint64_t line = address / CACHE_LINE_BYTES;
    double latency = 0;

    if (address / PAGE_BYTES != c->fetched_page)
        translate(c, address);
    c->counts.l1i_misses += !cached;
    if (cached) {
        c->cycles_per_byte = 1 / c->design.l1i_fetch;
    } else if (cache_touch(&c->data[1], physical(c, address))) {
        c->cycles_per_byte = 1 / c->design.l2_fetch;
        latency = c->design.data[1].latency;
    } else {
        c->cycles_per_byte = 1 / c->design.far_fetch;
        latency = c->design.memory_latency;
    }
    if (c->restarted)
        c->front += latency;
    c->restarted = false;
    c->fetched_line = line;
    c->line_instructions = 0;
}

/* Ways of the op cache that hold the same line lie in the same set, and are told apart by what is above all addresses. */
static void look_up_decoded(struct core *c, uint64_t address)
{
    unsigned entry = c->design.op_entry ? c->line_instructions / c->design.op_entry : 0;

    if (c->line_instructions == 0 || (c->design.op_entry && c->line_instructions % c->design.op_entry == 0))
        c->decoded = cache_touch(&c->op_cache, address | (uint64_t)entry << 48);
    c->line_instructions++;
}

/* What is fetched ends with a taken branch, and with a page. Fetching runs ahead of all else, by so many cycles at most. */
static void fetch_bytes(struct core *c, uint64_t address, uint32_t size)
{
    const double ahead = 8;

    if (!c->design.fetch_bytes)
        return;
    if (address != c->next || address % PAGE_BYTES == 0)
        c->fetched_left = 0;
    if (!(c->fetched_left > 0)) {
        c->fetched = later(c->fetched + 1, c->front - ahead);
        c->fetched_left += c->design.fetch_bytes;
    }
    c->fetched_left -= size;
    c->front = later(c->front, c->fetched);
}

static void fetch(struct core *c, uint64_t address, uint32_t size, bool fused)
{
    if (address / CACHE_LINE_BYTES != c->fetched_line)
        fetch_line(c, address);
    else if (address != c->next)
        c->line_instructions = 0;
    look_up_decoded(c, address);
    fetch_bytes(c, address, size);
    double cycles = c->decoded ? 0 : later(size * c->cycles_per_byte, c->cycles_per_decoded);
    c->front += later(fused ? 0 : c->cycles_per_instruction, cycles);
    c->next = address + size;
    if ((address + size - 1) / CACHE_LINE_BYTES != c->fetched_line)
        fetch_line(c, address + size - 1);
}

/* Kinds of branch whose prediction does not enter them by itself. */
static void enter_history(struct core *c, uint64_t next)
{
    const enum kind kind = c->now.decoded->kind;

    if (kind == KIND_JUMP || kind == KIND_CALL || kind == KIND_RETURN)
        history_enter(&c->predictor.history,
                      kind == KIND_JUMP   ? HISTORY_UNCONDITIONAL
                      : kind == KIND_CALL ? HISTORY_CALL
                                          : HISTORY_RETURN,
                      c->now.pc, next);
}

/* The instruction at hand is followed by the one at `next`: was that foreseen? */
static void resolve(struct core *c, uint64_t next)
{
    const struct decoded *d = c->now.decoded;
    double missed = 0;

    if (d->kind == KIND_RETURN)
        missed = predictor_return(&c->predictor, c->now.pc, next);
    else if (d->kind == KIND_CONDITIONAL)
        missed = predictor_conditional(&c->predictor, c->now.pc, c->now.pc + d->size, next);
    else if (d->kind == KIND_INDIRECT)
        missed = predictor_indirect(&c->predictor, c->now.pc, next);
    enter_history(c, next);
    double again = c->now.done + c->design.penalty;
    if (missed > 0 && again > c->front)
        c->front += missed * (again - c->front);
    /* without branch target buffers, jumps are found when they are decoded */
    c->restarted = missed > 0 || (d->kind == KIND_JUMP && !c->design.targets[0].ways);
    c->fetched = missed > 0 ? c->front : c->fetched;
    if (c->design.targets[0].ways && (d->kind == KIND_CONDITIONAL || d->kind == KIND_JUMP) &&
        next != c->now.pc + d->size)
        find_target(c, c->now.pc + d->size - 1);
    c->counts.mispredicts += missed;
    c->counts.return_mispredicts += d->kind == KIND_RETURN ? missed : 0;
}

/* ---- Execution ---------------------------------------------------------------------------------- */

/* The next instruction in order, done at that time, leaves the core. */
static void leave(struct core *c, double done)
{
    c->retired = later(c->retired + c->cycles_per_retired, done);
    if (c->in_flight.limited)
        in_flight_retire(&c->in_flight, &c->design.in_flight, done, c->retired);
}

/* The instruction at hand has executed, and goes on at `next`. */
static void retire(struct core *c, uint64_t next)
{
    const struct decoded *d = c->now.decoded;

    for (unsigned i = 0; i < d->written_count; i++)
        c->ready[d->written[i]] = c->now.done;
    c->latest = later(c->latest, c->now.done);
    leave(c, c->now.done);
    if (d->kind == KIND_CALL)
        predictor_call(&c->predictor, c->now.pc + d->size);
    resolve(c, next);
    c->now.decoded = NULL;
}

static bool is_eliminated(const struct core *c, const struct decoded *d)
{
    return (d->moves && c->design.moves_eliminated) || (d->zeros && c->design.zeros_eliminated);
}

/* What is delivered faster than that waits, and everything behind it. */
static void rename_one(struct core *c, const struct decoded *d)
{
    const unsigned written = d->general_written + d->vector_written;

    if (c->design.renames && written) {
        c->renamed = later(c->renamed, c->front - 1) + 1.0 * written / c->design.renames;
        c->front = later(c->front, c->renamed);
    }
    if (c->in_flight.limited)
        c->front = in_flight_rename(&c->in_flight, &c->design.in_flight, d, c->front);
}

/* It waits for what it needs, and for a unit; what accesses memory waits elsewhere. */
static void issue(struct core *c)
{
    const struct decoded *d = c->now.decoded;
    const bool vector = d->vector_written || d->kind == KIND_ROOT;

    if (c->design.units && d->kind == KIND_PLAIN && !d->accesses) {
        c->now.start = later(c->now.start, c->unit_free);
        c->unit_free = c->now.start + 1.0 / c->design.units;
    }
    if (d->accesses || d->kind == KIND_FENCE)
        return;
    const double in = scheduler_enter(&c->scheduler, &c->design.schedulers, vector ? WAITS_VECTOR : WAITS_GENERAL,
                                      &c->front);
    c->now.start = later(c->now.start, in);
    scheduler_leave(&c->scheduler, c->now.start);
}

/* The next instruction of the block comes to hand. */
static void walk(struct core *c)
{
    const uint64_t address = c->walked;

    if (address - c->code.at >= c->code.count)
        c->code = *mapping_of(c, address);
    const uint64_t offset = address - c->code.at;
    uint32_t number = c->code.decoded[offset];
    if (!number)
        number = ask_decoded(&c->code, offset);
    if (!number) { /* nor can Unicorn decode it, and is about to say so */
        c->walk_end = c->walked;
        return;
    }
    const struct decoded *d = &decoded[number];
    c->walked += d->size;
    if (c->now.decoded)
        retire(c, address);
    c->counts.instructions++;
    c->fused = (c->compared && d->kind == KIND_CONDITIONAL) ||
               (c->design.nops_fuse && !c->fused && d->kind == KIND_NOP && c->front > 0);
    fetch(c, address, d->size, c->fused);
    c->compared = c->design.fuses && d->compares;
    rename_one(c, d);
    if (d->kind == KIND_NOP) {
        leave(c, c->front);
        return;
    }
    c->now = (struct executed){.decoded = d, .pc = address, .delivered = c->front, .start = c->front};
    for (unsigned i = 0; i < d->read_count && !(d->zeros && c->design.zeros_eliminated); i++)
        c->now.start = later(c->now.start, c->ready[d->read[i]]);
    c->now.address_known = later(c->front, d->base ? c->ready[d->base] : 0);
    if (d->kind == KIND_FENCE)
        c->front = c->now.start = later(c->now.start, later(c->latest, c->retired));
    c->now.done = c->now.start;
    if (is_eliminated(c, d))
        return;
    issue(c);
    c->now.done = c->now.start + (d->kind == KIND_MULTIPLY                 ? c->design.multiply
                                  : d->kind == KIND_ROOT && c->design.root ? c->design.root
                                                                           : 1);
}

/* All of the block that is left, up to the instruction at `last` and with it. */
static void walk_to(struct core *c, uint64_t last)
{
    while (c->walked < c->walk_end && c->walked <= last)
        walk(c);
}

static void walk_to_access(struct core *c)
{
    uint64_t pc;

    UC(uc_reg_read(c->uc, isa.program_counter, &pc));
    walk_to(c, pc);
}

/*
 * Unicorn is about to execute a block, and tells of nothing but the accesses in it: asked to tell of every instruction
 * it would take longer to translate them than to execute them. What takes time in the block before has been executed.
 */
static void on_block(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    (void)uc;
    struct core *c = context;

    walk_to(c, UINT64_MAX);
    c->walked = address;
    c->walk_end = address + size;
}

void core_others(struct core *c, unsigned registers)
{
    c->design.in_flight.others = registers;
}

double core_call(struct core *c, uint64_t entry, const uint64_t arguments[2], struct window_result *result)
{
    uint64_t stack = STACK_AT + STACK_BYTES - 64;

    c->front = c->renamed = c->latest = c->retired = c->unit_free = c->branched = c->fetched = c->fetched_left = 0;
    memset(c->ready, 0, sizeof c->ready);
    if (c->stores)
        stores_done(c->stores);
    c->now.decoded = NULL;
    c->walked = c->walk_end = 0;
    load_store_start(&c->load_store);
    in_flight_start(&c->in_flight, &c->design.in_flight);
    scheduler_start(&c->scheduler);
    memset(c->arriving, 0, sizeof c->arriving);
    predictor_call(&c->predictor, EXIT_AT);
    if (isa.link) {
        UC(uc_reg_write(c->uc, isa.link, &EXIT_AT));
    } else {
        stack -= sizeof EXIT_AT;
        memcpy(c->stack + (stack - STACK_AT), &EXIT_AT, sizeof EXIT_AT);
    }
    UC(uc_reg_write(c->uc, isa.stack_pointer, &stack));
    for (unsigned i = 0; i < 2; i++)
        UC(uc_reg_write(c->uc, isa.arguments[i], &arguments[i]));

    uc_err error = uc_emu_start(c->uc, entry, EXIT_AT, 0, 0);
    if (error != UC_ERR_OK) {
        walk_to_access(c);
        result->end = WINDOW_FAULT;
        result->fault = (struct fault){.vector = uc_strerror(error), .pc = c->now.pc};
        return 0;
    }
    walk_to(c, UINT64_MAX);
    if (c->now.decoded)
        retire(c, EXIT_AT);
    return later(c->front, later(c->latest, c->retired));
}

const struct core_counts *core_counts(const struct core *c)
{
    return &c->counts;
}

/* ---- The core ----------------------------------------------------------------------------------- */

static struct cache table_new(const struct page_design *d)
{
    struct cache table = cache_new(d->sets * d->ways * CACHE_LINE_BYTES, d->ways);

    if (d->policy)
        cache_replace_by(&table, d->policy);
    return table;
}

struct core *core_new(const struct core_design *design)
{
    struct core *c = aligned_alloc(PAGE_BYTES, (sizeof *c + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    uc_hook hook;

    if (!c || design->return_stack > RETURN_STACK_MAXIMUM)
        abort();
    memset(c, 0, sizeof *c);
    c->design = *design;
    c->cycles_per_instruction = 1.0 / design->width;
    c->cycles_per_decoded = design->decoders ? 1.0 / design->decoders : 0;
    c->cycles_per_retired = design->retire ? 1.0 / design->retire : 0;
    decode_start();
    for (size_t i = 0; i < DATA_LEVELS; i++) {
        c->data[i] = cache_new(design->data[i].bytes, design->data[i].ways);
        c->data[i].hashed = design->data[i].hashed;
        c->data[i].plain_bits = design->data[i].plain_bits;
        if (design->data[i].policy)
            cache_replace_by(&c->data[i], design->data[i].policy);
    }
    c->ways = ways_new(&design->ways, c->data[0].sets, design->data[0].ways);
    c->addresses.design = design->addresses;
    c->values.design = design->values;
    c->op_cache = cache_new(design->op_cache.bytes, design->op_cache.ways);
    c->l1i = cache_new(design->l1i.bytes, design->l1i.ways);
    for (size_t i = 0; i < TARGET_LEVELS; i++)
        c->targets[i] = cache_new(design->targets[i].sets * design->targets[i].ways * CACHE_LINE_BYTES,
                                  design->targets[i].ways);
    for (size_t i = 0; i < PAGE_LEVELS; i++) {
        c->pages[i] = table_new(&design->pages[i]);
        c->data_pages[i] = table_new(&design->data_pages[i]);
        c->store_pages[i] = table_new(&design->store_pages[i]);
        c->large_pages[i] = table_new(&design->large_pages[i]);
    }
    c->upper_table = table_new(&design->upper_table);
    if (design->stores.forwards)
        c->stores = stores_new(&design->stores);
    c->predictor.depth = design->return_stack;
    c->predictor.indirect = design->indirect;
    c->predictor.patterns = cache_new(design->outcomes * CACHE_LINE_BYTES, design->outcomes ? PREDICTOR_WAYS : 0);
    c->predictor.history.span = design->history;
    memcpy(c->predictor.history.enters, design->history_enters, sizeof design->history_enters);

    UC(uc_open(isa.uc_arch, isa.uc_mode, &c->uc));
    core_map(c, STACK_AT, c->stack, STACK_BYTES, false);
    core_map(c, EXIT_AT, c->exit, PAGE_BYTES, true);
    UC(uc_hook_add(c->uc, &hook, UC_HOOK_BLOCK, (void *)on_block, c, 1, 0));
    UC(uc_hook_add(c->uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_access, c, 1, 0));
    return c;
}

void core_free(struct core *c)
{
    while (c->mapping_count)
        core_unmap(c, c->mappings[0].at);
    uc_close(c->uc);
    for (size_t i = 0; i < DATA_LEVELS; i++)
        cache_free(&c->data[i]);
    for (size_t i = 0; i < TARGET_LEVELS; i++)
        cache_free(&c->targets[i]);
    for (size_t i = 0; i < PAGE_LEVELS; i++) {
        cache_free(&c->pages[i]);
        cache_free(&c->data_pages[i]);
        cache_free(&c->store_pages[i]);
        cache_free(&c->large_pages[i]);
    }
    cache_free(&c->upper_table);
    ways_free(&c->ways);
    cache_free(&c->op_cache);
    cache_free(&c->l1i);
    cache_free(&c->predictor.patterns);
    stores_free(c->stores);
    free(c);
}
