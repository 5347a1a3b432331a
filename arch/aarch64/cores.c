/*
 * Cores by MIDR_EL1 (Arm ARM DDI 0487, D19.2: Implementer [31:24], PartNum [15:4]).
 *
 * Part numbers: the cores' technical reference manuals, section MIDR_EL1, as collected in Linux,
 * arch/arm64/include/asm/cputype.h; Apple's from m1n1, src/midr.h; Phytium's from util-linux, sys-utils/lscpu-arm.c.
 */
#include "arch/aarch64/cores.h"

enum implementer {
    EMULATED = 0x00, /* reserved for software use */
    ARM = 0x41,
    BROADCOM = 0x42,
    CAVIUM = 0x43,
    FUJITSU = 0x46,
    HISILICON = 0x48,
    NVIDIA = 0x4e,
    QUALCOMM = 0x51,
    APPLE = 0x61,
    MICROSOFT = 0x6d,
    PHYTIUM = 0x70,
    AMPERE = 0xc0,
};

static const struct core cores[] = {
    {ARM, 0xd03, "cortex-a53", "Cortex-A53"},
    {ARM, 0xd04, "cortex-a35", "Cortex-A35"},
    {ARM, 0xd05, "cortex-a55", "Cortex-A55"},
    {ARM, 0xd06, "cortex-a65", "Cortex-A65"},
    {ARM, 0xd07, "cortex-a57", "Cortex-A57"},
    {ARM, 0xd08, "cortex-a72", "Cortex-A72"},
    {ARM, 0xd09, "cortex-a73", "Cortex-A73"},
    {ARM, 0xd0a, "cortex-a75", "Cortex-A75"},
    {ARM, 0xd0b, "cortex-a76", "Cortex-A76"},
    {ARM, 0xd0c, "neoverse-n1", "Neoverse N1"},
    {ARM, 0xd0d, "cortex-a77", "Cortex-A77"},
    {ARM, 0xd0e, "cortex-a76ae", "Cortex-A76AE"},
    {ARM, 0xd40, "neoverse-v1", "Neoverse V1"},
    {ARM, 0xd41, "cortex-a78", "Cortex-A78"},
    {ARM, 0xd42, "cortex-a78ae", "Cortex-A78AE"},
    {ARM, 0xd44, "cortex-x1", "Cortex-X1"},
    {ARM, 0xd46, "cortex-a510", "Cortex-A510"},
    {ARM, 0xd47, "cortex-a710", "Cortex-A710"},
    {ARM, 0xd48, "cortex-x2", "Cortex-X2"},
    {ARM, 0xd49, "neoverse-n2", "Neoverse N2"},
    {ARM, 0xd4a, "neoverse-e1", "Neoverse E1"},
    {ARM, 0xd4b, "cortex-a78c", "Cortex-A78C"},
    {ARM, 0xd4c, "cortex-x1c", "Cortex-X1C"},
    {ARM, 0xd4d, "cortex-a715", "Cortex-A715"},
    {ARM, 0xd4e, "cortex-x3", "Cortex-X3"},
    {ARM, 0xd4f, "neoverse-v2", "Neoverse V2"},
    {ARM, 0xd80, "cortex-a520", "Cortex-A520"},
    {ARM, 0xd81, "cortex-a720", "Cortex-A720"},
    {ARM, 0xd82, "cortex-x4", "Cortex-X4"},
    {ARM, 0xd83, "neoverse-v3ae", "Neoverse V3AE"},
    {ARM, 0xd84, "neoverse-v3", "Neoverse V3"},
    {ARM, 0xd85, "cortex-x925", "Cortex-X925"},
    {ARM, 0xd87, "cortex-a725", "Cortex-A725"},
    {ARM, 0xd8e, "neoverse-n3", "Neoverse N3"},
    {BROADCOM, 0x516, "thunderx2", "Vulcan"},
    {CAVIUM, 0x0af, "thunderx2", "ThunderX2"},
    {FUJITSU, 0x001, "a64fx", "A64FX"},
    {HISILICON, 0xd01, "tsv110", "TaiShan v110"},
    {QUALCOMM, 0x001, "oryon", "Oryon"},
    {APPLE, 0x022, "icestorm", "M1 Icestorm"},
    {APPLE, 0x023, "firestorm", "M1 Firestorm"},
    {APPLE, 0x024, "icestorm", "M1 Pro Icestorm"},
    {APPLE, 0x025, "firestorm", "M1 Pro Firestorm"},
    {APPLE, 0x028, "icestorm", "M1 Max Icestorm"},
    {APPLE, 0x029, "firestorm", "M1 Max Firestorm"},
    {APPLE, 0x032, "blizzard", "M2 Blizzard"},
    {APPLE, 0x033, "avalanche", "M2 Avalanche"},
    {APPLE, 0x034, "blizzard", "M2 Pro Blizzard"},
    {APPLE, 0x035, "avalanche", "M2 Pro Avalanche"},
    {APPLE, 0x038, "blizzard", "M2 Max Blizzard"},
    {APPLE, 0x039, "avalanche", "M2 Max Avalanche"},
    {APPLE, 0x042, "sawtooth", "M3 Sawtooth"},
    {APPLE, 0x043, "everest", "M3 Everest"},
    {APPLE, 0x044, "sawtooth", "M3 Pro Sawtooth"},
    {APPLE, 0x045, "everest", "M3 Pro Everest"},
    {APPLE, 0x048, "sawtooth", "M3 Max Sawtooth"},
    {APPLE, 0x049, "everest", "M3 Max Everest"},
    /* Apple never named these two publicly. */
    {APPLE, 0x052, "apple-m4-e", "M4 efficiency core"},
    {APPLE, 0x053, "apple-m4-p", "M4 performance core"},
    {APPLE, 0x054, "apple-m4-e", "M4 Pro efficiency core"},
    {APPLE, 0x055, "apple-m4-p", "M4 Pro performance core"},
    {APPLE, 0x058, "apple-m4-e", "M4 Max efficiency core"},
    {APPLE, 0x059, "apple-m4-p", "M4 Max performance core"},
    {MICROSOFT, 0xd49, "neoverse-n2", "Azure Cobalt 100"},
    {PHYTIUM, 0x303, "ftc310", "FTC310"}, /* in the E2000, beside FTC664 */
    {PHYTIUM, 0x660, "ftc660", "FTC660"},
    {PHYTIUM, 0x661, "ftc661", "FTC661"},
    {PHYTIUM, 0x662, "ftc662", "FTC662"},
    {PHYTIUM, 0x663, "ftc663", "FTC663"}, /* FT-2000/4, D2000 */
    {PHYTIUM, 0x664, "ftc664", "FTC664"},
    {PHYTIUM, 0x862, "ftc862", "FTC862"}, /* D3000 */
    {AMPERE, 0xac3, "ampere-1", "AmpereOne"},
    {AMPERE, 0xac4, "ampere-1a", "AmpereOne A"},
    /* QEMU, target/arm/cpu64.c: `-cpu max` takes part 0x051 of the implementer reserved for software. */
    {EMULATED, 0x051, "", "QEMU max"},
};

const size_t core_count = sizeof cores / sizeof cores[0];

static const struct {
    uint8_t code;
    const char *name;
} implementers[] = {
    {ARM, "Arm"},       {BROADCOM, "Broadcom"}, {CAVIUM, "Cavium"}, {FUJITSU, "Fujitsu"},     {HISILICON, "HiSilicon"},
    {NVIDIA, "NVIDIA"}, {QUALCOMM, "Qualcomm"}, {APPLE, "Apple"},   {MICROSOFT, "Microsoft"}, {PHYTIUM, "Phytium"},
    {AMPERE, "Ampere"},
};

static uint8_t implementer_of(uint64_t midr)
{
    return (uint8_t)(midr >> 24);
}

const struct core *core_find(uint64_t midr)
{
    for (size_t i = 0; i < core_count; i++)
        if (cores[i].implementer == implementer_of(midr) && cores[i].part == (midr >> 4 & 0xfff))
            return &cores[i];
    return NULL;
}

const char *core_implementer(uint64_t midr)
{
    for (size_t i = 0; i < sizeof implementers / sizeof implementers[0]; i++)
        if (implementers[i].code == implementer_of(midr))
            return implementers[i].name;
    return NULL;
}
