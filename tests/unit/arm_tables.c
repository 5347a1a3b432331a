/* The translation tables of a window, built as the image builds them and walked as the core walks them. */
/* link: arch/aarch64/own/tables.c tests/registers/model.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/own/tables.h"
#include "lib/base/reason.h"
#include "tests/registers/model.h"

#define NO_LIMIT SIZE_MAX
#define KIB(n) ((size_t)(n) << 10)
#define MIB(n) ((size_t)(n) << 20)
#define GIB(n) ((size_t)(n) << 30)

static size_t tables_held; /* allocated and not freed */
static size_t tables_left; /* that may still be allocated */

static void *give_pages(size_t bytes, size_t alignment)
{
    void *p;

    if (tables_left == 0)
        return NULL;
    tables_left--;
    p = aligned_alloc(alignment, bytes);
    memset(p, 0, bytes);
    tables_held++;
    return p;
}

static void take_pages(void *base, size_t bytes)
{
    (void)bytes;
    tables_held--;
    free(base);
}

static const struct own_services services = {.pages = give_pages, .free_pages = take_pages};

static struct tables tables_of(unsigned granule_bits, unsigned address_bits)
{
    struct tables t = {.services = &services, .granule_bits = granule_bits, .address_bits = address_bits};

    t.memory_index = 3;
    tables_left = NO_LIMIT;
    assert_true(tables_start(&t));
    return t;
}

/*
 * What the core finds at an address. Written after the manual, not after the code under test: the first
 * level and the bits each level resolves are the tables of Arm ARM DDI 0487, D8.2.8 to D8.2.10.
 */
struct found {
    bool mapped;
    unsigned level;
    uint64_t physical;
    unsigned memory_index, shareability;
    bool read_only, for_el0, accessed, contiguous, privileged_execute, el0_execute;
};

struct walk {
    unsigned first, last;
    struct {
        unsigned high, low;
    } index[4]; /* by level */
};

static struct walk walk_of(unsigned granule_bits, unsigned address_bits)
{
    const struct walk k4_48 = {0, 3, {{47, 39}, {38, 30}, {29, 21}, {20, 12}}};
    const struct walk k4_39 = {1, 3, {{0, 0}, {38, 30}, {29, 21}, {20, 12}}};
    const struct walk k16_39 = {1, 3, {{0, 0}, {38, 36}, {35, 25}, {24, 14}}};
    const struct walk k64_39 = {2, 3, {{0, 0}, {0, 0}, {38, 29}, {28, 16}}};

    if (address_bits == 48)
        return k4_48;
    return granule_bits == 12 ? k4_39 : granule_bits == 14 ? k16_39 : k64_39;
}

static uint64_t bits(uint64_t value, unsigned high, unsigned low)
{
    return value >> low & ((UINT64_C(2) << (high - low)) - 1);
}

static struct found look_up(const struct tables *t, uint64_t address)
{
    struct walk w = walk_of(t->granule_bits, t->address_bits);
    const uint64_t *table = t->root;
    struct found f = {0};

    for (f.level = w.first;; f.level++) {
        unsigned low = w.index[f.level].low;
        uint64_t d = table[bits(address, w.index[f.level].high, low)];

        if (!(d & 1))
            return f;
        if (f.level < w.last && (d & 2)) {
            table = (const uint64_t *)(uintptr_t)(bits(d, 47, t->granule_bits) << t->granule_bits);
            continue;
        }
        if (f.level == w.last)
            assert_true(d & 2); /* 0b01 is reserved at the last level */
        else
            assert_true(f.level == 2 || (f.level == 1 && t->granule_bits == 12)); /* levels that have blocks */
        assert_int_equal(bits(d, 47, t->granule_bits) << t->granule_bits & ((UINT64_C(1) << low) - 1), 0);
        f.mapped = true;
        f.physical = (bits(d, 47, low) << low) | bits(address, low - 1, 0);
        f.memory_index = (unsigned)bits(d, 4, 2);
        f.for_el0 = bits(d, 6, 6);
        f.read_only = bits(d, 7, 7);
        f.shareability = (unsigned)bits(d, 9, 8);
        f.accessed = bits(d, 10, 10);
        f.privileged_execute = !bits(d, 53, 53);
        f.el0_execute = !bits(d, 54, 54);
        f.contiguous = bits(d, 52, 52);
        assert_int_equal(bits(d, 51, 48), 0); /* no dirty state, no address bits */
        assert_int_equal(bits(d, 63, 55), 0);
        return f;
    }
}

static const struct {
    unsigned granule_bits, level;
    size_t bytes;
} sizes[] = {
    {12, 3, KIB(4)},  {14, 3, KIB(16)},  {16, 3, KIB(64)}, {12, 2, MIB(2)},
    {14, 2, MIB(32)}, {16, 2, MIB(512)}, {12, 1, GIB(1)},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

#define HIGH UINT64_C(0xffffff8000000000)

/* Every page size: each byte translates to its frame, at the level that has it, and nothing around it does. */
static void maps_every_page_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct tables t = tables_of(sizes[i].granule_bits, HIGH_ADDRESS_BITS);
        size_t page = sizes[i].bytes;
        uint64_t at = HIGH + 4 * page, physical = UINT64_C(0x800000000000) + 8 * page;

        assert_null(tables_map(&t, at, physical, 3 * page, page, TABLE_DATA));
        for (uint64_t offset = 0; offset < 3 * page; offset += page / 2 + 8) {
            struct found f = look_up(&t, at + offset);

            assert_true(f.mapped);
            assert_int_equal(f.level, sizes[i].level);
            assert_int_equal(f.physical, physical + offset);
            assert_int_equal(f.memory_index, 3);
            assert_int_equal(f.shareability, 3);
            assert_true(f.accessed);
            assert_false(f.for_el0 || f.el0_execute || f.contiguous);
        }
        assert_int_equal(look_up(&t, at + 3 * page - 1).physical, physical + 3 * page - 1);
        assert_false(look_up(&t, at - 1).mapped);
        assert_false(look_up(&t, at + 3 * page).mapped);
        tables_free(&t);
        assert_int_equal(tables_held, 0);
    }
}

/*
 * As many neighbours as the manual has for each size (D8.7.1), all of them with the hint; none where a group lacks one.
 */
static void gives_the_contiguous_hint_to_whole_groups(void **state)
{
    static const size_t groups[SIZES] = {16, 128, 32, 16, 32, 32, 16};

    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct tables t = tables_of(sizes[i].granule_bits, HIGH_ADDRESS_BITS);
        const size_t page = sizes[i].bytes, group = groups[i] * page;

        assert_int_equal(granule_group_bytes(page), group);
        assert_non_null(tables_map(&t, HIGH, 0, group - page, page, TABLE_CONTIGUOUS));
        assert_non_null(tables_map(&t, HIGH + page, 0, group, page, TABLE_CONTIGUOUS));
        assert_non_null(tables_map(&t, HIGH, page, group, page, TABLE_CONTIGUOUS));
        assert_false(look_up(&t, HIGH).mapped || look_up(&t, HIGH + page).mapped);
        assert_null(tables_map(&t, HIGH, group, group, page, TABLE_CONTIGUOUS));
        for (size_t k = 0; k < groups[i]; k++) {
            const struct found f = look_up(&t, HIGH + k * page);
            assert_true(f.contiguous && !f.privileged_execute && !f.read_only);
            assert_int_equal(f.physical, group + k * page);
        }
        tables_free(&t);
    }
}

/* The ends of the high half, where an index is all zeros or all ones. */
static void maps_both_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct tables t = tables_of(sizes[i].granule_bits, HIGH_ADDRESS_BITS);
        size_t page = sizes[i].bytes;

        assert_null(tables_map(&t, HIGH, 0, page, page, TABLE_CODE));
        assert_null(tables_map(&t, 0 - (uint64_t)page, GIB(2), page, page, TABLE_CODE));
        assert_int_equal(look_up(&t, HIGH).physical, 0);
        assert_int_equal(look_up(&t, UINT64_MAX).physical, GIB(2) + page - 1);
        assert_false(look_up(&t, HIGH + page).mapped);
        tables_free(&t);
    }
}

static void code_and_data_exclude_each_other(void **state)
{
    struct tables t = tables_of(12, HIGH_ADDRESS_BITS);

    (void)state;
    assert_null(tables_map(&t, HIGH, 0, KIB(4), KIB(4), TABLE_CODE));
    assert_null(tables_map(&t, HIGH + KIB(4), 0, KIB(4), KIB(4), TABLE_DATA));
    assert_null(tables_map(&t, HIGH + KIB(8), 0, KIB(4), KIB(4), TABLE_FIRMWARE));
    struct found code = look_up(&t, HIGH), data = look_up(&t, HIGH + KIB(4)), both = look_up(&t, HIGH + KIB(8));
    assert_true(code.read_only && code.privileged_execute);
    assert_true(!data.read_only && !data.privileged_execute);
    assert_true(!both.read_only && both.privileged_execute && !both.el0_execute);
    tables_free(&t);
}

/* A register is read and written as device memory, and nothing is fetched from it. */
static void devices_are_no_memory(void **state)
{
    struct tables t = tables_of(12, HIGH_ADDRESS_BITS);

    (void)state;
    t.device_index = 5;
    assert_null(tables_map(&t, HIGH, 0xff841000, KIB(4), KIB(4), TABLE_DEVICE));
    assert_null(tables_map(&t, HIGH + KIB(4), 0, KIB(4), KIB(4), TABLE_DATA));
    const struct found device = look_up(&t, HIGH);
    assert_int_equal(device.physical, 0xff841000);
    assert_int_equal(device.memory_index, 5);
    assert_int_equal(look_up(&t, HIGH + KIB(4)).memory_index, t.memory_index);
    assert_false(device.read_only || device.privileged_execute || device.el0_execute || device.for_el0);
    tables_free(&t);
}

/* With TCR_EL1.DS, bits 9 and 8 are address bits, but not with 64 KiB. */
static void large_addresses_leave_shareability_out(void **state)
{
    (void)state;
    for (unsigned granule = 12; granule <= 16; granule += 2) {
        struct tables t = tables_of(granule, HIGH_ADDRESS_BITS);

        t.large_addresses = true;
        assert_null(tables_map(&t, HIGH, 0, (size_t)1 << granule, (size_t)1 << granule, TABLE_DATA));
        assert_int_equal(look_up(&t, HIGH).shareability, granule == 16 ? 3 : 0);
        tables_free(&t);
    }
}

static void refuses_what_cannot_be(void **state)
{
    struct tables t = tables_of(12, HIGH_ADDRESS_BITS);

    (void)state;
    assert_non_null(tables_map(&t, HIGH, 0, KIB(16), KIB(16), TABLE_DATA));    /* another granule's page */
    assert_non_null(tables_map(&t, HIGH, 0, KIB(8), KIB(8), TABLE_DATA));      /* nobody's page */
    assert_non_null(tables_map(&t, HIGH, KIB(4), MIB(2), MIB(2), TABLE_DATA)); /* frame not aligned */
    assert_non_null(tables_map(&t, HIGH, 0, MIB(1), MIB(2), TABLE_DATA));      /* size not a multiple */
    assert_non_null(tables_map(&t, HIGH, UINT64_C(1) << 48, KIB(4), KIB(4), TABLE_DATA));
    assert_false(look_up(&t, HIGH).mapped);
    tables_free(&t);
}

/* What is mapped stays as it is, whichever of block and page came first, and a failed call leaves nothing. */
static void refuses_to_map_twice(void **state)
{
    struct tables t = tables_of(12, HIGH_ADDRESS_BITS);

    (void)state;
    assert_null(tables_map(&t, HIGH + MIB(2), 0, MIB(2), MIB(2), TABLE_DATA));
    assert_non_null(tables_map(&t, HIGH + MIB(2) - KIB(8), GIB(1), KIB(12), KIB(4), TABLE_DATA));
    assert_false(look_up(&t, HIGH + MIB(2) - KIB(8)).mapped);
    assert_int_equal(look_up(&t, HIGH + MIB(2)).physical, 0);

    assert_null(tables_map(&t, HIGH + MIB(8) + KIB(4), 0, KIB(4), KIB(4), TABLE_DATA));
    assert_non_null(tables_map(&t, HIGH + MIB(6), GIB(1), MIB(4), MIB(2), TABLE_DATA));
    assert_false(look_up(&t, HIGH + MIB(6)).mapped);
    assert_true(look_up(&t, HIGH + MIB(8) + KIB(4)).mapped);
    tables_free(&t);
    assert_int_equal(tables_held, 0);
}

/* However few tables there is memory for, the answer is a reason, nothing stays mapped and nothing is lost. */
static void survives_running_out_of_memory(void **state)
{
    (void)state;
    for (size_t room = 0; room < 4; room++) {
        struct tables t = tables_of(12, HIGH_ADDRESS_BITS);
        const char *reason;

        tables_left = room;
        reason = tables_map(&t, HIGH, 0, MIB(4), KIB(4), TABLE_DATA); /* wants one of level 2, two of level 3 */
        assert_true((reason == REASON_NONE) == (room == 3));
        assert_int_equal(look_up(&t, HIGH).mapped, room == 3);
        tables_free(&t);
        assert_int_equal(tables_held, 0);
    }
}

/* RAM as firmware has it: odd ends, a hole, more than a gigabyte; exactly that is mapped, with few tables. */
static void identity_maps_ram_and_nothing_else(void **state)
{
    const struct own_range ram[] = {
        {KIB(4), MIB(2) + KIB(12)},
        {GIB(1) - MIB(2) - KIB(4), GIB(3)},
        {UINT64_C(0x880000000000), GIB(16)},
    };
    struct tables t = tables_of(12, LOW_ADDRESS_BITS);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint64_t end = ram[i].base + ram[i].bytes;

        assert_null(tables_map_identity(&t, &ram[i], TABLE_FIRMWARE));
        for (uint64_t at = ram[i].base; at < end; at += ram[i].bytes / 997) {
            assert_true(look_up(&t, at).mapped);
            assert_int_equal(look_up(&t, at).physical, at);
        }
        assert_int_equal(look_up(&t, end - 1).physical, end - 1);
        assert_false(look_up(&t, ram[i].base - 1).mapped);
        assert_false(look_up(&t, end).mapped);
    }
    assert_int_equal(look_up(&t, GIB(2)).level, 1);
    assert_int_equal(look_up(&t, GIB(1) - MIB(2)).level, 2);
    assert_int_equal(look_up(&t, GIB(1) - MIB(2) - KIB(4)).level, 3);
    assert_true(tables_held < 12);
    tables_free(&t);
    assert_int_equal(tables_held, 0);
}

/*
 * ID_AA64MMFR0_EL1 as cores have it (the first three: QEMU 7.2, target/arm/cpu64.c) and as the manual
 * allows it (Arm ARM D19.2): the fields of 4 KiB and 64 KiB are signed, that of 16 KiB is not.
 */
static void detects_granules(void **state)
{
    const struct {
        uint64_t mmfr0;
        bool k4, k16, k64;
    } cases[] = {
        {UINT64_C(0x00001124), true, false, true},         /* Cortex-A72: TGran16 is 0 */
        {UINT64_C(0x0000000000101125), true, true, true},  /* Neoverse N1: TGran16 is 1 */
        {UINT64_C(0x0000032310201126), true, true, true},  /* QEMU max: with 52-bit addresses, 1 and 2 */
        {UINT64_C(0x000000000f100003), true, true, false}, /* no 64 KiB, as with Apple */
        {UINT64_C(0x00000000f0000000), false, false, true}, {UINT64_C(0x00000000ff300000), false, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(granule_supported(cases[i].mmfr0, 12), cases[i].k4);
        assert_int_equal(granule_supported(cases[i].mmfr0, 14), cases[i].k16);
        assert_int_equal(granule_supported(cases[i].mmfr0, 16), cases[i].k64);
    }
    assert_false(granule_supported(0, 13));
}

static void lists_page_sizes_ascending(void **state)
{
    const size_t all[] = {KIB(4), KIB(16), KIB(64), MIB(2), MIB(32), MIB(512), GIB(1), 0};
    const size_t without_16k[] = {KIB(4), KIB(64), MIB(2), MIB(512), GIB(1), 0};
    size_t out[10];

    (void)state;
    granule_page_sizes(0x101125, out);
    assert_memory_equal(out, all, sizeof all);
    granule_page_sizes(0x1124, out);
    assert_memory_equal(out, without_16k, sizeof without_16k);
    for (size_t i = 0; i < SIZES; i++)
        assert_int_equal(granule_of(sizes[i].bytes), sizes[i].granule_bits);
    assert_int_equal(granule_of(KIB(8)), 0);
    assert_int_equal(granule_of(0), 0);
}

/* TCR_EL1, field by field (Arm ARM D19.2). TG1 and TG0 number the granules differently. */
static void high_half_control_has_the_granule(void **state)
{
    const struct {
        unsigned granule_bits, tg1;
    } granules[] = {{12, 2}, {14, 1}, {16, 3}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint64_t tcr = tcr_high_half(granules[i].granule_bits);

        assert_int_equal(bits(tcr, 31, 30), granules[i].tg1);
        assert_int_equal(64 - bits(tcr, 21, 16), 39); /* T1SZ */
        assert_int_equal(bits(tcr, 22, 22), 0);       /* A1: the ASID stays TTBR0's */
        assert_int_equal(bits(tcr, 23, 23), 0);       /* EPD1: walks are on */
        assert_int_equal(bits(tcr, 25, 24), 1);       /* IRGN1: write-back, as the data is */
        assert_int_equal(bits(tcr, 27, 26), 1);       /* ORGN1 */
        assert_int_equal(bits(tcr, 29, 28), 3);       /* SH1: inner shareable */
        assert_int_equal(tcr & ~tcr_high_half_mask, 0);
    }
    /* The low half's fields are never ours: T0SZ to TG0, IPS, AS, TBI0, HA, HD, HPD0, and DS. */
    assert_int_equal(tcr_high_half_mask & (UINT64_C(0xffff) | UINT64_C(0x3bf) << 32 | UINT64_C(1) << 59), 0);
    assert_int_equal(bits(tcr_high_half_mask, 31, 16), 0xffff);
}

static void low_half_control_fits_the_core(void **state)
{
    uint64_t tcr = tcr_low_half(5);

    (void)state;
    assert_int_equal(64 - bits(tcr, 5, 0), 48); /* T0SZ */
    assert_int_equal(bits(tcr, 7, 7), 0);       /* EPD0: walks are on */
    assert_int_equal(bits(tcr, 9, 8), 1);
    assert_int_equal(bits(tcr, 11, 10), 1);
    assert_int_equal(bits(tcr, 13, 12), 3);
    assert_int_equal(bits(tcr, 15, 14), 0); /* TG0: 4 KiB */
    assert_int_equal(bits(tcr, 23, 23), 1); /* EPD1: no high half yet */
    assert_int_equal(bits(tcr, 34, 32), 5); /* IPS: 48 bits */
    assert_int_equal(bits(tcr_low_half(2), 34, 32), 2);
    assert_int_equal(bits(tcr_low_half(6), 34, 32), 5); /* 52 bits need other descriptors */
}

/* MAIR_EL1 of edk2 (0xff at 3), of U-Boot (at 4), with tagged memory first, and with none that will do. */
static void finds_write_back_memory(void **state)
{
    (void)state;
    assert_int_equal(memory_index_write_back(UINT64_C(0xffbb4400)), 3);
    assert_int_equal(memory_index_write_back(UINT64_C(0x000000ff440c0400)), 4);
    assert_int_equal(memory_index_write_back(UINT64_C(0xff000000000000f0)), 7);
    assert_int_equal(memory_index_write_back(UINT64_C(0x0000000000bb4400)), -1);
}

static void finds_device_memory(void **state)
{
    (void)state;
    assert_int_equal(memory_index_device(UINT64_C(0xffbb4400)), 0); /* edk2, U-Boot: Device-nGnRnE */
    assert_int_equal(memory_index_device(UINT64_C(0xffffffff040c08ff)), 3);
    assert_int_equal(memory_index_device(UINT64_C(0xffffffff0c0844ff)), -1); /* gathered or reordered alone */
}

/* Whose access flag is clear is as it was but for that, and so are its neighbours. */
static void access_flags_are_read_and_cleared(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct tables t = tables_of(sizes[i].granule_bits, HIGH_ADDRESS_BITS);
        const size_t page = sizes[i].bytes;

        assert_null(tables_map(&t, HIGH, GIB(4), 3 * page, page, TABLE_DATA));
        assert_true(tables_accessed(&t, HIGH + page, page));
        assert_false(tables_accessed(&t, HIGH + page, page));
        const struct found cleared = look_up(&t, HIGH + page + 5);
        assert_true(cleared.mapped && !cleared.accessed && !cleared.read_only);
        assert_int_equal(cleared.physical, GIB(4) + page + 5);
        assert_true(look_up(&t, HIGH).accessed && look_up(&t, HIGH + 2 * page).accessed);
        assert_true(tables_accessed(&t, HIGH, page));
        tables_free(&t);
    }
}

/* The firmware's own extensions of translation at EL1, which would give our descriptors another meaning. */
static void translation_of_other_descriptors_is_refused(void **state)
{
    enum { ID_AA64MMFR3 = SYSTEM_REGISTER(3, 0, 0, 7, 3), TCR2 = SYSTEM_REGISTER(3, 0, 2, 0, 3) };
    static const struct {
        uint64_t tcr2;
        const char *named;
    } cases[] = {{1 << 0, "PnCH"}, {1 << 1, "PIE"}, {1 << 5, "D128"}, {1 << 15 | 1 << 11 | 1 << 4, NULL}, {0, NULL}};
    static struct model m;

    (void)state;
    model_register(&m, "ID_AA64MMFR3_EL1", ID_AA64MMFR3, 1, 0);
    struct model_register *tcr2 = model_register(&m, "TCR2_EL1", TCR2, 0, 0);
    const struct access a = model_access(&m);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tcr2->value = cases[i].tcr2;
        const char *why = translation_unlike(&a);
        assert_int_equal(why != NULL, cases[i].named != NULL);
        assert_true(!why || strstr(why, cases[i].named));
    }
    tcr2->value = 1 << 5;
    tcr2->read_faults = true; /* a hypervisor keeps it: then it has no effect */
    assert_null(translation_unlike(&a));
    tcr2->read_faults = false;
    model_at(&m, ID_AA64MMFR3)->value = 0;
    model_begin(&m);
    assert_null(translation_unlike(&a));
    model_assert_log(&m, "r ID_AA64MMFR3_EL1 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_every_page_size),
        cmocka_unit_test(gives_the_contiguous_hint_to_whole_groups),
        cmocka_unit_test(maps_both_ends),
        cmocka_unit_test(code_and_data_exclude_each_other),
        cmocka_unit_test(devices_are_no_memory),
        cmocka_unit_test(large_addresses_leave_shareability_out),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(refuses_to_map_twice),
        cmocka_unit_test(survives_running_out_of_memory),
        cmocka_unit_test(identity_maps_ram_and_nothing_else),
        cmocka_unit_test(detects_granules),
        cmocka_unit_test(lists_page_sizes_ascending),
        cmocka_unit_test(high_half_control_has_the_granule),
        cmocka_unit_test(low_half_control_fits_the_core),
        cmocka_unit_test(finds_write_back_memory),
        cmocka_unit_test(finds_device_memory),
        cmocka_unit_test(access_flags_are_read_and_cleared),
        cmocka_unit_test(translation_of_other_descriptors_is_refused),
    };

    return cmocka_run_group_tests_name("arm_tables", tests, NULL, NULL);
}
