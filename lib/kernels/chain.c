#include "lib/kernels/chain.h"

#include <stdlib.h>

enum {
    NEAR_BYTES = 64,        /* branches that leap no farther are as short as this ISA has them */
    WINDOW_BYTES = 1 << 14, /* lines of a large page rotate over so many bytes: more are no use to any first level */
    LOOP_BYTES = 64         /* room for the loop's code */
};

const char *const chain_pattern_names[CHAIN_PATTERNS] = {"uncond", "cond", "cond-uncond", "uncond-cond"};

/* ---- Where everything is ------------------------------------------------------------------------ */

/* Slots have numbers from the last one, 0, back to the first; and so has the loop, as a target. */
static const size_t LOOP = SIZE_MAX;

static bool conditional(const struct chain *chain, size_t slot)
{
    switch (chain->pattern) {
    case CHAIN_COND: return true;
    case CHAIN_COND_UNCOND: return slot % 2;
    case CHAIN_UNCOND_COND: return slot % 2 == 0;
    default: return false;
    }
}

/* All branches of a kind have the same length, so that all pages look alike. */
static unsigned branch_bytes(const struct chain *chain, bool is_conditional)
{
    const bool near = !chain->scattered && !chain->page_bytes && chain->stride <= NEAR_BYTES;
    return emit_jump_bytes(near ? 0 : INT16_MAX + 1, is_conditional);
}

/* Where in its slot a branch ends. */
static size_t place_of(const struct chain *chain)
{
    const size_t longest = emit_jump_bytes(INT16_MAX + 1, true);

    if (chain->place)
        return chain->place;
    return chain->stride >= longest ? longest : branch_bytes(chain, true);
}

static size_t lines_of(size_t page_bytes)
{
    return (page_bytes < WINDOW_BYTES ? page_bytes : WINDOW_BYTES) / CHAIN_LINE_BYTES;
}

/*
 * The line of a slot on its page. Behind the last one all is as if there were one more, the loop's, with line 0.
 * Pages have numbers as slots have; that of a slot is so many strides in pages.
 */
static size_t line_of(const struct chain *chain, size_t slot)
{
    const size_t lines = lines_of(chain->page_bytes), page = slot * (chain->stride / chain->page_bytes);

    return lines - 1 - (slot + page / lines) % lines;
}

size_t chain_span(const struct chain *chain)
{
    return chain->count * chain->stride;
}

size_t chain_bytes(const struct chain *chain, size_t end)
{
    /* other branches of a page that shares its frame lead to all lines of the loop's page */
    return end + (chain->page_bytes ? chain->stride : place_of(chain) + LOOP_BYTES);
}

/* The offset of a slot; of a page's slot, where it lies on the page. */
static size_t slot_at(const struct chain *chain, size_t end, size_t slot)
{
    if (!chain->page_bytes)
        return slot == LOOP ? end : end - (slot + 1) * chain->stride;
    if (slot == LOOP)
        return end + chain->stride - chain->page_bytes;
    return end - slot * chain->stride - chain->page_bytes + line_of(chain, slot) * CHAIN_LINE_BYTES;
}

/* What leads to a slot goes here: to the NOPs before its branch, or to the branch itself. */
static size_t target_at(const struct chain *chain, size_t end, size_t slot)
{
    return slot_at(chain, end, slot) + place_of(chain) - branch_bytes(chain, conditional(chain, slot)) -
           chain->distance;
}

/* ---- Code --------------------------------------------------------------------------------------- */

/* What lies in a slot, at `at`; it leads `leap` bytes on. */
static void emit_slot(struct code *c, const struct chain *chain, size_t at, size_t leap, bool is_conditional)
{
    const unsigned bytes = branch_bytes(chain, is_conditional);

    emit_place(c, at);
    emit_nops(c, chain->distance);
    if (is_conditional)
        emit_jump_if_equal(c, at + leap, bytes);
    else
        emit_jump(c, at + leap, bytes);
}

/* All slots, in the order of addresses; next[i] follows slot i of the chain, counted from its first. */
static void emit_slots(struct code *c, const struct chain *chain, size_t end, const uint32_t *next)
{
    for (size_t slot = chain->count; slot-- > 0 && code_good(c);) {
        const size_t i = chain->count - 1 - slot, following = next ? next[i] : i + 1;
        const bool last = following == 0 || following == chain->count;
        const size_t at = target_at(chain, end, slot);

        emit_slot(c, chain, at, target_at(chain, end, last ? LOOP : chain->count - 1 - following) - at,
                  conditional(chain, slot));
    }
}

/* A page's slot on each of its lines: what any page of the same frame looks like. */
static void emit_lines(struct code *c, const struct chain *chain, size_t end, size_t slot)
{
    const size_t lines = lines_of(chain->page_bytes), to = slot > 0 ? slot - 1 : LOOP;
    const size_t page = end - slot * chain->stride - chain->page_bytes;
    const size_t next = page + chain->stride;
    const size_t step = to == LOOP ? 1 : (line_of(chain, to) + lines - line_of(chain, slot)) % lines;
    const size_t in_line = place_of(chain) - branch_bytes(chain, conditional(chain, slot)) - chain->distance;

    for (size_t line = 0; line < lines && code_good(c); line++)
        emit_slot(c, chain, page + line * CHAIN_LINE_BYTES + in_line,
                  next - page + (line + step) % lines * CHAIN_LINE_BYTES - line * CHAIN_LINE_BYTES,
                  conditional(chain, slot));
}

/* The loop, behind the slots. Returns where to enter. */
static size_t emit_rest(struct code *c, const struct chain *chain, size_t end)
{
    emit_place(c, target_at(chain, end, LOOP));
    emit_add_constant(c, REG_COUNT, -1);
    struct fixup done = emit_branch_if_zero_ahead(c, REG_COUNT);
    size_t entry = c->used;
    emit_compare(c, REG_DATA, REG_DATA);
    emit_branch(c, target_at(chain, end, chain->count - 1));
    emit_land(c, done);
    emit_return(c);
    return entry;
}

static bool possible(struct code *c, const struct chain *chain, size_t end)
{
    const size_t needed = chain->distance + branch_bytes(chain, chain->pattern != CHAIN_UNCOND);

    if (chain_span(chain) <= end && place_of(chain) >= needed && chain->stride >= needed)
        return true;
    c->overflow = true;
    return false;
}

size_t chain_emit(struct code *c, const struct chain *chain, size_t end, uint64_t *random)
{
    uint32_t *next = NULL;

    if (!possible(c, chain, end))
        return 0;
    if (chain->scattered && !(next = malloc(chain->count * sizeof *next))) {
        c->overflow = true;
        return 0;
    }
    if (next)
        random_cycle(next, (uint32_t)chain->count, random);
    emit_slots(c, chain, end, next);
    free(next);
    return emit_rest(c, chain, end);
}

/* The number of the slot nearest to the end on a page where lines rotate by one more: 0 where there is none. */
static size_t turning_slot(const struct chain *chain)
{
    const size_t slot = lines_of(chain->page_bytes) / (chain->stride / chain->page_bytes);

    return slot < chain->count ? slot : 0;
}

/*
 * On to the page that begins at `offset`: nothing is written up to there, no instruction and no trap either. What follows
 * is written into the frame that this page shows.
 */
static void go_to_page(struct code *c, const struct chain_room *r, size_t offset)
{
    const size_t frame = r->frames[offset / r->code.area.page_bytes] * r->code.area.page_bytes;

    c->write = (uint8_t *)((uintptr_t)r->code.area.write + frame - offset); /* not all of it is there to be written */
    c->used = offset;
}

/* The slots that lie on a page, numbered as slots are, whole pages of them. */
static void emit_page(struct code *c, const struct chain *chain, const struct chain_room *r, size_t page)
{
    const size_t page_bytes = r->code.area.page_bytes, end = r->end, per_page = page_bytes / chain->stride;
    const size_t from = (page + 1) * per_page < chain->count ? (page + 1) * per_page : chain->count;

    go_to_page(c, r, end - (page + 1) * page_bytes);
    for (size_t slot = from; slot-- > page * per_page && code_good(c);) {
        const size_t at = target_at(chain, end, slot);
        emit_slot(c, chain, at, target_at(chain, end, slot > 0 ? slot - 1 : LOOP) - at, conditional(chain, slot));
    }
}

/*
 * Of pages that share a frame only the last ones are written: page 0, and the one `lines` before it, where lines turn.
 * All others are there already, since the code says nothing of where it is.
 */
static size_t emit_frames(struct code *c, const struct chain *chain, const struct chain_room *r)
{
    const size_t end = r->end, page_bytes = r->code.area.page_bytes;
    const size_t turn = chain->page_bytes ? turning_slot(chain) : lines_of(page_bytes);

    c->invalid |= chain->scattered || (chain->page_bytes ? lines_of(page_bytes) % (chain->stride / page_bytes) != 0
                                                         : page_bytes % chain->stride != 0);
    if (!possible(c, chain, end) || c->invalid)
        return 0;
    if (chain->page_bytes) {
        for (size_t slot = turn;; slot = 0) {
            go_to_page(c, r, end - slot * chain->stride - page_bytes);
            emit_lines(c, chain, end, slot);
            if (slot == 0)
                break;
        }
    } else {
        if (turn * page_bytes < chain_span(chain))
            emit_page(c, chain, r, turn);
        emit_page(c, chain, r, 0);
    }
    go_to_page(c, r, slot_at(chain, end, LOOP));
    return emit_rest(c, chain, end);
}

/* ---- Room --------------------------------------------------------------------------------------- */

/*
 * Where in an area of so many pages an address is a multiple of `align`: from `align` on, so that slots fit before it.
 * NULL, or why there is no such area.
 */
static const char *find_end(struct chain_room *r, size_t pages, size_t page_bytes, size_t align)
{
    const size_t mark = machine_map_mark();
    struct area a;
    const char *why = machine_map_frames(&a, r->frames, pages, page_bytes, AREA_CODE);

    if (!why)
        r->end = 2 * align - a.at % align;
    machine_map_release(mark);
    return why;
}

static void shuffle(size_t *list, size_t count, uint64_t *random)
{
    for (size_t i = count; i-- > 1;) { /* Fisher and Yates (TAOCP vol. 2, 3.4.2 P) */
        const size_t other = random_below(random, i + 1), was = list[i];
        list[i] = list[other];
        list[other] = was;
    }
}

const char *chain_try_map(struct probe *p, struct chain_room *r, size_t span, size_t page_bytes,
                          enum chain_frames frames)
{
    enum { SLOTS, TURNS, REST };
    size_t align = page_bytes;

    while (align < span)
        align *= 2;
    const size_t lines = lines_of(page_bytes), pages = 2 * align / page_bytes + lines;
    *r = (struct chain_room){.kind = frames, .frames = calloc(pages, sizeof *r->frames), .mark = machine_map_mark()};
    if (!r->frames)
        return "out of memory for the order of frames";
    /* the same room again comes to lie where it was; if not, less is aligned than could be */
    const char *why = find_end(r, pages, page_bytes, align);
    if (why)
        return why;
    const size_t slots = r->end / page_bytes;
    for (size_t i = 0; i < slots; i++) {
        const size_t page = slots - 1 - i; /* numbered as slots are */
        r->frames[i] = frames != CHAIN_ONE_FRAME ? i : page > 0 && page % lines == 0 ? TURNS : SLOTS;
    }
    for (size_t i = slots; i < pages; i++)
        r->frames[i] = frames == CHAIN_ONE_FRAME ? REST : slots; /* one of these is the loop's */
    if (frames == CHAIN_SHUFFLED)
        shuffle(r->frames, slots, &p->random);
    return frames == CHAIN_ONE_FRAME ? probe_try_frames(&r->code, r->frames, pages, page_bytes)
                                     : probe_try_code(&r->code, r->frames, pages, page_bytes);
}

bool chain_map(struct probe *p, struct chain_room *r, size_t span, size_t page_bytes, enum chain_frames frames)
{
    const char *why = chain_try_map(p, r, span, page_bytes, frames);

    return !why || probe_skip(p, why);
}

void chain_unmap(struct probe *p, struct chain_room *r)
{
    probe_use_code(p, NULL);
    machine_map_release(r->mark);
    free(r->frames);
    r->frames = NULL;
}

bool chain_kernel(struct probe *p, const struct chain *chain, const struct chain_room *r, struct kernel *k)
{
    enum { PASSES = 8 }; /* until predictors and caches hold all that they will */
    const size_t page = r->code.area.page_bytes, span = chain_span(chain);
    size_t entry;

    probe_use_code(p, &r->code);
    struct code c = probe_code(p, chain_bytes(chain, r->end));
    if (r->kind == CHAIN_ONE_FRAME) {
        entry = emit_frames(&c, chain, r);
    } else {
        const size_t skip = span < r->end ? (r->end - span) / page * page : 0;
        c.write += skip;
        c.at += skip;
        c.bytes -= skip;
        entry = chain_emit(&c, chain, r->end - skip, &p->random);
    }
    *k = (struct kernel){.units = (double)chain->count + CHAIN_LOOP_BRANCHES,
                         .warm_iterations = probe_smoke(p, 2, PASSES)};
    return probe_kernel(p, &c, entry, k);
}
