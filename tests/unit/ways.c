/* Declared distances, latencies and bandwidths: as ACPI's tables list them, and no table leads outside of itself. */
/* link: boot/uefi/ways.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/ways.h"
#include "lib/base/random.h"

enum { ROOM = 256 };

struct table {
    uint8_t at[ROOM];
    size_t used;
};

static void put(struct table *t, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        t->at[t->used++] = (uint8_t)(value >> 8 * i);
}

/* ACPI specification 6.5, table 5.61. */
static struct table slit(void)
{
    struct table t = {.used = 36};

    put(&t, 2, 8);
    put(&t, 0x0a150cff, 4); /* 255, 12; 21, 10 */
    return t;
}

/* Table 5.146: from nodes 3 and 1 to nodes 1, 7 and 9. */
static void add_locality(struct table *t, unsigned flags, unsigned type, uint64_t unit, const uint16_t entries[6])
{
    put(t, 1, 4);
    put(t, 32 + 5 * 4 + 6 * 2, 4);
    put(t, flags | type << 8, 4);
    put(t, 2, 4);
    put(t, 3, 4);
    put(t, 0, 4);
    put(t, unit, 8);
    for (size_t i = 0; i < 5; i++)
        put(t, (const uint32_t[]){3, 1, 1, 7, 9}[i], 4);
    for (size_t i = 0; i < 6; i++)
        put(t, entries[i], 2);
}

static struct table hmat(unsigned revision)
{
    struct table t = {.used = 40};

    t.at[8] = (uint8_t)revision;
    put(&t, 0, 4); /* a structure of another type */
    put(&t, 8, 4);
    add_locality(&t, 0, 1, 1000, (const uint16_t[]){80, 140, 0xffff, 120, 81, 0});
    add_locality(&t, 0, 4, 100, (const uint16_t[]){500, 200, 0xffff, 210, 510, 0});
    add_locality(&t, 1, 1, 1000, (const uint16_t[]){1, 1, 1, 1, 1, 1}); /* of a cache at the memory's side */
    return t;
}

static void distances_are_those_of_the_slit(void **state)
{
    const struct table t = slit();

    (void)state;
    assert_int_equal(slit_distance(t.at, t.used, 0, 1), 12);
    assert_int_equal(slit_distance(t.at, t.used, 1, 0), 21);
    assert_int_equal(slit_distance(t.at, t.used, 1, 1), 10);
    assert_int_equal(slit_distance(t.at, t.used, 0, 0), 0); /* declared unreachable */
    assert_int_equal(slit_distance(t.at, t.used, 0, 2), 0);
    assert_int_equal(slit_distance(t.at, t.used - 1, 1, 1), 0);
}

static void latency_and_bandwidth_are_those_of_memory(void **state)
{
    const struct table t = hmat(2), old = hmat(1);
    struct hmat_way w = hmat_way_of(t.at, t.used, 3, 7);

    (void)state;
    assert_true(w.ns == 140 && w.bytes_per_ns == 20);
    w = hmat_way_of(t.at, t.used, 1, 1);
    assert_true(w.ns == 120 && w.bytes_per_ns == 21);
    w = hmat_way_of(t.at, t.used, 3, 9); /* not declared */
    assert_true(w.ns == 0 && w.bytes_per_ns == 0);
    w = hmat_way_of(t.at, t.used, 7, 1); /* no initiator */
    assert_true(w.ns == 0 && w.bytes_per_ns == 0);
    w = hmat_way_of(old.at, old.used, 3, 7);
    assert_true(w.ns == 0 && w.bytes_per_ns == 0);
}

/* Copies of just the right size, so that the sanitizer sees the first byte too far. */
static void try_both(const uint8_t *table, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1);

    assert_non_null(copy);
    memcpy(copy, table, count);
    for (uint32_t node = 0; node < 12; node++) {
        slit_distance(copy, count, node, 11 - node);
        hmat_way_of(copy, count, node, 11 - node);
    }
    slit_distance(copy, count, UINT32_MAX, UINT32_MAX);
    free(copy);
}

static void no_table_leads_outside(void **state)
{
    const struct table good[] = {slit(), hmat(2)};
    uint64_t random = 5;

    (void)state;
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t count = 0; count <= good[kind].used; count++)
            try_both(good[kind].at, count);
        for (unsigned i = 0; i < 20000; i++) {
            struct table bad = good[kind];

            for (unsigned j = 0; j <= i % 4; j++)
                bad.at[random_below(&random, bad.used)] = i % 3 ? (uint8_t)random_next(&random) : 0xff;
            bad.at[8] |= 2;
            try_both(bad.at, bad.used);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_the_slit),
        cmocka_unit_test(latency_and_bandwidth_are_those_of_memory),
        cmocka_unit_test(no_table_leads_outside),
    };

    return cmocka_run_group_tests_name("ways", tests, NULL, NULL);
}
