/* What cores answer to CPUID, and what we make of it. */
/* link: arch/x86_64/identify.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86_64/identify_caches.h"
#include "arch/x86_64/identify_cpuid.h"
#include "arch/x86_64/identify_from.h"

struct answer {
    uint32_t leaf, subleaf;
    uint32_t eax, ebx, ecx, edx;
};

enum { ANSWERS = 64 };
static struct answer answers[ANSWERS];
static size_t answer_count;

static void answer(uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    assert_true(answer_count < ANSWERS);
    answers[answer_count++] = (struct answer){leaf, subleaf, eax, ebx, ecx, edx};
}

static void answer_text(uint32_t leaf, uint32_t eax, const char *text)
{
    uint32_t r[3];

    memcpy(r, text, sizeof(r));
    answer(leaf, 0, eax, r[0], r[1], r[2]);
}

static struct answer *find(uint32_t leaf, uint32_t subleaf)
{
    for (size_t i = answer_count; i-- > 0;)
        if (answers[i].leaf == leaf && answers[i].subleaf == subleaf)
            return &answers[i];
    return NULL;
}

/* Like Intel's, the model answers a leaf past the last of its range with the highest basic leaf's data. */
static void ask(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    const struct answer *range = find(leaf & 0xf0000000, 0);
    const struct answer *a = find(leaf, subleaf);

    if (a == NULL && (range == NULL || leaf > range->eax))
        a = find(0xdead, 0);
    memset(out, 0, 4 * sizeof(out[0]));
    if (a != NULL)
        memcpy(out, &a->eax, 4 * sizeof(out[0]));
}

static void core(const char *vendor, uint32_t signature)
{
    uint32_t r[3];

    answer_count = 0;
    memcpy(r, vendor, sizeof(r));
    answer(0, 0, 0x20, r[0], r[2], r[1]);
    answer(1, 0, signature, 0, 0, 0);
    answer(0xdead, 0, 0x77, 0x77, 0x77, 0x77);
}

static void hypervisor(const char *name, uint32_t last)
{
    find(1, 0)->ecx |= 1u << 31;
    answer_text(0x40000000, last, name);
}

static struct identity identity(void)
{
    struct identity id;

    identify_from(ask, &id);
    return id;
}

/* Signatures of processors sold, and of hybrid ones the answer of leaf 1AH. */
static void cores_are_known_by_name(void **state)
{
    static const struct {
        const char *vendor;
        uint32_t signature;
        uint32_t leaf_1a;
        const char *name;
    } known[] = {
        {"GenuineIntel", 0x000506e3, 0, "skylake"},              /* i7-6700K */
        {"GenuineIntel", 0x000906ea, 0, "skylake"},              /* i7-8700 */
        {"GenuineIntel", 0x00050654, 0, "skylake-server"},       /* Xeon Gold 6148 */
        {"GenuineIntel", 0x000706e5, 0, "sunny-cove"},           /* i7-1065G7 */
        {"GenuineIntel", 0x000606a6, 0, "sunny-cove"},           /* Xeon 8380 */
        {"GenuineIntel", 0x000806c1, 0, "willow-cove"},          /* i7-1165G7 */
        {"GenuineIntel", 0x00090672, 0x40000001, "golden-cove"}, /* i9-12900K */
        {"GenuineIntel", 0x00090672, 0x20000001, "gracemont"},
        {"GenuineIntel", 0x00090672, 0, "golden-cove"},          /* its E-cores switched off */
        {"GenuineIntel", 0x000b0671, 0x40000001, "raptor-cove"}, /* i9-13900K */
        {"GenuineIntel", 0x000b0671, 0x20000001, "gracemont"},
        {"GenuineIntel", 0x000806f8, 0x40000001, "golden-cove"},  /* Xeon 8480+ */
        {"GenuineIntel", 0x000c06f2, 0, "raptor-cove"},           /* Xeon 8592+ */
        {"GenuineIntel", 0x000a06a4, 0x40000002, "redwood-cove"}, /* Core Ultra 7 155H */
        {"GenuineIntel", 0x000a06a4, 0x20000002, "crestmont"},
        {"GenuineIntel", 0x000a06d1, 0x40000002, "redwood-cove"}, /* Xeon 6980P */
        {"GenuineIntel", 0x000b06d1, 0x40000003, "lion-cove"},    /* Core Ultra 7 258V */
        {"GenuineIntel", 0x000b06d1, 0x20000003, "skymont"},
        {"GenuineIntel", 0x000c0652, 0x20000002, "crestmont"}, /* Arrow Lake H, low-power core */
        {"GenuineIntel", 0x000b06e0, 0x20000001, "gracemont"}, /* N100 */
        {"AuthenticAMD", 0x00800f12, 0, "zen1"},               /* EPYC 7601 */
        {"AuthenticAMD", 0x00830f10, 0, "zen2"},               /* EPYC 7742 */
        {"AuthenticAMD", 0x00a00f11, 0, "zen3"},               /* EPYC 7763 */
        {"AuthenticAMD", 0x00a10f11, 0, "zen4"},               /* EPYC 9654 */
        {"AuthenticAMD", 0x00a60f12, 0, "zen4"},               /* Ryzen 9 7950X */
        {"AuthenticAMD", 0x00b00f21, 0, "zen5"},               /* EPYC 9755 */
        {"AuthenticAMD", 0x00b40f40, 0, "zen5"},               /* Ryzen 9 9950X */
        {"HygonGenuine", 0x00900f02, 0, "zen1"},
        {"GenuineIntel", 0x000f0ff0, 0, ""},
        {"AuthenticAMD", 0x00f00f00, 0, ""},
        {"CentaurHauls", 0x000506e3, 0, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        core(known[i].vendor, known[i].signature);
        answer(0x1a, 0, known[i].leaf_1a, 0, 0, 0);
        assert_string_equal(identity().core_name, known[i].name);
    }
}

static void brand_string_is_trimmed_and_printable(void **state)
{
    (void)state;
    core("GenuineIntel", 0x506e3);
    assert_string_equal(identity().model, "");

    answer(0x80000000, 0, 0x80000008, 0, 0, 0);
    answer(0x80000002, 0, 0x20202020, 0x65746e49, 0x2952286c, 0x43202020); /* "    Intel(R)   C" */
    answer(0x80000003, 0, 0x0165726f, 0, 0x41414141, 0);                   /* "ore\1", then nothing that counts */
    assert_string_equal(identity().model, "Intel(R)   Core?");

    /* All 48 characters in use, no terminator. */
    for (uint32_t i = 2; i < 5; i++)
        answer(0x80000000 + i, 0, 0x41414141, 0x41414141, 0x41414141, 0x41414141);
    assert_int_equal(strlen(identity().model), 48);
}

static void hypervisors_are_named_and_emulators_recognised(void **state)
{
    (void)state;
    core("GenuineIntel", 0x506e3);
    answer_text(0x40000000, 0x40000001, "nobody asked"); /* the bit that announces it is clear */
    assert_string_equal(identity().hypervisor, "");
    assert_false(identity().emulator);

    hypervisor("TCGTCGTCGTCG", 0x40000001);
    assert_string_equal(identity().hypervisor, "TCGTCGTCGTCG");
    assert_true(identity().emulator);

    hypervisor("KVMKVMKVM\0\0\0", 0);
    assert_string_equal(identity().hypervisor, "KVMKVMKVM");
    assert_false(identity().emulator);

    hypervisor("bhyve bhyve ", 0x40000000);
    assert_string_equal(identity().hypervisor, "bhyve bhyve");

    hypervisor("\0\0\0\0\0\0\0\0\0\0\0\0", 0x40000000);
    assert_string_equal(identity().hypervisor, "unnamed");
}

static void tick_frequency_comes_from_who_can_know(void **state)
{
    (void)state;
    core("AuthenticAMD", 0xa10f11);
    assert_null(identity().tick_source);
    assert_true(identity().tick_hz == 0);

    core("GenuineIntel", 0x506e3);
    answer(0x15, 0, 2, 334, 24000000, 0);
    assert_string_equal(identity().tick_source, "cpuid.15");
    assert_true(identity().tick_hz == 4008e6);

    answer(0x15, 0, 2, 334, 0, 0); /* the crystal's frequency is not given, but known for this model */
    answer(0x16, 0, 4000, 4200, 100, 0);
    assert_string_equal(identity().tick_source, "cpuid.15 and the crystal of this model");
    assert_true(identity().tick_hz == 4008e6);

    core("GenuineIntel", 0xc06f1); /* not known: rounded to a hundred MHz */
    answer(0x15, 0, 2, 334, 0, 0);
    answer(0x16, 0, 4000, 4200, 100, 0);
    assert_string_equal(identity().tick_source, "cpuid.16");
    assert_true(identity().tick_hz == 4e9);
    core("GenuineIntel", 0x50654); /* nor here, where some have 24 MHz and others 25 */
    answer(0x15, 0, 2, 200, 0, 0);
    answer(0x16, 0, 2500, 3500, 100, 0);
    assert_string_equal(identity().tick_source, "cpuid.16");
    assert_true(identity().tick_rounded);
    core("GenuineIntel", 0x506f1); /* Denverton has no leaf 16H */
    answer(0x15, 0, 3, 252, 0, 0);
    assert_true(identity().tick_hz == 2.1e9 && !identity().tick_rounded);
    core("GenuineIntel", 0x506e3);

    answer(0x15, 0, 0, 0, 0, 0); /* and no ratio either: nothing is known */
    assert_null(identity().tick_source);

    /* The hypervisor's word counts, but only where the leaf is in its range and it is one that means it. */
    answer(0x15, 0, 2, 334, 24000000, 0);
    hypervisor("KVMKVMKVM\0\0\0", 0x40000010);
    answer(0x40000010, 0, 2300000, 0, 0, 0);
    assert_string_equal(identity().tick_source, "cpuid.40000010");
    assert_true(identity().tick_hz == 2.3e9);
    hypervisor("KVMKVMKVM\0\0\0", 0x40000001);
    assert_string_equal(identity().tick_source, "cpuid.15");
    hypervisor("Microsoft Hv", 0x40000010);
    assert_string_equal(identity().tick_source, "cpuid.15");
}

/* For comparison; the first is the one that is used. */
static void every_declared_tick_frequency_is_listed(void **state)
{
    struct identity_tick ticks[IDENTITY_TICKS];

    (void)state;
    core("AuthenticAMD", 0xa10f11);
    assert_int_equal(identify_ticks_from(ask, ticks), 0);

    core("GenuineIntel", 0x506e3);
    answer(0x15, 0, 2, 334, 24000000, 0);
    answer(0x16, 0, 4000, 4200, 100, 0);
    hypervisor("KVMKVMKVM\0\0\0", 0x40000010);
    answer(0x40000010, 0, 2300000, 0, 0, 0);
    assert_int_equal(identify_ticks_from(ask, ticks), 3);
    assert_string_equal(ticks[0].source, "cpuid.40000010");
    assert_true(ticks[0].hz == 2.3e9 && !ticks[0].rounded);
    assert_string_equal(ticks[1].source, "cpuid.15");
    assert_true(ticks[1].hz == 4008e6 && !ticks[1].rounded);
    assert_string_equal(ticks[2].source, "cpuid.16");
    assert_true(ticks[2].hz == 4e9 && ticks[2].rounded);
    assert_true(identity().tick_hz == 2.3e9);

    core("GenuineIntel", 0xc06f1); /* no crystal is known: the rounded one alone, and it is said to be so */
    answer(0x15, 0, 2, 334, 0, 0);
    answer(0x16, 0, 4000, 4200, 100, 0);
    assert_int_equal(identify_ticks_from(ask, ticks), 1);
    assert_true(identity().tick_rounded);
}

static const struct identity_value *raw_named(const struct identity_value *values, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0)
            return &values[i];
    return NULL;
}

static void raw_values_leave_out_what_differs_between_cores(void **state)
{
    static struct identity_value values[512];
    size_t count;

    (void)state;
    core("AuthenticAMD", 0xa10f11);
    find(1, 0)->ebx = 0x5a100800;
    find(1, 0)->ecx = 1u << 27 | 1;
    answer(0x0b, 0, 1, 2, 3, 0x5a);
    answer(0x07, 1, 0x10, 0, 0, 0);
    answer(0x0d, 0, 7, 0x340, 0x340, 0);
    answer(0x0d, 2, 0x100, 0x240, 0, 0);
    answer(0x80000000, 0, 0x80000028, 0, 0, 0);
    answer(0x8000001e, 0, 0x5a, 0x0101, 0x0307, 0);
    answer(0x80000026, 0, 1, 2, 3, 0x5a);
    count = identify_raw_from(ask, values, 512);

    assert_int_equal(raw_named(values, count, "cpuid.00000001.0.eax")->value, 0xa10f11);
    assert_int_equal(raw_named(values, count, "cpuid.00000001.0.ebx")->value, 0x00100800);
    assert_int_equal(raw_named(values, count, "cpuid.00000001.0.ecx")->value, 1);
    assert_int_equal(raw_named(values, count, "cpuid.00000007.1.eax")->value, 0x10);
    assert_null(raw_named(values, count, "cpuid.00000007.2.eax")); /* all zero */
    assert_null(raw_named(values, count, "cpuid.0000000b.0.edx"));
    assert_int_equal(raw_named(values, count, "cpuid.0000000d.0.ebx")->value, 0);
    assert_int_equal(raw_named(values, count, "cpuid.0000000d.2.ebx")->value, 0x240);
    assert_int_equal(raw_named(values, count, "cpuid.8000001e.0.eax")->value, 0);
    assert_int_equal(raw_named(values, count, "cpuid.8000001e.0.ebx")->value, 0x0100);
    assert_int_equal(raw_named(values, count, "cpuid.8000001e.0.ecx")->value, 0x0300);
    assert_null(raw_named(values, count, "cpuid.80000026.0.edx"));
    assert_null(raw_named(values, count, "cpuid.40000000.0.eax"));
    assert_non_null(raw_named(values, count, "cpuid.80000028.0.edx"));
    assert_null(raw_named(values, count, "cpuid.80000029.0.eax"));

    /* Nothing twice, and no name cut short. */
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(values[i].name) + 1 < sizeof(values[i].name));
        assert_ptr_equal(raw_named(values, count, values[i].name), &values[i]);
    }
}

static void raw_values_are_bounded_whatever_is_claimed(void **state)
{
    static struct identity_value values[512];

    (void)state;
    core("GenuineIntel", 0x506e3);
    find(0, 0)->eax = 0xffff;
    hypervisor("who knows   ", 0x4000ffff);
    answer(0x80000000, 0, 0x8000ffff, 0, 0, 0);
    assert_in_range(identify_raw_from(ask, values, 512), 1, 512);

    /* Leaves are given whole or not at all. */
    memset(values, 0, sizeof(values));
    assert_int_equal(identify_raw_from(ask, values, 7), 4);
    assert_int_equal(values[4].name[0], 0);
    assert_int_equal(identify_raw_from(ask, values, 0), 0);

    /* A core whose extended range answers with the last basic leaf has no extended range. */
    core("GenuineIntel", 0x506e3);
    find(0xdead, 0)->eax = 0x12345678;
    assert_null(raw_named(values, identify_raw_from(ask, values, 512), "cpuid.80000000.0.eax"));
}

/* On the machine the test runs on: no fault, text printable, and the vendor is in the raw values. */
static void this_core_answers(void **state)
{
    static struct identity_value values[512];
    struct identity id;
    size_t count;

    (void)state;
    identify(&id);
    for (const char *p = id.model; *p != 0; p++)
        assert_in_range(*p, ' ', '~');
    count = identify_raw(values, 512);
    assert_non_null(raw_named(values, count, "cpuid.00000000.0.ebx"));
    assert_true(count < 512);
}

/* Size is the product of four fields, each one less than what it says. */
static void caches_are_as_declared(void **state)
{
    struct identity_cache caches[8];

    (void)state;
    core("GenuineIntel", 0x000c06f2);
    assert_int_equal(identify_caches_from(ask, caches, 8), 0);
    answer(4, 0, 0x121, 11u << 22 | 63, 63, 0);   /* 12 ways, 64 sets, 64 bytes: 48 KiB */
    answer(4, 1, 0x122, 7u << 22 | 63, 63, 0);    /* 32 KiB of instructions */
    answer(4, 2, 0x143, 15u << 22 | 63, 2047, 0); /* 2 MiB of both */
    answer(4, 3, 0, 0, 0, 0);
    assert_int_equal(identify_caches_from(ask, caches, 8), 3);
    assert_int_equal(caches[0].bytes, 48 << 10);
    assert_int_equal(caches[0].ways, 12);
    assert_int_equal(caches[0].line_bytes, 64);
    assert_int_equal(caches[0].level, 1);
    assert_int_equal(caches[0].holds, HOLDS_DATA);
    assert_string_equal(caches[0].source, "cpuid.4");
    assert_int_equal(caches[1].holds, HOLDS_INSTRUCTIONS);
    assert_int_equal(caches[2].bytes, 2 << 20);
    assert_int_equal(caches[2].level, 2);
    assert_int_equal(caches[2].holds, HOLDS_DATA | HOLDS_INSTRUCTIONS);
    assert_int_equal(identify_caches_from(ask, caches, 1), 1);
    assert_int_equal(identify_caches_from(ask, caches, 0), 0);

    core("AuthenticAMD", 0x00a10f11);
    answer(0x80000000, 0, 0x80000021, 0, 0, 0);
    answer(0x80000001, 0, 0, 0, 1u << 22, 0); /* TOPOEXT */
    answer(0x8000001d, 0, 0x121, 7u << 22 | 63, 63, 0);
    answer(0x8000001d, 3, 0x163, 15u << 22 | 63, 32767, 0); /* 32 MiB */
    answer(0x8000001d, 1, 0x122, 7u << 22 | 63, 63, 0);
    answer(0x8000001d, 2, 0x143, 7u << 22 | 63, 2047, 0);
    assert_int_equal(identify_caches_from(ask, caches, 8), 4);
    assert_int_equal(caches[3].bytes, 32 << 20);
    assert_string_equal(caches[3].source, "cpuid.8000001d");

    /* Before TOPOEXT: QEMU's own model of an AMD core. */
    core("AuthenticAMD", 0x00060fb1);
    answer(0x80000000, 0, 0x8000000a, 0, 0, 0);
    answer(0x80000005, 0, 0, 0, 0x40020140, 0x40ff0140);
    answer(0x80000006, 0, 0, 0, 0x02008140, 0x00808140);
    assert_int_equal(identify_caches_from(ask, caches, 8), 4);
    assert_int_equal(caches[0].bytes, 64 << 10);
    assert_int_equal(caches[0].ways, 2);
    assert_int_equal(caches[0].line_bytes, 64);
    assert_int_equal(caches[1].holds, HOLDS_INSTRUCTIONS);
    assert_int_equal(caches[1].ways, 0); /* full */
    assert_int_equal(caches[2].bytes, 512 << 10);
    assert_int_equal(caches[2].ways, 16);
    assert_int_equal(caches[3].bytes, 16 << 20);
    assert_int_equal(caches[3].level, 3);

    /* A core that never ends its list: no more than eight are asked for. */
    core("GenuineIntel", 0x000c06f2);
    for (uint32_t i = 0; i < 10; i++)
        answer(4, i, 0x121, 11u << 22 | 63, 63, 0);
    assert_int_equal(identify_caches_from(ask, caches, 8), 8);
}

static void assert_tlb(const struct identity_tlb *tlbs, size_t count, unsigned level, unsigned holds, bool loads,
                       bool stores, const char *page, unsigned entries)
{
    for (size_t i = 0; i < count; i++) {
        const struct identity_tlb *t = &tlbs[i];
        if (t->level == level && t->holds == holds && t->loads == loads && t->stores == stores &&
            !strcmp(t->page, page) && t->entries == entries)
            return;
    }
    fail_msg("no TLB of level %u with %u entries for %s", level, entries, page);
}

/* As Golden Cove's leaf 18H is laid out: an array for loads, one for stores, two for all at the second level. */
static void intel_tlbs_are_as_declared(void **state)
{
    struct identity_tlb t[IDENTITY_TLBS];

    (void)state;
    core("GenuineIntel", 0x000806f8);
    assert_int_equal(identify_tlbs_from(ask, t, IDENTITY_TLBS), 0);
    find(0, 0)->eax = 0x1f;
    answer(0x18, 0, 8, 0, 0, 0);
    answer(0x18, 1, 0, 8u << 16 | 1, 32, 0x22);   /* instructions, level 1, 8 ways of 32 sets, 4K */
    answer(0x18, 2, 0, 8u << 16 | 6, 4, 0x22);    /* 2M and 4M */
    answer(0x18, 3, 0, 16u << 16 | 15, 1, 0x125); /* stores, all sizes, fully associative */
    answer(0x18, 4, 0, 6u << 16 | 1, 16, 0x24);   /* loads */
    answer(0x18, 5, 0, 4u << 16 | 6, 8, 0x24);
    answer(0x18, 6, 0, 8u << 16 | 8, 1, 0x124);
    answer(0x18, 7, 0, 8u << 16 | 7, 128, 0x43); /* unified, level 2, 4K and 2M */
    answer(0x18, 8, 0, 8u << 16 | 9, 128, 0x43); /* unified, level 2, 4K and 1G */
    size_t count = identify_tlbs_from(ask, t, IDENTITY_TLBS);

    assert_int_equal(count, 12);
    assert_tlb(t, count, 1, HOLDS_INSTRUCTIONS, true, true, "4k", 256);
    assert_tlb(t, count, 1, HOLDS_INSTRUCTIONS, true, true, "2m", 32);
    assert_tlb(t, count, 1, HOLDS_DATA, false, true, "4k", 16);
    assert_tlb(t, count, 1, HOLDS_DATA, false, true, "1g", 16);
    assert_tlb(t, count, 1, HOLDS_DATA, true, false, "4k", 96);
    assert_tlb(t, count, 1, HOLDS_DATA, true, false, "2m", 32);
    assert_tlb(t, count, 1, HOLDS_DATA, true, false, "1g", 8);
    assert_tlb(t, count, 2, HOLDS_DATA | HOLDS_INSTRUCTIONS, true, true, "2m", 1024);
    assert_tlb(t, count, 2, HOLDS_DATA | HOLDS_INSTRUCTIONS, true, true, "1g", 1024);
    /* what shares an array: 4K and 2M, and in another one 4K and 1G */
    assert_true(t[8].array && t[8].array == t[9].array && t[10].array == t[11].array && t[9].array != t[10].array);
    assert_int_equal(identify_tlbs_from(ask, t, 5), 5);

    find(0x18, 0)->eax = 0xffffffff; /* whatever is claimed, it ends, and empty subleaves say nothing */
    assert_int_equal(identify_tlbs_from(ask, t, IDENTITY_TLBS), 12);
}

/* Values as Zen 4 has them; the associativity codes stand in the upper bits. */
static void amd_tlbs_are_as_declared(void **state)
{
    struct identity_tlb t[IDENTITY_TLBS];

    (void)state;
    core("AuthenticAMD", 0x00a10f11);
    answer(0x80000000, 0, 0x80000028, 0, 0, 0);
    answer(0x80000005, 0, 0xff48ff40, 0xff48ff40, 0, 0);
    answer(0x80000006, 0, 0x5c002200, 0x6c004200, 0, 0);
    answer(0x80000019, 0, 0xf048f040, 0x00000000, 0, 0);
    size_t count = identify_tlbs_from(ask, t, IDENTITY_TLBS);

    assert_int_equal(count, 10);
    assert_tlb(t, count, 1, HOLDS_DATA, true, true, "4k", 72);
    assert_tlb(t, count, 1, HOLDS_DATA, true, true, "2m", 72);
    assert_tlb(t, count, 1, HOLDS_DATA, true, true, "1g", 72);
    assert_tlb(t, count, 1, HOLDS_INSTRUCTIONS, true, true, "4k", 64);
    assert_tlb(t, count, 2, HOLDS_DATA, true, true, "4k", 3072);
    assert_tlb(t, count, 2, HOLDS_INSTRUCTIONS, true, true, "4k", 512);
    assert_tlb(t, count, 2, HOLDS_INSTRUCTIONS, true, true, "2m", 512);

    /* A second level of both kinds has an upper half of 0; one that is disabled has a code of 0. */
    *find(0x80000006, 0) = (struct answer){.leaf = 0x80000006, .eax = 0x00000200, .ebx = 0x00004400};
    count = identify_tlbs_from(ask, t, IDENTITY_TLBS);
    assert_int_equal(count, 7);
    assert_tlb(t, count, 2, HOLDS_DATA | HOLDS_INSTRUCTIONS, true, true, "4k", 1024);

    /* Another vendor's leaves of the same numbers mean something else. */
    core("GenuineIntel", 0x506e3);
    answer(0x80000000, 0, 0x80000028, 0, 0, 0);
    answer(0x80000005, 0, 0xff48ff40, 0xff48ff40, 0, 0);
    assert_int_equal(identify_tlbs_from(ask, t, IDENTITY_TLBS), 0);
}

static void assert_type(const char *expected)
{
    char type[4] = "xxx";

    identify_core_type_from(ask, type);
    assert_string_equal(type, expected);
}

static void unlike_cores_tell_their_type(void **state)
{
    (void)state;
    core("GenuineIntel", 0x90672); /* Alder Lake */
    answer(7, 0, 2, 0, 0, 1u << 15);
    answer(0x1a, 0, 0x40000001, 0, 0, 0);
    assert_type("P");
    find(0x1a, 0)->eax = 0x20000001;
    assert_type("E");
    find(0x1a, 0)->eax = 0;
    assert_type("");
    find(0x1a, 0)->eax = 0x40000001; /* it answers, and yet all cores are alike */
    find(7, 0)->edx = 0;
    assert_type("");

    core("AuthenticAMD", 0xb20f40);
    answer(0x80000000, 0, 0x80000026, 0, 0, 0);
    answer(0x80000026, 0, 1u << 30, 0x10000002, 0, 0);
    assert_type("E");
    find(0x80000026, 0)->ebx = 0x00000002;
    assert_type("P");
    find(0x80000026, 0)->eax = 0;
    assert_type("");
    find(0x80000000, 0)->eax = 0x80000021;
    assert_type("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_are_known_by_name),
        cmocka_unit_test(caches_are_as_declared),
        cmocka_unit_test(intel_tlbs_are_as_declared),
        cmocka_unit_test(amd_tlbs_are_as_declared),
        cmocka_unit_test(brand_string_is_trimmed_and_printable),
        cmocka_unit_test(hypervisors_are_named_and_emulators_recognised),
        cmocka_unit_test(tick_frequency_comes_from_who_can_know),
        cmocka_unit_test(every_declared_tick_frequency_is_listed),
        cmocka_unit_test(raw_values_leave_out_what_differs_between_cores),
        cmocka_unit_test(raw_values_are_bounded_whatever_is_claimed),
        cmocka_unit_test(this_core_answers),
        cmocka_unit_test(unlike_cores_tell_their_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
