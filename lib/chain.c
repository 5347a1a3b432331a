#include "lib/chain.h"

#include <stdlib.h>

enum {
    NEAR_BYTES = 64, /* branches that leap no farther are as short as this ISA has them */
    WINDOW_BYTES =
        1 << 14,    /* lines of a large page rotate over so many bytes: more tell no instruction cache anything */
    LOOP_BYTES = 64 /* room for the loop's code; all of it is there */
};

const char *const chain_pattern_names[CHAIN_PATTERNS] = {"uncond", "cond", "cond-uncond", "uncond-cond"};

/* Whether the slot is that of a conditional branch; `back` is its number from the last one, 0, on. */
static bool conditional(const struct chain *chain, size_t back)
{
    switch (chain->pattern) {
    case CHAIN_COND: return true;
    case CHAIN_COND_UNCOND: return back % 2;
    case CHAIN_UNCOND_COND: return back % 2 == 0;
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

static size_t pages_of(const struct chain *chain)
{
    return (chain->count + chain->per_page - 1) / chain->per_page;
}

size_t chain_span(const struct chain *chain)
{
    return (chain->page_bytes ? pages_of(chain) : chain->count) * chain->stride;
}

size_t chain_bytes(const struct chain *chain, size_t room)
{
    return room + place_of(chain) + LOOP_BYTES;
}

/* The offset of the slot from the end of the room, backwards. */
static size_t slot_back(const struct chain *chain, size_t back)
{
    if (!chain->page_bytes)
        return (back + 1) * chain->stride;

    const size_t lines = (chain->page_bytes < WINDOW_BYTES ? chain->page_bytes : WINDOW_BYTES) / CHAIN_LINE_BYTES;
    const size_t page = back / chain->per_page, within = chain->per_page - 1 - back % chain->per_page;
    const size_t gap = lines / chain->per_page, rotation = gap - 1 - (page + back / lines) % gap;
    return (page + 1) * chain->stride - (within * gap + rotation) * CHAIN_LINE_BYTES;
}

/* Where the branch of a slot begins; behind the last slot, back == SIZE_MAX, the loop. */
static size_t branch_at(const struct chain *chain, size_t room, size_t back)
{
    const size_t slot = back == SIZE_MAX ? 0 : slot_back(chain, back);
    return room - slot + place_of(chain) - branch_bytes(chain, conditional(chain, back));
}

static void emit_chain_jump(struct code *c, size_t target, unsigned bytes, bool is_conditional)
{
    if (is_conditional)
        emit_jump_if_equal(c, target, bytes);
    else
        emit_jump(c, target, bytes);
}

/* What the loop's jump and all branches of the chain lead to: the NOPs before a branch, or it itself. */
static size_t target_at(const struct chain *chain, size_t room, size_t back)
{
    return branch_at(chain, room, back) - chain->distance;
}

/* Slots in the order of addresses; next[i] is the slot, from the first one on, that comes behind slot i. */
static void emit_slots(struct code *c, const struct chain *chain, size_t room, const uint32_t *next)
{
    for (size_t i = 0; i < chain->count && code_good(c); i++) {
        const size_t back = chain->count - 1 - i, following = next ? next[i] : i + 1;
        const bool last = next ? following == 0 : following == chain->count;
        const size_t to = target_at(chain, room, last ? SIZE_MAX : chain->count - 1 - following);
        const bool is_conditional = conditional(chain, back);

        emit_place(c, target_at(chain, room, back));
        emit_nops(c, chain->distance);
        emit_chain_jump(c, to, branch_bytes(chain, is_conditional), is_conditional);
    }
}

size_t chain_emit(struct code *c, const struct chain *chain, size_t room, uint64_t *random)
{
    uint32_t *next = NULL;

    if (chain_span(chain) > room ||
        place_of(chain) < chain->distance + branch_bytes(chain, chain->pattern != CHAIN_UNCOND) ||
        (chain->scattered && !(next = malloc(chain->count * sizeof *next)))) {
        c->overflow = true;
        return 0;
    }
    if (next)
        random_cycle(next, (uint32_t)chain->count, random);
    emit_slots(c, chain, room, next);
    free(next);

    emit_place(c, target_at(chain, room, SIZE_MAX));
    emit_add_constant(c, REG_COUNT, -1);
    struct fixup done = emit_branch_if_zero_ahead(c, REG_COUNT);
    size_t entry = c->used;
    emit_compare(c, REG_DATA, REG_DATA);
    emit_branch(c, target_at(chain, room, chain->count - 1));
    emit_land(c, done);
    emit_return(c);
    return entry;
}

bool chain_kernel(struct probe *p, const struct chain *chain, const struct code *c, size_t entry, struct kernel *k)
{
    enum { PASSES = 10 }; /* until predictors and caches hold all that they will */

    *k = (struct kernel){.units = (double)chain->count + CHAIN_LOOP_BRANCHES,
                         .warm_iterations = probe_smoke(p, 2, PASSES)};
    return probe_kernel(p, c, entry, k);
}
