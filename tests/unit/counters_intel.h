/* For counters_intel.c: modelled register files of Intel's counters, a generation each. */
#ifndef FATHOM_TESTS_COUNTERS_INTEL_H
#define FATHOM_TESTS_COUNTERS_INTEL_H

#include <string.h>

#include "tests/unit/counters_x86_64.h"

enum { FIXED = COUNTER_FIXED };

/* ---- Intel, as the SDM has it: vol. 3B, 20.2 and vol. 4, table 2-2 ------------------------------ */

static struct intel {
    unsigned version, general, fixed;
    unsigned really_general, really_fixed; /* where the core has more than it announces */
    unsigned bits;
    bool full_width, freezes, tsx;
    unsigned core_type;            /* CPUID.1AH:EAX[31:24] */
    uint32_t bitmaps[2];           /* CPUID.(23H,1), 0: no such leaf */
    uint32_t more;                 /* CPUID.(23H,0):EBX */
    uint32_t signature;            /* CPUID.01H:EAX */
    enum model_kind selector_kind; /* how IA32_PERFEVTSELn behave */
} intel;

static const char *const full_names[] = {"A_PMC0", "A_PMC1", "A_PMC2", "A_PMC3", "A_PMC4",
                                         "A_PMC5", "A_PMC6", "A_PMC7", "A_PMC8", "A_PMC9"};
static const char *const fixed_names[] = {"FIXED0", "FIXED1", "FIXED2", "FIXED3", "FIXED4", "FIXED5", "FIXED6"};

static uint64_t general_slots(void)
{
    if (intel.bitmaps[0] != 0)
        return intel.bitmaps[0];
    return ONES(intel.really_general ? intel.really_general : intel.general);
}

static uint64_t fixed_slots(void)
{
    if (intel.bitmaps[0] != 0)
        return intel.bitmaps[1];
    return ONES(intel.really_fixed ? intel.really_fixed : intel.fixed);
}

static void build_intel(struct model *model)
{
    const uint64_t all = general_slots() | fixed_slots() << 32, frozen = BIT(59);
    const uint64_t selector_bits = ONES(32) | (intel.more & 1 ? ONES(48) - ONES(40) : 0) |
                                   (intel.more & 2 ? BIT(36) : 0);
    /* The event and its conditions, USR, OS and EN; not INT or PIN; ANY where it is there. */
    const bool any = intel.version == 3 || intel.version == 4;
    const uint64_t selected = selector_bits & ~(BIT(19) | BIT(20) | (any ? 0 : BIT(21)));

    model_cpuid(model, 0, 0, 0x23, 0x756e6547, 0x6c65746e, 0x49656e69);
    model_cpuid(model, 1, 0, intel.signature, 0, intel.full_width || intel.freezes ? 1 << 15 : 0, 0);
    model_cpuid(model, 7, 0, 1, 0, 0, intel.tsx ? 1 << 13 : 0);
    model_cpuid(model, 7, 1, intel.bitmaps[0] ? 1 << 8 : 0, 0, 0, 0);
    model_cpuid(model, 0xa, 0, intel.version | intel.general << 8 | intel.bits << 16 | 7u << 24, 0,
                intel.version >= 5 ? (uint32_t)ONES(intel.fixed) : 0,
                intel.version >= 2 ? intel.fixed | intel.bits << 5 | (intel.version >= 5 ? 1 << 15 : 0) : 0);
    if (intel.core_type)
        model_cpuid(model, 0x1a, 0, intel.core_type << 24 | 1, 0, 0, 0);
    if (intel.bitmaps[0]) {
        model_cpuid(model, 0x23, 0, 3, intel.more, 0, 0);
        model_cpuid(model, 0x23, 1, intel.bitmaps[0], intel.bitmaps[1], 0, 0);
    }

    for (unsigned n = 0; n < 10; n++) {
        struct model_register *r;

        if (!(general_slots() & BIT(n)))
            continue;
        r = model_register(model, selector_names[n], 0x186 + n, 0, selector_bits);
        r->reserved = ~selector_bits;
        r->allowed = selected;
        r->kind = intel.selector_kind;
        r = model_register(model, count_names[n], 0xc1 + n, 0, ONES(intel.bits));
        r->extended = intel.bits;
        r->allowed = UINT64_MAX;
        if (!intel.full_width)
            continue;
        r = model_register(model, full_names[n], 0x4c1 + n, 0, ONES(intel.bits));
        r->kind = MODEL_ALIAS;
        r->view_of = 0xc1 + n;
        r->reserved = ~ONES(intel.bits);
    }
    if (intel.tsx)
        model_register(model, "TSX_FORCE_ABORT", 0x10f, 0, 1)->reserved = ~BIT(0);
    if (intel.version < 2)
        return;
    for (unsigned n = 0; n < 7; n++)
        if (fixed_slots() & BIT(n))
            model_register(model, fixed_names[n], 0x309 + n, 0, ONES(intel.bits))->reserved = ~ONES(intel.bits);
    model_register(model, "FIXED_CTR_CTRL", 0x38d, 0, ONES(28));
    model_register(model, "GLOBAL_CTRL", 0x38f, 0, all)->reserved = ~(all | BIT(48));
    model_register(model, "GLOBAL_STATUS", 0x38e, 0, all | frozen)->kind = MODEL_READ_ONLY;
    model_register(model, "OVF_CTRL", 0x390, 0, all | frozen)->kind = MODEL_CLEARS;
    model_at(model, 0x390)->view_of = 0x38e;
    if (intel.version >= 4) {
        model_register(model, "STATUS_SET", 0x391, 0, all | frozen)->kind = MODEL_SETS;
        model_at(model, 0x391)->view_of = 0x38e;
    }
    model_register(model, "OFFCORE_RSP_0", 0x1a6, 0, ONES(44))->reserved = ~ONES(44);
    model_at(model, 0x1a6)->allowed = UINT64_MAX; /* what an event needs there is for whoever asks for it to say */
    model_register(model, "OFFCORE_RSP_1", 0x1a7, 0, ONES(44))->reserved = ~ONES(44);
    model_at(model, 0x1a7)->allowed = UINT64_MAX; /* what an event needs there is for whoever asks for it to say */
    model_register(model, "PEBS_FRONTEND", 0x3f7, 0, ONES(24))->reserved = ~ONES(24);
    model_register(model, "PEBS_LD_LAT", 0x3f6, 0, ONES(16))->reserved = ~ONES(16);
    if (intel.full_width || intel.freezes) {
        model_register(model, "PERF_CAPABILITIES", 0x345, BIT(12) | (intel.full_width ? BIT(13) : 0), 0)->kind =
            MODEL_READ_ONLY;
        model_register(model, "DEBUGCTL", 0x1d9, 0, ONES(16))->allowed = BIT(14);
    }
}

/* At ring 0. */
static void execute_intel(struct model *model, uint64_t instructions, uint64_t cycles)
{
    const bool global = intel.version >= 2;
    const uint64_t control = global ? model_at(model, 0x38f)->value : UINT64_MAX;

    if (global && (model_at(model, 0x38e)->value & BIT(59)))
        return;
    for (unsigned n = 0; n < 10; n++) {
        const uint64_t selector = general_slots() & BIT(n) ? model_at(model, 0x186 + n)->value : 0;

        if ((selector & BIT(22)) && (selector & BIT(17)) && (control & BIT(n)))
            add(model_at(model, 0xc1 + n), of_event(selector, instructions, cycles), intel.bits);
    }
    for (unsigned n = 0; n < 7 && global; n++)
        if ((fixed_slots() & BIT(n)) && (control & BIT(32 + n)) && (model_at(model, 0x38d)->value >> 4 * n & 1))
            add(model_at(model, 0x309 + n), n == 0 ? instructions : cycles, intel.bits);
}

static const struct counting_core intel_core = {build_intel, execute_intel};

static const struct intel core_duo = {.version = 1, .general = 2, .bits = 40, .signature = 0x6e8};
static const struct intel penryn = {.version = 2, .general = 2, .fixed = 3, .bits = 40, .signature = 0x1067a};
static const struct intel nehalem = {
    .version = 3, .general = 4, .fixed = 3, .bits = 48, .freezes = true, .signature = 0x106a5};
static const struct intel skylake = {
    .version = 4, .general = 4, .fixed = 3, .bits = 48, .full_width = true, .tsx = true, .signature = 0x506e3};
static const struct intel ice_lake = {
    .version = 5, .general = 8, .fixed = 4, .bits = 48, .full_width = true, .signature = 0x706e5};
static const struct intel alder_lake_p = {.version = 5,
                                          .general = 6,
                                          .fixed = 3,
                                          .really_general = 8,
                                          .really_fixed = 4,
                                          .bits = 48,
                                          .full_width = true,
                                          .core_type = 0x40,
                                          .signature = 0x90672};
static const struct intel alder_lake_e = {
    .version = 5, .general = 6, .fixed = 3, .bits = 48, .full_width = true, .core_type = 0x20, .signature = 0x90672};
static const struct intel lion_cove = {.version = 6,
                                       .general = 8, /* what both kinds have in the old leaf */
                                       .fixed = 3,
                                       .bits = 48,
                                       .full_width = true,
                                       .core_type = 0x40,
                                       .bitmaps = {0x3ff, 0xf},
                                       .more = 3,
                                       .signature = 0xc0660};
static const struct intel skymont = {.version = 6,
                                     .general = 8,
                                     .fixed = 3,
                                     .bits = 48,
                                     .full_width = true,
                                     .core_type = 0x20,
                                     .bitmaps = {0xff, 0x77},
                                     .more = 3,
                                     .signature = 0xc0660};

static void be(const struct intel *generation)
{
    intel = *generation;
    expect_counters(&intel_core, &m, &have);
    a = model_access(&m);
}

#endif
