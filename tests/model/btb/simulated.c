#include "tests/model/btb/simulated.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"

enum { SLOTS = 16, LINE = 64, WARM = 4, ROUNDS_AT_RANDOM = 12 };

struct entry {
    uint64_t branches[SLOTS]; /* lookups compare the first one, but for blocks; 0: empty */
    uint64_t used;            /* time of the last use; 0: the entry is empty */
};

struct buffer {
    const struct btb_organisation *is;
    struct entry *entries;
    enum replacement replacement;
    unsigned gap;
    uint32_t *trees; /* a bit for each node of a set's tree: node 1 is the root, 2n and 2n + 1 are the children of n */
    uint64_t now, random;
    /* the entry of the branch before this one, which is its first branch: this one may become its second */
    struct entry *opened;
};

static uint64_t block_of(const struct btb_organisation *o, uint64_t branch)
{
    return branch / (UINT64_C(1) << o->index.low);
}

static struct entry *set_of(const struct buffer *b, uint64_t branch)
{
    const struct btb_index *i = &b->is->index;
    uint64_t sets = UINT64_C(1) << i->set_bits, number = branch / (UINT64_C(1) << i->low);

    if (i->folded)
        number = number % sets ^ number / sets % sets;
    if (b->gap) {
        uint64_t below = UINT64_C(1) << b->gap;
        number = number % below + number / below / 2 * below;
    }
    return &b->entries[number % sets * b->is->ways];
}

static void use(struct buffer *b, struct entry *e)
{
    size_t number = (size_t)(e - b->entries);
    uint32_t *tree = &b->trees[number / b->is->ways];

    e->used = b->now;
    for (unsigned node = (unsigned)(number % b->is->ways) + b->is->ways; node > 1; node /= 2)
        if (node % 2)
            *tree &= ~(1U << node / 2);
        else
            *tree |= 1U << node / 2;
}

static struct entry *victim_in(struct buffer *b, struct entry *set)
{
    struct entry *oldest = set;
    unsigned node = 1;

    for (unsigned w = 0; w < b->is->ways; w++)
        if (!set[w].used)
            return &set[w];
    if (b->replacement == REPLACE_RANDOM)
        return &set[random_below(&b->random, b->is->ways)];
    if (b->replacement == REPLACE_OTHERS && b->is->ways > 1) {
        const struct entry *latest = set;
        for (unsigned w = 1; w < b->is->ways; w++)
            latest = set[w].used > latest->used ? &set[w] : latest;
        const size_t other = random_below(&b->random, b->is->ways - 1);
        return &set[other + (other >= (size_t)(latest - set))];
    }
    if (b->replacement == REPLACE_TREE) {
        while (node < b->is->ways)
            node = 2 * node + (b->trees[(size_t)(set - b->entries) / b->is->ways] >> node & 1);
        return &set[node - b->is->ways];
    }
    for (unsigned w = 1; w < b->is->ways; w++)
        oldest = set[w].used < oldest->used ? &set[w] : oldest;
    return oldest;
}

/* Of blocks, where any entry of the block may have the branch, or room for it. */
static bool look_up_in_blocks(struct buffer *b, uint64_t branch)
{
    const struct btb_organisation *o = b->is;
    struct entry *set = set_of(b, branch), *room = NULL;
    unsigned free_slot = 0;

    for (unsigned w = 0; w < o->ways; w++) {
        if (!set[w].used || block_of(o, set[w].branches[0]) != block_of(o, branch))
            continue;
        for (unsigned i = 0; i < o->per_entry; i++) {
            if (set[w].branches[i] == branch) {
                use(b, &set[w]);
                return true;
            }
            if (!set[w].branches[i] && !room) {
                room = &set[w];
                free_slot = i;
            }
        }
    }
    if (!room) {
        room = victim_in(b, set);
        memset(room, 0, sizeof *room);
        free_slot = 0;
    }
    room->branches[free_slot] = branch;
    use(b, room);
    return false;
}

static bool pairs(const struct btb_organisation *o, uint64_t first, bool first_conditional, uint64_t second,
                  bool second_conditional)
{
    switch (o->entry) {
    case BTB_COND_FIRST: return first_conditional && first / LINE == second / LINE;
    case BTB_UNCOND_NEXT: return !second_conditional;
    case BTB_ANY_NEXT: return true;
    default: return false;
    }
}

/* Looks a branch up, and trains. True for a hit. */
static bool look_up(struct buffer *b, uint64_t branch, bool conditional, uint64_t before, bool before_conditional)
{
    struct entry *opened = b->opened, *set = set_of(b, branch);

    b->now++;
    b->opened = NULL;
    if (b->is->entry == BTB_BLOCK)
        return look_up_in_blocks(b, branch);
    if (opened && opened->branches[0] == before && pairs(b->is, before, before_conditional, branch, conditional)) {
        bool hit = opened->branches[1] == branch;
        opened->branches[1] = branch;
        return hit;
    }
    for (unsigned w = 0; w < b->is->ways; w++)
        if (set[w].used && set[w].branches[0] == branch) {
            use(b, &set[w]);
            b->opened = &set[w];
            return true;
        }
    struct entry *e = victim_in(b, set);
    *e = (struct entry){.branches = {branch}};
    use(b, e);
    b->opened = e;
    return false;
}

/*
 * Two levels of which the second one has what the first one evicted. Returns the level that had the branch, 2 for
 * none.
 */
static size_t look_up_with_victims(struct buffer buffers[2], uint64_t branch)
{
    struct buffer *near = &buffers[0], *far = &buffers[1];
    struct entry *set = set_of(near, branch), *far_set = set_of(far, branch);
    size_t found = 2;

    near->now++;
    far->now++;
    for (unsigned w = 0; w < near->is->ways; w++)
        if (set[w].used && set[w].branches[0] == branch) {
            use(near, &set[w]);
            return 0;
        }
    for (unsigned w = 0; w < far->is->ways; w++)
        if (far_set[w].used && far_set[w].branches[0] == branch) {
            far_set[w].used = 0;
            found = 1;
        }
    struct entry *e = victim_in(near, set);
    if (e->used) {
        struct entry *into = victim_in(far, set_of(far, e->branches[0]));
        *into = (struct entry){.branches = {e->branches[0]}};
        use(far, into);
    }
    *e = (struct entry){.branches = {branch}};
    use(near, e);
    return found;
}

static bool conditional(enum branch_chain_pattern pattern, unsigned number)
{
    return pattern == BRANCH_CHAIN_COND || (pattern == BRANCH_CHAIN_COND_UNCOND && number % 2 == 0) ||
           (pattern == BRANCH_CHAIN_UNCOND_COND && number % 2 == 1);
}

double simulated_cycles(const struct simulated *s, const struct btb_sequence *row)
{
    struct buffer buffers[BTB_FIT_LEVELS] = {0};
    unsigned counted = s->replacement == REPLACE_OLDEST ? 1 : ROUNDS_AT_RANDOM;
    double cycles = 0;

    for (size_t l = 0; l < s->count; l++) {
        const struct btb_organisation *o = &s->levels[l];
        buffers[l] = (struct buffer){
            .is = o, .replacement = s->replacement, .gap = s->gap, .random = row->count + row->stride};
        buffers[l].entries = calloc((size_t)o->ways << o->index.set_bits, sizeof(struct entry));
        buffers[l].trees = calloc((size_t)1 << o->index.set_bits, sizeof *buffers[l].trees);
        if (!buffers[l].entries || !buffers[l].trees)
            abort();
    }
    for (unsigned round = 0; round < WARM + counted; round++)
        for (unsigned n = 0; n < row->count; n++) {
            unsigned m = n ? n - 1 : row->count - 1;
            uint64_t branch = s->base + (uint64_t)n * row->stride, before = s->base + (uint64_t)m * row->stride;
            size_t found = s->count;
            if (s->victims)
                found = look_up_with_victims(buffers, branch);
            else
                for (size_t l = s->count; l-- > 0;)
                    if (look_up(&buffers[l], branch, conditional(row->pattern, n), before,
                                conditional(row->pattern, m)))
                        found = l;
            if (round >= WARM)
                cycles += s->cycles[found];
        }
    for (size_t l = 0; l < s->count; l++) {
        free(buffers[l].entries);
        free(buffers[l].trees);
    }
    return cycles / counted / row->count;
}
