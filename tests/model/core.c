/*
 * A modelled core: Unicorn executes the code, and every instruction takes its time on the way from the front end to
 * retirement.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/model/changes.h"
#include "tests/model/core_state.h"

/* ---- Front end: instruction cache and TLBs, operation cache --------------------------------------- */

static void translate_code(struct core *c, uint64_t address)
{
    bool resident;

    c->fetched_page = address >> c->page_bits;
    c->front += translation(c, c->pages, c->design.pages, mapping_of(c, address), address, &resident);
}

static void fetch_line(struct core *c, uint64_t address)
{
    const bool there = cache_touch(&c->l1i, frame_address(mapping_of(c, address), address)),
               cached = there && !taken_by_second(c, physical(c, address));
    uint64_t line = address >> c->line_bits;
    double latency = 0;

    if (address >> c->page_bits != c->fetched_page)
        translate_code(c, address);
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
    code_line_fetched(c, line);
    c->fetched_line = line;
    c->line_instructions = 0;
}

/*
 * Entries of the op cache for one line lie in the same set; bits above all addresses distinguish them. A fused
 * instruction takes no place, unless it is the first of its line.
 */
static void look_up_decoded(struct core *c, uint64_t address, bool fused)
{
    if (fused && c->design.ops_pack && c->line_instructions > 0)
        return;
    const unsigned instructions = c->line_instructions++;

    if (instructions == 0)
        c->line_entries = 0;
    else if (!c->design.op_entry || instructions != c->line_entries * c->design.op_entry)
        return;
    c->decoded = cache_touch(&c->op_cache, address | (uint64_t)c->line_entries++ << 48);
}

/* One fetch ends at a taken branch and at the end of a page. Fetching is at most `ahead` cycles before the rest. */
static void fetch_bytes(struct core *c, uint64_t address, uint32_t size)
{
    const double ahead = 8;

    if (!c->design.fetch_bytes || c->loop.replays)
        return;
    if (address != c->next || !(address & (c->page_bytes - 1)))
        c->fetched_left = 0;
    if (!(c->fetched_left > 0)) {
        c->fetched = later(c->fetched + 1, c->front - ahead);
        c->fetched_left += c->design.fetch_bytes;
    }
    c->fetched_left -= size;
    c->front = later(c->front, c->fetched);
}

/* The front end takes the instruction of `size` bytes at `address`; a fused one takes no width. */
static void fetch(struct core *c, uint64_t address, uint32_t size, bool fused)
{
    if (address >> c->line_bits != c->fetched_line)
        fetch_line(c, address);
    else if (address != c->next)
        c->line_instructions = 0;
    look_up_decoded(c, address, fused);
    fetch_bytes(c, address, size);
    c->counts.replayed += c->loop.replays;
    double cycles = c->decoded || c->loop.replays ? 0 : later(size * c->cycles_per_byte, c->cycles_per_decoded);
    c->front += later(fused ? 0 : c->cycles_per_instruction, cycles);
    c->next = address + size;
    if ((address + size - 1) >> c->line_bits != c->fetched_line)
        fetch_line(c, address + size - 1);
}

/* ---- Front end: branches -------------------------------------------------------------------------- */

/*
 * A taken branch, identified by its last byte, finds its target in a level of BTB: that of another branch where the
 * level takes it for that one. Levels up to that one learn it.
 */
static void find_target(struct core *c, uint64_t last_byte, uint64_t target, bool conditional)
{
    const double cycles = c->design.redirect;
    bool looking = true;

    if (c->loop.replays && c->design.loop_taken > 0) {
        c->branched = c->front = later(c->front, c->branched + c->design.loop_taken);
        return;
    }
    for (size_t i = 0; i < TARGET_LEVELS && c->design.targets[i].ways && looking; i++) {
        const enum target_found found = targets_look_up(&c->targets[i], last_byte, target, conditional);
        if (found == TARGET_RIGHT) {
            c->front = later(c->front, c->branched + targets_cycles(&c->targets[i]));
            c->branched = c->front;
            return;
        }
        looking = found == TARGET_MISSING;
    }
    c->front = c->design.decodes ? c->front + cycles : later(c->front, c->branched + cycles);
    c->branched = c->front;
}

/*
 * A branch at hand that is taken ends a turn of a loop, which is replayed from then on if it is the second one alike.
 */
static void follow_loop(struct core *c, uint64_t next)
{
    struct loop *l = &c->loop;
    const bool back = next <= c->now.pc;

    if (!back && c->design.loop_taken > 0)
        return;
    l->replays = back && l->branch == c->now.pc && l->ops <= c->design.loop_ops && l->nops <= c->design.loop_nops;
    l->branch = back ? c->now.pc : 0;
    l->ops = l->nops = 0;
}

/* The branch at hand enters the history: by its last byte where instructions differ in length, else by its first. */
static void enter_history(struct core *c, uint64_t next)
{
    static const enum history_kind kinds[] = {[KIND_JUMP] = HISTORY_UNCONDITIONAL,
                                              [KIND_CALL] = HISTORY_CALL,
                                              [KIND_RETURN] = HISTORY_RETURN,
                                              [KIND_INDIRECT] = HISTORY_INDIRECT};
    const struct decoded *d = c->now.decoded;
    const uint64_t end = c->now.pc + d->size, source = isa.link ? c->now.pc : end - 1;

    if (d->kind == KIND_CONDITIONAL)
        history_enter(&c->predictor.history, next == end ? HISTORY_NOT_TAKEN : HISTORY_TAKEN, source, next);
    else if (d->kind == KIND_JUMP || d->kind == KIND_CALL || d->kind == KIND_RETURN || d->kind == KIND_INDIRECT)
        history_enter(&c->predictor.history, kinds[d->kind], source, next);
}

/* The instruction at hand has executed and is followed by the one at `next`: predictors learn, and a miss costs. */
static void resolve(struct core *c, uint64_t next)
{
    const struct decoded *d = c->now.decoded;
    double missed = 0;

    if (d->kind < KIND_CALL && next == c->now.pc + d->size) { /* most are no branches */
        c->restarted = false;
        return;
    }
    if (d->kind == KIND_RETURN)
        missed = predictor_return(&c->predictor, c->now.pc, next);
    else if (d->kind == KIND_CONDITIONAL)
        missed = predictor_conditional(&c->predictor, c->now.pc, c->now.pc + d->size, next, c->now.ends_loop);
    else if (d->kind == KIND_INDIRECT)
        missed = predictor_indirect(&c->predictor, c->now.pc, d->size, next);
    enter_history(c, next);
    if (c->design.loop_ops && next != c->now.pc + d->size)
        follow_loop(c, next);
    double again = c->now.done + c->design.penalty;
    if (missed > 0 && again > c->front)
        c->front += missed * (again - c->front);
    /* without branch target buffers, the target of a jump is known only when it is decoded */
    c->restarted = missed > 0 || (d->kind == KIND_JUMP && !c->design.targets[0].ways);
    c->fetched = missed > 0 ? c->front : c->fetched;
    const bool taken = next != c->now.pc + d->size ||
                       (d->to_next && (d->kind == KIND_JUMP || isa.is_taken(c->uc, d->bytes)));
    if (c->design.targets[0].ways && (d->kind == KIND_CONDITIONAL || d->kind == KIND_JUMP) && taken)
        find_target(c, c->now.pc + d->size - 1, next, d->kind == KIND_CONDITIONAL);
    c->counts.mispredicts += missed;
    c->counts.return_mispredicts += d->kind == KIND_RETURN ? missed : 0;
}

/* ---- Execution ---------------------------------------------------------------------------------- */

/* The next instruction in order leaves the core, not before it is done; it has written `written` registers. */
static void leave(struct core *c, double done, unsigned written)
{
    const bool counts = !(c->design.retires_entries && c->in_flight.shares);

    c->retired = later(c->retired + (counts ? c->cycles_per_retired : 0), done);
    if (c->design.retire_renames && written) {
        c->retired_writers = later(c->retired_writers, c->retired - 1) + 1.0 * written / c->design.retire_renames;
        c->retired = later(c->retired, c->retired_writers);
    }
    if (c->in_flight.limited)
        in_flight_retire(&c->in_flight, &c->design.in_flight, done, c->retired);
}

/* The instruction at hand has executed; the one at `next` follows. */
static void retire(struct core *c, uint64_t next)
{
    const struct decoded *d = c->now.decoded;

    for (unsigned i = 0; i < d->written_count; i++) {
        c->ready[d->written[i]] = c->now.done;
        c->made[d->written[i]] = d->makes;
    }
    for (unsigned i = 0; i < d->written_count && c->stores; i++)
        c->written[d->written[i]]++;
    c->latest = later(c->latest, c->now.done);
    leave(c, c->now.done, d->general_written + d->vector_written);
    if (d->kind == KIND_CALL)
        predictor_call(&c->predictor, c->now.pc + d->size);
    resolve(c, next);
    c->now.decoded = NULL;
}

static bool is_eliminated(const struct core *c, const struct decoded *d)
{
    return (d->moves && c->design.moves_eliminated) || (d->zeros && c->design.zeros_eliminated);
}

/* An instruction that is delivered faster than registers are renamed waits, and everything behind it. */
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

/* It waits for a unit and for an entry of a scheduler. One that accesses memory waits in data_access. */
static void issue(struct core *c)
{
    const struct decoded *d = c->now.decoded;
    const bool vector = d->vector_written || d->kind == KIND_ROOT;

    core_begin_on_unit(c);
    if (d->accesses || d->kind == KIND_FENCE)
        return;
    const double in = scheduler_enter(&c->scheduler, &c->design.schedulers, vector ? WAITS_VECTOR : WAITS_GENERAL,
                                      d->waits, &c->front);
    c->now.start = later(c->now.start, in);
    scheduler_leave(&c->scheduler, c->now.start);
}

/* It writes no register before an earlier instruction that does so, and what follows does not begin before it. */
static void begin_in_order(struct core *c, const struct decoded *d)
{
    for (unsigned i = 0; i < d->written_count; i++)
        c->now.start = later(c->now.start, c->ready[d->written[i]] - 1);
    c->front = later(c->front, c->now.start);
}

/* Times the next instruction of the block, up to its execution; the one before it retires. */
static void walk(struct core *c)
{
    const uint64_t address = c->walked;

    if (address - c->code.at >= c->code.count)
        c->code = *mapping_of(c, address);
    const uint64_t offset = address - c->code.at;
    uint32_t entry = c->code.decoded ? c->code.decoded[offset] : 0;
    if (!entry)
        entry = mapping_decode(&c->code, offset);
    if (!entry) { /* Unicorn cannot decode it either, and is about to fault */
        c->walk_end = c->walked;
        return;
    }
    const struct decoded *d = &decoded[code_number(entry)];
    const uint32_t size = code_size(entry);
    c->walked += size;
    if (d->repeats && c->now.decoded == d && c->now.pc == address) /* goes on with its next byte */
        return;
    if (c->now.decoded)
        retire(c, address);
    c->counts.instructions++;
    c->loop.ops += d->kind != KIND_CONDITIONAL;
    c->loop.nops += d->kind == KIND_NOP;
    c->fused = fused_has(&c->design.fuses, c->fused ? NULL : c->before, d) ||
               (c->design.nops_fuse && !c->fused && d->kind == KIND_NOP && c->front > 0);
    fetch(c, address, size, c->fused);
    const bool ends_loop = d->kind == KIND_CONDITIONAL && (d->counts || (c->before && c->before->counts));
    c->before = d;
    rename_one(c, d);
    if (d->prefetches)
        code_prefetched(c, address + (uint64_t)d->prefetches);
    if (d->kind == KIND_NOP) {
        leave(c, c->front, 0);
        return;
    }
    c->now = (struct executed){
        .decoded = d, .pc = address, .delivered = c->front, .start = c->front, .ends_loop = ends_loop};
    for (unsigned i = 0; i < d->read_count && !(d->zeros && c->design.zeros_eliminated); i++)
        c->now.start = later(c->now.start, c->ready[d->read[i]]);
    c->now.address_known = later(c->front, d->base ? c->ready[d->base] : 0);
    c->now.start = c->design.bypass.differs ? core_bypassed(c, d) : c->now.start;
    if (d->kind == KIND_FLUSH)
        data_flushed(c);
    if (d->kind == KIND_FENCE)
        c->front = c->now.start = later(c->now.start, later(c->latest, c->retired));
    c->now.done = c->now.start;
    if (is_eliminated(c, d))
        return;
    issue(c);
    if (d->kind == KIND_ZERO && c->design.block_bytes > 0) {
        c->zeroed = c->now.done = later(c->zeroed, c->now.start) + ZEROED_BYTES / c->design.block_bytes;
        return;
    }
    if (c->design.in_order)
        begin_in_order(c, d);
    c->now.done = c->now.start + (d->kind == KIND_MULTIPLY                 ? c->design.multiply
                                  : d->kind == KIND_ROOT && c->design.root ? c->design.root
                                  : c->design.bypass.differs               ? c->design.bypass.latency[d->makes]
                                                                           : 1);
}

/* Times the rest of the block, up to the instruction at `last`, that one included. */
static void walk_to(struct core *c, uint64_t last)
{
    while (c->walked < c->walk_end && c->walked <= last)
        walk(c);
}

/* Times the block up to where the program counter is, which is returned. */
static uint64_t walk_to_counter(struct core *c)
{
    uint64_t pc;

    UC(uc_reg_read(c->uc, isa.program_counter, &pc));
    walk_to(c, pc);
    return pc;
}

/* Whether the next instruction of the block that accesses data is atomic. */
static bool next_is_atomic(struct core *c)
{
    for (uint64_t at = c->walked; at < c->walk_end;) {
        const uint32_t entry = mapping_decode(&c->code, at - c->code.at), number = code_number(entry);
        if (!entry || decoded[number].accesses)
            return decoded[number].atomic;
        at += code_size(entry);
    }
    return false;
}

/*
 * Times the block up to the instruction that accesses data. Where that is atomic, Unicorn does not say which one it is:
 * then it is the next one, or, where that has read, the last one.
 */
static void walk_to_access(struct core *c, bool store)
{
    const uint64_t pc = walk_to_counter(c);

    if ((c->now.pc == pc && c->now.decoded->accesses) || (store && c->now.decoded->atomic) || !next_is_atomic(c))
        return;
    do
        walk(c);
    while (!c->now.decoded->atomic);
}

/*
 * Unicorn is about to execute a block. It calls us for blocks and for accesses to data only: if it did for every
 * instruction, translating would take longer than executing. The rest of the block before has been executed by now.
 */
static void on_block(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    (void)uc;
    struct core *c = context;

    walk_to(c, UINT64_MAX);
    c->walked = address;
    c->walk_end = address + size;
}

/* Unicorn is about to read or write data. */
static void on_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *context)
{
    (void)uc;
    struct core *c = context;
    const struct mapping *m = mapping_of(c, address);

    __builtin_prefetch(m->bytes + (address - m->at)); /* pointer chases miss the caches of this computer, too */
    walk_to_access(c, type != UC_MEM_READ);
    if (changes.call && m->at != STACK_AT) /* a call writes its stack before it reads it */
        repeats_access(&c->repeats, m->written ? m->written + frame_offset(m, address) : m->bytes + (address - m->at),
                       (size_t)size);
    data_access(c, m, type != UC_MEM_READ, address, (size_t)size, value);
}

double core_execute(struct core *c, uint64_t entry, const uint64_t arguments[2], struct window_result *result)
{
    uint64_t stack = STACK_AT + STACK_BYTES - 64;

    c->front = c->renamed = c->latest = c->retired = c->retired_writers = c->branched = c->fetched = c->fetched_left =
        c->zeroed = 0;
    memset(c->ready, 0, sizeof c->ready);
    memset(c->made, 0, sizeof c->made);
    if (c->stores)
        stores_done(c->stores);
    c->now.decoded = NULL;
    c->walked = c->walk_end = 0;
    load_store_start(&c->load_store);
    c->load_store.threads = c->threads;
    in_flight_start(&c->in_flight, &c->design.in_flight);
    scheduler_start(&c->scheduler);
    units_start(&c->units);
    units_start(&c->multipliers);
    ports_start(&c->ports, &c->design.ports);
    c->node_free = 0;
    memset(c->arriving, 0, sizeof c->arriving);
    memset(c->under_way, 0, sizeof c->under_way);
    predictor_call(&c->predictor, EXIT_AT);
    if (c->sharing)
        c->sharing->call();
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
        walk_to_counter(c);
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
    table.renewed_together = d->renewed_together;
    return table;
}

static struct core *core_make(const struct core_design *design)
{
    struct core *c = aligned_alloc(PAGE_BYTES, (sizeof *c + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);

    if (!c || design->return_stack > RETURN_STACK_MAXIMUM)
        abort();
    memset(c, 0, sizeof *c);
    c->design = *design;
    c->line_bytes = design->line_bytes ? design->line_bytes : CACHE_LINE_BYTES;
    c->page_bytes = design->page_bytes ? design->page_bytes : PAGE_BYTES;
    c->line_bits = (unsigned)__builtin_ctzll(c->line_bytes);
    c->page_bits = (unsigned)__builtin_ctzll(c->page_bytes);
    c->cycles_per_instruction = 1.0 / design->width;
    c->cycles_per_decoded = design->decoders ? 1.0 / design->decoders : 0;
    c->cycles_per_retired = design->retire ? 1.0 / design->retire : 0;
    decode_start();
    for (size_t i = 0; i < DATA_LEVELS; i++) {
        c->data[i] = cache_with_lines(design->data[i].bytes, design->data[i].ways, c->line_bytes);
        c->data[i].hashed = design->data[i].hashed;
        c->data[i].plain_bits = design->data[i].plain_bits;
        if (design->data[i].policy)
            cache_replace_by(&c->data[i], design->data[i].policy);
        if (design->data[i].duels)
            cache_duel(&c->data[i], design->data[i].duels, design->data[i].leaders, design->data[i].scattered);
    }
    c->ways = ways_new(&design->ways, c->data[0].sets, design->data[0].ways, c->line_bytes);
    prefetchers_start(&c->prefetchers, &design->prefetchers);
    c->addresses.design = design->addresses;
    c->values.design = design->values;
    c->op_cache = cache_new(design->op_cache.bytes, design->op_cache.ways);
    c->l1i = cache_with_lines(design->l1i.bytes, design->l1i.ways, c->line_bytes);
    if (design->l1i.policy)
        cache_replace_by(&c->l1i, design->l1i.policy);
    for (size_t i = 0; i < TARGET_LEVELS; i++)
        c->targets[i] = targets_new(&design->targets[i]);
    for (size_t i = 0; i < PAGE_LEVELS; i++) {
        c->pages[i] = table_new(&design->pages[i]);
        c->data_pages[i] = table_new(&design->data_pages[i]);
        c->store_pages[i] = table_new(&design->store_pages[i]);
        c->large_pages[i] = table_new(&design->large_pages[i]);
    }
    c->upper_table = table_new(&design->upper_table);
    if (design->stores.forwards)
        c->stores = stores_new(&design->stores, c->line_bytes, c->written);
    predictor_start(&c->predictor, design);
    return c;
}

static void core_watch_engine(struct core *c)
{
    uc_hook hook;

    UC(uc_hook_add(c->uc, &hook, UC_HOOK_BLOCK, (void *)on_block, c, 1, 0));
    UC(uc_hook_add(c->uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_access, c, 1, 0));
}

void core_open_engine(struct core *c)
{
    UC(uc_open(isa.uc_arch, isa.uc_mode, &c->uc));
    core_watch_engine(c);
}

struct core *core_new(const struct core_design *design)
{
    struct core *c = core_make(design);

    core_open_engine(c);
    core_map(c, STACK_AT, c->stack, STACK_BYTES, false);
    core_map(c, EXIT_AT, c->exit, PAGE_BYTES, true);
    return c;
}

/* ---- Around a program of somebody else's --------------------------------------------------------- */

static uc_engine *around;

uc_engine *core_engine(void)
{
    return around;
}

struct core *core_around(const struct core_design *design, void *engine)
{
    struct core *c = core_make(design);

    c->uc = around = engine;
    load_store_start(&c->load_store);
    in_flight_start(&c->in_flight, &c->design.in_flight);
    scheduler_start(&c->scheduler);
    core_watch_engine(c);
    return c;
}

double core_reach(struct core *c, uint64_t pc)
{
    walk_to(c, pc);
    c->walk_end = c->walked; /* the engine continues behind it, as in another block */
    return c->now.decoded ? c->now.start : core_time(c);
}

void core_free(struct core *c)
{
    while (c->mapping_count)
        core_unmap(c, c->mappings[0].at);
    uc_close(c->uc);
    for (size_t i = 0; i < DATA_LEVELS; i++)
        cache_free(&c->data[i]);
    for (size_t i = 0; i < TARGET_LEVELS; i++)
        targets_free(&c->targets[i]);
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
    predictor_stop(&c->predictor);
    stores_free(c->stores);
    repeats_free(&c->repeats);
    prefetchers_stop(&c->prefetchers);
    free(c);
}
