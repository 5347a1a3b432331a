/*
 * How many branches of a branch sequence are resident, counted by subspaces (lib/structure/btb_sequence.c) and by
 * counting every entry of every set: both give the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/btb_sequence.h"

enum { SETS = 1 << BTB_SET_BITS_MOST, CASES = 4000, COUNT = 3000, LINE = 64 };

static unsigned entries[SETS], branches[SETS];

static unsigned set_of(const struct btb_index *index, uint64_t address)
{
    uint64_t sets = UINT64_C(1) << index->set_bits, number = address >> index->low;

    return (unsigned)(index->folded ? (number % sets) ^ (number / sets % sets) : number % sets);
}

static void enter(const struct btb_index *index, uint64_t address, unsigned more_branches)
{
    entries[set_of(index, address)]++;
    branches[set_of(index, address)] += more_branches;
}

static bool conditional(enum branch_chain_pattern pattern, unsigned n)
{
    return pattern == BRANCH_CHAIN_COND || (pattern == BRANCH_CHAIN_COND_UNCOND && n % 2 == 0) ||
           (pattern == BRANCH_CHAIN_UNCOND_COND && n % 2);
}

static bool pairs(enum btb_entry entry, const struct btb_sequence *row, unsigned n)
{
    unsigned next = (n + 1) % row->count;

    switch (entry) {
    case BTB_COND_FIRST: return conditional(row->pattern, n) && n * row->stride / LINE == next * row->stride / LINE;
    case BTB_UNCOND_NEXT: return !conditional(row->pattern, next);
    case BTB_ANY_NEXT: return true;
    default: return false;
    }
}

/* Goes along the branch sequence until it is back at the start, with each branch in one entry. */
static void enter_row(const struct btb_index *index, enum btb_entry entry, unsigned per_entry,
                      const struct btb_sequence *row)
{
    memset(entries, 0, sizeof entries);
    memset(branches, 0, sizeof branches);
    if (entry == BTB_BLOCK) {
        for (unsigned n = 0; n < row->count;) {
            uint64_t block = (uint64_t)n * row->stride >> index->low;
            unsigned in_block = 0;
            for (; n < row->count && (uint64_t)n * row->stride >> index->low == block; n++, in_block++)
                if (in_block % per_entry == 0)
                    enter(index, block << index->low, 0);
            branches[set_of(index, block << index->low)] += in_block;
        }
        return;
    }
    /* where the entry of the last branch also has the first branch, the first branch opens no entry */
    unsigned begin = entry != BTB_ANY_NEXT && !pairs(entry, row, 0) && pairs(entry, row, row->count - 1);
    for (unsigned n = begin; n < row->count + begin; n++) {
        bool pair = pairs(entry, row, n % row->count);
        enter(index, (uint64_t)(n % row->count) * row->stride, 1 + pair);
        n += pair;
    }
}

/* Addresses of a chain whose last branch differs, in the order of execution, which begins with that one. */
static uint64_t address_in_chain(const struct btb_sequence *row, unsigned in_slot, unsigned last, unsigned n)
{
    const uint64_t end = UINT64_C(1) << 40; /* of all slots */

    return n == 0 ? end + last : end - (row->count - n) * row->stride + in_slot;
}

/* Goes along such a chain, with each branch in one entry. Branches end in_slot bytes behind the beginning of a slot. */
static void enter_chain(const struct btb_index *index, enum btb_entry entry, unsigned per_entry,
                        const struct btb_sequence *row, unsigned in_slot, unsigned last)
{
    const bool all_conditional = row->pattern == BRANCH_CHAIN_COND;
    /* with an odd number of branches, each one begins a pair in every second turn */
    const bool alternate = row->count % 2 && (entry == BTB_ANY_NEXT || !all_conditional);

    memset(entries, 0, sizeof entries);
    memset(branches, 0, sizeof branches);
    for (unsigned n = 0, in_block = 0; n < row->count; n++) {
        const unsigned next = (n + 1) % row->count;
        const uint64_t address = address_in_chain(row, in_slot, last, n),
                       following = address_in_chain(row, in_slot, last, next);
        if (entry == BTB_BLOCK) {
            const uint64_t block = address >> index->low << index->low;
            const bool new_block = n == 0 ||
                                   address_in_chain(row, in_slot, last, n - 1) >> index->low != block >> index->low;
            in_block = new_block ? 0 : in_block + 1;
            entries[set_of(index, block)] += in_block % per_entry == 0;
            branches[set_of(index, block)]++;
            continue;
        }
        const bool conditional_first = n > 0 && all_conditional, unconditional_next = next == 0 || !all_conditional;
        const bool pair = (entry == BTB_COND_FIRST && conditional_first && address / LINE == following / LINE) ||
                          (entry == BTB_UNCOND_NEXT && unconditional_next && !alternate) ||
                          (entry == BTB_ANY_NEXT && !alternate);
        /* the last one may have the one that leads back in its entry: that one has none of its own then */
        if (n == 0 && entry == BTB_UNCOND_NEXT && all_conditional)
            continue;
        enter(index, address, 1 + pair);
        n += pair;
    }
}

static void counting_by_subspaces_equals_counting_every_entry(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct btb_index index = {.low = (unsigned)random_below(&random, BTB_LOW_MOST + 1),
                                        .set_bits = 1 + (unsigned)random_below(&random, BTB_SET_BITS_MOST),
                                        .folded = random_below(&random, 2)};
        struct btb_sequence row = {
            .pattern = (enum branch_chain_pattern)random_below(&random, BRANCH_CHAIN_PATTERNS),
            .stride = 2U << random_below(&random, 13),
            .count = 2 + 2 * (unsigned)random_below(&random, COUNT / 2),
        };
        const unsigned in_slot = (unsigned)random_below(&random, row.stride),
                       last = (unsigned)random_below(&random, 64);
        if (i % 2) {
            row.pattern = (enum branch_chain_pattern)random_below(&random, BRANCH_CHAIN_COND + 1);
            row.count -= row.count > 2 ? (unsigned)random_below(&random, 2) : 0;
            row.last_at = -(int)(last + 1) ^ (int)(row.stride - 1 - in_slot);
        }
        enum btb_entry entry = (enum btb_entry)random_below(&random, BTB_ENTRIES);
        unsigned per_entry = 1 + (unsigned)random_below(&random, 8), held[BTB_WAYS + 1], counted[BTB_WAYS + 1] = {0};
        double most[BTB_WAYS + 1], counted_most[BTB_WAYS + 1] = {0};
        unsigned all = 0;

        assert_true(btb_sequence_valid(&row));
        btb_sequence_resident(&index, entry, per_entry, &row, held, most);
        const unsigned each = btb_sequence_single(&index, entry, &row) ? 1 : entry == BTB_BLOCK ? per_entry : 2;
        if (row.last_at)
            enter_chain(&index, entry, per_entry, &row, in_slot, last);
        else
            enter_row(&index, entry, per_entry, &row);
        for (size_t s = 0; s < 1U << index.set_bits; s++) {
            all += entries[s];
            for (unsigned w = entries[s]; w <= BTB_WAYS; w++)
                counted[w] += branches[s];
            for (unsigned w = 1; w <= BTB_WAYS; w++)
                counted_most[w] += w >= entries[s] || w * each >= branches[s] ? branches[s] : w * each;
        }
        assert_memory_equal(held, counted, sizeof held);
        assert_memory_equal(most, counted_most, sizeof most); /* whole numbers, exact in double */
        if (entry != BTB_BLOCK)
            assert_int_equal(btb_sequence_entries(entry, &row), all);
        if (btb_sequence_single(&index, entry, &row))
            assert_int_equal(all, row.count);
    }
}

static void invalid_branch_sequences_are_refused(void **state)
{
    (void)state;
    assert_true(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_UNCOND, 4, 2, 0}));
    assert_false(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_UNCOND, 4, 3, 0}));
    assert_false(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_UNCOND, 12, 4, 0}));
    assert_false(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_UNCOND, 0, 4, 0}));
    assert_false(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_UNCOND, 4, 0, 0}));
    assert_false(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_UNCOND, 4, 2 * BTB_COUNT_MOST, 0}));
    assert_false(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_PATTERNS, 4, 4, 0}));
    assert_true(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_COND, 4, 4, .last_at = -4}));
    assert_false(btb_sequence_valid(&(struct btb_sequence){BRANCH_CHAIN_COND_UNCOND, 4, 4, .last_at = -4}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_by_subspaces_equals_counting_every_entry),
        cmocka_unit_test(invalid_branch_sequences_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
