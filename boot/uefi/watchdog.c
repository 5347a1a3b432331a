/* Which watchdog there is, how its registers are reached, and when its time starts again. */
#include "boot/uefi/watchdog.h"

#include <efi.h>

#include <stdio.h>

#include "boot/uefi/acpi.h"
#include "boot/uefi/firmware.h"
#ifdef __x86_64__
#include "boot/uefi/tco.h"
#else
#include "boot/uefi/generic_watchdog.h"
#endif
#include "boot/uefi/warnings.h"
#include "lib/base/record.h"
#include "lib/machine.h"
#include "lib/plan/config.h"
#include "lib/run/stage.h"

enum { REGISTERS = 4, LINE = 160 };
/* Between two times that it starts again: writing to it takes a microsecond, and the least time is ten seconds. */
static const double REFRESH_SECONDS = 1;

static unsigned half_seconds; /* what it runs; 0 while it is not armed */
static double refreshed;

/* ---- What differs between instruction sets: registers behind ports, or in memory that the firmware has mapped --- */

static uint32_t read_memory(uint64_t address)
{
    return *(volatile uint32_t *)(uintptr_t)address;
}

static void write_memory(uint64_t address, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)address = value;
}

#ifdef __x86_64__
static const char device_name[] = "Intel TCO";
static struct tco device;

/* UEFI 2.10, 14.2: bus, device, function, register. */
static UINT64 config_address(unsigned function, unsigned offset)
{
    return 31 << 16 | function << 8 | offset;
}

/* The root bridge of segment 0 that answers for bus 0; NULL where the firmware offers none. */
static EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL *root_bridge(void)
{
    static EFI_GUID guid = EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL_GUID;
    EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL *found = NULL;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;
    UINT32 value;

    if (EFI_ERROR(firmware.boot->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles)))
        return NULL;
    for (UINTN i = 0; i < count && !found; i++) {
        EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL *bridge = firmware_protocol(handles[i], &guid);
        if (bridge && bridge->SegmentNumber == 0 &&
            !EFI_ERROR(bridge->Pci.Read(bridge, EfiPciIoWidthUint32, config_address(0, 0), 1, &value)))
            found = bridge;
    }
    firmware.boot->FreePool(handles);
    return found;
}

static uint32_t read_config(unsigned function, unsigned offset)
{
    EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL *bridge = root_bridge();
    UINT32 value = UINT32_MAX;

    if (!bridge ||
        EFI_ERROR(bridge->Pci.Read(bridge, EfiPciIoWidthUint32, config_address(function, offset), 1, &value)))
        return UINT32_MAX;
    return value;
}

static void write_config(unsigned function, unsigned offset, uint8_t value)
{
    EFI_PCI_ROOT_BRIDGE_IO_PROTOCOL *bridge = root_bridge();

    if (bridge)
        bridge->Pci.Write(bridge, EfiPciIoWidthUint8, config_address(function, offset), 1, &value);
}

static uint16_t in(uint16_t port)
{
    uint16_t value;
    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void out(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static void wait_ms(unsigned ms)
{
    firmware.boot->Stall(ms * 1000);
}

static const struct tco_access access = {.config = read_config,
                                         .put_config = write_config,
                                         .in = in,
                                         .out = out,
                                         .read = read_memory,
                                         .write = write_memory,
                                         .wait_ms = wait_ms};

static const char *arm(unsigned seconds)
{
    const char *why = tco_find(&device, &access);

    return why ? why : tco_arm(&device, seconds);
}

static void refresh(void)
{
    tco_refresh(&device);
}

static void disarm(void)
{
    tco_disarm(&device);
}

static size_t registers(struct watchdog_register *list, size_t room)
{
    return tco_registers(&device, list, room);
}
#else
static const char device_name[] = "Arm generic watchdog";
static struct generic_watchdog device = {.read = read_memory, .write = write_memory};

static const char *arm(unsigned seconds)
{
    enum { HEADER_BYTES = 36, LENGTH = 4 };
    const uint8_t *gtdt = acpi_table("GTDT", HEADER_BYTES);

    if (!gtdt)
        return "the firmware has no ACPI table GTDT, which lists watchdogs";
    if (!generic_watchdog_listed(&device, gtdt, *(const uint32_t *)(const void *)(gtdt + LENGTH)))
        return "the firmware's ACPI table GTDT lists none that can be used";
    return generic_watchdog_arm(&device, seconds, machine_info()->tick_hz);
}

static void refresh(void)
{
    generic_watchdog_refresh(&device);
}

static void disarm(void)
{
    generic_watchdog_disarm(&device);
}

static size_t registers(struct watchdog_register *list, size_t room)
{
    return generic_watchdog_registers(&device, list, room);
}
#endif

/* ---- Its use ---------------------------------------------------------------------------------------------------- */

/*
 * A window may last as long as its deadline, and nothing starts the time again within it: so twice that is the least.
 */
static unsigned seconds_for(const struct config *c)
{
    const unsigned least = (2 * c->deadline_ms + 999) / 1000;

    if (c->watchdog >= least)
        return c->watchdog;
    warn("watchdog", "watchdog = %u is too short for windows of %u ms: %u seconds are used", c->watchdog,
         c->deadline_ms, least);
    return least;
}

void watchdog_start(const struct config *c)
{
    char line[LINE];

    if (!c->watchdog)
        return;
    const unsigned seconds = seconds_for(c);
    const char *why = stage_begin("watchdog", "arms the watchdog of the chipset");
    if (!why)
        why = arm(seconds);
    if (why) {
        warn("watchdog", "no watchdog resets this machine when it hangs: %s", why);
        return;
    }
    half_seconds = seconds;
    refreshed = machine_seconds();
    snprintf(line, sizeof line, "The %s resets this machine when it hangs for %u to %u seconds.\n", device_name,
             seconds, 2 * seconds);
    machine_print(line);
}

void watchdog_refresh(void)
{
    const double since = machine_seconds() - refreshed; /* below 0 after a pause, which machine_seconds leaves out */

    if (!half_seconds || (since >= 0 && since < REFRESH_SECONDS))
        return;
    refresh();
    refreshed = machine_seconds();
}

void watchdog_stop(void)
{
    if (half_seconds)
        disarm();
    half_seconds = 0;
}

void watchdog_describe(struct record *r)
{
    struct watchdog_register all[REGISTERS];
    const size_t count = half_seconds ? registers(all, REGISTERS) : 0;
    char name[LINE];

    if (!count)
        return;
    record_object(r, "watchdog");
    record_text(r, "device", device_name);
    record_integer(r, "seconds", half_seconds);
    record_object(r, "registers");
    for (size_t i = 0; i < count; i++) {
        record_hex(r, all[i].name, all[i].found);
        snprintf(name, sizeof name, "%s armed", all[i].name);
        record_hex(r, name, all[i].armed);
    }
    record_close(r);
    record_close(r);
}
