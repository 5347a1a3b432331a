#include "arch/x86_64/identify_core_name.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Cores by family and model. `core` is CPUID.1AH:EAX[31:24], which kind a hybrid processor's core is,
 * where models mix two: 0x40 Core, 0x20 Atom (Intel SDM vol. 2A, table 3-17).
 *
 * Intel: SDM vol. 4, table 2-1, names the processors; the cores in them are from the optimisation
 * reference manual (chapter 2) and Intel's event lists (intel/perfmon, mapfile.csv). AMD: model ranges
 * as in the revision guides and PPRs of each family, collected in Linux, arch/x86/kernel/cpu/amd.c.
 *
 * A refresh that changes no structure that is measured keeps the name of its design: Kaby, Coffee and
 * Comet Lake are Skylake. Willow Cove (Tiger Lake) and Raptor Cove (Raptor Lake, Emerald Rapids; Linux,
 * arch/x86/include/asm/intel-family.h) are listed by themselves for their second level, and because
 * what was measured on one design is not published for its refresh.
 */
static const struct known_core {
    char vendor;  /* as cpuid_vendor has it */
    uint8_t core; /* 0: any */
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
 * An Atom core's native model, CPUID.1AH:EAX[23:0], distinguishes cores where one processor has two
 * kinds of them (Intel, "Hardware Prefetch Controls for Intel Atom Cores", 1.1).
 */
static const char *const atom_models[] = {NULL, "gracemont", "crestmont", "skymont", "darkmont"};

const char *identify_core_name(cpuid_source *ask)
{
    uint32_t r[4] = {0};
    char vendor = cpuid_vendor(ask);
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

    if (vendor == 'I' && cpuid_last_leaf(ask, 0) >= 0x1a) {
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
