#include "lib/structure/btb_space.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SINGLE_SET_WAYS = 512 /* no larger fully associative buffer is searched in a cycle */ };

/* How branches share an entry. Blocks need several sets; single sets use the rules before them. */
static const struct rule {
    enum btb_entry entry;
    unsigned per_entry;
} rules[] = {{BTB_SINGLE, 1}, {BTB_COND_FIRST, 2}, {BTB_UNCOND_NEXT, 2}, {BTB_ANY_NEXT, 2},
             {BTB_BLOCK, 2},  {BTB_BLOCK, 4},      {BTB_BLOCK, 8},       {BTB_BLOCK, 3},
             {BTB_BLOCK, 5},  {BTB_BLOCK, 6},      {BTB_BLOCK, 7}};
enum {
    RULES = sizeof rules / sizeof rules[0],
    SINGLE_SET_RULES = 4,
    USUAL_RULES = 7 /* with any replacement more would fit than is of use: blocks are powers of two then */
};

static size_t index_count(const struct btb_space *s)
{
    size_t lows = 0;

    for (unsigned low = 0; low <= BTB_LOW_MOST; low++)
        lows += 1U << low >= s->alignment;
    return lows * BTB_SET_BITS_MOST * 2;
}

static struct btb_index index_of(const struct btb_space *s, size_t number)
{
    unsigned low = (unsigned)(number / (BTB_SET_BITS_MOST * 2));

    for (unsigned a = 1; a < s->alignment; a *= 2)
        low++;
    return (struct btb_index){
        .low = low, .set_bits = 1 + (unsigned)(number / 2) % BTB_SET_BITS_MOST, .folded = number % 2 != 0};
}

/* The order: single sets, then each index with each rule and each number of ways. */
struct btb_space btb_space(unsigned alignment, bool any_replacement)
{
    struct btb_space s = {.alignment = alignment,
                          .any_replacement = any_replacement,
                          .rule_count = any_replacement ? USUAL_RULES : RULES};

    s.count = SINGLE_SET_RULES * SINGLE_SET_WAYS + index_count(&s) * s.rule_count * BTB_WAYS;
    return s;
}

struct btb_organisation btb_space_organisation(const struct btb_space *s, size_t number)
{
    struct btb_organisation o = {0};

    if (number < SINGLE_SET_RULES * SINGLE_SET_WAYS) {
        o.ways = 1 + (unsigned)(number % SINGLE_SET_WAYS);
        o.entry = rules[number / SINGLE_SET_WAYS].entry;
        o.per_entry = rules[number / SINGLE_SET_WAYS].per_entry;
    } else {
        number -= SINGLE_SET_RULES * SINGLE_SET_WAYS;
        o.ways = 1 + (unsigned)(number % BTB_WAYS);
        o.entry = rules[number / BTB_WAYS % s->rule_count].entry;
        o.per_entry = rules[number / BTB_WAYS % s->rule_count].per_entry;
        o.index = index_of(s, number / BTB_WAYS / s->rule_count);
    }
    o.ways_end = o.ways + 1;
    return o;
}

bool btb_space_distinct(const struct btb_space *s, const struct btb_organisation *o)
{
    return o->entry != BTB_BLOCK || 1U << o->index.low > s->alignment;
}

void btb_organisation_text(const struct btb_organisation *o, char *out, size_t room)
{
    char ways[24], index[32] = "";
    unsigned top = o->index.low + o->index.set_bits;

    if (o->ways_end > o->ways + 1)
        snprintf(ways, sizeof ways, "%u to %u", o->ways, o->ways_end - 1);
    else
        snprintf(ways, sizeof ways, "%u", o->ways);
    if (o->index.set_bits)
        snprintf(index, sizeof index, ", PC[%u:%u]", top - 1, o->index.low);
    if (o->index.folded)
        snprintf(index + strlen(index), sizeof index - strlen(index), "^[%u:%u]", top + o->index.set_bits - 1, top);
    snprintf(out, room, "%s ways of %u sets%s, %s %u", ways, 1U << o->index.set_bits, index, btb_entry_names[o->entry],
             o->per_entry);
}

double btb_organisation_resident(const struct btb_organisation *o, const struct btb_sequence *sequence)
{
    unsigned resident[BTB_WAYS + 1];

    if (o->index.set_bits == 0)
        return btb_sequence_entries(o->entry, sequence) <= o->ways;
    btb_sequence_resident(&o->index, o->entry, o->per_entry, sequence, resident, NULL);
    return (double)resident[o->ways] / sequence->count;
}

/* ---- Prediction --------------------------------------------------------------------------------- */

static uint16_t part(unsigned resident, unsigned of)
{
    return (uint16_t)(((uint64_t)resident * BTB_WHOLE + of / 2) / of);
}

/* most: branches that can hit under any replacement policy. */
static struct btb_part part_of(bool any_replacement, unsigned resident, double most, unsigned of)
{
    const uint16_t least = part(resident, of);
    const unsigned best = (unsigned)floor(most);

    return (struct btb_part){least, any_replacement && best > resident ? part(best < of ? best : of, of) : least};
}

/*
 * Whether two branches share an entry of which either may be the first. A chain of an even number is divided into pairs
 * in one of two ways, turn after turn, by what was executed before it.
 */
static bool either_first(enum btb_entry entry, const struct btb_sequence *sequence)
{
    return sequence->last_at && sequence->count % 2 == 0 &&
           (entry == BTB_ANY_NEXT || (entry == BTB_UNCOND_NEXT && sequence->pattern == BRANCH_CHAIN_UNCOND));
}

static struct btb_part join(struct btb_part a, struct btb_part b)
{
    return (struct btb_part){a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
}

void btb_space_predict(const struct btb_space *s, const struct btb_sequence *sequence, struct btb_part *out)
{
    unsigned single[BTB_WAYS + 1], joined[BTB_WAYS + 1];
    double single_most[BTB_WAYS + 1] = {0}, joined_most[BTB_WAYS + 1] = {0};
    unsigned shifted[BTB_WAYS + 1];
    double shifted_most[BTB_WAYS + 1] = {0};
    struct btb_sequence other = *sequence; /* in pairs that begin one branch later, the last of which has the loop's */
    const bool any = s->any_replacement;

    other.last_at = 0;
    for (size_t r = 0; r < SINGLE_SET_RULES; r++) {
        const unsigned entries = btb_sequence_entries(rules[r].entry, sequence);
        const unsigned each = entries < sequence->count ? rules[r].per_entry : 1; /* branches, at most */
        for (unsigned ways = 1; ways <= SINGLE_SET_WAYS; ways++)
            *out++ = part_of(any, entries <= ways ? sequence->count : 0, fmin(sequence->count, (double)each * ways),
                             sequence->count);
    }
    for (size_t i = 0; i < index_count(s); i++) {
        const struct btb_index index = index_of(s, i);
        btb_sequence_resident(&index, BTB_SINGLE, 1, sequence, single, any ? single_most : NULL);
        for (size_t r = 0; r < s->rule_count; r++) {
            const unsigned *resident = single;
            const double *most = single_most;
            if (!btb_sequence_single(&index, rules[r].entry, sequence)) {
                btb_sequence_resident(&index, rules[r].entry, rules[r].per_entry, sequence, joined,
                                      any ? joined_most : NULL);
                resident = joined;
                most = joined_most;
            }
            const bool either = either_first(rules[r].entry, sequence);
            if (either)
                btb_sequence_resident(&index, rules[r].entry, rules[r].per_entry, &other, shifted,
                                      any ? shifted_most : NULL);
            for (unsigned ways = 1; ways <= BTB_WAYS; ways++, out++) {
                *out = part_of(any, resident[ways], most[ways], sequence->count);
                if (either)
                    *out = join(*out, part_of(any, shifted[ways], shifted_most[ways], sequence->count));
            }
        }
    }
}
