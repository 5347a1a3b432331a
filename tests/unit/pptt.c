/* Caches, cores and interrupt controllers from ACPI's tables, and no table can lead outside of itself. */
/* link: boot/uefi/pptt.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/pptt.h"

/* ---- Tables built by hand, in the layouts of ACPI 6.5, 5.2.12.14 and 5.2.30 ---------------------------- */

struct table {
    uint8_t at[4096];
    size_t used;
};

static void put(struct table *t, uint64_t value, size_t bytes)
{
    memcpy(t->at + t->used, &value, bytes);
    t->used += bytes;
}

static uint32_t cache(struct table *t, uint32_t next, uint32_t bytes, uint8_t ways, unsigned type, uint16_t line)
{
    uint32_t offset = (uint32_t)t->used;

    put(t, 1, 1);    /* type */
    put(t, 28, 1);   /* length, of revision 3 */
    put(t, 0, 2);    /* reserved */
    put(t, 0x7f, 4); /* flags: all valid but the identifier */
    put(t, next, 4);
    put(t, bytes, 4);
    put(t, bytes / line / ways, 4); /* sets */
    put(t, ways, 1);
    put(t, type << 2, 1);
    put(t, line, 2);
    put(t, 0, 4);
    return offset;
}

static uint32_t node(struct table *t, uint32_t flags, uint32_t parent, uint32_t uid, size_t count,
                     const uint32_t *caches)
{
    uint32_t offset = (uint32_t)t->used;

    put(t, 0, 1);
    put(t, 20 + 4 * count, 1);
    put(t, 0, 2);
    put(t, flags, 4);
    put(t, parent, 4);
    put(t, uid, 4);
    put(t, count, 4);
    for (size_t i = 0; i < count; i++)
        put(t, caches[i], 4);
    return offset;
}

enum { PACKAGE = 1, UID = 2, LEAF = 8, DATA = 0, INSTRUCTION = 1, UNIFIED = 3 };

/* Two clusters of one core each: a big one, which shares nothing but the third level, and a little one. */
static struct table two_cores(void)
{
    struct table t = {.used = 36};
    uint32_t shared = cache(&t, 0, 8 << 20, 16, UNIFIED, 64);
    uint32_t package = node(&t, PACKAGE, 0, 0, 1, (uint32_t[]){shared});
    uint32_t big2 = cache(&t, 0, 1 << 20, 8, UNIFIED, 64), big1d = cache(&t, big2, 65536, 4, DATA, 64),
             big1i = cache(&t, big2, 65536, 4, INSTRUCTION, 64);
    node(&t, UID | LEAF, package, 7, 2, (uint32_t[]){big1d, big1i});
    uint32_t little2 = cache(&t, 0, 131072, 8, 2, 64), little1d = cache(&t, little2, 32768, 4, DATA, 64),
             little1i = cache(&t, little2, 32768, 4, INSTRUCTION, 32);
    uint32_t cluster = node(&t, 0, package, 0, 1, (uint32_t[]){little2});
    node(&t, UID | LEAF, cluster, 9, 2, (uint32_t[]){little1d, little1i});
    return t;
}

static void assert_cache(const struct identity_cache *caches, size_t count, unsigned level, unsigned holds,
                         uint64_t bytes, unsigned ways, unsigned line)
{
    for (size_t i = 0; i < count; i++) {
        const struct identity_cache *c = &caches[i];
        if (c->level == level && c->holds == holds && c->bytes == bytes && c->ways == ways && c->line_bytes == line)
            return;
    }
    fail_msg("no cache of level %u with %lu bytes", level, (unsigned long)bytes);
}

static void each_core_has_its_own_caches(void **state)
{
    struct table t = two_cores();
    struct identity_cache c[16];

    (void)state;
    size_t count = pptt_caches(t.at, t.used, 7, c, 16);
    assert_cache(c, count, 1, HOLDS_DATA, 65536, 4, 64);
    assert_cache(c, count, 1, HOLDS_INSTRUCTIONS, 65536, 4, 64);
    assert_cache(c, count, 2, HOLDS_DATA | HOLDS_INSTRUCTIONS, 1 << 20, 8, 64);
    assert_cache(c, count, 3, HOLDS_DATA | HOLDS_INSTRUCTIONS, 8 << 20, 16, 64);
    for (size_t i = 0; i < count; i++)
        assert_true(c[i].level <= 3 && c[i].bytes != 32768 && c[i].bytes != 131072);

    count = pptt_caches(t.at, t.used, 9, c, 16);
    assert_cache(c, count, 1, HOLDS_INSTRUCTIONS, 32768, 4, 32);
    assert_cache(c, count, 2, HOLDS_DATA | HOLDS_INSTRUCTIONS, 131072, 8, 64);
    for (size_t i = 0; i < count; i++)
        assert_true(c[i].bytes != 65536 && c[i].bytes != 1 << 20);

    assert_int_equal(pptt_caches(t.at, t.used, 8, c, 16), 0);
    assert_int_equal(pptt_caches(t.at, t.used, 0, c, 16), 0); /* the package's field is none: its flag is clear */
    assert_int_equal(pptt_caches(t.at, t.used, 7, c, 2), 2);
}

/* Some firmware lists a second level beside the first although the first names it as its next. */
static void a_cache_listed_twice_keeps_its_level(void **state)
{
    struct table t = {.used = 36};
    struct identity_cache c[16];
    uint32_t second = cache(&t, 0, 1 << 20, 8, UNIFIED, 64), first = cache(&t, second, 65536, 4, DATA, 64);

    (void)state;
    node(&t, UID | LEAF, 0, 0, 2, (uint32_t[]){second, first});
    assert_int_equal(pptt_caches(t.at, t.used, 0, c, 16), 2);
    assert_cache(c, 2, 1, HOLDS_DATA, 65536, 4, 64);
    assert_cache(c, 2, 2, HOLDS_DATA | HOLDS_INSTRUCTIONS, 1 << 20, 8, 64);
}

static void fields_that_are_not_valid_are_not_reported(void **state)
{
    struct table t = {.used = 36};
    struct identity_cache c[4];
    uint32_t first = cache(&t, 0, 65536, 4, DATA, 64);

    (void)state;
    node(&t, UID | LEAF, 0, 0, 1, &first);
    t.at[first + 4] = 1 << 4; /* only the type */
    assert_int_equal(pptt_caches(t.at, t.used, 0, c, 4), 1);
    assert_true(c[0].bytes == 0 && c[0].ways == 0 && c[0].line_bytes == 0);
    t.at[first + 4] = 0x6f; /* all but the type: of no use */
    assert_int_equal(pptt_caches(t.at, t.used, 0, c, 4), 0);
}

static void rings_end(void **state)
{
    struct table t = {.used = 36};
    struct identity_cache c[64];
    uint32_t first = cache(&t, 36, 65536, 4, DATA, 64); /* its own next level */
    uint32_t leaf = node(&t, UID | LEAF, (uint32_t)t.used, 0, 1, &first);

    (void)state;
    assert_int_equal(leaf, t.used - 24); /* and the node its own parent */
    assert_true(pptt_caches(t.at, t.used, 0, c, 64) <= 64);
}

/* Each table ends where its memory ends, so that the sanitizer sees a read behind it. */
static void *exactly(const void *from, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);

    assert_non_null(copy);
    memcpy(copy, from, bytes);
    return copy;
}

static void no_table_leads_outside(void **state)
{
    const struct table good = two_cores();
    struct identity_cache c[16];
    uint32_t random = 1, uid;

    (void)state;
    for (size_t bytes = 0; bytes <= good.used; bytes++) {
        void *cut = exactly(good.at, bytes);
        assert_true(pptt_caches(cut, bytes, 9, c, 16) <= 16);
        madt_processor(cut, bytes, 0, &uid);
        free(cut);
    }
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t *broken = exactly(good.at, good.used);
        for (unsigned j = 0; j < 1 + i % 4; j++) {
            random = random * 1664525 + 1013904223; /* Numerical Recipes, 7.1 */
            broken[36 + (random >> 8) % (good.used - 36)] = (uint8_t)(random >> 24);
        }
        assert_true(pptt_caches(broken, good.used, i % 2 ? 7 : 9, c, 16) <= 16);
        madt_processor(broken, good.used, 0, &uid);
        free(broken);
    }
}

/* ---- From the core to its number ------------------------------------------------------------------------- */

static void gicc(struct table *t, uint8_t length, uint32_t uid, uint64_t mpidr)
{
    size_t start = t->used;

    memset(t->at + start, 0, length);
    put(t, 0x0b, 1);
    put(t, length, 1);
    t->used = start + 8;
    put(t, uid, 4);
    t->used = start + 68;
    put(t, mpidr, 8);
    t->used = start + length;
}

static void a_core_is_found_by_its_affinity(void **state)
{
    struct table t = {.used = 44};
    uint32_t uid = 99;

    (void)state;
    put(&t, 0x0c, 1); /* a distributor: passed over */
    put(&t, 24, 1);
    t.used += 22;
    gicc(&t, 80, 7, 0x0000000100);
    gicc(&t, 82, 9, 0x0300000001);
    assert_true(madt_processor(t.at, t.used, 0x80000100, &uid)); /* bit 31 is always set in the register */
    assert_int_equal(uid, 7);
    assert_true(madt_processor(t.at, t.used, 0x0381000001, &uid)); /* so may U and MT be */
    assert_int_equal(uid, 9);
    assert_false(madt_processor(t.at, t.used, 0x80000001, &uid));

    struct table old = {.used = 44};
    gicc(&old, 76, 3, 0);
    old.at[45] = 40; /* of ACPI 5.0: it has no affinity */
    assert_false(madt_processor(old.at, old.used, 0, &uid));
    old.at[45] = 0; /* no length: the walk ends */
    assert_false(madt_processor(old.at, old.used, 0, &uid));
}

static void set32(struct table *t, size_t at, uint32_t value)
{
    memcpy(t->at + at, &value, sizeof value);
}

static void the_madt_lists_all_cores(void **state)
{
    struct table t = {.used = 44};
    struct listed_core c[4];

    (void)state;
    const size_t first = t.used, second = first + 82, third = second + 82, fourth = third + 82;
    gicc(&t, 82, 1, 0x80000000);
    gicc(&t, 82, 2, 0x0100000001);
    gicc(&t, 82, 3, 2);
    gicc(&t, 76, 4, 3);
    set32(&t, first + 12, 1);  /* enabled */
    set32(&t, second + 12, 8); /* online capable */
    set32(&t, third + 12, 0);
    set32(&t, fourth + 12, 1);
    set32(&t, fourth + 16, 1); /* the parking protocol */
    t.at[first + 76] = 1;      /* efficiency class */

    assert_int_equal(madt_cores(t.at, t.used, NULL, 0), 4);
    memset(c, 0x55, sizeof c);
    assert_int_equal(madt_cores(t.at, t.used, c, 4), 4);
    assert_true(c[0].affinity == 0 && c[0].rank == 1 && !c[0].why_not);
    assert_true(c[1].affinity == 0x0100000001 && c[1].rank == 0 && !c[1].why_not);
    assert_non_null(strstr(c[2].why_not, "disabled"));
    assert_true(c[3].rank == 0); /* too short to have a class */
    assert_non_null(strstr(c[3].why_not, "parking protocol"));
    memset(c, 0x55, sizeof c);
    assert_int_equal(madt_cores(t.at, t.used, c, 1), 4);
    assert_true(c[1].affinity == 0x5555555555555555);
    assert_int_equal(madt_cores(t.at, t.used - 1, c, 4), 3);
}

/* ---- The interrupt controller ------------------------------------------------------------------------------ */

static void set64(struct table *t, size_t at, uint64_t value)
{
    memcpy(t->at + at, &value, sizeof value);
}

static void structure(struct table *t, uint8_t type, uint8_t length)
{
    memset(t->at + t->used, 0, length);
    t->at[t->used] = type;
    t->at[t->used + 1] = length;
    t->used += length;
}

/* Two cores and a distributor; fields as in ACPI 6.5, 5.2.12.14, 5.2.12.15 and 5.2.12.17. */
static struct table with_distributor(uint8_t version)
{
    struct table t = {.used = 44};

    for (unsigned core = 0; core < 2; core++) {
        const size_t at = t.used;
        gicc(&t, 82, core, core);
        set64(&t, at + 32, 0x8010000);
        set64(&t, at + 60, version == 2 ? 0 : 0x80a0000 + 0x20000 * core);
    }
    structure(&t, 0x0c, 24);
    set64(&t, t.used - 24 + 8, 0x108000000);
    t.at[t.used - 24 + 20] = version;
    return t;
}

static void the_madt_describes_the_interrupt_controller(void **state)
{
    static const uint8_t versions[][2] = {{0, 3}, {1, 0}, {2, 2}, {3, 3}, {4, 3}};
    struct table gtdt = {.used = 104};

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        const struct table t = with_distributor(versions[i][0]);
        struct own_interrupts found = {.virtual_timer = 27};
        madt_interrupts(t.at, t.used, 0x80000001, &found);
        assert_int_equal(found.gic_version, versions[i][1]);
        assert_int_equal(found.distributor, 0x108000000);
        assert_int_equal(found.cpu_interface, 0x8010000);
        if (versions[i][1] == 3)
            assert_true(found.redistributors[0].base == 0x80c0000 && found.redistributors[0].bytes == 0x40000);
        assert_int_equal(found.redistributors[1].bytes, 0);
        assert_int_equal(found.virtual_timer, 27);
    }
    struct table t = with_distributor(3);
    for (unsigned region = 0; region < 20; region++) {
        structure(&t, 0x0e, 16);
        set64(&t, t.used - 12, 0x100000000 * (region + 1));
        set32(&t, t.used - 4, 0x200000);
    }
    struct own_interrupts found = {0}, none = {0};
    madt_interrupts(t.at, t.used, 0, &found);
    for (unsigned region = 0; region < OWN_REDISTRIBUTORS; region++)
        assert_true(found.redistributors[region].base == UINT64_C(0x100000000) * (region + 1) &&
                    found.redistributors[region].bytes == 0x200000);
    madt_interrupts(t.at, t.used, 2, &none); /* no such core */
    madt_interrupts(t.at, 44 + 2 * 82, 0, &none);
    assert_int_equal(none.gic_version, 0);
    for (size_t bytes = 44; bytes <= t.used; bytes++) {
        void *cut = exactly(t.at, bytes);
        madt_interrupts(cut, bytes, 1, &none);
        free(cut);
    }
    set32(&gtdt, 64, 30);
    assert_int_equal(gtdt_virtual_timer(gtdt.at, gtdt.used), 30);
    assert_int_equal(gtdt_virtual_timer(gtdt.at, 67), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_core_has_its_own_caches),
        cmocka_unit_test(a_cache_listed_twice_keeps_its_level),
        cmocka_unit_test(fields_that_are_not_valid_are_not_reported),
        cmocka_unit_test(rings_end),
        cmocka_unit_test(no_table_leads_outside),
        cmocka_unit_test(a_core_is_found_by_its_affinity),
        cmocka_unit_test(the_madt_lists_all_cores),
        cmocka_unit_test(the_madt_describes_the_interrupt_controller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
