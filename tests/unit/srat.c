/* Nodes from ACPI's affinity table: as it lists them, and no table leads outside of itself. */
/* link: boot/uefi/srat.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/srat.h"
#include "lib/base/random.h"

/* ---- Tables built by hand: ACPI specification 6.5, 5.2.16.1 to 5.2.16.4 --------------------------------------- */

enum { ROOM = 512, HEADER = 48 };

struct table {
    uint8_t at[ROOM];
    size_t used;
};

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint8_t *add(struct table *t, uint8_t type, uint8_t length)
{
    uint8_t *s = t->at + t->used;

    s[0] = type;
    s[1] = length;
    t->used += length;
    return s;
}

static void add_apic(struct table *t, uint32_t node, uint8_t id, uint32_t flags)
{
    uint8_t *s = add(t, 0, 16);

    s[2] = (uint8_t)node;
    s[3] = id;
    put(s + 4, flags, 4);
    s[8] = 0xee; /* the SAPIC's part, which is not the node's */
    put(s + 9, node >> 8, 3);
}

static void add_x2apic(struct table *t, uint32_t node, uint32_t id, uint32_t flags)
{
    uint8_t *s = add(t, 2, 24);

    put(s + 4, node, 4);
    put(s + 8, id, 4);
    put(s + 12, flags, 4);
}

static void add_gicc(struct table *t, uint32_t node, uint32_t uid, uint32_t flags)
{
    uint8_t *s = add(t, 3, 18);

    put(s + 2, node, 4);
    put(s + 6, uid, 4);
    put(s + 10, flags, 4);
}

static void add_memory(struct table *t, uint32_t node, uint64_t base, uint64_t bytes, uint32_t flags)
{
    uint8_t *s = add(t, 1, 40);

    put(s + 2, node, 4);
    put(s + 8, base, 8);
    put(s + 16, bytes, 8);
    put(s + 28, flags, 4);
}

static struct table two_nodes(void)
{
    struct table t = {.used = HEADER};

    add_apic(&t, 0x01020304, 2, 1);
    add_memory(&t, 0, 0, 0xa0000, 1);
    add_memory(&t, 0, 0x100000, 0x7ff00000, 1);
    add(&t, 5, 12); /* a generic initiator: none of ours */
    add_memory(&t, 1, 0x100000000, 0x80000000, 1 | 2);
    add_memory(&t, 2, 0x180000000, 0x80000000, 0); /* not enabled */
    add_memory(&t, 2, 0x180000000, 0, 1);          /* nothing */
    add_memory(&t, 2, UINT64_MAX - 10, 100, 1);    /* beyond all addresses */
    add_x2apic(&t, 1, 0x102, 1);
    add_x2apic(&t, 1, 7, 0);
    add_gicc(&t, 3, 0x10001, 1);
    return t;
}

static void processors_have_nodes(void **state)
{
    const struct table t = two_nodes();
    uint32_t node;

    (void)state;
    assert_true(srat_node(t.at, t.used, SRAT_APIC, 2, &node));
    assert_int_equal(node, 0x01020304);
    assert_true(srat_node(t.at, t.used, SRAT_APIC, 0x102, &node));
    assert_int_equal(node, 1);
    assert_true(srat_node(t.at, t.used, SRAT_GICC, 0x10001, &node));
    assert_int_equal(node, 3);
    assert_false(srat_node(t.at, t.used, SRAT_APIC, 7, &node));       /* not enabled */
    assert_false(srat_node(t.at, t.used, SRAT_APIC, 0x10001, &node)); /* of the other kind */
    assert_false(srat_node(t.at, t.used, SRAT_GICC, 2, &node));
}

static void memory_has_nodes(void **state)
{
    const struct table t = two_nodes();
    struct srat_memory m[4];

    (void)state;
    memset(m, 0x55, sizeof m);
    assert_int_equal(srat_memory(t.at, t.used, m, 2), 3);
    assert_true(m[0].base == 0 && m[0].bytes == 0xa0000 && m[0].node == 0);
    assert_true(m[2].base == 0x5555555555555555);
    assert_int_equal(srat_memory(t.at, t.used, m, 4), 3);
    assert_true(m[2].base == 0x100000000 && m[2].bytes == 0x80000000 && m[2].node == 1);
}

/* Copies of just the right size, so that the sanitizer sees the first byte too far. */
static void try_all(const uint8_t *table, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1);
    struct srat_memory m[2];
    uint32_t node;

    assert_non_null(copy);
    memcpy(copy, table, count);
    srat_memory(copy, count, m, 2);
    srat_node(copy, count, SRAT_APIC, 0x12345678, &node);
    srat_node(copy, count, SRAT_GICC, 0x12345678, &node);
    free(copy);
}

static void no_table_leads_outside(void **state)
{
    const struct table good = two_nodes();
    uint64_t random = 5;

    (void)state;
    for (size_t count = 0; count <= good.used; count++)
        try_all(good.at, count);
    for (unsigned i = 0; i < 20000; i++) {
        struct table bad = good;

        for (unsigned j = 0; j <= i % 4; j++)
            bad.at[random_below(&random, good.used)] = i % 3 ? (uint8_t)random_next(&random) : 0xff;
        try_all(bad.at, good.used);
    }
}

/* A structure that claims to be shorter than its type is not read, and one that claims no bytes ends the table. */
static void broken_lengths_end_nothing_but_the_table(void **state)
{
    struct table t = {.used = HEADER};
    struct srat_memory m;
    uint32_t node;

    (void)state;
    add(&t, 1, 8);
    add_gicc(&t, 4, 9, 1);
    const size_t broken = t.used;
    add(&t, 3, 18)[1] = 0;
    add_gicc(&t, 5, 10, 1);
    assert_int_equal(srat_memory(t.at, t.used, &m, 1), 0);
    assert_true(srat_node(t.at, broken, SRAT_GICC, 9, &node));
    assert_false(srat_node(t.at, t.used, SRAT_GICC, 10, &node));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_have_nodes),
        cmocka_unit_test(memory_has_nodes),
        cmocka_unit_test(no_table_leads_outside),
        cmocka_unit_test(broken_lengths_end_nothing_but_the_table),
    };

    return cmocka_run_group_tests_name("srat", tests, NULL, NULL);
}
