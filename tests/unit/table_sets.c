/*
 * lib/structure/table_sets: index bits, and changes that keep the set, of tables that are given and not measured. LONG=1:
 * ten times as many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/random.h"
#include "lib/structure/table_sets.h"
#include "lib/structure/tolerances_tables.h"

enum { SETS = 1 << 10, WAYS = 8, ADDRESS_BITS = 3 };

struct table {
    unsigned ways, history_bits, address_only; /* index bits: of the history, and those that it is not in */
    uint32_t index[TABLE_ALL_BITS], tag[TABLE_ALL_BITS], address[ADDRESS_BITS];
    uint64_t difference; /* of the other branch's address */
    double partly;       /* part of the samples that show neither */
    uint64_t random;
};

static uint64_t runs(void)
{
    return getenv("LONG") ? 40 : 4;
}

static uint32_t sum(const uint32_t *parts, unsigned count, uint64_t chosen)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < count; i++)
        all ^= chosen >> i & 1 ? parts[i] : 0;
    return all;
}

/* Those of one direction need entries. */
static bool sample(void *context, const uint32_t *list, unsigned count, enum table_fit *fit)
{
    static uint32_t tags[SETS][WAYS];
    static uint8_t used[SETS];
    struct table *t = context;

    memset(used, 0, sizeof used);
    *fit = TABLE_FITS;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t difference = list[i] & TABLE_OTHER ? t->difference : 0;
        const uint32_t set = sum(t->index, TABLE_ALL_BITS, list[i] & ~(TABLE_OTHER | TABLE_AGAINST)) ^
                             sum(t->address, ADDRESS_BITS, difference);
        const uint32_t tag = sum(t->tag, TABLE_ALL_BITS, list[i] & ~(TABLE_OTHER | TABLE_AGAINST)) |
                             (list[i] & TABLE_OTHER);
        unsigned way = 0;
        if (!(list[i] & TABLE_DIRECTION) != !(list[i] & TABLE_AGAINST))
            continue;
        while (way < used[set] && tags[set][way] != tag)
            way++;
        if (way == t->ways) {
            *fit = TABLE_OVERFLOWS;
            break;
        }
        tags[set][way] = tag;
        used[set] = way == used[set] ? (uint8_t)(way + 1) : used[set];
    }
    if ((double)random_below(&t->random, 1000) < 1000 * t->partly)
        *fit = TABLE_PARTLY;
    return true;
}

static void choose(void *context, uint64_t difference)
{
    ((struct table *)context)->difference = difference;
}

/* Of each address bit something is in the index: of the history's bits, and of the others the lowest in one address bit. */
static struct table drawn(uint64_t seed, unsigned ways, unsigned history_bits, unsigned address_only)
{
    struct table t = {.ways = ways, .history_bits = history_bits, .address_only = address_only, .random = seed};

    for (unsigned i = 0; i < TABLE_ALL_BITS; i++) {
        t.index[i] = (uint32_t)random_below(&t.random, UINT64_C(1) << history_bits);
        t.tag[i] = (uint32_t)random_below(&t.random, 1 << 20);
    }
    for (unsigned i = 0; i < ADDRESS_BITS; i++)
        t.address[i] = (uint32_t)(1 + random_below(&t.random, (UINT64_C(1) << history_bits) - 1)) |
                       (i < address_only ? UINT32_C(1) << (history_bits + i) : 0);
    return t;
}

struct found {
    struct table_ways ways;
    struct table_overflow set;
    struct table_sets sets;
    bool decided;
};

/* The ways, which what is tested follows on. */
static void start(struct table *t, struct found *f)
{
    enum reason reason;
    double ways;

    f->ways = (struct table_ways){
        .bits = TABLE_BITS_MOST, .samples = 400, .random = &t->random, .sample = sample, .context = t};
    f->sets = (struct table_sets){.ways = &f->ways, .set = &f->set, .bits = TABLE_ALL_BITS, .choose = choose};
    assert_true(table_ways(&f->ways, &ways, &reason, &f->set));
    f->decided = !reason && ways == t->ways;
    if (f->decided) {
        assert_true(table_sets_start(&f->sets, &reason));
        f->decided = !reason;
    }
}

/* The index bits in one layout; 0: not decided. */
static unsigned counted(uint64_t seed, unsigned ways, unsigned history_bits, unsigned address_only)
{
    static const uint64_t addresses[] = {1, 2, 4};
    struct table t = drawn(seed, ways, history_bits, address_only);
    struct found f;
    enum reason reason;
    unsigned bits = 0;

    start(&t, &f);
    if (!f.decided)
        return 0;
    assert_true(table_sets_count(&f.sets, addresses, ADDRESS_BITS, &bits, &reason));
    return reason ? 0 : bits;
}

/* Two layouts have to agree, as in the probe. */
static void index_bits_are_counted(void **state)
{
    unsigned decided = 0, tried = 0;

    (void)state;
    for (unsigned ways = 2; ways <= WAYS; ways++)
        for (uint64_t seed = 1; seed <= runs(); seed++) {
            const unsigned history_bits = 3 + (unsigned)(seed + ways) % 5, address_only = (unsigned)seed % 3;
            const unsigned bits = counted(seed, ways, history_bits, address_only);
            tried++;
            if (!bits || bits != counted(seed + 1000, ways, history_bits, address_only))
                continue;
            decided++;
            if (bits != history_bits + address_only)
                fail_msg("%u ways, seed %u: %u index bits instead of %u and %u", ways, (unsigned)seed, bits,
                         history_bits, address_only);
        }
    assert_true(decided * 10 >= tried * 8);
}

static void changes_that_keep_the_set_are_told(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= runs(); seed++) {
        struct table t = drawn(seed, 2 + (unsigned)seed % 5, 6, 0);
        struct found f;
        bool keep, clear;
        start(&t, &f);
        for (unsigned bit = f.sets.next; bit < TABLE_ALL_BITS && f.decided; bit++) {
            assert_true(table_sets_keep(&f.sets, UINT32_C(1) << bit, &keep, &clear));
            assert_true(clear);
            assert_int_equal(keep, t.index[bit] == 0);
        }
        for (uint64_t difference = 0; difference < 1 << ADDRESS_BITS && f.decided; difference++) {
            choose(&t, difference);
            assert_true(table_sets_keep(&f.sets, TABLE_OTHER, &keep, &clear));
            assert_int_equal(keep, sum(t.address, ADDRESS_BITS, difference) == 0);
        }
    }
}

/* Where samples say nothing, or the history is too short, there is no number. */
static void limits_are_named(void **state)
{
    struct table t = drawn(1, 4, 6, 0);
    struct found f;
    enum reason reason;
    unsigned bits;

    (void)state;
    start(&t, &f);
    assert_true(f.decided);
    f.sets.bits = f.sets.next + TABLE_SATURATED - 1;
    assert_true(table_sets_count(&f.sets, NULL, 0, &bits, &reason));
    assert_int_equal(reason, REASON_NOT_LEFT);
    f.sets.bits = TABLE_ALL_BITS;
    assert_true(table_sets_count(&f.sets, NULL, TABLE_ADDRESSES + 1, &bits, &reason));
    assert_int_equal(reason, REASON_TOO_MANY_MASKS);
    t.partly = 1;
    assert_true(table_sets_count(&f.sets, NULL, 0, &bits, &reason));
    assert_int_equal(reason, REASON_AMBIGUOUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_bits_are_counted),
        cmocka_unit_test(changes_that_keep_the_set_are_told),
        cmocka_unit_test(limits_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
