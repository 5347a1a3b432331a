/* The platform's part of the bring-up page (lib/run/bringup.h): what Linux shows of the machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/identify.h"
#include "boot/linux/counting.h"
#include "boot/linux/files.h"
#include "boot/linux/perf.h"
#include "boot/linux/system.h"
#include "boot/linux/window.h"
#include "lib/base/lines.h"
#include "lib/machine.h"

enum { IDENTITY_VALUES = 512, LINE = 128 };

/*
 * Raw registers that name the core. Of AArch64's those of which the kernel shows a process more than what all cores
 * have in common, or hardly hides anything (Documentation/arch/arm64/cpu-feature-registers.rst, 4).
 */
static const char *const naming[] = {"cpuid.00000001.0.eax", "midr_el1",         "revidr_el1",
                                     "id_aa64pfr0_el1",      "id_aa64isar0_el1", "ctr_el0"};

static void add_system(struct lines *page)
{
    struct utsname name;
    char line[LINE];

    if (uname(&name) == 0)
        lines_text(page, "system: %s %s on %s%s%s", name.sysname, name.release, name.machine,
                   file_line("/sys/hypervisor/type", line, sizeof line) ? ", under " : "", line);
}

/* SMBIOS as the kernel shows it, without serial numbers and UUIDs; or the model in the device tree. */
static void add_board(struct lines *page)
{
    static const struct {
        const char *name, *file;
    } strings[] = {
        {"machine by", "sys_vendor"}, {"product", "product_name"},    {"board by", "board_vendor"},
        {"board", "board_name"},      {"firmware by", "bios_vendor"}, {"version", "bios_version"},
        {"of", "bios_date"},
    };
    char path[64], value[LINE];
    bool any = false;

    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        snprintf(path, sizeof path, "/sys/class/dmi/id/%s", strings[i].file);
        if (!file_line(path, value, sizeof value))
            continue;
        lines_word(page, "%s %.40s", strings[i].name, value);
        any = true;
    }
    if (!any && file_line("/sys/firmware/devicetree/base/model", value, sizeof value))
        lines_word(page, "machine by its device tree %.48s", value);
    else if (!any)
        lines_word(page, "machine not known: there is neither SMBIOS nor a device tree");
}

/*
 * The variable SecureBoot: four bytes of attributes, then 1 or 0 (UEFI 2.10, 3.3; Documentation/filesystems/efivarfs).
 */
static void add_secure_boot(struct lines *page)
{
    char bits[LINE];
    uint8_t variable[5];

    if (!file_line("/sys/firmware/efi/fw_platform_size", bits, sizeof bits)) {
        lines_word(page, "firmware: Linux shows no UEFI");
        return;
    }
    lines_word(page, "firmware: UEFI, %s bits", bits);
    const int fd = open("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                        O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, variable, sizeof variable);
    if (got == sizeof variable)
        lines_word(page, "Secure Boot %s", variable[4] == 1 ? "on" : "off");
    else
        lines_word(page, "Secure Boot unknown (%s)", got < 0 ? strerror(errno) : "its variable is too short");
    if (fd >= 0)
        close(fd);
}

static void add_identity(struct lines *page)
{
    static struct identity_value raw[IDENTITY_VALUES];
    const unsigned core = machine_info()->core;
    const size_t count = system_identity(core, raw, IDENTITY_VALUES);
    uint32_t microcode;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof naming / sizeof naming[0]; j++)
            if (!strcmp(raw[i].name, naming[j]))
                lines_word(page, "%s %llx", raw[i].name, (unsigned long long)raw[i].value);
    if (system_microcode(core, &microcode))
        lines_word(page, "microcode %x", microcode);
}

static void add_clock(struct lines *page, const char *name, double hz)
{
    if (hz > 0)
        lines_word(page, "%s %.3f MHz (%+.3f %%)", name, hz / 1e6, 100 * (hz / machine_info()->tick_hz - 1));
}

/* Each clock that the time stamp can be compared with, and by how much it differs from the one that is used. */
static void add_clocks(struct lines *page)
{
    const struct machine_info *info = machine_info();
    struct identity_tick declared[IDENTITY_TICKS];
    const char *source;
    char line[LINE];

    lines_text(page, "time stamp %.3f MHz, %s", info->tick_hz / 1e6, info->tick_source);
    if (info->counters == READER_CYCLES_AS_TIME) {
        lines_text(page, "  it is a cycle counter, since a process cannot read the time stamp here");
        return;
    }
    windows_describing(true);
    const size_t count = identify_ticks(declared);
    windows_describing(false);
    for (size_t i = 0; i < count; i++)
        add_clock(page, declared[i].source, declared[i].hz);
    add_clock(page, "the kernel's own", perf_clock_hz());
    add_clock(page, "by CLOCK_MONOTONIC_RAW", windows_tick_hz(&source));
    if (file_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", line, sizeof line))
        lines_word(page, "clock source %s", line);
}

/* What decides the clock of the core, and who else may run on it. */
static void add_core(struct lines *page)
{
    const struct machine_info *info = machine_info();
    const struct machine_core *all;
    char path[96], driver[LINE], governor[LINE], line[LINE];
    size_t cores, usable = 0;

    all = machine_cores(&cores);
    for (size_t i = 0; i < cores; i++)
        usable += all[i].why_not == NULL;
    lines_word(page, "cores: %zu, of which %zu can be used", cores, usable);
    lines_word(page, "this one: %u%s%s", info->core, info->core_type[0] ? ", type " : "", info->core_type);
    if (file_line("/sys/devices/system/cpu/smt/active", line, sizeof line))
        lines_word(page, "sibling threads %s", line[0] == '1' ? "on" : "off");
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_driver", info->core);
    const bool driven = file_line(path, driver, sizeof driver);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", info->core);
    if (driven && file_line(path, governor, sizeof governor))
        lines_word(page, "clock chosen by %s, %s", driver, governor);
    else
        lines_word(page, "clock not chosen by Linux");
}

static void add_memory(struct lines *page)
{
    const struct machine_info *info = machine_info();
    char sizes[LINE] = "";

    for (size_t i = 0; i < sizeof info->page_bytes / sizeof info->page_bytes[0] && info->page_bytes[i]; i++) {
        const size_t kib = info->page_bytes[i] >> 10, used = strlen(sizes);
        snprintf(sizes + used, sizeof sizes - used, kib < 1024 ? " %zu KiB" : " %zu MiB", kib < 1024 ? kib : kib >> 10);
    }
    lines_word(page, "memory: %zu MiB can be taken", info->memory_bytes >> 20);
    lines_word(page, "pages:%s", sizes);
}

static void add_counters(struct lines *page)
{
    const struct counters *offered = counting_offered();
    char level[LINE];

    if (file_line("/proc/sys/kernel/perf_event_paranoid", level, sizeof level))
        lines_word(page, "perf_event_paranoid %s", level);
    if (!offered->why_not)
        lines_word(page, "%d counters of %s", __builtin_popcountll(offered->slots), offered->name);
}

/* What the image's page has, and a process cannot have. */
static void add_unseen(struct lines *page)
{
    static const char *const unseen = "a process does not see control registers, page tables, interrupt controllers, "
                                      "the firmware's tables and timers, interrupts that the kernel handles";
#if defined(__aarch64__)
    lines_text(page, "%s, and fields of ID registers that the kernel hides: they read as 0", unseen);
#else
    lines_text(page, "%s", unseen);
#endif
}

void machine_bringup(struct lines *page)
{
    add_system(page);
    add_board(page);
    add_secure_boot(page);
    add_identity(page);
    add_clocks(page);
    add_core(page);
    add_memory(page);
    add_counters(page);
    add_unseen(page);
}
