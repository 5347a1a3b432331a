#include "boot/uefi/platform.h"

#include <stdio.h>

#include "arch/emit.h"
#include "arch/identify.h"
#include "boot/uefi/acpi.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/smbios.h"
#include "boot/uefi/time.h"
#include "lib/base/hash.h"

enum { IDENTITY_VALUES = 512 };

static struct machine_info info;
static const char *not_ours = "the core is not owned yet";

const struct machine_info *machine_info(void)
{
    return &info;
}

struct machine_info *platform_info(void)
{
    return &info;
}

const char *platform_not_ours(void)
{
    return not_ours;
}

void platform_set_not_ours(const char *why)
{
    not_ours = why;
}

/* Distinguishes machines: a hash of the identification registers, and of the SMBIOS UUID where there is one. */
static void fingerprint(char out[17])
{
    static struct identity_value raw[IDENTITY_VALUES];
    size_t count = identify_raw(raw, IDENTITY_VALUES);
    struct smbios_system smbios;
    uint64_t hash = HASH_START;

    for (size_t i = 0; i < count; i++)
        hash = hash_bytes(hash, &raw[i].value, sizeof raw[i].value);
    if (smbios_system(&smbios))
        hash = hash_bytes(hash, smbios.uuid, sizeof smbios.uuid);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

/* Firmware's tables first: AArch64's registers need not hold the real sizes, and on x86-64 the tables have none. */
static void find_declared(void)
{
    static struct identity_cache caches[2 * IDENTITY_CACHES];
    static struct identity_tlb tlbs[IDENTITY_TLBS];

    info.caches = caches;
    info.cache_count = acpi_caches(caches, IDENTITY_CACHES);
    info.cache_count += identify_caches(caches + info.cache_count, IDENTITY_CACHES, true);
    info.tlbs = tlbs;
    info.tlb_count = identify_tlbs(tlbs, IDENTITY_TLBS);
}

void platform_identify_core(void *unused)
{
    struct identity id;

    (void)unused;
    identify(&id);
    find_declared();
    info.emulator = id.emulator;
    info.scalable_bits = identify_scalable_bits();
    info.zero_bytes = identify_zero_bytes();
    snprintf(info.core_name, sizeof info.core_name, "%s", id.core_name);
    snprintf(info.core_model, sizeof info.core_model, "%s", id.model);
    snprintf(info.hypervisor, sizeof info.hypervisor, "%s", id.hypervisor);
}

void platform_identify(void)
{
    info = (struct machine_info){.platform = "uefi",
                                 .isa = emit_isa,
                                 .image = (uintptr_t)firmware.loaded->ImageBase,
                                 .image_bytes = firmware.loaded->ImageSize,
                                 .contiguous = true};
    platform_identify_core(NULL);
    info.tick_hz = time_tick_hz(&info.tick_source);
    info.vector_bits = identify_vector_bits();
    fingerprint(info.fingerprint);
}
