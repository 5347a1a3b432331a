/*
 * What an x86-64 core says of itself: CPUID, which works in any privilege.
 *
 * Sources: Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E; for the hypervisor leaves VMware, KB
 * 1009458, and its proposal to others, lwn.net/Articles/301888.
 */
#include "arch/x86_64/identify_cpuid.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

enum { EAX, EBX, ECX, EDX };

#define EXTENDED 0x80000000u
#define HYPERVISOR 0x40000000u

/*
 * Cores by family and model. `core` is CPUID.1AH:EAX[31:24], which kind a hybrid processor's core is,
 * where models mix two: 0x40 Core, 0x20 Atom (Intel SDM vol. 2A, table 3-17).
 *
 * Intel: SDM vol. 4, table 2-1, names the processors; the cores in them are from the optimisation
 * reference manual (chapter 2) and Intel's event lists (intel/perfmon, mapfile.csv). AMD: model ranges
 * as in the revision guides and PPRs of each family, collected in Linux, arch/x86/kernel/cpu/amd.c.
 *
 * A refresh that changes no structure asked for here keeps the name of its design: Kaby, Coffee and
 * Comet Lake are Skylake. Willow Cove (Tiger Lake) and Raptor Cove (Raptor Lake, Emerald Rapids; Linux,
 * arch/x86/include/asm/intel-family.h) are listed by themselves for their second level, and because
 * what was measured on one design is not published for its refresh.
 */
static const struct known_core {
    char vendor;  /* 'I'ntel, 'A'MD and Hygon */
    uint8_t core; /* 0: not looked at */
    uint16_t family;
    uint16_t first_model, last_model;
    const char *name;
} known_cores[] = {
    {'I', 0, 6, 0x1a, 0x1a, "nehalem"},
    {'I', 0, 6, 0x1e, 0x1f, "nehalem"},
    {'I', 0, 6, 0x2e, 0x2e, "nehalem"},
    {'I', 0, 6, 0x25, 0x25, "westmere"},
    {'I', 0, 6, 0x2c, 0x2c, "westmere"},
    {'I', 0, 6, 0x2f, 0x2f, "westmere"},
    {'I', 0, 6, 0x2a, 0x2a, "sandy-bridge"},
    {'I', 0, 6, 0x2d, 0x2d, "sandy-bridge"},
    {'I', 0, 6, 0x3a, 0x3a, "ivy-bridge"},
    {'I', 0, 6, 0x3e, 0x3e, "ivy-bridge"},
    {'I', 0, 6, 0x3c, 0x3c, "haswell"},
    {'I', 0, 6, 0x3f, 0x3f, "haswell"},
    {'I', 0, 6, 0x45, 0x46, "haswell"},
    {'I', 0, 6, 0x3d, 0x3d, "broadwell"},
    {'I', 0, 6, 0x47, 0x47, "broadwell"},
    {'I', 0, 6, 0x4f, 0x4f, "broadwell"},
    {'I', 0, 6, 0x56, 0x56, "broadwell"},
    {'I', 0, 6, 0x4e, 0x4e, "skylake"},
    {'I', 0, 6, 0x5e, 0x5e, "skylake"},
    {'I', 0, 6, 0x55, 0x55, "skylake-server"}, /* Skylake-SP, Cascade Lake, Cooper Lake: other caches */
    {'I', 0, 6, 0x8e, 0x8e, "skylake"},        /* Kaby, Whiskey, Amber, Comet Lake U */
    {'I', 0, 6, 0x9e, 0x9e, "skylake"},        /* Kaby, Coffee Lake */
    {'I', 0, 6, 0xa5, 0xa6, "skylake"},        /* Comet Lake */
    {'I', 0, 6, 0x66, 0x66, "palm-cove"},      /* Cannon Lake */
    {'I', 0, 6, 0x7d, 0x7e, "sunny-cove"},     /* Ice Lake */
    {'I', 0, 6, 0x9d, 0x9d, "sunny-cove"},     /* Ice Lake NNPI */
    {'I', 0, 6, 0x6a, 0x6a, "sunny-cove"},     /* Ice Lake-SP */
    {'I', 0, 6, 0x6c, 0x6c, "sunny-cove"},     /* Ice Lake-D */
    {'I', 0, 6, 0x8c, 0x8d, "willow-cove"},    /* Tiger Lake */
    {'I', 0, 6, 0xa7, 0xa7, "cypress-cove"},   /* Rocket Lake */
    {'I', 0, 6, 0x8f, 0x8f, "golden-cove"},    /* Sapphire Rapids */
    {'I', 0, 6, 0xcf, 0xcf, "raptor-cove"},    /* Emerald Rapids */
    {'I', 0, 6, 0xad, 0xae, "redwood-cove"},   /* Granite Rapids */
    {'I', 0, 6, 0xaf, 0xaf, "crestmont"},      /* Sierra Forest */
    {'I', 0, 6, 0xb6, 0xb6, "crestmont"},      /* Grand Ridge */
    {'I', 0, 6, 0xdd, 0xdd, "darkmont"},       /* Clearwater Forest */
    {'I', 0, 6, 0xbe, 0xbe, "gracemont"},      /* Alder Lake-N */
    {'I', 0x20, 6, 0x97, 0x97, "gracemont"},   /* Alder Lake */
    {'I', 0x20, 6, 0x9a, 0x9a, "gracemont"},
    {'I', 0x20, 6, 0xb7, 0xb7, "gracemont"}, /* Raptor Lake */
    {'I', 0x20, 6, 0xba, 0xba, "gracemont"},
    {'I', 0x20, 6, 0xbf, 0xbf, "gracemont"},
    {'I', 0, 6, 0x97, 0x97, "golden-cove"}, /* Alder Lake; without E-cores leaf 1AH may be empty */
    {'I', 0, 6, 0x9a, 0x9a, "golden-cove"},
    {'I', 0, 6, 0xb7, 0xb7, "raptor-cove"}, /* Raptor Lake */
    {'I', 0, 6, 0xba, 0xba, "raptor-cove"},
    {'I', 0, 6, 0xbf, 0xbf, "raptor-cove"},
    {'I', 0x20, 6, 0xaa, 0xaa, "crestmont"}, /* Meteor Lake */
    {'I', 0x20, 6, 0xac, 0xac, "crestmont"},
    {'I', 0x20, 6, 0xb5, 0xb5, "crestmont"}, /* Arrow Lake U, a Meteor Lake */
    {'I', 0, 6, 0xaa, 0xaa, "redwood-cove"},
    {'I', 0, 6, 0xac, 0xac, "redwood-cove"},
    {'I', 0, 6, 0xb5, 0xb5, "redwood-cove"},
    {'I', 0x20, 6, 0xbd, 0xbd, "skymont"}, /* Lunar Lake */
    {'I', 0x20, 6, 0xc5, 0xc6, "skymont"}, /* Arrow Lake; its low-power cores say Crestmont */
    {'I', 0, 6, 0xbd, 0xbd, "lion-cove"},
    {'I', 0, 6, 0xc5, 0xc6, "lion-cove"},
    {'I', 0, 6, 0x37, 0x37, "silvermont"},
    {'I', 0, 6, 0x4a, 0x4a, "silvermont"},
    {'I', 0, 6, 0x4d, 0x4d, "silvermont"},
    {'I', 0, 6, 0x4c, 0x4c, "airmont"},
    {'I', 0, 6, 0x5c, 0x5c, "goldmont"},
    {'I', 0, 6, 0x5f, 0x5f, "goldmont"},
    {'I', 0, 6, 0x7a, 0x7a, "goldmont-plus"},
    {'I', 0, 6, 0x86, 0x86, "tremont"},
    {'I', 0, 6, 0x96, 0x96, "tremont"},
    {'I', 0, 6, 0x9c, 0x9c, "tremont"},
    {'I', 0, 6, 0x57, 0x57, "knights-landing"},
    {'I', 0, 6, 0x85, 0x85, "knights-mill"},
    {'A', 0, 0x15, 0x00, 0x01, "bulldozer"},
    {'A', 0, 0x15, 0x02, 0x1f, "piledriver"},
    {'A', 0, 0x15, 0x30, 0x3f, "steamroller"},
    {'A', 0, 0x15, 0x60, 0x7f, "excavator"},
    {'A', 0, 0x16, 0x00, 0x0f, "jaguar"},
    {'A', 0, 0x16, 0x30, 0x3f, "puma"},
    {'A', 0, 0x17, 0x00, 0x2f, "zen1"}, /* Zen and Zen+ */
    {'A', 0, 0x17, 0x50, 0x5f, "zen1"},
    {'A', 0, 0x18, 0x00, 0xff, "zen1"}, /* Hygon Dhyana */
    {'A', 0, 0x17, 0x30, 0x4f, "zen2"},
    {'A', 0, 0x17, 0x60, 0x7f, "zen2"},
    {'A', 0, 0x17, 0x90, 0x91, "zen2"},
    {'A', 0, 0x17, 0xa0, 0xaf, "zen2"},
    {'A', 0, 0x19, 0x00, 0x0f, "zen3"},
    {'A', 0, 0x19, 0x20, 0x5f, "zen3"},
    {'A', 0, 0x19, 0x10, 0x1f, "zen4"},
    {'A', 0, 0x19, 0x60, 0xaf, "zen4"},
    {'A', 0, 0x1a, 0x00, 0x2f, "zen5"},
    {'A', 0, 0x1a, 0x40, 0x4f, "zen5"},
    {'A', 0, 0x1a, 0x60, 0x7f, "zen5"},
};

/*
 * An Atom core's native model, CPUID.1AH:EAX[23:0], tells cores apart where one processor has two
 * kinds of them (Intel, "Hardware Prefetch Controls for Intel Atom Cores", 1.1).
 */
static const char *const atom_models[] = {NULL, "gracemont", "crestmont", "skymont", "darkmont"};

static bool announces_hypervisor(cpuid_source *ask)
{
    uint32_t r[4];

    ask(1, 0, r); /* CPUID.01H:ECX[31] */
    return r[ECX] >> 31;
}

/* The last leaf of a range, 0 when the range is not there. */
static uint32_t last_leaf(cpuid_source *ask, uint32_t range)
{
    uint32_t r[4];

    if (range == HYPERVISOR && !announces_hypervisor(ask))
        return 0;
    ask(range, 0, r);
    if (range == HYPERVISOR && r[EAX] == 0)
        return HYPERVISOR; /* early KVM meant its first leaf only: Linux, Documentation/virt/kvm/x86/cpuid.rst */
    return r[EAX] - range <= 0xffff ? r[EAX] : 0;
}

/* Text out of at most twelve registers: printable, without the blanks around it. */
static void copy_text(char *out, size_t room, const uint32_t *registers, size_t count)
{
    char text[12 * sizeof(registers[0]) + 1] = {0};
    size_t used = 0;

    memcpy(text, registers, count * sizeof(registers[0]));
    for (const char *p = text; *p != 0 && used + 1 < room; p++)
        if (used > 0 || *p != ' ')
            out[used++] = (char)(*p >= ' ' && *p <= '~' ? *p : '?');
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = 0;
}

/* 'I'ntel, 'A'MD and Hygon, or 0. */
static char vendor_of(cpuid_source *ask)
{
    uint32_t r[4] = {0};
    char text[13];

    ask(0, 0, r);
    copy_text(text, sizeof(text), (const uint32_t[]){r[EBX], r[EDX], r[ECX]}, 3);
    if (strcmp(text, "GenuineIntel") == 0)
        return 'I';
    return strcmp(text, "AuthenticAMD") == 0 || strcmp(text, "HygonGenuine") == 0 ? 'A' : 0;
}

static const char *core_name(cpuid_source *ask)
{
    uint32_t r[4] = {0};
    char vendor = vendor_of(ask);
    unsigned family, model, core = 0, atom = 0;

    if (!vendor)
        return "";

    /* Intel SDM vol. 2A, figure 3-6: the extended fields count for families 6 and 15 only. */
    ask(1, 0, r);
    family = r[EAX] >> 8 & 0xf;
    model = r[EAX] >> 4 & 0xf;
    if (family == 6 || family == 15)
        model += (r[EAX] >> 16 & 0xf) << 4;
    if (family == 15)
        family += r[EAX] >> 20 & 0xff;

    if (vendor == 'I' && last_leaf(ask, 0) >= 0x1a) {
        ask(0x1a, 0, r);
        core = r[EAX] >> 24;
        atom = core == 0x20 ? r[EAX] & 0xffffff : 0;
    }
    for (size_t i = 0; i < sizeof(known_cores) / sizeof(known_cores[0]); i++) {
        const struct known_core *k = &known_cores[i];

        if (k->vendor != vendor || k->family != family || model < k->first_model || model > k->last_model ||
            (k->core != 0 && k->core != core))
            continue;
        if (k->core == 0x20 && atom > 0 && atom < sizeof(atom_models) / sizeof(atom_models[0]))
            return atom_models[atom];
        return k->name;
    }
    return "";
}

static void tick_frequency(cpuid_source *ask, struct identity *id)
{
    uint32_t r[4];

    /*
     * The hypervisor's word goes first: leaf 15H may be the host's. Only these two give their leaf
     * 40000010H the meaning "time-stamp counter in kHz".
     */
    if ((strcmp(id->hypervisor, "VMwareVMware") == 0 || strcmp(id->hypervisor, "KVMKVMKVM") == 0) &&
        last_leaf(ask, HYPERVISOR) >= 0x40000010) {
        ask(0x40000010, 0, r);
        if (r[EAX] != 0) {
            id->tick_hz = 1e3 * r[EAX];
            id->tick_source = "cpuid.40000010";
            return;
        }
    }
    /* Leaf 15H: crystal in Hz (ECX) times ratio (EBX / EAX). */
    if (last_leaf(ask, 0) >= 0x15) {
        ask(0x15, 0, r);
        if (r[EAX] != 0 && r[EBX] != 0 && r[ECX] != 0) {
            id->tick_hz = (double)r[ECX] * r[EBX] / r[EAX];
            id->tick_source = "cpuid.15";
            return;
        }
        /* Where the crystal is not told, the time stamp runs at the base frequency, given in whole MHz. */
        if (r[EAX] != 0 && r[EBX] != 0 && last_leaf(ask, 0) >= 0x16) {
            ask(0x16, 0, r);
            if ((r[EAX] & 0xffff) != 0) {
                id->tick_hz = 1e6 * (r[EAX] & 0xffff);
                id->tick_source = "cpuid.16";
            }
        }
    }
}

/* ---- Caches and TLBs ------------------------------------------------------------------------------ */

struct cache_list {
    struct identity_cache *out;
    size_t count, room;
};

static void add_cache(struct cache_list *l, struct identity_cache c)
{
    if (c.bytes > 0 && l->count < l->room)
        l->out[l->count++] = c;
}

/*
 * Deterministic cache parameters: leaf 4 (Intel SDM vol. 2A, CPUID), and in the same layout leaf
 * 8000001DH where TOPOEXT, 80000001H ECX bit 22, says that it is there (AMD APM vol. 3, E.4.15).
 */
static void deterministic_caches(cpuid_source *ask, uint32_t leaf, const char *source, struct cache_list *l)
{
    static const unsigned holds[4] = {0, HOLDS_DATA, HOLDS_INSTRUCTIONS, HOLDS_DATA | HOLDS_INSTRUCTIONS};
    uint32_t r[4];

    for (uint32_t i = 0; i < 8; i++) {
        ask(leaf, i, r);
        unsigned type = r[EAX] & 0x1f;
        if (type == 0) /* no more caches */
            break;
        if (type >= 4) /* reserved */
            continue;
        unsigned ways = (r[EBX] >> 22) + 1, partitions = (r[EBX] >> 12 & 0x3ff) + 1, line = (r[EBX] & 0xfff) + 1;
        add_cache(l, (struct identity_cache){.level = r[EAX] >> 5 & 7,
                                             .holds = holds[type],
                                             .bytes = (uint64_t)ways * partitions * line * ((uint64_t)r[ECX] + 1),
                                             .ways = ways,
                                             .line_bytes = line,
                                             .source = source});
    }
}

/*
 * AMD APM vol. 3, E.4.4 and E.4.5: in KiB, the third level in units of 512. The first level tells its ways as a
 * number, the others as a code; fully associative and what the code cannot say are left open.
 */
static void amd_caches(cpuid_source *ask, struct cache_list *l)
{
    static const unsigned ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
    uint32_t last = last_leaf(ask, EXTENDED), r[4];

    for (unsigned i = ECX; i <= EDX && last >= 0x80000005; i++) {
        ask(0x80000005, 0, r);
        add_cache(l, (struct identity_cache){.level = 1,
                                             .holds = i == ECX ? HOLDS_DATA : HOLDS_INSTRUCTIONS,
                                             .bytes = (uint64_t)(r[i] >> 24) << 10,
                                             .ways = (r[i] >> 16 & 0xff) == 0xff ? 0 : r[i] >> 16 & 0xff,
                                             .line_bytes = r[i] & 0xff,
                                             .source = "cpuid.80000005"});
    }
    for (unsigned i = ECX; i <= EDX && last >= 0x80000006; i++) {
        ask(0x80000006, 0, r);
        add_cache(
            l, (struct identity_cache){.level = i == ECX ? 2 : 3,
                                       .holds = HOLDS_DATA | HOLDS_INSTRUCTIONS,
                                       .bytes = i == ECX ? (uint64_t)(r[i] >> 16) << 10 : (uint64_t)(r[i] >> 18) << 19,
                                       .ways = ways[r[i] >> 12 & 0xf],
                                       .line_bytes = r[i] & 0xff,
                                       .source = "cpuid.80000006"});
    }
}

size_t identify_caches_from(cpuid_source *ask, struct identity_cache *out, size_t room)
{
    struct cache_list l = {.out = out, .room = room};
    uint32_t r[4] = {0};

    if (last_leaf(ask, EXTENDED) >= 0x8000001d)
        ask(0x80000001, 0, r);
    if (r[ECX] & 1u << 22)
        deterministic_caches(ask, 0x8000001d, "cpuid.8000001d", &l);
    else if (vendor_of(ask) == 'A')
        amd_caches(ask, &l);
    else if (last_leaf(ask, 0) >= 4)
        deterministic_caches(ask, 4, "cpuid.4", &l);
    return l.count;
}

struct tlb_list {
    struct identity_tlb *out;
    size_t count, room;
};

static void add_tlb(struct tlb_list *l, struct identity_tlb t)
{
    if (t.entries > 0 && l->count < l->room)
        l->out[l->count++] = t;
}

/*
 * Leaf 18H, deterministic address translation parameters (Intel SDM vol. 2A, CPUID): EBX has a bit for each page
 * size and the ways, ECX the sets, EDX type and level. 4M pages do not exist in 64-bit mode.
 */
static void intel_tlbs(cpuid_source *ask, struct tlb_list *l)
{
    static const struct {
        uint32_t bit;
        const char *page;
    } pages[] = {{1u << 0, "4k"}, {1u << 1, "2m"}, {1u << 3, "1g"}};
    enum { TYPE_DATA = 1, TYPE_INSTRUCTION, TYPE_UNIFIED, TYPE_LOAD, TYPE_STORE };
    uint32_t r[4], last;

    if (last_leaf(ask, 0) < 0x18)
        return;
    ask(0x18, 0, r);
    last = r[EAX] < 31 ? r[EAX] : 31;
    for (uint32_t i = 0; i <= last; i++) {
        ask(0x18, i, r);
        unsigned type = r[EDX] & 0x1f;
        if (type == 0 || type > TYPE_STORE) /* subleaf not in use, or reserved */
            continue;
        struct identity_tlb t = {.level = r[EDX] >> 5 & 7,
                                 .holds = type == TYPE_UNIFIED       ? HOLDS_DATA | HOLDS_INSTRUCTIONS
                                          : type == TYPE_INSTRUCTION ? HOLDS_INSTRUCTIONS
                                                                     : HOLDS_DATA,
                                 .loads = type != TYPE_STORE,
                                 .stores = type != TYPE_LOAD,
                                 .entries = (r[EBX] >> 16) * r[ECX],
                                 .array = i + 1,
                                 .source = "cpuid.18"};
        for (size_t j = 0; j < sizeof(pages) / sizeof(pages[0]); j++)
            if (r[EBX] & pages[j].bit) {
                t.page = pages[j].page;
                add_tlb(l, t);
            }
    }
}

static void add_amd_pair(struct tlb_list *l, unsigned level, const char *page, unsigned data, unsigned instruction,
                         bool unified, const char *source)
{
    struct identity_tlb t = {.level = level, .page = page, .source = source, .loads = true, .stores = true};

    t.holds = HOLDS_DATA;
    t.entries = data;
    add_tlb(l, t);
    t.holds = unified ? HOLDS_DATA | HOLDS_INSTRUCTIONS : HOLDS_INSTRUCTIONS;
    t.entries = instruction;
    add_tlb(l, t);
}

/*
 * AMD APM vol. 3, E.4.4, E.4.5 and E.4.12. Leaf 80000005H has eight bits for the entries of each first level:
 * data in [23:16], instruction in [7:0]; EAX for 2M pages, EBX for 4K. Leaf 80000006H (second level) and 80000019H
 * (1G pages; first level in EAX, second in EBX) have twelve, [27:16] and [11:0], below an associativity of which 0
 * means disabled. In 80000006H an upper half of 0 means that the lower half is of both.
 */
static void amd_tlbs(cpuid_source *ask, struct tlb_list *l)
{
    uint32_t last = last_leaf(ask, EXTENDED), r[4];

    if (last >= 0x80000005) {
        ask(0x80000005, 0, r);
        add_amd_pair(l, 1, "4k", r[EBX] >> 16 & 0xff, r[EBX] & 0xff, false, "cpuid.80000005");
        add_amd_pair(l, 1, "2m", r[EAX] >> 16 & 0xff, r[EAX] & 0xff, false, "cpuid.80000005");
    }
    for (uint32_t leaf = 0x80000006; leaf <= 0x80000019; leaf += 0x13) {
        bool second = leaf == 0x80000006;
        if (last < leaf)
            continue;
        ask(leaf, 0, r);
        for (unsigned i = EAX; i <= EBX; i++) {
            unsigned data = r[i] >> 28 ? r[i] >> 16 & 0xfff : 0, instruction = r[i] >> 12 & 0xf ? r[i] & 0xfff : 0;
            const char *page = !second ? "1g" : i == EAX ? "2m" : "4k";
            add_amd_pair(l, second || i == EBX ? 2 : 1, page, data, instruction, second && r[i] >> 16 == 0,
                         second ? "cpuid.80000006" : "cpuid.80000019");
        }
    }
}

size_t identify_tlbs_from(cpuid_source *ask, struct identity_tlb *out, size_t room)
{
    struct tlb_list l = {.out = out, .room = room};

    switch (vendor_of(ask)) {
    case 'I': intel_tlbs(ask, &l); break;
    case 'A': amd_tlbs(ask, &l); break;
    default: break;
    }
    return l.count;
}

void identify_from(cpuid_source *ask, struct identity *id)
{
    uint32_t brand[12] = {0};
    uint32_t r[4] = {0};

    *id = (struct identity){0};
    (void)snprintf(id->core_name, sizeof(id->core_name), "%s", core_name(ask));

    if (last_leaf(ask, EXTENDED) >= 0x80000004) {
        for (uint32_t i = 0; i < 3; i++)
            ask(0x80000002 + i, 0, brand + (size_t)4 * i);
        copy_text(id->model, sizeof(id->model), brand, 12);
    }
    if (last_leaf(ask, HYPERVISOR) != 0) {
        ask(HYPERVISOR, 0, r);
        copy_text(id->hypervisor, sizeof(id->hypervisor), &r[EBX], 3);
        if (id->hypervisor[0] == 0)
            (void)snprintf(id->hypervisor, sizeof(id->hypervisor), "unnamed");
    }
    /* QEMU's translator, target/i386/cpu.c. */
    id->emulator = strcmp(id->hypervisor, "TCGTCGTCGTCG") == 0;
    tick_frequency(ask, id);
}

/*
 * Leaves whose answer depends on ECX, with the last value worth asking for; what is all zero there is
 * left out. All others have one answer.
 */
static const struct {
    uint32_t leaf;
    uint32_t last;
} subleaves[] = {
    {0x04, 7}, {0x07, 2}, {0x0d, 18}, {0x0f, 1}, {0x10, 5}, {0x12, 4}, {0x14, 1},       {0x17, 3},
    {0x18, 7}, {0x1b, 3}, {0x1d, 1},  {0x20, 0}, {0x23, 5}, {0x24, 1}, {0x8000001d, 4}, {0x80000020, 4},
};

/* Bits that differ between cores of one machine, or with what the place has switched on. */
static const struct {
    uint32_t leaf;
    uint32_t subleaf;
    unsigned which;
    uint32_t bits;
} volatile_bits[] = {
    {0x00000001, 0, EBX, 0xff000000}, /* initial APIC id */
    {0x00000001, 0, ECX, 1u << 27},   /* OSXSAVE follows CR4 */
    {0x00000007, 0, ECX, 1u << 4},    /* OSPKE follows CR4 */
    {0x0000000d, 0, EBX, UINT32_MAX}, /* size of what XCR0 enables */
    {0x0000000d, 1, EBX, UINT32_MAX}, /* and IA32_XSS */
    {0x8000001e, 0, EAX, UINT32_MAX}, /* extended APIC id */
    {0x8000001e, 0, EBX, 0x000000ff}, /* core id */
    {0x8000001e, 0, ECX, 0x000000ff}, /* node id */
};

/* Topology leaves hold the x2APIC id and tell nothing else about how the core is built. */
static bool is_topology(uint32_t leaf)
{
    return leaf == 0x0b || leaf == 0x1f || leaf == 0x80000026;
}

static size_t raw_leaf(cpuid_source *ask, uint32_t leaf, uint32_t subleaf, struct identity_value *out, size_t room)
{
    static const char *const register_names[4] = {"eax", "ebx", "ecx", "edx"};
    uint32_t r[4];

    ask(leaf, subleaf, r);
    if (room < 4 || (subleaf > 0 && (r[EAX] | r[EBX] | r[ECX] | r[EDX]) == 0))
        return 0;
    for (size_t i = 0; i < sizeof(volatile_bits) / sizeof(volatile_bits[0]); i++)
        if (volatile_bits[i].leaf == leaf && volatile_bits[i].subleaf == subleaf)
            r[volatile_bits[i].which] &= ~volatile_bits[i].bits;
    for (unsigned i = 0; i < 4; i++) {
        (void)snprintf(out[i].name, sizeof(out[i].name), "cpuid.%08x.%u.%s", leaf, subleaf, register_names[i]);
        out[i].value = r[i];
    }
    return 4;
}

size_t identify_raw_from(cpuid_source *ask, struct identity_value *out, size_t room)
{
    static const uint32_t ranges[] = {0, HYPERVISOR, EXTENDED};
    size_t used = 0;

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const uint32_t last = last_leaf(ask, ranges[i]);

        /* No range known has more than 64 leaves; what claims to is not believed. */
        for (uint32_t leaf = ranges[i]; leaf <= last && leaf < ranges[i] + 64; leaf++) {
            uint32_t last_subleaf = 0;

            if (is_topology(leaf))
                continue;
            for (size_t j = 0; j < sizeof(subleaves) / sizeof(subleaves[0]); j++)
                if (subleaves[j].leaf == leaf)
                    last_subleaf = subleaves[j].last;
            for (uint32_t subleaf = 0; subleaf <= last_subleaf; subleaf++)
                used += raw_leaf(ask, leaf, subleaf, out + used, room - used);
        }
    }
    return used;
}

/*
 * Intel: CPUID.07H:EDX[15], a hybrid processor, and then the kind of this core in CPUID.1AH:EAX[31:24] (SDM vol. 2A,
 * CPUID). AMD: CPUID Fn8000_0026_EAX[30], HeterogeneousCoreTopology, and then EBX[31:28], 0 performance, 1 efficiency
 * (APM vol. 3, E.4.23).
 */
void identify_core_type_from(cpuid_source *ask, char out[4])
{
    uint32_t r[4] = {0};
    const char vendor = vendor_of(ask);

    out[0] = out[1] = 0;
    if (vendor == 'I' && last_leaf(ask, 0) >= 0x1a) {
        ask(7, 0, r);
        if (!(r[EDX] >> 15 & 1))
            return;
        ask(0x1a, 0, r);
        out[0] = r[EAX] >> 24 == 0x40 ? 'P' : r[EAX] >> 24 == 0x20 ? 'E' : 0;
    } else if (vendor == 'A' && last_leaf(ask, EXTENDED) >= 0x80000026) {
        ask(0x80000026, 0, r);
        if (r[EAX] >> 30 & 1)
            out[0] = r[EBX] >> 28 == 0 ? 'P' : r[EBX] >> 28 == 1 ? 'E' : 0;
    }
}

static void ask_this_core(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    __cpuid_count(leaf, subleaf, out[EAX], out[EBX], out[ECX], out[EDX]);
}

/*
 * What XCR0 enables, of what there is: 2 AVX, 5 to 7 AVX-512 (Intel SDM vol. 1, 13.3; CPUID.01H:ECX[27] OSXSAVE, [28]
 * AVX; CPUID.07H:EBX[16] AVX512F).
 */
unsigned identify_vector_bits(void)
{
    uint32_t one[4], seven[4] = {0}, low, high;

    ask_this_core(1, 0, one);
    if (!(one[ECX] >> 27 & 1) || !(one[ECX] >> 28 & 1))
        return 128;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x6) != 0x6)
        return 128;
    if (last_leaf(ask_this_core, 0) >= 7)
        ask_this_core(7, 0, seven);
    return (seven[EBX] >> 16 & 1) && (low & 0xe0) == 0xe0 ? 512 : 256;
}

unsigned identify_scalable_bits(void)
{
    return 0; /* this ISA has none */
}

void identify(struct identity *id)
{
    identify_from(ask_this_core, id);
}

void identify_core_type(char out[4])
{
    identify_core_type_from(ask_this_core, out);
}

size_t identify_raw(struct identity_value *out, size_t room)
{
    return identify_raw_from(ask_this_core, out, room);
}

size_t identify_caches(struct identity_cache *out, size_t room, bool privileged)
{
    (void)privileged; /* CPUID tells everybody the same */
    return identify_caches_from(ask_this_core, out, room);
}

size_t identify_tlbs(struct identity_tlb *out, size_t room)
{
    return identify_tlbs_from(ask_this_core, out, room);
}
