/*
 * lib/structure/table_ways: the ways of tables that are given and not measured, whose index and tag are exclusive ors of
 * bits of the history, and of some whose index is not. LONG=1: ten times as many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/table_ways.h"

enum { SETS = 1 << 10, WAYS = 8 };

struct table {
    unsigned ways;
    uint32_t index[TABLE_BITS_MOST], tag[TABLE_BITS_MOST]; /* what each bit of a history changes in them */
    bool mixes;                                            /* the index is not linear */
    double partly;                                         /* part of the samples that show neither */
    uint64_t random;
    unsigned samples;
};

static uint64_t runs(void)
{
    return getenv("LONG") ? 40 : 4;
}

static uint32_t sum(const uint32_t *parts, uint32_t history)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < TABLE_BITS_MOST; i++)
        all ^= history >> i & 1 ? parts[i] : 0;
    return all;
}

/* Whether the table holds those of the list that go in this direction, the others being predicted without it. */
static bool holds(const struct table *t, const uint32_t *list, unsigned count, uint32_t direction)
{
    static uint32_t tags[SETS][WAYS];
    static uint8_t used[SETS];

    memset(used, 0, sizeof used);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t sums = sum(t->index, list[i]);
        const uint32_t set = (t->mixes ? sums * 0x9e3779b1u >> 16 : sums) % SETS, tag = sum(t->tag, list[i]);
        unsigned way = 0;
        if ((list[i] & TABLE_DIRECTION) != direction)
            continue;
        while (way < used[set] && tags[set][way] != tag)
            way++;
        if (way == t->ways)
            return false;
        tags[set][way] = tag;
        used[set] = way == used[set] ? (uint8_t)(way + 1) : used[set];
    }
    return true;
}

static bool sample(void *context, const uint32_t *list, unsigned count, enum table_fit *fit)
{
    struct table *t = context;

    t->samples++;
    *fit = holds(t, list, count, 0) || holds(t, list, count, 1) ? TABLE_FITS : TABLE_OVERFLOWS;
    /* a table that cannot tell two directions apart predicts neither */
    for (unsigned i = 0; i < count && *fit == TABLE_FITS && count <= 4; i++)
        for (unsigned j = 0; j < i; j++)
            if (sum(t->index, list[i]) == sum(t->index, list[j]) && sum(t->tag, list[i]) == sum(t->tag, list[j]) &&
                (list[i] ^ list[j]) & TABLE_DIRECTION)
                *fit = TABLE_OVERFLOWS;
    if ((double)random_below(&t->random, 1000) < 1000 * t->partly)
        *fit = TABLE_PARTLY;
    return true;
}

static struct table drawn(uint64_t seed, unsigned ways, unsigned index_bits)
{
    struct table t = {.ways = ways, .random = seed};

    for (unsigned i = 0; i < TABLE_BITS_MOST; i++) {
        t.index[i] = (uint32_t)random_below(&t.random, UINT64_C(1) << index_bits);
        t.tag[i] = (uint32_t)random_below(&t.random, 1 << 12);
    }
    return t;
}

static double ways_of(struct table *t, enum reason *reason)
{
    uint64_t random = t->random;
    const struct table_ways s = {
        .bits = TABLE_BITS_MOST, .samples = 400, .random = &random, .sample = sample, .context = t};
    struct table_overflow set;
    double ways;

    assert_true(table_ways(&s, &ways, reason, &set));
    assert_true(t->samples <= s.samples);
    return ways;
}

static void ways_are_found(void **state)
{
    unsigned decided = 0, tried = 0;

    (void)state;
    for (unsigned ways = 2; ways <= WAYS; ways++)
        for (uint64_t seed = 1; seed <= runs(); seed++) {
            enum reason reason;
            struct table t = drawn(seed, ways, 5 + (unsigned)(seed % 5));
            const double found = ways_of(&t, &reason);
            tried++;
            decided += !reason;
            if (!reason && found != ways)
                fail_msg("%u ways, seed %u: %g found", ways, (unsigned)seed, found);
        }
    assert_true(decided * 10 >= tried * 8);
}

/* Without sums that lie in one set, sets are found that overflow, but none alone. */
static void other_indexes_are_left_undecided(void **state)
{
    unsigned wrong = 0;

    (void)state;
    for (unsigned ways = 2; ways <= WAYS; ways++)
        for (uint64_t seed = 1; seed <= runs(); seed++) {
            enum reason reason;
            struct table t = drawn(seed, ways, 32);
            t.mixes = true;
            const double found = ways_of(&t, &reason);
            wrong += !reason && found != ways;
        }
    assert_int_equal(wrong, 0);
}

static void samples_that_show_neither_decide_nothing(void **state)
{
    enum reason reason;
    struct table t = drawn(1, 4, 8);

    (void)state;
    t.partly = 1;
    ways_of(&t, &reason);
    assert_int_equal(reason, REASON_AMBIGUOUS);
}

/* A list of which a sample is between the limits by chance is sampled again. */
static void unclear_samples_are_repeated(void **state)
{
    unsigned decided = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        enum reason reason;
        struct table t = drawn(seed, 4, 6);
        t.partly = 0.1;
        const double found = ways_of(&t, &reason);
        decided += !reason && found == 4;
    }
    assert_true(decided >= 5);
}

/* Where the first bit does not show, there is but one way, or no set overflows, it is said. */
static void limits_are_named(void **state)
{
    enum reason reason;
    struct table alike = drawn(1, 4, 8), large = drawn(1, 8, 8), direct = drawn(1, 1, 8);

    (void)state;
    alike.index[0] = alike.tag[0] = 0;
    ways_of(&alike, &reason);
    assert_int_equal(reason, REASON_HISTORIES_ALIKE);
    ways_of(&direct, &reason);
    assert_int_equal(reason, REASON_AMBIGUOUS);
    for (unsigned i = 0; i < TABLE_BITS_MOST; i++)
        large.index[i] = i ? UINT32_C(1) << (i - 1) % 10 : 1024 - 1;
    ways_of(&large, &reason);
    assert_int_equal(reason, REASON_NOT_LEFT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_found),
        cmocka_unit_test(other_indexes_are_left_undecided),
        cmocka_unit_test(samples_that_show_neither_decide_nothing),
        cmocka_unit_test(unclear_samples_are_repeated),
        cmocka_unit_test(limits_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
