/* The platform's part of the bring-up page (lib/run/bringup.h). */
#include <efi.h>

#include <stdio.h>
#include <string.h>

#include "arch/identify.h"
#include "arch/own.h"
#include "boot/uefi/control.h"
#include "boot/uefi/cores.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/memory.h"
#include "boot/uefi/platform.h"
#include "boot/uefi/smbios.h"
#include "boot/uefi/tick.h"
#include "boot/uefi/time.h"
#include "lib/base/lines.h"
#include "lib/machine.h"

enum { IDENTITY_VALUES = 512, OWN_VALUES = 64, CLOCKS = IDENTITY_TICKS + 2 /* ACPI timer, Stall */ };

/* Raw registers that name the core: the signature of x86-64, type and place of AArch64. */
static const char *const naming[] = {"cpuid.00000001.0.eax", "midr_el1",         "revidr_el1",       "mpidr_el1",
                                     "id_aa64dfr0_el1",      "id_aa64mmfr0_el1", "id_aa64mmfr2_el1", "id_aa64pfr0_el1"};

static void add_firmware(struct lines *page)
{
    const unsigned revision = firmware.system->Hdr.Revision;
    struct smbios_system smbios;

    lines_add(page, "firmware: %s %x, UEFI %u.%u, Secure Boot %s", firmware.vendor, firmware.system->FirmwareRevision,
              revision >> 16, (revision & 0xffff) / 10, firmware_secure_boot());
    if (smbios_system(&smbios))
        lines_add(page, "board: %s %s, firmware %s of %s", smbios.manufacturer, smbios.product, smbios.firmware_version,
                  smbios.firmware_date);
}

static void add_identity(struct lines *page)
{
    static struct identity_value raw[IDENTITY_VALUES];
    const size_t count = identify_raw(raw, IDENTITY_VALUES);

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof naming / sizeof naming[0]; j++)
            if (!strcmp(raw[i].name, naming[j]))
                lines_word(page, "%s %llx", raw[i].name, (unsigned long long)raw[i].value);
    if (control_revision())
        lines_word(page, "microcode %x", control_revision());
}

static void add_registers(struct lines *page)
{
    struct own_value values[OWN_VALUES];
    const size_t count = platform_not_ours() ? 0 : own_values(values, OWN_VALUES);

    for (size_t i = 0; i < count; i++)
        lines_word(page, "%s %llx", values[i].name, (unsigned long long)values[i].value);
}

/* Each clock that the time stamp can be compared with, and by how much it differs from the one that is used. */
static void add_clocks(struct lines *page)
{
    const double used = machine_info()->tick_hz;
    struct time_source all[CLOCKS];
    const size_t count = time_sources(all, CLOCKS);

    for (size_t i = 0; i < count; i++)
        lines_word(page, "%s %.3f MHz (%+.3f %%)", all[i].name, all[i].hz / 1e6, 100 * (all[i].hz / used - 1));
}

void machine_bringup(struct lines *page)
{
    size_t buffer;

    add_firmware(page);
    add_identity(page);
    add_registers(page);
    lines_add(page, "time stamp %.3f MHz by %s", machine_info()->tick_hz / 1e6, machine_info()->tick_source);
    add_clocks(page);
    memory_buffer(&buffer);
    lines_add(page, "memory: %llu MiB free, %zu MiB taken", (unsigned long long)(memory_free_bytes() >> 20),
              buffer >> 20);
    lines_text(page, "tick: %s", tick_no_control() ? tick_no_control() : "stops and starts again");
    cores_bringup(page);
}
