/*
 * The cores that Linux lists. An index is the kernel's number of the core.
 *
 * Types: on x86-64 the kernel lists which cores the performance monitors cpu_core and cpu_atom belong to
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices); on AArch64 cpu_capacity is the relative speed of a core
 * (sysfs-devices-system-cpu).
 */
#define _GNU_SOURCE
#include "boot/linux/cores.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/linux/files.h"
#include "boot/linux/simulated.h"
#include "lib/machine.h"

static struct machine_core *cores;
static size_t core_count;

/* Notes the type of every core on a list in the kernel's notation, "0-7,16". */
static void set_type(const char *path, const char *type)
{
    char list[4096];
    char *at = list;

    if (!file_line(path, list, sizeof list))
        return;
    while (*at >= '0' && *at <= '9') {
        unsigned long first = strtoul(at, &at, 10), last = *at == '-' ? strtoul(at + 1, &at, 10) : first;

        for (unsigned long i = first; i <= last && i < core_count; i++)
            snprintf(cores[i].type, sizeof cores[i].type, "%s", type);
        at += *at == ',';
    }
}

/* The relative speed of a core; 0 where the kernel does not report it. */
static unsigned long capacity(unsigned index)
{
    char path[80], line[32];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpu_capacity", index);
    return file_line(path, line, sizeof line) ? strtoul(line, NULL, 10) : 0;
}

/* The fastest cores are "P", the slowest "E", those in between "M". */
static void set_types_by_capacity(void)
{
    unsigned long lowest = ~0ul, highest = 0;

    for (unsigned i = 0; i < core_count; i++) {
        unsigned long c = capacity(i);
        if (c == 0)
            continue;
        lowest = c < lowest ? c : lowest;
        highest = c > highest ? c : highest;
    }
    for (unsigned i = 0; i < core_count && lowest < highest; i++) {
        unsigned long c = capacity(i);
        if (c > 0)
            snprintf(cores[i].type, sizeof cores[i].type, "%s", c == highest ? "P" : c == lowest ? "E" : "M");
    }
}

void cores_start(void)
{
    /* of a core in a simulator nothing says how many there are beside it */
    const long configured = simulated() ? 1 : sysconf(_SC_NPROCESSORS_CONF);
    cpu_set_t usable;

    core_count = configured > 0 && configured < CPU_SETSIZE ? (size_t)configured : CPU_SETSIZE;
    cores = calloc(core_count, sizeof *cores);
    if (!cores) {
        core_count = 0;
        return;
    }
    if (simulated()) {
        cores[0] = (struct machine_core){.index = 0};
        return;
    }
    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        CPU_ZERO(&usable);
    for (unsigned i = 0; i < core_count; i++) {
        cores[i] = (struct machine_core){.index = i, .id = i};
        if (!CPU_ISSET(i, &usable))
            cores[i].why_not = "it is offline, or may not be used by this process";
    }
    set_type("/sys/devices/cpu_core/cpus", "P");
    set_type("/sys/devices/cpu_atom/cpus", "E");
    set_types_by_capacity();
}

const char *cores_type(unsigned index)
{
    return index < core_count ? cores[index].type : "";
}

const struct machine_core *machine_cores(size_t *count)
{
    *count = core_count;
    return cores;
}
