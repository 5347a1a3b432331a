#include "lib/kernels/branch_chain.h"

#include <stdlib.h>

#include "lib/base/random.h"

enum {
    /*
     * Instructions of a reading on a simulated core, at least. The branch that leaves the loop takes an entry, so that a
     * set that was full misses for a turn: five branches of four ways, of which each costs eight cycles more, are 40
     * cycles. Chosen: they are a hundredth, half of what points of one level may differ by (btb_levels.c).
     */
    SIMULATED_INSTRUCTIONS = 4096,
    NEAR_BYTES = 64,          /* up to this distance branches have the shortest encoding */
    ROTATION_BYTES = 1 << 14, /* of a large page over which lines rotate: no first level of a cache needs more */
    LOOP_BYTES = 64,          /* room for the loop's code */
    ADDITION_REGISTERS = 8,   /* that additions use in turn */
    OFFSET_BYTES = 8          /* from one offset of branches in their lines to the next: room for the longest branch */
};

const char *const branch_chain_pattern_names[BRANCH_CHAIN_PATTERNS] = {"uncond", "cond", "cond-uncond", "uncond-cond"};

/* ---- Addresses ---------------------------------------------------------------------------------- */

/* Slots are numbered backwards: the last one is 0. LOOP as a target is the loop behind it. */
static const size_t LOOP = SIZE_MAX;

static bool conditional(const struct branch_chain *chain, size_t slot)
{
    switch (chain->pattern) {
    case BRANCH_CHAIN_COND: return true;
    case BRANCH_CHAIN_COND_UNCOND: return slot % 2;
    case BRANCH_CHAIN_UNCOND_COND: return slot % 2 == 0;
    default: return false;
    }
}

/* All branches of a kind have the same length, so that the bytes of all pages are the same. */
static unsigned branch_bytes(const struct branch_chain *chain, bool is_conditional)
{
    const bool near = !chain->scattered && !chain->page_bytes && chain->stride <= NEAR_BYTES;
    return emit_jump_bytes(near ? 0 : INT16_MAX + 1, is_conditional);
}

/* Bytes from the beginning of a slot to the end of its branch. */
static size_t branch_end(const struct branch_chain *chain)
{
    const size_t longest = emit_jump_bytes(INT16_MAX + 1, true);

    if (chain->branch_end)
        return chain->branch_end;
    return chain->stride >= longest ? longest : branch_bytes(chain, true);
}

static size_t lines_of(size_t page_bytes)
{
    return (page_bytes < ROTATION_BYTES ? page_bytes : ROTATION_BYTES) / BRANCH_CHAIN_LINE_BYTES;
}

static size_t lines_apart(const struct branch_chain *chain)
{
    return chain->lines_apart ? chain->lines_apart : 1;
}

/* How lines rotate from page to page: calculated once for all slots. */
struct rotation {
    size_t lines, apart, pages; /* of a page; from slot to slot; from slot to slot, in pages */
};

static struct rotation rotation_of(const struct branch_chain *chain)
{
    return (struct rotation){lines_of(chain->page_bytes), lines_apart(chain), chain->stride / chain->page_bytes};
}

/*
 * The line of a slot on its page; for LOOP that which follows the line of slot 0. Pages are numbered backwards, as
 * slots are.
 */
static size_t line_of(const struct rotation *r, size_t slot)
{
    return slot == LOOP ? (r->apart - 1) % r->lines
                        : r->lines - 1 - (slot * r->apart + slot * r->pages / r->lines) % r->lines;
}

size_t branch_chain_span(const struct branch_chain *chain)
{
    return chain->count * chain->stride;
}

size_t branch_chain_bytes(const struct branch_chain *chain, size_t end)
{
    /* where pages share a frame, copies of the last branch lead to all lines of the loop's page */
    return end + (chain->page_bytes ? chain->stride : branch_end(chain) + LOOP_BYTES);
}

/* The offset of a slot's line where each slot is a page. */
static size_t page_line_at(const struct branch_chain *chain, const struct rotation *r, size_t end, size_t slot)
{
    const size_t after = slot == LOOP ? end + chain->stride : end - slot * chain->stride;

    return after - chain->page_bytes + line_of(r, slot) * BRANCH_CHAIN_LINE_BYTES;
}

/* The offset of a slot, or of its line on the page where each slot is a page. */
static size_t slot_at(const struct branch_chain *chain, size_t end, size_t slot)
{
    if (!chain->page_bytes)
        return slot == LOOP ? end : end - (slot + 1) * chain->stride;
    const struct rotation r = rotation_of(chain);
    return page_line_at(chain, &r, end, slot);
}

static void emit_addition(struct code *c, size_t index)
{
    const enum reg r = (enum reg)(REG_T0 + index % ADDITION_REGISTERS);

    emit_add(c, r, r);
}

size_t branch_chain_addition_bytes(void)
{
    uint8_t bytes[LOOP_BYTES];
    struct code c = {.write = bytes, .at = (uintptr_t)bytes, .bytes = sizeof bytes};

    emit_addition(&c, 0);
    return c.used;
}

/* Bytes of NOPs and additions between a target and its branch. */
static size_t filler_bytes(const struct branch_chain *chain)
{
    return chain->nop_bytes + (chain->additions ? chain->additions * branch_chain_addition_bytes() : 0);
}

/* Bytes from the beginning of a slot to where branches to it lead: its NOPs, its additions, or its branch. */
static size_t target_in_slot(const struct branch_chain *chain, bool is_conditional)
{
    return branch_end(chain) - branch_bytes(chain, is_conditional) - filler_bytes(chain);
}

/*
 * Where in its line a slot is, in bytes. The number of the line and this offset are the two coordinates of Sobol's
 * sequence: of 2^(a + b) slots that follow each other, from a multiple of that on, exactly one has each value of the a
 * lowest address bits above a line and the b highest within. So they are spread evenly over the sets of any such index.
 * Source: Sobol 1967; the second coordinate's bit k is the parity of the bits j of the slot with C(j, k) odd. For the
 * three bits here that depends on j modulo 4 alone, so that it is calculated for four bits at once.
 */
static size_t offset_in_line(const struct branch_chain *chain, size_t slot)
{
    static const uint8_t of_four_bits[16] = {0, 4, 6, 2, 5, 1, 3, 7, 7, 3, 1, 5, 2, 6, 4, 0};
    size_t folded = slot ^ slot >> 16; /* there are fewer than 2^32 slots */

    if (!chain->offsets_differ || slot == LOOP)
        return 0;
    folded ^= folded >> 8;
    folded ^= folded >> 4;
    return of_four_bits[folded % 16] * (size_t)OFFSET_BYTES;
}

/* The offset that branches to a slot lead to. */
static size_t target_at(const struct branch_chain *chain, size_t end, size_t slot)
{
    return slot_at(chain, end, slot) + offset_in_line(chain, slot) + target_in_slot(chain, conditional(chain, slot));
}

/* ---- Code --------------------------------------------------------------------------------------- */

/* The code of a slot at offset `at`: NOPs, additions, and a branch to `at + leap`. */
static void emit_slot(struct code *c, const struct branch_chain *chain, size_t at, size_t leap, bool is_conditional)
{
    const unsigned bytes = branch_bytes(chain, is_conditional);

    emit_place(c, at);
    emit_nops(c, chain->nop_bytes);
    for (size_t i = 0; i < chain->additions; i++)
        emit_addition(c, i);
    if (is_conditional)
        emit_jump_if_equal(c, at + leap, bytes);
    else
        emit_jump(c, at + leap, bytes);
}

/*
 * Slots from - 1 … to in the order of addresses. next[i] is the successor of slot i, both counted forwards; NULL: i + 1.
 */
static void emit_slots(struct code *c, const struct branch_chain *chain, size_t end, const uint32_t *next, size_t from,
                       size_t to)
{
    for (size_t slot = from; slot-- > to && code_good(c);) {
        const size_t i = chain->count - 1 - slot, following = next ? next[i] : i + 1;
        const bool last = following == 0 || following == chain->count;
        const size_t at = target_at(chain, end, slot);

        emit_slot(c, chain, at, target_at(chain, end, last ? LOOP : chain->count - 1 - following) - at,
                  conditional(chain, slot));
    }
}

/*
 * One slot on each page or line, in the order of addresses. The rest of a page or line is not written: it may be long. A
 * slot that leads as far as an earlier one is a copy of that.
 */
static void emit_apart(struct code *c, const struct branch_chain *chain, size_t end)
{
    enum { KEPT = 16 }; /* distances between offsets of two lines: 15 */
    struct {
        size_t leap;
        struct code before, after;
    } kept[KEPT];
    const struct rotation r = chain->page_bytes ? rotation_of(chain) : (struct rotation){.lines = 1};
    const size_t in_slot[] = {target_in_slot(chain, false), target_in_slot(chain, true)};
    size_t at = target_at(chain, end, chain->count - 1);

    for (size_t i = 0; i < KEPT; i++)
        kept[i].leap = 0;
    for (size_t slot = chain->count; slot-- > 0 && code_good(c);) {
        const size_t next = slot > 0 ? slot - 1 : LOOP;
        const size_t line = chain->page_bytes ? page_line_at(chain, &r, end, next) : slot_at(chain, end, next);
        const size_t to = line + offset_in_line(chain, next) + in_slot[conditional(chain, next)];
        const size_t leap = to - at, i = leap / OFFSET_BYTES % KEPT;
        if (at >= c->used)
            c->used = at;
        if (leap == kept[i].leap && chain->pattern <= BRANCH_CHAIN_COND) {
            emit_copy_between(c, &kept[i].before, &kept[i].after);
        } else {
            kept[i].leap = leap;
            kept[i].before = *c;
            emit_slot(c, chain, at, leap, conditional(chain, slot));
            kept[i].after = *c;
        }
        at = to;
    }
}

/* Slots from - 1 … to, each with a branch to the next one: what repeats is emitted once, behind the first, and copied. */
static void emit_alike(struct code *c, const struct branch_chain *chain, size_t end, size_t from, size_t to)
{
    const size_t period = chain->pattern > BRANCH_CHAIN_COND ? 2 : 1, count = from - to;

    if (count < 3 * period) {
        emit_slots(c, chain, end, NULL, from, to);
        return;
    }
    emit_slots(c, chain, end, NULL, from, from - period);
    const struct code before = *c;
    emit_slots(c, chain, end, NULL, from - period, from - 2 * period);
    emit_repeat(c, &before, count / period - 1);
    emit_slots(c, chain, end, NULL, to + count % period, to);
}

/* Emits the slot of a page on each line of the page: the content of the frame that such pages share. */
static void emit_lines(struct code *c, const struct branch_chain *chain, size_t end, size_t slot)
{
    const struct rotation r = rotation_of(chain);
    const size_t lines = r.lines, to = slot > 0 ? slot - 1 : LOOP;
    const size_t page = end - slot * chain->stride - chain->page_bytes;
    const size_t next = page + chain->stride;
    const size_t step = (line_of(&r, to) + lines - line_of(&r, slot)) % lines;
    const size_t in_line = target_in_slot(chain, conditional(chain, slot));

    for (size_t line = 0; line < lines && code_good(c); line++)
        emit_slot(c, chain, page + line * BRANCH_CHAIN_LINE_BYTES + in_line,
                  next - page + (line + step) % lines * BRANCH_CHAIN_LINE_BYTES - line * BRANCH_CHAIN_LINE_BYTES,
                  conditional(chain, slot));
}

/*
 * The loop up to its branch to offset `first`. Stores the offset of the entry. Returns the branch that ends the loop.
 */
static struct fixup emit_turn(struct code *c, size_t first, size_t *entry)
{
    emit_add_constant(c, REG_COUNT, -1);
    const struct fixup done = emit_branch_if_zero_ahead(c, REG_COUNT);
    *entry = c->used;
    emit_compare(c, REG_DATA, REG_DATA);
    emit_branch(c, first);
    return done;
}

/* The loop behind the slots. Returns the offset of the entry. */
static size_t emit_chain_loop(struct code *c, const struct branch_chain *chain, size_t end)
{
    size_t entry;

    emit_place(c, target_at(chain, end, LOOP));
    const struct fixup done = emit_turn(c, target_at(chain, end, chain->count - 1), &entry);
    emit_land(c, done);
    emit_return(c);
    return entry;
}

int branch_chain_last_at(enum branch_chain_pattern pattern, unsigned stride)
{
    const struct branch_chain chain = {.pattern = pattern, .stride = stride};
    uint8_t bytes[LOOP_BYTES];
    struct code c = {.write = bytes, .at = (uintptr_t)bytes, .bytes = sizeof bytes};
    size_t entry;

    emit_turn(&c, 0, &entry);
    const int end = (int)branch_end(&chain),
              last = end + (int)c.used - (int)branch_bytes(&chain, conditional(&chain, LOOP));
    return -last ^ ((int)stride - end);
}

static bool check_room(struct code *c, const struct branch_chain *chain, size_t end)
{
    const size_t needed = filler_bytes(chain) + branch_bytes(chain, chain->pattern != BRANCH_CHAIN_UNCOND);

    if (branch_chain_span(chain) <= end && branch_end(chain) >= needed && chain->stride >= needed &&
        (!chain->offsets_differ || (needed <= OFFSET_BYTES && chain->stride >= BRANCH_CHAIN_LINE_BYTES)))
        return true;
    c->overflow = true;
    return false;
}

size_t branch_chain_emit(struct code *c, const struct branch_chain *chain, size_t end, uint64_t *random)
{
    uint32_t *next = NULL;

    if (!check_room(c, chain, end))
        return 0;
    if (chain->scattered && !(next = malloc(chain->count * sizeof *next))) {
        c->overflow = true;
        return 0;
    }
    if (next) {
        random_cycle(next, (uint32_t)chain->count, random);
        emit_slots(c, chain, end, next, chain->count, 0);
    } else if (chain->page_bytes || chain->offsets_differ) {
        emit_apart(c, chain, end);
    } else {
        emit_alike(c, chain, end, chain->count, 0);
    }
    free(next);
    return emit_chain_loop(c, chain, end);
}

/* The slot nearest to the end on a page where lines rotate by one more; 0: there is none. */
static size_t turning_slot(const struct branch_chain *chain)
{
    const size_t slot = lines_of(chain->page_bytes) / (chain->stride / chain->page_bytes);

    return slot < chain->count ? slot : 0;
}

/* Continues at `offset`, in the frame that its page is mapped to. Nothing before it is written. */
static void move_to(struct code *c, const struct branch_chain_room *r, size_t offset)
{
    const size_t page_bytes = r->code.area.page_bytes, page = offset / page_bytes;

    /* only the frames are writable, not every page */
    c->write = (uint8_t *)((uintptr_t)r->code.area.write + r->frames[page] * page_bytes - page * page_bytes);
    c->used = offset;
}

/* All slots on a page, where a page has several; `page` is numbered as slots are. */
static void emit_page(struct code *c, const struct branch_chain *chain, const struct branch_chain_room *r, size_t page)
{
    const size_t page_bytes = r->code.area.page_bytes, end = r->end, per_page = page_bytes / chain->stride;
    const size_t from = (page + 1) * per_page < chain->count ? (page + 1) * per_page : chain->count;

    move_to(c, r, end - (page + 1) * page_bytes);
    emit_alike(c, chain, end, from, page * per_page);
}

/*
 * Of the pages that share a frame only one is written: page 0, and the page before it where lines rotate by one more,
 * which has a frame of its own. The others show the same bytes, since the code does not depend on its address.
 */
static size_t emit_frames(struct code *c, const struct branch_chain *chain, const struct branch_chain_room *r)
{
    const size_t end = r->end, page_bytes = r->code.area.page_bytes;
    const size_t turn = chain->page_bytes ? turning_slot(chain) : lines_of(page_bytes);

    c->invalid |= chain->scattered || chain->offsets_differ ||
                  (chain->page_bytes ? lines_of(page_bytes) % (chain->stride / page_bytes) != 0
                                     : page_bytes % chain->stride != 0);
    if (!check_room(c, chain, end) || c->invalid)
        return 0;
    if (chain->page_bytes) {
        for (size_t slot = turn;; slot = 0) {
            move_to(c, r, end - slot * chain->stride - page_bytes);
            emit_lines(c, chain, end, slot);
            if (slot == 0)
                break;
        }
    } else {
        if (turn * page_bytes < branch_chain_span(chain))
            emit_page(c, chain, r, turn);
        emit_page(c, chain, r, 0);
    }
    move_to(c, r, slot_at(chain, end, LOOP));
    return emit_chain_loop(c, chain, end);
}

/* ---- Room --------------------------------------------------------------------------------------- */

/*
 * Sets r->end to an offset, at least `align`, whose address is a multiple of `align`, by mapping the area once. NULL,
 * or why it cannot be mapped.
 */
static const char *find_end(struct branch_chain_room *r, size_t pages, size_t page_bytes, size_t align)
{
    const size_t mark = machine_map_mark();
    struct area a;
    const char *why = machine_map_frames(&a, r->frames, pages, page_bytes, AREA_CODE);

    if (!why)
        r->end = 2 * align - a.at % align;
    machine_map_release(mark);
    return why;
}

/* Maps pages as the platform gives them: code is written and executed in one area, and no frame is chosen. */
static const char *map_in_order(struct branch_chain_room *r, size_t pages, size_t page_bytes, size_t align)
{
    struct area a;
    const char *why = machine_map(&a, pages * page_bytes, page_bytes, AREA_CODE);

    if (!why) {
        r->code = (struct code_frames){.area = a, .written = a};
        r->end = 2 * align - a.at % align;
    }
    return why;
}

const char *branch_chain_try_map(struct probe *p, struct branch_chain_room *r, size_t span, size_t page_bytes,
                                 enum branch_chain_frames frames)
{
    enum { SLOTS, EXTRA_ROTATION, LOOP_FRAME };
    size_t align = page_bytes;

    while (align < span)
        align *= 2;
    const size_t lines = lines_of(page_bytes), pages = 2 * align / page_bytes + lines;
    *r = (struct branch_chain_room){.kind = frames, .mark = machine_map_mark()};
    if (frames == BRANCH_CHAIN_IN_ORDER)
        return map_in_order(r, pages, page_bytes, align);
    r->frames = calloc(pages, sizeof *r->frames);
    if (!r->frames)
        return "out of memory for the order of frames";
    /* the second mapping is at the same address; if it is not, the slots are less aligned than possible */
    const char *why = find_end(r, pages, page_bytes, align);
    if (why)
        return why;
    const size_t slots = r->end / page_bytes;
    for (size_t i = 0; i < slots; i++) {
        const size_t page = slots - 1 - i; /* numbered backwards, as slots are */
        r->frames[i] = frames != BRANCH_CHAIN_ONE_FRAME ? i : page > 0 && page % lines == 0 ? EXTRA_ROTATION : SLOTS;
    }
    for (size_t i = slots; i < pages; i++)
        r->frames[i] = frames == BRANCH_CHAIN_ONE_FRAME ? LOOP_FRAME : slots; /* one of these is the loop's */
    if (frames == BRANCH_CHAIN_SHUFFLED)
        random_shuffle(r->frames, slots, sizeof r->frames[0], &p->random);
    return frames == BRANCH_CHAIN_ONE_FRAME ? probe_try_frames(&r->code, r->frames, pages, page_bytes)
                                            : probe_try_code(&r->code, r->frames, pages, page_bytes);
}

bool branch_chain_map(struct probe *p, struct branch_chain_room *r, size_t span, size_t page_bytes,
                      enum branch_chain_frames frames)
{
    const char *why = branch_chain_try_map(p, r, span, page_bytes, frames);

    return !why || probe_skip(p, why);
}

void branch_chain_unmap(struct probe *p, struct branch_chain_room *r)
{
    probe_use_code(p, NULL);
    machine_map_release(r->mark);
    free(r->frames);
    r->frames = NULL;
}

/*
 * Makes the core see the line of each page that has a branch, and not the rest of the page: an instruction cache is
 * invalidated line by line. Moves *c, which begins at `skip`, to the page of the loop; returns by how much.
 */
static size_t show_lines(struct code *c, const struct branch_chain *chain, const struct branch_chain_room *r,
                         size_t skip)
{
    const struct rotation rotation = rotation_of(chain);
    const size_t moved = r->end - skip;

    for (size_t slot = 0; slot < chain->count; slot++)
        machine_code_written(&r->code.area, page_line_at(chain, &rotation, r->end, slot), BRANCH_CHAIN_LINE_BYTES);
    c->write += moved;
    c->at += moved;
    c->bytes -= moved;
    c->used -= moved;
    return moved;
}

bool branch_chain_kernel(struct probe *p, const struct branch_chain *chain, const struct branch_chain_room *r,
                         struct kernel *k)
{
    /* iterations before measuring: predictors and caches have learnt all that they can then; of fewer, what counts */
    enum { PASSES = 8, SIMULATED_PASSES = 3, SMOKE_PASSES = 2 };
    const size_t page = r->code.area.page_bytes, span = branch_chain_span(chain);
    size_t entry;

    probe_use_code(p, &r->code);
    struct code c = probe_code(p, branch_chain_bytes(chain, r->end));
    if (r->kind == BRANCH_CHAIN_ONE_FRAME) {
        entry = emit_frames(&c, chain, r);
    } else {
        const size_t skip = span < r->end ? (r->end - span) / page * page : 0;
        c.write += skip;
        c.at += skip;
        c.bytes -= skip;
        entry = branch_chain_emit(&c, chain, r->end - skip, &p->random);
        if (!r->frames && chain->page_bytes && code_good(&c))
            entry -= show_lines(&c, chain, r, skip);
    }
    *k = (struct kernel){.units = (double)chain->count + BRANCH_CHAIN_LOOP_BRANCHES,
                         .round = probe_simulated(p, SIMULATED_INSTRUCTIONS / (double)c.work.instructions, 0),
                         .warm_iterations = probe_smoke(p, SMOKE_PASSES, probe_simulated(p, SIMULATED_PASSES, PASSES))};
    return probe_kernel(p, &c, entry, k);
}
