/* Cores and interrupt controllers from device trees: as they are listed, and no tree can lead outside of itself. */
/* link: boot/uefi/devicetree.c */
/* libs: -lm */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/uefi/devicetree.h"
#include "lib/base/random.h"

/* ---- Trees built by hand, in the format of the Devicetree Specification 0.4, chapter 5 ---------------------- */

enum { ROOM = 4096, STRINGS_AT = 3072, STRUCTURE_AT = 64 };

struct tree {
    uint8_t at[ROOM];
    size_t used, strings; /* of either block */
};

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void token(struct tree *t, uint32_t value)
{
    put32(t->at + STRUCTURE_AT + t->used, value);
    t->used += 4;
}

static void bytes(struct tree *t, const void *data, size_t count)
{
    memcpy(t->at + STRUCTURE_AT + t->used, data, count);
    t->used += (count + 3) & ~(size_t)3;
}

static void begin(struct tree *t, const char *name)
{
    token(t, 1);
    bytes(t, name, strlen(name) + 1);
}

static void end(struct tree *t)
{
    token(t, 2);
    token(t, 4); /* a NOP, which may stand anywhere */
}

static void property(struct tree *t, const char *name, const void *value, size_t count)
{
    token(t, 3);
    token(t, (uint32_t)count);
    token(t, (uint32_t)t->strings);
    bytes(t, value, count);
    memcpy(t->at + STRINGS_AT + t->strings, name, strlen(name) + 1);
    t->strings += strlen(name) + 1;
}

static void text(struct tree *t, const char *name, const char *value)
{
    property(t, name, value, strlen(value) + 1);
}

static void cells(struct tree *t, const char *name, size_t count, uint32_t first, uint32_t second)
{
    uint8_t value[8];

    put32(value, first);
    put32(value + 4, second);
    property(t, name, value, 4 * count);
}

static void array(struct tree *t, const char *name, size_t count, const uint32_t *values)
{
    uint8_t value[4 * 32];

    for (size_t i = 0; i < count; i++)
        put32(value + 4 * i, values[i]);
    property(t, name, value, 4 * count);
}

#define ARRAY(t, name, ...) \
    array(t, name, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), (const uint32_t[]){__VA_ARGS__})

static void finish(struct tree *t)
{
    end(t);
    token(t, 9);
    put32(t->at, 0xd00dfeed);
    put32(t->at + 4, ROOM);
    put32(t->at + 8, STRUCTURE_AT);
    put32(t->at + 12, STRINGS_AT);
    put32(t->at + 32, (uint32_t)t->strings);
    put32(t->at + 36, (uint32_t)t->used);
}

static struct tree four_cores(void)
{
    struct tree t = {.used = 0};

    begin(&t, "");
    text(&t, "compatible", "board");
    begin(&t, "cpus");
    cells(&t, "#address-cells", 1, 2, 0);
    begin(&t, "cpu-map");
    begin(&t, "cluster0");
    cells(&t, "reg", 1, 7, 0);
    end(&t);
    end(&t);
    begin(&t, "cpu@0");
    text(&t, "device_type", "cpu");
    cells(&t, "reg", 2, 0, 0);
    text(&t, "enable-method", "psci");
    cells(&t, "capacity-dmips-mhz", 1, 1024, 0);
    begin(&t, "l2-cache");
    cells(&t, "reg", 1, 99, 0);
    end(&t);
    end(&t);
    begin(&t, "cpu@100000001");
    cells(&t, "reg", 2, 1, 1);
    text(&t, "enable-method", "psci");
    cells(&t, "capacity-dmips-mhz", 1, 446, 0);
    text(&t, "status", "okay");
    end(&t);
    begin(&t, "cpu@2");
    cells(&t, "reg", 1, 2, 0);
    text(&t, "enable-method", "spin-table");
    cells(&t, "cpu-release-addr", 2, 0, 0xd8);
    end(&t);
    begin(&t, "cpu@3");
    cells(&t, "reg", 1, 3, 0);
    text(&t, "enable-method", "psci");
    text(&t, "status", "disabled");
    end(&t);
    end(&t);
    begin(&t, "psci");
    text(&t, "compatible", "arm,psci-1.0");
    text(&t, "method", "hvc");
    end(&t);
    begin(&t, "memory@40000000");
    text(&t, "method", "smc");
    end(&t);
    finish(&t);
    return t;
}

static void cores_are_as_listed(void **state)
{
    const struct tree t = four_cores();
    struct listed_core c[4];

    (void)state;
    assert_int_equal(devicetree_bytes(t.at), ROOM);
    assert_int_equal(devicetree_cores(t.at, ROOM, NULL, 0), 4);
    memset(c, 0x55, sizeof c);
    assert_int_equal(devicetree_cores(t.at, ROOM, c, 4), 4);
    assert_true(c[0].affinity == 0 && c[0].rank == 1024 && !c[0].why_not);
    assert_true(c[1].affinity == 0x100000001 && c[1].rank == 446 && !c[1].why_not);
    assert_true(c[2].affinity == 2 && !c[2].why_not && c[2].release == 0xd8);
    assert_true(c[0].release == 0 && c[1].release == 0 && c[3].release == 0);
    assert_non_null(strstr(c[3].why_not, "disabled"));
    memset(c, 0x55, sizeof c);
    assert_int_equal(devicetree_cores(t.at, ROOM, c, 2), 4);
    assert_true(c[2].affinity == 0x5555555555555555);
    assert_string_equal(devicetree_psci(t.at, ROOM), "hvc");
}

static void a_core_without_a_method_is_reported(void **state)
{
    struct tree t = {.used = 0};
    struct listed_core c;

    (void)state;
    begin(&t, "");
    begin(&t, "cpus");
    begin(&t, "cpu@0");
    cells(&t, "reg", 1, 0, 0);
    end(&t);
    end(&t);
    finish(&t);
    assert_int_equal(devicetree_cores(t.at, ROOM, &c, 1), 1);
    assert_non_null(strstr(c.why_not, "does not say how"));
    assert_null(devicetree_psci(t.at, ROOM));
}

/* ---- Nodes -------------------------------------------------------------------------------------------------- */

/* As QEMU describes `-numa`: two nodes, and memory of which nothing is said. */
static struct tree two_nodes(void)
{
    struct tree t = {.used = 0};

    begin(&t, "");
    cells(&t, "#address-cells", 1, 2, 0);
    cells(&t, "#size-cells", 1, 2, 0);
    begin(&t, "distance-map");
    text(&t, "compatible", "numa-distance-map-v1");
    ARRAY(&t, "distance-matrix", 0, 0, 10, 0, 5, 20, 5, 0, 21, 5, 7, 30);
    end(&t);
    begin(&t, "memory@100000000");
    cells(&t, "numa-node-id", 1, 5, 0);
    ARRAY(&t, "reg", 1, 0, 0, 0x10000000, 2, 0, 0, 0);
    text(&t, "device_type", "memory");
    end(&t);
    begin(&t, "memory@40000000");
    text(&t, "device_type", "memory");
    ARRAY(&t, "reg", 0, 0x40000000, 0, 0x20000000, 0, 0x80000000, 0, 0x1000);
    cells(&t, "numa-node-id", 1, 0, 0);
    begin(&t, "part");
    ARRAY(&t, "reg", 0, 1, 0, 1);
    end(&t);
    end(&t);
    begin(&t, "memory@0");
    text(&t, "device_type", "memory");
    ARRAY(&t, "reg", 0, 0, 0, 0x1000);
    end(&t);
    begin(&t, "device@0");
    cells(&t, "numa-node-id", 1, 0, 0);
    ARRAY(&t, "reg", 0, 0, 0, 0x1000);
    end(&t);
    begin(&t, "cpus");
    begin(&t, "cpu@0");
    cells(&t, "reg", 1, 0, 0);
    cells(&t, "numa-node-id", 1, 5, 0);
    end(&t);
    begin(&t, "cpu@1");
    cells(&t, "reg", 1, 1, 0);
    end(&t);
    end(&t);
    finish(&t);
    return t;
}

static void memory_and_cores_have_nodes(void **state)
{
    const struct tree t = two_nodes();
    struct srat_memory m[3];
    struct listed_core c[2];

    (void)state;
    memset(m, 0x55, sizeof m);
    assert_int_equal(devicetree_memory(t.at, ROOM, m, 2), 3);
    assert_true(m[2].base == 0x5555555555555555);
    assert_int_equal(devicetree_memory(t.at, ROOM, m, 3), 3);
    assert_true(m[0].base == 0x100000000 && m[0].bytes == 0x10000000 && m[0].node == 5);
    assert_true(m[1].base == 0x40000000 && m[1].bytes == 0x20000000 && m[1].node == 0);
    assert_true(m[2].base == 0x80000000 && m[2].bytes == 0x1000 && m[2].node == 0);
    assert_int_equal(devicetree_cores(t.at, ROOM, c, 2), 2);
    assert_true(c[0].has_node && c[0].node == 5 && !c[1].has_node);
}

static void distances_hold_both_ways_unless_both_are_listed(void **state)
{
    const struct tree t = two_nodes(), none = four_cores();

    (void)state;
    assert_int_equal(devicetree_distance(t.at, ROOM, 0, 5), 20);
    assert_int_equal(devicetree_distance(t.at, ROOM, 5, 0), 21);
    assert_int_equal(devicetree_distance(t.at, ROOM, 7, 5), 30);
    assert_int_equal(devicetree_distance(t.at, ROOM, 7, 7), 10);
    assert_int_equal(devicetree_distance(t.at, ROOM, 0, 7), 0);
    assert_int_equal(devicetree_distance(none.at, ROOM, 0, 0), 0);
}

/* ---- Interrupt controllers ---------------------------------------------------------------------------------- */

static struct own_interrupts interrupts_of(const struct tree *t)
{
    struct own_interrupts i = {.virtual_timer = 1};

    devicetree_interrupts(t->at, ROOM, &i);
    return i;
}

/* As on a Raspberry Pi 4: the timer comes before, and the addresses are those of a bus. */
static struct tree translated_gic(void)
{
    struct tree t = {.used = 0};

    begin(&t, "");
    cells(&t, "#address-cells", 1, 2, 0);
    cells(&t, "#size-cells", 1, 1, 0);
    begin(&t, "timer");
    text(&t, "compatible", "arm,armv8-timer");
    ARRAY(&t, "interrupts", 1, 13, 0xf08, 1, 14, 0xf08, 1, 11, 0xf08, 1, 10, 0xf08);
    end(&t);
    begin(&t, "soc");
    text(&t, "compatible", "simple-bus");
    cells(&t, "#address-cells", 1, 1, 0);
    cells(&t, "#size-cells", 1, 1, 0);
    ARRAY(&t, "ranges", 0x7e000000, 0, 0xfe000000, 0x1800000, 0x40000000, 0, 0xff800000, 0x800000);
    begin(&t, "interrupt-controller@7e00b200");
    text(&t, "compatible", "brcm,bcm2836-armctrl-ic");
    cells(&t, "#interrupt-cells", 1, 2, 0);
    cells(&t, "reg", 2, 0x7e00b200, 0x200);
    end(&t);
    begin(&t, "interrupt-controller@40041000");
    cells(&t, "#interrupt-cells", 1, 3, 0);
    ARRAY(&t, "reg", 0x40041000, 0x1000, 0x40042000, 0x2000, 0x40044000, 0x2000, 0x40046000, 0x2000);
    text(&t, "compatible", "arm,gic-400");
    end(&t);
    end(&t);
    finish(&t);
    return t;
}

static void a_gic_behind_a_bus_is_found(void **state)
{
    const struct tree t = translated_gic();
    const struct own_interrupts i = interrupts_of(&t);

    (void)state;
    assert_int_equal(i.gic_version, 2);
    assert_int_equal(i.distributor, 0xff841000);
    assert_int_equal(i.cpu_interface, 0xff842000);
    assert_int_equal(i.virtual_timer, 27);
}

/* Entries of four cells, as on an RK3588; an entry of that name, at another place; a node below the controller. */
static void redistributors_and_the_named_timer_are_found(void **state)
{
    static const char names[] = "phys\0virt\0hyp-phys";
    struct tree t = {.used = 0};

    (void)state;
    begin(&t, "");
    cells(&t, "#address-cells", 1, 2, 0);
    cells(&t, "#size-cells", 1, 2, 0);
    begin(&t, "intc@1");
    text(&t, "compatible", "arm,gic-v3");
    text(&t, "status", "disabled");
    ARRAY(&t, "reg", 0, 1, 0, 1, 0, 2, 0, 2);
    end(&t);
    begin(&t, "intc@fe600000");
    text(&t, "compatible", "arm,gic-v3");
    cells(&t, "#interrupt-cells", 1, 4, 0);
    cells(&t, "#address-cells", 1, 1, 0);
    ARRAY(&t, "reg", 0, 0xfe600000, 0, 0x10000, 0, 0xfe680000, 0, 0x100000, 4, 0, 0, 0x40000);
    begin(&t, "its@fe640000");
    text(&t, "compatible", "arm,gic-v3-its");
    cells(&t, "reg", 2, 0xfe640000, 0x20000);
    end(&t);
    end(&t);
    begin(&t, "timer");
    text(&t, "compatible", "arm,armv8-timer");
    property(&t, "interrupt-names", names, sizeof names);
    ARRAY(&t, "interrupts", 1, 13, 8, 0, 1, 14, 8, 0, 1, 15, 8, 0);
    end(&t);
    finish(&t);
    const struct own_interrupts i = interrupts_of(&t);
    assert_int_equal(i.gic_version, 3);
    assert_int_equal(i.distributor, 0xfe600000);
    assert_true(i.redistributors[0].base == 0xfe680000 && i.redistributors[0].bytes == 0x100000);
    assert_true(i.redistributors[1].base == 0x400000000 && i.redistributors[1].bytes == 0x40000);
    assert_int_equal(i.redistributors[2].bytes, 0);
    assert_int_equal(i.virtual_timer, 30);
}

/* A bus without `ranges` has addresses of its own alone, and Apple's controller is no GIC. */
static void what_is_not_known_is_left_alone(void **state)
{
    struct tree t = {.used = 0};

    (void)state;
    begin(&t, "");
    begin(&t, "bus");
    begin(&t, "intc");
    text(&t, "compatible", "arm,gic-400");
    ARRAY(&t, "reg", 0, 0x1000, 0x1000, 0, 0x2000, 0x1000);
    end(&t);
    end(&t);
    begin(&t, "aic");
    text(&t, "compatible", "apple,aic");
    end(&t);
    begin(&t, "timer");
    text(&t, "compatible", "arm,armv8-timer");
    ARRAY(&t, "interrupts", 1, 2, 4, 1, 3, 4);
    end(&t);
    finish(&t);
    const struct own_interrupts i = interrupts_of(&t);
    assert_int_equal(i.gic_version, 0);
    assert_int_equal(i.virtual_timer, 1);
}

/* As an Allwinner A64's tree has it, with a node of another kind that has the same property. */
static struct tree timers(void)
{
    struct tree t = {.used = 0};

    begin(&t, "");
    text(&t, "compatible", "board");
    begin(&t, "soc");
    begin(&t, "timer@1c20c00");
    text(&t, "compatible", "arm,armv8-timer-mem");
    property(&t, "allwinner,erratum-unknown1", "", 0);
    end(&t);
    begin(&t, "timer");
    property(&t, "fsl,erratum-a008585", "", 0); /* before the text that says what the node is */
    property(&t, "compatible", "arm,armv8-timer-of-board\0arm,armv8-timer", 41);
    cells(&t, "clock-frequency", 1, 24000000, 0);
    begin(&t, "child");
    text(&t, "always-on", "");
    end(&t);
    end(&t);
    end(&t);
    finish(&t);
    return t;
}

static void properties_are_those_of_the_node(void **state)
{
    const struct tree t = timers();
    size_t length = 99;

    (void)state;
    assert_non_null(devicetree_property(t.at, ROOM, "arm,armv8-timer", "fsl,erratum-a008585", &length));
    assert_int_equal(length, 0);
    const uint8_t *cells = devicetree_property(t.at, ROOM, "arm,armv8-timer", "clock-frequency", &length);
    assert_non_null(cells);
    assert_int_equal(length, 4);
    assert_int_equal(cells[0] << 24 | cells[1] << 16 | cells[2] << 8 | cells[3], 24000000);
    assert_null(devicetree_property(t.at, ROOM, "arm,armv8-timer", "allwinner,erratum-unknown1", &length));
    assert_null(devicetree_property(t.at, ROOM, "arm,armv8-timer", "always-on", &length)); /* of the node within */
    assert_null(devicetree_property(t.at, ROOM, "arm,armv8", "clock-frequency", &length)); /* a part of the text */
    assert_null(devicetree_property(t.at, ROOM, "arm,gic-v3", "clock-frequency", &length));
    assert_non_null(devicetree_property(t.at, ROOM, "board", "compatible", &length));
}

/* ---- For the support file ----------------------------------------------------------------------------------- */

static bool has(const struct tree *t, const char *what)
{
    for (size_t at = 0; at + strlen(what) <= ROOM; at++)
        if (!memcmp(t->at + at, what, strlen(what)))
            return true;
    return false;
}

/* A board with everything in it that must not be published, and what looks like it and may be. */
static struct tree private_board(void)
{
    struct tree t = {.used = 0};

    begin(&t, "");
    text(&t, "compatible", "public-board");
    text(&t, "serial-number", "secret-1");
    begin(&t, "aliases");
    text(&t, "serial0", "/public-uart");
    end(&t);
    begin(&t, "chosen");
    text(&t, "bootargs", "root=secret-2");
    text(&t, "stdout-path", "/public-console");
    text(&t, "rng-seed", "secret-3");
    text(&t, "kaslr-seed", "secret-4");
    begin(&t, "module@1000");
    text(&t, "bootargs", "secret-5");
    text(&t, "reg", "secret-6");
    end(&t);
    end(&t);
    begin(&t, "soc");
    begin(&t, "ethernet@100");
    text(&t, "local-mac-address", "secret-7");
    text(&t, "mac-address", "secret-8");
    text(&t, "phy-mode", "public-phy");
    end(&t);
    begin(&t, "bluetooth");
    text(&t, "local-bd-address", "secret-9");
    end(&t);
    end(&t);
    begin(&t, "system");
    text(&t, "linux,serial", "secret-a");
    end(&t);
    begin(&t, "hat");
    text(&t, "uuid", "secret-b");
    text(&t, "product", "public-hat");
    end(&t);
    finish(&t);
    put32(t.at + 16, 40); /* the map of reserved memory: none */
    return t;
}

static void nothing_private_is_left_of_a_tree(void **state)
{
    struct tree t = private_board();

    (void)state;
    memcpy(t.at + STRUCTURE_AT + t.used + 8, "secret-c", 8); /* an old value, in no block */
    assert_true(has(&t, "secret-1") && has(&t, "secret-b") && has(&t, "secret-c"));
    assert_true(devicetree_strip(t.at, ROOM));
    assert_false(has(&t, "secret"));
    assert_true(has(&t, "public-board") && has(&t, "/public-uart") && has(&t, "/public-console"));
    assert_true(has(&t, "public-phy") && has(&t, "public-hat"));
    assert_true(has(&t, "serial-number") && has(&t, "ethernet@100"));
}

/* What is read of a tree is the same before and after. */
static void a_stripped_tree_is_a_tree(void **state)
{
    struct tree t = four_cores();
    struct listed_core c[4];

    (void)state;
    put32(t.at + 16, 40);
    const size_t bytes = devicetree_strip(t.at, ROOM);
    assert_int_equal(bytes, STRINGS_AT + t.strings);
    assert_int_equal(devicetree_bytes(t.at), bytes);
    assert_int_equal(devicetree_cores(t.at, bytes, c, 4), 4);
    assert_string_equal(devicetree_psci(t.at, bytes), "hvc");
}

static void an_invalid_tree_is_refused(void **state)
{
    const struct tree good = private_board();

    (void)state;
    for (size_t used = 0; used < good.used; used += 4) {
        struct tree t = good;
        put32(t.at + 36, (uint32_t)used);
        assert_int_equal(devicetree_strip(t.at, ROOM), 0);
    }
    struct tree t = good;
    put32(t.at + STRUCTURE_AT, 7); /* no token */
    assert_int_equal(devicetree_strip(t.at, ROOM), 0);
}

/* Copies of just the right size, so that the sanitizer sees the first byte too far. */
static void try_all(const uint8_t *tree, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1);
    struct own_interrupts i = {0};
    struct listed_core c[2];
    struct srat_memory m[2];

    assert_non_null(copy);
    memcpy(copy, tree, count);
    devicetree_cores(copy, count, c, 2);
    devicetree_psci(copy, count);
    devicetree_interrupts(copy, count, &i);
    devicetree_memory(copy, count, m, 2);
    devicetree_distance(copy, count, 5, 0);
    size_t length = 0;
    const uint8_t *value = devicetree_property(copy, count, "arm,psci-1.0", "method", &length);
    assert_true(!value || (value >= copy && length <= (size_t)(copy + count - value)));
    devicetree_strip(copy, count);
    free(copy);
}

static void no_tree_leads_outside(void **state)
{
    const struct tree all[] = {four_cores(), translated_gic(), two_nodes()};
    uint64_t random = 3;

    (void)state;
    for (size_t count = 0; count < ROOM; count++) {
        try_all(all[0].at, count);
        try_all(all[1].at, count);
        try_all(all[2].at, count);
    }
    for (unsigned i = 0; i < 60000; i++) {
        const struct tree good = all[i / 20000];
        struct tree bad = good;

        for (unsigned j = 0; j <= i % 4; j++) {
            size_t at = i % 2 ? random_below(&random, STRUCTURE_AT + good.used) : 4 * random_below(&random, 10);
            bad.at[at] = i % 3 ? (uint8_t)random_next(&random) : 0xff;
        }
        try_all(bad.at, ROOM);
    }
    assert_int_equal(devicetree_bytes("MZ\0\0\0\0\0\0"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_are_as_listed),
        cmocka_unit_test(a_core_without_a_method_is_reported),
        cmocka_unit_test(memory_and_cores_have_nodes),
        cmocka_unit_test(distances_hold_both_ways_unless_both_are_listed),
        cmocka_unit_test(a_gic_behind_a_bus_is_found),
        cmocka_unit_test(redistributors_and_the_named_timer_are_found),
        cmocka_unit_test(what_is_not_known_is_left_alone),
        cmocka_unit_test(properties_are_those_of_the_node),
        cmocka_unit_test(nothing_private_is_left_of_a_tree),
        cmocka_unit_test(a_stripped_tree_is_a_tree),
        cmocka_unit_test(an_invalid_tree_is_refused),
        cmocka_unit_test(no_tree_leads_outside),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
