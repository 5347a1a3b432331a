#include "lib/structure/btb_sequence.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

const char *const btb_entry_names[BTB_ENTRIES] = {"single", "block", "cond-first", "uncond-next", "any-next"};

enum {
    LINE_BYTES = 64,
    COUNT_BITS = 18,      /* in BTB_COUNT_MOST */
    RUNS = 9 * COUNT_BITS /* a line of sixteen branches, of two types in turn, has at most nine kinds of entries */
};

/* An aligned run of 2^order slots, layout.pitch bytes apart. All entries of one slot have the same index. */
struct run {
    uint64_t start; /* address */
    unsigned order;
    unsigned entries, branches; /* in each slot; more than one entry where the branches of a block do not fit one */
};

/* The entries of a sequence, as runs of descending order. */
struct layout {
    uint64_t pitch; /* bytes from one slot of a run to the next */
    struct run runs[RUNS];
    size_t count;
};

/* ---- From branches to entries ------------------------------------------------------------------- */

static void add_run(struct layout *l, struct run s)
{
    size_t i = l->count++;

    for (; i > 0 && l->runs[i - 1].order < s.order; i--)
        l->runs[i] = l->runs[i - 1];
    l->runs[i] = s;
}

/* Adds `slots` slots from `start` on, divided into aligned runs. */
static void add_slots(struct layout *l, uint64_t start, unsigned slots, unsigned entries, unsigned branches)
{
    unsigned done = 0;

    for (unsigned order = COUNT_BITS; order-- > 0;)
        if (slots >> order & 1) {
            add_run(l, (struct run){start + done * l->pitch, order, entries, branches});
            done += 1U << order;
        }
}

static unsigned divide_up(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

/*
 * BTB_COND_FIRST for lines of unconditional and conditional branches in turn that begin with an unconditional one. That
 * one has an entry of its own; each conditional one shares its entry with the next branch, except the last one of the
 * line, since its next branch is in another line.
 */
static void add_shifted_pairs(struct layout *l, const struct btb_sequence *sequence)
{
    unsigned stride = sequence->stride, line = LINE_BYTES / stride, lines = sequence->count / line,
             rest = sequence->count % line;

    l->pitch = LINE_BYTES;
    add_slots(l, 0, lines, 1, 1);
    for (unsigned i = 1; i < line; i += 2)
        add_slots(l, i * stride, lines, 1, i + 1 < line ? 2 : 1);
    for (unsigned i = 0; i < rest; i += i == 0 ? 1 : 2)
        add_run(l, (struct run){(uint64_t)lines * LINE_BYTES + i * stride, 0, 1, i % 2 && i + 1 < rest ? 2 : 1});
}

static bool in_one_line(const struct btb_sequence *sequence)
{
    return sequence->count * (uint64_t)sequence->stride <= LINE_BYTES;
}

static bool joins(const struct btb_index *index, enum btb_entry entry, const struct btb_sequence *sequence)
{
    switch (entry) {
    case BTB_BLOCK: return index && sequence->stride < 1U << index->low;
    case BTB_COND_FIRST:
        if (sequence->last_at)
            return sequence->pattern != BRANCH_CHAIN_UNCOND && sequence->stride < LINE_BYTES;
        return sequence->pattern != BRANCH_CHAIN_UNCOND &&
               (sequence->stride < (sequence->pattern == BRANCH_CHAIN_UNCOND_COND ? LINE_BYTES / 2 : LINE_BYTES) ||
                in_one_line(sequence));
    case BTB_UNCOND_NEXT: return sequence->pattern != BRANCH_CHAIN_COND || sequence->last_at;
    case BTB_ANY_NEXT: return true;
    default: return false;
    }
}

/* `count` branches, of which up to per_entry of an aligned block share an entry. */
static void add_blocks(struct layout *l, const struct btb_index *index, unsigned per_entry, unsigned stride,
                       unsigned count)
{
    const unsigned block = (1U << index->low) / stride, blocks = count / block, rest = count % block;

    l->pitch = UINT64_C(1) << index->low;
    add_slots(l, 0, blocks, divide_up(block, per_entry), block);
    if (rest)
        add_run(l, (struct run){blocks * l->pitch, 0, divide_up(rest, per_entry), rest});
}

/*
 * BTB_COND_FIRST for conditional branches that are executed from the highest number on: in each line they share entries
 * two by two, and one that is left has an entry of its own.
 */
static void add_pairs_of_lines(struct layout *l, unsigned stride, unsigned count)
{
    const unsigned line = LINE_BYTES / stride, lines = count / line;

    l->pitch = 2 * (uint64_t)stride;
    add_slots(l, stride, lines * line / 2, 1, 2);
    for (unsigned i = count % line; i > 0; i -= i > 1 ? 2 : 1)
        add_run(l, (struct run){((uint64_t)lines * line + i - 1) * stride, 0, 1, i > 1 ? 2 : 1});
}

/* Whether the first branch of a pair is the second one of another pair in the next turn, so that each has an entry. */
static bool alternates(enum btb_entry entry, const struct btb_sequence *sequence)
{
    return sequence->count % 2 &&
           (entry == BTB_ANY_NEXT || (entry == BTB_UNCOND_NEXT && sequence->pattern == BRANCH_CHAIN_UNCOND));
}

/* A chain with a last branch that differs. The others are numbered from the last one to be executed on. */
static void lay_out_chain(const struct btb_index *index, enum btb_entry entry, unsigned per_entry,
                          const struct btb_sequence *sequence, struct layout *l)
{
    const unsigned others = sequence->count - 1;
    struct run last = {(uint64_t)sequence->last_at, 0, 1, 1};

    if (!joins(index, entry, sequence) || alternates(entry, sequence))
        add_slots(l, 0, others, 1, 1);
    else if (entry == BTB_BLOCK)
        add_blocks(l, index, per_entry, sequence->stride, others);
    else if (entry == BTB_COND_FIRST)
        add_pairs_of_lines(l, sequence->stride, others);
    else if (entry == BTB_UNCOND_NEXT && sequence->pattern == BRANCH_CHAIN_COND) {
        add_slots(l, 0, others, 1, 1);
        last = (struct run){0, 0, 0, 1}; /* it is in the entry of the one before it, number 0 */
    } else {
        l->pitch = 2 * (uint64_t)sequence->stride;
        add_slots(l, sequence->stride, others / 2, 1, 2);
        last.branches = 2; /* and the one that it leads to */
    }
    add_run(l, last);
}

static void lay_out(const struct btb_index *index, enum btb_entry entry, unsigned per_entry,
                    const struct btb_sequence *sequence, struct layout *l)
{
    l->count = 0;
    l->pitch = sequence->stride;
    if (sequence->last_at)
        lay_out_chain(index, entry, per_entry, sequence, l);
    else if (!joins(index, entry, sequence))
        add_slots(l, 0, sequence->count, 1, 1);
    else if (entry == BTB_BLOCK)
        add_blocks(l, index, per_entry, sequence->stride, sequence->count);
    else if (entry == BTB_COND_FIRST && sequence->pattern == BRANCH_CHAIN_UNCOND_COND && !in_one_line(sequence))
        add_shifted_pairs(l, sequence);
    else {
        /* where unconditional comes first, the first branch shares its entry with the last one of the sequence */
        bool shifted = entry != BTB_ANY_NEXT && sequence->pattern == BRANCH_CHAIN_UNCOND_COND;
        l->pitch = 2 * (uint64_t)sequence->stride;
        add_slots(l, shifted ? sequence->stride : 0, sequence->count / 2, 1, 2);
    }
}

/* ---- From entries to sets ----------------------------------------------------------------------- */

static uint64_t set_of(const struct btb_index *index, uint64_t address)
{
    uint64_t mask = (UINT64_C(1) << index->set_bits) - 1, bits = address >> index->low;

    return (index->folded ? bits ^ bits >> index->set_bits : bits) & mask;
}

/*
 * The images, under the index, of the subspaces that runs of order 0, 1, 2 … span. They are nested, so one basis in
 * echelon form describes all: pivot[b] has b as its highest bit and belongs to the images from order from[b] on.
 */
struct images {
    uint64_t pivot[BTB_SET_BITS_MOST];
    unsigned from[BTB_SET_BITS_MOST];
    unsigned rank[COUNT_BITS + 1]; /* of the image, by order */
};

static unsigned highest(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

/*
 * The lowest order whose image contains `x`; UINT32_MAX: none does. *rest: x reduced by the basis, 0 if it is in its
 * span.
 */
static unsigned order_of(const struct images *v, uint64_t x, uint64_t *rest)
{
    unsigned order = 0;

    for (; x; x ^= v->pivot[highest(x)]) {
        unsigned b = highest(x);
        if (!v->pivot[b]) {
            *rest = x;
            return UINT32_MAX;
        }
        order = v->from[b] > order ? v->from[b] : order;
    }
    *rest = 0;
    return order;
}

static void span(struct images *v, const struct btb_index *index, uint64_t pitch, unsigned orders)
{
    memset(v, 0, sizeof *v);
    for (unsigned order = 1; order <= orders; order++) {
        uint64_t rest;
        v->rank[order] = v->rank[order - 1];
        order_of(v, set_of(index, pitch << (order - 1)), &rest);
        if (rest) {
            v->pivot[highest(rest)] = rest;
            v->from[highest(rest)] = order;
            v->rank[order]++;
        }
    }
}

/* Adds `sets` sets (removes them if negative) that each get `wanted` entries with `branches` branches to most[]. */
static void count_sets(double sets, unsigned wanted, unsigned branches, unsigned per_entry, double most[BTB_WAYS + 1])
{
    for (unsigned w = 1; most && w <= BTB_WAYS; w++)
        most[w] += sets * (wanted <= w || w * per_entry >= branches ? branches : w * per_entry);
}

void btb_sequence_resident(const struct btb_index *index, enum btb_entry entry, unsigned per_entry,
                           const struct btb_sequence *sequence, unsigned resident[BTB_WAYS + 1],
                           double most[BTB_WAYS + 1])
{
    struct layout l;
    struct images images;
    uint64_t sets[RUNS];

    lay_out(index, entry, per_entry, sequence, &l);
    span(&images, index, l.pitch, l.runs[0].order);
    memset(resident, 0, (BTB_WAYS + 1) * sizeof resident[0]);
    if (most)
        memset(most, 0, (BTB_WAYS + 1) * sizeof most[0]);
    const unsigned each_entry = joins(index, entry, sequence) ? entry == BTB_BLOCK ? per_entry : 2 : 1;
    for (size_t i = 0; i < l.count; i++) {
        const struct run *s = &l.runs[i];
        unsigned wanted = 0, branches = 0, reached = 1U << images.rank[s->order];
        sets[i] = set_of(index, s->start);
        /* a longer run gives each set of this one equally many entries, or none */
        for (size_t k = 0; k < i; k++) {
            const struct run *other = &l.runs[k];
            unsigned each = 1U << (other->order - images.rank[other->order]);
            uint64_t rest;
            if (order_of(&images, sets[i] ^ sets[k], &rest) <= other->order) {
                wanted += each * other->entries;
                branches += each * other->branches;
            }
        }
        if (wanted <= BTB_WAYS)
            resident[wanted] -= branches * reached;
        count_sets(-(double)reached, wanted, branches, each_entry, most);
        wanted += (s->entries << s->order) / reached;
        branches += (s->branches << s->order) / reached;
        if (wanted <= BTB_WAYS)
            resident[wanted] += branches * reached;
        count_sets(reached, wanted, branches, each_entry, most);
    }
    for (unsigned w = 1; w <= BTB_WAYS; w++)
        resident[w] += resident[w - 1];
}

unsigned btb_sequence_entries(enum btb_entry entry, const struct btb_sequence *sequence)
{
    struct layout l;
    unsigned entries = 0;

    lay_out(NULL, entry, 1, sequence, &l);
    for (size_t i = 0; i < l.count; i++)
        entries += l.runs[i].entries << l.runs[i].order;
    return entries;
}

bool btb_sequence_single(const struct btb_index *index, enum btb_entry entry, const struct btb_sequence *sequence)
{
    return !joins(index, entry, sequence);
}

static bool power_of_two(unsigned x)
{
    return x && (x & (x - 1)) == 0;
}

bool btb_sequence_valid(const struct btb_sequence *sequence)
{
    return (unsigned)sequence->pattern < BRANCH_CHAIN_PATTERNS && power_of_two(sequence->stride) &&
           sequence->stride <= BTB_STRIDE_MOST && sequence->count >= 2 && sequence->count <= BTB_COUNT_MOST &&
           (sequence->last_at ? sequence->pattern <= BRANCH_CHAIN_COND : sequence->count % 2 == 0);
}
