#define _GNU_SOURCE
#include "boot/linux/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/identify.h"
#include "boot/linux/files.h"
#include "boot/linux/window.h"

/*
 * A process that reads REVIDR_EL1 gets 0 from the kernel; the core's own value is in sysfs
 * (Documentation/arch/arm64/cpu-feature-registers.rst, 2 d). x86-64 has no such directory.
 */
size_t system_identity(unsigned core, struct identity_value *out, size_t room)
{
    char path[96], line[32];

    windows_describing(true);
    const size_t count = identify_raw(out, room);
    windows_describing(false);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/regs/identification/revidr_el1", core);
    if (file_line(path, line, sizeof line))
        for (size_t i = 0; i < count; i++)
            if (!strcmp(out[i].name, "revidr_el1"))
                out[i].value = strtoull(line, NULL, 16);
    return count;
}

bool system_microcode(unsigned core, uint32_t *revision)
{
    char line[256];
    FILE *f = files_open("/proc/cpuinfo");
    unsigned described = 0;
    bool found = false;

    while (!found && f && fgets(line, sizeof line, f))
        found = sscanf(line, "processor : %u", &described) != 1 && described == core &&
                sscanf(line, "microcode : %x", revision) == 1;
    if (f)
        fclose(f);
    return found;
}
