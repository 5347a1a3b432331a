#include "lib/fit/btb_row.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

const char *const btb_pattern_names[BTB_PATTERNS] = {"uncond", "cond", "cond-uncond", "uncond-cond"};
const char *const btb_entry_names[BTB_ENTRIES] = {"single", "block", "cond-first", "uncond-next", "any-next"};

enum {
    LINE = 64,
    BITS = 18,           /* of a count: BTB_COUNT_MOST has so many */
    STRETCHES = 9 * BITS /* a line of sixteen branches, of two types in turn, has nine kinds of entries at most */
};

/* 2^order entries; the row's are all equally far apart. */
struct stretch {
    uint64_t start; /* address */
    unsigned order;
    unsigned entries, branches; /* at each place: several entries of one block have the same index */
};

struct layout {
    uint64_t pitch; /* from one place to the next */
    struct stretch stretches[STRETCHES];
    size_t count;
};

/* ---- From branches to entries ------------------------------------------------------------------- */

static void add_stretch(struct layout *l, struct stretch s)
{
    size_t i = l->count++;

    for (; i > 0 && l->stretches[i - 1].order < s.order; i--)
        l->stretches[i] = l->stretches[i - 1];
    l->stretches[i] = s;
}

/* `places` from `start` on, cut into aligned powers of two. */
static void add_places(struct layout *l, uint64_t start, unsigned places, unsigned entries, unsigned branches)
{
    unsigned done = 0;

    for (unsigned order = BITS; order-- > 0;)
        if (places >> order & 1) {
            add_stretch(l, (struct stretch){start + done * l->pitch, order, entries, branches});
            done += 1U << order;
        }
}

static unsigned divide_up(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

/*
 * Lines of unconditional and conditional branches in turn, an unconditional one first. It stands alone; each
 * conditional one has the next with it, but the line's last, whose next is in another line.
 */
static void add_odd_pairs(struct layout *l, const struct btb_row *row)
{
    unsigned stride = row->stride, line = LINE / stride, lines = row->count / line, rest = row->count % line;

    l->pitch = LINE;
    add_places(l, 0, lines, 1, 1);
    for (unsigned i = 1; i < line; i += 2)
        add_places(l, i * stride, lines, 1, i + 1 < line ? 2 : 1);
    for (unsigned i = 0; i < rest; i += i == 0 ? 1 : 2)
        add_stretch(l, (struct stretch){(uint64_t)lines * LINE + i * stride, 0, 1, i % 2 && i + 1 < rest ? 2 : 1});
}

static bool in_one_line(const struct btb_row *row)
{
    return row->count * (uint64_t)row->stride <= LINE;
}

static bool joins(const struct btb_index *index, enum btb_entry entry, const struct btb_row *row)
{
    switch (entry) {
    case BTB_BLOCK: return index && row->stride < 1U << index->low;
    case BTB_COND_FIRST:
        return row->pattern != BTB_UNCOND &&
               (row->stride < (row->pattern == BTB_UNCOND_COND ? LINE / 2 : LINE) || in_one_line(row));
    case BTB_UNCOND_NEXT: return row->pattern != BTB_COND;
    case BTB_ANY_NEXT: return true;
    default: return false;
    }
}

static void lay_out(const struct btb_index *index, enum btb_entry entry, unsigned per_entry, const struct btb_row *row,
                    struct layout *l)
{
    l->count = 0;
    l->pitch = row->stride;
    if (!joins(index, entry, row))
        add_places(l, 0, row->count, 1, 1);
    else if (entry == BTB_BLOCK) {
        unsigned block = (1U << index->low) / row->stride, blocks = row->count / block, rest = row->count % block;
        l->pitch = UINT64_C(1) << index->low;
        add_places(l, 0, blocks, divide_up(block, per_entry), block);
        if (rest)
            add_stretch(l, (struct stretch){blocks * l->pitch, 0, divide_up(rest, per_entry), rest});
    } else if (entry == BTB_COND_FIRST && row->pattern == BTB_UNCOND_COND && !in_one_line(row))
        add_odd_pairs(l, row);
    else {
        /* of unconditional and conditional ones in turn, the first one's partner is the row's last */
        bool odd = entry != BTB_ANY_NEXT && row->pattern == BTB_UNCOND_COND;
        l->pitch = 2 * (uint64_t)row->stride;
        add_places(l, odd ? row->stride : 0, row->count / 2, 1, 2);
    }
}

/* ---- From entries to sets ----------------------------------------------------------------------- */

static uint64_t set_of(const struct btb_index *index, uint64_t address)
{
    uint64_t mask = (UINT64_C(1) << index->set_bits) - 1, bits = address >> index->low;

    return (index->folded ? bits ^ bits >> index->set_bits : bits) & mask;
}

/*
 * The images of the subspaces that 1, 2, 4 … places span, as one basis in echelon form: `pivot[b]` has bit b as its
 * highest, and is in the image from order `from[b]` on.
 */
struct images {
    uint64_t pivot[BTB_SET_BITS_MOST];
    unsigned from[BTB_SET_BITS_MOST];
    unsigned rank[BITS + 1]; /* by order */
};

static unsigned highest(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

/* From which order on `x` is in the image; UINT32_MAX: never. *rest, what is left of x without what the basis has. */
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

/* `sets` more of them, or fewer, that are each asked for so many entries with so many branches. */
static void count_sets(double sets, unsigned asked, unsigned branches, unsigned per_entry, double most[BTB_WAYS + 1])
{
    for (unsigned w = 1; most && w <= BTB_WAYS; w++)
        most[w] += sets * (asked <= w || w * per_entry >= branches ? branches : w * per_entry);
}

void btb_row_held(const struct btb_index *index, enum btb_entry entry, unsigned per_entry, const struct btb_row *row,
                  unsigned held[BTB_WAYS + 1], double most[BTB_WAYS + 1])
{
    struct layout l;
    struct images images;
    uint64_t sets[STRETCHES];

    lay_out(index, entry, per_entry, row, &l);
    span(&images, index, l.pitch, l.stretches[0].order);
    memset(held, 0, (BTB_WAYS + 1) * sizeof held[0]);
    if (most)
        memset(most, 0, (BTB_WAYS + 1) * sizeof most[0]);
    const unsigned each_entry = joins(index, entry, row) ? entry == BTB_BLOCK ? per_entry : 2 : 1;
    for (size_t i = 0; i < l.count; i++) {
        const struct stretch *s = &l.stretches[i];
        unsigned asked = 0, branches = 0, reached = 1U << images.rank[s->order];
        sets[i] = set_of(index, s->start);
        /* larger stretches fill this one's sets evenly, or not at all */
        for (size_t k = 0; k < i; k++) {
            const struct stretch *other = &l.stretches[k];
            unsigned each = 1U << (other->order - images.rank[other->order]);
            uint64_t rest;
            if (order_of(&images, sets[i] ^ sets[k], &rest) <= other->order) {
                asked += each * other->entries;
                branches += each * other->branches;
            }
        }
        if (asked <= BTB_WAYS)
            held[asked] -= branches * reached;
        count_sets(-(double)reached, asked, branches, each_entry, most);
        asked += (s->entries << s->order) / reached;
        branches += (s->branches << s->order) / reached;
        if (asked <= BTB_WAYS)
            held[asked] += branches * reached;
        count_sets(reached, asked, branches, each_entry, most);
    }
    for (unsigned w = 1; w <= BTB_WAYS; w++)
        held[w] += held[w - 1];
}

unsigned btb_row_entries(enum btb_entry entry, const struct btb_row *row)
{
    struct layout l;
    unsigned entries = 0;

    lay_out(NULL, entry, 1, row, &l);
    for (size_t i = 0; i < l.count; i++)
        entries += l.stretches[i].entries << l.stretches[i].order;
    return entries;
}

bool btb_row_single(const struct btb_index *index, enum btb_entry entry, const struct btb_row *row)
{
    return !joins(index, entry, row);
}

static bool power_of_two(unsigned x)
{
    return x && (x & (x - 1)) == 0;
}

bool btb_row_good(const struct btb_row *row)
{
    return (unsigned)row->pattern < BTB_PATTERNS && power_of_two(row->stride) && row->stride <= BTB_STRIDE_MOST &&
           row->count >= 2 && row->count <= BTB_COUNT_MOST && row->count % 2 == 0;
}
